import { Command } from 'commander'
import { dev } from '../dev/dev.ts'
import { usage } from '../flags/usage.ts'
import { exitSignal } from '../serve/exit-signal.ts'

/** `triton-ts dev`: `triton-ts serve`, with the same flags, that loads what is saved. */
export function devCommand(): Command {
  return new Command('dev')
    .description('serve model repositories and reload what is saved in them; takes the flags of serve')
    .argument('[flags...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (args: string[]) => {
      if (args.includes('--help') || args.includes('-h')) process.stdout.write(`${usage()}\n`)
      else process.exit(await dev(args, { signal: exitSignal(), sink: process.stdout }))
    })
}
