import { createServer } from 'node:http'

/** What one writes by hand: JSON.parse, a typed array, JSON.stringify. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { inputs } = JSON.parse(Buffer.concat(chunks).toString())
    const data = Float32Array.from(inputs[0].data)
    const body = Buffer.from(JSON.stringify({ outputs: [{ ...inputs[0], name: 'OUTPUT0', data: Array.from(data) }] }))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength })
    response.end(body)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', () => process.exit())
