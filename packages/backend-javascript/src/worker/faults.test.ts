import { TritonError } from '@triton-ts/core'
import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { input, startedWith } from '../fixtures/rig.ts'

/** Answers with its input, and does what the first value says before. */
const model = (misdeed: string): string => `
  export default { async infer({ inputs }, context) {
    const { logger } = context
    if (inputs.IN.data[0] === 0) { ${misdeed} }
    return { OUT: inputs.IN }
  } }`

/** What a request for a misdeed hears; afterwards the worker is another one and serves. */
async function after(misdeed: string, more: object = {}): Promise<TritonError> {
  const { server, log } = await startedWith('worker', model(misdeed), more)
  const error = await server.infer('m', input(0)).catch((thrown: unknown) => thrown)
  await log.line("restarting the worker of instance 'm_0'")
  await eventually(async () => expect((await server.infer('m', input(1))).OUT?.data[0]).toBe(1))
  return error as TritonError
}

/** Tries until it succeeds, as long as the test may take. */
async function eventually(attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TritonError && error.code === 'UNAVAILABLE')) throw error
      await new Promise(setImmediate)
    }
  }
}

describe('a worker that ends fails only its requests and is restarted', () => {
  test('by process.exit', async () => {
    expect(await after('process.exit(3)')).toMatchObject({
      code: 'INTERNAL',
      message: "the worker of model 'm' ended with exit code 3 while it ran requests",
    })
  })

  test('by an exception that nobody catches', async () => {
    const { message } = await after(
      'setImmediate(() => {\n throw new RangeError("outside")\n}); await new Promise(() => {})',
    )
    expect(message).toMatch(
      /^the worker of model 'm' ended while it ran requests: model 'm': RangeError: outside \(1\/model\.ts:5:/,
    )
  })

  test('by a rejection that nobody handles', async () => {
    const { message } = await after('void Promise.reject(new Error("unhandled")); await new Promise(() => {})')
    expect(message).toContain("ended while it ran requests: model 'm': Error: unhandled")
  })

  test('by too much memory', async () => {
    const { message } = await after('const kept = []; for (;;) kept.push(new Array(1e5).fill({}))', {
      parameters: { MAX_HEAP_MB: { stringValue: '32' } },
    })
    expect(message).toMatch(/memory/)
  })
})

test('requests that waited behind a crash are served by the next worker', async () => {
  const { server } = await startedWith('worker', model('process.exit(3)'))
  const crashed = server.infer('m', input(0)).catch((error: unknown) => error)
  const queued = Promise.all([1, 2, 3].map((value) => server.infer('m', input(value))))
  expect(await crashed).toMatchObject({ code: 'INTERNAL' })
  expect((await queued).map(({ OUT }) => OUT?.data[0])).toEqual([1, 2, 3])
})

test('they do not wait for ever for one that does not come up', async () => {
  const clock = virtualClock()
  const { server, log } = await startedWith(
    'worker',
    `import { existsSync, writeFileSync } from 'node:fs'
    export default {
      initialize({ directory, logger }) {
        if (!existsSync(directory + '/again')) return writeFileSync(directory + '/again', '')
        logger.info({}, 'hanging')
        return new Promise(() => {})
      },
      infer() { process.exit(3) },
    }`,
    {},
    {},
    { clock },
  )
  await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'INTERNAL' })
  const waiting = server.infer('m', input()).catch((error: unknown) => error)
  clock.advance(0)
  await log.line('hanging')
  clock.advance(5000)
  expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' })
})

