import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', 'isolation-main': 'src/isolation/isolation-main.ts' },
  format: 'esm',
  target: 'node20',
  dts: { entry: 'src/index.ts' },
  sourcemap: true,
  clean: true,
})
