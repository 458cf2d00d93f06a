import type { FamilyHead } from './metric-family.ts'

const suffixes = {
  gauge: [''],
  counter: [''],
  histogram: ['', '_bucket', '_sum', '_count', '_created'],
  summary: ['', '_sum', '_count', '_created'],
} as const

/** The names that a family takes, as family and as series, in the one format or the other. */
function namesOf({ name, type }: FamilyHead): string[] {
  if (type !== 'counter' || !name.endsWith('_total')) return suffixes[type].map((suffix) => name + suffix)
  const base = name.slice(0, -'_total'.length)
  return [name, base, `${base}_created`]
}

/** Who has which name on a page, where no name may stand for two things. */
export class FamilyNames {
  readonly #owners: Map<string, string>

  constructor(heads: Iterable<FamilyHead> = [], before?: FamilyNames) {
    this.#owners = new Map(before === undefined ? [] : before.#owners)
    for (const head of heads) this.take(head)
  }

  take(head: FamilyHead): void {
    for (const name of namesOf(head)) this.#owners.set(name, head.name)
  }

  /** The family that has one of the names that this one would need. */
  conflict(head: FamilyHead): string | undefined {
    for (const name of namesOf(head)) {
      const owner = this.#owners.get(name)
      if (owner !== undefined) return owner
    }
    return undefined
  }
}
