import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { SpawnedNode } from './spawned-command.ts'

/** `npm start`, after everything is installed and built. */
class SpawnedDemo extends SpawnedNode {
  constructor(...args: string[]) {
    super([fileURLToPath(new URL('run-demo.mjs', import.meta.url)), '--grpc-port=0', '--metrics-port=0', ...args])
  }
}

describe('npm start', () => {
  test('classifies a picture, says what to try next, and ends with --once', async () => {
    await using demo = new SpawnedDemo('--once', '--http-port=0')
    expect(await demo.exit).toBe(0)
    expect(demo.stderr).toBe('')
    expect(demo.stdout).toMatch(/^\nServing efficientnet_lite0 at http:\/\/localhost:\d+\n/)
    expect(demo.stdout).toMatch(/Image 'examples\/images\/coffee\.png':\n {4}\d+\.\d{6} \(967\) = espresso\n/)
    expect(demo.stdout).toMatch(
      /\n {2}.* infer -u localhost:\d+ -m efficientnet_lite0 -s INCEPTION -c 3 examples\/images\/cat\.png\n/,
    )
  })

  test('stays up until Ctrl-C', async () => {
    await using demo = new SpawnedDemo('--http-port=0', '--log-info=true')
    const host = await demo.until(/Started HTTPService at (\S+:\d+)"/)
    while (!demo.stdout.includes('Ctrl-C stops the server.')) await fetch(`http://${host}/v2/health/ready`)
    expect((await fetch(`http://${host}/v2/health/ready`)).status).toBe(200)
    demo.kill('SIGINT')
    expect(await demo.exit).toBe(0)
  })

  test('says which port is taken and how to choose another', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) => {
      other.listen(0, () => resolve((other.address() as { port: number }).port))
    })
    await using demo = new SpawnedDemo('--once', `--http-port=${port}`)
    expect(await demo.exit).toBe(1)
    expect(demo.stdout).toContain(`Port ${port} is in use. Choose another one: npm start -- --http-port=`)
    other.close()
  })

  test('a bad flag is named, without the long usage', async () => {
    await using demo = new SpawnedDemo('--once', '--nonsense=1')
    expect(await demo.exit).toBe(1)
    expect(demo.stdout).toContain('Bad option: "--nonsense".\nunrecognized option\n')
    expect(demo.stdout.split('\n').length).toBeLessThan(8)
  })
})
