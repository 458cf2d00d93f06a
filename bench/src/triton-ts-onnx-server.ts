import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { onCpuRequest, report } from './peer.ts'

/** triton-ts with ONNX Runtime: the repository's path and the executor are its arguments. */
const [, , modelRepository = '', executor] = process.argv
const server = await Server.start({
  modelRepository,
  backends: [onnx({ executor: executor === 'worker' ? 'worker' : 'native' })],
})
const { port } = await serveHttp(server, { port: 0, host: '127.0.0.1' })
report({ port })
onCpuRequest()
process.on('disconnect', () => process.exit())
