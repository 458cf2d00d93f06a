import type { RunGate } from './run-gate.ts'

/** Milliseconds that the end of the process waits for runs and loads in progress. */
const patience = 5000

/**
 * Keeps the end of the process from stopping workers inside ONNX Runtime. A model that does not come to an end must not
 * hold the process: it is killed then (SIGKILL), which unlike Node's own way leaves no crash report. One for each
 * backend value.
 */
export class ExitGuard {
  readonly #gates = new Set<RunGate>()

  add(gate: RunGate): void {
    if (this.#gates.size === 0) process.on('exit', this.#shutAll)
    this.#gates.add(gate)
  }

  delete(gate: RunGate): void {
    if (this.#gates.delete(gate) && this.#gates.size === 0) process.off('exit', this.#shutAll)
  }

  readonly #shutAll = (): void => {
    const end = performance.now() + patience
    for (const gate of this.#gates) {
      if (!gate.shut(end - performance.now())) process.kill(process.pid, 'SIGKILL')
    }
  }
}
