import { hash, timingSafeEqual } from 'node:crypto'

/** What is kept of a secret. It has one length, so that comparing tells nothing, not even that of the secret. */
export const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Whether a text is the secret of a digest; it takes as long for a wrong text as for the right one. */
export const isSecret = (text: string, digest: Buffer): boolean => timingSafeEqual(digestOf(text), digest)
