import { TritonError } from '../errors.ts'
import type { InferenceRequest } from './inference-request.ts'

/** How deep requests may be nested. Each level keeps a request, and mostly an instance, so real pipelines end before. */
export const maxNestedDepth = 32

/**
 * @param model to which a request is sent that serves `parent`.
 * @throws TritonError CANCELLED when `parent` was given up, UNAVAILABLE when it is nested as deep as requests may be.
 */
export function expectNestable(model: string, parent: InferenceRequest): void {
  if (parent.isCancelled) throw new TritonError('CANCELLED', 'the request that this one serves was cancelled')
  if (parent.depth < maxNestedDepth) return
  const path = modelPath(parent)
  throw new TritonError(
    'UNAVAILABLE',
    `request to model '${model}' is nested deeper than ${maxNestedDepth} requests (... ${[...path.slice(-3), model].join(' → ')}): ` +
      'a model that calls itself has to stop at some depth',
  )
}

/**
 * A request is answered after those before it where the model keeps the order of all, or that of a sequence.
 * @throws TritonError UNAVAILABLE when one of them waits, through the requests that serve it, for this one.
 */
export function expectNotBehindCaller(request: InferenceRequest): void {
  const { place, correlationId } = request
  const { answersInOrder, sequence } = place.signature
  if (!answersInOrder && (sequence === undefined || correlationId === 0n)) return
  for (let one = request.parent; one !== undefined; one = one.parent) {
    if (one.place !== place || one.runsWith === undefined) continue
    if (!answersInOrder && one.correlationId !== correlationId) continue
    const why = answersInOrder
      ? 'preserve_ordering answers it after a request that waits for it'
      : `it comes after a request of its sequence '${correlationId}' that waits for it`
    throw new TritonError(
      'UNAVAILABLE',
      `request to model '${request.modelName}' would wait for ever: ${why} (${modelPath(request).join(' → ')})`,
    )
  }
}

/** Of a request that would wait for an instance which waits for the request. */
export function circularWaitError(request: InferenceRequest, instances: number): TritonError {
  const path = modelPath(request)
  const model = path.at(-1)
  const all = instances === 1 ? 'its only instance runs' : `all its ${instances} instances run`
  return new TritonError(
    'UNAVAILABLE',
    `request to model '${model}' would wait for ever: ${all} what waits for requests like this one (${path.join(' → ')}); ` +
      `give '${model}' more instances in instance_group, or do not call it from there`,
  )
}

/** The models from the caller's on. */
function modelPath(request: InferenceRequest): string[] {
  const path: string[] = []
  for (let one: InferenceRequest | undefined = request; one !== undefined; one = one.parent) path.unshift(one.modelName)
  return path
}
