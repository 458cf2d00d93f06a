export { type OnnxBackend, type OnnxOptions, onnx } from './onnx-backend.ts'
