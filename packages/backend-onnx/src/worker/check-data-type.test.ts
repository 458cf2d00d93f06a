import { expect, test } from 'vitest'
import { checkDataType } from './check-data-type.ts'

const info = { name: 'A', datatype: undefined, shape: [1] }

test('a type of the model that Triton does not know', () => {
  expect(() => checkDataType('m', 'input', { name: 'A', dataType: 'TYPE_FP32' }, info)).toThrow(
    "unable to load model 'm', configuration expects datatype TYPE_FP32 for input 'A', model provides TYPE_<invalid>",
  )
})

test('no type in the configuration', () => {
  expect(() => checkDataType('m', 'input', { name: 'A', dataType: 'TYPE_INVALID' }, info)).toThrow(
    "unsupported datatype TYPE_INVALID for input 'A' for model 'm'",
  )
})
