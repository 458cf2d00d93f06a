import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { modelConfig, RequestRig } from '../../request/fixtures/request-rig.ts'
import type { InferRequest } from '../../request/infer-request.ts'
import { tensor } from '../../request/tensor.ts'
import { SequenceControls } from './sequence-controls.ts'

const flags = (values: string): string => `
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START ${values} } }
  control_input { name: "END" control { kind: CONTROL_SEQUENCE_END ${values} } }
  control_input { name: "READY" control { kind: CONTROL_SEQUENCE_READY ${values} } }`

const correlationId = (type: string): string =>
  `control_input { name: "CORRID" control { kind: CONTROL_SEQUENCE_CORRID data_type: ${type} } }`

/** Control inputs of one request: name, type, shape and value, in order. */
function controlsOf(controls: string, request: Partial<InferRequest> = {}, maxBatchSize = 0): unknown[] {
  const config = modelConfig(`max_batch_size: ${maxBatchSize} sequence_batching { ${controls} }`)
  const made = new RequestRig(config).request('r', { correlationId: 7, ...request })
  const inputs = new SequenceControls(config).tensorsFor(made)
  return inputs.map(({ name, tensor: { datatype, shape, data } }) => [name, datatype, shape, ...data])
}

const values = (controls: unknown[]): unknown[] => (controls as unknown[][]).map(([name, , , value]) => [name, value])

describe('START, END and READY', () => {
  test.each([
    ['first', { sequenceStart: true }, [1, 0, 1]],
    ['middle', {}, [0, 0, 1]],
    ['last', { sequenceEnd: true }, [0, 1, 1]],
    ['only', { sequenceStart: true, sequenceEnd: true }, [1, 1, 1]],
  ])('of the %s request', (_, request, [start, end, ready]) => {
    expect(values(controlsOf(flags('int32_false_true: [0, 1]'), request))).toEqual([
      ['START', start],
      ['END', end],
      ['READY', ready],
    ])
  })

  test.each([
    ['int32_false_true: [-1, 5]', 'INT32', 5],
    ['fp32_false_true: [-0.5, 0.5]', 'FP32', 0.5],
    ['bool_false_true: [false, true]', 'BOOL', 1],
    ['bool_false_true: [true, false]', 'BOOL', 0],
  ])('have the type and values of %s', (list, datatype, whenTrue) => {
    const [start] = controlsOf(flags(list), { sequenceStart: true })
    expect(start).toEqual(['START', datatype, [1], whenTrue])
  })

  test('have the shape [1], or [1, 1] with batching', () => {
    expect(controlsOf(flags('int32_false_true: [0, 1]'), {}, 4)[0]).toEqual(['START', 'INT32', [1, 1], 0])
  })

  test('are all optional', () => {
    expect(controlsOf('')).toEqual([])
    const end = 'control_input { name: "E" control { kind: CONTROL_SEQUENCE_END fp32_false_true: [0, 1] } }'
    expect(values(controlsOf(end, { sequenceEnd: true }))).toEqual([['E', 1]])
  })

  test('one input may be several controls: the last of START, END and READY counts', () => {
    const both = `control_input { name: "C" control [
      { kind: CONTROL_SEQUENCE_READY int32_false_true: [0, 3] },
      { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 2] } ] }`
    const config = modelConfig(`sequence_batching { ${both} }`)
    const request = new RequestRig(config).request('r', { correlationId: 7, sequenceStart: true })
    request.joinSequence(new SequenceControls(config).tensorsFor(request), undefined)
    expect(request.inputs.get('C')?.data).toEqual(Int32Array.of(3))
  })

  test('are made once', () => {
    const config = modelConfig(`sequence_batching { ${flags('int32_false_true: [0, 1]')} }`)
    const controls = new SequenceControls(config)
    const rig = new RequestRig(config)
    expect(controls.tensorsFor(rig.request('a'))).toBe(controls.tensorsFor(rig.request('b')))
  })
})

