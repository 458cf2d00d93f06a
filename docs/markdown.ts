/** A fenced block of a Markdown file. */
export interface CodeBlock {
  /** The words after the fence, `['ts', 'run']` for instance. */
  readonly info: readonly string[]
  readonly text: string
  /** Line of its first content, from 1. */
  readonly line: number
}

/** The fenced blocks of a Markdown text, in order. */
export function readCodeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const fence = /^(```+)(.*)$/.exec(lines[i]!)
    if (!fence) continue
    const end = lines.indexOf(fence[1]!, i + 1)
    if (end < 0) throw new Error(`the block that opens in line ${i + 1} does not close`)
    blocks.push({ info: fence[2]!.trim().split(/\s+/), text: lines.slice(i + 1, end).join('\n'), line: i + 2 })
    i = end
  }
  return blocks
}

/** A block to run, with what it should print: undefined when it asserts by itself. */
export interface Example {
  readonly code: string
  readonly line: number
  readonly output: string | undefined
}

/** The blocks that open with `ts run`, each with the `text` block that follows it directly. */
export function readExamples(markdown: string): Example[] {
  const blocks = readCodeBlocks(markdown)
  return blocks.flatMap(({ info, text, line }, i) => {
    if (info[0] !== 'ts' || info[1] !== 'run') return []
    const next = blocks[i + 1]
    return [{ code: text, line, output: next?.info[0] === 'text' ? next.text : undefined }]
  })
}
