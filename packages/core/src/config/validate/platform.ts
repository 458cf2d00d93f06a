import type { ModelConfig } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

/** The backends whose platforms are known, with these. Any other backend may have any platform. */
const platforms: ReadonlyMap<string, readonly string[]> = new Map([
  ['tensorflow', ['tensorflow_graphdef', 'tensorflow_savedmodel']],
  ['tensorrt', ['tensorrt_plan']],
  ['onnxruntime', ['onnxruntime_onnx']],
  ['pytorch', ['pytorch_libtorch', 'torch_aoti']],
])

export function checkPlatform(list: ProblemList, { name, platform, backend }: ModelConfig): void {
  const isEnsemble = platform === 'ensemble'
  if (backend === '') {
    list.require(isEnsemble, 'platform', `unexpected platform type '${platform}' for ${name}`)
  } else if (isEnsemble) {
    const message = `Ensemble model '${name}' must have platform type 'ensemble' and empty backend type`
    list.add('backend', message)
  } else {
    const known = platforms.get(backend)
    const message = `unexpected 'platform' and 'backend' pair, got:${platform}, ${backend}`
    list.require(known === undefined || known.includes(platform), 'platform', message)
  }
}
