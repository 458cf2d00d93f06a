import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { mergeAutoCompleted } from './auto-complete.ts'
import { modelConfigFromObject } from './json.ts'

const { input, output, ...completed } = modelConfigFromObject({
  dynamicBatching: {},
  input: [{ name: 'x', dataType: 'TYPE_FP32', dims: [1] }],
  output: [{ name: 'y', dataType: 'TYPE_FP32', dims: [1] }],
})
const batching = { ...(completed.dynamicBatching && { dynamicBatching: completed.dynamicBatching }) }

describe('mergeAutoCompleted', () => {
  test('takes over what the backend read, and normalises it', () => {
    const config = modelConfigFromObject({ name: 'm', backend: 'b', parameters: { k: { stringValue: 'v' } } })
    const merged = mergeAutoCompleted(config, {
      maxBatchSize: 4,
      input,
      output,
      ...batching,
      modelTransactionPolicy: { decoupled: true },
    })
    expect(merged).toMatchObject({
      name: 'm',
      maxBatchSize: 4,
      input,
      output,
      dynamicBatching: { preferredBatchSize: [4] },
      modelTransactionPolicy: { decoupled: true },
      versionPolicy: { latest: { numVersions: 1 } },
      parameters: { k: { stringValue: 'v' } },
    })
  })

  test('leaves the rest', () => {
    const config = modelConfigFromObject({ name: 'm', maxBatchSize: 8, input, versionPolicy: { all: {} } })
    expect(mergeAutoCompleted(config, {})).toMatchObject({ maxBatchSize: 8, input, versionPolicy: { all: {} } })
  })

  test('keeps the scheduler of the configuration', () => {
    const config = modelConfigFromObject({ maxBatchSize: 8, dynamicBatching: { maxQueueDelayMicroseconds: 7 } })
    expect(mergeAutoCompleted(config, batching).dynamicBatching).toMatchObject({ maxQueueDelayMicroseconds: 7 })
    expect(mergeAutoCompleted(config, {}).dynamicBatching).toMatchObject({ maxQueueDelayMicroseconds: 7 })
  })

  test('refuses another scheduler', () => {
    for (const [choice, number] of [
      ['sequenceBatching', 13],
      ['ensembleScheduling', 15],
    ] as const) {
      expect(() => mergeAutoCompleted(modelConfigFromObject({ [choice]: {} }), batching)).toThrow(
        new TritonError(
          'INTERNAL',
          `Cannot update scheduling choice from ${number} to ${number} when auto-completing.`,
        ),
      )
    }
  })
})
