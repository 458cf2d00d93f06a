import { access, constants, mkdir, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { TritonError } from '../../errors.ts'

/** Where models of cloud repositories are kept on this machine. Several Servers and processes may use one directory. */
export interface CloudCacheOptions {
  /**
   * Default: the directory that `TRITON_AWS_MOUNT_DIRECTORY`, `TRITON_GCS_MOUNT_DIRECTORY` or `TRITON_AZURE_MOUNT_DIRECTORY`
   * names, else `triton-ts` in `$XDG_CACHE_HOME` or `~/.cache`, else in the temporary directory of the system.
   */
  readonly directory?: string
  /** When a model has been brought, what no model uses is removed until the cache has at most that many bytes. Default: no limit. */
  readonly maxBytes?: number
}

/** Triton's variables for the directory that models of a cloud are brought to. */
const variables: Record<string, string> = {
  's3:': 'TRITON_AWS_MOUNT_DIRECTORY',
  'gs:': 'TRITON_GCS_MOUNT_DIRECTORY',
  'as:': 'TRITON_AZURE_MOUNT_DIRECTORY',
}

/**
 * The directory for the cache of a repository, made if it is not there: the given one, else that of Triton's variable for the
 * cloud, else `triton-ts` in `$XDG_CACHE_HOME` or `~/.cache`, else, where there is no home to write to, in the temporary
 * directory of the system.
 * @throws TritonError INTERNAL when it cannot be written to.
 */
export async function cachePlace(
  repository: string,
  given: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const variable = variables[repository.slice(0, repository.indexOf(':') + 1)]
  const wanted = given || (variable && env[variable])
  if (wanted) return usable(wanted)
  const caches = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache')
  return usable(join(caches, 'triton-ts')).catch(() => usable(join(env.TMPDIR || tmpdir(), 'triton-ts'), true))
}

/** @param isOwn whether it must belong to the user of this process: in a place that all may write to, another one could lay models. */
async function usable(path: string, isOwn = false): Promise<string> {
  // Backends get paths in it, also in other processes.
  const directory = resolve(path)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    if (isOwn && (await stat(directory)).uid !== (process.getuid?.() ?? 0))
      throw new Error('it belongs to another user')
    return directory
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TritonError(
      'INTERNAL',
      `cannot keep models of cloud repositories in '${directory}': ${why}; name another directory for the cache`,
      { cause },
    )
  }
}
