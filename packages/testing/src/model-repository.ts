import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ModelConfigInput, modelConfigToPbtxt } from '@triton-ts/core'

/**
 * Files by path: `{ 'add/config.pbtxt': 'backend: "identity"', 'add/1/model.onnx': bytes }`. A path that ends in `/` is
 * an empty directory. A configuration may be an object: `{ 'add/config.pbtxt': { backend: 'identity' } }`.
 */
export type RepositoryFiles = Readonly<Record<string, string | Uint8Array | ModelConfigInput>>

/** A model repository in a temporary directory. */
export interface TemporaryRepository extends AsyncDisposable {
  readonly path: string
  /** Adds or replaces files. */
  write(files: RepositoryFiles): Promise<void>
  /** Removes a file or directory. */
  remove(path: string): Promise<void>
}

/** Makes a repository that is deleted when it is disposed: `await using repository = await modelRepository({...})`. */
export async function modelRepository(files: RepositoryFiles = {}): Promise<TemporaryRepository> {
  const path = await mkdtemp(join(tmpdir(), 'triton-ts-repository-'))
  const repository: TemporaryRepository = {
    path,
    async write(more) {
      for (const [name, content] of Object.entries(more)) {
        const target = join(path, name)
        if (name.endsWith('/')) await mkdir(target, { recursive: true })
        else {
          await mkdir(dirname(target), { recursive: true })
          await writeFile(target, isData(content) ? content : modelConfigToPbtxt(content))
        }
      }
    },
    remove: (name) => rm(join(path, name), { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
  try {
    await repository.write(files)
  } catch (error) {
    await repository[Symbol.asyncDispose]()
    throw error
  }
  return repository
}

const isData = (content: string | Uint8Array | ModelConfigInput): content is string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array
