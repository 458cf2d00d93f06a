import { Command } from 'commander'
import { usage } from '../flags/usage.ts'
import { exitSignal } from '../serve/exit-signal.ts'
import { serve } from '../serve/serve.ts'

/** `triton-ts serve`: its flags are tritonserver's, so tritonserver's rules read them and not commander's. */
export function serveCommand(): Command {
  return new Command('serve')
    .description("serve model repositories; takes tritonserver's flags")
    .argument('[flags...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (args: string[]) => {
      if (args.includes('--help') || args.includes('-h')) process.stdout.write(`${usage()}\n`)
      else process.exit(await serve(args, { signal: exitSignal() }))
    })
}
