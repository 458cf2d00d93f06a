import { TritonError } from '@triton-ts/core'
import type { AccessApi } from './authorize.ts'
import { restrictedApis } from './restriction.ts'
import { digestOf } from './secret-digest.ts'

/** Every API that a key can be good for. */
export const accessApis: readonly AccessApi[] = [...restrictedApis, 'metrics', 'dashboard']

/** What a key may use; undefined is everything. */
export type KeyScope = ReadonlySet<AccessApi> | undefined

/** Shorter ones can be guessed. */
const minKeyLength = 16

/** RFC 6750, 2.1: what a bearer token is made of. A name in front is set off by a colon, the APIs behind by a space. */
const linePattern = /^(?:[\w.@-]+:\s+)?(?<key>[A-Za-z0-9\-._~+/]+=*)(?:\s+(?<apis>\S+))?$/

/**
 * Reads a list of API keys: one a line, `[<name>: ]<key>[ <api>,<api>...]`; empty lines and those that begin with `#` do
 * not count. What comes back are digests, and what each is good for.
 * @throws TritonError INVALID_ARG that names the line, never the key, and for a list without any.
 */
export function readApiKeys(text: string): ReadonlyMap<string, KeyScope> {
  const keys = new Map<string, KeyScope>()
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.trim()
    if (entry === '' || entry.startsWith('#')) continue
    const wrong = (why: string): TritonError => new TritonError('INVALID_ARG', `line ${index + 1} ${why}`)
    const { key, apis } = linePattern.exec(entry)?.groups ?? {}
    if (key === undefined) throw wrong("is not '[<name>: ]<key>[ <api>,<api>...]'")
    if (key.length < minKeyLength) throw wrong(`has a key of less than ${minKeyLength} characters`)
    const digest = keyDigest(key)
    if (keys.has(digest)) throw wrong('has a key that stands above already')
    keys.set(digest, apis === undefined ? undefined : readScope(apis, wrong))
  }
  if (keys.size === 0) throw new TritonError('INVALID_ARG', 'there is no key in it')
  return keys
}

/** What a key is found by. A digest cannot be steered towards another, so that looking it up tells nothing of them. */
export const keyDigest = (key: string): string => digestOf(key).toString('base64')

function readScope(names: string, wrong: (why: string) => TritonError): KeyScope {
  const scope = new Set<AccessApi>()
  for (const name of names.split(',')) {
    const api = accessApis.find((candidate) => candidate === name)
    if (api === undefined) throw wrong(`names an unknown api; there are ${accessApis.join(', ')}`)
    scope.add(api)
  }
  return scope
}
