import type { InstanceGroupConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'

/** How much of a resource there is, as `rateLimitResources` gives it. */
export interface RateLimitResource {
  /** As configurations name it. */
  readonly name: string
  /** Copies, 0 or more. The same name and device given twice: the smaller count holds. */
  readonly count: number
  /** Default: so many on every device. It has no meaning for resources that configurations call `global`. */
  readonly device?: number | undefined
}

type Scope = number | 'global'

/** One resource of one device, or a global one. */
interface Resource {
  readonly name: string
  readonly scope: Scope
  /** What the Server was told to have; undefined: as much as the most demanding instance needs. */
  readonly limit: number | undefined
  /** Of every instance that uses it. */
  readonly needs: Set<ResourceNeed>
  capacity: number
  used: number
}

/** What one instance takes of one resource while it runs. */
export interface ResourceNeed {
  readonly resource: Resource
  readonly count: number
}

type ResourceConfig = NonNullable<InstanceGroupConfig['rateLimiter']>['resources']

/** The resources of a Server: how many copies there are of each and how many are taken. */
export class ResourceTable {
  readonly #limits: readonly RateLimitResource[]
  readonly #resources = new Map<string, Resource>()

  constructor(limits: readonly RateLimitResource[]) {
    this.#limits = limits
  }

  /**
   * Notes what an instance on `device` needs, in Triton's order of resources: global ones first, then by name.
   * @throws TritonError INVALID_ARG with Triton's texts, when it could never run.
   */
  add(config: ResourceConfig, device: number): readonly ResourceNeed[] {
    const counts = new Map<string, { name: string; scope: Scope; count: number }>()
    for (const { name, count, global } of config) {
      const scope = global ? 'global' : device
      counts.set(key(scope, name), { name, scope, count })
    }
    const wanted = [...counts.values()].sort(
      (a, b) => Number(b.scope === 'global') - Number(a.scope === 'global') || (a.name < b.name ? -1 : 1),
    )
    const needs = wanted.map(({ name, scope, count }) => ({ resource: this.#resource(name, scope), count }))
    for (const need of needs) need.resource.needs.add(need)
    try {
      for (const need of needs) checkLimit(need)
      for (const { resource } of needs) this.#checkScope(resource)
    } catch (error) {
      this.remove(needs)
      throw error
    }
    for (const { resource } of needs) resource.capacity = capacityOf(resource)
    return needs
  }

  /** The instance is gone; it must not hold anything. */
  remove(needs: readonly ResourceNeed[]): void {
    for (const need of needs) {
      const { resource } = need
      resource.needs.delete(need)
      if (resource.needs.size === 0) this.#resources.delete(key(resource.scope, resource.name))
      else resource.capacity = capacityOf(resource)
    }
  }

  #resource(name: string, scope: Scope): Resource {
    const known = this.#resources.get(key(scope, name))
    if (known !== undefined) return known
    const resource = { name, scope, limit: this.#limit(name, scope), needs: new Set<never>(), capacity: 0, used: 0 }
    this.#resources.set(key(scope, name), resource)
    return resource
  }

  /** With any limit given, a resource without one does not exist. */
  #limit(name: string, scope: Scope): number | undefined {
    if (this.#limits.length === 0) return undefined
    const byDevice = new Map<number | undefined, number>()
    for (const limit of this.#limits) {
      if (limit.name !== name) continue
      byDevice.set(limit.device, Math.min(limit.count, byDevice.get(limit.device) ?? limit.count))
    }
    const counts =
      scope === 'global' ? [...byDevice.values()] : [byDevice.get(scope) ?? 0, byDevice.get(undefined) ?? 0]
    return Math.max(0, ...counts)
  }

  #checkScope({ name, scope }: Resource): void {
    const isMixed = [...this.#resources.values()].some(
      (other) => other.name === name && (other.scope === 'global') !== (scope === 'global'),
    )
    if (!isMixed) return
    throw new TritonError(
      'INVALID_ARG',
      `Resource "${name}" is present as both global and device-specific resource in the model configuration.`,
    )
  }
}

/** Whether all that is needed is there. */
export const isFree = (needs: readonly ResourceNeed[]): boolean =>
  needs.every(({ resource, count }) => resource.used + count <= resource.capacity)

export function take(needs: readonly ResourceNeed[]): void {
  for (const { resource, count } of needs) resource.used += count
}

export function giveBack(needs: readonly ResourceNeed[]): void {
  for (const { resource, count } of needs) resource.used -= count
}

const key = (scope: Scope, name: string): string => `${scope} ${name}`

const capacityOf = ({ limit, needs }: Resource): number => limit ?? Math.max(...[...needs].map(({ count }) => count))

function checkLimit({ resource: { name, limit }, count }: ResourceNeed): void {
  if (limit === undefined || limit >= count) return
  throw new TritonError(
    'INVALID_ARG',
    `Resource count for "${name}" is limited to ${limit} which will prevent scheduling of one or more model ` +
      `instances, the minimum required count is ${count}`,
  )
}
