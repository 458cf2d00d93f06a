import type { InferenceResponse, Model } from '@triton-ts/core'
import type { RequestMessage } from './request-message.ts'

/**
 * Asks a model, with the inputs that are in shared memory filled before and the outputs that go there stored after.
 * @throws TritonError as `Model.request`, `RequestRegions.read` and `RequestRegions.write`.
 */
export async function requestByRegions(model: Model, message: RequestMessage): Promise<InferenceResponse> {
  const { regions } = message
  await regions?.read()
  const response = await model.request(message)
  await regions?.write(response.outputs)
  return response
}
