/** What is told beside a finding: each part where it is known, and nothing where it is not. */
import { describe, expect, test } from 'vitest'
import { detailedFinding, type Details } from '../../../src/semantics/judging/details.js'
import type { Finding, Operation } from '../../../src/semantics/judging/finding.js'

const operation = (site: string): Operation => ({
  index: 0,
  agent: 'one@0',
  site,
  path: [],
  iteration: [],
  at: 1,
  does: 'reads',
})
const [a, b] = [operation('a'), operation('b')]
const finding: Finding = { id: 'D1', severity: 'E', text: '', a, b }
const none: Details = { smem: [], replay: () => '' }

describe('an operation', () => {
  const tensor = (o: Operation, schedule: number | null): string | null =>
    o.site === 'a' ? `x${String(schedule)}` : null
  const quote = (o: Pick<Operation, 'site'>): string | null => (o.site === 'b' ? 'b()' : null)
  test('has its tensor and its source, each where it is known', () => {
    expect(detailedFinding(none, finding, 3)).toEqual(finding)
    const told = detailedFinding({ ...none, tensor, quote }, finding, 3)
    expect(told).toEqual({ ...finding, a: { ...a, tensor: 'x3' }, b: { ...b, source: 'b()' } })
    const both = detailedFinding({ ...none, tensor: () => 'x', quote: () => 'q' }, finding)
    expect(both).toEqual({
      ...finding,
      a: { ...a, tensor: 'x', source: 'q' },
      b: { ...b, tensor: 'x', source: 'q' },
    })
    expect(Object.keys(told.a)).not.toContain('source')
    expect(Object.keys(told.b!)).not.toContain('tensor')
  })
  test('a finding of one has one', () => {
    const one: Finding = { id: 'D1', severity: 'E', text: '', a }
    expect(detailedFinding({ ...none, quote: () => 'q' }, one)).toEqual({ ...one, a: { ...a, source: 'q' } })
  })
  test('that is to be moved has its source, where it is known', () => {
    const missing = { kind: 'arrive', text: '', moves: b } as const
    expect(detailedFinding({ ...none, quote }, { ...finding, missing }).missing).toEqual({
      ...missing,
      moves: { ...b, source: 'b()' },
    })
    expect(detailedFinding({ ...none, quote: () => null }, { ...finding, missing }).missing).toEqual(missing)
    const still = { kind: 'arrive', text: '' } as const
    expect(detailedFinding({ ...none, quote }, { ...finding, missing: still }).missing).toEqual(still)
  })
})

describe('a place', () => {
  const smem = [
    { name: 's', start: 0, end: 64 },
    { name: 't', start: 64, end: 128 },
  ]
  const within = (plane: string, spans: ReadonlyArray<readonly [number, number]>): unknown =>
    detailedFinding({ ...none, smem } as unknown as Details, { ...finding, place: { plane, spans } }).place
  test.each([
    [[[0, 1]], ['s']],
    [[[63, 64]], ['s']],
    [[[64, 65]], ['t']],
    [[[63, 65]], ['s', 't']],
    [
      [
        [0, 4],
        [100, 104],
      ],
      ['s', 't'],
    ],
  ] as const)('in shared memory, bytes %j: what lies there', (spans, names) => {
    expect(within('smem@0', spans)).toEqual({
      plane: 'smem@0',
      spans,
      within: smem.filter((s) => (names as ReadonlyArray<string>).includes(s.name)),
    })
  })
  test('where nothing lies, and elsewhere, nothing is told', () => {
    expect(within('smem@0', [[128, 132]])).toEqual({ plane: 'smem@0', spans: [[128, 132]] })
    expect(within('gmem x', [[0, 4]])).toEqual({ plane: 'gmem x', spans: [[0, 4]] })
  })
})
