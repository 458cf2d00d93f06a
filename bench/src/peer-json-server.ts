import { servePeer } from './peer.ts'

/** What one writes by hand: JSON.parse, a typed array, JSON.stringify. */
servePeer((chunks) => {
  const { inputs } = JSON.parse(Buffer.concat(chunks).toString())
  const data = Float32Array.from(inputs[0].data)
  return Buffer.from(JSON.stringify({ outputs: [{ ...inputs[0], name: 'OUTPUT0', data: Array.from(data) }] }))
})
