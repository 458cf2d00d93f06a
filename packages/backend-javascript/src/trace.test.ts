import { traceLog } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input, places, started } from './fixtures/rig.ts'

const context = '{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}'

test.each(places)(
  'a model in %s gets the context of the trace, and what it asks of others belongs to it',
  async (place) => {
    const exporter = traceLog(context)
    const files = {
      'm/config.pbtxt': config(place),
      'm/1/model.js': `export default {
      async infer({ traceContext, inputs }, { infer, logger }) {
        logger.info({}, 'context ' + traceContext)
        return infer('n', { IN: inputs.IN })
      }
    }`,
      'n/config.pbtxt': config(place),
      'n/1/model.js': 'export default { infer: ({ inputs }) => ({ OUT: inputs.IN }) }',
    }
    const lines: string[] = []
    const print = (_: object, text: string): number => lines.push(text)
    const logger = { debug: print, info: print, warn: print, error: print }
    const { server } = await started(files, { logger, trace: { level: ['TIMESTAMPS'], rate: 1, exporter } })
    expect((await server.infer('m', input(1, 2))).OUT?.data).toEqual(new Float32Array([1, 2]))
    expect(lines).toContain(`context ${context}`)
    const [m] = exporter.requests
    expect(exporter.requests.map(({ modelName, parentId }) => [modelName, parentId])).toEqual([
      ['m', 0n],
      ['n', m?.id],
    ])
  },
)
