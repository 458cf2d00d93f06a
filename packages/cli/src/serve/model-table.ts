import type { ModelIndexEntry } from '@triton-ts/core'

const headers = ['Model', 'Version', 'Status']

/** The table of models that tritonserver prints when it has loaded them. */
export function modelTable(index: readonly ModelIndexEntry[]): string {
  const rows = index.map(({ name, version = '-', state, reason }) => [
    name,
    version,
    reason === undefined ? String(state) : `${state}: ${reason}`,
  ])
  const table = [headers, ...rows].map((row) => row.map((cell) => cell.split('\n')))
  const widths = headers.map((_, column) =>
    Math.max(...table.flatMap((row) => row[column]!.map((line) => line.length))),
  )
  const divider = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`
  const [head, ...body] = table.map((row) => tableRow(row, widths))
  return [divider, head, divider, ...body, divider].join('\n')
}

/** A row is as high as its highest cell. */
function tableRow(cells: readonly string[][], widths: readonly number[]): string {
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) => {
    const columns = widths.map((width, column) => ` ${(cells[column]?.[line] ?? '').padEnd(width)} |`)
    return `|${columns.join('')}`
  }).join('\n')
}
