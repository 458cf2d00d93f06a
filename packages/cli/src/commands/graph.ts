import { modelGraph } from '@triton-ts/core'
import { Command } from 'commander'

interface GraphFlags {
  readonly modelRepository: readonly string[]
  readonly modelConfigName?: string
}

/** `triton-ts graph`: how data flow through an ensemble, from its files alone. */
export function graphCommand(): Command {
  return new Command('graph')
    .description('print how data flow through an ensemble, as a Mermaid flow chart; no model is loaded')
    .argument('<model>', 'name of the ensemble')
    .requiredOption(
      '--model-repository <directory>',
      'directory of models; may be given several times',
      (directory: string, before: readonly string[] | undefined) => [...(before ?? []), directory],
    )
    .option('--model-config-name <name>', "use a model's configs/<name>.pbtxt where it exists")
    .action(async (model: string, options: GraphFlags, command: Command) => {
      const { writeOut, writeErr } = command.configureOutput()
      const fail = (text: string): void => {
        writeErr?.(`error: ${text}\n`)
        process.exitCode = 1
      }
      try {
        const { mermaid, problems } = await modelGraph(model, options)
        writeOut?.(mermaid)
        for (const problem of problems) fail(problem)
      } catch (error) {
        fail((error as Error).message)
      }
    })
}
