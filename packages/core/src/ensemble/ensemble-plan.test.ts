import { expect, test } from 'vitest'
import type { ModelConfig } from '../config/model-config.ts'
import { normalizeModelConfig } from '../config/normalize.ts'
import { parseModelConfig } from '../config/parse-pbtxt.ts'
import { planEnsemble } from './ensemble-plan.ts'
import { ensemble, model, type Step } from './fixtures/pipelines.ts'

const parsed = (name: string, text: string): ModelConfig =>
  normalizeModelConfig(parseModelConfig(`name: "${name}" ${text}`).config)

const models: Readonly<Record<string, string>> = {
  echo: model('x', { inputs: ['IN'], outputs: ['OUT'] }),
  ints: model('x', { inputs: ['IN'], outputs: ['OUT'] }).replaceAll('TYPE_FP32', 'TYPE_INT32'),
  wide: model('x', { inputs: ['IN:2'], outputs: ['OUT:2'] }),
  any: model('x', { inputs: ['IN:-1'], outputs: ['OUT:-1'] }),
  batching: model('x', { inputs: ['IN'], outputs: ['OUT'], more: 'max_batch_size: 4' }),
  add: model('x', { inputs: ['A', 'B?'], outputs: ['OUT'] }),
  both: model('x', { inputs: ['A', 'B'], outputs: ['OUT'] }),
  split: model('x', { inputs: ['IN'], outputs: ['OUT', 'REST'] }),
  stream: model('x', {
    inputs: ['IN'],
    outputs: ['OUT'],
    more: 'model_transaction_policy { decoupled: true }',
  }),
}

const plan = (
  steps: readonly Step[],
  more = '',
  inputs: readonly string[] = ['X'],
  outputs: readonly string[] = ['Y'],
) =>
  planEnsemble(
    parsed('e', ensemble({ inputs, outputs, steps, more })),
    new Map(Object.entries(models).map(([name, text]) => [name, parsed(name, text)])),
  )

/** From `from` through a model to `to`. */
const step = (name: string, from: string, to: string): Step => ({ model: name, in: { IN: from }, out: { OUT: to } })

const through =
  (name: string, more = ''): (() => unknown) =>
  () =>
    plan([step(name, 'X', 'Y')], more)

test('steps, tensors and models have numbers', () => {
  const { config, steps, models, tensorCount, inputs, outputs } = plan([
    step('echo', 'X', 'a'),
    { model: 'both', in: { A: 'a', B: 'a' }, out: { OUT: 'b' } },
    { ...step('echo', 'b', 'c'), version: 3 },
    step('echo', 'c', 'Y'),
  ])
  expect(config.modelTransactionPolicy).toEqual({ decoupled: false })
  expect(tensorCount).toBe(5)
  expect([inputs, outputs]).toEqual([[{ name: 'X', tensor: 0 }], [{ name: 'Y', tensor: 1, dims: [1] }]])
  expect(steps.map(({ needs, outputs: [port] }) => [...needs, port?.tensor])).toEqual([
    [0, 2],
    [2, 3],
    [3, 4],
    [4, 1],
  ])
  expect(models).toEqual([
    { name: 'echo', version: -1 },
    { name: 'both', version: -1 },
    { name: 'echo', version: 3 },
  ])
  expect(steps.map(({ modelIndex }) => modelIndex)).toEqual([0, 1, 2, 0])
})

test('models that are not there', () => {
  expect(() => plan([step('gone', 'X', 'a'), step('echo', 'a', 'b'), step('away', 'b', 'Y')])).toThrow(
    /^ensemble e contains models that are not available or ambiguous: gone, away$/,
  )
})

test('batch sizes', () => {
  expect(through('batching', 'max_batch_size: 4')).not.toThrow()
  expect(through('echo', 'max_batch_size: 8')).not.toThrow()
  expect(through('any', 'max_batch_size: 8')).not.toThrow()
  expect(through('batching', 'max_batch_size: 8')).toThrow(
    'ensemble e allows maximum batch size 8, but it contains model batching which only allows maximum batch size to be 4',
  )
})

test('inputs and outputs that the models do not have, or that are missing', () => {
  const add = (inputs: Record<string, string>, outputs: Record<string, string>) => () =>
    plan([{ model: 'add', in: inputs, out: outputs }])
  expect(add({ A: 'X' }, { OUT: 'Y' })).not.toThrow()
  expect(add({ A: 'X', C: 'X' }, { OUT: 'Y' })).toThrow(
    'in ensemble e, ensemble tensor X is mapping to non-existing input C in model add',
  )
  expect(add({ B: 'X' }, { OUT: 'Y' })).toThrow(
    'in ensemble e, input A in model add is not mapped to any ensemble tensors',
  )
  expect(add({ A: 'X' }, { OUT: 'Y', NOPE: 'Z' })).toThrow(
    'in ensemble e, ensemble tensor Z is mapped from non-existing output NOPE in model add',
  )
})

test('types and shapes', () => {
  expect(through('ints')).toThrow(
    'in ensemble e, ensemble tensor X: inconsistent data type: TYPE_FP32 is inferred from model e while TYPE_INT32 is inferred from model ints',
  )
  expect(through('wide')).toThrow(
    'in ensemble e, ensemble tensor X: inconsistent shape: [1] is inferred from model e while [2] is inferred from model wide',
  )
  expect(() => plan([step('batching', 'X', 'a'), step('wide', 'a', 'Y')])).toThrow(
    'in ensemble e, ensemble tensor a: inconsistent shape: [-1,1] is inferred from model batching while [2] is inferred from model wide',
  )
  expect(() => plan([step('any', 'X', 'a'), step('echo', 'a', 'Y')])).not.toThrow()
})

test('decoupled steps', () => {
  const isDecoupled = (...steps: readonly Step[]) => plan(steps).config.modelTransactionPolicy?.decoupled
  expect(isDecoupled(step('stream', 'X', 'a'), step('echo', 'a', 'Y'))).toBe(true)
  expect(isDecoupled(step('echo', 'a', 'Y'), step('stream', 'X', 'a'))).toBe(true)
  expect(isDecoupled(step('echo', 'X', 'Y'))).toBe(false)
})

test('responses of different decoupled steps cannot meet', () => {
  const meet = (left: Step, right: Step) => () =>
    plan([left, right, { model: 'both', in: { A: 'a', B: 'b' }, out: { OUT: 'Y' } }])
  const text = (model: string) =>
    `in ensemble e, step of model '${model}' receives inputs originated from different decoupled models`
  expect(meet(step('stream', 'X', 'a'), step('stream', 'X', 'b'))).toThrow(text('e'))
  expect(meet(step('stream', 'X', 'a'), step('echo', 'X', 'b'))).toThrow(text('e'))
  expect(meet(step('stream', 'X', 'a'), step('echo', 'a', 'b'))).not.toThrow()
  const apart = [step('stream', 'X', 'a'), step('echo', 'X', 'b')]
  expect(() => plan(apart, '', ['X'], ['a', 'b'])).toThrow(text('e'))
  const twice: Step[] = [{ model: 'both', in: { A: 'a', B: 'X' }, out: { OUT: 'c' } }, step('echo', 'c', 'Y')]
  expect(() => plan([step('stream', 'X', 'a'), ...twice])).toThrow(text('both'))
})
