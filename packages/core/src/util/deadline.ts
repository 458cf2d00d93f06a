import type { Clock } from './clock.ts'

/** Whether `work` ends within `milliseconds`. Rejects as `work` does; work that is late goes on by itself. */
export async function withDeadline(work: Promise<unknown>, milliseconds: number, clock: Clock): Promise<boolean> {
  let expire!: () => void
  const expired = new Promise<false>((resolve) => {
    expire = () => resolve(false)
  })
  const timer = clock.schedule(expire, milliseconds)
  try {
    return await Promise.race([work.then(() => true as const), expired])
  } finally {
    timer.cancel()
  }
}
