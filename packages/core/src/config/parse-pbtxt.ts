import { ConfigError, type ConfigProblem } from './config-error.ts'
import { deepFreeze } from './message-value.ts'
import type { ModelConfig } from './model-config.ts'
import { PbtxtParser } from './pbtxt-parser.ts'
import type { SourcePosition } from './pbtxt-token.ts'
import { modelConfigSchema } from './schema.ts'
import { Tokenizer } from './tokenizer.ts'
import { decodeUtf8 } from './utf8.ts'

/** What a `config.pbtxt` says. */
export interface ParsedModelConfig {
  readonly config: ModelConfig
  /** Things that are odd but not wrong, for a lint. */
  readonly notes: readonly ConfigProblem[]
  /** Where each field was set first, by its path: `input[0].dims`. */
  readonly positions: ReadonlyMap<string, SourcePosition>
}

/**
 * Reads a model configuration in protobuf's text format, the content of a `config.pbtxt`. Nothing is completed or
 * validated yet: fields that the text does not set have protobuf's defaults.
 *
 * @param options.file names the text in problems and notes
 * @throws ConfigError with all problems of the text
 */
export function parseModelConfig(
  text: string | Uint8Array,
  options: { readonly file?: string | undefined } = {},
): ParsedModelConfig {
  const locate = (problem: ConfigProblem): ConfigProblem =>
    options.file === undefined ? problem : { ...problem, file: options.file }
  const decoded = decodeUtf8(text)
  if ('problem' in decoded) throw new ConfigError([locate(decoded.problem)])
  const parser = new PbtxtParser(new Tokenizer(decoded.value))
  const config = parser.parse(modelConfigSchema) as unknown as ModelConfig
  if (parser.problems.length > 0) {
    throw new ConfigError(fewestProblems(decoded.value, parser.problems).toSorted(byPosition).map(locate))
  }
  return { config: deepFreeze(config), notes: parser.notes.map(locate), positions: parser.positions }
}

/**
 * A forgotten quote turns the rest of the text inside out, because strings may span lines. Where reading every string
 * only to the end of its line leaves no more problems, those are the ones to show.
 */
function fewestProblems(text: string, problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const parser = new PbtxtParser(new Tokenizer(text, { singleLine: true }))
  parser.parse(modelConfigSchema)
  return parser.problems.length > 0 && parser.problems.length <= problems.length ? parser.problems : problems
}

/** A problem without a position comes last. */
const byPosition = (a: ConfigProblem, b: ConfigProblem): number =>
  (a.line ?? Number.MAX_VALUE) - (b.line ?? Number.MAX_VALUE) || (a.column ?? 0) - (b.column ?? 0)
