import type { ConfigProblem } from './config-error.ts'
import type { SourcePosition } from './pbtxt-token.ts'

/**
 * Gives problems that were found after parsing the place in the text where their field, or the nearest message around
 * it, is set. Problems of a field that the text does not mention at all keep only the file.
 */
export function locateProblems(
  problems: readonly ConfigProblem[],
  positions: ReadonlyMap<string, SourcePosition>,
  file?: string,
): ConfigProblem[] {
  return problems.map((problem) => {
    const position = nearest(problem.path ?? '', positions)
    return { ...problem, ...(file !== undefined && { file }), ...position }
  })
}

function nearest(path: string, positions: ReadonlyMap<string, SourcePosition>): SourcePosition | undefined {
  for (let part = path; part !== ''; part = parent(part)) {
    const position = positions.get(part)
    if (position) return position
  }
  return undefined
}

/** `input[0].dims`, `input[0]`, `input`. */
const parent = (path: string): string => /^(.*)(?:\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])$/s.exec(path)?.[1] ?? ''
