// Runs a model on the backend library that CMake has built: `npm start`.
import { native } from '@triton-ts/backend-native'
import { Server, tensor } from '@triton-ts/core'

const here = import.meta.dirname

await using server = await Server.start({
  modelRepository: `${here}/models`,
  backends: [native({ directory: `${here}/build/backends` })],
})
const { OUT } = await server.infer('double', { IN: tensor('FP32', [3], new Float32Array([1, 2, 3])) })
console.log([...OUT!.data])
