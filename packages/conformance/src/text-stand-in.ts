import { TritonError, tensor } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'

/** The recorded models `gen_text`, `gen_text_batch` and `gen_text_var`: the text in capitals, cut after `max_chars`. */
export function capitals(request: ExecutionRequest): void {
  const input = request.inputs.get('text_input')
  const length = request.inputs.get('max_chars')?.data[0] as number | undefined
  const texts = input?.strings().map((text) => text.toUpperCase().slice(0, length)) ?? []
  request.respond({ outputs: { text_output: tensor('BYTES', input?.shape ?? [], texts) } })
}

/** The recorded model `stream_text`: a response for each word, and an error in the place of the word `ERR`. */
export function words(request: ExecutionRequest): void {
  const [text = ''] = request.inputs.get('text_input')?.strings() ?? []
  const answers = text.split(/\s+/).filter((word) => word !== '')
  answers.forEach((word, index) => {
    if (word === 'ERR') {
      request.fail(new TritonError('INTERNAL', `word ${index} is ERR`), { final: false })
      return
    }
    const outputs = { text_output: tensor('BYTES', [1], [word]), index: tensor('INT32', [1], Int32Array.of(index)) }
    request.respond({ outputs }, { final: false })
  })
  request.end()
}
