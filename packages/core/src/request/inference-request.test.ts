import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { statisticsSnapshot } from '../metrics/statistics-snapshot.ts'
import { SequenceControls } from '../scheduler/sequence/sequence-controls.ts'
import { SequenceStateFactory } from '../scheduler/sequence/sequence-state.ts'
import { modelConfig, RequestRig } from './fixtures/request-rig.ts'
import { tensor } from './tensor.ts'

const one = tensor('INT32', [1], Int32Array.of(1))
const iterative = modelConfig('sequence_batching { iterative_sequence: true }')
const decoupled = modelConfig(
  'sequence_batching { iterative_sequence: true } model_transaction_policy { decoupled: true }',
)

describe('inputs', () => {
  const config = modelConfig(`sequence_batching {
    control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] } }
    state { input_name: "STATE" output_name: "STATE_OUT" data_type: TYPE_INT32 dims: 1 } }`)
  const controls = new SequenceControls(config)
  const states = new SequenceStateFactory(config, new Map())

  test('have controls and states once the request has joined its sequence', () => {
    const request = new RequestRig(config).request('a', { sequenceStart: true })
    expect([...request.inputs.keys()]).toEqual(['IN'])
    request.joinSequence(controls.tensorsFor(request), states.create())
    expect([...request.inputs.keys()]).toEqual(['IN', 'START', 'STATE'])
    expect(request.inputs.get('START')?.data[0]).toBe(1)
  })

  test('are new ones when it joins again', () => {
    const request = new RequestRig(config).running('a')
    const state = states.create()
    request.joinSequence(controls.tensorsFor(request), state)
    request.updateState('STATE_OUT', one)
    expect(request.inputs.get('STATE')?.data[0]).toBe(0)
    request.joinSequence(controls.tensorsFor(request), state)
    expect(request.inputs.get('STATE')?.data[0]).toBe(1)
  })
})

test('a model that is not decoupled sends one response, which is the final one', () => {
  const rig = new RequestRig(modelConfig(''))
  const request = rig.running('a')
  expect(() => request.respond({ outputs: {} }, { final: false })).toThrow('is not decoupled')
  expect(() => request.end()).toThrow("model 'm' is not decoupled and must send one final response")
  request.respond({ outputs: {} })
  expect(rig.heard).toEqual(['a released', 'a ok'])
})

describe('a response that fails', () => {
  const broken = new TritonError('NOT_FOUND', 'broken')

  test('leaves the request of a decoupled model open', () => {
    const rig = new RequestRig(decoupled)
    const request = rig.running('a')
    request.fail(broken, { final: false })
    request.respond({ outputs: {} }, { final: false })
    request.end()
    expect(rig.heard).toEqual(['a part', 'a part', 'a released', 'a ended'])
  })

  test('ends that of any other', () => {
    const rig = new RequestRig(modelConfig(''))
    const request = rig.running('a')
    request.fail(broken, { final: false })
    expect(rig.heard).toEqual(['a released', 'a broken'])
    expect(() => request.respond({ outputs: {} })).toThrow('RELEASED')
  })

  test('is not told to a caller that has given up, nor after the end', () => {
    const rig = new RequestRig(decoupled)
    const request = rig.running('a')
    request.cancel()
    request.fail(broken, { final: false })
    expect(rig.heard).toEqual(['a the request was cancelled'])
    request.end()
    expect(() => request.fail(broken, { final: false })).toThrow('RELEASED')
  })
})

describe('updateState', () => {
  const message = "unable to add state 'undefined_state'. State configuration is missing for model 'm'."

  test.each(['', 'sequence_batching { }'])('is refused for a model without state: %s', (more) => {
    const request = new RequestRig(modelConfig(more)).running('a')
    request.joinSequence([], undefined)
    expect(() => request.updateState('undefined_state', one)).toThrow(new TritonError('INVALID_ARG', message))
  })

  test('is refused after the answer', () => {
    const request = new RequestRig(modelConfig('sequence_batching { }')).running('a')
    request.respond({ outputs: {} })
    expect(() => request.updateState('S', one)).toThrow("backend answered request 'a' while it is RELEASED")
  })
})

