import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** The absolute path of `name` in `directory`; undefined when it lies outside, links followed. What is not there passes. */
export async function pathInside(directory: string, name: string): Promise<string | undefined> {
  const path = resolve(directory, name)
  if (!isInside(directory, path)) return undefined
  const target = await realpath(path).catch(() => undefined)
  return target === undefined || isInside(await realpath(directory), target) ? path : undefined
}

function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way)
}
