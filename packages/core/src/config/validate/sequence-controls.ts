import type { SequenceBatching, SequenceControl } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

type ControlKind = SequenceControl['kind']
type ControlInputs = SequenceBatching['controlInput']

const correlationIdTypes = ['TYPE_UINT64', 'TYPE_INT64', 'TYPE_UINT32', 'TYPE_INT32', 'TYPE_STRING']

/** Triton goes over all control inputs once for each kind of control, in this order. */
export function checkSequenceControls(list: ProblemList, model: string, inputs: ControlInputs): void {
  for (const kind of ['CONTROL_SEQUENCE_START', 'CONTROL_SEQUENCE_END', 'CONTROL_SEQUENCE_READY'] as const) {
    forEachControl(list, model, inputs, kind, (control, path) => checkFalseTrue(list, model, control, path))
  }
  const kind = 'CONTROL_SEQUENCE_CORRID'
  forEachControl(list, model, inputs, kind, (control, path) => checkCorrelationId(list, model, control, path))
}

/** Runs `check` for every control of that kind and reports what is wrong with the inputs on the way. */
function forEachControl(
  list: ProblemList,
  model: string,
  inputs: ControlInputs,
  kind: ControlKind,
  check: (control: SequenceControl, path: string) => void,
): void {
  const names = new Set<string>()
  let isFirst = true
  for (const [index, { name, control: controls }] of inputs.entries()) {
    const path = `sequence_batching.control_input[${index}]`
    const repeated = `sequence batching control tensor '${name}' is specified for multiple control kinds for ${model}`
    if (list.require(name !== '', path, `sequence batching control tensor must have a name for ${model}`)) {
      list.require(!names.has(name), path, repeated)
    }
    names.add(name)
    for (const [controlIndex, control] of controls.entries()) {
      if (control.kind !== kind) continue
      const controlPath = `${path}.control[${controlIndex}]`
      list.require(isFirst, controlPath, `sequence batching specifies multiple ${kind} tensors for ${model}`)
      isFirst = false
      check(control, controlPath)
    }
  }
}

function checkFalseTrue(list: ProblemList, model: string, control: SequenceControl, path: string): void {
  const given = falseTrueLists(control)
  const [first, second] = given
  const suffix = `for ${control.kind} for ${model}`
  if (!first) {
    const choices = "'int32_false_true', 'fp32_false_true' or 'bool_false_true'"
    list.add(path, `sequence batching must specify either ${choices} ${suffix}`)
  } else if (second) {
    const choices = "'int32_false_true', 'fp32_false_true' and 'bool_false_true'"
    list.add(path, `sequence batching specifies more than one from ${choices} ${suffix}`)
  } else if (first.length !== 2) {
    list.add(path, `sequence batching control '${first.name}' must have exactly 2 entries ${suffix}`)
  }
}

function checkCorrelationId(list: ProblemList, model: string, control: SequenceControl, path: string): void {
  if (falseTrueLists(control).length > 0) {
    const choices = "'int32_false_true', 'fp32_false_true' or 'bool_false_true'"
    list.add(path, `sequence batching must not specify either ${choices} for ${control.kind} for ${model}`)
  }
  const message =
    `unexpected data type for control ${control.kind} for ${model}. Allowed data types are ` +
    'TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING'
  list.require(correlationIdTypes.includes(control.dataType), `${path}.data_type`, message)
}

/** The lists of a false and a true value that the control has. */
function falseTrueLists({ int32FalseTrue, fp32FalseTrue, boolFalseTrue }: SequenceControl) {
  return [
    { name: 'int32_false_true', length: int32FalseTrue.length },
    { name: 'fp32_false_true', length: fp32FalseTrue.length },
    { name: 'bool_false_true', length: boolFalseTrue.length },
  ].filter(({ length }) => length > 0)
}
