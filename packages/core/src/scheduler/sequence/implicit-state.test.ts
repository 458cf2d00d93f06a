import { virtualClock } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import type { Backend, ExecutionRequest } from '../../backend/backend.ts'
import { started } from '../../fixtures/server-rig.ts'
import type { InferOptions } from '../../request/infer-options.ts'
import { type Tensor, tensor } from '../../request/tensor.ts'
import type { ServerOptions } from '../../server-options.ts'
import { stepBackend } from './fixtures/step-backend.ts'

const int32 = (...values: number[]): Tensor => tensor('INT32', [1, values.length], Int32Array.from(values))
const numbers = (tensor: Tensor | undefined): number[] => [...((tensor?.data ?? []) as Int32Array)]
const bytes = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer)

const stateOf = (more: string): string => `state { input_name: "SUM" output_name: "SUM_OUT" ${more} }`
const sumState = stateOf('data_type: TYPE_INT32 dims: 1')
const startControl = 'control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] } }'

/** Outputs the sum of its inputs, which it keeps as state. */
function sum(request: ExecutionRequest): void {
  const total = int32((numbers(request.inputs.get('SUM'))[0] ?? 0) + (numbers(request.inputs.get('X'))[0] ?? 0))
  request.updateState('SUM_OUT', total)
  const both = { Y: total, SUM_OUT: total }
  const outputs = Object.fromEntries(Object.entries(both).filter(([name]) => request.requestedOutputs.includes(name)))
  request.respond({ outputs })
}

interface ModelOptions {
  readonly step?: (request: ExecutionRequest) => void
  readonly states?: string
  readonly sequences?: string
  readonly more?: string
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly options?: ServerOptions
}

/** A server with one model; the function sends it a number, or several, in sequence 1. */
async function model(given: ModelOptions = {}) {
  const { step = sum, states = sumState, sequences = startControl, more = '', files, options } = given
  const config = `backend: "step" max_batch_size: 4 ${more}
    sequence_batching { ${sequences} ${states} }
    input { name: "X" data_type: TYPE_INT32 dims: -1 }
    output { name: "Y" data_type: TYPE_INT32 dims: -1 }
    instance_group { kind: KIND_CPU count: 1 }`
  const server = await started(
    { 'm/config.pbtxt': config, 'm/1/': '', ...files },
    { backends: [stepBackend(step)], exitTimeout: 0, ...options },
  )
  const send = async (values: number | number[], options: InferOptions = {}): Promise<Record<string, Tensor>> =>
    server.infer('m', { X: int32(...[values].flat()) }, { correlationId: 1, ...options })
  return { server, send, y: async (...request: Parameters<typeof send>) => numbers((await send(...request)).Y) }
}

const first = { sequenceStart: true }
const last = { sequenceEnd: true }

describe.each(['direct { }', 'oldest { }'])('%s', (strategy) => {
  const sequences = `${strategy} ${startControl}`

  test('a model accumulates over a sequence and starts anew with the next', async () => {
    const { y } = await model({ sequences })
    expect([await y(10, first), await y(5), await y(2, last)]).toEqual([[10], [15], [17]])
    expect([await y(1, { ...first, ...last })]).toEqual([[1]])
  })

  test('START on a live sequence resets the state', async () => {
    const { y } = await model({ sequences })
    expect([await y(1, first), await y(2), await y(100, first), await y(1, last)]).toEqual([[1], [3], [100], [101]])
  })

  test('every sequence has its own state', async () => {
    const { y } = await model({ sequences })
    const both = (a: number, b: number, options: InferOptions) =>
      Promise.all([y(a, { ...options, correlationId: 1 }), y(b, { ...options, correlationId: 'b' })])
    expect([await both(1, 10, first), await both(2, 20, {}), await both(3, 30, last)]).toEqual([
      [[1], [10]],
      [[3], [30]],
      [[6], [60]],
    ])
  })
})

