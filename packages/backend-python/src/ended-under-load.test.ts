import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { ask, config, isAlive, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const decoupled = 'model_transaction_policy { decoupled: true }'
const input = (value: number) => ({ IN: tensor('INT32', [1], new Int32Array([value])) })
const asks = (name: string, flags = '') =>
  `pb_utils.InferenceRequest(model_name="${name}", requested_output_names=["OUT"], inputs=request.inputs()).exec(${flags})`

test('kill -9 of one process amid streams and nested requests: everybody hears one end, other models nothing', async ({
  executable,
}) => {
  const counts = `
    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self.count, args=(request.get_response_sender(), values_of(request)[0])).start()
    def count(self, sender, count):
        for i in range(count):
            sender.send(answer([i, os.getpid()] + [0] * 20000))
        sender.send(flags=1)`
  const nests = `
    def execute(self, requests):
        answers = []
        for request in requests:
            heard, text = 0, ""
            for response in ${asks('counts', 'decoupled=True')}:
                if response.has_error():
                    text = response.error().message()
                heard += len(response.output_tensors())
                if heard == 1:
                    pb_utils.Logger.log_info("nested begun")
            answers.append(answer([heard]) if text == "" else pb_utils.InferenceResponse(error=pb_utils.TritonError(text)))
        return answers`
  const bystands = `
    def execute(self, requests):
        return [answer([os.getpid()]) for _ in requests]`
  await using rig = await PythonRig.start(executable, {
    'counts/config.pbtxt': config(decoupled),
    'counts/1/model.py': model(counts),
    'nests/config.pbtxt': config(),
    'nests/1/model.py': model(nests),
    'm/config.pbtxt': config(),
    'm/1/model.py': model(bystands),
  })
  const [bystander] = await ask(rig.server, 1)
  let pid = 0
  let begun = 0
  const stream = async (count: number): Promise<{ heard: number; error: string }> => {
    let heard = 0
    try {
      for await (const { OUT } of rig.server.inferStream('counts', input(count))) {
        pid = ((OUT?.data ?? []) as Int32Array)[1] ?? 0
        heard++
        if (heard === 1) begun++
      }
    } catch (error) {
      return { heard, error: String(error) }
    }
    return { heard, error: '' }
  }
  expect(await stream(3)).toEqual({ heard: 3, error: '' })
  const endless = 1 << 30
  const nested = rig.server.infer('nests', input(endless)).catch(String)
  const streams = Array.from({ length: 12 }, () => stream(endless))
  const others = Promise.all(Array.from({ length: 50 }, () => ask(rig.server, 1)))
  // Those that have not begun would run in the next process.
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(1 + streams.length)
  await expect.poll(() => rig.log.some(({ text }) => text === 'nested begun'), { timeout: 20_000 }).toBe(true)
  process.kill(pid, 'SIGKILL')
  for (const { heard, error } of await Promise.all(streams)) {
    expect(heard).toBeLessThan(endless)
    expect(error).toContain("Stub process 'counts_0_0' is not healthy")
  }
  expect(await nested).toContain("Stub process 'counts_0_0' is not healthy")
  expect(new Set((await others).flat())).toEqual(new Set([bystander]))
  expect(await stream(3)).toEqual({ heard: 3, error: '' })
  expect(await rig.server.infer('nests', input(5))).toMatchObject({ OUT: { shape: [1] } })
  expect(isAlive(pid)).toBe(true)
})

test('who asks other models is killed: what it asked is cancelled, and its memory is not used any more', async ({
  executable,
}) => {
  const streams = `
    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self.send, args=(request.get_response_sender(),)).start()
    def send(self, sender):
        while not sender.is_cancelled():
            sender.send(answer([0] * 50000))
        sender.send(flags=1)
        pb_utils.Logger.log_info("cancelled")`
  const nests = `
    def execute(self, requests):
        for request in requests:
            for i, _ in enumerate(${asks('streams', 'decoupled=True')}):
                if i == 40:
                    os.kill(os.getpid(), 9)`
  await using rig = await PythonRig.start(executable, {
    'streams/config.pbtxt': config(decoupled),
    'streams/1/model.py': model(streams),
    'm/config.pbtxt': config(),
    'm/1/model.py': model(nests),
  })
  await expect(ask(rig.server, 1)).rejects.toThrow("Stub process 'm_0_0' is not healthy")
  await expect.poll(() => rig.log.some(({ text }) => text === 'cancelled'), { timeout: 20_000 }).toBe(true)
})

test('a model that is reloaded while it executes answers with the version that began', async ({ executable }) => {
  const version = (number: number) =>
    model(`
    def execute(self, requests):
        pb_utils.Logger.log_info("executes ${number}")
        while os.path.exists(os.path.join(pb_utils.get_model_dir(), "wait")):
            time.sleep(0.01)
        return [answer([${number}]) for _ in requests]`)
  await using rig = await PythonRig.start(
    executable,
    { 'm/config.pbtxt': config(), 'm/1/model.py': version(1), 'm/1/wait': '' },
    { modelControl: 'explicit', loadModels: ['m'] },
  )
  const old = ask(rig.server, 1)
  await expect.poll(() => rig.log.some(({ text }) => text === 'executes 1'), { timeout: 20_000 }).toBe(true)
  await rig.repository.write({ 'm/1/model.py': version(2) })
  const reloading = rig.server.load('m')
  await rig.repository.remove('m/1/wait')
  expect(await old).toEqual([1])
  await reloading
  expect(await ask(rig.server, 1)).toEqual([2])
})
