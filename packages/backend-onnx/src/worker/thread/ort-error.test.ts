import { expect, test } from 'vitest'
import { toFailure, WorkerError } from './ort-error.ts'

test.each([
  ['Load model from /m.onnx failed:Protobuf parsing failed.', 7],
  ['Failed to load model because protobuf parsing failed.', 7],
  ["Load model from /m.onnx failed:Load model /m.onnx failed. File doesn't exist", 3],
  ['Load model from /m.onnx failed:This is an invalid model. Error in Node: : No Op registered for Foo', 10],
  ['Could not find an implementation for Foo(1) node', 9],
  ["Non-zero status code returned while running Reshape node. Name:'' Status Message: /onnxruntime/a.h:84 failed", 6],
  ["Non-zero status code returned while running Cast node. Name:'' Status Message: stod", 6],
  ["Non-zero status code returned while running MatMul node. Name:'' Status Message: matmul_helper.h:59 Compute", 1],
  ["Non-zero status code returned while running Gather node. Name:'' Status Message: indices element out of", 2],
  ['Invalid rank for input: A Got: 1 Expected: 2 Please fix either the inputs/outputs or the model.', 2],
  ['Got invalid dimensions for input: A for the following indices', 2],
  ['Load model from /m.onnx failed:model.cc:165 ModelProto does not have a graph.', 1],
])('%s: error %i', (text, code) => {
  expect(toFailure(new Error(text))).toEqual({ code: 'INTERNAL', message: `onnx runtime error ${code}: ${text}` })
})

test('failures of our own keep their text', () => {
  expect(toFailure(new WorkerError('UNSUPPORTED', 'no'))).toEqual({ code: 'UNSUPPORTED', message: 'no' })
  expect(toFailure('thrown').message).toBe('onnx runtime error 1: thrown')
})