describe('beginSequence', () => {
  test('gives a request an id and START', () => {
    const request = new RequestRig(iterative).request('a')
    request.beginSequence(3n)
    const { correlationId, sequenceStart, sequenceEnd } = request
    expect({ correlationId, sequenceStart, sequenceEnd }).toEqual({
      correlationId: 3n,
      sequenceStart: true,
      sequenceEnd: false,
    })
  })
})

describe('reschedule', () => {
  const text =
    'Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to handle such a flag.'

  test.each(['', 'dynamic_batching { }', 'sequence_batching { direct { } }', 'sequence_batching { oldest { } }'])(
    'is refused without iterative_sequence: %s',
    (more) => {
      const rig = new RequestRig(modelConfig(more))
      const request = rig.running('a')
      expect(() => request.reschedule()).toThrow(new TritonError('INVALID_ARG', text))
      request.fail(new TritonError('INTERNAL', 'no'))
      expect(rig.heard).toEqual(['a released', 'a no'])
    },
  )

  test('gives the request back to the engine without START and END', () => {
    const rig = new RequestRig(iterative)
    const request = rig.running('a', { correlationId: 3, sequenceStart: true, sequenceEnd: true })
    request.reschedule()
    expect(rig.heard).toEqual(['a again'])
    expect(request.correlationId).toBe(3n)
    rig.run(request)
    request.respond({ outputs: {} })
    expect(rig.heard).toEqual(['a again', 'a released', 'a ok'])
  })

  test('leaves it to no batch until it runs again', () => {
    const rig = new RequestRig(iterative)
    const request = rig.request('a')
    const first = rig.run(request)
    expect(request.isRunningIn(first)).toBe(true)
    request.keep()
    request.reschedule()
    expect([request.isRunningIn(first), request.isKept]).toEqual([false, false])
    expect(() => request.respond({ outputs: {} })).toThrow("backend answered request 'a' while it is PENDING")
    expect(() => request.reschedule()).toThrow("backend answered request 'a' while it is PENDING")
    const second = rig.run(request)
    expect([request.isRunningIn(first), request.isRunningIn(second)]).toEqual([false, true])
  })

  test('follows responses of a decoupled model', () => {
    const rig = new RequestRig(decoupled)
    const request = rig.running('a')
    request.respond({ outputs: {} }, { final: false })
    request.reschedule()
    rig.run(request)
    request.respond({ outputs: {} }, { final: false })
    request.end()
    expect(rig.heard).toEqual(['a part', 'a again', 'a part', 'a released', 'a ended'])
  })

  test('that the engine refuses leaves it with the backend', () => {
    const rig = new RequestRig(iterative)
    const request = rig.request('a')
    const batch = rig.run(request)
    request.keep()
    rig.refusal = new TritonError('INVALID_ARG', 'the sequence is over')
    expect(() => request.reschedule()).toThrow('the sequence is over')
    expect([request.isRunningIn(batch), request.isKept]).toEqual([true, true])
    request.fail(rig.refusal as TritonError)
    expect(rig.heard).toEqual(['a released', 'a the sequence is over'])
  })

  test('of a request that its caller gave up ends it', () => {
    const rig = new RequestRig(iterative)
    const request = rig.running('a')
    request.cancel()
    request.reschedule()
    expect(rig.heard).toEqual(['a the request was cancelled', 'a released'])
  })

  test('lets its caller give it up while it waits', () => {
    const rig = new RequestRig(iterative)
    const request = rig.running('a')
    request.reschedule()
    request.cancel()
    expect(rig.heard).toEqual(['a again', 'a released', 'a the request was cancelled'])
  })

  test('counts every run, with its own times', () => {
    const rig = new RequestRig(iterative)
    const request = rig.request('a')
    rig.clock.advance(1)
    rig.run(request)
    rig.clock.advance(2)
    request.reschedule()
    expect(request.startTime).toBe(rig.clock.now())
    rig.clock.advance(4)
    rig.run(request)
    rig.clock.advance(8)
    request.respond({ outputs: {} })
    const { inferenceCount, executionCount, inferenceStats } = statisticsSnapshot(rig.stats, 'm', 1)
    expect({ inferenceCount, executionCount }).toEqual({ inferenceCount: 2, executionCount: 2 })
    expect(inferenceStats.success).toEqual({ count: 2, ns: 15e6 })
    expect(inferenceStats.queue).toEqual({ count: 2, ns: 5e6 })
  })
})
