import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { InferenceTrace } from './inference-trace.ts'
import type { HeaderReader, TraceExporter, TraceRecorder, TraceStart } from './trace-exporter.ts'
import { resolveTraceOptions, type TraceOptions } from './trace-options.ts'
import { TraceSetting } from './trace-setting.ts'
import { type TraceSettings, type TraceSettingsChange, whyInvalid } from './trace-settings.ts'
import { TraceSettingsTable } from './trace-settings-table.ts'
import { steadyNanoseconds, wallNanoseconds } from './trace-time.ts'
import { TraceTree } from './trace-tree.ts'
import { FileRecorder } from './triton-file/file-recorder.ts'
import { TraceBudget } from './triton-file/trace-budget.ts'
import { TraceCollector } from './triton-file/trace-collector.ts'
import { TraceFile } from './triton-file/trace-file.ts'

/** Chooses the requests that are traced, and owns where traces go: a file, or an exporter. */
export class Tracer {
  readonly #clock: Clock
  readonly #exporter: TraceExporter | undefined
  readonly #file: TraceFile
  readonly #budget: TraceBudget
  readonly #table: TraceSettingsTable
  #isOn: boolean
  #lastId = 0n

  /** @throws TritonError INVALID_ARG for settings that make no sense. */
  constructor(options: TraceOptions, clock: Clock, logger: Logger) {
    const start = resolveTraceOptions(options)
    this.#clock = clock
    this.#exporter = options.exporter
    this.#file = new TraceFile(start.file, logger)
    this.#budget = new TraceBudget(() => {
      logger.warn({ file: start.file }, 'traces are lost: they come faster than the trace file takes them')
    })
    const collect = (settings: TraceSettings, sampler: TraceSetting['sampler']): TraceCollector =>
      new TraceCollector(settings, sampler, this.#file)
    this.#table = new TraceSettingsTable(
      start,
      (settings) => new TraceSetting(settings, this.#exporter === undefined ? collect : undefined),
    )
    this.#isOn = this.#table.isOn
    const reason = this.#isOn && this.#exporter === undefined ? whyInvalid(start) : undefined
    if (reason !== undefined) logger.warn({}, `no request is traced: ${reason}`)
  }

  /**
   * The trace of a client's request, if it is to have one; whoever asks has to `release` it.
   * @param header of a network request; undefined for a call in this process.
   */
  start(modelName: string, header?: HeaderReader): InferenceTrace | undefined {
    return this.#isOn ? this.#sample(this.#table.find(modelName), header) : undefined
  }

  settings(modelName = ''): TraceSettings {
    return this.#table.find(modelName).settings
  }

  /** @throws TritonError INVALID_ARG with Triton's texts; everything stays as it was. */
  update(change: TraceSettingsChange, modelName = ''): void {
    this.#table.update(change, modelName)
    this.#isOn = this.#table.isOn
  }

  /** Writes, or hands over, what is complete. What ends later is lost. */
  async dispose(): Promise<void> {
    this.#isOn = false
    this.#table.close()
    await this.#file.close()
    await this.#exporter?.dispose()
  }

  #sample(setting: TraceSetting, header: HeaderReader | undefined): InferenceTrace | undefined {
    const { sampler } = setting
    if (!sampler.isOn) return undefined
    const now = steadyNanoseconds(this.#clock, this.#clock.now())
    const start = { time: now, epoch: wallNanoseconds(this.#clock) - now }
    const joined = this.#exporter?.join(header, start)
    if (!sampler.sample(joined !== undefined)) return undefined
    return this.#open(setting, joined ?? this.#record(setting, start))
  }

  #record({ collector }: TraceSetting, start: TraceStart): TraceRecorder {
    return this.#exporter?.open(start) ?? new FileRecorder(this.#budget, (trace) => collector?.add(trace))
  }

  #open(setting: TraceSetting, recorder: TraceRecorder): InferenceTrace {
    setting.opened()
    const nextId = (): bigint => ++this.#lastId
    const tree = new TraceTree(setting.settings.level, recorder, this.#clock, nextId, () => setting.closed())
    return new InferenceTrace(tree, 0n)
  }
}
