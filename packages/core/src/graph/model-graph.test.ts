import { expect, test } from 'vitest'
import { repository } from '../fixtures/server-rig.ts'
import { modelGraph, modelToMermaid, parseModelConfig } from '../index.ts'

const tensors = (kind: 'input' | 'output', ...names: string[]): string =>
  names.map((name) => `${kind} { name: "${name}" data_type: TYPE_FP32 dims: 2 }`).join('\n')

const model = (inputs: string[], outputs: string[], more = ''): string =>
  `backend: "identity" ${more} ${tensors('input', ...inputs)} ${tensors('output', ...outputs)}`

const map = (kind: string, entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([key, value]) => `${kind} { key: "${key}" value: "${value}" }`)
    .join(' ')

const step = (name: string, inputs: Record<string, string>, outputs: Record<string, string>, version = -1): string =>
  `step { model_name: "${name}" model_version: ${version} ${map('input_map', inputs)} ${map('output_map', outputs)} }`

const ensemble = (inputs: string[], outputs: string[], ...steps: string[]): string =>
  `platform: "ensemble" ${tensors('input', ...inputs)} ${tensors('output', ...outputs)}
   ensemble_scheduling { ${steps.join('\n')} }`

async function graphOf(name: string, configs: Record<string, string>) {
  const files = Object.entries(configs).flatMap(([name, text]) => [
    [`${name}/config.pbtxt`, text],
    [`${name}/1/`, ''],
  ])
  const { path } = await repository(Object.fromEntries(files))
  return modelGraph(name, { modelRepository: path })
}

test('an ensemble: inputs, steps with versions, tensors on the edges, outputs', async () => {
  const { mermaid, problems } = await graphOf('rag', {
    encoder: model(['TEXT'], ['VECTOR']),
    retriever: model(['VECTOR'], ['PASSAGES']),
    generator: model(['QUERY', 'PASSAGES'], ['ANSWER'], 'model_transaction_policy { decoupled: true }'),
    rag: ensemble(
      ['QUERY'],
      ['ANSWER'],
      step('encoder', { TEXT: 'QUERY' }, { VECTOR: 'vector' }),
      step('retriever', { VECTOR: 'vector' }, { PASSAGES: 'passages' }, 1),
      step('generator', { QUERY: 'QUERY', PASSAGES: 'passages' }, { ANSWER: 'ANSWER' }),
    ),
  })
  expect(problems).toEqual([])
  expect(mermaid).toBe(`flowchart LR
  input0(["QUERY"])
  step1["encoder (latest)"]
  step2["retriever (1)"]
  step3[["generator (latest)<br/>decoupled"]]
  input0 -- "QUERY" --> step1
  step1 -- "vector" --> step2
  input0 -- "QUERY" --> step3
  step2 -- "passages" --> step3
  output0(["ANSWER"])
  step3 -- "ANSWER" --> output0
`)
})

test('optional inputs are dashed', async () => {
  const optional = (text: string): string => text.replace('name: "HINT"', 'name: "HINT" optional: true')
  const { mermaid, problems } = await graphOf('e', {
    m: optional(model(['IN', 'HINT'], ['OUT'])),
    e: optional(ensemble(['IN', 'HINT'], ['OUT'], step('m', { IN: 'IN', HINT: 'HINT' }, { OUT: 'OUT' }))),
  })
  expect(problems).toEqual([])
  expect(mermaid).toContain('  input1(["HINT"]):::optional\n')
  expect(mermaid).toContain('  input0 -- "IN" --> step1\n  input1 -. "HINT" .-> step1\n')
  expect(mermaid).toContain('  classDef optional stroke-dasharray: 4 4\n')
})

