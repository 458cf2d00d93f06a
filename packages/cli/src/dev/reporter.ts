import { styleText } from 'node:util'
import { type LogSettings, type LogSettingsChange, type Server, systemClock } from '@triton-ts/core'
import type { Log } from '../serve/log.ts'
import { type Change, ModelFailures } from './model-failures.ts'

type Colour = 'green' | 'yellow' | 'red' | 'gray'

/** Where lines go, standard output for instance. */
export interface LineSink {
  write(text: string): unknown
  /** Only a terminal gets colours. */
  readonly isTTY?: boolean | undefined
}

/** Tells what becomes of models, one line each. It is the log of the server too. */
export class Reporter implements Log {
  readonly #sink: LineSink
  readonly #log: Log
  /** What serves, as `name/version`. */
  readonly #served = new Set<string>()
  readonly #failures = new ModelFailures()

  /** @param log gets every line of the server; closed with this one. */
  constructor(sink: LineSink, log: Log) {
    this.#sink = sink
    this.#log = log
  }

  /** From now on tells what becomes of the models of this server. */
  follow(server: Server): void {
    for (const { name, version } of server.statistics()) this.#served.add(`${name}/${version}`)
    server.on('modelReady', ({ name, version }) => {
      const key = `${name}/${version}`
      const verb = this.#served.has(key) ? 'reloaded' : 'loaded'
      this.#served.add(key)
      this.#failures.forget(name)
      this.#print('green', `${verb} '${name}' version ${version}${this.#duration()}`)
    })
    server.on('modelUpdated', ({ name, version }) => {
      this.#failures.forget(name)
      this.#print('green', `changed the instances of '${name}' version ${version}${this.#duration()}`)
    })
    server.on('modelUnavailable', ({ name, version, reason }) => {
      if (!server.isLive() || reason !== 'unloaded' || !this.#served.delete(`${name}/${version}`)) return
      this.#print('yellow', `unloaded '${name}' version ${version}`)
    })
  }

  /** A look begins, because of this change; undefined: to be sure. */
  beginLook(change: Change | undefined): void {
    this.#failures.beginLook(change)
  }

  endLook(): void {
    for (const model of this.#failures.endLook()) {
      const versions = this.#versions(model)
      if (versions !== '') this.#print('green', `'${model}' is what it was; version ${versions} serves`)
    }
  }

  /** A line of the command itself. */
  say(text: string): void {
    this.#print('gray', text)
  }

  get settings(): LogSettings {
    return this.#log.settings
  }

  update(change: LogSettingsChange): LogSettings {
    return this.#log.update(change)
  }

  debug(fields: object, message: string): void {
    this.#log.debug(fields, message)
  }

  info(fields: object, message: string): void {
    const model = modelOf(fields)
    if (model !== undefined) this.#failures.hear(model)
    this.#log.info(fields, message)
  }

  warn(fields: object, message: string): void {
    this.#log.warn(fields, message)
    this.#print('yellow', `warning: ${message}`)
  }

  error(fields: object, message: string): void {
    this.#log.error(fields, message)
    const model = modelOf(fields)
    if (model !== undefined && !this.#failures.add(model, message)) return
    const versions = model === undefined ? '' : this.#versions(model)
    this.#print('red', `error: ${message}${versions === '' ? '' : `; version ${versions} still serves`}`)
  }

  table(text: string): void {
    this.#log.table(text)
  }

  close(): Promise<void> {
    return this.#log.close()
  }

  /** `1 and 2`; '' when none serves. */
  #versions(model: string): string {
    const start = `${model}/`
    const keys = [...this.#served].filter((key) => key.startsWith(start))
    return keys.map((key) => key.slice(start.length)).join(' and ')
  }

  #duration(): string {
    const { change } = this.#failures
    return change === undefined ? '' : ` in ${Math.round(systemClock.now() - change.at)} ms`
  }

  #print(colour: Colour, line: string): void {
    this.#sink.write(`${this.#sink.isTTY && !process.env.NO_COLOR ? styleText(colour, line) : line}\n`)
  }
}

/** The model that a line of the log is about, if any. */
const modelOf = (fields: object): string | undefined => ('model' in fields ? String(fields.model) : undefined)
