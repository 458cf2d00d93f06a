import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { vitePage } from './packages/dashboard/page-plugin.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Tests import every workspace package from its source, so that a failing test points at the line one edits. */
export default defineConfig({
  plugins: [vitePage],
  resolve: {
    alias: [
      { find: /^@triton-ts\/core\/backend$/, replacement: source('./packages/core/src/backend.ts') },
      { find: /^@triton-ts\/http-adapter\/(.*)$/, replacement: source('./packages/http-adapter/src/$1.ts') },
      { find: /^@triton-ts\/([^/]+)$/, replacement: source('./packages/$1/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/**/*.test.ts', 'examples/**/*.test.ts', 'docs/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A process is restarted after a second at the earliest, and the machine may be busy.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})