test('an ensemble within an ensemble is a sub-graph, the second time one box', async () => {
  const { mermaid, problems } = await graphOf('outer', {
    m: model(['IN'], ['OUT']),
    inner: ensemble(['A'], ['B'], step('m', { IN: 'A' }, { OUT: 'B' })),
    outer: ensemble(['X'], ['Z'], step('inner', { A: 'X' }, { B: 'y' }), step('inner', { A: 'y' }, { B: 'Z' })),
  })
  expect(problems).toEqual([])
  expect(mermaid).toBe(`flowchart LR
  input0(["X"])
  subgraph step1["inner (latest)"]
    step1_input0(["A"])
    step1_step1["m (latest)"]
    step1_input0 -- "A" --> step1_step1
    step1_output0(["B"])
    step1_step1 -- "B" --> step1_output0
  end
  step2["inner (latest)"]
  input0 -- "X" --> step1_input0
  step1_output0 -- "y" --> step2
  output0(["Z"])
  step2 -- "Z" --> output0
`)
})

test('what is wrong is said, and the rest is drawn', async () => {
  const { mermaid, problems } = await graphOf('e', {
    m: model(['IN'], ['OUT']),
    unreadable: 'max_batch_sizee: 1',
    e: ensemble(
      ['A'],
      ['Z'],
      step('m', { IN: 'A' }, { OUT: 'b' }),
      step('nope', { IN: 'b', MORE: 'lost' }, { OUT: 'c' }),
      step('unreadable', { IN: 'c' }, { OUT: 'Z' }),
    ),
  })
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^model 'e': .*config\.pbtxt:\d+:\d+: .*'lost', is not connected$/)
  expect(problems[1]).toMatch(/^model 'unreadable': .*config\.pbtxt:1:1: .*max_batch_sizee/)
  expect(mermaid).toContain('  step2["nope (latest)<br/>not available"]:::problem\n')
  expect(mermaid).toContain('  step3["unreadable (latest)<br/>not available"]:::problem\n')
  expect(mermaid).toContain('(["lost<br/>comes from nowhere"]):::problem\n')
  expect(mermaid).toContain('  step1 -- "b" --> step2\n')
  expect(mermaid).toContain('  classDef problem ')
})

test.each([
  [
    { m: model(['IN'], ['OUT']), e: ensemble(['A'], ['Z'], step('m', { IN: 'A' }, { NOPE: 'Z' })) },
    'in ensemble e, ensemble tensor Z is mapped from non-existing output NOPE in model m',
  ],
  [
    { m: model(['IN'], ['OUT']), e: ensemble(['A'], ['Z'], step('m', { IN: 'A' }, { OUT: 'Z' }, 3)) },
    "ensemble 'e' depends on 'm' whose required version 3 is not loaded.",
  ],
  [
    { e: ensemble(['A'], ['Z'], step('m', { IN: 'A' }, { OUT: 'Z' })) },
    'ensemble e contains models that are not available or ambiguous: m',
  ],
  [
    { e: ensemble(['A'], ['Z'], step('e', { A: 'A' }, { Z: 'Z' })) },
    'circular dependency between ensembles: e -> ... -> e -> e',
  ],
  [{}, "model 'e' is not in any model repository"],
])('problem %#', async (configs: Record<string, string>, problem) => {
  expect((await graphOf('e', configs)).problems).toEqual([problem])
})

test('what a backend would complete is no problem', async () => {
  const { problems } = await graphOf('e', {
    m: 'backend: "onnxruntime"',
    e: ensemble(['A'], ['Z'], step('m', { IN: 'A' }, { OUT: 'Z' })),
  })
  expect(problems).toEqual([])
})

test('a model that is no ensemble has inputs and outputs', async () => {
  const { mermaid } = await graphOf('m', { m: model(['IN'], ['OUT']) })
  expect(mermaid).toBe(`flowchart LR
  model["m"]
  input0(["IN"])
  input0 -- "IN" --> model
  output0(["OUT"])
  model -- "OUT" --> output0
`)
})

test('names cannot break out of the chart', () => {
  const { config } = parseModelConfig(model(['a"] --> x["`#'], []).replace('"a"] --> x["`#"', `'a"] --> x["\`#'`))
  expect(modelToMermaid('m', new Map([['m', config]]))).toContain('input0(["a#34;] --#62; x[#34;#96;#35;"])')
})

test('a repository that is not there is an error', async () => {
  await expect(modelGraph('m', { modelRepository: '/nowhere' })).rejects.toThrow(/not a valid directory: '\/nowhere'/)
})
