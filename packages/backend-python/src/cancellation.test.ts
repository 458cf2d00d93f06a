import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const files = (members: string, more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/model.py': model(members) })

test('callers that give up at any time get one answer each, and others theirs', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        for request in requests:
            sender, count = request.get_response_sender(), values_of(request)[0]
            threading.Thread(target=self.send, args=(sender, count)).start()
    def send(self, sender, count):
        for i in range(count):
            if sender.is_cancelled():
                break
            sender.send(answer([i]))
        sender.send(flags=1)`
  await using rig = await PythonRig.start(executable, files(members, 'model_transaction_policy { decoupled: true }'))
  const stream = async (count: number, giveUpAfter: number): Promise<number> => {
    const abort = new AbortController()
    const sent = { IN: tensor('INT32', [1], new Int32Array([count])) }
    let heard = 0
    try {
      for await (const _ of rig.server.inferStream('m', sent, { signal: abort.signal })) {
        if (++heard === giveUpAfter) abort.abort()
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'CANCELLED' })
    }
    return heard
  }
  const counts = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? stream(100, 1 + (i % 40)) : stream(40, 1000))),
  )
  expect(counts.filter((_, i) => i % 3 !== 0).every((count) => count === 40)).toBe(true)
  expect(await stream(5, 1000)).toBe(5)
})
