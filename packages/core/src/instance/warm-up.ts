import { setImmediate } from 'node:timers/promises'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import { modelSignature } from '../request/model-signature.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { ModelInstance } from './model-instance.ts'
import { type WarmUpOwner, WarmUpRequest } from './warm-up-request.ts'
import { readWarmUpSamples, type WarmUpSample } from './warm-up-samples.ts'

/** What warming a model version up needs of it. */
export interface WarmUpParts {
  readonly config: ModelConfig
  /** Of the model. */
  readonly directory: string
  readonly stats: InferenceStats
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when the load is given up. */
  readonly signal: AbortSignal
}

/**
 * What an instance does before it serves: it runs the samples of `model_warmup`, which the first instance reads for all.
 * It fails when the samples cannot be made, and with INVALID_ARG and Triton's text when one fails.
 */
export function prepareWarmUp(parts: WarmUpParts): (instance: ModelInstance) => Promise<void> {
  const { config, directory, logger, signal } = parts
  const owner = { ...parts, signature: modelSignature(config) }
  let samples: Promise<readonly WarmUpSample[]> | undefined
  return async (instance) => {
    samples ??= readWarmUpSamples(config, directory, signal)
    await warmUp(instance, await samples, owner, logger)
  }
}

/** One batch after the other, counted as any inference. The scheduler and the response cache do not see them. */
async function warmUp(
  instance: ModelInstance,
  samples: readonly WarmUpSample[],
  owner: WarmUpOwner,
  logger: Logger,
): Promise<void> {
  const model = owner.signature.modelName
  for (const sample of samples) {
    for (let iteration = 1; iteration <= sample.count; iteration++) {
      owner.signal.throwIfAborted()
      const title = `model '${model}' instance ${instance.name} is running warmup sample '${sample.name}'`
      logger.debug({ model, instance: instance.name }, `${title} for iteration ${iteration}`)
      const errors = await runSample(instance, sample, owner)
      if (errors.length > 0) {
        const texts = errors.map(({ message }) => `${message}; `).join('')
        throw new TritonError('INVALID_ARG', `failed to run warmup sample '${sample.name}': ${texts}`, {
          cause: errors[0],
        })
      }
      // A backend that works inline leaves others no turn of the event loop.
      await setImmediate()
    }
  }
}

async function runSample(
  instance: ModelInstance,
  { request, batchSize }: WarmUpSample,
  owner: WarmUpOwner,
): Promise<TritonError[]> {
  const requests = Array.from({ length: batchSize }, () => new WarmUpRequest(owner, request))
  await new Promise<void>((resolve) => instance.run(requests, 'warm-up', resolve))
  const errors = await Promise.all(requests.map(({ done }) => done))
  return errors.filter((error) => error !== undefined)
}
