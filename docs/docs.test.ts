import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { readExamples } from './markdown.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache/docs')
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))].filter(
  (page) => page.endsWith('.md') && existsSync(join(root, page)),
)

/** Stands before every example, on its first line, so that line numbers hold. */
const prelude =
  "import { format as $format } from 'node:util';" +
  'export const $printed: string[] = [];' +
  'const console = { log: (...values: unknown[]): void => { $printed.push($format(...values)) } }; '

rmSync(cache, { recursive: true, force: true })
mkdirSync(cache, { recursive: true })
const examples = pages.flatMap((page) =>
  readExamples(readFileSync(join(root, page), 'utf8')).map(({ code, line, output }) => {
    const file = join(cache, `${basename(page, '.md')}-${line}.ts`)
    writeFileSync(file, prelude + code)
    return { title: `${page}:${line}`, file, output }
  }),
)

describe('examples of the documentation', () => {
  test.each(examples)('$title runs', async ({ file, output }) => {
    const { $printed } = (await import(/* @vite-ignore */ file)) as { $printed: string[] }
    if (output !== undefined) expect($printed.join('\n')).toBe(output)
  })

  test('have sound types', () => {
    const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
    const rootNames = examples.map(({ file }) => file)
    // As in an application that sets `strict` alone.
    const lenient = { noUnusedLocals: false, noUncheckedIndexedAccess: false, exactOptionalPropertyTypes: false }
    const program = ts.createProgram({ rootNames, options: { ...options, ...lenient } })
    const diagnostics = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => file !== undefined && rootNames.includes(file.fileName))
    expect(diagnostics.map((diagnostic) => ts.formatDiagnostic(diagnostic, formatHost))).toEqual([])
  })
})

const formatHost: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
}
