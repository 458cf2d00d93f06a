/** Like `work`, but rejects as soon as the signal is aborted, with its reason. `late` gets what comes after that. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work
      .then((value) => {
        if (signal.aborted) late?.(value)
        resolve(value)
      }, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
