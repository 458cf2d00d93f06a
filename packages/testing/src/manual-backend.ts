import type { Backend, BackendModel, ExecutionMarks, ExecutionRequest } from '@triton-ts/core/backend'

/** One call of a backend instance that waits for the test. */
export interface Execution {
  readonly instance: string
  readonly requests: readonly ExecutionRequest[]
  /** For a test that is about compute times. */
  readonly marks: ExecutionMarks
  /** Lets `execute` return, after the test has answered the requests. */
  finish(): void
  /** Lets `execute` throw. */
  fail(error: unknown): void
}

/** A backend whose every step is taken by the test. */
export interface ManualBackend extends Backend {
  /** The oldest execution that the test has not taken yet; waits for one. */
  next(): Promise<Execution>
  /** Executions that wait for `next`. */
  readonly waiting: number
  /** What was made and disposed, in order: `model m 1`, `instance m_0`, `dispose m_0`, `dispose m 1`. */
  readonly log: readonly string[]
  /** What instances answer when they are asked whether they are ready; default true. */
  ready: boolean
}

/**
 * Makes a backend whose executions wait for the test: take each with `next`, answer its requests, then `finish` it.
 * @param name what configurations call the backend.
 * @param more what its models have besides, `includeRequest` for instance.
 */
export function manualBackend(name = 'manual', more: Partial<BackendModel> = {}): ManualBackend {
  const log: string[] = []
  const executions: Execution[] = []
  const takers: ((execution: Execution) => void)[] = []
  const offer = (execution: Execution): void => {
    const taker = takers.shift()
    if (taker === undefined) executions.push(execution)
    else taker(execution)
  }
  const backend: ManualBackend = {
    name,
    log,
    ready: true,
    next: () => {
      const execution = executions.shift()
      return execution === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(execution)
    },
    get waiting() {
      return executions.length
    },
    async createModel(model) {
      const title = `${model.name} ${model.version}`
      log.push(`model ${title}`)
      return {
        async createInstance(slot) {
          log.push(`instance ${slot.name}`)
          return {
            execute: (requests, marks) =>
              new Promise<void>((resolve, reject) => {
                offer({ instance: slot.name, requests, marks, finish: resolve, fail: reject })
              }),
            isReady: async () => backend.ready,
            async dispose() {
              log.push(`dispose ${slot.name}`)
            },
          }
        },
        async dispose() {
          log.push(`dispose ${title}`)
        },
        ...more,
      }
    },
  }
  return backend
}
