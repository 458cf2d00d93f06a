import { virtualClock } from '@triton-ts/testing'
import { expect } from 'vitest'
import { ask, config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const wait = { timeout: 20_000 }
const files = (members: string) => ({ 'm/config.pbtxt': config(), 'm/1/model.py': model(members) })
const said = ({ log }: PythonRig, pattern: RegExp) => log.flatMap(({ text }) => pattern.exec(text)?.slice(1) ?? [])

test('is_ready that does not answer, raises or tells no boolean', async ({ executable }) => {
  const clock = virtualClock()
  const members = `
    def initialize(self, args):
        self.way = 3
    def execute(self, requests):
        self.way = values_of(requests[0])[0]
        return [answer([1]) for _ in requests]
    def is_ready(self):
        if self.way == 0:
            pb_utils.Logger.log_info("asked")
            threading.Event().wait()
        if self.way == 1:
            raise ValueError("no idea")
        return 1 if self.way == 2 else True`
  await using rig = await PythonRig.start(executable, files(members), { internals: { clock } })
  const isReady = () => rig.server.model('m').isReady()
  expect(await isReady()).toBe(true)
  for (const way of [1, 2]) {
    await ask(rig.server, way)
    expect(await isReady()).toBe(false)
  }
  await ask(rig.server, 0)
  const ready = isReady()
  await expect.poll(() => said(rig, /^(asked)$/), wait).toEqual(['asked'])
  await clock.advance(5000)
  expect(await ready).toBe(false)
})
