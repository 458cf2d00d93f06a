import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { loadBinding } from './load-binding.ts'
import { nativeDirectory } from './native-directory.ts'

const platform = { environment: {}, platform: 'linux', architecture: 'x64' }
const host = 'triton_host.node'

test('the environment comes first', async () => {
  await using files = await modelRepository({ [`own/${host}`]: '', [`native/build/Release/${host}`]: '' })
  const directory = join(files.path, 'own')
  const file = join(files.path, 'packages/p/src/a.ts')
  const environment = { TRITON_TS_NATIVE_DIR: directory }
  expect(nativeDirectory({ ...platform, file, environment })).toEqual({ directory, source: 'environment' })
  expect(nativeDirectory({ ...platform, file, environment: { TRITON_TS_NATIVE_DIR: files.path } })).toEqual({
    reasons: [`TRITON_TS_NATIVE_DIR is set, but there is no ${host} in '${files.path}'`],
  })
})

test('a build of the repository comes before a package', async () => {
  await using files = await modelRepository({
    'native/CMakeLists.txt': '',
    [`native/build/Release/${host}`]: '',
    'packages/p/src/a.ts': '',
    'node_modules/@triton-ts/native-linux-x64/package.json': '{}',
    [`node_modules/@triton-ts/native-linux-x64/${host}`]: '',
  })
  const file = join(files.path, 'packages/p/src/a.ts')
  expect(nativeDirectory({ ...platform, file })).toEqual({
    directory: join(files.path, 'native/build/Release'),
    source: 'build',
  })
})

test('the package of the platform', async () => {
  await using files = await modelRepository({
    'node_modules/@triton-ts/native-linux-x64/package.json': '{}',
    [`node_modules/@triton-ts/native-linux-x64/${host}`]: '',
    'node_modules/@triton-ts/native-linux-arm64/package.json': '{}',
    'node_modules/@triton-ts/backend-native/dist/index.js': '',
  })
  const file = join(files.path, 'node_modules/@triton-ts/backend-native/dist/index.js')
  const packages = join(files.path, 'node_modules/@triton-ts')
  expect(nativeDirectory({ ...platform, file })).toEqual({
    directory: join(packages, 'native-linux-x64'),
    source: 'package',
  })
  expect(nativeDirectory({ ...platform, file, architecture: 'arm64' })).toEqual({
    reasons: [
      `the package @triton-ts/native-linux-arm64 is incomplete: there is no ${host} in '${join(packages, 'native-linux-arm64')}'`,
    ],
  })
  expect(nativeDirectory({ ...platform, file, platform: 'win32' })).toEqual({
    reasons: ['the package @triton-ts/native-win32-x64 is not installed'],
  })
})

test('an addon that is nowhere: all reasons, and what to do', () => {
  expect(() => loadBinding({ reasons: ['one', 'two'] })).toThrow(
    /^the native backend host of triton-ts is not available:\n- one\n- two\nPossible solutions:\n- /,
  )
})

test('an addon that does not load tells why', async () => {
  await using files = await modelRepository({ [host]: 'no library' })
  expect(() => loadBinding({ directory: files.path, source: 'environment' })).toThrow(
    /triton_host\.node' does not load: .*(invalid ELF header|file too short)/,
  )
})