describe('a worker that is in a loop without end', () => {
  const loop = "logger.info({}, 'looping'); await new Promise(setImmediate); for (;;) {}"

  test('is ended when its time is up', async () => {
    const clock = virtualClock()
    const { server, log } = await startedWith(
      'worker',
      model(loop),
      { parameters: { EXECUTE_TIMEOUT_SECONDS: { stringValue: '2' } } },
      {},
      { clock },
    )
    const asked = server.infer('m', input(0)).catch((error: unknown) => error)
    await log.line('looping')
    clock.advance(2000)
    expect(await asked).toMatchObject({
      code: 'UNAVAILABLE',
      message: "model 'm' did not answer within 2 s, its worker is restarted",
    })
    await log.line('its worker is restarted')
  })

  test('answers a caller that gives up, and is ended when nobody waits any more', async () => {
    const clock = virtualClock()
    const { server, log } = await startedWith('worker', model(loop), {}, {}, { clock })
    const controller = new AbortController()
    const asked = server.infer('m', input(0), { signal: controller.signal }).catch((error: unknown) => error)
    await log.line('looping')
    controller.abort()
    expect(await asked).toMatchObject({ code: 'CANCELLED' })
    clock.advance(10_000)
    await log.line("model 'm' went on with requests 10 s after they were cancelled")
  })

  test('is not ended when others were cancelled meanwhile, which it ends', async () => {
    const clock = virtualClock()
    const waiting = `
      export default { async infer({ inputs, signal }, { logger }) {
        if (inputs.IN.data[0] === 1) return { OUT: inputs.IN }
        logger.info({}, 'waiting ' + inputs.IN.data[0])
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      } }`
    const { server, log } = await startedWith('worker', waiting, {}, {}, { clock })
    const cancelled = async (value: number): Promise<void> => {
      const controller = new AbortController()
      const asked = server.infer('m', input(value), { signal: controller.signal }).catch((error: unknown) => error)
      await log.line(`waiting ${value}`)
      controller.abort()
      if (value === 3) clock.advance(10_000)
      expect(await asked).toMatchObject({ code: 'CANCELLED' })
    }
    await cancelled(2)
    await cancelled(3)
    expect((await server.infer('m', input(1))).OUT?.data[0]).toBe(1)
    expect(log.lines.filter((line) => line.includes('restart'))).toEqual([])
  })

  test('does not hold the end of the Server', async () => {
    const clock = virtualClock()
    const { server, log } = await startedWith('worker', model(loop), {}, { exitTimeout: 0 }, { clock })
    const asked = server.infer('m', input(0)).catch((error: unknown) => error)
    await log.line('looping')
    await expect(server.stop()).rejects.toThrow('Exit timeout expired')
    expect(await asked).toMatchObject({ code: 'UNAVAILABLE' })
    clock.advance(10_000)
    await log.line("successfully unloaded 'm' version 1")
  })
})

test('a load that is given up ends a worker that never comes up', async () => {
  const { server, log, repository } = await startedWith('worker', model(''), {}, { modelControl: 'explicit' })
  await repository.write({
    'm/1/model.ts': `export default {
      initialize({ logger }) {
        logger.info({}, 'initializing')
        return new Promise(() => {})
      },
      infer() {},
    }`,
  })
  const controller = new AbortController()
  const loading = server.load('m', { signal: controller.signal }).catch((error: unknown) => error)
  await log.line('initializing')
  controller.abort()
  expect(await loading).toBeInstanceOf(TritonError)
})

test('a finalize without end is given up', async () => {
  const clock = virtualClock()
  const { server, log } = await startedWith(
    'worker',
    "export default { infer() {}, finalize({ logger }) { logger.info({}, 'finalizing'); return new Promise(() => {}) } }",
    {},
    {},
    { clock },
  )
  const stopped = server.stop()
  await log.line('finalizing')
  clock.advance(10_000)
  await stopped
  expect(log.lines).toContain("'finalize' of model 'm' is not through after 10 s")
})

test('what a worker prints is logged', async () => {
  const { server, log } = await startedWith(
    'worker',
    model("console.log('to %s', 'standard output'); console.error('to error')"),
  )
  await server.infer('m', input(0))
  await log.line('to standard output')
  await log.line('to error')
})

test('a thrown error reaches the log with the place in TypeScript', async () => {
  const { server, log } = await startedWith('worker', model("throw new Error('here')"))
  await expect(server.infer('m', input(0))).rejects.toThrow("model 'm': Error: here (1/model.ts:4:")
  await log.line('Error: here (1/model.ts:4:')
})

test('memory of the caller stays as it is, also what the model answers with', async () => {
  const { server } = await startedWith(
    'worker',
    'const kept = new Float32Array([5, 6]); export default { infer({ inputs }) { kept[0] = inputs.IN.data[0]; inputs.IN.data[0] = 9; return { OUT: kept } } }',
  )
  const mine = input(1, 2)
  for (const value of [1, 3]) {
    mine.IN[0] = value
    expect((await server.infer('m', mine)).OUT?.data).toEqual(new Float32Array([value, 6]))
    expect(mine.IN[0]).toBe(value)
  }
})

test.each([
  [
    { EXECUTE_IN: { stringValue: 'process' } },
    "parameter 'EXECUTE_IN' of model 'm' must be 'worker' or 'inline', got 'process'",
  ],
  [{ MAX_HEAP_MB: { stringValue: 'x' } }, "parameter 'MAX_HEAP_MB' of model 'm' must be above 0, got 'x'"],
])('wrong parameters %o', async (parameters, text) => {
  await expect(startedWith('worker', model(''), { parameters })).rejects.toThrow(text)
})
