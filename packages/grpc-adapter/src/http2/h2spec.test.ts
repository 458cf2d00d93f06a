import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Http2Server } from '../fixtures/http2-server.ts'

const isMissing = spawnSync('h2spec', ['--version']).error !== undefined
if (isMissing) console.log('skipped: h2spec (https://github.com/summerwind/h2spec) is not there')

/** What h2spec prints, also where cases fail. */
async function h2spec(port: number, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('h2spec', ['-p', String(port), '--strict', ...args]).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

const failuresIn = (report: string): string[] => report.split('Failures:')[1]?.match(/× .*/g) ?? []

test.skipIf(isMissing)('h2spec finds nothing but that frames may be larger than it knows', async () => {
  await using server = await Http2Server.listen()
  const report = await h2spec(server.port)
  expect(report).toMatch(/\b14\d tests, \d+ passed/)
  // It sends more than the protocol's default size, and less than what the server allows.
  expect(failuresIn(report)).toEqual(['× 3: Sends a large size HEADERS frame that exceeds the SETTINGS_MAX_FRAME_SIZE'])
  expect(failuresIn(await h2spec(server.port, 'http2/4.2/3', '--max-header-length', '16000'))).toEqual([])
  expect(server.faults).toEqual([])
})
