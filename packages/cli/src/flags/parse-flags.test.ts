import { describe, expect, test } from 'vitest'
import { type FlagName, flagGroups, flags } from './flags.ts'
import { parseFlags } from './parse-flags.ts'

describe('what is accepted', () => {
  test.each<[string, FlagName, unknown]>([
    ['', 'http-port', 8000],
    ['', 'metrics-port', 8002],
    ['', 'grpc-port', 8001],
    ['', 'http-address', '0.0.0.0'],
    ['', 'exit-on-error', true],
    ['', 'allow-client-shm', false],
    ['', 'model-repository', []],
    ['--http-port=9000', 'http-port', 9000],
    ['--http-port 9000', 'http-port', 9000],
    ['--http-port=1 --http-port=2', 'http-port', 2],
    ['--http-max-input-size=5000000000', 'http-max-input-size', 5000000000],
    ['--exit-timeout-secs=-1', 'exit-timeout-secs', -1],
    ['--exit-on-error=false', 'exit-on-error', false],
    ['--exit-on-error OFF', 'exit-on-error', false],
    ['--exit-on-error=0', 'exit-on-error', false],
    ['--allow-client-shm', 'allow-client-shm', true],
    ['--allow-client-shm --http-port=1', 'allow-client-shm', true],
    ['--allow-client-shm=On', 'allow-client-shm', true],
    ['--allow-client-shm=1', 'allow-client-shm', true],
    ['--disable-auto-complete-config', 'disable-auto-complete-config', true],
    ['--model-repository=a --model-repository b', 'model-repository', ['a', 'b']],
    ['--backend-config=onnxruntime,a=b=c', 'backend-config', ['onnxruntime,a=b=c']],
    ['--load-model=*', 'load-model', ['*']],
    ['--model-control-mode=EXPLICIT', 'model-control-mode', 'explicit'],
    ['--log-format=ISO8601', 'log-format', 'ISO8601'],
    ['--log-verbose=true', 'log-verbose', 1],
    ['--log-verbose=3', 'log-verbose', 3],
    ['--metrics-interval-ms=0.5', 'metrics-interval-ms', 0.5],
    ['--model-rep=a', 'model-repository', ['a']],
    ['--grpc-use-ssl=true', 'grpc-use-ssl', true],
    ['--id=', 'id', ''],
  ])('%s', (line, name, value) => {
    const { values, given } = parseFlags(line.split(' ').filter(Boolean))
    expect(values[name]).toEqual(value)
    expect(given.has(name)).toBe(line !== '')
  })
})

describe('what is refused', () => {
  test.each([
    ['--nonsense=1', 'Bad option: "--nonsense".\nunrecognized option'],
    ['--http', /^Bad option: "--http".\nambiguous option, could be --http-address, --http-port, /],
    ['stray', 'Unexpected argument: stray'],
    ['--http-port=8000 stray', 'Unexpected argument: stray'],
    ['-p', 'Unexpected argument: -p'],
    ['--', 'Unexpected argument: --'],
    ['--http-port', 'Bad option: "--http-port".\noption requires an argument'],
    ['--http-port=', 'Bad option: "--http-port".\nInvalid option value. Got '],
    ['--http-port=80x', 'Bad option: "--http-port".\nInvalid option value. Got 80x'],
    ['--http-port=1.4', 'Bad option: "--http-port".\nInvalid option value. Got 1.4'],
    ['--http-port=70000', 'Bad option: "--http-port".\nProvided option value is out of bound. Got 70000'],
    ['--exit-timeout-secs=3000000000', /out of bound. Got 3000000000$/],
    ['--exit-on-error=maybe', 'Bad option: "--exit-on-error".\ninvalid value for bool option: maybe'],
    ['--exit-on-error=constructor', 'Bad option: "--exit-on-error".\ninvalid value for bool option: constructor'],
    ['--log-verbose=constructor', 'Bad option: "--log-verbose".\nInvalid option value. Got constructor'],
    ['--model-control-mode=some', 'Bad option: "--model-control-mode".\ninvalid argument for --model-control-mode'],
    ['--disable-auto-complete-config=true', /doesn't allow an argument$/],
  ])('%s', (line, text) => {
    expect(() => parseFlags(line.split(' '))).toThrow(text)
  })
})

test('no flag is in two groups, and names are words with dashes', () => {
  expect(Object.values(flagGroups).flatMap((group) => Object.keys(group))).toEqual(Object.keys(flags))
  for (const name of Object.keys(flags)) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
})
