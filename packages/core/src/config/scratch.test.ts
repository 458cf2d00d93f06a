import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createOracle } from './fixtures/protobufjs-oracle.ts'
import { modelConfigFromObject } from './json.ts'
import { parseModelConfig } from './parse-pbtxt.ts'

const g = '--git-dir=/work/.mirror/triton-inference-server+server/repo'
test('scratch', () => {
  const o = createOracle()
  const names = execFileSync('git', [g, 'ls-tree', '-r', '--name-only', 'HEAD'], { encoding: 'utf8', maxBuffer: 1e9 })
    .split('\n')
    .filter((f) => f.includes('config.pbtxt'))
  let same = 0,
    notes = 0
  const bad: string[] = []
  const check = (name: string, text: string) => {
    let theirs: unknown, ours: unknown
    try {
      theirs = modelConfigFromObject(o(text))
    } catch (e) {
      theirs = 'ERR '
    }
    try {
      const r = parseModelConfig(text, { file: name })
      ours = r.config
      notes += r.notes.length
    } catch (e) {
      ours = 'ERR '
      bad.push(name + ' ' + (e as Error).message)
    }
    try {
      expect(ours).toEqual(theirs)
      same++
    } catch (e) {
      bad.push('DIFF ' + name + (e as Error).message)
    }
  }
  for (const n of names) check(n, execFileSync('git', [g, 'show', `HEAD:${n}`], { encoding: 'utf8' }))
  console.log('server', names.length, same, notes)
  same = 0
  let n = 0
  for (const f of readdirSync('/work/shared/golden/repo', { recursive: true, encoding: 'utf8' }))
    if (f.endsWith('config.pbtxt')) {
      n++
      check(f, readFileSync('/work/shared/golden/repo/' + f, 'utf8'))
    }
  console.log('golden', n, same)
  console.log(bad.join('\n'))
})
