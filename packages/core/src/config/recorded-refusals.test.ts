import { describe, expect, test } from 'vitest'
import { completeBackendFields } from './backend-fields.ts'
import type { ConfigProblem } from './config-error.ts'
import { normalizeModelConfig } from './normalize.ts'
import { normalizeInstanceGroups } from './normalize-instance-groups.ts'
import { parseModelConfig } from './parse-pbtxt.ts'
import { validateInstanceGroups, validateModelConfig, validateModelIo } from './validate.ts'

const tensor = (name: string, more = '') => `{ name: "${name}" data_type: TYPE_INT32 dims: [ 16 ] ${more} }`

const base = `
  platform: "onnxruntime_onnx" max_batch_size: 8
  input [ ${tensor('INPUT0')}, ${tensor('INPUT1')} ] output [ ${tensor('OUTPUT0')}, ${tensor('OUTPUT1')} ]`

/** The first problem that a server on a machine without GPUs finds in the configuration of model `m`. */
function firstProblem(text: string): string | undefined {
  const source = completeBackendFields(parseModelConfig(text).config, { modelName: 'm', files: [] })
  const config = normalizeInstanceGroups(normalizeModelConfig(source), { gpus: [] })
  const checks: (readonly ConfigProblem[])[] = [
    validateModelConfig(config),
    validateInstanceGroups(config, { gpus: [] }),
    validateModelIo(config),
  ]
  return checks.flat()[0]?.message
}

/** Configurations of the recorded repository that Triton refuses, with the texts that it gives. */
describe('what Triton refuses is refused with its text', () => {
  test.each([
    [
      'a GPU that is not there',
      `${base} instance_group [ { kind: KIND_GPU count: 1 gpus: [ 0 ] } ]`,
      'instance group m_0 of model m specifies invalid or unsupported gpu id 0. GPUs with at least the minimum required ' +
        'CUDA compute compatibility of 6.000000 are: ',
    ],
    [
      'a reshape of another size',
      `${base} input ${tensor('INPUT2', 'reshape { shape: [ 5 ] }')}`,
      "model input 'INPUT2' has different size for dims and reshape for m",
    ],
    [
      'a dimension of 0',
      `${base} input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 0 ] }`,
      "model input 'INPUT0' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for m",
    ],
    [
      'a negative batch size',
      'platform: "onnxruntime_onnx" max_batch_size: -1',
      "'max_batch_size' must be non-negative value for m",
    ],
    [
      'a preferred batch beyond the greatest',
      `${base} dynamic_batching { preferred_batch_size: [ 16 ] }`,
      'dynamic batching preferred size must be <= max batch size for m',
    ],
    [
      'ordering across priorities',
      `${base} dynamic_batching { preserve_ordering: true priority_levels: 2 default_priority_level: 1 }`,
      "Only one priority level is allowed when 'preserve_ordering' is true for m",
    ],
    [
      'a default priority that is no level',
      `${base} dynamic_batching { priority_levels: 2 default_priority_level: 5 }`,
      'default priority level must be in range [1, 2] for m',
    ],
    [
      'a sequence control without values',
      `${base} sequence_batching { control_input [ { name: "S" control [ { kind: CONTROL_SEQUENCE_START } ] } ] }`,
      "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for " +
        'CONTROL_SEQUENCE_START for m',
    ],
    [
      'an ensemble whose input goes nowhere',
      `platform: "ensemble" input ${tensor('A')} output ${tensor('Z')} ensemble_scheduling { step [ { model_name: "x"
       model_version: -1 input_map { key: "INPUT0" value: "q" } output_map { key: "OUTPUT0" value: "Z" } } ] }`,
      "ensemble input 'A' for ensemble m' is not used",
    ],
  ])('%s', (_, text, message) => {
    expect(firstProblem(text)).toBe(message)
  })

  test.each([
    ['a negative instance count', `${base} instance_group [ { kind: KIND_CPU count: -2 } ]`],
    ['two inputs of the same name', `${base} input ${tensor('INPUT0')}`],
  ])('%s is accepted', (_, text) => {
    expect(firstProblem(text)).toBeUndefined()
  })
})
