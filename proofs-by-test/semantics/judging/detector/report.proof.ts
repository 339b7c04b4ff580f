/** The report: what makes two drafts one, how things are called, and what comes first; tables by hand. */
import { describe, expect, test } from 'vitest'
import { hazardIds } from '../../../../src/semantics/judging/hazards.js'
import type { Draft } from '../../../../src/semantics/judging/detector/report.js'
import {
  actor,
  agentName,
  barrierName,
  conditionOf,
  ctaName,
  draft,
  fail,
  file,
  filed,
  findingOf,
  findingsOf,
  keyOf,
  operation,
  planeName,
  report,
  where,
} from '../../../../src/semantics/judging/detector/report.js'
import { other, writing } from '../../../../src/semantics/judging/deed.js'
import type { HazardId } from '../../../../src/semantics/judging/finding.js'
import { ofBarrier } from '../../../../src/semantics/judging/subject.js'
import type { Header, Stamp } from '../../../../src/semantics/log/events.js'

/** It does not say how many clusters run together: one. */
const unsaid: Header = {
  schema: 'tcspec.trace/1',
  arch: 'sm100a',
  program: 'report',
  agents: [0, 1, 2, 3].map((cta) => ({ name: 'wg', cta, warps: 4, starts: true })),
  ctas: 4,
  planes: [
    { space: 'gmem', name: 'A', bytes: 64, initialised: true },
    { space: 'smem', name: 'smem', cta: 3, bytes: 64, initialised: false },
    { space: 'tmem', name: 'tmem', cta: 1, bytes: 64, initialised: false },
    { space: 'regs', name: 'acc', agent: 2, bytes: 64, initialised: false },
    { space: 'regs', name: 'free', bytes: 64, initialised: false },
    { space: 'smem', name: 'smem', bytes: 64, initialised: false },
  ],
  tensors: [],
  computes: null,
  barriers: [{ name: 'b', cta: 2, contract: 'ptx', ordersTensorCore: true, plane: 1, address: 0 }],
  sites: [
    { label: 'store', path: ['then'] },
    { label: 'load', path: [], loc: 'k.ts:7:3' },
  ],
  nondeterminism: [],
}
const alone: Header = { ...unsaid, resident: 1 }
/** Two clusters of two CTAs run together. */
const header: Header = { ...unsaid, resident: 2 }
const stamp = (agent: number, site: number): Stamp => ({ agent, at: 5, site, iteration: [2] })

describe('names', () => {
  test.each<readonly [name: string, of: () => string]>([
    // alone, a CTA has its rank; among others, its rank in its cluster and the cluster's place
    ['0 1 2 3', () => [0, 1, 2, 3].map((cta) => ctaName(alone, cta)).join(' ')],
    ['0.c0 1.c0 0.c1 1.c1', () => [0, 1, 2, 3].map((cta) => ctaName(header, cta)).join(' ')],
    ['3', () => ctaName(unsaid, 3)],
    ['wg@1.c1', () => agentName(header, 3)],
    ['agent 4', () => agentName(header, 4)],
    ['gmem A', () => planeName(header, 0)],
    ['smem@1.c1', () => planeName(header, 1)],
    ['tmem@1.c0', () => planeName(header, 2)],
    ['acc@wg@0.c1', () => planeName(header, 3)],
    ['free@?', () => planeName(header, 4)],
    ['smem@0.c0', () => planeName(header, 5)],
    ['plane 6', () => planeName(header, 6)],
    ['b@0.c1', () => barrierName(header, 0)],
    ['barrier 1', () => barrierName(header, 1)],
    ['wg@0.c0 load', () => where(header, stamp(0, 1))],
    ['wg@0.c0 site 9', () => where(header, stamp(0, 9))],
  ])('%s', (name, given) => {
    expect(given()).toBe(name)
  })
})

describe('a side of a finding', () => {
  const common = { index: 1, agent: 'wg@1.c0', iteration: [2], at: 5, does: 'acts' }
  const loc = 'k.ts:7:3'
  test.each<readonly [string, site: number, number | undefined, object]>([
    ['an agent', 0, undefined, { ...common, site: 'store', path: ['then'] }],
    ['an agent, its place in the source', 1, undefined, { ...common, site: 'load', path: [], loc }],
    ['an operation', 0, 3, { ...common, site: 'store', path: ['then'], operation: 3 }],
    ['the first operation', 0, 0, { ...common, site: 'store', path: ['then'], operation: 0 }],
    ['an operation, its place in the source', 1, 3, { ...common, site: 'load', path: [], loc, operation: 3 }],
    ['a site that the header does not have', 9, undefined, { ...common, site: 'site 9', path: [] }],
    ['no site', -1, undefined, { ...common, site: 'the end', path: [] }],
  ])('%s', (_, site, op, expected) => {
    expect(operation(header, actor(stamp(1, site), 'acts', op))).toEqual(expected)
  })
})

