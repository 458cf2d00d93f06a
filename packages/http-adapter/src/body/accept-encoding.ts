/** What a body may be compressed with. */
export type Encoding = 'identity' | 'gzip' | 'deflate'

const isEncoding = (type: string): type is Encoding => type === 'identity' || type === 'gzip' || type === 'deflate'

/**
 * The encoding for a response: of those offered the one with the highest weight, of equal ones the first. Names are
 * compared exactly and `*` means nothing, as with Triton (CompressionTypeUsed).
 */
export function negotiateEncoding(accept: string | undefined): Encoding {
  if (accept === undefined || accept === '') return 'identity'
  let best: Encoding = 'identity'
  let bestWeight = 0
  for (const offer of accept.split(',')) {
    const mark = offer.indexOf(';q=')
    const type = (mark === -1 ? offer : offer.slice(0, mark)).replace(/^ +/, '')
    const weight = mark === -1 ? 1 : Number.parseFloat(offer.slice(mark + 3))
    if (isEncoding(type) && weight > bestWeight) {
      best = type
      bestWeight = weight
    }
  }
  return best
}
