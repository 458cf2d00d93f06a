import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { MissingNative } from '@triton-ts/backend-native'

const file = 'libonnxruntime.so.1'

/** Where the backend library looks by itself when it is told no path. */
const variable = 'TRITON_TS_ONNXRUNTIME'

export interface RuntimeFile {
  /** Absolute path of `libonnxruntime.so.1`; undefined: the environment variable TRITON_TS_ONNXRUNTIME names it. */
  readonly path: string | undefined
}

/** ONNX Runtime itself, as the package onnxruntime-node has it for this platform. */
export function runtimeFile(environment: NodeJS.ProcessEnv = process.env): RuntimeFile | MissingNative {
  if (environment[variable]) return { path: undefined }
  const { platform, arch } = process
  const binaries = join(dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')), 'bin/napi-v6')
  const path = join(binaries, platform, arch, file)
  return existsSync(path) ? { path } : { reasons: [`onnxruntime-node has no ${file} for ${platform}-${arch}`] }
}
