import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { parseCfsQuota, parseCgroups, parseCpuMax, readCpuQuota } from './cpu-quota.ts'

describe('cgroup files', () => {
  test('cpu.max of version 2', () => {
    expect(parseCpuMax('200000 100000\n')).toBe(2)
    expect(parseCpuMax('50000 100000')).toBe(0.5)
    expect(parseCpuMax('150000')).toBe(1.5)
    expect(parseCpuMax('max 100000\n')).toBeUndefined()
    expect(parseCpuMax('')).toBeUndefined()
    expect(parseCpuMax('nonsense 0')).toBeUndefined()
  })

  test('the quota files of version 1', () => {
    expect(parseCfsQuota('400000\n', '100000\n')).toBe(4)
    expect(parseCfsQuota('-1\n', '100000\n')).toBeUndefined()
    expect(parseCfsQuota('100000', '0')).toBeUndefined()
  })

  test('/proc/self/cgroup', () => {
    expect(parseCgroups('0::/user.slice/a:b.scope\n')).toEqual({ v2: '/user.slice/a:b.scope' })
    expect(parseCgroups('5:memory:/m\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/\n')).toEqual({
      v1: { controllers: 'cpu,cpuacct', path: '/docker/1' },
    })
    expect(parseCgroups('nonsense')).toEqual({})
  })
})

describe('readCpuQuota', () => {
  const cases: [string, Record<string, string>, number | undefined][] = [
    ['nothing there', {}, undefined],
    ['version 2 at the root', { 'sys/fs/cgroup/cpu.max': '300000 100000' }, 3],
    [
      'the smallest limit on the way up',
      {
        'proc/self/cgroup': '0::/a/b\n',
        'sys/fs/cgroup/a/b/cpu.max': 'max 100000',
        'sys/fs/cgroup/a/cpu.max': '150000 100000',
        'sys/fs/cgroup/cpu.max': '800000 100000',
      },
      1.5,
    ],
    [
      'version 1',
      {
        'proc/self/cgroup': '4:cpu,cpuacct:/docker/1\n',
        'sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us': '250000',
        'sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us': '100000',
      },
      2.5,
    ],
  ]
  test.each(cases)('%s', async (_, files, expected) => {
    await using root = await modelRepository()
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root.path, name)), { recursive: true })
      await writeFile(join(root.path, name), text)
    }
    expect(await readCpuQuota(root.path)).toBe(expected)
  })
})
