import type { RunGate } from './run-gate.ts'

/** Keeps the end of the process from stopping workers inside ONNX Runtime. One for each backend value. */
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
    for (const gate of this.#gates) gate.shut()
  }
}
