import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from './measure.ts'

const run = promisify(execFile)

/** What a run of the load generator saw. */
export interface H2loadResult {
  readonly requestsPerSecond: number
  /** Milliseconds of a request, the median. */
  readonly p50: number
}

/** Calls of gRPC by nghttp2's load generator (Debian package nghttp2-client), which is cheap and the same for every server. */
export class H2load implements AsyncDisposable {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  /** @returns why there is none on this machine. */
  static async prepare(): Promise<H2load | string> {
    try {
      await run('h2load', ['--version'])
    } catch {
      return 'there is no h2load: install nghttp2-client'
    }
    return new H2load(await mkdtemp(join(tmpdir(), 'triton-ts-h2load-')))
  }

  /** Sends the message `count` times over `connections`, each of which waits for its answer before the next call. */
  async load(port: number, path: string, message: Buffer, count: number, connections: number): Promise<H2loadResult> {
    const [body, log] = [join(this.#directory, 'body'), join(this.#directory, 'log')]
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(message.byteLength, 1)
    await writeFile(body, Buffer.concat([prefix, message]))
    await rm(log, { force: true })
    const { stdout } = await run('h2load', [
      ...['-n', String(count), '-c', String(connections), '-m', '1', '-w', '22', '-W', '24'],
      ...['-d', body, `--log-file=${log}`, '-H', 'content-type: application/grpc', '-H', 'te: trailers'],
      `http://127.0.0.1:${port}${path}`,
    ])
    const rate = /, ([\d.]+) req\/s/.exec(stdout)?.[1]
    if (rate === undefined || !stdout.includes(` ${count} succeeded`)) throw new Error(`h2load failed:\n${stdout}`)
    // Lines of: time it began, status, microseconds.
    const times = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => Number(line.split('\t')[2]))
    return { requestsPerSecond: Number(rate), p50: median(times) / 1000 }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#directory, { recursive: true })
  }
}
