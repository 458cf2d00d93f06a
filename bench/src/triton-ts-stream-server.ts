import { Server, tensor } from '@triton-ts/core'
import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { onCpuRequest, report } from './peer.ts'

/** triton-ts with a model that streams on the event loop; the repository's path is its argument. */
const [, , modelRepository = ''] = process.argv

const text = tensor('BYTES', [1], [' token'])

async function stream(request: ExecutionRequest): Promise<void> {
  const count = request.inputs.get('COUNT')?.data[0] as number
  for (let i = 0; i < count && !request.isCancelled; i++) {
    const room = request.room()
    if (room !== undefined) await room
    request.respond({ outputs: { TEXT: text } }, { final: false })
  }
  request.end()
}

const inline: Backend = {
  name: 'inline',
  createModel: async () => ({
    createInstance: async () => ({
      execute(requests) {
        for (const request of requests) {
          request.keep()
          void stream(request)
        }
      },
      async dispose() {},
    }),
    async dispose() {},
  }),
}

const server = await Server.start({ modelRepository, backends: [inline] })
const { port } = await serveHttp(server, { port: 0, host: '127.0.0.1' })
report({ port })
onCpuRequest()
process.on('disconnect', () => void server.stop().finally(() => process.exit()))
