import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { openLog } from './log.ts'
import { settingsOf } from './settings.ts'
import { startServing } from './start-serving.ts'

const loopback = ['--http-address=127.0.0.1', '--http-port=0', '--metrics-port=0', '--allow-grpc=false']

/** What `/` of the metrics port answers, and the log. */
async function served(...args: string[]): Promise<{ status: number; page: string; refused: number; log: string }> {
  await using repository = await modelRepository()
  await using logs = await modelRepository()
  const file = join(logs.path, 'log')
  const settings = settingsOf([`--model-repository=${repository.path}`, ...loopback, `--log-file=${file}`, ...args])
  const log = openLog(settings.log)
  const serving = await startServing(settings, log)
  try {
    const url = `http://127.0.0.1:${serving?.metrics?.port}`
    const response = await fetch(`${url}/`)
    const { status: refused } = await fetch(`${url}/v2/models/m/config`)
    return { status: response.status, page: await response.text(), refused, log: await readFile(file, 'utf8') }
  } finally {
    await serving?.stop()
    await log.close()
  }
}

test('without the flag there is no live page', async () => {
  const { page, log } = await served()
  expect(page).toBe('')
  expect(log).not.toContain('Dashboard')
})

test('with it, it is served beside the metrics, and the log tells where', async () => {
  const { status, page, log } = await served('--allow-dashboard=true')
  expect(status).toBe(200)
  expect(page).toContain('<title>triton-ts</title>')
  expect(log).toMatch(/Started Dashboard at http:\/\/127\.0\.0\.1:\d+\//)
})

test('restrictions of the HTTP server hold for it, also where that is not served', async () => {
  const flags = ['--allow-dashboard=true', '--allow-http=false', '--http-restricted-api=model-config:admin=secret']
  expect((await served(...flags)).refused).toBe(403)
})

test('names under which it may be opened', () => {
  const names = ['--dashboard-allowed-host=triton.example.com', '--dashboard-allowed-host=other.example.com']
  const { dashboard } = settingsOf(['--allow-dashboard=true', ...names])
  expect(dashboard?.allowedHosts).toEqual(['triton.example.com', 'other.example.com'])
})

test('it needs the metrics server', () => {
  expect(() => settingsOf(['--allow-dashboard=true', '--allow-metrics=false'])).toThrow('--allow-metrics=true')
})
