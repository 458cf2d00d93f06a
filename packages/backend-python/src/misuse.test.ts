import { Server, tensor } from '@triton-ts/core'
import { modelRepository, virtualClock } from '@triton-ts/testing'
import { expect } from 'vitest'
import { ask, config, isAlive, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'
import { python } from './python.ts'

const test = pythonTest()
const wait = { timeout: 20_000 }
const files = (members: string, more = '', name = 'm') => ({
  [`${name}/config.pbtxt`]: config(more),
  [`${name}/1/model.py`]: model(members),
})
const said = ({ log }: PythonRig, pattern: RegExp) => log.flatMap(({ text }) => pattern.exec(text)?.slice(1) ?? [])
const one = `
    def execute(self, requests):
        return [answer([1]) for _ in requests]`

test('metrics of any value and label leave the page whole', async ({ executable }) => {
  const members = `
    def initialize(self, args):
        family = pb_utils.MetricFamily("g", "what\\nthis is", pb_utils.MetricFamily.GAUGE)
        self.gauge = family.Metric({"a": 'b"\\n'})
        histogram = pb_utils.MetricFamily("h", "", pb_utils.MetricFamily.HISTOGRAM)
        histogram.Metric(buckets=[1, float("inf")]).observe(float("inf"))
        pb_utils.MetricFamily("not a name", "", pb_utils.MetricFamily.GAUGE).Metric().set(1)
    def execute(self, requests):
        self.gauge.set(float("nan"))
        return [answer([int(self.gauge.value() != self.gauge.value())]) for _ in requests]`
  await using rig = await PythonRig.start(executable, files(members))
  expect(await ask(rig.server, 1)).toEqual([1])
  const page = rig.server.metrics()
  expect(page).toContain('g{a="b\\"\\n"} NaN')
  expect(page).toContain('h_bucket{le="1"} 0\nh_bucket{le="+Inf"} 1')
  expect(page).toContain('nv_inference_count{model="m",version="1"} 1')
})

test('is_ready that does not answer, raises or tells no boolean', async ({ executable }) => {
  const clock = virtualClock()
  const members = `
    def initialize(self, args):
        self.way = 0
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
  const ready = rig.server.model('m').isReady()
  await expect.poll(() => said(rig, /^(asked)$/), wait).toEqual(['asked'])
  await clock.advance(5000)
  expect(await ready).toBe(false)
})

test('a Server that is stopped while it starts leaves nothing behind', async ({ executable }) => {
  await using repository = await modelRepository(
    files(`
    def initialize(self, args):
        pb_utils.Logger.log_info(f"hangs {os.getpid()}")
        time.sleep(1000)
${one}`),
  )
  const lines: string[] = []
  const log = (_: object, text: string) => lines.push(text)
  const logger = { debug: log, info: log, warn: log, error: log }
  const server = new Server({ modelRepository: repository.path, backends: [python({ executable })], logger })
  const starting = server.start().catch(String)
  const pids = () => lines.flatMap((text) => /^hangs (\d+)/.exec(text)?.slice(1) ?? []).map(Number)
  await expect.poll(() => pids().length, wait).toBe(1)
  await server.stop()
  await starting
  await expect.poll(() => pids().filter(isAlive), wait).toEqual([])
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
  const lost = ask(rig.server, 0).catch(String)
  await expect
    .poll(async () => {
      await clock.advance(1000)
      return Promise.race([lost, 'waits'])
    }, wait)
    .toContain("Stub process 'm_0_0' is not healthy")
})

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

test('a batch that asks its own only instance is refused, and one that asks another is not', async ({ executable }) => {
  const asks = `
    def execute(self, requests):
        if len(requests) == 1 and values_of(requests[0])[0] == 9:
            return [answer([9])]
        pb_utils.Logger.log_info(f"batch of {len(requests)}")
        target = "m" if values_of(requests[0])[0] < 2 else "n"
        nested = pb_utils.InferenceRequest(model_name=target, requested_output_names=["OUT"],
                                           inputs=[pb_utils.Tensor("IN", np.array([[9]], dtype=np.int32))])
        response = nested.exec()
        if response.has_error():
            return [pb_utils.InferenceResponse(error=response.error()) for _ in requests]
        return [answer([[len(requests)]]) for _ in requests]`
  const batching =
    'max_batch_size: 8 dynamic_batching { preferred_batch_size: 2 max_queue_delay_microseconds: 5000000 }'
  const nine = `
    def execute(self, requests):
        return [answer([[9]]) for _ in requests]`
  await using rig = await PythonRig.start(executable, {
    ...files(asks, batching),
    ...files(nine, 'max_batch_size: 8', 'n'),
  })
  const batched = async (value: number) => {
    const { OUT } = await rig.server.infer('m', { IN: tensor('INT32', [1, 1], new Int32Array([value])) })
    return [...((OUT?.data ?? []) as Int32Array)]
  }
  expect(await Promise.all([batched(5), batched(6)])).toEqual([[2], [2]])
  const refused = await Promise.allSettled([batched(1), batched(1)])
  expect(refused.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
    expect.stringContaining("request to model 'm' would wait for ever"),
    expect.stringContaining("request to model 'm' would wait for ever"),
  ])
  expect(said(rig, /^(batch of .*)/)).toEqual(['batch of 2', 'batch of 2'])
})
