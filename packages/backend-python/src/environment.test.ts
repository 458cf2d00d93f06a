import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { modelRepository } from '@triton-ts/testing'
import { expect } from 'vitest'
import { unpackedEnvironment } from './environment/environment-archive.ts'
import { ask, config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const run = promisify(execFile)
const test = pythonTest()
const inEnvironment = model(`
    def execute(self, requests):
        return [answer([int(os.environ.get("VIRTUAL_ENV") == sys.prefix), int(os.environ["PATH"].startswith(sys.prefix))]) for _ in requests]`)
const parameter = (path: string) => config(`parameters { key: "EXECUTION_ENV_PATH" value { string_value: "${path}" } }`)

/** A virtual environment without packages of its own that sees those of `executable`. */
async function makeEnvironment(executable: string, directory: string): Promise<void> {
  await run(executable, ['-m', 'venv', '--without-pip', directory])
  const { stdout } = await run(executable, [
    '-c',
    'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))',
  ])
  const packages = join(directory, 'lib', (await readdir(join(directory, 'lib')))[0] ?? '', 'site-packages')
  await writeFile(join(packages, 'other.pth'), stdout)
}

test('a virtual environment in the directory of the model', async ({ executable }) => {
  await using files = await modelRepository({
    'm/config.pbtxt': parameter('$$TRITON_MODEL_DIRECTORY/venv'),
    'm/1/model.py': inEnvironment,
  })
  await makeEnvironment(executable, join(files.path, 'm/venv'))
  await using rig = await PythonRig.start('/does/not/exist', {}, { modelRepository: files.path })
  expect(await ask(rig.server, 1)).toEqual([1, 1])
})

test('an archive is unpacked once, until it changes', async ({ executable }) => {
  await using files = await modelRepository({ 'environment/note': 'one' })
  await makeEnvironment(executable, join(files.path, 'environment'))
  const archive = join(files.path, 'environment.tar.gz')
  await run('tar', ['-czf', archive, '-C', join(files.path, 'environment'), '.'])
  const cache = join(files.path, 'cache')
  const unpack = () => unpackedEnvironment(archive, cache, AbortSignal.timeout(30_000))
  const [first, second] = await Promise.all([unpack(), unpack()])
  expect(second).toBe(first)
  expect(await readdir(cache)).toHaveLength(1)
  expect(await readdir(first)).toContain('note')
  await utimes(archive, 1, 1)
  expect(await unpack()).not.toBe(first)
})

test('an archive that is none, or leads out of its directory, is refused', async ({ executable }) => {
  await using files = await modelRepository({ 'bad.tar.gz': 'no archive' })
  const cache = join(files.path, 'cache')
  const unpack = (name: string) => unpackedEnvironment(join(files.path, name), cache, AbortSignal.timeout(30_000))
  await expect(unpack('bad.tar.gz')).rejects.toThrow(/EXECUTION_ENV_PATH: .*bad\.tar\.gz cannot be unpacked: /)
  const pack = `
import io, sys, tarfile
with tarfile.open(sys.argv[1], "w:gz") as archive:
    link = tarfile.TarInfo("out")
    link.type, link.linkname = tarfile.SYMTYPE, "../.."
    archive.addfile(link)
    for name in ("out/escaped", "../../escaped"):
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())`
  await run(executable, ['-c', pack, join(files.path, 'escapes.tar.gz')])
  await expect(unpack('escapes.tar.gz')).rejects.toThrow('escapes.tar.gz cannot be unpacked')
  expect((await readdir(files.path)).sort()).toEqual(['bad.tar.gz', 'cache', 'escapes.tar.gz'])
  // What failed is tried again, not taken for complete.
  await expect(unpack('escapes.tar.gz')).rejects.toThrow('escapes.tar.gz cannot be unpacked')
})

test('what is missing is said', async () => {
  const start = (text: string, executable: string) =>
    PythonRig.start(executable, { 'm/config.pbtxt': text, 'm/1/model.py': inEnvironment })
  await expect(start(config(), '/does/not/exist')).rejects.toThrow(
    "there is no '/does/not/exist': install Python 3.8 or later with numpy",
  )
  await expect(start(parameter('/does/not/exist'), 'python3')).rejects.toThrow(
    'Failed to get the canonical path for /does/not/exist.',
  )
  await expect(start(parameter('/usr/share'), 'python3')).rejects.toThrow(
    'there is no Python environment at /usr/share',
  )
})

test('a directory of backends has Python-based backends', async ({ executable }) => {
  await using backends = await modelRepository({
    'mine/model.py': model(`
    def execute(self, requests):
        return [answer([len(pb_utils.get_model_dir()), 7]) for _ in requests]`),
  })
  await mkdir(join(backends.path, 'empty'), { recursive: true })
  await cp(join(backends.path, 'mine'), join(backends.path, 'other'), { recursive: true })
  await using rig = await PythonRig.start(
    executable,
    { 'm/config.pbtxt': config().replace('"python"', '"mine"'), 'm/1/': '' },
    { directory: backends.path },
  )
  expect((await ask(rig.server, 1))[1]).toBe(7)
})
