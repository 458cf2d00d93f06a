import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root, run } from './pnpm.mjs'

/** What building the native parts needs, each with arguments that do no more than answer. */
const tools = [
  ['cmake', ['--version']],
  ['c++', ['--version']],
]

/**
 * Why the native parts cannot be built on this machine; undefined: they can. They are optional: without them models run
 * in worker threads, and backend libraries not at all.
 */
export function whyNotNative() {
  if (process.platform !== 'linux') return `they are for Linux, this is ${process.platform}`
  const missing = tools.filter(([command, args]) => !works(command, args)).map(([command]) => command)
  if (!works('ninja', ['--version']) && !works('make', ['--version'])) missing.push('make')
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not found`
}

const works = (command, args) => spawnSync(command, args).status === 0

/**
 * The command that builds `native/` with CMake, run by cmake-js.
 * @param options target to build, default all; a directory instead of `native/build`; sanitizers such as `address,undefined`
 */
export function nativeBuild({ target, directory = join(root, 'native/build'), sanitize } = {}) {
  const require = createRequire(join(root, 'native/package.json'))
  const cmakeJs = require.resolve('cmake-js/bin/cmake-js')
  const definitions = [`NODE_ADDON_API=${dirname(require.resolve('node-addon-api'))}`, `SANITIZE=${sanitize ?? ''}`]
  return [
    process.execPath,
    cmakeJs,
    'compile',
    ...['--directory', join(root, 'native'), '--out', directory, '--config', 'Release', '--parallel', '2'],
    ...definitions.map((definition) => `--CD${definition}`),
    ...(target === undefined ? [] : ['--target', target]),
  ]
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [command, ...args] = nativeBuild({ target: process.argv[2] })
  run(command, args)
}
