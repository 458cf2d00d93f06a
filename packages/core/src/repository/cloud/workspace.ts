import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../../util/logger.ts'

/**
 * The directory below `<cache>/models` that one source has for itself, for model directories and for downloads that are not
 * complete. As long as its owner lives, somebody listens on the socket `alive` in it; so what a process that is gone has
 * left is told apart from what another one uses, across containers, too. Its name begins with the machine and its start.
 */
export class Workspace {
  readonly directory: string
  readonly #server: Server
  #names = 0

  private constructor(directory: string, server: Server) {
    this.directory = directory
    this.#server = server
  }

  /** Makes a workspace, and removes those of processes that are gone. */
  static async open(cache: string, logger: Logger): Promise<Workspace> {
    const parent = join(cache, 'models')
    await mkdir(parent, { recursive: true, mode: 0o700 })
    const machine = await thisMachine()
    await removeLeftOver(parent, machine, logger)
    const directory = await mkdtemp(join(parent, `${machine.host}-${machine.start}-`))
    return new Workspace(directory, await listen(directory, logger))
  }

  /** A path in the workspace that nothing has had before. */
  path(): string {
    return join(this.directory, String(++this.#names))
  }

  async dispose(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    await rm(this.directory, { recursive: true, force: true })
  }
}

interface Machine {
  /** Of its name, and of the id of its system where there is one. */
  readonly host: string
  /** Of what changes with each start of the system, and is one for all containers; the same as `host` where there is no such thing. */
  readonly start: string
}

async function thisMachine(): Promise<Machine> {
  const id = await readFile('/etc/machine-id', 'utf8').catch(() => '')
  const host = short(hostname() + id)
  const start = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(short, () => host)
  return { host, start }
}

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6)

async function removeLeftOver(parent: string, machine: Machine, logger: Logger): Promise<void> {
  for (const name of await readdir(parent)) {
    const directory = join(parent, name)
    if (!(await isLeftOver(directory, name, machine))) continue
    logger.info({ directory }, 'removing what a process that is gone left in the cache')
    await rm(directory, { recursive: true, force: true }).catch((error: unknown) =>
      logger.warn({ err: error, directory }, `failed to remove '${directory}'`),
    )
  }
}

/** What belongs to another machine stays: nothing tells from here whether it is in use. */
async function isLeftOver(directory: string, name: string, { host, start }: Machine): Promise<boolean> {
  const [ownerHost, ownerStart] = name.split('-')
  if (ownerStart === start) return (await knock(join(directory, 'alive'))) === 'ECONNREFUSED'
  return ownerHost === host
}

/** The code of the error with which a connection fails; undefined when somebody listens. */
const knock = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ path })
    socket.on('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })

/**
 * Does not keep the process alive. The socket is renamed, since Node takes it away at the end of the process by the name it
 * was made with, and what is left could not be told from what is just being made. Where sockets cannot be made, the
 * workspace works, but is never taken for left over.
 */
async function listen(directory: string, logger: Logger): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref()
  server.on('error', (error) => logger.debug({ err: error, directory }, 'the socket of a workspace failed'))
  const path = join(directory, 'new')
  try {
    server.listen({ path })
    await once(server, 'listening')
    await rename(path, join(directory, 'alive'))
  } catch (error) {
    logger.warn({ err: error, path }, 'if this process crashes, nothing will remove what it leaves in the cache')
  }
  return server
}
