import { describe, expect, test } from 'vitest'
import { completeBackendFields } from './backend-fields.ts'
import { ConfigError } from './config-error.ts'
import { modelConfigFromObject } from './json.ts'
import type { ModelConfigInput } from './model-config.ts'

/** `backend platform default_model_filename`, with `-` for an empty one; a name with a `/` is a directory. */
function complete(input: ModelConfigInput, files: string[] = [], modelName = 'net'): string {
  const entries = files.map((name) => ({ name: name.replace('/', ''), directory: name.endsWith('/') }))
  const config = completeBackendFields(modelConfigFromObject(input), { modelName, files: entries })
  return [config.backend, config.platform, config.defaultModelFilename].map((text) => text || '-').join(' ')
}

describe('from the file', () => {
  test.each([
    [['model.savedmodel/'], 'tensorflow tensorflow_savedmodel model.savedmodel'],
    [['model.graphdef'], 'tensorflow tensorflow_graphdef model.graphdef'],
    [['model.graphdef', 'model.savedmodel/'], 'tensorflow tensorflow_graphdef model.graphdef'],
    [['model.plan'], 'tensorrt tensorrt_plan model.plan'],
    [['model.onnx', 'model.plan'], 'tensorrt tensorrt_plan model.plan'],
    [['model.onnx'], 'onnxruntime onnxruntime_onnx model.onnx'],
    [['model.onnx/', 'model.py'], 'onnxruntime onnxruntime_onnx model.onnx'],
    [['model.bin', 'model.xml'], 'openvino - model.xml'],
    [['model.pt'], 'pytorch pytorch_libtorch -'],
    [['model.pt', 'model.pt2'], 'pytorch pytorch_libtorch -'],
    [['model.pt2'], 'pytorch torch_aoti model.pt2'],
    [['model.py'], 'python - model.py'],
    [['model.pt/', 'model.py'], 'python - model.py'],
    [['model.savedmodel', 'model.plan/', 'model.py'], 'python - model.py'],
  ])('%j', (files, expected) => {
    expect(complete({}, files)).toBe(expected)
  })
})

describe('from the other fields', () => {
  test.each<[ModelConfigInput, string]>([
    [{ backend: 'onnxruntime' }, 'onnxruntime onnxruntime_onnx model.onnx'],
    [{ backend: 'tensorrt' }, 'tensorrt tensorrt_plan model.plan'],
    [{ backend: 'openvino' }, 'openvino - model.xml'],
    [{ backend: 'python' }, 'python - model.py'],
    [{ backend: 'pytorch' }, 'pytorch pytorch_libtorch model.pt'],
    [{ backend: 'pytorch', platform: 'torch_aoti' }, 'pytorch torch_aoti model.pt2'],
    [{ backend: 'tensorflow' }, 'tensorflow - -'],
    [
      { backend: 'tensorflow', defaultModelFilename: 'model.graphdef' },
      'tensorflow tensorflow_graphdef model.graphdef',
    ],
    [{ platform: 'onnxruntime_onnx' }, 'onnxruntime onnxruntime_onnx model.onnx'],
    [{ platform: 'tensorrt_plan', defaultModelFilename: 'a.plan' }, 'tensorrt tensorrt_plan a.plan'],
    [{ platform: 'tensorflow_savedmodel' }, 'tensorflow tensorflow_savedmodel model.savedmodel'],
    [{ platform: 'pytorch_libtorch' }, 'pytorch pytorch_libtorch -'],
    [{ platform: 'libtorch' }, 'pytorch libtorch -'],
    [{ platform: 'torch_aoti' }, 'pytorch torch_aoti model.pt2'],
    [{ platform: 'ensemble' }, '- ensemble -'],
    [{ defaultModelFilename: 'model.onnx' }, 'onnxruntime onnxruntime_onnx model.onnx'],
    [{ defaultModelFilename: 'model.pt2' }, 'pytorch pytorch_libtorch model.pt2'],
    [{ defaultModelFilename: 'model.py' }, 'python - model.py'],
    [{ defaultModelFilename: 'other.bin' }, '- - other.bin'],
    [{ backend: 'vllm' }, 'vllm - -'],
    [{ backend: 'onnxruntime', platform: 'x', defaultModelFilename: 'y' }, 'onnxruntime x y'],
  ])('%j', (input, expected) => {
    expect(complete(input)).toBe(expected)
  })

  test('they come before the files', () => {
    expect(complete({ backend: 'python' }, ['model.onnx'])).toBe('python - model.py')
    expect(complete({ platform: 'custom' }, ['model.onnx'])).toBe('- custom -')
  })
})

test('from a file of the JavaScript backend, whose name is left open', () => {
  const files = ['model.ts', 'model.mts', 'model.mjs', 'model.js', 'model.cjs']
  expect(files.map((file) => complete({}, [file]))).toEqual(Array(5).fill('javascript - -'))
  expect(complete({ defaultModelFilename: 'model.ts' }, [])).toBe('javascript - model.ts')
  expect(complete({ platform: 'x' }, ['model.ts'])).toBe('- x -')
  expect(complete({}, ['model.ts', 'model.onnx'])).toBe('onnxruntime onnxruntime_onnx model.onnx')
})

test('from the name of the model', () => {
  expect(complete({}, [], 'a.identity')).toBe('identity - model.identity')
  expect(complete({}, ['weights.bin'], 'a.b.c')).toBe('b.c - model.b.c')
})

test('nothing tells the backend', () => {
  expect(() => complete({}, ['weights.bin'], 'bad_no_backend')).toThrow(
    new ConfigError([
      {
        message:
          "Invalid model name: Could not determine backend for model 'bad_no_backend' with no backend in model " +
          "configuration. Expected model name of the form 'model.<backend_name>'.",
        path: 'backend',
      },
    ]),
  )
})

test('the name is filled in, not replaced', () => {
  const names = (name: string) =>
    completeBackendFields(modelConfigFromObject({ name, backend: 'x' }), { modelName: 'dir', files: [] }).name
  expect([names(''), names('own')]).toEqual(['dir', 'own'])
})
