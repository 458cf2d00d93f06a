import type { ErrorCode } from '@triton-ts/core'

/** A failure in the worker, as it is sent to the owner. */
export interface WorkerFailure {
  readonly code: ErrorCode
  readonly message: string
}

/**
 * ONNX Runtime's error codes by what its texts say, since onnxruntime-node passes on the text alone. The first match
 * counts; 1 (FAIL) is its code for everything else. Source: OrtErrorCode.
 */
const codes: readonly (readonly [text: RegExp, code: number])[] = [
  [/Protobuf parsing failed|protobuf parsing failed/, 7],
  [/File doesn't exist/, 3],
  [/This is an invalid model/, 10],
  [/Could not find an implementation|NOT_IMPLEMENTED|is not implemented/, 9],
  // What an operator throws tells its place by a whole path, or is a word of the C++ library; a check that failed tells
  // its place by the file's name; else the operator returned a sentence about its inputs.
  [/^Non-zero status code returned while running .*' Status Message: (\/|\S+\s*$)/s, 6],
  [/^Non-zero status code returned while running .*' Status Message: [\w.]+:\d+ /s, 1],
  [/^Non-zero status code returned while running/, 2],
  [/^(Invalid rank|Got invalid dimensions|Unexpected input data type|Invalid input name|Invalid output name)/, 2],
  [/^Missing Input/, 6],
]

/** `onnx runtime error <code>: <text>`, INTERNAL, as Triton words it. */
export function ortFailure(error: unknown): WorkerFailure {
  const text = error instanceof Error ? error.message : String(error)
  const code = codes.find(([pattern]) => pattern.test(text))?.[1] ?? 1
  return { code: 'INTERNAL', message: `onnx runtime error ${code}: ${text}` }
}

/** A failure whose text is ours. */
export class WorkerError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export function toFailure(error: unknown): WorkerFailure {
  return error instanceof WorkerError ? { code: error.code, message: error.message } : ortFailure(error)
}
