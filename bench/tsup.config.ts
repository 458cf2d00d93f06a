import { defineConfig } from 'tsup'

/** Servers under test run as plain JavaScript: a loader in their process would be measured with them. */
export default defineConfig({ entry: ['src/*.ts'], format: 'esm', target: 'node20', clean: true, silent: true })
