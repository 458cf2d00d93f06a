import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { Tensor } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'
import { type OutputPart, outputParts, stateParts } from './output-parts.ts'

/** What is known of the answer to one request. */
interface Answer {
  readonly request: ExecutionRequest
  readonly outputs: Record<string, Tensor>
  readonly states: Record<string, Tensor>
  error: TritonError | undefined
}

/**
 * Answers every request of a batch with its part of the model's outputs. Each output is cut along the batch dimension,
 * and one with `batch_output` by the shapes of its source input; a request gets those that it asked for. Outputs that
 * are states of a sequence go there. Without batching the one request gets everything as it is.
 *
 * Elements beyond those of the batch are left out. Where an output has too few, the requests that lack theirs fail with
 * UNSUPPORTED and the others are answered, as in Triton. The sequence of a request that fails keeps the state that it has.
 */
export function answerBatch(
  config: ModelConfig,
  requests: readonly ExecutionRequest[],
  outputs: Readonly<Record<string, Tensor>>,
): void {
  const answers = requests.map((request): Answer => ({ request, outputs: {}, states: {}, error: undefined }))
  for (const [name, output] of Object.entries(outputs)) {
    const parts = outputParts(config, requests, name, output)
    addParts(answers, name, parts, ({ request, outputs }) =>
      request.requestedOutputs.includes(name) ? outputs : undefined,
    )
  }
  for (const { outputName } of config.sequenceBatching?.state ?? []) {
    const output = outputs[outputName]
    if (output === undefined) continue
    addParts(answers, outputName, stateParts(config, requests, outputName, output), ({ states }) => states)
  }
  for (const answer of answers) send(answer)
}

/** @param placeOf where a request gets its part; undefined: it does not want it. */
function addParts(
  answers: readonly Answer[],
  name: string,
  parts: readonly OutputPart[],
  placeOf: (answer: Answer) => Record<string, Tensor> | undefined,
): void {
  for (const [i, answer] of answers.entries()) {
    const place = placeOf(answer)
    if (place === undefined) continue
    const part = parts[i] as OutputPart
    if (part instanceof TritonError) answer.error ??= part
    else place[name] = part
  }
}

function send({ request, outputs, states, error }: Answer): void {
  if (error !== undefined) {
    request.fail(error)
    return
  }
  for (const name in states) request.updateState(name, states[name] as Tensor)
  request.respond({ outputs })
}
