import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const below = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const source = (name: string): string => below(`src/page/${name}`)

/** The source of a policy that allows exactly this text. */
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The live page as one text, with its script and styles inside. */
async function buildPage(): Promise<{ html: string; scriptHash: string; styleHash: string }> {
  // Loaded when the page is wanted: every run of vitest reads this file.
  const { build } = await import('tsup')
  const outDir = await mkdtemp(join(tmpdir(), 'triton-ts-page-'))
  try {
    await build({
      config: false,
      entry: { page: source('main.ts') },
      outDir,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      // The page has no installation to load from.
      noExternal: [/./],
      outExtension: () => ({ js: '.js' }),
      tsconfig: source('tsconfig.json'),
      dts: false,
      minify: true,
      silent: true,
    })
    const script = (await readFile(join(outDir, 'page.js'), 'utf8')).trim()
    const style = (await readFile(join(outDir, 'page.css'), 'utf8')).trim()
    const frame = await readFile(source('page.html'), 'utf8')
    // The licence of what is inside goes with it.
    const license = await readFile(below('node_modules/uplot/LICENSE'), 'utf8')
    const html = frame
      .replace('/* license */', () => `uPlot, which draws the charts:\n${license}`)
      .replace('/* style */', () => style)
      .replace('/* script */', () => script)
    return { html, scriptHash: hashOf(script), styleHash: hashOf(style) }
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

/** What `src/page/main.ts` becomes, as the module `virtual:page`. */
const pageModule = async (): Promise<string> => `export const page = ${JSON.stringify(await buildPage())}`

/** For tsup. */
export const esbuildPage = {
  name: 'page',
  setup(build: {
    onResolve(filter: { filter: RegExp }, resolve: () => { path: string; namespace: string }): void
    onLoad(filter: { filter: RegExp; namespace: string }, load: () => Promise<{ contents: string }>): void
  }): void {
    build.onResolve({ filter: /^virtual:page$/ }, () => ({ path: 'page', namespace: 'page' }))
    build.onLoad({ filter: /./, namespace: 'page' }, async () => ({ contents: await pageModule() }))
  },
}

/** For vitest, which runs the sources. */
export const vitePage = {
  name: 'page',
  resolveId: (id: string): string | undefined => (id === 'virtual:page' ? '\0page' : undefined),
  load: (id: string): Promise<string> | undefined => (id === '\0page' ? pageModule() : undefined),
}
