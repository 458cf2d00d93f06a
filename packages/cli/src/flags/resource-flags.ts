import { choice, float, int, list, size, text } from './flag.ts'
import { eventLoop } from './no-effect.ts'

const noGpu = 'GPU memory is not managed yet'
const noLibraries = 'shared libraries are not loaded yet'

/** The response cache. */
export const cacheFlags = {
  'cache-config': list(
    '<cache>,<key>=<value>',
    'A setting of the response cache, "local" or "redis": local,size=1048576 for instance.',
  ),
  'cache-directory': text('/opt/tritonserver/caches', 'Where cache libraries are.', noLibraries),
}

/** Which instances may run. */
export const rateLimiterFlags = {
  'rate-limit': choice(
    'off',
    ['execution_count', 'off'],
    '"execution_count": instances run by priority and when their resources are free; "off": as soon as they are idle.',
  ),
  'rate-limit-resource': list(
    '<name>:<count>:<device>',
    'How much there is of a resource on a device, or without <device> on every device. ' +
      'Default: what the instance that needs most of it needs.',
  ),
}

/** GPUs and memory. */
export const deviceFlags = {
  'pinned-memory-pool-byte-size': size(268435456, 'Bytes of pinned memory.', noGpu),
  'cuda-memory-pool-byte-size': list('<gpu>:<bytes>', 'Bytes of memory on a GPU.', noGpu),
  'cuda-virtual-address-size': list('<gpu>:<bytes>', 'Address space of growing states on a GPU.', noGpu),
  'min-supported-compute-capability': float(0, 'GPUs below this are not used.', noGpu),
  'buffer-manager-thread-count': int(0, 'Threads that copy tensors.', eventLoop),
  gpus: list('<id>,...', 'GPUs that models may use, a flag of triton-ts alone; without it there are none.'),
  'host-policy': list(
    '<policy>,<setting>=<value>',
    'A setting of a host policy, numa-node or cpu-cores for instance, which backends are told.',
  ),
  'model-load-gpu-limit': list('<gpu>:<fraction>', 'Share of a GPU above which no model is loaded.', noGpu),
}
