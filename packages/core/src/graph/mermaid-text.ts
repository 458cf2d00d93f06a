/** Lines of a Mermaid flow chart. Node names are ours, so only labels hold what users wrote. */
export class MermaidText {
  readonly #lines: string[] = ['flowchart LR']
  readonly #classes = new Set<keyof typeof classes>()
  #depth = 1

  /** @param shape what stands around the label: `(["` and `"])` for instance. */
  node(id: string, label: readonly string[], shape: Shape, mark?: Mark): void {
    if (mark !== undefined) this.#classes.add(mark)
    const [open, close] = shapes[shape]
    this.#add(`${id}${open}"${label.map(escaped).join('<br/>')}"${close}${mark === undefined ? '' : `:::${mark}`}`)
  }

  edge(from: string, to: string, label: string, isOptional: boolean): void {
    const text = `"${escaped(label)}"`
    this.#add(isOptional ? `${from} -. ${text} .-> ${to}` : `${from} -- ${text} --> ${to}`)
  }

  subgraph(id: string, label: string, draw: () => void): void {
    this.#add(`subgraph ${id}["${escaped(label)}"]`)
    this.#depth++
    draw()
    this.#depth--
    this.#add('end')
  }

  /** The chart, with a line end at its end. */
  toString(): string {
    const styles = [...this.#classes].sort().map((name) => `  classDef ${name} ${classes[name]}`)
    return `${[...this.#lines, ...styles].join('\n')}\n`
  }

  #add(line: string): void {
    this.#lines.push(`${'  '.repeat(this.#depth)}${line}`)
  }
}

/** `decoupled`: one that may answer any number of times. */
type Shape = 'tensor' | 'model' | 'decoupled'
type Mark = keyof typeof classes

const shapes = {
  tensor: ['([', '])'],
  model: ['[', ']'],
  decoupled: ['[[', ']]'],
} as const

const classes = {
  optional: 'stroke-dasharray: 4 4',
  problem: 'stroke:#c00,stroke-width:2px',
} as const

const escaped = (text: string): string =>
  text.replace(/["#<>`&]/g, (character) => `#${character.charCodeAt(0)};`).replace(/\s+/g, ' ')
