import { python } from '@triton-ts/backend-python'
import { Server } from '@triton-ts/core'
import { serveHttp } from '@triton-ts/http-adapter/node'
import { onCpuRequest, report } from './peer.ts'

/** triton-ts with the Python backend: the repository's path and the interpreter are its arguments. */
const [, , modelRepository = '', executable] = process.argv
const server = await Server.start({ modelRepository, backends: [python({ executable })] })
const { port } = await serveHttp(server, { port: 0, host: '127.0.0.1' })
report({ port })
onCpuRequest()
process.on('disconnect', () => process.exit())
