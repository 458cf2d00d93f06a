// What scripts/start.mjs does once everything is installed and built.
import { demo } from '../dist/demo.js'

process.exit(await demo(process.argv.slice(2)))
