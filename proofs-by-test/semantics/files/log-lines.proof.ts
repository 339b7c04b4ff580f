/**
 * What each instruction says in the log: the whole event, by hand.
 *
 * One agent in each CTA of a pair runs the list; the lines are those of CTA 1, where every index is another than in CTA 0.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { real64 } from '../../../src/numerics/real64.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { mostBarriers } from '../../../src/semantics/language/limits.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import { cells, empty, read, write } from '../../../src/semantics/machine/plane.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { region, type Program } from '../../../src/semantics/language/program.js'
import { launched, logged } from '../machine/machine-samples.js'
import { code, right } from '../../either.js'

type Names = Readonly<Record<'one' | 'two', X.Barrier>>
const pair = (list: (names: Names) => ReadonlyArray<Instruction>): Program =>
  right(
    B.draft(
      { name: 'lines', arch: 'sm90a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
      function* () {
        yield* B.barriers('b', [2])
        const one = yield* B.barriers('one', [])
        const two = yield* B.barriers('two', [])
        for (const [i, instruction] of list({ one, two } as unknown as Names).entries())
          yield* B.run(`step ${String(i)}`, instruction)
      },
    ),
  )
/** Events of CTA 1 without who and where. */
const lines = (program: Program): ReadonlyArray<Omit<LogEvent, 'stamp'>> =>
  logged(launched(program, bits('hopper')), Policy.eager).result.flatMap((e) => {
    if (!('stamp' in e) || e.stamp.agent !== 1) return []
    return [Object.fromEntries(Object.entries(e).filter(([key]) => key !== 'stamp')) as unknown as LogEvent]
  })

describe('mbarriers', () => {
  test('each call is one line', () => {
    const found = lines(
      pair(({ one }) => [
        { _tag: 'mbarrier.init', barrier: one as never, count: 4 },
        { _tag: 'mbarrier.arrive', barrier: one as never, count: 1, release: true, scope: 'cta' },
        { _tag: 'mbarrier.arrive', barrier: one as never, count: 2, release: false, scope: 'cluster' },
        { _tag: 'mbarrier.expectTx', barrier: one as never, bytes: X.i32(0) },
        { _tag: 'mbarrier.test', barrier: one as never, parity: X.i32(0), acquire: true, scope: 'cta' },
        {
          _tag: 'mbarrier.arriveExpectTx',
          barrier: one as never,
          bytes: X.i32(0),
          release: true,
          scope: 'cluster',
        },
        { _tag: 'mbarrier.test', barrier: one as never, parity: X.i32(0), acquire: false, scope: 'cta' },
        { _tag: 'mbarrier.wait', barrier: one as never, parity: X.i32(0), acquire: true, scope: 'cluster' },
        { _tag: 'mbarrier.arriveDrop', barrier: one as never, count: 1, release: true, scope: 'cta' },
        { _tag: 'mbarrier.inval', barrier: one as never },
      ]),
    )
    // two barriers of an array come first, and two single ones: CTA 1 begins at 4
    const b = { _tag: 'barrier', barrier: 6, count: 0, bytes: 0, release: false, scope: 'cta', tensor: false }
    const w = { _tag: 'wait', barrier: 6, parity: 0, acquire: true, scope: 'cta', tensor: false }
    expect(found).toEqual([
      { ...b, kind: 'init', count: 4 },
      { ...b, kind: 'arrive', count: 1, release: true },
      { ...b, kind: 'arrive', count: 2, scope: 'cluster' },
      { ...b, kind: 'expect' },
      { ...w, outcome: 'tested' },
      { ...b, kind: 'arrive', count: 1, release: true, scope: 'cluster' },
      { ...w, acquire: false, outcome: 'passed' },
      { ...w, scope: 'cluster', outcome: 'passed' },
      { ...b, kind: 'drop', count: 1, release: true },
      { ...b, kind: 'inval' },
    ])
  })
})

