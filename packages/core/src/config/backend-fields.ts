import { ConfigError } from './config-error.ts'
import { deepFreeze } from './message-value.ts'
import type { ModelConfig } from './model-config.ts'

/** What lies in a model's first version directory. */
export interface VersionFile {
  readonly name: string
  readonly directory: boolean
}

/** What Triton infers for one kind of model file. */
interface ModelFormat {
  readonly backend: string
  readonly filename: string
  /** Filled in where the configuration has none. */
  readonly platform?: string
  /** Whether the model may be a file, a directory or either. */
  readonly kind: 'file' | 'directory' | 'any'
}

const tensorflow: readonly ModelFormat[] = [
  { backend: 'tensorflow', filename: 'model.graphdef', platform: 'tensorflow_graphdef', kind: 'file' },
  { backend: 'tensorflow', filename: 'model.savedmodel', platform: 'tensorflow_savedmodel', kind: 'directory' },
]

const formatsBeforePytorch: readonly ModelFormat[] = [
  { backend: 'tensorrt', filename: 'model.plan', platform: 'tensorrt_plan', kind: 'file' },
  { backend: 'onnxruntime', filename: 'model.onnx', platform: 'onnxruntime_onnx', kind: 'any' },
  { backend: 'openvino', filename: 'model.xml', kind: 'any' },
]

const python: ModelFormat = { backend: 'python', filename: 'model.py', kind: 'any' }

type BackendFields = Pick<ModelConfig, 'platform' | 'backend' | 'defaultModelFilename'>

/**
 * Fills `name`, `platform`, `backend` and `default_model_filename` where they are missing, from each other and from
 * the model's files. Triton does this in every mode, whether auto-completion is on or off.
 *
 * @param options.files content of the lexicographically first sub-directory of the model's directory; empty when there
 *   is none
 * @throws ConfigError when nothing tells the backend
 */
export function completeBackendFields(
  config: ModelConfig,
  options: { readonly modelName: string; readonly files: readonly VersionFile[] },
): ModelConfig {
  const { modelName, files } = options
  const { platform, backend, defaultModelFilename } = config
  const fields: BackendFields = { platform, backend, defaultModelFilename }
  const completed =
    completeTensorflow(fields, files) ??
    completeFirst(formatsBeforePytorch, fields, files) ??
    completePytorch(fields, files) ??
    completeFirst([python], fields, files) ??
    completeJavascript(fields, files) ??
    completeFromName(fields, modelName)
  return deepFreeze({ ...config, name: config.name || modelName, ...completed })
}

/** Whether `completeBackendFields` looks at the files of such a model; where a field tells its backend, it does not. */
export const isToldByFiles = ({ platform, backend, defaultModelFilename }: ModelConfig): boolean =>
  platform === '' && defaultModelFilename === '' && (backend === '' || backend === 'tensorflow')

/** TensorFlow is told by its platform, which the other fields may tell in turn. */
function completeTensorflow(fields: BackendFields, files: readonly VersionFile[]): BackendFields | undefined {
  const open = fields.platform === '' && (fields.backend === '' || fields.backend === 'tensorflow')
  const format = tensorflow.find((candidate) => {
    if (!open) return fields.platform === candidate.platform
    if (fields.defaultModelFilename !== '') return fields.defaultModelFilename === candidate.filename
    return hasFile(files, candidate)
  })
  return format && fill(fields, format)
}

function completeFirst(
  formats: readonly ModelFormat[],
  fields: BackendFields,
  files: readonly VersionFile[],
): BackendFields | undefined {
  const format = formats.find((candidate) => isFormat(candidate, fields, files))
  return format && fill(fields, format)
}

function isFormat(format: ModelFormat, fields: BackendFields, files: readonly VersionFile[]): boolean {
  const { platform, backend, defaultModelFilename } = fields
  if (backend !== '') return backend === format.backend
  if (platform !== '' && platform === format.platform) return true
  if (defaultModelFilename === format.filename) return true
  return platform === '' && defaultModelFilename === '' && hasFile(files, format)
}

/** PyTorch has two platforms; the one found by its file gets no filename for TorchScript, as in Triton. */
function completePytorch(fields: BackendFields, files: readonly VersionFile[]): BackendFields | undefined {
  const found = fields.backend === 'pytorch' ? fields : detectPytorch(fields, files)
  if (!found) return undefined
  const { platform, defaultModelFilename } = found
  if (platform === '') {
    return { ...found, platform: 'pytorch_libtorch', defaultModelFilename: defaultModelFilename || 'model.pt' }
  }
  const needsFilename = platform === 'torch_aoti' && defaultModelFilename === ''
  return needsFilename ? { ...found, defaultModelFilename: 'model.pt2' } : found
}

function detectPytorch(fields: BackendFields, files: readonly VersionFile[]): BackendFields | undefined {
  const { platform, backend, defaultModelFilename } = fields
  if (backend !== '') return undefined
  const byPlatform = ['pytorch_libtorch', 'libtorch', 'torch_aoti'].includes(platform)
  const byFilename = ['model.pt', 'model.pt2'].includes(defaultModelFilename)
  if (byPlatform || byFilename) return { ...fields, backend: 'pytorch' }
  if (platform !== '' || defaultModelFilename !== '') return undefined
  const file = files.find(({ name }) => name === 'model.pt') ?? files.find(({ name }) => name === 'model.pt2')
  if (!file || file.directory) return undefined
  return { ...fields, backend: 'pytorch', platform: file.name === 'model.pt' ? 'pytorch_libtorch' : 'torch_aoti' }
}

/** The files of our own backend; which one it is may differ from version to version. */
const javascriptFiles = ['model.ts', 'model.mts', 'model.mjs', 'model.js', 'model.cjs']

function completeJavascript(fields: BackendFields, files: readonly VersionFile[]): BackendFields | undefined {
  const { platform, backend, defaultModelFilename } = fields
  if (platform !== '' || backend !== '') return undefined
  const names = defaultModelFilename === '' ? files.map(({ name }) => name) : [defaultModelFilename]
  return names.some((name) => javascriptFiles.includes(name)) ? { ...fields, backend: 'javascript' } : undefined
}

/** A model without any hint is named `<anything>.<backend>`. */
function completeFromName(fields: BackendFields, modelName: string): BackendFields {
  if (fields.platform !== '' || fields.backend !== '' || fields.defaultModelFilename !== '') return fields
  const dot = modelName.indexOf('.')
  if (dot === -1) {
    const message =
      `Invalid model name: Could not determine backend for model '${modelName}' with no backend in model ` +
      "configuration. Expected model name of the form 'model.<backend_name>'."
    throw new ConfigError([{ message, path: 'backend' }])
  }
  const backend = modelName.slice(dot + 1)
  return { ...fields, backend, defaultModelFilename: `model.${backend}` }
}

const hasFile = (files: readonly VersionFile[], { filename, kind }: ModelFormat): boolean =>
  files.some(({ name, directory }) => name === filename && (kind === 'any' || (kind === 'directory') === directory))

const fill = (fields: BackendFields, { backend, platform = '', filename }: ModelFormat): BackendFields => ({
  backend: fields.backend || backend,
  platform: fields.platform || platform,
  defaultModelFilename: fields.defaultModelFilename || filename,
})
