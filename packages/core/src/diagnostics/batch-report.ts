import type { InstanceContext } from '../backend/backend.ts'
import type { BatchMember } from '../instance/batch-member.ts'
import type { Clock } from '../util/clock.ts'
import { diagnostics } from './channels.ts'
import type { BatchMessage } from './messages.ts'

interface ReportedBatch {
  readonly requests: readonly BatchMember[]
  readonly batchSize: number
}

interface ReportingInstance {
  readonly name: string
  readonly slot: InstanceContext
  readonly clock: Clock
}

/**
 * Tells monitoring tools of a batch that begins to run.
 * @returns what tells them that it has ended; undefined when nobody listens.
 */
export function reportBatch(batch: ReportedBatch, { name, slot, clock }: ReportingInstance): (() => void) | undefined {
  if (!diagnostics.batchStart.hasSubscribers && !diagnostics.batchEnd.hasSubscribers) return undefined
  const start = clock.now()
  const requests = batch.requests.flatMap(({ message }) => message ?? [])
  const message: BatchMessage = { model: slot.config.name, instance: name, batchSize: batch.batchSize, requests }
  diagnostics.batchStart.publish(message)
  return () => {
    message.duration = clock.now() - start
    diagnostics.batchEnd.publish(message)
  }
}
