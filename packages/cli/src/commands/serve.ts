import type { Command } from 'commander'
import { serve } from '../serve/serve.ts'
import { serverCommand } from './server-command.ts'

/** `triton-ts serve`. */
export const serveCommand = (): Command =>
  serverCommand('serve', "serve model repositories; takes tritonserver's flags", (args, signal) =>
    serve(args, { signal }),
  )
