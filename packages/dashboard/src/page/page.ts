import type { LiveModel, LiveSnapshot } from '../live-snapshot.ts'
import { Api, type ApiError } from './data/api.ts'
import { History } from './data/history.ts'
import { Poller } from './data/poller.ts'
import { type IdleModel, readIdleModels } from './data/repository-index.ts'
import { byId, setText } from './dom.ts'
import { versionKey } from './numbers/measure.ts'
import { Connection } from './view/connection.ts'
import { KeyForm } from './view/key-form.ts'
import { ModelDetail } from './view/model-detail.ts'
import { ModelTable } from './view/model-table.ts'
import { Overview } from './view/overview.ts'
import { rowsOf } from './view/rows.ts'

/** Milliseconds after which the page asks again what does not serve; it also asks when something comes or goes. */
const indexInterval = 30_000

/** What the page knows, and what it shows of it. */
export class Page {
  readonly #api = new Api(location.pathname)
  readonly #history = new History()
  readonly #poller = new Poller(this.#api, {
    onSnapshot: (snapshot) => this.#show(snapshot),
    onFailure: (error) => this.#fail(error),
  })
  readonly #connection = new Connection()
  readonly #key = new KeyForm((key) => {
    this.#api.useKey(key)
    this.#poller.start()
  })
  readonly #overview = new Overview()
  readonly #table = new ModelTable((key) => this.#choose(key))
  readonly #section = byId('detail', 'section')
  #chosen = decodeURIComponent(location.hash.slice(1))
  #detail: ModelDetail | undefined
  #idle: readonly IdleModel[] = []
  /** Tells loads apart. */
  #loads = ''
  #indexed = Number.NEGATIVE_INFINITY

  start(): void {
    byId('overview', 'section').append(this.#overview.root)
    byId('models', 'section').append(this.#table.root)
    this.#poller.start()
  }

  #show(snapshot: LiveSnapshot): void {
    this.#connection.live(snapshot.state)
    this.#key.leave()
    if (!this.#history.add(snapshot)) return
    this.#followLoads(snapshot)
    for (const id of ['overview', 'models']) byId(id, 'section').hidden = false
    this.#overview.show(snapshot, this.#history.total)
    const [first] = snapshot.models
    if (this.#detail === undefined) this.#open(this.#find(this.#chosen) ?? first)
    this.#table.show(rowsOf(snapshot, this.#history, this.#idle), this.#chosen)
    this.#detail?.show(this.#history.points(this.#chosen))
  }

  #fail(error: ApiError): void {
    this.#history.gap()
    this.#connection.failed(error)
    if (error.status === 401) this.#key.ask()
  }

  #find(key: string): LiveModel | undefined {
    return this.#history.latest?.models.find((model) => versionKey(model) === key)
  }

  #choose(key: string): void {
    this.#open(this.#find(key))
    this.#section.focus({ preventScroll: true })
    this.#section.scrollIntoView({ block: 'nearest' })
  }

  #open(model: LiveModel | undefined): void {
    if (model === undefined) return
    this.#detail?.leave()
    this.#chosen = versionKey(model)
    history.replaceState(null, '', `#${encodeURIComponent(this.#chosen)}`)
    this.#section.hidden = false
    this.#detail = new ModelDetail(model, this.#api)
    this.#detail.showIn(this.#section)
    const { latest } = this.#history
    if (latest === undefined) return
    this.#table.show(rowsOf(latest, this.#history, this.#idle), this.#chosen)
    this.#detail.show(this.#history.points(this.#chosen))
  }

  #followLoads({ models }: LiveSnapshot): void {
    const loads = models.map((model) => `${versionKey(model)} ${model.loadDuration}`).join()
    const now = performance.now()
    if (loads === this.#loads && now - this.#indexed < indexInterval) return
    if (loads !== this.#loads) {
      void this.#detail?.reload()
      void this.#readServer()
    }
    this.#loads = loads
    this.#indexed = now
    void readIdleModels(this.#api).then((idle) => {
      this.#idle = idle
    })
  }

  async #readServer(): Promise<void> {
    try {
      const { name, version } = (await this.#api.json('v2')) as { readonly name: string; readonly version: string }
      setText(byId('server', 'p'), `${name} · ${version}`)
      document.title = `${name} · triton-ts`
    } catch {
      // A name is all that is missing.
    }
  }
}
