import { expect, test } from 'vitest'
import { started } from '../fixtures/server-rig.ts'
import { type Logger, silentLogger } from '../util/logger.ts'
import { openServerLog } from './open-server-log.ts'

const broken = (): never => {
  throw new Error('disk full')
}
const brokenLogger: Logger = { debug: broken, info: broken, warn: broken, error: broken }

test('everything is passed on to the logger of the application, with its own this', () => {
  const seen: unknown[] = []
  const logger = {
    ...silentLogger,
    name: 'mine',
    warn(fields: object, message: string) {
      seen.push([this.name, fields, message])
    },
  }
  openServerLog(logger, undefined).warn({ model: 'm' }, 'look')
  expect(seen).toEqual([['mine', { model: 'm' }, 'look']])
})

test('a logger that throws costs no request', async () => {
  const batching = 'dynamic_batching {} parameters { key: "TRITON_BATCH_STRATEGY_PATH" value { string_value: "x" } }'
  const config = `
    backend: "identity" max_batch_size: 4 ${batching}
    input { name: "IN" data_type: TYPE_FP32 dims: 1 }
    output { name: "OUT" data_type: TYPE_FP32 dims: 1 }`
  const server = await started({ 'm/config.pbtxt': config, 'm/1/': '' }, { logger: brokenLogger })
  // More than the batches after which single requests are warned of.
  for (let n = 0; n < 300; n++) {
    const { OUT } = await server.infer('m', { IN: [[n]] })
    expect(OUT?.data[0]).toBe(n)
  }
})
