export type { OnnxOptions } from './onnx-backend.ts'
export { onnx } from './onnx-backend.ts'
