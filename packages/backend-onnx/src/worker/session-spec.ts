import type { ModelConfig } from '@triton-ts/core'
import type { Device } from './device.ts'
import type { ExecutionProvider } from './execution-providers.ts'
import { executionProviders } from './execution-providers.ts'
import { booleanParameter, executionMode, integerParameter } from './parameters.ts'

/** Everything that opening a session needs; plain data, so that it can be sent to a thread. */
export interface SessionSpec {
  readonly modelPath: string
  /** Names that the configuration uses as inputs. */
  readonly inputs: readonly string[]
  readonly providers: readonly ExecutionProvider[]
  readonly graphOptimizationLevel: 'disabled' | 'basic' | 'extended' | 'all'
  readonly executionMode: 'sequential' | 'parallel'
  readonly intraOpThreads: number
  /** 0: ONNX Runtime's own choice. */
  readonly interOpThreads: number
  /** Undefined: ONNX Runtime's default. */
  readonly memoryArena: boolean | undefined
  readonly memoryPattern: boolean | undefined
  /** Session configuration entries, `session.set_denormal_as_zero` for instance. */
  readonly entries: Readonly<Record<string, string>>
}

const graphLevels = new Map<number, SessionSpec['graphOptimizationLevel']>([
  [-1, 'basic'],
  [1, 'extended'],
  [2, 'disabled'],
])

/**
 * The session options of a configuration: `optimization` and `parameters` as Triton's backend reads them.
 * @param threads for operators, where the configuration does not set `intra_op_thread_count`.
 * @throws TritonError INVALID_ARG for a value that Triton refuses too.
 */
export function sessionSpec(config: ModelConfig, modelPath: string, threads: number, device: Device): SessionSpec {
  const { parameters, optimization } = config
  const intraOpThreads = integerParameter(parameters, 'intra_op_thread_count')
  return {
    modelPath,
    inputs: config.input.map(({ name }) => name),
    providers: executionProviders(config, device),
    graphOptimizationLevel: graphLevels.get(optimization?.graph?.level ?? 0) ?? 'all',
    executionMode: executionMode(parameters),
    intraOpThreads: intraOpThreads > 0 ? intraOpThreads : threads,
    interOpThreads: Math.max(0, integerParameter(parameters, 'inter_op_thread_count')),
    memoryArena: booleanParameter(parameters, 'enable_mem_arena'),
    memoryPattern: booleanParameter(parameters, 'enable_mem_pattern'),
    entries: Object.fromEntries(
      Object.entries(parameters)
        .filter(([name]) => name.startsWith('session.'))
        .map(([name, { stringValue }]) => [name, stringValue]),
    ),
  }
}
