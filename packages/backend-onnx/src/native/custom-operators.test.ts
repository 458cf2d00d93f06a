import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nativeDirectory } from '@triton-ts/backend-native'
import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { onlyNative, withServer } from '../contract/executors.ts'
import { protoField } from '../contract/proto-field.ts'

const found = nativeDirectory()
/** `Triple` of the domain `triton_ts.test`. */
const library = 'directory' in found ? join(found.directory, 'test-backends/operators/custom_operators.so') : ''
const skips = !existsSync(library)
if (skips) console.log('skipped, the library of custom operators of native/test/backends is not built')

const domain = 'triton_ts.test'

/** OUT is 3 * IN, which only the library can compute. Protobuf joins a message that comes twice. */
const model = Buffer.concat([
  onnxModel({
    inputs: [{ name: 'IN', datatype: 'FP32', shape: ['n', 2] }],
    outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['n', 2] }],
    nodes: [],
  }),
  protoField(
    7,
    protoField(1, protoField(1, 'IN'), protoField(2, 'OUT'), protoField(4, 'Triple'), protoField(7, domain)),
  ),
  protoField(8, protoField(1, domain), Buffer.of(16, 1)),
])

onlyNative(() => {
  test.skipIf(skips).each(['m/1/', 'm/'])('custom operators in %s', async (directory) => {
    const files = {
      'm/1/model.onnx': model,
      [`${directory}operators.so`]: await readFile(library),
      'm/config.pbtxt': 'backend: "onnxruntime" model_operations { op_library_filename: "operators.so" }',
    }
    await withServer('native', files, async (server) => {
      const { OUT } = await server.infer('m', { IN: tensor('FP32', [2, 2], Float32Array.of(1, 2, 3, 4)) })
      expect(OUT).toMatchObject({ shape: [2, 2] })
      expect(OUT?.data).toEqual(Float32Array.of(3, 6, 9, 12))
    })
  })
})
