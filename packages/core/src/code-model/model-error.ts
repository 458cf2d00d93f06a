import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TritonError } from '../errors.ts'

/**
 * What a model threw, as the error of a request or a load: with the place in the model's files where it was thrown. A
 * TritonError is what the model wants to say.
 */
export function modelError(error: unknown, model: string, directory: string): TritonError {
  if (error instanceof TritonError) return error
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`
  const place = error instanceof Error ? placeIn(directory, error.stack) : undefined
  const where = place === undefined ? '' : ` (${place})`
  return new TritonError('INTERNAL', `model '${model}': ${text.replaceAll(/\s*\n\s*/g, ' ')}${where}`, { cause: error })
}

/** `1/model.ts:3:7`, of the first frame that lies in the directory. */
function placeIn(directory: string, stack = ''): string | undefined {
  if (directory === '') return undefined
  for (const [, path = '', line, column] of stack.matchAll(
    /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()\n]*?):(\d+):(\d+)\)?$/gm,
  )) {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path
    const inside = relative(directory, file)
    if (!inside.startsWith('..') && !inside.includes('node_modules')) return `${inside}:${line}:${column}`
  }
  return undefined
}
