/**
 * A number between 0 and 1, exclusive, that looks like chance and is always the same for the same arguments. 52 bits of
 * it are mixed from all of them.
 * @param salt tells apart what is not to go together, such as two models.
 */
export function keyHash(key: string, version: number, salt: number): number {
  let low = mix(salt ^ Math.imul(version, 0x9e3779b1))
  let high = mix(low ^ 0x5bd1e995)
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    low = Math.imul(low ^ unit, 0x2c1b3c6d)
    low ^= low >>> 15
    high = Math.imul(high ^ unit, 0x297a2d39)
    high ^= high >>> 13
  }
  low = mix(low ^ high)
  high = mix(high + low)
  return ((high >>> 12) * 2 ** 32 + (low >>> 0) + 0.5) / 2 ** 52
}

/** 32 bits for a text, as the salt of `keyHash`. */
export function textSalt(text: string): number {
  let salt = text.length
  for (let i = 0; i < text.length; i++) salt = Math.imul(salt, 31) + text.charCodeAt(i)
  return mix(salt)
}

/** Each bit of the result depends on each bit of `bits`. */
function mix(bits: number): number {
  let mixed = bits
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}
