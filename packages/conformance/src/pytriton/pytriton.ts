import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withProcessLock } from './process-lock.ts'

const run = promisify(execFile)
const python = 'python3.11'
const wheel = 'nvidia-pytriton==0.7.0'
/** What the stub of that release works with. */
const numpy = 'numpy==1.26.4'
/** The repository's `.cache`; a bundle of this file lies elsewhere and is told. */
const cache = resolve(process.env.TRITON_TS_CACHE ?? fileURLToPath(new URL('../../../../.cache/', import.meta.url)))
const root = join(cache, 'pytriton-0.7.0')
const triton = join(root, 'pytriton/tritonserver')
const downloadTimeoutMs = 300_000
/** Without a network one answer is enough. */
const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input', '--retries', '1']

/** What NVIDIA publishes of Triton 2.51 on PyPI: the server and the Python backend, as compiled by NVIDIA. */
export interface Pytriton {
  /** Triton's backend directory; it holds `python`. */
  readonly backends: string
  /** Triton's cache directory; it holds `local`. */
  readonly caches: string
  /** The real tritonserver. */
  readonly server: string
  /** What the environment of that server needs beside the usual. */
  readonly environment: Readonly<Record<string, string>>
}

let prepared: Promise<Pytriton | { readonly missing: string }> | undefined

/** Fetches it into the repository's `.cache` folder, once; or says why this machine cannot. */
export function preparePytriton(): Promise<Pytriton | { readonly missing: string }> {
  prepared ??= prepare().catch((error: unknown) => ({ missing: `no ${wheel} with Python 3.11: ${lastLine(error)}` }))
  return prepared
}

async function prepare(): Promise<Pytriton> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('its wheel is for linux-x64 only')
  const library = await findLibpython()
  await mkdir(cache, { recursive: true })
  const complete = join(root, 'complete')
  await withProcessLock(`${root}.lock`, async () => {
    if (existsSync(complete)) return
    await rm(root, { recursive: true, force: true })
    await unpack()
    await run(python, ['-m', 'venv', join(root, 'python')], { timeout: downloadTimeoutMs })
    const options = ['--only-binary=:all:', numpy]
    await run(join(root, 'python/bin/python'), [...pip, 'install', ...options], { timeout: downloadTimeoutMs })
    await installStub(library)
    await writeFile(complete, '')
  })
  return {
    backends: join(triton, 'backends'),
    caches: join(triton, 'caches'),
    server: join(triton, 'bin/tritonserver'),
    environment: { LD_LIBRARY_PATH: `${library}:${join(root, 'nvidia_pytriton.libs')}` },
  }
}

/** The directory of the interpreter's shared library, which the stub is linked with. */
async function findLibpython(): Promise<string> {
  const script = 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))'
  const { stdout } = await run(python, ['-c', script], { timeout: 10_000 })
  const library = stdout.trim()
  const file = join(library, 'libpython3.11.so.1.0')
  if (!existsSync(file)) throw new Error(`it was built without a shared library, there is no ${file}`)
  return library
}

async function unpack(): Promise<void> {
  const download = join(root, 'download')
  const options = ['--no-deps', '--only-binary=:all:', '--dest', download]
  await run(python, [...pip, 'download', ...options, wheel], { timeout: downloadTimeoutMs })
  const [file = ''] = await readdir(download)
  await run(python, ['-m', 'zipfile', '-e', join(download, file), root], { timeout: downloadTimeoutMs })
  await rm(download, { recursive: true })
  await chmod(join(triton, 'bin/tritonserver'), 0o755)
}

/**
 * The backend starts one process of this for each instance. The stub's interpreter ignores Python's own variables and
 * takes its packages from the virtual environment that it finds on the path.
 */
async function installStub(library: string): Promise<void> {
  const stub = join(triton, 'python_backend_stubs/3.11/triton_python_backend_stub')
  await chmod(stub, 0o755)
  const script = [
    '#!/bin/sh',
    `export LD_LIBRARY_PATH='${library}' PATH='${join(root, 'python/bin')}':"$PATH"`,
    `exec '${stub}' "$@"`,
    '',
  ]
  await writeFile(join(triton, 'backends/python/triton_python_backend_stub'), script.join('\n'), { mode: 0o755 })
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error && error.stderr ? String(error.stderr) : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
