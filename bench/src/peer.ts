import { createServer } from 'node:http'

/** Serves a peer on a free port: reads the whole body and sends what `answer` makes of it. */
export function servePeer(answer: (chunks: readonly Buffer[]) => Buffer): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = answer(chunks)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    report({ port: typeof address === 'object' ? address?.port : undefined })
  })
  onCpuRequest()
  process.on('disconnect', () => process.exit())
}

/** Tells the benchmark something. */
export function report(message: object): void {
  process.send?.(message)
}

/** Answers every message of the benchmark with the processor time so far. */
export function onCpuRequest(): void {
  process.on('message', () => report({ cpu: process.cpuUsage() }))
}
