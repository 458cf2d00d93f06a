import { expect, test } from 'vitest'
import { checkProviders, providerFailure } from './provider-support.ts'

test('an accelerator that this build does not have is named', () => {
  const supported = [{ name: 'cpu' }, { name: 'cuda' }]
  expect(() => checkProviders([{ name: 'cuda' }], supported)).not.toThrow()
  expect(() => checkProviders([{ name: 'openvino' }], supported)).toThrow(
    /^unknown Execution Accelerator 'openvino' is requested: .* has no openvino execution provider, it has cpu, cuda$/,
  )
})

test('an accelerator whose library is missing is named', () => {
  const failure = providerFailure('OrtSessionOptionsAppendExecutionProvider_TensorRT: Failed to load shared library')
  expect(failure?.code).toBe('UNAVAILABLE')
  expect(failure?.message).toMatch(/^Execution Accelerator 'tensorrt' cannot be used: /)
  expect(providerFailure('something else')).toBeUndefined()
})
