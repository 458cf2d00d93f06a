import type { Logger } from '../util/logger.ts'
import { Complaints } from './complaints.ts'
import { FamilyNames } from './family-names.ts'
import { MergedFamilies } from './merged-families.ts'
import type { MetricCollectors } from './metric-collectors.ts'
import type { FamilyHead } from './metric-family.ts'
import type { MetricSink } from './metric-sink.ts'
import type { ResolvedMetricsOptions } from './metrics-options.ts'
import type { ModelFamily } from './model-family.ts'
import { type MeteredModel, ModelRow } from './model-row.ts'
import { ownFamilies } from './own-families.ts'
import { ServerFamilies } from './server-families.ts'
import { type MetricsFormat, TextSink } from './text-sink.ts'
import { tritonFamilies } from './triton-families.ts'

/** Lines, and rows with or without lines, between two pauses: each less than a millisecond of work. */
const linesAtOnce = 1000
const rowsAtOnce = 2000

/** What else has metrics, besides the models. */
export interface PageSources {
  /** Of the machine and the process. */
  readonly server: ServerFamilies
  /** Of backends and other parts. */
  readonly collectors: MetricCollectors
  readonly logger: Logger
}

/** Everything that a Server shows: the families of its models, its own, and those that others count. */
export class MetricsPage {
  readonly #families: readonly ModelFamily[]
  readonly #sources: PageSources
  readonly #taken: FamilyNames
  readonly #complaints: Complaints
  readonly #rows = new WeakMap<MeteredModel, { readonly config: object; readonly rows: readonly ModelRow[] }>()

  constructor(options: ResolvedMetricsOptions, sources: PageSources) {
    const { counterLatencies } = options
    this.#families = [...tritonFamilies(counterLatencies), ...(options.ownFamilies ? ownFamilies : [])]
    this.#sources = sources
    this.#taken = new FamilyNames(this.heads)
    this.#complaints = new Complaints(sources.logger)
  }

  /** The families that the Server itself may have. */
  get heads(): readonly FamilyHead[] {
    return [...this.#families, ...ServerFamilies.heads]
  }

  /** Writes everything, row by row: what waits for the next one may let others have the event loop. */
  *write(models: Iterable<MeteredModel>, sink: MetricSink): Generator<undefined, void> {
    const rows: ModelRow[] = []
    for (const model of models) {
      rows.push(...this.#rowsOf(model))
      yield
    }
    for (const family of this.#families) {
      sink.family(family)
      for (const row of rows) {
        family.write(row, sink)
        yield
      }
    }
    const { server, collectors } = this.#sources
    server.write(sink)
    const others = new MergedFamilies(this.#taken, this.#complaints)
    for (const families of collectors.collect()) {
      for (const family of families) others.add(family)
      yield
    }
    yield* others.write(sink)
  }

  /** The page as text, in parts that take a millisecond or so to make. */
  *text(models: Iterable<MeteredModel>, format: MetricsFormat): Generator<string, void> {
    const sink = new TextSink(format)
    let rows = 0
    for (const _ of this.write(models, sink)) {
      if (++rows < rowsAtOnce && sink.lines < linesAtOnce) continue
      rows = 0
      yield sink.take()
    }
    sink.end()
    yield sink.take()
  }

  /** Labels are made once for thousands of pages. */
  #rowsOf(model: MeteredModel): readonly ModelRow[] {
    const known = this.#rows.get(model)
    const count = 1 + (model.stats.devices?.size ?? 0)
    if (known?.config === model.config && known.rows.length === count) return known.rows
    const rows = ModelRow.of(model)
    this.#rows.set(model, { config: model.config, rows })
    return rows
  }
}
