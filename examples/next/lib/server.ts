import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'

/** One Server for the application; every module that imports it gets the same. */
export const server = await Server.start({
  modelRepository: process.env.MODEL_REPOSITORY ?? './models',
  backends: [onnx()],
})