test('a sequence that was cancelled and forgotten leaves nothing to those after it', async () => {
  const clock = virtualClock()
  const caller = new AbortController()
  const step = (request: ExecutionRequest): void => {
    if (numbers(request.inputs.get('X'))[0] === 2) caller.abort()
    sum(request)
  }
  const { y } = await model({ step, options: { clock } })
  expect(await y(1, first)).toEqual([1])
  await expect(y(2, { signal: caller.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  await clock.advance(1001)
  await expect(y(3)).rejects.toThrow('must specify the START flag')
  const both = (value: number, options: InferOptions) =>
    Promise.all([y(value, { ...options, correlationId: 2 }), y(10 * value, { ...options, correlationId: 3 })])
  expect([await both(1, first), await both(4, last)]).toEqual([
    [[1], [10]],
    [[5], [50]],
  ])
})

describe('the response', () => {
  test('has no state that is not an output, and such an output may not be asked for', async () => {
    const { send } = await model()
    expect(Object.keys(await send(1, first))).toEqual(['Y'])
    await expect(send(1, { outputs: ['SUM_OUT'] })).rejects.toThrow(
      "unexpected inference output 'SUM_OUT' for model 'm'",
    )
  })

  test('has a state that is an output too, where it is asked for', async () => {
    const { send } = await model({ more: 'output { name: "SUM_OUT" data_type: TYPE_INT32 dims: 1 }' })
    const outputs = await send(4, { ...first, outputs: ['SUM_OUT', 'Y'] })
    expect([numbers(outputs.SUM_OUT), numbers(outputs.Y)]).toEqual([[4], [4]])
    expect(Object.keys(await send(1, { outputs: ['Y'] }))).toEqual(['Y'])
    expect(Object.keys(await send(1))).toEqual(['Y', 'SUM_OUT'])
  })

  test('does not share its memory with the state', async () => {
    const { send, y } = await model({ more: 'output { name: "SUM_OUT" data_type: TYPE_INT32 dims: 1 }' })
    const { SUM_OUT: returned } = (await send(4, first)) as { SUM_OUT: Tensor<'INT32'> }
    returned.data.fill(99)
    expect(await y(1)).toEqual([5])
  })
})

test('a state that the backend does not update stays as it is', async () => {
  const step = (request: ExecutionRequest): void => {
    const [x, sum] = ['X', 'SUM'].map((name) => numbers(request.inputs.get(name))[0] ?? Number.NaN)
    request.respond({ outputs: { Y: int32((x as number) + (sum as number)) } })
  }
  const { y } = await model({ step })
  const answers = [await y(1, first)]
  for (let i = 0; i < 10; i++) answers.push(await y(1))
  expect(answers).toEqual(answers.map(() => [1]))
})

test('a request that fails leaves the state as it is', async () => {
  let broken = false
  const step = (request: ExecutionRequest): void => {
    if (broken) throw new Error('broke')
    sum(request)
  }
  const { y } = await model({ step })
  expect(await y(1, first)).toEqual([1])
  broken = true
  await expect(y(1)).rejects.toThrow('broke')
  broken = false
  expect(await y(1)).toEqual([2])
})

test.each(['', 'use_same_buffer_for_input_output: true'])('a state may grow: %s', async (more) => {
  const step = (request: ExecutionRequest): void => {
    const all = int32(...numbers(request.inputs.get('SUM')), ...numbers(request.inputs.get('X')))
    request.updateState('SUM_OUT', all)
    request.respond({ outputs: { Y: all } })
  }
  const { y } = await model({ step, states: stateOf(`data_type: TYPE_INT32 dims: -1 ${more}`) })
  expect([await y(1, first), await y(2), await y(3)]).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
  ])
  expect(await y([], first)).toEqual([0])
})

test('one buffer for input and output: the backend may write where it reads', async () => {
  const step = (request: ExecutionRequest): void => {
    const state = request.inputs.get('SUM') as Tensor<'INT32'>
    state.data[0] = (state.data[0] ?? 0) + (numbers(request.inputs.get('X'))[0] ?? 0)
    request.respond({ outputs: { Y: int32(state.data[0]) } })
  }
  const { y } = await model({
    step,
    states: stateOf('data_type: TYPE_INT32 dims: 1 use_same_buffer_for_input_output: true'),
  })
  expect([await y(1, first), await y(2), await y(3, last), await y(9, first)]).toEqual([[1], [3], [6], [9]])
})

test('strings as state', async () => {
  const step = (request: ExecutionRequest): void => {
    const text = `${request.inputs.get('SUM')?.strings()[0]}${numbers(request.inputs.get('X'))[0]}`
    request.updateState('SUM_OUT', tensor('BYTES', [1, 1], [text]))
    request.respond({ outputs: { Y: int32(text.length) } })
  }
  const { y } = await model({ step, states: stateOf('data_type: TYPE_STRING dims: 1') })
  expect([await y(12, first), await y(345), await y(6), await y(7, first)]).toEqual([[2], [5], [6], [1]])
})

describe('initial_state', () => {
  const initial = (data: string): string =>
    stateOf(`data_type: TYPE_INT32 dims: 1 initial_state { name: "first" data_type: TYPE_INT32 dims: 1 ${data} }`)

  test('of zeros', async () => {
    const { y } = await model({ states: initial('zero_data: true') })
    expect([await y(1, first), await y(2)]).toEqual([[1], [3]])
  })

  test('of a file, at every start', async () => {
    const { y } = await model({ states: initial('data_file: "seed"'), files: { 'm/initial_state/seed': bytes(100) } })
    expect([await y(1, first), await y(2, last), await y(5, first)]).toEqual([[101], [103], [105]])
  })

  test.each([
    ['data_file: "seed"', 'initial_state setting expects 4 bytes, but the data provided from seedonly has 0 bytes.'],
    ['', "initial_state setting expects state'SUM' to have state_data set"],
  ])('that is wrong fails the load: %s', async (data, text) => {
    await expect(model({ states: initial(data), files: { 'm/initial_state/seed': bytes() } })).rejects.toThrow(text)
  })
})

test('a state that no memory can hold fails the load, and nothing is left of it', async () => {
  const lived: string[] = []
  const backend: Backend = {
    name: 'step',
    createModel: async () => ({
      createInstance: async ({ name }) => {
        lived.push(`+${name}`)
        return { execute() {}, dispose: async () => void lived.push(`-${name}`) }
      },
      dispose: async () => void lived.push('-model'),
    }),
  }
  const config = `backend: "step" sequence_batching { ${stateOf('data_type: TYPE_INT32 dims: 1000000000000')} }
    input { name: "X" data_type: TYPE_INT32 dims: 1 } output { name: "Y" data_type: TYPE_INT32 dims: 1 }
    instance_group { kind: KIND_CPU count: 2 }`
  await expect(started({ 'm/config.pbtxt': config, 'm/1/': '' }, { backends: [backend] })).rejects.toThrow(
    'a tensor INT32 [1000000000000] of 4000000000000 bytes is too large',
  )
  expect(lived).toEqual(['+m_0_0', '+m_0_1', '-m_0_0', '-m_0_1', '-model'])
})

test('states that repeat a name are ignored', async () => {
  const { y } = await model({ states: sumState + sumState })
  expect([await y(1, first), await y(2)]).toEqual([[1], [3]])
})

describe('updateState', () => {
  const failing = (request: ExecutionRequest): void => {
    request.updateState('undefined_state', int32(1))
    request.respond({ outputs: {} })
  }

  test('of a model without states', async () => {
    const { send } = await model({ step: failing, states: '' })
    await expect(send(1, first)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "unable to add state 'undefined_state'. State configuration is missing for model 'm'.",
    })
  })

  test('of a name that is no state', async () => {
    const { send } = await model({ step: failing })
    await expect(send(1, first)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: "state 'undefined_state' is not a valid state name.",
    })
  })
})

