import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', 'worker-main': 'src/worker/thread/worker-main.ts' },
  format: 'esm',
  target: 'node20',
  dts: { entry: 'src/index.ts' },
  sourcemap: true,
  clean: true,
})
