import type { Command } from 'commander'
import { dev } from '../dev/dev.ts'
import { serverCommand } from './server-command.ts'

/** `triton-ts dev`: `triton-ts serve`, with the same flags, that loads what is saved. */
export const devCommand = (): Command =>
  serverCommand(
    'dev',
    'serve model repositories and reload what is saved in them; takes the flags of serve',
    (args, signal) => dev(args, { signal, sink: process.stdout }),
  )