describe('drafts', () => {
  const one = (id: HazardId, text: string = id): Draft => draft(id, 'E', text, [], actor(stamp(0, 0), 'acts'))
  test('are one by kind, agents and sites, not by event or iteration', () => {
    const later: Stamp = { agent: 0, at: 9, site: 0, iteration: [7] }
    expect(keyOf('x', stamp(0, 0), undefined)).toBe(keyOf('x', later, undefined))
    expect(keyOf('x', stamp(0, 0), stamp(1, 1))).toBe(keyOf('x', later, stamp(1, 1)))
    const keys = [
      keyOf('x', stamp(0, 0), undefined),
      keyOf('y', stamp(0, 0), undefined),
      keyOf('x', stamp(1, 0), undefined),
      keyOf('x', stamp(0, 1), undefined),
      keyOf('x', stamp(0, 0), stamp(0, 0)),
      keyOf('x', stamp(0, 0), stamp(1, 0)),
      keyOf('x', stamp(0, 0), stamp(0, 1)),
      keyOf('x', stamp(1, 0), stamp(0, 0)),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
  test('the first under a key is kept, and how often it came', () => {
    const r = report(header)
    const first = filed(r, 'key', () => one('D1', 'first'))
    expect(first.times).toBe(1)
    expect(filed(r, 'key', () => one('D1', 'second'))).toBe(first)
    file(r, 'key', () => one('D1', 'third'))
    file(r, 'other', () => one('D1', 'once'))
    expect(findingsOf(r).map((f) => f.text)).toEqual(['first (3 times)', 'once'])
  })
  test('a finding has what its draft has, and no field that it lacks', () => {
    const a = operation(header, actor(stamp(0, 0), 'acts'))
    expect(findingOf(header, one('D1', 'said'))).toStrictEqual({
      id: 'D1',
      severity: 'E',
      text: 'said',
      about: [],
      deeds: { a: other, b: null },
      a,
    })
    const place = { plane: 'gmem A', spans: [[0, 8] as const] }
    const whole = draft(
      'N1',
      'L',
      'said',
      [ofBarrier(0)],
      actor(stamp(0, 0), 'acts'),
      actor(stamp(1, 1), 'meets', -1, writing, 'wgmma'),
      place,
      'knew',
    )
    expect(findingOf(header, whole)).toStrictEqual({
      id: 'N1',
      severity: 'L',
      text: 'said',
      about: [ofBarrier(0), { _tag: 'unit', unit: 'wgmma', side: 'b' }],
      a,
      deeds: { a: other, b: writing },
      b: operation(header, actor(stamp(1, 1), 'meets')),
      place,
      knew: 'knew',
    })
  })
  test('the id is asked for when the log is over', () => {
    let id: HazardId = 'R1'
    const r = report(header)
    file(r, 'key', () => ({ ...one('R1'), id: () => id }))
    id = 'R2'
    expect(findingsOf(r).map((f) => f.id)).toEqual(['R2'])
  })
  test('causes before consequences: two accesses, a barrier misused, a wait that stands, what is left over', () => {
    const consequences: ReadonlyArray<ReadonlyArray<HazardId>> = [
      ['P6', 'B1', 'B2', 'B3', 'B7', 'B9'],
      ['B4', 'B5', 'B6'],
      ['B8', 'K1', 'K2', 'M5', 'O1', 'U1', 'U2'],
    ]
    const later = consequences.flat()
    // filed from the end, so that what is of one kind stands in the order of filing alone
    const ids = [...hazardIds].reverse()
    const r = report(header)
    ids.forEach((id) => {
      file(r, id, () => one(id))
    })
    const inOrder = (some: ReadonlyArray<HazardId>): ReadonlyArray<HazardId> =>
      ids.filter((id) => some.includes(id))
    expect(findingsOf(r).map((f) => f.id)).toEqual([
      ...ids.filter((id) => !later.includes(id)),
      ...consequences.flatMap(inOrder),
    ])
  })
})

describe('conditions', () => {
  test('hold until something fails them; the first failure under a key is kept', () => {
    const r = report(header)
    fail(r, 'C3', 'key', () => ({ text: 'first', draft: undefined }))
    fail(r, 'C3', 'key', () => ({ text: 'again', draft: undefined }))
    fail(r, 'C3', 'other', () => ({
      text: 'second',
      draft: draft('B3', 'E', 'said', [ofBarrier(0)], actor(stamp(0, 0), 'acts')),
    }))
    expect(conditionOf(r, 'C4')).toEqual({ holds: true, failures: [], findings: [] })
    expect(conditionOf(r, 'C3')).toEqual({
      holds: false,
      failures: ['first', 'second'],
      findings: [
        {
          id: 'B3',
          severity: 'E',
          text: 'said',
          about: [ofBarrier(0)],
          deeds: { a: other, b: null },
          a: operation(header, actor(stamp(0, 0), 'acts')),
        },
      ],
    })
  })
})
