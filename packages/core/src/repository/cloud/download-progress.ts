import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { memorySizeText } from '../../util/memory-size.ts'
import type { ModelFile } from './model-tree.ts'

/** How far a model of a cloud repository has come to this machine. */
export interface DownloadProgress {
  /** Name of the model. */
  readonly model: string
  /** All files of the model. */
  readonly files: number
  /** Those that are here, downloaded or from the cache. */
  readonly filesDone: number
  /** Size of all files. */
  readonly bytes: number
  /** What is here of them; it goes back when a download has to begin again. */
  readonly bytesDone: number
  /** What of that was in the cache. */
  readonly cachedBytes: number
}

export interface ProgressOptions {
  readonly repository: string
  readonly model: string
  readonly clock: Clock
  readonly logger: Logger
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined
}

/** Tells and logs the progress of one download: at its start, then at most once a second, and at its end. */
export class ProgressReport {
  readonly #options: ProgressOptions
  readonly #files: number
  readonly #bytes: number
  readonly #startedAt: number
  #toldAt = 0
  #filesDone = 0
  #filesCached = 0
  #bytesDone = 0
  #cachedBytes = 0

  constructor(files: readonly ModelFile[], options: ProgressOptions) {
    this.#options = options
    this.#files = files.length
    this.#bytes = files.reduce((sum, { object }) => sum + object.size, 0)
    this.#startedAt = options.clock.now()
    this.#tell()
    this.#log(`bringing ${this.#amount} of ${this.#name}`)
  }

  /** So many bytes more have come, or less when a file begins again. */
  add(bytes: number): void {
    this.#bytesDone += bytes
    this.#tellInTime()
  }

  /** A file is complete. What comes from the cache was not added before. */
  fileDone(size: number, isCached: boolean): void {
    this.#filesDone++
    if (isCached) {
      this.#filesCached++
      this.#cachedBytes += size
      this.#bytesDone += size
    }
    this.#tellInTime()
  }

  end(): void {
    this.#tell()
    const fetched = `downloaded ${counted(this.#files - this.#filesCached)} (${memorySizeText(this.#bytes - this.#cachedBytes)})`
    const seconds = ((this.#options.clock.now() - this.#startedAt) / 1000).toFixed(1)
    this.#log(`${fetched} of ${this.#name} in ${seconds} s, ${this.#filesCached} were in the cache`)
  }

  get #name(): string {
    return `model '${this.#options.model}' from '${this.#options.repository}'`
  }

  get #amount(): string {
    return `${counted(this.#files)} (${memorySizeText(this.#bytes)})`
  }

  #tellInTime(): void {
    if (this.#options.clock.now() - this.#toldAt >= 1000) this.#tell()
  }

  #tell(): void {
    const { clock, model, onProgress, logger } = this.#options
    this.#toldAt = clock.now()
    try {
      onProgress?.({
        model,
        files: this.#files,
        filesDone: this.#filesDone,
        bytes: this.#bytes,
        bytesDone: this.#bytesDone,
        cachedBytes: this.#cachedBytes,
      })
    } catch (error) {
      logger.error({ err: error }, 'the onProgress of a cloud repository threw')
    }
  }

  #log(text: string): void {
    const { model, repository } = this.#options
    this.#options.logger.info({ model, repository }, text)
  }
}

const counted = (files: number): string => (files === 1 ? '1 file' : `${files} files`)
