/** A length-delimited protobuf field of less than 128 bytes, for parts of ONNX files that `onnxModel` does not write. */
export function protoField(number: number, ...content: (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.of(number * 8 + 2, bytes.length), bytes])
}
