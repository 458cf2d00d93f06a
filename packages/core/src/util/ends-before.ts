/** Whether `work` ends before the signal is aborted. Rejects as `work` does; work that is late goes on by itself. */
export function endsBefore(work: PromiseLike<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(false)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    work.then(
      () => end(() => resolve(true)),
      (error: unknown) => end(() => reject(error)),
    )
  })
}
