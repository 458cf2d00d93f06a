import { type Server, type Tensor, tensor } from '@triton-ts/core'

/** The only element of a BYTES tensor as text. */
export function textOf(output: Tensor | undefined): string {
  const [element] = (output?.data ?? []) as readonly Uint8Array[]
  return Buffer.from(element ?? []).toString()
}

export const int32 = (...values: number[]): Tensor => tensor('INT32', [values.length], new Int32Array(values))

export const valuesOf = (output: Tensor | undefined): number[] => [...((output?.data ?? []) as Int32Array)]

/** What the model `asks` tells of asking another model. */
export async function ask(server: Server, way: string, model: string, ...values: number[]): Promise<unknown> {
  const outputs = await server.infer('asks', {
    WAY: tensor('BYTES', [1], [way]),
    MODEL: tensor('BYTES', [1], [model]),
    VALUES: int32(...values),
  })
  return JSON.parse(textOf(outputs.OUT))
}

/** What a stream ends with: all its responses. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of stream) all.push(item)
  return all
}
