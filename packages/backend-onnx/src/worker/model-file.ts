import { stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'

const defaultName = 'model.onnx'

/**
 * The path of a version's ONNX file: `default_model_filename` or `model.onnx`; inside it when that is a directory.
 * @throws TritonError INTERNAL or UNAVAILABLE when there is none, INVALID_ARG when it would be outside the version.
 */
export async function modelFile(model: ModelContext): Promise<string> {
  const filename = model.config.defaultModelFilename || defaultName
  const path = join(model.versionDirectory, filename)
  const inside = relative(model.versionDirectory, path)
  if (isAbsolute(filename) || inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new TritonError(
      'INVALID_ARG',
      `model file '${filename}' of model '${model.name}' is outside its version directory`,
    )
  }
  const entry = await stat(path).catch((cause: unknown) => {
    throw new TritonError('INTERNAL', `failed to stat file ${path}`, { cause })
  })
  if (!entry.isDirectory()) return path
  const nested = join(path, defaultName)
  await stat(nested).catch((cause: unknown) => {
    throw new TritonError('UNAVAILABLE', `unable to find '${nested}' for model instance '${model.name}'`, { cause })
  })
  return nested
}
