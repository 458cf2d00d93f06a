import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mergeAutoCompleted } from './auto-complete.ts'
import { completeBackendFields, type VersionFile } from './backend-fields.ts'
import { modelConfigFromJson, modelConfigFromObject } from './json.ts'
import type { ModelConfigInput } from './model-config.ts'
import { normalizeModelConfig } from './normalize.ts'
import { normalizeInstanceGroups } from './normalize-instance-groups.ts'
import { parseModelConfig } from './parse-pbtxt.ts'
import { modelConfigToJson } from './to-json.ts'
import { validateInstanceGroups, validateModelConfig, validateModelIo } from './validate.ts'

/** What Triton answered to `GET .../config` for a model, with what its directory held. */
interface Recorded {
  readonly id: string
  readonly model: string
  readonly pbtxt?: string
  readonly json?: string
  readonly files: readonly VersionFile[]
  readonly expected: ModelConfigInput & Record<string, unknown>
}

const lines = readFileSync(new URL('fixtures/recorded-configs.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const recorded = lines.map((line) => JSON.parse(line) as Recorded)

describe('the configuration is what Triton answers', () => {
  test.each(recorded)('$id', ({ model, pbtxt, json, files, expected }) => {
    const source = json === undefined ? parseModelConfig(pbtxt ?? '').config : modelConfigFromJson(json)
    const backend = modelConfigFromObject(expected)
    const normalized = normalizeModelConfig(completeBackendFields(source, { modelName: model, files }))
    expect(validateModelConfig(normalized)).toEqual([])
    const grouped = normalizeInstanceGroups(normalized, { gpus: [] })
    const { maxBatchSize, input, output, dynamicBatching, modelTransactionPolicy } = backend
    const completed = mergeAutoCompleted(grouped, {
      maxBatchSize,
      input,
      output,
      ...(dynamicBatching && { dynamicBatching: { ...dynamicBatching, preferredBatchSize: [] } }),
      ...(modelTransactionPolicy && { modelTransactionPolicy }),
    })
    expect([...validateModelIo(completed), ...validateModelConfig(completed)]).toEqual([])
    expect(validateInstanceGroups(completed, { gpus: [] })).toEqual([])
    expect(modelConfigToJson(completed)).toEqual(expected)
    expect(Object.keys(modelConfigToJson(completed))).toEqual(Object.keys(expected))
  })
})
