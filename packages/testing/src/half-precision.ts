/** The number that 16 bits mean as IEEE 754 half precision, the elements of an FP16 tensor. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The number that 16 bits mean as the upper half of single precision, the elements of a BF16 tensor. */
export function fromBrainFloat(bits: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint16(0, bits)
  return view.getFloat32(0)
}
