import { Command } from 'commander'
import { usage } from '../flags/usage.ts'
import { exitSignal } from '../serve/exit-signal.ts'

/**
 * A command that serves until a signal comes. Its flags are tritonserver's, so tritonserver's rules read them and not
 * commander's.
 * @param run is given the flags, and returns the exit code.
 */
export function serverCommand(
  name: string,
  description: string,
  run: (args: readonly string[], signal: AbortSignal) => Promise<number>,
): Command {
  return new Command(name)
    .description(description)
    .argument('[flags...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (args: string[]) => {
      if (args.includes('--help') || args.includes('-h')) process.stdout.write(`${usage()}\n`)
      else process.exit(await run(args, exitSignal()))
    })
}
