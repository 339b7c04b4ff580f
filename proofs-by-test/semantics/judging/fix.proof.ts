/** Fixes: what races between two lines is ordered by one word, that of those who are farthest apart; and an announcement has a word in each language that has atomics. */
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Distance, Finding, MissingEdge, Operation } from '../../../src/semantics/judging/finding.js'
import { fixOf, type Language, type Meeting } from '../../../src/semantics/judging/fix.js'

const operation = (site: string, index: number, line: number): Operation => ({
  agent: `warp ${String(index)}`,
  site,
  at: line,
  index,
  path: [],
  iteration: [],
  does: 'writes',
  loc: `k.cu:${String(line)}:1`,
})

const finding = (missing: MissingEdge, lines: readonly [number, number] = [4, 6]): Finding => ({
  id: 'D1',
  severity: 'E',
  text: '',
  a: operation('store', 0, lines[0]),
  b: operation('load', 1, lines[1]),
  missing,
})

const order = (distance: Distance): MissingEdge =>
  distance === 'warp' ? { kind: 'warp-sync', text: '' } : { kind: 'arrive-wait', text: '', distance }

const fixesOf = (language: Language, all: ReadonlyArray<Finding>): ReadonlyArray<string | null> =>
  all.map((f) => fixOf({ language, isText: false }, f, all))

const words = { warp: '`__syncwarp()`', cta: '`__syncthreads()`', cluster: '`cluster.sync()`' } as const
const distances = ['warp', 'cta', 'cluster'] as const

test('law 4: of several between two lines, in either order, each says the word of the farthest', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...distances), fc.boolean()), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...distances),
      (between, elsewhere) => {
        const here = between.map(([distance, turned]) => finding(order(distance), turned ? [6, 4] : [4, 6]))
        const all = [...here, finding(order(elsewhere), [7, 9])]
        const farthest = Math.max(...between.map(([distance]) => distances.indexOf(distance)))
        const fixes = fixesOf('cuda', all)
        for (const fix of fixes.slice(0, -1)) expect(fix?.startsWith(words[distances[farthest]!])).toBe(true)
        expect(fixes.at(-1)?.startsWith(words[elsewhere])).toBe(true)
      },
    ),
  )
})

test('law 3: a branch is said where it is known, and only of the barrier of a block', () => {
  const said = (distance: Distance, meeting: Meeting<string> | null): string | null =>
    fixOf({ language: 'cuda', isText: false, meeting: () => meeting }, finding(order(distance)), [])
  const outside: Meeting<string> = { _tag: 'between', outside: ['k.cu:5'] }
  expect(said('cta', null)).toBe(said('cta', { _tag: 'between', outside: [] }))
  expect(said('cta', outside)).toContain('outside the branch at `k.cu:5`')
  expect(said('cta', { _tag: 'inside', branch: 'k.cu:3', outside: [] })).toMatch(/^`bar\.sync 1, n`/u)
  expect(said('cta', { _tag: 'apart', branch: 'k.cu:3' })).toMatch(/^`bar\.arrive 1, n` after/u)
  for (const distance of ['warp', 'cluster'] as const)
    expect(said(distance, outside)).toBe(said(distance, null))
})

test('a wait between lines of which lanes race, too, is the barrier that orders both', () => {
  const wait = finding({
    kind: 'wait',
    text: '',
    barrier: { name: 'full', phase: 0 },
    before: 'b',
    distance: 'cta',
  })
  expect(fixesOf('cuda', [wait])[0]).toMatch(/^an mbarrier wait/u)
  for (const fix of fixesOf('cuda', [finding(order('warp')), wait])) expect(fix).toMatch(/^`__syncthreads/u)
})

test('a fence that is missing is no order, and widens none', () => {
  const fence = finding({ kind: 'fence', fence: 'shared', text: '' })
  const [first, second] = fixesOf('cuda', [finding(order('warp')), fence])
  expect(first).toMatch(/^`__syncwarp\(\)`/u)
  expect(second).toMatch(/^`fence\.proxy\.async/u)
})

describe('an announcement', () => {
  const missing: MissingEdge = { kind: 'fence', fence: 'threads', text: '', after: 'a', before: 'b' }
  it.each([
    ['cuda', /^`__threadfence\(\)` after `store` \(k\.cu:4:1\), .* before `load`/u],
    ['triton', /^`sem="acq_rel"` in the atomic operation that announces `store` .* before `load`/u],
    ['gluon', /^`sem="acq_rel"` /u],
    ['pallas', /^null$/u],
  ] as const)('in %s', (language, fix) => {
    expect(String(fixesOf(language, [finding(missing)])[0])).toMatch(fix)
  })
})

describe('a group', () => {
  const said = (missing: Partial<MissingEdge>, language: Language = 'cuda'): string | null =>
    fixOf(
      { language, isText: false },
      finding({ kind: 'group-wait', family: 'bulk', text: '', ...missing }),
      [],
    )
  const [close, wait] = ['`cp.async.bulk.commit_group`', '`cp.async.bulk.wait_group.read 0`']
  it('that nothing uses afterwards is waited for before the kernel ends', () => {
    const { id, severity, text, a, missing } = finding({ kind: 'group-wait', family: 'bulk', text: '' })
    expect(
      fixOf({ language: 'cuda', isText: false }, { id, severity, text, a, missing: missing! }, []),
    ).toMatch(/^`cp\.async\.bulk\.wait_group\.read 0` after .*k\.cu:4.*, before the kernel ends$/u)
  })
  it('is waited for between its two sides, or before the statement that it stands before', () => {
    expect(said({})).toMatch(/^`cp\.async\.bulk\.wait_group\.read 0` .*k\.cu:4.*k\.cu:6/u)
    expect(said({ ahead: 'the copy' })).toMatch(
      /^`cp\.async\.bulk\.wait_group\.read 0` after .*k\.cu:4.*, before the copy$/u,
    )
  })
  it('that nothing has closed is closed, and waited for where the wait is missing, too', () => {
    expect(said({ lacks: 'commit' })).toMatch(
      /^`cp\.async\.bulk\.commit_group` after .*k\.cu:4.*: the wait for groups that is there covers committed ones only$/u,
    )
    expect(said({ lacks: 'both' })?.startsWith(`${close} and ${wait} `)).toBe(true)
    // Pallas closes the groups of wgmma by itself, and waits for no copies of single threads
    expect(said({ lacks: 'both', family: 'wgmma' }, 'pallas')?.startsWith('`plgpu.wgmma_wait(0)` ')).toBe(
      true,
    )
    expect(said({ lacks: 'commit', family: 'wgmma' }, 'pallas')).toBeNull()
    expect(said({ family: 'cpAsync' }, 'pallas')).toBeNull()
  })
})
