import { expect } from 'vitest'
import { ask, config, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()

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
  await using rig = await PythonRig.start(executable, { 'm/config.pbtxt': config(), 'm/1/model.py': model(members) })
  expect(await ask(rig.server, 1)).toEqual([1])
  const page = rig.server.metrics()
  expect(page).toContain('g{a="b\\"\\n"} NaN')
  expect(page).toContain('h_bucket{le="1"} 0\nh_bucket{le="+Inf"} 1')
  expect(page).toContain('nv_inference_count{model="m",version="1"} 1')
})
