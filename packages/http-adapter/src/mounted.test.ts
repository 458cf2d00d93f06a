import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { mounted } from './express.ts'
import { fetchMounted } from './fetch.ts'
import { textResponse, type UniversalHandler } from './universal.ts'

/** Tells what it sees. */
const seen: UniversalHandler = async ({ method, path }) => textResponse(200, 'text/plain', `${method} ${path}`)

test.each(['/live', '/live/', '/live/snapshot', '/live/v2/models/m?x=1'])(
  'a handler that is mounted sees the path below, for %s',
  async (path) => {
    const listener = express().use('/live', mounted(seen)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    const expected = `GET ${path.replace('/live', '').replace('?x=1', '') || '/'}`
    try {
      expect(await (await fetch(origin + path)).text()).toBe(expected)
      expect(await (await fetchMounted(seen, '/live')(new Request(origin + path))).text()).toBe(expected)
    } finally {
      listener.closeAllConnections()
      listener.close()
    }
  },
)
