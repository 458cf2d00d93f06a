import type { Backend, ExecutionRequest } from '@triton-ts/core/backend'

/** A backend named `gate` whose every batch waits until it is let through, so that requests queue up behind it. */
export function gate(): { backend: Backend; open(): void } {
  let open = (): void => {}
  const execute = (requests: readonly ExecutionRequest[]) =>
    new Promise<void>((resolve) => {
      open = () => {
        for (const one of requests) one.respond({ outputs: {} })
        resolve()
      }
    })
  const instance = { execute, async dispose() {} }
  const model = { createInstance: async () => instance, async dispose() {} }
  return { backend: { name: 'gate', createModel: async () => model }, open: () => open() }
}
