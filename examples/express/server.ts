// Triton's HTTP protocol below /v2 of an Express application, beside the application's own routes.
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { kserve } from '@triton-ts/http-adapter/express'
import express from 'express'

const server = await Server.start({
  modelRepository: `${import.meta.dirname}/../model_repository`,
  backends: [onnx()],
})

const app = express()
app.use('/v2', kserve(server))
app.get('/', (_request, response) => {
  response.json(server.metadata())
})

const listener = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`http://localhost:${(listener.address() as { port: number }).port}/v2`)
})

process.once('SIGTERM', () => listener.close(() => server.stop()))
