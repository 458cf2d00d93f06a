import { expect, test } from 'vitest'
import { changeLogSettings, defaultLogSettings, type LogSettingsChange } from './log-settings.ts'

const change = (settings: LogSettingsChange, ownsFormat = true) =>
  changeLogSettings({ ...defaultLogSettings, logFile: 'log' }, settings, ownsFormat)

test('a change leaves everything else as it is', () => {
  const before = { ...defaultLogSettings, logFile: 'log' }
  expect(change({})).toEqual(before)
  expect(change({ logInfo: false, logWarning: undefined })).toEqual({ ...before, logInfo: false })
  expect(change({ logError: false, logFormat: 'json' })).toEqual({ ...before, logError: false, logFormat: 'json' })
})

test('the verbose level is a 32-bit integer, and not below 0', () => {
  expect(change({ logVerboseLevel: 2 }).logVerboseLevel).toBe(2)
  expect(change({ logVerboseLevel: -1 }).logVerboseLevel).toBe(0)
  expect(change({ logVerboseLevel: 2 ** 31 }).logVerboseLevel).toBe(0)
  expect(change({ logVerboseLevel: 2 ** 31 - 1 }).logVerboseLevel).toBe(2 ** 31 - 1)
})

test.each([
  [{ logFile: 'other' }, true, 'UNSUPPORTED', 'log file location can not be updated through network protocol'],
  [{ logFormat: 'xml' }, true, 'INVALID_ARG', 'invalid argument for log_format, got: xml'],
  [
    { logFormat: 'json' },
    false,
    'UNSUPPORTED',
    'log format can not be updated: the application has a logger of its own',
  ],
] as const)('%j is refused', (settings, ownsFormat, code, message) => {
  expect(() => change(settings, ownsFormat)).toThrow(expect.objectContaining({ code, message }))
})

test('a logger with its own format takes the one that it is shown with', () => {
  expect(change({ logFormat: 'default', logInfo: false }, false).logInfo).toBe(false)
})
