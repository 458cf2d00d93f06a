/** ONNX Runtime and the worker threads around it are loaded by Node as they are, not bundled. */
export default {
  serverExternalPackages: ['@triton-ts/core', '@triton-ts/backend-onnx', 'onnxruntime-node'],
}
