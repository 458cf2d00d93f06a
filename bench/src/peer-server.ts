import { servePeer } from './peer.ts'

/** The least that a Node server can do: answer with as many bytes as a model would. */
const answer = Buffer.alloc(Number(process.argv[2]), 0x20)

servePeer(() => answer)
