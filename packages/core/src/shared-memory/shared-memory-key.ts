import { TritonError } from '../errors.ts'

/** Where POSIX shared memory is files, on Linux. */
const directory = '/dev/shm'

/** What backends share with their processes. Source: Triton, server/src/common.h. */
const reservedPrefix = 'triton_python_backend_shm_region_'

/**
 * The file of a key, as `shm_open` finds it: slashes in front do not matter, and there is no other.
 * @param region whose key it is, for errors.
 * @throws TritonError INVALID_ARG or INTERNAL with Triton's texts, UNSUPPORTED on other systems than Linux.
 */
export function sharedMemoryFile(key: string, region: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'linux') {
    throw new TritonError('UNSUPPORTED', 'system shared memory needs Linux, where it is files in /dev/shm')
  }
  const name = key.replace(/^\/+/, '')
  if (name === '' || name.includes('\0')) {
    throw new TritonError('INVALID_ARG', `cannot register shared memory region '${region}' - invalid shm key '${key}'`)
  }
  if (name.startsWith(reservedPrefix)) {
    throw new TritonError(
      'INVALID_ARG',
      `cannot register shared memory region '${region}' with key '${key}' as the key contains the reserved prefix '${reservedPrefix}'`,
    )
  }
  if (name.includes('/') || name === '.' || name === '..') throw cannotOpen(key)
  return `${directory}/${name}`
}

/** Triton does not tell clients why. */
export function cannotOpen(key: string, cause?: unknown): TritonError {
  return new TritonError('INTERNAL', `Unable to open shared memory region: '${key}'`, { cause })
}
