import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { nativeBuild, whyNotNative } from './native.mjs'
import { root } from './pnpm.mjs'

const directory = join(root, 'native/build-sanitize')

/**
 * How to run the tests of the native parts under AddressSanitizer, UndefinedBehaviorSanitizer and LeakSanitizer: a build
 * and a run of its own, in the environment `env`. `reason`: why that is not possible; `note`: what is missing.
 */
export function sanitizerRuns() {
  const reason = whyNotNative()
  if (reason !== undefined) return { reason }
  const libraries = ['libasan.so', 'libubsan.so'].map(runtimeLibrary)
  if (!libraries.every((library) => library.includes('/'))) {
    return { reason: `the compiler has no ${libraries.filter((library) => !library.includes('/')).join(' and ')}` }
  }
  const environment = (leaks) => ({
    LD_PRELOAD: libraries.join(' '),
    TRITON_TS_NATIVE_DIR: join(directory, 'Release'),
    ASAN_OPTIONS: `detect_leaks=${leaks ? 1 : 0}`,
    LSAN_OPTIONS: `suppressions=${join(root, 'native/lsan.supp')}:print_suppressions=0`,
    UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
  })
  const works = [true, false].find((leaks) => starts(environment(leaks)))
  if (works === undefined) return { reason: 'node does not start with AddressSanitizer here' }
  return {
    build: nativeBuild({ directory, sanitize: 'address,undefined' }),
    test: [
      process.execPath,
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...['--config', join(root, 'scripts/vitest.sanitize.config.mjs')],
    ],
    env: environment(works),
    ...(!works && { note: 'LeakSanitizer does not run here, leaks are not looked for' }),
  }
}

/** The bare name where the compiler does not have it. */
const runtimeLibrary = (name) => spawnSync('c++', [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout.trim()

/** The kernel or a container may forbid what a sanitizer needs. */
const starts = (env) => spawnSync(process.execPath, ['-e', '0'], { env: { ...process.env, ...env } }).status === 0
