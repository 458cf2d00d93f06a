import { createServer } from 'node:http'

/** The least that a Node server can do: read the whole body, answer with as many bytes as a model would. */
const size = Number(process.argv[2])
const answer = Buffer.alloc(size, 0x20)

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': size })
    response.end(answer)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())
