// Triton's HTTP protocol below /v2 of a Fastify application, beside the application's own routes.
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { kserve } from '@triton-ts/http-adapter/fastify'
import Fastify from 'fastify'

const server = await Server.start({
  modelRepository: `${import.meta.dirname}/../model_repository`,
  backends: [onnx()],
})

const fastify = Fastify()
fastify.register(kserve, { server })
fastify.get('/', () => server.metadata())
fastify.addHook('onClose', () => server.stop())

console.log(`${await fastify.listen({ port: Number(process.env.PORT ?? 3000) })}/v2`)

process.once('SIGTERM', () => fastify.close())
