import { describe, expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

describe('notices', () => {
  test('one line for each flag whose feature is missing', () => {
    expect(
      settingsOf(['--grpc-infer-thread-count=4', '--trace-config=level=TIMESTAMPS', '--http-thread-count=4']).notices,
    ).toEqual([
      '--grpc-infer-thread-count has no effect: one event loop does this work',
      '--http-thread-count has no effect: one event loop does this work',
    ])
  })

  test('nothing about flags that are off or at their default', () => {
    expect(
      settingsOf(['--grpc-infer-thread-count=2', '--reuse-grpc-port=false', '--allow-gpu-metrics=true']).notices,
    ).toEqual([])
  })

  test.each(['constructor', '__proto__'])('a cache named %s is one that is not there', (name) => {
    const { cache, notices } = settingsOf([`--cache-config=${name},a=b`])
    expect(Object.entries(cache)).toEqual([[name, { a: 'b' }]])
    expect(notices).toEqual([])
  })

  test('settings that a cache does not have', () => {
    expect(settingsOf(['--cache-config=redis,pool_size=4', '--cache-config=local,size=1024']).notices).toEqual([
      '--cache-config=redis,pool_size has no effect: the cache has no such setting',
    ])
  })

  test('response-cache-byte-size is deprecated', () => {
    expect(settingsOf(['--response-cache-byte-size=8192']).notices).toEqual([
      "'--response-cache-byte-size' has been deprecated! This will default to the 'local' cache implementation with the " +
        "provided byte size for its config. Please use '--cache-config' instead. The equivalent --cache-config CLI args " +
        "would be: '--cache-config=local,size=8192'",
    ])
  })

  test('strict-model-config is deprecated', () => {
    expect(settingsOf(['--strict-model-config=false']).notices).toEqual([
      "'--strict-model-config' has been deprecated! Please use '--disable-auto-complete-config' instead.",
    ])
  })
})
