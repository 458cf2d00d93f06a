import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { nativeDirectory } from '@triton-ts/backend-native'
import { Server } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { onlyNative, recordingLogger } from './contract/executors.ts'
import { identity } from './contract/models.ts'
import { onnx } from './index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const nowhere = import.meta.dirname
const withoutNative = () => vi.stubEnv('TRITON_TS_NATIVE_DIR', nowhere)

test('without the native parts models run in workers, and the log tells why', async () => {
  withoutNative()
  const backend = onnx()
  const reason = `TRITON_TS_NATIVE_DIR is set, but there is no triton_host.node in '${nowhere}'`
  expect(backend).toMatchObject({ name: 'onnxruntime', executor: 'worker', reasons: [reason] })
  const { logger, texts } = recordingLogger()
  await using repository = await modelRepository({ 'm/1/model.onnx': identity('FP32', ['n', 1]) })
  await using server = await Server.start({ modelRepository: repository.path, backends: [backend], logger })
  expect(await server.isReady()).toBe(true)
  expect(texts('info')).toContain(`model 'm' version 1 runs on ONNX Runtime in worker threads: ${reason}`)
})

test('who insists on native gets the error of the loader', async () => {
  withoutNative()
  const backend = onnx({ executor: 'native' })
  expect(backend).toMatchObject({ executor: 'native', reasons: [expect.stringContaining(nowhere)] })
  await using repository = await modelRepository({ 'm/1/model.onnx': identity('FP32', ['n', 1]) })
  await using server = new Server({ modelRepository: repository.path, backends: [backend] })
  await expect(server.start()).rejects.toThrow(
    /'m': the native backend host of triton-ts is not available:\n- TRITON_TS_NATIVE_DIR .*\nPossible solutions:/,
  )
})

test('who wants workers gets them', () => {
  expect(onnx({ executor: 'worker' })).toMatchObject({ executor: 'worker', reasons: ['the option executor says so'] })
})

onlyNative(() => {
  test('native is the default', () => {
    expect(onnx()).toMatchObject({ executor: 'native', reasons: [] })
  })

  test('a backend host without the library of ONNX Runtime', async () => {
    const found = nativeDirectory()
    if ('reasons' in found) throw new Error('it was found before')
    await using files = await modelRepository({ 'native/backends/': '' })
    const directory = join(files.path, 'native')
    await symlink(join(found.directory, 'triton_host.node'), join(directory, 'triton_host.node'))
    vi.stubEnv('TRITON_TS_NATIVE_DIR', directory)
    expect(onnx()).toMatchObject({
      executor: 'worker',
      reasons: [`there is no libtriton_onnxruntime.so in '${join(directory, 'backends', 'onnxruntime')}'`],
    })
  })

  test('ONNX Runtime in another place', async () => {
    await using repository = await modelRepository({ 'm/1/model.onnx': identity('FP32', ['n', 1]) })
    await using server = new Server({
      modelRepository: repository.path,
      backends: [onnx({ executor: 'native' })],
      backendConfig: { onnxruntime: { 'onnxruntime-library': '/no/such/libonnxruntime.so.1' } },
    })
    await expect(server.start()).rejects.toThrow("cannot use ONNX Runtime at '/no/such/libonnxruntime.so.1': ")
  })
})
