import { type Api, modelPath } from '../data/api.ts'
import { type ModelSignature, signatureOf } from './signature.ts'

/** What the server tells of a model for its form. @throws ApiError */
export async function readSignature(api: Api, id: string): Promise<ModelSignature> {
  const path = modelPath(id)
  const [metadata, config] = await Promise.all([api.json(path), api.json(`${path}/config`)])
  return signatureOf(metadata as Parameters<typeof signatureOf>[0], config as Parameters<typeof signatureOf>[1])
}
