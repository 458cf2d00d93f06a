import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { onCpuRequest, report } from './peer.ts'

/**
 * triton-ts with ONNX Runtime. Its arguments: the repository's path, the executor, and the models that it begins with;
 * without one it has all and none is loaded or unloaded later.
 */
const [, , modelRepository = '', executor, ...loadModels] = process.argv
const server = await Server.start({
  modelRepository,
  backends: [onnx({ executor: executor === 'worker' ? 'worker' : 'native' })],
  ...(loadModels.length > 0 && { modelControl: 'explicit', loadModels }),
})
const { port } = await serveHttp(server, { port: 0, host: '127.0.0.1' })
report({ port })
onCpuRequest()
process.on('disconnect', () => process.exit())
