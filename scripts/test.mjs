// The whole check of the repository, from a fresh clone: install, build, lint, types, packages, tests.
// Each step is one line; the output of a step is shown when it fails. The last line is `N passed, N failed[, N skipped]`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nativeBuild, whyNotNative } from './native.mjs'
import { packageManager, root } from './pnpm.mjs'
import { sanitizerRuns } from './sanitize.mjs'

const totals = { passed: 0, failed: 0, skipped: 0 }
const cache = join(root, '.cache')
const environment = { ...process.env, CI: 'true', NO_COLOR: '1' }
const bin = (name) => join(root, 'node_modules', name)
const commands = {
  biome: bin('@biomejs/biome/bin/biome'),
  tsc: bin('typescript/bin/tsc'),
  publint: bin('publint/src/cli.js'),
  attw: bin('@arethetypeswrong/cli/dist/index.js'),
  vitest: bin('vitest/vitest.mjs'),
}

function main() {
  const pnpm = (...args) => ['npx', '--yes', packageManager, ...args]
  const ready =
    step('install', [pnpm('install', '--frozen-lockfile')]) &&
    buildNative() &&
    step('build', [pnpm('-r', '--sort', 'run', 'build')])
  if (ready) {
    const packages = publicPackages()
    step('lint and format', [node('biome', 'ci', '--colors=off', '.')])
    step(
      'types',
      ['tsconfig.json', 'packages/dashboard/src/page'].map((project) => node('tsc', '--noEmit', '-p', project)),
    )
    step(
      'publint',
      packages.map((folder) => node('publint', '--strict', '--pack', 'npm', folder)),
    )
    step(
      'attw',
      packages.map((folder) => node('attw', '--profile', 'esm-only', '--no-emoji', '--pack', folder)),
    )
    runTests()
    sanitize()
  }
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
  console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
  process.exitCode = totals.failed > 0 ? 1 : 0
}

/** Optional: without a compiler the tests of the native parts skip themselves. */
function buildNative() {
  const reason = whyNotNative()
  if (reason === undefined) return step('native build', [nativeBuild()])
  console.log(`skip   native build: ${reason}`)
  return true
}

/** The tests of the native parts once more, in a build that finds errors of memory and leaks. */
function sanitize() {
  const { reason, note, build, test, env } = sanitizerRuns()
  if (reason !== undefined) return console.log(`skip   sanitizers: ${reason}`)
  if (note !== undefined) console.log(`note   sanitizers: ${note}`)
  if (step('native build with sanitizers', [build])) step('native tests with sanitizers', [test], env)
}

const node = (command, ...args) => [process.execPath, commands[command], ...args]

/** Runs the commands of one step; it passes when all of them do. `env` is added to the environment. */
function step(name, runs, env = {}) {
  const started = performance.now()
  const failures = []
  for (const [command, ...args] of runs) {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: root,
      env: { ...environment, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 256 * 1024 * 1024,
    })
    if (status !== 0) failures.push(`$ ${[command, ...args].join(' ')}\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`)
  }
  const passed = failures.length === 0
  report(name, started, passed)
  for (const failure of failures) console.log(failure.trimEnd())
  totals[passed ? 'passed' : 'failed'] += 1
  return passed
}

function report(name, started, passed) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
}

/** Runs vitest with its output passed through, and adds its totals. */
function runTests() {
  const started = performance.now()
  const results = join(cache, 'vitest.json')
  mkdirSync(cache, { recursive: true })
  rmSync(results, { force: true })
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  const { status } = spawnSync(process.execPath, [commands.vitest, ...args], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const { passed, failed, skipped } = existsSync(results) ? readTotals(results) : { passed: 0, failed: 0, skipped: 0 }
  totals.passed += passed
  // An error outside every test makes vitest fail with no failed test.
  totals.failed += status !== 0 && failed === 0 ? 1 : failed
  totals.skipped += skipped
  report('tests', started, status === 0)
}

/** A file that fails outside its tests, in an import or a hook, counts as one failure. */
function readTotals(file) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((assertion) => assertion.status !== 'failed'),
  )
  return {
    passed: numPassedTests,
    failed: numFailedTests + brokenFiles.length,
    skipped: numPendingTests + numTodoTests,
  }
}

function publicPackages() {
  const folders = readdirSync(join(root, 'packages')).map((name) => join('packages', name))
  return folders.filter((folder) => {
    const manifest = join(root, folder, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).private !== true
  })
}

main()
