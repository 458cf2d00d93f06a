import type { LiveModel } from '../../live-snapshot.ts'

/** The id by which the API knows a model. */
export const modelId = ({ namespace, name }: LiveModel): string => (namespace === '' ? name : `${namespace}::${name}`)
