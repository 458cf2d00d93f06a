import { prepare } from './prepare.mjs'

prepare()
const { demo } = await import('../packages/cli/dist/demo.js')
process.exit(await demo(process.argv.slice(2)))
