import type { EnsemblePlan, PlannedOutput, PlannedStep } from './ensemble-plan.ts'

/** The part of an ensemble that the wanted outputs need. Lists are by the number of the tensor or by `PlannedStep.index`. */
export interface Route {
  /** The wanted outputs, in the order of the configuration. */
  readonly outputs: readonly PlannedOutput[]
  readonly isWanted: readonly boolean[]
  /** The steps that wait for each tensor. */
  readonly consumers: readonly (readonly PlannedStep[])[]
  /** How often each tensor is taken: by its steps and, if it is wanted, by the response. */
  readonly uses: readonly number[]
  /** How many tensors each step waits for. */
  readonly needs: readonly number[]
  /** Places in `EnsemblePlan.models` of those that are run. */
  readonly models: readonly number[]
}

/** Leaves out the steps that no wanted output depends on. */
export function planRoute(plan: EnsemblePlan, wanted: readonly string[]): Route {
  const outputs = plan.outputs.filter(({ name }) => wanted.includes(name))
  const isWanted = perTensor(plan, () => false)
  for (const { tensor } of outputs) isWanted[tensor] = true
  const steps = neededSteps(plan, isWanted)
  const consumers = perTensor<PlannedStep[]>(plan, () => [])
  for (const step of steps) for (const tensor of step.needs) consumers[tensor]?.push(step)
  return {
    outputs,
    isWanted,
    consumers,
    uses: consumers.map((steps, tensor) => steps.length + (isWanted[tensor] ? 1 : 0)),
    needs: plan.steps.map(({ needs }) => needs.length),
    models: [...new Set(steps.map(({ modelIndex }) => modelIndex))],
  }
}

function neededSteps(plan: EnsemblePlan, isWanted: readonly boolean[]): readonly PlannedStep[] {
  const isNeeded = [...isWanted]
  const needed = new Set<PlannedStep>()
  for (let before = -1; needed.size !== before; ) {
    before = needed.size
    for (const step of plan.steps) {
      if (!step.outputs.some(({ tensor }) => isNeeded[tensor])) continue
      needed.add(step)
      for (const tensor of step.needs) isNeeded[tensor] = true
    }
  }
  return plan.steps.filter((step) => needed.has(step))
}

const perTensor = <T>(plan: EnsemblePlan, value: () => T): T[] => Array.from({ length: plan.tensorCount }, value)
