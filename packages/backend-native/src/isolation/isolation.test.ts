import { parseModelConfig } from '@triton-ts/core'
import { expect, test } from 'vitest'
import { parameter } from './fixtures/rig.ts'
import { type IsolationOption, isolationOf } from './isolation.ts'

const of = (text: string, option?: IsolationOption, backendConfig: Record<string, string> = {}) =>
  isolationOf({ name: 'm', config: parseModelConfig(text).config, backendConfig }, option)

test('the parameter comes first, then the option, then the backend setting', () => {
  const setting = { isolation: 'process' }
  expect(of('')).toBe('none')
  expect(of('', undefined, setting)).toBe('process')
  expect(of('', 'none', setting)).toBe('none')
  expect(of('', { m: 'none' }, setting)).toBe('none')
  expect(of('', { other: 'none' }, setting)).toBe('process')
  expect(of(parameter('ISOLATION', 'process'), 'none')).toBe('process')
  expect(of(parameter('ISOLATION', 'none'), 'process', setting)).toBe('none')
})

test('another word is refused', () => {
  expect(() => of(parameter('ISOLATION', 'PROCESS'))).toThrow(
    "parameter 'ISOLATION' of model 'm' must be 'process' or 'none', got 'PROCESS'",
  )
  expect(() => of('', 'thread' as 'none')).toThrow("option 'isolation' for model 'm' must be 'process' or 'none'")
  expect(() => of('', undefined, { isolation: '1' })).toThrow("backend setting 'isolation' for model 'm' must be")
})
