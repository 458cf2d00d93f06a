import { virtualClock } from '@triton-ts/testing'
import { expect } from 'vitest'
import { ask, config, isAlive, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const wait = { timeout: 20_000 }
const values = ({ server }: PythonRig, ...sent: number[]) => ask(server, ...sent)
const files = (members: string, more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/model.py': model(members) })

test('a process that is killed under load fails what it ran, with its last lines; the rest waits for the next one', async ({
  executable,
}) => {
  const members = `
    def execute(self, requests):
        if values_of(requests[0])[0] == 7:
            print("about to end", file=sys.stderr, flush=True)
            os.kill(os.getpid(), 9)
        return [answer([os.getpid()]) for _ in requests]`
  await using rig = await PythonRig.start(executable, files(members))
  const [before] = await values(rig, 1)
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => values(rig, i)))
  const failed = answers.flatMap((answer, i) => (answer.status === 'rejected' ? [[i, String(answer.reason)]] : []))
  expect(failed).toEqual([
    [
      7,
      "TritonError: Stub process 'm_0_0' is not healthy.\n" +
        "the process of model instance 'm_0_0' ended by SIGKILL while it ran a request:\nabout to end",
    ],
  ])
  const pids = new Set(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])))
  expect(pids.size).toBe(2)
  expect(pids).toContain(before)
  expect(rig.log.filter(({ text }) => text === "restarting the process of model instance 'm_0_0'")).toHaveLength(1)
})

test('what a model prints is logged', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        print("to stdout")
        print("to stderr", file=sys.stderr)
        os.write(1, b"x" * 100000 + b"\\n")
        return [answer([1]) for _ in requests]`
  await using rig = await PythonRig.start(executable, files(members))
  expect(await values(rig, 1)).toEqual([1])
  const has = (level: string, text: string) => rig.log.some((line) => line.level === level && line.text === text)
  await expect.poll(() => has('info', 'to stdout') && has('warn', 'to stderr'), wait).toBe(true)
})

test('a model that sleeps for ever is ended after its limit, and starts again', async ({ executable }) => {
  const clock = virtualClock()
  const members = `
    def execute(self, requests):
        while values_of(requests[0])[0] == 0:
            pb_utils.Logger.log_info("asleep")
            time.sleep(1000)
        return [answer([1]) for _ in requests]`
  const limit = 'parameters { key: "EXECUTE_TIMEOUT_SECONDS" value { string_value: "30" } }'
  await using rig = await PythonRig.start(executable, files(members, limit), { internals: { clock } })
  const asleep = values(rig, 0).catch(String)
  await expect.poll(() => rig.log.some(({ text }) => text === 'asleep'), wait).toBe(true)
  await clock.advance(30_000)
  expect(await asleep).toContain(
    "model instance 'm_0_0' (execute took longer than 30 s) ended by SIGKILL while it ran a request",
  )
  const next = values(rig, 1)
  await clock.advance(1)
  expect(await next).toEqual([1])
})

test('a Server whose model sleeps for ever stops', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        pb_utils.Logger.log_info(f"asleep {os.getpid()}")
        time.sleep(1000)`
  const rig = await PythonRig.start(executable, files(members), { exitTimeout: 0 })
  const asleep = values(rig, 0).catch(String)
  const pids = () => rig.log.flatMap(({ text }) => /^asleep (\d+)/.exec(text)?.slice(1) ?? []).map(Number)
  await expect.poll(() => pids().length, wait).toBe(1)
  await expect(rig.server.stop()).rejects.toThrow('Exit timeout expired')
  expect(await asleep).toContain('Server is stopping')
  await expect.poll(() => pids().filter(isAlive), wait).toEqual([])
  await rig[Symbol.asyncDispose]()
})

test('a model that raises in a hook says so, and leaves nothing behind', async ({ executable }) => {
  const raises = (hook: string, args: string, more = '') => `
${more}
    def ${hook}(${args}):
        raise ValueError("in ${hook}")
    def execute(self, requests):
        return [answer([1]) for _ in requests]`
  const complete = raises('auto_complete_config', 'config', '    @staticmethod')
  await expect(PythonRig.start(executable, files(complete))).rejects.toThrow('ValueError: in auto_complete_config')
  await expect(PythonRig.start(executable, files(raises('initialize', 'self, args')))).rejects.toThrow(
    'ValueError: in initialize',
  )
  await expect(PythonRig.start(executable, files('    raise KeyError("outside")'))).rejects.toThrow('outside')
  const rig = await PythonRig.start(executable, files(raises('finalize', 'self')))
  expect(await values(rig, 1)).toEqual([1])
  await rig[Symbol.asyncDispose]()
  expect(rig.log.some(({ level, text }) => level === 'error' && text.startsWith('failed to clean up'))).toBe(true)
})

