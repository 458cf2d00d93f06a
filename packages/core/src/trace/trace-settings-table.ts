import { TritonError } from '../errors.ts'
import type { TraceSetting } from './trace-setting.ts'
import {
  checkTraceChange,
  type TraceChoice,
  type TraceSettings,
  type TraceSettingsChange,
  whyInvalid,
} from './trace-settings.ts'

/** What was set for all models, or for one, and has not been taken back. */
type Chosen = Partial<TraceChoice>

/** Settings of models over those of all over those of the start. */
export class TraceSettingsTable {
  readonly #start: TraceSettings
  readonly #create: (settings: TraceSettings) => TraceSetting
  #global: TraceSetting
  #chosen: Chosen = {}
  readonly #models = new Map<string, { readonly chosen: Chosen; readonly setting: TraceSetting }>()
  /** Replaced ones, of which a trace is not complete. */
  readonly #replaced = new Set<TraceSetting>()

  /** @param create what counts and keeps traces by settings. */
  constructor(start: TraceSettings, create: (settings: TraceSettings) => TraceSetting) {
    this.#start = start
    this.#create = create
    this.#global = create(start)
  }

  /** Whether any request may be traced. */
  get isOn(): boolean {
    if (this.#global.sampler.isOn) return true
    for (const { setting } of this.#models.values()) if (setting.sampler.isOn) return true
    return false
  }

  /** What holds for a model; `''` for those without settings of their own. */
  find(modelName: string): TraceSetting {
    return this.#models.get(modelName)?.setting ?? this.#global
  }

  /**
   * Changes what holds for a model, or with `''` for all. What is set anew counts requests from the start.
   * @throws TritonError INVALID_ARG with Triton's texts; everything stays as it was.
   */
  update(change: TraceSettingsChange, modelName: string): void {
    checkTraceChange(change)
    if (modelName === '') this.#updateAll(change)
    else this.#updateModel(change, modelName)
  }

  /** Hands over every trace that is complete. */
  flush(): void {
    this.#global.flush()
    for (const { setting } of this.#models.values()) setting.flush()
    for (const setting of this.#replaced) setting.flush()
  }

  #updateAll(change: TraceSettingsChange): void {
    const chosen = merged(this.#chosen, change, this.#global.settings)
    const settings = expectValid({ ...this.#start, ...chosen })
    // What models leave open they take from here. All are looked at before one changes.
    const models = [...this.#models].map(([name, { chosen, setting }]) => {
      const own = merged(chosen, {}, setting.settings)
      return { name, own, settings: expectValid({ ...settings, ...own }) }
    })
    this.#replace(this.#global)
    this.#chosen = chosen
    this.#global = this.#create(settings)
    for (const { name, own, settings } of models) this.#put(name, own, settings)
  }

  #updateModel(change: TraceSettingsChange, name: string): void {
    const known = this.#models.get(name)
    const all = this.#global.settings
    const chosen = merged(known?.chosen ?? {}, change, known?.setting.settings ?? all)
    if (Object.keys(chosen).length > 0) this.#put(name, chosen, expectValid({ ...all, ...chosen }))
    else if (this.#models.delete(name)) this.#replace(known?.setting)
  }

  #put(name: string, chosen: Chosen, settings: TraceSettings): void {
    this.#replace(this.#models.get(name)?.setting)
    this.#models.set(name, { chosen, setting: this.#create(settings) })
  }

  #replace(setting: TraceSetting | undefined): void {
    if (setting === undefined) return
    this.#replaced.add(setting)
    setting.replaced(() => this.#replaced.delete(setting))
  }
}

/** What is set after a change; a count that was set goes on with what is left of it. */
function merged(chosen: Chosen, change: TraceSettingsChange, { count }: TraceSettings): Chosen {
  const both = { ...chosen, ...(chosen.count !== undefined && { count }), ...present(change) }
  return Object.fromEntries(Object.entries(both).filter(([, value]) => value !== null))
}

const present = (change: TraceSettingsChange): TraceSettingsChange =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** Only settings that trace nothing may be out of order. */
function expectValid(settings: TraceSettings): TraceSettings {
  const reason = settings.level.length > 0 ? whyInvalid(settings) : undefined
  if (reason === undefined) return settings
  throw new TritonError('INVALID_ARG', `Attempting to set invalid trace setting :${reason}`)
}
