import type { RecordedTrace, RequestEntries, TraceEntry } from './file-recorder.ts'
import { TensorSnapshot } from './tensor-snapshot.ts'

/**
 * A trace as the objects of Triton's trace file (docs/user_guide/trace.md, "JSON Trace Output"), part by part: what
 * belongs to one request stands together.
 */
export function* traceText({ requests }: RecordedTrace): Iterable<string> {
  let isFirst = true
  for (const request of requests) {
    for (const [at, entry] of request.entries.entries()) {
      if (!isFirst) yield ','
      isFirst = false
      if (request.facts?.at === at) yield `${factsText(request.facts.request)},`
      yield* entryText(request.id, entry)
    }
  }
}

function factsText({
  id,
  modelName,
  modelVersion,
  requestId,
  parentId,
}: NonNullable<RequestEntries['facts']>['request']): string {
  const request = requestId === '' ? '' : `,"request_id":${JSON.stringify(requestId)}`
  const parent = parentId === 0n ? '' : `,"parent_id":${parentId}`
  return `{"id":${id},"model_name":${JSON.stringify(modelName)},"model_version":${modelVersion}${request}${parent}}`
}

function* entryText(id: bigint, entry: TraceEntry): Iterable<string> {
  if (!(entry instanceof TensorSnapshot)) {
    yield `{"id":${id},"timestamps":[{"name":${JSON.stringify(entry.name)},"ns":${entry.time}}]}`
    return
  }
  yield `{"id":${id},"activity":"${entry.activity}","tensor":{"name":${JSON.stringify(entry.name)},"data":"`
  yield* entry.data()
  yield `","shape":"${entry.shape.join(',')}","dtype":"${entry.datatype}"}}`
}
