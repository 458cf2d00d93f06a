import { join } from 'node:path'
import { models } from '../text-embedding/place-model.ts'

/** The repository of this example, and that of the encoder that it shares with `text-embedding`. */
export const modelRepository = [join(import.meta.dirname, 'models'), models]
