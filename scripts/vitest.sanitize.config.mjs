import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

/**
 * The tests of the native parts for a run under sanitizers: all in one process, whose end tells what leaked. Each file is
 * a worker thread that frees what it has; processes that tests start end as the test wants, with everything in use.
 */
export default defineConfig({
  ...config,
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    ...config.test,
    include: [
      'packages/backend-native/src/*.test.ts',
      'packages/backend-onnx/src/contract/{batches,ragged-batch,runs,sequences,shapes}.test.ts',
    ],
    pool: 'threads',
    fileParallelism: false,
    env: { ASAN_OPTIONS: 'detect_leaks=0:handle_segv=0:handle_abort=0' },
  },
})