test('too few responses, wrong ones, and none at all', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        return [[], None, ["no response"], 7, [None]][int(values_of(requests[0])[0])]`
  await using rig = await PythonRig.start(executable, files(members))
  await expect(values(rig, 0)).rejects.toThrow('Number of InferenceResponse objects do not match')
  for (const wrong of [1, 2, 3]) await expect(values(rig, wrong)).rejects.toMatchObject({ code: 'INTERNAL' })
  await expect(values(rig, 4)).rejects.toThrow('let go of a request without a final response')
})

test('a process that exits, or writes to the socket of the server, is started again', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        way = values_of(requests[0])[0]
        if way == 0:
            os._exit(5)
        if way == 1:
            os.write(3, b"\\x10\\x00\\x00\\x00\\x08\\x00\\x00\\x00not JSON....")
            time.sleep(1000)
        return [answer([1]) for _ in requests]`
  await using rig = await PythonRig.start(executable, files(members))
  await expect(values(rig, 0)).rejects.toThrow('ended with exit code 5')
  expect(await values(rig, 2)).toEqual([1])
  await expect(values(rig, 1)).rejects.toThrow('(it sent what makes no sense) ended by SIGKILL')
})

/** Runs a model until its process gets requests ahead of their time. */
async function hurry(rig: PythonRig): Promise<void> {
  for (let i = 0; i < 40; i++) await values(rig, 1)
}

test('requests that a process has ahead of their time, and not begun, run in the next one', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        if values_of(requests[0])[0] == 7:
            os.kill(os.getpid(), 9)
        return [answer([os.getpid()]) for _ in requests]`
  await using rig = await PythonRig.start(executable, files(members))
  await hurry(rig)
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => values(rig, i)))
  expect(answers.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([7])
})

test('a model that begins late to call itself hears that it would wait for ever, and is served on', async ({
  executable,
}) => {
  const members = `
    def execute(self, requests):
        responses = []
        for request in requests:
            value = values_of(request)[0]
            if value > 1:
                inner = pb_utils.InferenceRequest(model_name="m", requested_output_names=["OUT"], inputs=[
                    pb_utils.Tensor("IN", np.array([value - 1], dtype=np.int32))])
                response = inner.exec()
                if response.has_error():
                    responses.append(pb_utils.InferenceResponse(error=response.error()))
                    continue
            responses.append(answer([value]))
        return responses`
  await using rig = await PythonRig.start(executable, files(members))
  await hurry(rig)
  const both = await Promise.allSettled([values(rig, 2), values(rig, 1)])
  expect(both[0]).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('wait') } })
  expect(both[1]).toMatchObject({ status: 'fulfilled', value: [1] })
  await expect(values(rig, 2)).rejects.toThrow('would wait for ever')
  expect(await values(rig, 1)).toEqual([1])
})

test('log_verbose is logged where that is wanted', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        pb_utils.Logger.log_verbose("in detail")
        pb_utils.Logger.log_info("in short")
        return [answer([1]) for _ in requests]`
  for (const verbose of [false, true]) {
    await using rig = await PythonRig.start(executable, files(members), { verbose })
    await values(rig, 1)
    const said = () => rig.log.filter(({ text }) => text.startsWith('in ')).map(({ level }) => level)
    await expect.poll(said, wait).toEqual(verbose ? ['debug', 'info'] : ['info'])
  }
})

test('a process that loses its connection is ended, whatever it does', async ({ executable }) => {
  const members = `
    def execute(self, requests):
        if values_of(requests[0])[0] == 0:
            pb_utils.Logger.log_info("closes")
            time.sleep(0.1)
            os.close(3)
            time.sleep(1000)
        return [answer([1]) for _ in requests]`
  const clock = virtualClock()
  await using rig = await PythonRig.start(executable, files(members), { internals: { clock } })
  const lost = values(rig, 0).catch(String)
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return Promise.race([lost, 'waits'])
    }, wait)
    .toContain("Stub process 'm_0_0' is not healthy")
})