test('controls and states are no inputs of callers', async () => {
  const { server } = await model()
  const send = (name: string) => server.infer('m', { X: int32(1), [name]: int32(1) }, { correlationId: 1, ...first })
  for (const name of ['START', 'SUM']) {
    await expect(send(name)).rejects.toThrow(
      `[request id: <id_unknown>] expected 1 inputs but got 2 inputs for model 'm'. Got input(s) ['${name}','X'], but missing required input(s) ]. Please provide all required input(s).`,
    )
  }
})

describe('a request that runs again', () => {
  /** Counts down from X: the first run takes it from the input, the others from the state. */
  const countDown = (request: ExecutionRequest): void => {
    const from = numbers(request.inputs.get(request.sequenceStart ? 'X' : 'SUM'))[0] ?? 0
    request.updateState('SUM_OUT', int32(from - 1))
    const [start] = numbers(request.inputs.get('START'))
    request.respond({ outputs: { Y: int32(from - 1, start ?? -1) } }, { final: from === 1 })
    if (from > 1) request.reschedule()
  }
  const decoupled = 'model_transaction_policy { decoupled: true }'

  test.each(['direct { }', 'oldest { }'])('finds its state and is no start: %s', async (strategy) => {
    const sequences = `${strategy} iterative_sequence: true ${startControl}`
    const { server } = await model({ step: countDown, sequences, more: decoupled })
    const answers: number[][] = []
    for await (const { Y } of server.inferStream('m', { X: int32(3) })) answers.push(numbers(Y))
    expect(answers).toEqual([
      [2, 1],
      [1, 0],
      [0, 0],
    ])
  })

  test.each(['direct { }', 'oldest { }'])('has to be of an iterative sequence: %s', async (strategy) => {
    const { server } = await model({ step: countDown, sequences: `${strategy} ${startControl}`, more: decoupled })
    const answers = server.inferStream('m', { X: int32(3) }, { correlationId: 1, ...first })
    const stream = answers[Symbol.asyncIterator]()
    expect(numbers((await stream.next()).value?.Y)).toEqual([2, 1])
    await expect(stream.next()).rejects.toThrow('Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE')
  })
})
