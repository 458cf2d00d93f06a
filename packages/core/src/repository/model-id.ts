/**
 * What the engine knows a model by: its name, or with namespaces the repository and the name, as Triton writes both.
 * @param namespace the path of the repository; '' for a model that has none.
 */
export const modelId = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}::${name}`)

/** The namespace in the id of a model of this name; '' when it has none. */
export const namespaceIn = (id: string, name: string): string => id.slice(0, -'::'.length - name.length)

/** The name in an id of this namespace; undefined when the id belongs to another. */
export function nameIn(namespace: string, id: string): string | undefined {
  if (namespace === '') return id
  const start = `${namespace}::`
  return id.startsWith(start) ? id.slice(start.length) : undefined
}
