/** Where something stands in a text, both from 1; a tab is one character. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

export interface Token extends SourcePosition {
  /** `template` is an unfilled `${...}`; `invalid` is text that no configuration can contain. */
  readonly kind: 'name' | 'integer' | 'float' | 'string' | 'symbol' | 'template' | 'invalid' | 'end'
  /** As written, with the quotes of a string. */
  readonly text: string
  /** What is wrong with an `invalid` token. */
  readonly problem?: string
}

export const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text

/** The token as an error message names it. */
export function describeToken({ kind, text }: Token): string {
  if (kind === 'end') return 'the end of the file'
  const [line = ''] = text.split('\n', 1)
  const short = line.length > 40 || line.length < text.length ? `${line.slice(0, 40)}...` : line
  return kind === 'string' ? short : `'${short}'`
}
