import type { Gpu, GpuMetrics } from '@triton-ts/core'
import { loadBinding } from './load-binding.ts'

/**
 * How the GPUs of this machine do, by NVIDIA's management library, which comes with the driver and is opened when the
 * Server starts: `new Server({ gpuMetrics: nvml() })`. Of several GPUs those that `CUDA_VISIBLE_DEVICES` names have
 * metrics, in its order; models know them by that order when `CUDA_DEVICE_ORDER` is `PCI_BUS_ID`, or they are all alike.
 */
export function nvml(): GpuMetrics {
  let places: readonly number[] = []
  return {
    async open() {
      const all = await loadBinding().findGpus()
      places = visiblePlaces(all, process.env.CUDA_VISIBLE_DEVICES)
      return places.flatMap((place, id): Gpu[] => {
        const gpu = all[place]
        return gpu === undefined ? [] : [{ id, ...gpu }]
      })
    },
    async read() {
      const all = await loadBinding().readGpus()
      return places.flatMap((place) => all[place] ?? [])
    },
  }
}

/**
 * The places of the GPUs that CUDA shows. As there, one is named by its place or by the beginning of its UUID, and the
 * list ends before the first that does not exist.
 */
export function visiblePlaces(gpus: readonly { readonly uuid: string }[], visible: string | undefined): number[] {
  const places: number[] = []
  if (visible === undefined) return gpus.map((_, place) => place)
  for (const name of visible.split(',').map((text) => text.trim())) {
    const place = /^\d+$/.test(name) ? Number(name) : gpus.findIndex(({ uuid }) => name !== '' && uuid.startsWith(name))
    if (gpus[place] === undefined) return places
    places.push(place)
  }
  return places
}
