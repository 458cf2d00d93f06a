#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { tolerateClosedPipes } from './closed-pipes.ts'
import { devCommand } from './commands/dev.ts'
import { graphCommand } from './commands/graph.ts'
import { inferCommand } from './commands/infer.ts'
import { serveCommand } from './commands/serve.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

tolerateClosedPipes()
await new Command('triton-ts')
  .description('The NVIDIA Triton Inference Server in TypeScript')
  .version(version)
  .enablePositionalOptions()
  .addCommand(serveCommand())
  .addCommand(devCommand())
  .addCommand(inferCommand())
  .addCommand(graphCommand())
  .parseAsync()
