import type { SendRule } from '../instance/send-rule.ts'

/** The batch that a request ran in. */
export interface ExplainedBatch {
  /** Those of callers: what only fills a place for a sequence is not counted. */
  readonly requests: number
  /** Batch size as the model sees it: a request may bring several items. */
  readonly items: number
  /** Place of the request in the batch, from 0. */
  readonly position: number
  /** Ids of the other requests, in their order; `''` for one without. */
  readonly others: readonly string[]
}

/** A step of an ensemble that has answered. */
export interface ExplainedStep {
  /** Its place among the steps of the configuration, from 1. */
  readonly number: number
  readonly modelName: string
  readonly modelVersion: number
  readonly explanation: Explanation
}

/** How a traffic split chose the version. Without key and sequence it was the version's turn. */
export interface ExplainedSplit {
  /** Of the version. */
  readonly weight: number
  /** Of all versions that were ready. */
  readonly total: number
  readonly key?: string | undefined
  /** The correlation id, where that was the key, or where the sequence went on in its version. */
  readonly sequence?: string | undefined
}

/** What is known of an answered request. All times are milliseconds. */
export interface ExplanationFacts {
  /** From the arrival until the execution began, or until the cache was asked. */
  readonly queue: number
  /** Gathering the inputs. */
  readonly computeInput: number
  /** The model. */
  readonly computeInfer: number
  /** From then on until this answer. */
  readonly computeOutput: number
  /** Where it ran; undefined for a cache hit and for an ensemble. */
  readonly execution?:
    | { readonly batch: ExplainedBatch; readonly instance: string; readonly rule: SendRule }
    | undefined
  /** Of an ensemble. */
  readonly steps?: readonly ExplainedStep[] | undefined
  /** Where a traffic split chose the version. */
  readonly split?: ExplainedSplit | undefined
}

const reasons: Record<SendRule, string> = {
  full: 'it was full',
  'preferred size': 'that is a preferred size',
  'delay over': 'the delay was over',
  'instance free': 'an instance was free',
  'shape change': 'the next request had other shapes or inputs',
  'custom batching': 'the custom batching closed it',
  'slot utilization': 'enough sequences had a request',
  'warm-up': 'it warmed the instance up',
}

/**
 * Why a request ran when it did, and with whom. Text: `waited 0.5 ms, ran with 2 others as a batch of 3 because the
 * delay was over, on m_0`. The text of an ensemble has a line for each step. Where a traffic split chose the version, the
 * text begins with that: `split 10 of 100, key 'user-42': waited ...`.
 */
export class Explanation {
  readonly queue: number
  readonly computeInput: number
  readonly computeInfer: number
  readonly computeOutput: number
  /** The response cache had the answer, so nothing ran and the four below are undefined. */
  readonly cacheHit: boolean
  readonly batch: ExplainedBatch | undefined
  /** Why the batch was sent just then. */
  readonly rule: SendRule | undefined
  /** Name of the model instance. */
  readonly instance: string | undefined
  /**
   * Of an ensemble, whose other three are undefined and whose compute times are the sums over the steps: the answers of
   * its steps in their order, with a decoupled ensemble those since its response before.
   */
  readonly steps: readonly ExplainedStep[] | undefined
  /** Why it ran in this version, where a traffic split chose it. */
  readonly split: ExplainedSplit | undefined

  constructor({ queue, computeInput, computeInfer, computeOutput, execution, steps, split }: ExplanationFacts) {
    this.queue = queue
    this.computeInput = computeInput
    this.computeInfer = computeInfer
    this.computeOutput = computeOutput
    this.cacheHit = execution === undefined && steps === undefined
    this.batch = execution?.batch
    this.rule = execution?.rule
    this.instance = execution?.instance
    this.steps = steps
    this.split = split
  }

  /** @param queue milliseconds until the cache was asked. */
  static ofCacheHit(queue: number, split?: ExplainedSplit): Explanation {
    return new Explanation({ queue, computeInput: 0, computeInfer: 0, computeOutput: 0, split })
  }

  toString(): string {
    const chosen = this.split === undefined ? '' : `${splitText(this.split)}: `
    const waited = `${chosen}waited ${Number(this.queue.toFixed(3))} ms`
    if (this.steps !== undefined) return `${waited}, ran ${stepsText(this.steps)}`
    if (this.batch === undefined || this.rule === undefined) return `${waited}, answered from the response cache`
    const { requests, items } = this.batch
    const others = requests === 2 ? '1 other' : `${requests - 1} others`
    const company = requests === 1 ? 'alone' : `with ${others}`
    const size = items === 1 ? '' : ` as a batch of ${items}`
    return `${waited}, ran ${company}${size} because ${reasons[this.rule]}, on ${this.instance}`
  }
}

function splitText({ weight, total, key, sequence }: ExplainedSplit): string {
  const text = `split ${weight} of ${total}`
  if (key !== undefined) return `${text}, key '${key}'`
  return sequence === undefined ? text : `${text}, sequence ${sequence}`
}

function stepsText(steps: readonly ExplainedStep[]): string {
  const lines = steps.map(({ number, modelName, modelVersion, explanation }) =>
    `step ${number} '${modelName}' version ${modelVersion} ${explanation}`.replaceAll('\n', '\n  '),
  )
  return [steps.length === 1 ? '1 step:' : `${steps.length} steps:`, ...lines].join('\n  ')
}
