import type { BatchInput, BatchOutput, ModelConfig } from '../model-config.ts'
import { isEnum, type MessageSchema } from '../schema/field.ts'
import { batchInput, batchOutput } from '../schema/tensors.ts'
import type { ProblemList } from './problem-list.ts'

/** Inputs that the server generates for a batch, and outputs that it scatters by an input's shape. */
export function checkBatchIo(list: ProblemList, config: ModelConfig): void {
  const inputs = new Set(config.input.map(({ name }) => name))
  const outputs = new Set(config.output.map(({ name }) => name))
  const suffix = ` for ${config.name}`
  for (const [index, input] of config.batchInput.entries()) {
    const path = `batch_input[${index}]`
    checkKind(list, 'input', input, batchInput, path, suffix)
    const isAllowed = input.dataType === 'TYPE_INT32' || input.dataType === 'TYPE_FP32'
    list.require(isAllowed, `${path}.data_type`, `batch input data type must be TYPE_INT32 or TYPE_FP32${suffix}`)
    checkSources(list, input, inputs, path, suffix)
  }
  for (const [index, output] of config.batchOutput.entries()) {
    const path = `batch_output[${index}]`
    checkKind(list, 'output', output, batchOutput, path, suffix)
    checkSources(list, output, inputs, path, suffix)
    checkTargets(list, output, outputs, `${path}.target_name`, suffix)
  }
}

function checkKind(
  list: ProblemList,
  side: 'input' | 'output',
  { kind, sourceInput }: BatchInput | BatchOutput,
  schema: MessageSchema,
  path: string,
  suffix: string,
): void {
  const type = schema.byName.get('kind')!.type
  if (!isEnum(type) || !type.values.has(kind)) list.add(`${path}.kind`, `unknown batch ${side} kind '${kind}'${suffix}`)
  else if (sourceInput.length !== 1) {
    const message = `batch ${side} kind '${kind}' expects 1 source input, got ${sourceInput.length}${suffix}`
    list.add(`${path}.source_input`, message)
  }
}

function checkSources(
  list: ProblemList,
  { sourceInput }: BatchInput | BatchOutput,
  inputs: ReadonlySet<string>,
  path: string,
  suffix: string,
): void {
  for (const source of sourceInput) {
    list.require(inputs.has(source), `${path}.source_input`, `unknown source input name '${source}'${suffix}`)
  }
}

function checkTargets(
  list: ProblemList,
  { targetName }: BatchOutput,
  outputs: ReadonlySet<string>,
  path: string,
  suffix: string,
): void {
  const seen = new Set<string>()
  for (const target of targetName) {
    list.require(outputs.has(target), path, `unknown target output name '${target}'${suffix}`)
    list.require(!seen.has(target), path, `target output name '${target}' can only be specified once${suffix}`)
    seen.add(target)
  }
}
