import { TritonError } from '../errors.ts'

/** One thing that is wrong (or, as a note, odd) in a model configuration. */
export interface ConfigProblem {
  /** Triton's own text where it has one. */
  readonly message: string
  /** The field, in the spelling of the text format: `input[0].dims`. */
  readonly path?: string | undefined
  readonly file?: string | undefined
  /** From 1. */
  readonly line?: number | undefined
  /** From 1, in characters; a tab is one. */
  readonly column?: number | undefined
}

const brand = Symbol.for('triton-ts.config-error')

/**
 * A configuration that cannot be used, with everything that is wrong in it. The message has one problem a line, as
 * `file:line:column: path: text` with the parts that are known; a single problem without a position is its bare text.
 */
export class ConfigError extends TritonError {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], options?: { cause?: unknown }) {
    super('INVALID_ARG', formatProblems(problems), options)
    this.problems = problems
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** The text of one problem: `config.pbtxt:3:7: input[0].dims: expected an integer`. */
export function formatProblem({ file, line, column, path, message }: ConfigProblem): string {
  const position = [file, line, line && column].filter((part) => part !== undefined && part !== '').join(':')
  return [position, path, message].filter((part) => part !== undefined && part !== '').join(': ')
}

function formatProblems(problems: readonly ConfigProblem[]): string {
  const [first, ...others] = problems
  if (first && others.length === 0 && first.file === undefined && first.line === undefined) return first.message
  return problems.map(formatProblem).join('\n')
}
