import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { TritonError } from '../errors.ts'

/**
 * What a model threw, as the error of a request or a load: with the place in the model's files where it was thrown. A
 * TritonError is what the model wants to say.
 */
export function modelError(error: unknown, model: string, directory: string): TritonError {
  if (error instanceof TritonError) return error
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${textOf(error)}`
  const place = error instanceof Error ? placeIn(directory, error.stack) : undefined
  const where = place === undefined ? '' : ` (${place})`
  return new TritonError('INTERNAL', `model '${model}': ${text.replaceAll(/\s*\n\s*/g, ' ')}${where}`, { cause: error })
}

const textOf = (thrown: unknown): string => (typeof thrown === 'string' ? thrown : inspect(thrown))

/** `    at run (file:///models/m/1/model.ts:3:7)`, or without the brackets. */
const frame = /^ {4}at (?:.*\()?(?:async )?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+:\d+)\)?$/

/** `1/model.ts:3:7`, of the first frame that lies in the directory. */
function placeIn(directory: string, stack = ''): string | undefined {
  if (directory === '') return undefined
  for (const line of stack.split('\n')) {
    const [, path, position] = frame.exec(line) ?? []
    if (path === undefined) continue
    const inside = relative(directory, path.startsWith('file:') ? fileURLToPath(path) : path)
    if (!inside.startsWith('..') && !inside.includes('node_modules')) return `${inside}:${position}`
  }
  return undefined
}
