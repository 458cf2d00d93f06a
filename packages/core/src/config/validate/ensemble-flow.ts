import type { EnsembleStep, ModelConfig } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

interface FlowStep {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

/** Checks that data flows from the ensemble's inputs through its steps to its outputs, and that no tensor is left. */
export function checkEnsembleFlow(list: ProblemList, config: ModelConfig, steps: readonly EnsembleStep[]): void {
  const flow = steps.map(({ inputMap, outputMap }): FlowStep => {
    return { inputs: Object.values(inputMap), outputs: Object.values(outputMap) }
  })
  const tensors = new Set(flow.flatMap(({ inputs, outputs }) => [...outputs, ...inputs]))
  const before = list.problems.length
  for (const [index, { name }] of config.input.entries()) {
    const message = `ensemble input '${name}' for ensemble ${config.name}' is not used`
    list.require(tensors.has(name), `input[${index}].name`, message)
  }
  const ready = readyTensors(
    config.input.map(({ name }) => name),
    flow,
  )
  for (const [index, { name }] of config.output.entries()) {
    const path = `output[${index}].name`
    const unused = `ensemble output '${name}' for ensemble ${config.name}' is not used`
    if (!list.require(tensors.has(name), path, unused)) continue
    if (!ready.has(name)) list.add(path, notWrittenText(config.name, name, flow, ready))
  }
  if (list.problems.length > before) return
  const consumed = new Set([...config.output.map(({ name }) => name), ...flow.flatMap(({ inputs }) => inputs)])
  for (const tensor of tensors) {
    const message = `ensemble tensor '${tensor}' is unused in ensemble '${config.name}'`
    list.require(ready.has(tensor) && consumed.has(tensor), 'ensemble_scheduling.step', message)
  }
}

/** The tensors that exist once every step has run whose inputs exist. */
function readyTensors(inputs: readonly string[], flow: readonly FlowStep[]): ReadonlySet<string> {
  const waiting = flow.map((step) => new Set(step.inputs).size)
  const consumers = new Map<string, number[]>()
  for (const [index, step] of flow.entries()) {
    for (const input of new Set(step.inputs)) {
      const indices = consumers.get(input)
      if (indices) indices.push(index)
      else consumers.set(input, [index])
    }
  }
  const ready = new Set(inputs)
  for (const tensor of ready) {
    for (const index of consumers.get(tensor) ?? []) {
      waiting[index]!--
      if (waiting[index] === 0) for (const output of flow[index]!.outputs) ready.add(output)
    }
  }
  return ready
}

/** Follows an output that is never written back to the tensor that is missing. */
function notWrittenText(
  ensemble: string,
  output: string,
  flow: readonly FlowStep[],
  ready: ReadonlySet<string>,
): string {
  const seen = new Set<string>()
  let culprit = output
  for (;;) {
    const producer = flow.find(({ outputs }) => outputs.includes(culprit))
    const missing = producer?.inputs.find((input) => !ready.has(input) && !seen.has(input))
    if (missing === undefined) break
    seen.add(missing)
    culprit = missing
  }
  const text = `output '${output}' for ensemble '${ensemble}' is not written`
  if (culprit === output) return text
  return `${text}: at least one of its depending tensors, '${culprit}', is not connected`
}