describe('CORRID', () => {
  const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  test.each([
    ['TYPE_UINT64', 'UINT64', (n: bigint) => n],
    ['TYPE_INT64', 'INT64', (n: bigint) => BigInt.asIntN(64, n)],
    ['TYPE_UINT32', 'UINT32', (n: bigint) => Number(BigInt.asUintN(32, n))],
    ['TYPE_INT32', 'INT32', (n: bigint) => Number(BigInt.asIntN(32, n))],
  ])('of %s has the low bytes of a number', (type, datatype, low) => {
    fc.assert(
      fc.property(id, (n) => {
        expect(controlsOf(correlationId(type), { correlationId: n })).toEqual([['CORRID', datatype, [1], low(n)]])
      }),
    )
  })

  test('of TYPE_STRING is the text as one BYTES element', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), (text) => {
        const [control] = controlsOf(correlationId('TYPE_STRING'), { correlationId: text }, 2)
        expect(control).toEqual(['CORRID', 'BYTES', [1, 1], text])
      }),
    )
  })

  test('stands beside the other controls, each request with its own', () => {
    const config = modelConfig(
      `sequence_batching { ${flags('int32_false_true: [0, 1]')} ${correlationId('TYPE_UINT64')} }`,
    )
    const controls = new SequenceControls(config)
    const rig = new RequestRig(config)
    const ids = [5, 6, 5].map((correlationId) => {
      const inputs = controls.tensorsFor(rig.request('r', { correlationId }))
      return inputs.map(({ name, tensor: { data } }) => [name, data[0]])
    })
    expect(ids.map((inputs) => inputs.at(-1))).toEqual([
      ['CORRID', 5n],
      ['CORRID', 6n],
      ['CORRID', 5n],
    ])
    expect(ids[1]?.length).toBe(4)
  })
})

describe('a null request', () => {
  const config = modelConfig(`max_batch_size: 4
    sequence_batching { ${flags('int32_false_true: [0, 1]')} ${correlationId('TYPE_UINT64')}
      state { input_name: "STATE" output_name: "STATE_OUT" data_type: TYPE_STRING dims: 1 } }
    input { name: "NAMES" data_type: TYPE_STRING dims: 2 }
    input { name: "SIZES" data_type: TYPE_INT32 dims: 1 is_shape_tensor: true }`)
  const rig = new RequestRig(config)
  const like = rig.request('like', {
    correlationId: 9,
    sequenceStart: true,
    inputs: [
      { name: 'IN', tensor: tensor('FP32', [1, 2], Float32Array.of(3, 4)) },
      { name: 'NAMES', tensor: tensor('BYTES', [1, 2], ['x', 'y']) },
      { name: 'SIZES', tensor: tensor('INT32', [1, 1], Int32Array.of(5)) },
    ],
  })
  const controls = new SequenceControls(config)
  like.joinSequence(controls.tensorsFor(like), undefined)
  const filler = controls.nullRequest(like)

  test('has the shapes of the other with zeros and empty strings, and the values of its shape tensors', () => {
    expect(filler.inputs.get('IN')?.shape).toEqual([1, 2])
    expect(filler.inputs.get('IN')?.data).toEqual(new Float32Array(2))
    expect(filler.inputs.get('NAMES')?.strings()).toEqual(['', ''])
    expect(filler.inputs.get('SIZES')?.data).toEqual(Int32Array.of(5))
    expect(filler.batchSize).toBe(1)
  })

  test('is not ready: START, END and READY are false, CORRID is 0', () => {
    const values = ['START', 'END', 'READY', 'CORRID'].map((name) => filler.inputs.get(name)?.data[0])
    expect(values).toEqual([0, 0, 0, 0n])
    expect(like.inputs.get('READY')?.data[0]).toBe(1)
  })

  test('has an empty text where the correlation id is one', () => {
    const texts = modelConfig(`max_batch_size: 4 sequence_batching { ${correlationId('TYPE_STRING')} }`)
    const request = new RequestRig(texts).request('r', { correlationId: 'call 7' })
    const { inputs } = new SequenceControls(texts).nullRequest(request)
    expect(inputs.get('CORRID')?.strings()).toEqual([''])
  })

  test('has no id and wants no outputs', () => {
    const { id, correlationId, sequenceStart, sequenceEnd, requestedOutputs, isCancelled } = filler
    expect({ id, correlationId, sequenceStart, sequenceEnd, requestedOutputs, isCancelled }).toEqual({
      id: '',
      correlationId: 0n,
      sequenceStart: false,
      sequenceEnd: false,
      requestedOutputs: [],
      isCancelled: false,
    })
    expect(filler.signal.aborted).toBe(false)
  })
})
