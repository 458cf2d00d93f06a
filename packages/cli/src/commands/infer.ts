import { Command, InvalidArgumentError, Option } from 'commander'
import { type Scaling, scalings } from '../images/image-tensor.ts'
import { classificationText, classifyImages } from '../infer/classify-images.ts'

interface InferFlags {
  readonly modelName: string
  readonly modelVersion: string
  readonly url: string
  readonly classes: number
  readonly scaling: Scaling
  readonly batchSize?: number
}

/** `triton-ts infer`: what Triton's image_client does, with its options. */
export function inferCommand(): Command {
  return new Command('infer')
    .description('classify pictures on a Triton server')
    .argument('<image...>', 'PNG or JPEG files, or folders of them')
    .requiredOption('-m, --model-name <name>', 'name of the model')
    .option('-x, --model-version <version>', 'version of the model (default: the latest)', '')
    .option('-u, --url <host:port>', 'where the server is', 'localhost:8000')
    .option('-c, --classes <n>', 'classes to print', positive, 1)
    .addOption(new Option('-s, --scaling <type>', 'how pixels are scaled').choices(scalings).default('NONE'))
    .option('-i, --protocol <protocol>', 'HTTP; gRPC is not there yet', http, 'HTTP')
    .option(
      '-b, --batch-size <n>',
      "pictures in one request (default: up to the model's max_batch_size, at most 16)",
      positive,
    )
    .action(async (images: string[], { modelName, modelVersion, ...options }: InferFlags) => {
      try {
        for await (const classification of classifyImages(images, {
          ...options,
          model: modelName,
          version: modelVersion,
        })) {
          process.stdout.write(`${classificationText(classification)}\n`)
        }
      } catch (error) {
        process.stderr.write(`error: ${(error as Error).message}\n`)
        process.exitCode = 1
      }
    })
}

function http(text: string): string {
  if (text.toLowerCase() !== 'http') throw new InvalidArgumentError('Only HTTP is there yet.')
  return text
}

function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.')
  return Number(text)
}
