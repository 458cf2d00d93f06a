import type { RepositoryFiles } from '@triton-ts/testing'

const waiting = (instances: number): string => `
  import { setTimeout } from 'node:timers/promises'
  export default {
    config: {
      maxBatchSize: 1,
      instanceGroup: [{ count: ${instances} }],
      input: [{ name: 'DELAY', dataType: 'TYPE_INT32', dims: [1] }],
      output: [{ name: 'OUT', dataType: 'TYPE_INT32', dims: [1] }],
      dynamicBatching: { defaultQueuePolicy: { defaultTimeoutMicroseconds: 60_000_000, allowTimeoutOverride: true } },
    },
    async infer({ inputs, signal }) {
      await setTimeout(inputs.DELAY.data[0], undefined, { signal })
      return { OUT: [[inputs.DELAY.data[0]]] }
    },
  }`

/**
 * Models whose requests take as long as they say, in milliseconds, and end when they are cancelled: `slow` runs several at
 * a time, `narrow` one. `repeat` answers COUNT times, each after DELAY milliseconds, and fails when
 * COUNT is negative.
 */
export const clientModels: RepositoryFiles = {
  'slow/1/model.mjs': waiting(8),
  'narrow/1/model.mjs': waiting(1),
  'repeat/1/model.mjs': `
    import { setTimeout } from 'node:timers/promises'
    export default {
      config: {
        instanceGroup: [{ count: 4 }],
        modelTransactionPolicy: { decoupled: true },
        input: [
          { name: 'COUNT', dataType: 'TYPE_INT32', dims: [1] },
          { name: 'DELAY', dataType: 'TYPE_INT32', dims: [1] },
        ],
        output: [{ name: 'INDEX', dataType: 'TYPE_INT32', dims: [1] }],
      },
      async *infer({ inputs, signal }) {
        if (inputs.COUNT.data[0] < 0) throw new Error('COUNT must not be negative')
        for (let index = 0; index < inputs.COUNT.data[0]; index++) {
          await setTimeout(inputs.DELAY.data[0], undefined, { signal })
          yield { INDEX: [index] }
        }
      },
    }`,
}
