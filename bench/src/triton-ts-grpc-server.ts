import { Server as GrpcJsServer, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { createMethods, Metadata, serveGrpc, type UnaryMethod } from '@triton-ts/grpc-adapter'
import { onCpuRequest, report } from './peer.ts'

/** triton-ts with ONNX Runtime over gRPC. Its arguments: the repository's path, and what carries the calls. */
const [, , modelRepository = '', transport] = process.argv
const path = '/inference.GRPCInferenceService/ModelInfer'
const server = await Server.start({ modelRepository, backends: [onnx({ executor: 'native' })] })
report({ port: transport === 'grpc-js' ? await serveWithGrpcJs() : (await serveGrpc(server, { port: 0 })).port })
onCpuRequest()
process.on('disconnect', () => process.exit())

/** The same method, carried by @grpc/grpc-js. */
async function serveWithGrpcJs(): Promise<number> {
  const method = createMethods(server, { reflection: false }).get(path) as UnaryMethod
  const same = (bytes: Buffer): Buffer => bytes
  const metadata = new Metadata([])
  const handle = async (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): Promise<void> => {
    const { signal } = new AbortController()
    const onCancel = (cancel: () => void) => void call.on('cancelled', cancel)
    const parts = await method.handle(call.request, { path, metadata, signal, onCancel, peer: call.getPeer() })
    callback(null, Buffer.concat(parts))
  }
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
  const limits = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 }
  const grpc = new GrpcJsServer(limits)
  const implementation = { ModelInfer: handle as never }
  grpc.addService({ ModelInfer: definition }, implementation)
  return new Promise((resolve, reject) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    )
  })
}
