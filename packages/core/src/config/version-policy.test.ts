import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseVersions, noVersionText } from './version-policy.ts'

const choose = (versionPolicy: Parameters<typeof chooseVersions>[0]['versionPolicy'], candidates: string[]) =>
  chooseVersions({ name: 'm', ...(versionPolicy && { versionPolicy }) }, candidates)

describe('chooseVersions', () => {
  test('latest: the highest numbers, in ascending order', () => {
    expect(choose({ latest: { numVersions: 1 } }, ['2', '10', '1']).versions).toEqual([10])
    expect(choose({ latest: { numVersions: 2 } }, ['2', '10', '1']).versions).toEqual([2, 10])
    expect(choose({ latest: { numVersions: 9 } }, ['2', '10', '1']).versions).toEqual([1, 2, 10])
    expect(choose({ latest: { numVersions: 0 } }, ['1']).versions).toEqual([])
  })

  test('all, and no choice at all', () => {
    expect(choose({ all: {} }, ['3', '1']).versions).toEqual([1, 3])
    expect(choose({}, ['3', '1']).versions).toEqual([1, 3])
    expect(choose(undefined, ['3', '1']).versions).toEqual([1, 3])
  })

  test('specific: a missing one is a warning', () => {
    expect(choose({ specific: { versions: [3, 7, 1, 3] } }, ['1', '2', '3'])).toEqual({
      versions: [1, 3],
      warnings: ["version 7 is specified for model 'm', but the version directory is not present"],
    })
  })

  test('directories that are no versions', () => {
    const names = [
      'warmup',
      'initial_state',
      'configs',
      '01',
      '0',
      '3_old',
      'old',
      '',
      ' 5',
      '-1',
      '99999999999999999999',
    ]
    expect(choose({ all: {} }, names)).toEqual({
      versions: [-1, 0, 3, 5],
      warnings: [
        "ignore version directory '01' which contains leading zeros in its directory name",
        "ignore version directory 'old' which fails to convert to integral number",
        "ignore version directory '' which fails to convert to integral number",
        "ignore version directory '99999999999999999999' which fails to convert to integral number",
      ],
    })
  })

  test('never chooses a version that is not there', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 50 })),
        fc.array(fc.nat({ max: 50 })),
        fc.nat({ max: 5 }),
        (...values) => {
          const [present, wanted, numVersions] = values
          const names = present.map(String)
          for (const policy of [{ latest: { numVersions } }, { all: {} }, { specific: { versions: wanted } }]) {
            const { versions } = choose(policy, names)
            expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
            expect(versions.every((version) => present.includes(version))).toBe(true)
          }
        },
      ),
    )
  })
})

test('the text for a model of which nothing is left', () => {
  expect(noVersionText('m')).toBe("at least one version must be available under the version policy of model 'm'")
})
