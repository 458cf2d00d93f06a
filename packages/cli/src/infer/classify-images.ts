import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { imageTensor, type Scaling } from '../images/image-tensor.ts'
import { readPicture } from '../images/picture.ts'
import { HttpClient } from './http-client.ts'
import { imageModel } from './image-model.ts'

export interface ClassifyOptions {
  readonly model: string
  /** Default: the latest. */
  readonly version?: string | undefined
  /** `host:port`. Default `localhost:8000`. */
  readonly url?: string | undefined
  /** How many classes to name. Default 1. */
  readonly classes?: number | undefined
  readonly scaling?: Scaling | undefined
  /**
   * Pictures in one request; when they run out, the first ones fill the last request up, as in Triton's client.
   * Default: as many as there are, up to the model's `max_batch_size` and to 16.
   */
  readonly batchSize?: number | undefined
}

/** Keeps the pictures in memory few, and requests below the size that a server takes, without an explicit batch size. */
const mostPictures = 16

/** One picture's classes, best first. */
export interface Classification {
  readonly file: string
  readonly classes: readonly { readonly value: string; readonly index: string; readonly label: string | undefined }[]
}

/**
 * Classifies pictures on a Triton server.
 * @param paths Picture files, and folders of them.
 */
export async function* classifyImages(
  paths: readonly string[],
  options: ClassifyOptions,
): AsyncGenerator<Classification> {
  const { model: name, version, url = 'localhost:8000', classes = 1, scaling } = options
  const client = new HttpClient(url, name, version)
  const model = imageModel(await client.metadata(), await client.config())
  const files = (await Promise.all(paths.map(picturesAt))).flat()
  if (files.length === 0) throw new Error(`no pictures in ${paths.join(', ')}`)
  for (const batch of batches(files, model.maxBatchSize, options.batchSize)) {
    const pictures = imageTensor(await Promise.all(batch.map(readPicture)), model.format, scaling)
    const input = model.maxBatchSize > 0 ? pictures : pictures.reshape(pictures.shape.slice(1))
    const texts = await client.classify(model.input, input, model.output, classes)
    const perPicture = texts.length / batch.length
    for (const [i, file] of batch.entries()) {
      yield { file, classes: texts.slice(i * perPicture, (i + 1) * perPicture).map(parseClass) }
    }
  }
}

/** `Image 'cup.png':`, then a line for each class: value, index and label. */
export function classificationText({ file, classes }: Classification): string {
  const lines = classes.map(
    ({ value, index, label }) => `    ${value} (${index})${label === undefined ? '' : ` = ${label}`}`,
  )
  return [`Image '${file}':`, ...lines].join('\n')
}

async function picturesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.(png|jpe?g)$/i.test(entry.name))
    .map((entry) => join(path, entry.name))
    .sort()
}

function* batches(files: readonly string[], limit: number, batchSize: number | undefined): Generator<string[]> {
  if (batchSize !== undefined && batchSize > Math.max(1, limit)) {
    throw new Error(
      limit === 0 ? "This model doesn't support batching." : `expecting batch size <= ${limit} but got ${batchSize}`,
    )
  }
  const size = batchSize ?? Math.min(Math.max(1, limit), mostPictures)
  for (let first = 0; first < files.length; first += size) {
    const batch = files.slice(first, first + size)
    while (batchSize !== undefined && batch.length < size) {
      batch.push(files[(first + batch.length) % files.length] as string)
    }
    yield batch
  }
}

/** Reads `value:index` or `value:index:label`; a label may have colons of its own. */
function parseClass(text: string): Classification['classes'][number] {
  const [value = '', index = '', ...label] = text.split(':')
  return { value, index, label: label.length === 0 ? undefined : label.join(':') }
}
