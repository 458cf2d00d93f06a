import { TritonError } from '../errors.ts'

/**
 * A model's name is the name of its directory, so it must not lead anywhere else.
 * @throws TritonError INVALID_ARG
 */
export function checkModelName(name: string): void {
  if (name.trim() === '') {
    throw new TritonError('INVALID_ARG', 'Model name cannot be empty. Please enter a valid name to deploy.')
  }
  if (name.includes('/') || name.includes('\\') || name.includes('\0') || name === '..' || name === '.') {
    throw new TritonError(
      'INVALID_ARG',
      `invalid model name '${name}', model name must not contain path traversal characters`,
    )
  }
}
