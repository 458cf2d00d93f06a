import type { EnsembleScheduling, EnsembleStep, ModelConfig } from '../model-config.ts'
import { checkEnsembleFlow } from './ensemble-flow.ts'
import type { ProblemList } from './problem-list.ts'

/** The part of an ensemble's checks that needs no other model. */
export function checkEnsemble(list: ProblemList, config: ModelConfig, { step: steps }: EnsembleScheduling): void {
  const { name } = config
  const platform = `ensemble scheduling cannot be set for model '${name}' whose platform is not ensemble`
  list.require(config.platform === 'ensemble', 'platform', platform)
  const groups = `instance group should not be specified for ensemble '${name}'`
  list.require(config.instanceGroup.length === 0, 'instance_group', groups)
  const optimization = `optimization should not be specified for ensemble '${name}'`
  list.require(config.optimization === undefined, 'optimization', optimization)
  const warmup = `model_warmup can not be specified for ensemble '${name}'`
  list.require(config.modelWarmup.length === 0, 'model_warmup', warmup)
  const path = 'ensemble_scheduling.step'
  if (!list.require(steps.length > 0, path, `must specify 'step' for ensemble '${name}'`)) return
  const before = list.problems.length
  const written = new Set<string>()
  for (const [index, step] of steps.entries()) checkStep(list, name, step, index, written)
  if (list.problems.length === before) checkEnsembleFlow(list, config, steps)
}

function checkStep(list: ProblemList, ensemble: string, step: EnsembleStep, index: number, written: Set<string>): void {
  const path = `ensemble_scheduling.step[${index}]`
  const must = (field: string) => `must specify '${field}' in step ${index} of ensemble '${ensemble}'`
  const outputs = Object.entries(step.outputMap)
  list.require(step.modelName !== '', `${path}.model_name`, must('model_name'))
  list.require(Object.keys(step.inputMap).length > 0, `${path}.input_map`, must('input_map'))
  list.require(outputs.length > 0, `${path}.output_map`, must('output_map'))
  for (const [output, tensor] of outputs) {
    const message =
      `ensemble tensor '${tensor}' can appear in an output map only once for ensemble '${ensemble}' ` + `step ${index}`
    list.require(!written.has(tensor), `${path}.output_map["${output}"]`, message)
    written.add(tensor)
  }
}
