import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { platform, arch } = process
const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))

/** ONNX Runtime itself, as onnxruntime-node has it: an absolute path. */
export const onnxRuntime = join(folder, 'bin/napi-v6', platform, arch, 'libonnxruntime.so.1')
