import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { sendRaw } from './raw-http.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Listens on a free port; `onRequest` gets everything received so far. */
async function listen(onRequest: (received: string, socket: Socket) => void): Promise<number> {
  const listening = createServer((socket) => {
    let received = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      onRequest(received, socket)
    })
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return (listening.address() as AddressInfo).port
}

const get = { method: 'GET', path: '/v2', headers: {} }

describe('sendRaw', () => {
  test('sends the request as described and nothing else', async () => {
    let sent = ''
    const port = await listen((received, socket) => {
      sent = received
      if (received.endsWith('body')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Name: v\r\n\r\nok')
    })
    const answer = await sendRaw(port, {
      method: 'POST',
      path: '/a%20b',
      headers: { 'x-Odd': 'é' },
      body: Buffer.from('body'),
    })
    expect(sent).toBe(`POST /a%20b HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-Odd: é\r\nContent-Length: 4\r\n\r\nbody`)
    expect(answer).toEqual({
      status: 200,
      headers: new Map([
        ['content-length', '2'],
        ['x-name', 'v'],
      ]),
      body: Buffer.from('ok'),
    })
  })

  test('sends a body in chunks', async () => {
    let sent = ''
    const port = await listen((received, socket) => {
      sent = received
      if (received.endsWith('0\r\n\r\n')) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
    await sendRaw(port, { method: 'POST', path: '/', headers: {}, body: Buffer.from('abcdefgh'), chunked: true })
    expect(sent).toMatch(/Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n2\r\ngh\r\n0\r\n\r\n$/)
  })

  test('puts an answer together from any pieces', async () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n'
    const port = await listen((_, socket) => {
      socket.setNoDelay(true)
      const writeFrom = (at: number) => {
        if (at < text.length) socket.write(text.slice(at, at + 7), () => setImmediate(writeFrom, at + 7))
      }
      writeFrom(0)
    })
    expect((await sendRaw(port, get)).body.toString()).toBe('hello!')
  })

  test('reads an answer without a length to the end of the connection', async () => {
    const port = await listen((_, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
    expect((await sendRaw(port, get)).body.toString()).toBe('all of it')
  })

  test.each([
    ['is cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'closed before a whole answer'],
    ['is not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'not an HTTP/1.1 answer'],
  ])('rejects when the answer %s', async (_, text, message) => {
    const port = await listen((_received, socket) => socket.end(text))
    await expect(sendRaw(port, get)).rejects.toThrow(message)
  })
})
