import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { cleanUp } from '../../fixtures/server-rig.ts'
import { silentLogger } from '../../util/logger.ts'
import { Workspace } from './workspace.ts'

const made = async (cache: string): Promise<Workspace> => {
  const workspace = await Workspace.open(cache, silentLogger)
  cleanUp(() => workspace.dispose())
  return workspace
}

/** Listens as a workspace does, until its input ends. */
const owner = `
  const directory = process.argv[1]
  require('node:net').createServer().listen(directory + '/new', () => {
    require('node:fs').renameSync(directory + '/new', directory + '/alive')
    console.log('listening')
  })
  process.stdin.on('end', () => process.exit()).resume()`

test.each(['was killed', 'ended without a word'])(
  'what a process that %s left is removed, and not before',
  async (how) => {
    const cache = await temporaryDirectory()
    const machine = basename((await made(cache)).directory).slice(0, 14)
    const left = join(cache, 'models', `${machine}left`)
    await mkdir(left)
    await writeFile(join(left, 'half'), 'half')
    const child = spawn(process.execPath, ['-e', owner, left], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await made(cache)
    expect(await readdir(left)).toEqual(['alive', 'half'])
    if (how === 'was killed') child.kill('SIGKILL')
    else child.stdin.end()
    await once(child, 'exit')
    const { directory } = await made(cache)
    expect(await readdir(join(cache, 'models'))).toHaveLength(3)
    expect(await readdir(join(cache, 'models'))).not.toContain(basename(left))
    expect(await readdir(directory)).toEqual(['alive'])
  },
)

test('what was there before this machine was started is removed, and what another machine has is not', async () => {
  const cache = await temporaryDirectory()
  const [host, start] = basename((await made(cache)).directory).split('-')
  const names = [`${host}-000000-before`, '111111-000000-other', `111111-${start}-container`]
  for (const name of names) await mkdir(join(cache, 'models', name))
  await made(cache)
  const left = await readdir(join(cache, 'models'))
  expect(names.filter((name) => left.includes(name))).toEqual(names.slice(1))
})

test('without a socket, for a path that is too long, it works all the same', async () => {
  const cache = join(await temporaryDirectory(), 'long'.repeat(30))
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (_: object, text: string) => warnings.push(text) }
  const workspace = await Workspace.open(cache, logger)
  await Workspace.open(cache, logger)
  await mkdir(workspace.path())
  expect(await readdir(workspace.directory)).toEqual(['1'])
  expect(warnings[0]).toContain('if this process crashes')
  await workspace.dispose()
  expect(await readdir(join(cache, 'models'))).toHaveLength(1)
})
