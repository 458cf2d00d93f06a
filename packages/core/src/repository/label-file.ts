import { readFile, realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'

/** Class labels by output name; line n of a label file is class n. */
export type Labels = ReadonlyMap<string, readonly string[]>

/**
 * Reads the label files that a configuration names.
 * @throws TritonError when a file is missing (INTERNAL) or lies outside the model directory, links followed (UNSUPPORTED).
 */
export async function readLabels(config: ModelConfig, directory: string): Promise<Labels> {
  const labels = new Map<string, readonly string[]>()
  for (const { name, labelFilename } of config.output) {
    if (labelFilename === '') continue
    const path = resolve(directory, labelFilename)
    if (!isBelow(directory, path) || !(await isReallyBelow(directory, path))) {
      throw new TritonError(
        'UNSUPPORTED',
        `label file path '${labelFilename}' for output '${name}' in model '${config.name}' is outside model directory`,
      )
    }
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new TritonError('INTERNAL', `failed to open text file for read ${path}`, { cause })
    })
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    labels.set(name, lines)
  }
  return labels
}

const isBelow = (directory: string, path: string): boolean => relative(directory, path).split(sep)[0] !== '..'

/** True also for what is not there, which fails when it is read. */
async function isReallyBelow(directory: string, path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => undefined)
  return target === undefined || isBelow(await realpath(directory), target)
}
