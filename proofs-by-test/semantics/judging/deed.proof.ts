/** What a side of a finding does, as data: its words are read back as what they were made from, and no verdict turns on them. */
import { describe, expect, test } from 'vitest'
import { zoo } from '../../../src/kernels/broken/zoo/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import {
  deedIn,
  isPlainRead,
  isSameDeed,
  wordsOf,
  type AccessDeed,
} from '../../../src/semantics/judging/deed.js'
import { unitNames } from '../../../src/semantics/log/units.js'
import { check } from '../../../src/semantics/verdict/check.js'

const accesses: ReadonlyArray<AccessDeed> = (['reads', 'writes'] as const).flatMap((_tag) =>
  (['agent', ...unitNames] as const).flatMap((by) =>
    [false, true].map((atomic): AccessDeed => ({ _tag, unit: by, atomic })),
  ),
)

describe('law 1: what the words say is what they were made from', () => {
  test('every access by every unit, and no two have the same words', () => {
    expect(accesses.map((d) => deedIn(wordsOf(d)))).toEqual(accesses)
    expect(new Set(accesses.map(wordsOf)).size).toBe(accesses.length)
  })
  test('by hand', () => {
    expect(wordsOf({ _tag: 'reads', unit: 'tmaStore', atomic: false })).toBe('tmaStore reads')
    expect(deedIn('writes atomically')).toEqual({ _tag: 'writes', unit: 'agent', atomic: true })
    expect(deedIn('waits')).toEqual({ _tag: 'waits' })
    for (const words of ['arrives', 'writes the tensor map', 'waits for full@0', '', 'toString'])
      expect(deedIn(words)).toEqual({ _tag: 'other' })
  })
  test('a deed is the same as itself alone', () => {
    for (const x of accesses) expect(accesses.filter((y) => isSameDeed(x, y))).toEqual([x])
    expect(accesses.filter(isPlainRead)).toEqual([{ _tag: 'reads', unit: 'agent', atomic: false }])
  })
})

test('law 2: no verdict has deeds', () => {
  for (const twin of zoo.slice(0, 12)) {
    const program = twin.draft(false)
    if (program._tag === 'Left') continue
    const checked = check(program.right, {
      ...{ settings: {}, algebra: unit, arguments: noArguments, policy: Policy.eager, strict: false },
      ...{ strictProxies: true, hazards: true, provenance: true, explore: false, fuel: 1e6 },
    })
    if (checked._tag === 'Right') expect(JSON.stringify(checked.right.verdict)).not.toContain('"deed')
  }
})
