import { onnx } from '@triton-ts/backend-onnx'
import { tolerateClosedPipes } from './closed-pipes.ts'
import { UsageError } from './flags/usage-error.ts'
import { classificationText, classifyImages } from './infer/classify-images.ts'
import type { Address } from './serve/address.ts'
import { BusyPortError } from './serve/busy-port-error.ts'
import { exitSignal } from './serve/exit-signal.ts'
import { openLog } from './serve/log.ts'
import { aborted } from './serve/serve.ts'
import type { Serving } from './serve/serving.ts'
import { type ServeSettings, settingsOf } from './serve/settings.ts'
import { startServing } from './serve/start-serving.ts'

const model = 'efficientnet_lite0'
const command = 'npx triton-ts'

/**
 * `npm start`: serves `examples/model_repository` of the current directory, classifies a picture over its own HTTP
 * endpoint, says what to try next and stays up until Ctrl-C.
 * @param args Flags of `triton-ts serve`, and `--once` to end after the picture.
 * @returns The exit code.
 */
export async function demo(args: readonly string[]): Promise<number> {
  tolerateClosedPipes()
  const flags = args.filter((arg) => arg !== '--once')
  try {
    const settings = settingsOf(['--model-repository=examples/model_repository', '--log-info=false', ...flags])
    await run(settings, flags.length < args.length)
    return 0
  } catch (error) {
    print(`\n${advice(error as Error)}`)
    return 1
  }
}

async function run(settings: ServeSettings, once: boolean): Promise<void> {
  const signal = exitSignal()
  const log = openLog(settings.log)
  for (const notice of settings.notices) log.warn({ module: 'flags' }, notice)
  const serving = await startServing(settings, log, signal)
  try {
    if (serving === undefined) return
    await show(serving)
    if (!once) print('\nCtrl-C stops the server.')
    if (!once) await aborted(signal)
  } finally {
    await serving?.stop()
    await log.close()
  }
}

async function show({ http, grpc, metrics }: Serving): Promise<void> {
  if (http === undefined) throw new Error('The demo classifies a picture over HTTP; leave --allow-http on.')
  const url = hostAndPort(http)
  print(`\nServing ${model} at http://${url}`)
  print(`ONNX Runtime runs in ${onnx().executor} threads\n`)
  const options = { model, url, classes: 3, scaling: 'INCEPTION' } as const
  for await (const picture of classifyImages(['examples/images/coffee.png'], options))
    print(classificationText(picture))
  print(`
Try next:
  ${command} infer -u ${url} -m ${model} -s INCEPTION -c 3 examples/images/cat.png
  curl ${url}/v2/models/${model}`)
  if (metrics !== undefined) print(`  curl ${hostAndPort(metrics)}/metrics`)
  if (grpc !== undefined) {
    print(`  pip install 'tritonclient[grpc]' && python3 -c "import tritonclient.grpc as t; \
print(t.InferenceServerClient('${hostAndPort(grpc)}').get_model_metadata('${model}'))"`)
  }
}

/** As a client on this machine writes it. */
function hostAndPort({ host, port }: Address): string {
  return `${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`
}

function advice(error: Error): string {
  if (error instanceof BusyPortError) {
    return `Port ${error.port} is in use. Choose another one: npm start -- ${error.flag}=${error.port + 1000}`
  }
  if (error instanceof UsageError) return `${error.message}\n\nThe flags: ${command} serve --help`
  return `error: ${error.message}`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
