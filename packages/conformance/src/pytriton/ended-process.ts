import { spawn } from 'node:child_process'

/** Longer than any of these processes may take; then it is killed. */
const timeoutMs = 30_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it printed, standard output and error. */
  readonly output: string
}

export interface RunningScript {
  readonly pid: number
  /** It has printed `ready`, or has ended. */
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
}

/** Runs a script with this Node in a process of its own, which is killed after 30 seconds. */
export function startScript(file: string): RunningScript {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs })
  let output = ''
  const ready = new Promise<void>((resolve) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('ready\n')) resolve()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('close', () => resolve())
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, output }))
  })
  return { pid: child.pid ?? 0, ready, ended }
}
