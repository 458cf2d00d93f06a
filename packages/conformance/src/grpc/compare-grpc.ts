import { decodeMessage } from '../../../grpc-adapter/src/fixtures/decode-message.ts'
import { sameJson } from '../compare.ts'
import type { LenientJson } from '../lenient-json.ts'
import type { GrpcCase } from './grpc-corpus.ts'
import type { RawAnswer } from './raw-grpc.ts'

/** Says how an answer differs from the recorded one, or undefined when it is the same by the case's rule. */
export function compareGrpcAnswer(entry: GrpcCase, answer: RawAnswer, repository: string): string | undefined {
  const { compare, status: want } = entry
  if (compare === 'none') return undefined
  const message = answer.message.replaceAll(repository, '$${REPO}')
  if (answer.code !== want.code) return `status ${answer.code} (${message}), want ${want.code} (${want.message})`
  if (compare === 'status') return undefined
  if (answer.code !== 'OK') {
    const [text, wantText] = compare === 'prefix' ? [message, want.message].map(upToColon) : [message, want.message]
    if (text !== wantText) return `message '${message}', want '${want.message}'`
  }
  const { response_b64, responses_b64 = response_b64 === undefined ? [] : [response_b64] } = entry
  if (answer.responses.length !== responses_b64.length) {
    return `${answer.responses.length} responses, want ${responses_b64.length}`
  }
  for (const [i, response] of answer.responses.entries()) {
    const recorded = Buffer.from(responses_b64[i] ?? '', 'base64')
    const difference = compareResponse(entry, response, recorded, repository)
    if (difference !== undefined) return difference
  }
  return undefined
}

function compareResponse(
  { method, compare }: GrpcCase,
  response: Buffer,
  recorded: Buffer,
  repository: string,
): string | undefined {
  if (method.startsWith('/')) return response.equals(recorded) ? undefined : 'the response differs'
  const read = (bytes: Buffer): LenientJson => comparable(decodeMessage(`inference.${method}Response`, bytes))
  const [value, want] = [read(response), read(recorded)]
  const text = JSON.stringify(value).replaceAll(repository, '$${REPO}')
  if (sameJson(JSON.parse(text), want, compare === 'json')) return undefined
  return `response ${text.slice(0, 600)}, want ${JSON.stringify(want).slice(0, 600)}`
}

/** A message without durations and times, which differ in each run. */
const comparable = (message: object): LenientJson =>
  JSON.parse(JSON.stringify(message, (key, value) => (key === 'ns' || key === 'last_inference' ? undefined : value)))

const upToColon = (text: string): string => text.split(':')[0] ?? ''
