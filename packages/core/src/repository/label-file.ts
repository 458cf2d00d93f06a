import { readFile } from 'node:fs/promises'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { pathInside } from './path-inside.ts'

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
    const path = await pathInside(directory, labelFilename)
    if (path === undefined) {
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
