import pino from 'pino'
import { expect, test } from 'vitest'
import { Server } from '../index.ts'
import { openServerLog } from './open-server-log.ts'

/** A pino logger, and the lines that it writes, parsed. */
function pinoLogger(level: string): { logger: pino.Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level, base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line)) })
  return { logger, lines }
}

test("pino gets what the Server's switches let through, and decides by its own level", () => {
  const { logger, lines } = pinoLogger('debug')
  const log = openServerLog(logger, undefined)
  const say = (): void => {
    log.debug({ verbose: 2 }, 'more verbose')
    log.debug({}, 'verbose')
    log.info({ model: 'm' }, 'information')
    log.warn({}, 'warning')
    log.error({ err: new Error('broken') }, 'error')
  }
  const messages = (): unknown[] => lines.splice(0).map(({ msg }) => msg)
  say()
  expect(lines[0]).toEqual({ level: 30, model: 'm', msg: 'information' })
  expect(lines[2]).toMatchObject({ level: 50, err: { type: 'Error', message: 'broken' }, msg: 'error' })
  expect(messages()).toEqual(['information', 'warning', 'error'])
  log.update({ logVerboseLevel: 1, logInfo: false })
  say()
  expect(messages()).toEqual(['verbose', 'warning', 'error'])
  logger.level = 'error'
  say()
  expect(messages()).toEqual(['error'])
})

test('what the Server logs goes to pino', async () => {
  const { logger, lines } = pinoLogger('info')
  await using server = await Server.start({ modelRepository: [], modelControl: 'explicit', logger, logVerbose: 1 })
  await expect(server.load('nowhere')).rejects.toThrow()
  expect(lines).toContainEqual(expect.objectContaining({ level: 50, model: 'nowhere' }))
  expect(server.logSettings()).toMatchObject({ logVerboseLevel: 1, logFormat: 'default', logFile: '' })
})

test('console is a logger too', () => {
  expect(() => openServerLog(console, undefined).debug({}, 'not printed')).not.toThrow()
})
