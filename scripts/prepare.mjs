import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nativeBuild, whyNotNative } from './native.mjs'
import { root } from './pnpm.mjs'

/** Installs and builds what `npm start` needs, where that is not done yet. Each step leaves the hash of its inputs. */
export function prepare() {
  const lockfile = hash(['pnpm-lock.yaml', 'package.json', 'pnpm-workspace.yaml'])
  const pnpm = (...args) => [process.execPath, 'scripts/pnpm.mjs', ...args]
  required('Installing packages', 'node_modules/.triton-ts/installed', lockfile, pnpm('install', '--frozen-lockfile'))
  const sources = hash([
    'tsconfig.base.json',
    'pnpm-lock.yaml',
    ...filesIn('packages').filter((file) => !/\/(dist|node_modules)\/|\.test\.ts$/.test(file)),
  ])
  prepareNative()
  required('Building', 'packages/cli/dist/.built', sources, pnpm('--filter', '@triton-ts/cli...', 'run', 'build'))
}

/** The native parts are optional: where they cannot be built, models run in worker threads. */
function prepareNative() {
  const reason = whyNotNative()
  if (reason !== undefined) {
    console.log(`Without native parts: ${reason}.`)
    return
  }
  const sources = hash(filesIn('native').filter((file) => !/^native\/(build|node_modules|npm|test)/.test(file)))
  const command = nativeBuild({ target: 'runtime' })
  const output = step('Building the native parts, about a minute', 'native/build/.built', sources, command)
  if (output === undefined) return
  const log = join(root, 'native/build/build.log')
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, output)
  console.log(`Without native parts: they did not build, see ${log}.`)
}

/** A step that nothing goes on without. */
function required(...args) {
  const output = step(...args)
  if (output === undefined) return
  process.stderr.write(output)
  process.exit(1)
}

/** Runs a command, unless it was run for the same state before. The output of one that failed is returned. */
function step(title, stamp, state, [command, ...args]) {
  const file = join(root, stamp)
  if (existsSync(file) && readFileSync(file, 'utf8') === state) return
  console.log(`${title} ...`)
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) return Buffer.concat([stdout, stderr])
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, state)
}

function hash(files) {
  const sum = createHash('sha256').update(process.version)
  for (const file of files) sum.update(file).update(readFileSync(join(root, file)))
  return sum.digest('hex')
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort()
}
