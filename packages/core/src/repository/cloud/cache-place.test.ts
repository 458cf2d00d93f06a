import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { cloudRig, opened, temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { withModel } from '../../fixtures/memory-store.ts'
import { cachePlace } from './cache-place.ts'

test('everything in the cache is for its user alone', async () => {
  const { source, cache } = await cloudRig({ store: withModel(), cache: join(await temporaryDirectory(), 'new') })
  const { directory } = await opened(source)
  for (const path of [cache, join(cache, 'blobs'), join(cache, 'models'), directory])
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect((await stat(join(directory, 'config.pbtxt'))).mode & 0o777).toBe(0o400)
})

test('a cache that cannot be made is an error that names it', async () => {
  const file = join(await temporaryDirectory(), 'file')
  await writeFile(file, '')
  const { source } = await cloudRig({ store: withModel(), cache: join(file, 'cache') })
  await expect(opened(source)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining(`cannot keep models of cloud repositories in '${join(file, 'cache')}'`),
  })
})

test('the directory is the given one, else that of the variable of the cloud, else in the caches of the user', async () => {
  const root = await temporaryDirectory()
  const env = {
    XDG_CACHE_HOME: join(root, 'xdg'),
    TRITON_AWS_MOUNT_DIRECTORY: join(root, 'aws'),
    TRITON_GCS_MOUNT_DIRECTORY: join(root, 'gcs'),
    TRITON_AZURE_MOUNT_DIRECTORY: join(root, 'azure'),
  }
  expect(await cachePlace('s3://b', join(root, 'given'), env)).toBe(join(root, 'given'))
  expect(await cachePlace('s3://b', undefined, env)).toBe(join(root, 'aws'))
  expect(await cachePlace('gs://b', undefined, env)).toBe(join(root, 'gcs'))
  expect(await cachePlace('as://b', undefined, env)).toBe(join(root, 'azure'))
  const caches = { ...env, TRITON_AWS_MOUNT_DIRECTORY: '' }
  expect(await cachePlace('s3://b', undefined, caches)).toBe(join(root, 'xdg/triton-ts'))
  await mkdir(join(root, 'home'))
  expect(await cachePlace('s3://b', undefined, { HOME: join(root, 'home') })).toBe(join(root, 'home/.cache/triton-ts'))
})

test('a relative path is one below where the process is now', async () => {
  const root = await temporaryDirectory()
  const place = await cachePlace('s3://b', relative(process.cwd(), join(root, 'cache')))
  expect(place).toBe(join(root, 'cache'))
})

test('where the user can write to no cache, it is in the temporary directory', async () => {
  const root = await temporaryDirectory()
  const file = join(root, 'file')
  await writeFile(file, '')
  expect(await cachePlace('s3://b', undefined, { XDG_CACHE_HOME: file, TMPDIR: root })).toBe(join(root, 'triton-ts'))
  await expect(cachePlace('s3://b', undefined, { TRITON_AWS_MOUNT_DIRECTORY: file })).rejects.toThrow('name another')
})
