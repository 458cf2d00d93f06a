import { Server } from '@triton-ts/core'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { echoBackend, modelRepository } from '@triton-ts/testing'
import { onCpuRequest, report } from './peer.ts'

/** triton-ts with an inline identity model of any length: what is left is the engine and the HTTP adapter. */
const repository = await modelRepository({
  'identity/config.pbtxt': `backend: "identity" max_batch_size: 8
    input { name: "INPUT0" data_type: TYPE_FP32 dims: -1 }
    output { name: "OUTPUT0" data_type: TYPE_FP32 dims: -1 }`,
  'identity/1/': '',
})
const server = await Server.start({ modelRepository: repository.path, backends: [echoBackend({ history: 0 })] })
const { port } = await serveHttp(server, { port: 0, host: '127.0.0.1' })
report({ port })
onCpuRequest()
process.on('disconnect', () => {
  void repository[Symbol.asyncDispose]().then(() => process.exit())
})
