import { TritonError } from '@triton-ts/core'
import { type ConfigDataType, fromConfigType } from '@triton-ts/core/backend'
import type { TensorInfo } from './onnx-executor.ts'

/** @throws TritonError with Triton's text when the configuration and the model name different types. */
export function checkDataType(
  model: string,
  role: 'input' | 'batch input' | 'output' | 'output state',
  { name, dataType }: { readonly name: string; readonly dataType: ConfigDataType },
  info: TensorInfo,
): void {
  const expected = fromConfigType(dataType)
  if (expected === undefined) {
    throw new TritonError('INTERNAL', `unsupported datatype ${dataType} for ${role} '${name}' for model '${model}'`)
  }
  if (expected !== info.datatype) {
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${model}', configuration expects datatype ${dataType} for ${role} '${name}', model provides TYPE_${info.datatype ?? '<invalid>'}`,
    )
  }
}
