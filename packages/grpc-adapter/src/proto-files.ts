import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'

/** An import comes before what imports it. */
const files = ['model_config', 'grpc_service', 'health', 'reflection_v1', 'reflection_v1alpha']

/**
 * The schema of every service, with names as the files in `proto/` spell them. This module lies where the same relative
 * path leads to them from the sources and from what is built.
 */
export function readProtoFiles(): protobuf.Root {
  const root = new protobuf.Root()
  for (const file of files) {
    const text = readFileSync(new URL(`../proto/${file}.proto`, import.meta.url), 'utf8')
    protobuf.parse(text, root, { keepCase: true })
  }
  root.resolveAll()
  return root
}
