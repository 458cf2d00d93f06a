import { defineConfig } from 'tsup'
import { esbuildPage } from './page-plugin.ts'

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20',
  dts: true,
  sourcemap: true,
  clean: true,
  esbuildPlugins: [esbuildPage],
})
