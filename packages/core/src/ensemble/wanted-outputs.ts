import type { ResponseContent } from '../backend/backend.ts'
import type { Tensor } from '../request/tensor.ts'
import { adaptBatch } from './batch-adaptation.ts'
import type { Flow } from './flow.ts'
import type { Route } from './route.ts'
import { parametersOf } from './sequence-mark.ts'

/**
 * The response that a complete flow makes: the wanted outputs that are there, and the sequence that they belong to.
 * @param batching whether the ensemble's request has a batch dimension.
 */
export function wantedOutputs({ outputs: wanted }: Route, flow: Flow, batching: boolean): ResponseContent {
  const outputs: Record<string, Tensor> = {}
  let parameters: ResponseContent['parameters']
  for (const { name, tensor: number, dims } of wanted) {
    const tensor = flow.tensor(number)
    if (tensor === null) continue
    const { mark, batchSize } = flow.source(number)
    outputs[name] = adaptBatch(tensor, batchSize, batching, dims)
    if (mark !== undefined) parameters = parametersOf(mark)
    flow.taken(number)
  }
  return { outputs, parameters }
}
