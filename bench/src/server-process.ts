import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { residentMegabytes } from './process-tree.ts'

/** A server in a process of its own, so that its processor time can be told from the load generator's. */
export class ServerProcess {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(file: string, ...args: string[]): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new ServerProcess(child, port)
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** User and system time so far, in microseconds. */
  async cpu(): Promise<number> {
    this.#child.send('cpu')
    const [{ cpu }] = (await once(this.#child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
    return cpu.user + cpu.system
  }

  /** Memory of the process, on Linux. */
  async residentMegabytes(): Promise<number> {
    return residentMegabytes(this.pid)
  }

  stop(): void {
    this.#child.disconnect()
  }
}
