import { styleText } from 'node:util'
import { type Logger, type Server, systemClock } from '@triton-ts/core'
import type { Log } from '../serve/log.ts'

type Colour = 'green' | 'yellow' | 'red' | 'gray'

/** Milliseconds: what a file watch tells of one save may come in parts. */
const sameSave = 1000

/** Where lines go, standard output for instance. */
export interface LineSink {
  write(text: string): unknown
  /** Only a terminal gets colours. */
  readonly isTTY?: boolean | undefined
}

/** Models that were saved together. */
export interface Change {
  /** Names of directories in the repositories. */
  readonly models: ReadonlySet<string>
  /** When the first file was saved, in milliseconds on the system's clock. */
  readonly at: number
}

/** Tells what becomes of models, one line each. It is the log of the server too. */
export class Reporter implements Log {
  readonly #sink: LineSink
  readonly #log: Log
  readonly debug: Logger['debug']
  #change: Change | undefined
  /** What serves, as `name/version`. */
  readonly #served = new Set<string>()
  /** The last error of each model, and when it was told. */
  readonly #errors = new Map<string, { readonly message: string; readonly at: number }>()

  /** @param log gets every line of the server; closed with this one. */
  constructor(sink: LineSink, log: Log) {
    this.#sink = sink
    this.#log = log
    this.debug = log.debug
  }

  /** From now on tells what becomes of the models of this server. */
  follow(server: Server): void {
    for (const { name, version } of server.statistics()) this.#served.add(`${name}/${version}`)
    server.on('modelReady', ({ name, version }) => {
      const key = `${name}/${version}`
      const verb = this.#served.has(key) ? 'reloaded' : 'loaded'
      this.#served.add(key)
      this.#errors.delete(name)
      this.#print('green', `${verb} '${name}' version ${version}${this.#duration()}`)
    })
    server.on('modelUpdated', ({ name, version }) => {
      this.#errors.delete(name)
      this.#print('green', `changed the instances of '${name}' version ${version}${this.#duration()}`)
    })
    server.on('modelUnavailable', ({ name, version, reason }) => {
      if (!server.isLive() || reason !== 'unloaded' || !this.#served.delete(`${name}/${version}`)) return
      this.#print('yellow', `unloaded '${name}' version ${version}`)
    })
  }

  /** What comes next is because of this change; undefined: nobody knows why. */
  because(change: Change | undefined): void {
    this.#change = change
  }

  /** A line of the command itself. */
  say(text: string): void {
    this.#print('gray', text)
  }

  info(fields: object, message: string): void {
    this.#log.info(fields, message)
  }

  warn(fields: object, message: string): void {
    this.#log.warn(fields, message)
    this.#print('yellow', `warning: ${message}`)
  }

  error(fields: object, message: string): void {
    this.#log.error(fields, message)
    const model = 'model' in fields ? String(fields.model) : undefined
    if (model !== undefined) {
      // Before it may be the repository.
      const name = model.slice(model.lastIndexOf(':') + 1)
      const last = this.#errors.get(model)
      const at = systemClock.now()
      const isNews = this.#change?.models.has(name) && at - (last?.at ?? 0) > sameSave
      if (last?.message === message && !isNews) return
      this.#errors.set(model, { message, at })
    }
    const still = model === undefined ? [] : this.#versions(model)
    const rest = still.length === 0 ? '' : `; version ${still.join(' and ')} still serves`
    this.#print('red', `error: ${message}${rest}`)
  }

  table(text: string): void {
    this.#log.table(text)
  }

  close(): void {
    this.#log.close()
  }

  #versions(model: string): string[] {
    const start = `${model}/`
    return [...this.#served].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length))
  }

  #duration(): string {
    return this.#change === undefined ? '' : ` in ${Math.round(systemClock.now() - this.#change.at)} ms`
  }

  #print(colour: Colour, line: string): void {
    this.#sink.write(`${this.#sink.isTTY && !process.env.NO_COLOR ? styleText(colour, line) : line}\n`)
  }
}