describe('fences, groups, rendezvous', () => {
  test('each is one line', () => {
    const found = lines(
      pair(() => [
        { _tag: 'fence.proxyAsync', scope: 'cta' },
        { _tag: 'fence.proxyAsync', scope: 'cluster' },
        { _tag: 'fence.proxyAsync', scope: 'global' },
        { _tag: 'fence.mbarrierInit' },
        { _tag: 'wgmma.fence' },
        { _tag: 'tcgen05.fenceBefore' },
        { _tag: 'tcgen05.fenceAfter' },
        { _tag: 'bulk.commitGroup' },
        { _tag: 'wgmma.commitGroup' },
        { _tag: 'cpAsync.commitGroup' },
        { _tag: 'bulk.waitGroup', pending: 1, read: true },
        { _tag: 'bulk.waitGroup', pending: 0, read: false },
        { _tag: 'wgmma.waitGroup', pending: 2 },
        { _tag: 'cpAsync.waitGroup', pending: 3 },
        { _tag: 'tcgen05.waitLd' },
        { _tag: 'tcgen05.useLd' },
        { _tag: 'tcgen05.waitSt' },
        { _tag: 'bar.arrive', id: 3, count: 256 },
        { _tag: 'bar.sync', id: 3, count: 256 },
      ]),
    )
    const fence = (kind: string, scope: string): object => ({ _tag: 'fence', kind, scope })
    const group = (kind: string, family: string, pending = 0, readSide = false): object => ({
      _tag: 'group',
      kind,
      family,
      pending,
      read: readSide,
      blocked: false,
    })
    const bar = (kind: string): object => ({
      _tag: 'rendezvous',
      kind,
      id: 3,
      count: 256,
      threads: 128,
      relaxed: false,
    })
    expect(found).toEqual([
      fence('proxyAsync', 'cta'),
      fence('proxyAsync', 'cluster'),
      fence('proxyAsync', 'global'),
      fence('mbarrierInit', 'cluster'),
      fence('wgmma', 'cta'),
      fence('tensorBefore', 'cta'),
      fence('tensorAfter', 'cta'),
      group('commit', 'bulk'),
      group('commit', 'wgmma'),
      group('commit', 'cpAsync'),
      group('wait', 'bulk', 1, true),
      group('wait', 'bulk'),
      group('wait', 'wgmma', 2),
      group('wait', 'cpAsync', 3),
      group('wait', 'tcgen05Ld'),
      group('wait', 'tcgen05Ld', 0, true),
      group('wait', 'tcgen05St'),
      bar('arrive'),
      bar('arrive'),
      bar('leave'),
    ])
  })
  test('the cluster barrier counts the threads of both CTAs', () => {
    const found = lines(pair(() => [{ _tag: 'cluster.arrive', relaxed: true }, { _tag: 'cluster.wait' }]))
    const line = { _tag: 'rendezvous', id: 16, count: 256, threads: 128 }
    expect(found).toEqual([
      { ...line, kind: 'arrive', relaxed: true },
      { ...line, kind: 'leave', relaxed: false },
    ])
  })
})

describe('registers', () => {
  test('each CTA has a file of its own: what is free, what is needed, and what a thread has', () => {
    // 128 threads of 256 words: a pool of 32,768, and all of it in use
    expect(
      lines(
        pair(() => [
          { _tag: 'setMaxRegisters', count: 40, action: 'decrease' },
          { _tag: 'setMaxRegisters', count: 232, action: 'increase' },
        ]),
      ),
    ).toEqual([
      { _tag: 'registers', count: 40, needs: -216 * 128, free: 0, blocked: false },
      { _tag: 'registers', count: 232, needs: 192 * 128, free: 32_768 - 40 * 128, blocked: false },
    ])
  })
  test.each([
    [40, 'increase'],
    [256, 'decrease'],
  ] as const)('in CTA 1 alone: %i is no %s after 128', (count, action) => {
    const wrong = right(
      B.draft(
        { name: 'wrong', arch: 'sm90a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
        function* () {
          yield* B.run('first', { _tag: 'setMaxRegisters', count: 128, action: 'decrease' })
          yield* B.run(
            'second',
            { _tag: 'setMaxRegisters', count, action },
            { when: X.eq(X.place('ctaRank'), X.i32(1)) },
          )
        },
      ),
    )
    const { outcome } = logged(launched(wrong, bits('hopper')), Policy.eager)
    expect(outcome).toMatchObject({ _tag: 'fault', fault: { code: 'A2', agent: 1 } })
  })
})

describe('limits of a launch', () => {
  const barriers = (arrays: ReadonlyArray<number>, ctas: number): Program => ({
    ...right(
      B.draft(
        { name: 'many', arch: 'sm90a', grid: [ctas], cluster: [ctas], agents: [B.warp('w', 0)] },
        function* () {
          for (const [i, n] of arrays.entries()) yield* B.barriers(`b${String(i)}`, [n])
        },
      ),
    ),
  })
  const launching = (p: Program): string | null =>
    code(launch(p, real64, { scalars: new Map(), tensors: new Map() }))
  test('as many barriers as there may be, in one array, in several, in both CTAs; one more is refused', () => {
    expect(launching(barriers([mostBarriers], 1))).toBe(null)
    expect(launching(barriers([mostBarriers + 1], 1))).toBe('launch.barriers')
    expect(launching(barriers([mostBarriers - 1, 1], 1))).toBe(null)
    expect(launching(barriers([mostBarriers, 1], 1))).toBe('launch.barriers')
    expect(launching(barriers([mostBarriers / 2], 2))).toBe(null)
    expect(launching(barriers([mostBarriers / 2 + 1], 2))).toBe('launch.barriers')
  })
})

test('a region without parameters and results', () => {
  expect(region([])).toEqual({ params: [], body: [], yields: [] })
})

test.each(['bytes', 'slots'] as const)(
  '%s: a cell that is nowhere reads the filling, and keeps nothing',
  (memory) => {
    const p = write(empty(memory, 64), cells('u16', Int32Array.of(-1, 2)), Float64Array.of(5, 6), null)
    expect(read(p, cells('u16', Int32Array.of(2, -1, -7)), 9)).toEqual({
      data: Float64Array.of(6, 9, 9),
      retyped: null,
    })
    expect(read(p, { dtype: 'u16', offsets: Int32Array.of(1, 3), origin: -1 }, 9).data![1]).toBe(6)
    expect(read(p, { dtype: 'u16', offsets: Int32Array.of(1, 0), origin: -1 }, 9).data![1]).toBe(9)
    const halves = write(empty(memory, 64), cells('e2m1', Int32Array.of(-1, 3)), Float64Array.of(5, 6), null)
    expect(read(halves, cells('e2m1', Int32Array.of(3, -1)), 9).data).toEqual(Float64Array.of(6, 9))
  },
)
