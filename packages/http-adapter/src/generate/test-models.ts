import { Server, type ServerOptions, type Tensor, TritonError, tensor } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'
import { echoBackend, type ManualBackend, manualBackend, modelRepository } from '@triton-ts/testing'

const decoupled = 'model_transaction_policy { decoupled: true }'

const input = (name: string, type: string, dims: string, more = ''): string =>
  `input { name: "${name}" data_type: TYPE_${type} dims: ${dims} ${more} }`
const output = (name: string, type: string, dims: string): string =>
  `output { name: "${name}" data_type: TYPE_${type} dims: ${dims} }`

const text = `${input('TEXT', 'STRING', '1')} ${output('LETTER', 'STRING', '1')}`

const files: Record<string, string> = {
  'letters/config.pbtxt': `backend: "letters" ${decoupled} ${text}`,
  'half/config.pbtxt': `backend: "half" ${decoupled} ${text} ${output('NUMBER', 'FP16', '1')}`,
  'nothing/config.pbtxt': `backend: "nothing" ${input('TEXT', 'STRING', '1')} ${output('LETTER', 'STRING', '-1')}`,
  'parameters/config.pbtxt': `backend: "parameters" ${input('IN', 'INT32', '1', 'optional: true')} ${output('id', 'STRING', '1')}`,
  'blocks/config.pbtxt': `backend: "blocks" ${decoupled} ${input('COUNT', 'INT32', '1')} ${output('BLOCK', 'STRING', '1')}`,
  'manual/config.pbtxt': `backend: "manual" ${decoupled} ${text} instance_group { kind: KIND_CPU count: 1 }`,
  'nested/config.pbtxt': `backend: "identity" ${input('parameters', 'INT32', '1')} ${output('OUT', 'INT32', '1')}`,
  'matrix/config.pbtxt': `backend: "identity" max_batch_size: 8 ${input('IN', 'INT32', '[-1, 3]')} ${output('OUT', 'INT32', '[-1, 3]')}`,
}
const types = ['BOOL', 'UINT8', 'INT8', 'INT16', 'INT64', 'UINT64', 'FP16', 'FP32', 'FP64', 'STRING']
for (const type of types) {
  const name = type.toLowerCase()
  files[`${name}/config.pbtxt`] = `backend: "identity" ${input('IN', type, '-1')} ${output('OUT', type, '-1')}`
}
for (const path of Object.keys(files)) files[path.replace('config.pbtxt', '1/')] = ''

/** Bytes of a response of the model `blocks`. */
export const blockSize = 64 * 1024

export interface GenerateServer extends AsyncDisposable {
  readonly server: Server
  /** Takes the requests of the model `manual`. */
  readonly backend: ManualBackend
  /** What `blocks` is doing for its latest request. */
  readonly blocks: BlockLog
}

/** A Server whose models have one response, many, none, or errors among them. */
export async function generateServer(options: ServerOptions = {}): Promise<GenerateServer> {
  const repository = await modelRepository(files)
  const backend = manualBackend()
  const blocks = new BlockLog()
  const server = await Server.start({
    modelRepository: repository.path,
    backends: [
      echoBackend(),
      backend,
      inline('letters', spell),
      inline('half', halfInJson),
      inline('nothing', (request) => request.respond({ outputs: { LETTER: tensor('BYTES', [0], []) } })),
      inline('parameters', echoParameters),
      inline('blocks', (request) => blocks.send(request)),
    ],
    ...options,
  })
  return {
    server,
    backend,
    blocks,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await repository[Symbol.asyncDispose]()
    },
  }
}

function inline(name: string, answer: (request: ExecutionRequest) => Promise<void> | void): Backend {
  return {
    name,
    createModel: async () => ({
      createInstance: async () => ({
        async execute(requests) {
          for (const request of requests) await answer(request)
        },
        async dispose() {},
      }),
      async dispose() {},
    }),
  }
}

/** A response for each letter of TEXT. In the place of `E` one fails, `!` fails the request, `.` is an empty end. */
function spell(request: ExecutionRequest): void {
  const [text = ''] = request.inputs.get('TEXT')?.strings() ?? []
  for (const letter of text) {
    if (letter === '!') {
      request.fail(new TritonError('UNAVAILABLE', 'the request failed'))
      return
    }
    if (letter === 'E') request.fail(new TritonError('NOT_FOUND', 'no such letter'), { final: false })
    else request.respond({ outputs: { LETTER: tensor('BYTES', [1], [letter]) } }, { final: false })
  }
  request.end()
}

/** A response that has no JSON form, and one that has. */
function halfInJson(request: ExecutionRequest): void {
  request.respond({ outputs: { NUMBER: tensor('FP16', [1], new Uint16Array(1)) } }, { final: false })
  request.respond({ outputs: { LETTER: request.inputs.get('TEXT') as Tensor } })
}

/** The request's parameters come back as those of the response. */
function echoParameters(request: ExecutionRequest): void {
  const value = request.inputs.get('IN')?.data[0]
  const outputs = { id: tensor('BYTES', [1], [`IN ${value}`]) }
  request.respond({ outputs, parameters: { ...request.parameters, model_name: 'not this' } })
}

/** Sends COUNT blocks, each when there is room for it. */
export class BlockLog {
  sent = 0
  /** Resolves when the model has to wait for room, for the first time in its next request. */
  waits!: Promise<void>
  /** Resolves when its next request is through. */
  done!: Promise<void>
  #tellWaits!: () => void
  #tellDone!: () => void

  constructor() {
    this.#watch()
  }

  #watch(): void {
    this.waits = new Promise((resolve) => {
      this.#tellWaits = resolve
    })
    this.done = new Promise((resolve) => {
      this.#tellDone = resolve
    })
  }

  async send(request: ExecutionRequest): Promise<void> {
    this.sent = 0
    const count = request.inputs.get('COUNT')?.data[0] as number
    const block = tensor('BYTES', [1], ['x'.repeat(blockSize)])
    while (this.sent < count && !request.isCancelled) {
      const room = request.room()
      if (room === undefined) {
        this.sent++
        request.respond({ outputs: { BLOCK: block } }, { final: false })
      } else {
        this.#tellWaits()
        await room
      }
    }
    request.end()
    this.#tellDone()
    this.#watch()
  }
}
