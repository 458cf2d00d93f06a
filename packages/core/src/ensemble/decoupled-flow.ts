import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { TensorMention } from './check-step-tensors.ts'

/**
 * Whether a request of the ensemble may have any number of responses, because a step is decoupled. Every response of a
 * decoupled step begins a flow of its own, and tensors of different flows cannot meet.
 * @param mentions every tensor as it is mentioned first.
 * @throws TritonError INVALID_ARG where they would meet in a step or in the ensemble's outputs.
 */
export function isDecoupledFlow(
  ensemble: ModelConfig,
  models: ReadonlyMap<string, ModelConfig>,
  mentions: ReadonlyMap<string, TensorMention>,
): boolean {
  const flows = new Map(ensemble.input.map(({ name }) => [name, 0]))
  let count = 0
  const expectOneFlow = (tensors: readonly string[], model: string): void => {
    const flow = flows.get(tensors[0] as string)
    if (tensors.every((tensor) => flows.get(tensor) === flow)) return
    throw new TritonError(
      'INVALID_ARG',
      `in ensemble ${ensemble.name}, step of model '${model}' receives inputs originated from different decoupled models`,
    )
  }
  let waiting = ensemble.ensembleScheduling?.step ?? []
  for (let before = -1; waiting.length !== before; ) {
    before = waiting.length
    waiting = waiting.filter(({ modelName, inputMap, outputMap }) => {
      const inputs = Object.values(inputMap)
      if (!inputs.every((tensor) => flows.has(tensor))) return true
      const outputs = Object.values(outputMap)
      // Triton names the model that mentions the step's output first, which may be the ensemble.
      expectOneFlow(inputs, mentions.get(outputs[0] as string)?.model ?? modelName)
      const isDecoupled = models.get(modelName)?.modelTransactionPolicy?.decoupled ?? false
      const flow = isDecoupled ? ++count : (flows.get(inputs[0] as string) as number)
      for (const tensor of outputs) flows.set(tensor, flow)
      return false
    })
  }
  expectOneFlow(
    ensemble.output.map(({ name }) => name),
    ensemble.name,
  )
  return count > 0
}
