import type { DataType } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'

/** OUT is IN. */
export const identity = (datatype: DataType, shape: readonly (number | string)[]) =>
  onnxModel({
    inputs: [{ name: 'IN', datatype, shape }],
    outputs: [{ name: 'OUT', datatype, shape }],
    nodes: [{ op: 'Identity', inputs: ['IN'], outputs: ['OUT'] }],
  })

/** The configuration of `identity`: a type such as `TYPE_FP32`, dims, and more fields of both tensors. */
export const io = (type: string, dims: string, more = '') => `
  input { name: "IN" data_type: ${type} dims: [ ${dims} ] ${more} }
  output { name: "OUT" data_type: ${type} dims: [ ${dims} ] ${more} }
  instance_group { kind: KIND_CPU count: 1 }`
