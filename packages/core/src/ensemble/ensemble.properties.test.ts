import { modelRepository } from '@triton-ts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Server } from '../index.ts'
import { ensemble, float, model, type Step, values } from './fixtures/pipelines.ts'
import { type RigStep, StepRig } from './fixtures/step-rig.ts'

interface Node extends RigStep {
  /** Tensors that it takes, each once. */
  readonly inputs: readonly string[]
}

const outputsOf = (index: number, { outputs }: RigStep): string[] =>
  Array.from({ length: outputs }, (_, i) => `t${index}_${i}`)

/** Takes of what is there before it. */
const graphs = fc
  .array(
    fc.record({
      inputs: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      outputs: fc.integer({ min: 1, max: 2 }),
      fails: fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, { arbitrary: fc.constant(true), weight: 1 }),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((specs) => {
    const tensors = ['X', 'Z']
    return specs.map(({ inputs, ...step }, index): Node => {
      const names = [...new Set(inputs.map((choice) => tensors[choice % tensors.length] as string))]
      tensors.push(...outputsOf(index, step))
      return { ...step, inputs: names }
    })
  })

/** A row of steps, each of which takes all outputs of the one before, or the input. */
const rows = fc
  .array(fc.record({ outputs: fc.integer({ min: 1, max: 2 }), responses: fc.option(fc.nat(3), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) =>
    steps.map((step, i): Node => {
      const before = steps[i - 1]
      return { ...step, inputs: before === undefined ? ['X'] : outputsOf(i - 1, before) }
    }),
  )

interface Pipeline {
  readonly nodes: readonly Node[]
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

function pipelineOf(nodes: readonly Node[]): Pipeline {
  const used = new Set(nodes.flatMap(({ inputs }) => inputs))
  const made = nodes.flatMap((node, i) => outputsOf(i, node))
  return {
    nodes,
    inputs: ['X', 'Z'].filter((name) => used.has(name)),
    outputs: made.filter((name) => !used.has(name)),
  }
}

async function serve({ nodes, inputs, outputs }: Pipeline, isInline: boolean, inflight: number) {
  const stepOf = (name: string) => nodes[Number(name.slice(1))] as Node
  const rig = new StepRig(stepOf, isInline)
  const steps = nodes.map((node, i): Step => {
    const ports = (names: readonly string[], letter: string) =>
      Object.fromEntries(names.map((name, port) => [`${letter}${port}`, name]))
    return { model: `m${i}`, in: ports(node.inputs, 'I'), out: ports(outputsOf(i, node), 'O') }
  })
  const repository = await modelRepository({
    'e/config.pbtxt': ensemble({ inputs, outputs, steps: [...steps].reverse(), inflight }),
    'e/1/': '',
    ...Object.fromEntries(
      nodes.flatMap((node, i) => {
        const { in: from, out } = steps[i] as Step
        const more = `model_transaction_policy { decoupled: ${node.responses !== undefined} }`
        const config = model('rig', { inputs: Object.keys(from), outputs: Object.keys(out), more })
        return [
          [`m${i}/config.pbtxt`, config],
          [`m${i}/1/`, ''],
        ]
      }),
    ),
  })
  const server = await Server.start({ modelRepository: repository.path, backends: [rig.backend] })
  const dispose = async () => {
    await server.stop()
    await repository[Symbol.asyncDispose]()
  }
  return { rig, server, dispose }
}

/** What the tensor is worth, with the steps that it needs. */
function evaluate(nodes: readonly Node[], tensor: string, needed: Set<number>): number {
  if (tensor === 'X') return 1
  if (tensor === 'Z') return 2
  const [index, port] = tensor.slice(1).split('_').map(Number) as [number, number]
  needed.add(index)
  const inputs = (nodes[index] as Node).inputs
  return inputs.reduce((sum, name) => sum + evaluate(nodes, name, needed), 0) + port
}

const request = (inputs: readonly string[]) => ({ X: float(1), ...(inputs.includes('Z') ? { Z: float(2) } : {}) })

test('random graphs leave what they are worth, or fail once', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      graphs,
      fc.boolean(),
      fc.nat(2),
      fc.infiniteStream(fc.nat(100)),
      fc.nat(),
      async (nodes, isInline, inflight, choices, wanted) => {
        const pipeline = pipelineOf(nodes)
        const { rig, server, dispose } = await serve(pipeline, isInline, inflight)
        const names = pipeline.outputs.filter((_, i) => (wanted >> i) & 1)
        const outputs = names.length === 0 ? pipeline.outputs : names
        const given = Object.fromEntries(
          Object.entries(request(pipeline.inputs)).filter(([name]) => pipeline.inputs.includes(name)),
        )
        const answers = [1, 2, 3].map(() => server.infer('e', given, { outputs }).then(values, (error: Error) => error))
        let heard = 0
        for (const answer of answers) void answer.then(() => heard++)
        for (let i = 0; rig.waiting > 0 && i < 1000; i++) rig.answer(choices.next().value)
        const needed = new Set<number>()
        const expected = Object.fromEntries(outputs.map((name) => [name, evaluate(nodes, name, needed)]))
        const fails = [...needed].some((index) => nodes[index]?.fails)
        for (const answer of await Promise.all(answers)) {
          if (fails) expect(String(answer)).toMatch(/^TritonError: in ensemble 'e', no answer to \d+$/)
          else expect(answer).toEqual(expected)
        }
        if (!fails) expect(rig.started).toBe(3 * needed.size)
        expect([heard, rig.waiting]).toEqual([3, 0])
        if (inflight > 0 && !fails) expect(rig.mostWaiting).toBeLessThanOrEqual(inflight)
        await dispose()
      },
    ),
    { numRuns: 40 },
  )
})

/** Outputs of every response, for one value of the input. */
function responsesTo(nodes: readonly Node[], inputs: readonly number[]): number[][] {
  const [node, ...rest] = nodes
  if (node === undefined) return [inputs as number[]]
  const sum = inputs.reduce((total, value) => total + value, 0)
  const sums = node.responses === undefined ? [sum] : Array.from({ length: node.responses }, (_, n) => sum * 10 + n)
  return sums.flatMap((value) =>
    responsesTo(
      rest,
      Array.from({ length: node.outputs }, (_, i) => value + i),
    ),
  )
}

test('every response of a decoupled step goes its own way', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.boolean(),
      fc.nat(2),
      fc.infiniteStream(fc.nat(100)),
      async (nodes, isInline, inflight, choices) => {
        const { rig, server, dispose } = await serve(pipelineOf(nodes), isInline, inflight)
        const responses: number[][] = []
        const stream = server.model('e').requestStream({ inputs: [{ name: 'X', tensor: float(1) }] })
        for (let i = 0; rig.waiting > 0 && i < 10_000; i++) rig.answer(choices.next().value)
        for await (const { outputs } of stream) responses.push(Object.values(values(outputs)) as number[])
        const expected = responsesTo(nodes, [1])
        const sorted = (lists: readonly number[][]) => lists.map(String).sort()
        expect(sorted(responses)).toEqual(sorted(expected))
        if (isInline) expect(responses).toEqual(expected)
        if (inflight > 0) expect(rig.mostWaiting).toBeLessThanOrEqual(inflight)
        await dispose()
      },
    ),
    { numRuns: 40 },
  )
})

test('steps that wait for room get it, however few may be in flight', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.integer({ min: 1, max: 2 }),
      fc.infiniteStream(fc.nat(100)),
      async (row, inflight, choices) => {
        const nodes = row.map((node) => ({ ...node, waitsForRoom: true }))
        const { rig, server, dispose } = await serve(pipelineOf(nodes), false, inflight)
        const stream = server.model('e').requestStream({ inputs: [{ name: 'X', tensor: float(1) }] })
        const responses: number[][] = []
        let isOver = false
        const reading = (async () => {
          for await (const { outputs } of stream) responses.push(Object.values(values(outputs)) as number[])
          isOver = true
        })()
        for (let i = 0; !isOver && i < 10_000; i++) {
          if (rig.waiting > 0) rig.answer(choices.next().value)
          await new Promise(setImmediate)
        }
        expect(isOver).toBe(true)
        await reading
        const sorted = (lists: readonly number[][]) => lists.map(String).sort()
        expect(sorted(responses)).toEqual(sorted(responsesTo(nodes, [1])))
        expect(rig.mostWaiting).toBeLessThanOrEqual(inflight)
        await dispose()
      },
    ),
    { numRuns: 30 },
  )
})
