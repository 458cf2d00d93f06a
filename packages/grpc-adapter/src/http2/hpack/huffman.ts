/**
 * Bits of each byte's code, and of the end of a text. Within one length codes count up with the bytes, so that this is
 * all there is to know. Source: RFC 7541, appendix B.
 */
const lengths = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28],
  ...[28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15],
  ...[6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23],
  ...[22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23],
  ...[20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27],
  ...[27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  ...[26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30],
]

const endOfText = 256

/** A tree in pairs: what follows a bit is the number of another pair, or a byte as `-1 - byte`. */
const tree = makeTree()

function makeTree(): Int16Array {
  const pairs: number[] = [0, 0]
  const add = (symbol: number, code: number, length: number): void => {
    let pair = 0
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * pair + ((code >>> bit) & 1)
      if (pairs[at] === 0) {
        pairs[at] = pairs.length / 2
        pairs.push(0, 0)
      }
      pair = pairs[at] as number
    }
    pairs[2 * pair + (code & 1)] = -1 - symbol
  }
  let code = 0
  for (let length = 1; length <= 30; length++) {
    for (const [symbol, own] of lengths.entries()) if (own === length) add(symbol, code++, length)
    code *= 2
  }
  return Int16Array.from(pairs)
}

/** The text of a code; undefined for what is none. */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  let text = ''
  let pair = 0
  /** Bits since the last byte of the text, and whether all of them were 1. */
  let depth = 0
  let isPadding = true
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const value = (byte >>> bit) & 1
      const next = tree[2 * pair + value] as number
      if (next < 0) {
        if (next === -1 - endOfText) return undefined
        text += String.fromCharCode(-1 - next)
        pair = 0
        depth = 0
        isPadding = true
      } else {
        pair = next
        depth++
        isPadding &&= value === 1
      }
    }
  }
  return depth < 8 && isPadding ? text : undefined
}
