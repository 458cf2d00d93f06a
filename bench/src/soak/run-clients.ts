import type { SoakClient, SoakTarget } from './soak-client.ts'

/** What became of the clients of one kind. */
export interface ClientFigures {
  /** How often they did their work. */
  turns: number
  failures: number
  /** Of the first failure. */
  failure: string | undefined
  /** Turns that did not end. */
  stuck: number
}

/** How long one turn of a client may take, in milliseconds. */
const patience = 30_000

/** Has all clients work for so many seconds, and waits until each has done what it began. */
export async function runClients(
  clients: readonly SoakClient[],
  target: SoakTarget,
  seconds: number,
  figures: Map<string, ClientFigures>,
): Promise<void> {
  const end = performance.now() + seconds * 1000
  await Promise.all(
    clients.flatMap((client) => {
      const own = figures.get(client.name) ?? { turns: 0, failures: 0, failure: undefined, stuck: 0 }
      figures.set(client.name, own)
      return Array.from({ length: client.copies }, () => repeatUntil(end, client, target, own))
    }),
  )
}

async function repeatUntil(end: number, client: SoakClient, target: SoakTarget, own: ClientFigures): Promise<void> {
  while (performance.now() < end) {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), patience)
    })
    try {
      if ((await Promise.race([client.act(target, own.turns++), late])) === 'late') own.stuck++
    } catch (error) {
      own.failures++
      own.failure ??= (error as Error).message
    } finally {
      clearTimeout(timer)
    }
  }
}
