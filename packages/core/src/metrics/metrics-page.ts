import type { Logger } from '../util/logger.ts'
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

/** Rows between two pauses: about a millisecond of work. */
const rowsAtOnce = 500

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
  readonly #taken: ReadonlySet<string>
  readonly #rows = new WeakMap<MeteredModel, { readonly config: object; readonly rows: readonly ModelRow[] }>()

  constructor(options: ResolvedMetricsOptions, sources: PageSources) {
    const { counterLatencies } = options
    this.#families = [...tritonFamilies(counterLatencies), ...(options.ownFamilies ? ownFamilies : [])]
    this.#sources = sources
    this.#taken = new Set(this.heads.map(({ name }) => name))
  }

  /** The families that the Server itself may have. */
  get heads(): readonly FamilyHead[] {
    return [...this.#families, ...ServerFamilies.heads]
  }

  /** Writes everything; what waits for the next step lets others have the event loop. */
  *write(models: readonly MeteredModel[], sink: MetricSink): Generator<undefined, void> {
    const rows: ModelRow[] = []
    for (const model of models) {
      rows.push(...this.#rowsOf(model))
      if (rows.length % rowsAtOnce === 0) yield
    }
    let written = 0
    for (const family of this.#families) {
      sink.family(family)
      for (const row of rows) {
        family.write(row, sink)
        if (++written % rowsAtOnce === 0) yield
      }
    }
    const { server, collectors, logger } = this.#sources
    server.write(sink)
    const others = new MergedFamilies(this.#taken, logger)
    for (const family of collectors.collect()) others.add(family)
    others.write(sink)
  }

  /** The page as text, in parts that take a millisecond or so to make. */
  *text(models: readonly MeteredModel[], format: MetricsFormat): Generator<string, void> {
    const sink = new TextSink(format)
    for (const _ of this.write(models, sink)) yield sink.take()
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
