import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { InferenceTrace } from './inference-trace.ts'
import type { HeaderReader, TraceExporter, TraceRecorder } from './trace-exporter.ts'
import { TraceFaults } from './trace-faults.ts'
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
  readonly #faults: TraceFaults
  readonly #table: TraceSettingsTable
  #isOn: boolean
  #lastId = 0n

  /** @throws TritonError INVALID_ARG for settings that make no sense. */
  constructor(options: TraceOptions, clock: Clock, logger: Logger) {
    const start = resolveTraceOptions(options)
    this.#clock = clock
    this.#exporter = options.exporter
    this.#faults = new TraceFaults(logger)
    this.#file = new TraceFile(start.file, logger)
    this.#budget = new TraceBudget(() => {
      logger.warn({ path: start.file }, 'traces are lost: they come faster than the trace file takes them')
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
    this.#table.flush()
    await this.#file.close()
    try {
      await this.#exporter?.dispose()
    } catch (error) {
      this.#faults.tell(error)
    }
  }

  #sample(setting: TraceSetting, header: HeaderReader | undefined): InferenceTrace | undefined {
    const { sampler } = setting
    if (!sampler.isOn) return undefined
    if (this.#exporter !== undefined) return this.#export(setting, this.#exporter, header)
    return sampler.sample(false) ? this.#open(setting, this.#record(setting)) : undefined
  }

  #export(
    setting: TraceSetting,
    exporter: TraceExporter,
    header: HeaderReader | undefined,
  ): InferenceTrace | undefined {
    const time = steadyNanoseconds(this.#clock, this.#clock.now())
    const start = { time, epoch: wallNanoseconds(this.#clock) - time }
    const joined = this.#faults.attempt(() => exporter.join(header, start))
    if (!setting.sampler.sample(joined !== undefined)) return undefined
    const recorder = joined ?? this.#faults.attempt(() => exporter.open(start))
    return recorder && this.#open(setting, recorder)
  }

  #record({ collector }: TraceSetting): TraceRecorder {
    return new FileRecorder(this.#budget, (trace) => collector?.add(trace))
  }

  #open(setting: TraceSetting, recorder: TraceRecorder): InferenceTrace {
    setting.opened()
    const tree = new TraceTree({
      level: setting.level,
      recorder,
      clock: this.#clock,
      faults: this.#faults,
      nextId: () => ++this.#lastId,
      onEnd: () => setting.closed(),
    })
    return new InferenceTrace(tree, 0n)
  }
}
