import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const clients = fileURLToPath(new URL('../clients/', import.meta.url))
const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url))
const installTimeoutMs = 300_000
const scriptTimeoutMs = 120_000

/** A Python interpreter with the clients of `clients/requirements.txt`, or why this machine has none. */
export type PythonEnvironment = { python: string } | { missing: string }

/** Makes a virtual environment in the repository's `.cache` folder, once for each content of the requirements file. */
export async function preparePython(): Promise<PythonEnvironment> {
  const requirements = join(clients, 'requirements.txt')
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  const directory = join(cache, `python-${hash.slice(0, 12)}`)
  const bin = join(directory, process.platform === 'win32' ? 'Scripts' : 'bin')
  const python = join(bin, 'python')
  const complete = join(directory, 'complete')
  // `python` is a link to an interpreter that may have been removed since.
  if (!existsSync(complete) || !existsSync(python)) {
    await rm(directory, { recursive: true, force: true })
    await mkdir(cache, { recursive: true })
    try {
      await run('python3', ['-m', 'venv', directory], { timeout: installTimeoutMs })
      const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--only-binary=:all:']
      await run(python, ['-m', 'pip', 'install', ...options, '-r', requirements], { timeout: installTimeoutMs })
    } catch (error) {
      return { missing: `no Python with tritonclient: ${lastLine(error)}` }
    }
    await writeFile(complete, '')
  }
  return { python }
}

/** Runs a script of `clients/` and returns what it printed. */
export async function runClient(python: string, script: string, args: string[]): Promise<string> {
  const { stdout } = await run(python, [join(clients, script), ...args], { timeout: scriptTimeoutMs })
  return stdout
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error && error.stderr ? String(error.stderr) : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
