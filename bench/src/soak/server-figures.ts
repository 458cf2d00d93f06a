import { readdirSync } from 'node:fs'
import { residentMegabytes } from '../process-tree.ts'
import { send } from './http-request.ts'
import { type SoakTarget, sleep } from './soak-client.ts'

/** What a server has while nobody asks anything of it. */
export interface IdleFigures {
  readonly megabytes: number
  readonly descriptors: number
  /** Requests that wait, of all models. */
  readonly pending: number
  /** Whether nothing changed any more: no request ended, no connection closed. */
  readonly isQuiet: boolean
}

/** Seconds without a change; grpc-js closes a connection up to ten seconds after its client was closed. */
const quietTime = 12

/** Seconds after which a server must have become quiet. */
const patience = 60

/** Looks at a server when it has become quiet after its clients have stopped. Linux only. */
export async function idleFigures(target: SoakTarget, pid: number): Promise<IdleFigures> {
  let before = ''
  let quiet = 0
  let pending = 0
  let descriptors = 0
  for (let second = 0; second < patience && quiet < quietTime; second++) {
    target.agent.destroy()
    await sleep(1000)
    descriptors = readdirSync(`/proc/${pid}/fd`).length
    const now = await counters(target)
    pending = now.pending
    const state = JSON.stringify([descriptors, now])
    quiet = state === before ? quiet + 1 : 0
    before = state
  }
  return { megabytes: residentMegabytes(pid), descriptors, pending, isQuiet: quiet >= quietTime && pending === 0 }
}

async function counters(target: SoakTarget): Promise<{ pending: number; ended: number }> {
  const { body } = await send(target, { path: '/metrics', port: target.metricsPort })
  const sum = (family: string): number => {
    const lines = body.toString().matchAll(new RegExp(`^${family}\\{[^}]*\\} (\\d+)`, 'gm'))
    return [...lines].reduce((total, [, count]) => total + Number(count), 0)
  }
  return {
    pending: sum('nv_inference_pending_request_count'),
    ended: sum('nv_inference_request_success') + sum('nv_inference_request_failure'),
  }
}
