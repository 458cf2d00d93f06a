import type { FamilyHead } from './metric-family.ts'

/**
 * Name and type of a family in OpenMetrics, where a counter must end in `_total`, which is not part of the family's name.
 * Triton's do not end so, and a series is to have one name in both formats; so their type is `unknown`.
 */
export function openHead({ name, type }: FamilyHead): { readonly name: string; readonly type: string } {
  if (type !== 'counter') return { name, type }
  return name.endsWith('_total') ? { name: name.slice(0, -'_total'.length), type } : { name, type: 'unknown' }
}
