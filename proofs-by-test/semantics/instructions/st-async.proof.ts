/** st.async and remote shared memory. Oracle: a generic store of the same tile into the same place; twins by hand. */
import { describe, expect, test } from 'vitest'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import { checked } from '../../../src/semantics/language/index-types.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { ReduceKind, Scope } from '../../../src/semantics/language/instruction.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import {
  expecting,
  fence,
  idsOf,
  inCta,
  init,
  judged,
  meet,
  program,
  running,
  stored,
  waiting,
} from './tma/steps.js'

const n = 32
const tensor = Float64Array.from({ length: n }, (_, i) => 3 * i - 7)
/** what the receiver stores, where what comes joins it */
const held = 21

interface Plan {
  readonly by: 'stAsync' | 'store'
  /** it joins what the receiver has stored there, before the two meet or after */
  readonly joins?: { readonly kind: ReduceKind; readonly stored: 'before' | 'after' }
  /** the reader waits for the barrier */
  readonly waits?: boolean
  /** the reader is a bulk store, with or without a proxy fence after the wait */
  readonly reader?: 'load' | 'bulk' | 'fenced bulk'
  readonly bytes?: number
  /** the sender writes a flag first, and the reader looks at it */
  readonly flag?: boolean
  /** CTA whose barrier hears of it */
  readonly barrier?: number
  readonly dtype?: 'i32' | 'i16'
  /** a last cluster barrier */
  readonly leaves?: boolean
}

/** CTA 0 sends its tile into CTA 1's buffer; CTA 1 writes it to `out`. */
const sending = (p: Plan, draft = false): Program =>
  program(
    'send',
    function* () {
      const dtype = p.dtype ?? 'i32'
      const from = yield* B.tensorParam('from', dtype, [n], { role: 'in' })
      const out = yield* B.tensorParam('out', dtype, [n], { role: 'out' })
      const onto = yield* B.descriptorParam('onto', out, [n])
      const buffer = yield* B.sharedMemory('buffer', dtype, [n], [], { align: 128 })
      const flag = yield* B.sharedMemory('flag', 'i32', [4], [], { align: 16 })
      const full = yield* B.barriers('full', [])
      const [sender, receiver] = [inCta(0), inCta(1)]
      const there = X.i32(1)
      yield* init(full)
      const first = (label: string): B.Build<void> =>
        B.run(
          label,
          { _tag: 'smem.store', destination: buffer, value: X.splat<'i32', 1>(X.i32(held), [n]) },
          { when: receiver },
        )
      if (p.joins?.stored === 'before') yield* first('first')
      yield* meet()
      if (p.joins?.stored === 'after') yield* first('first')
      const value = yield* B.gmemLoad('value', from.view)
      yield* expecting(full, p.bytes ?? 4 * n, receiver)
      if (p.flag === true)
        yield* B.run(
          'flag',
          {
            _tag: 'smem.store',
            destination: X.remote(flag, there),
            value: X.splat<'i32', 1>(X.i32(1), [4]),
          },
          { when: sender },
        )
      yield* B.run(
        'send',
        p.by === 'stAsync'
          ? p.joins === undefined
            ? {
                _tag: 'stAsync.store',
                destination: X.remote(buffer, there),
                value,
                barrier: X.remote(full, X.i32(p.barrier ?? 1)),
              }
            : {
                _tag: 'stAsync.reduce',
                kind: p.joins.kind,
                destination: X.remote(buffer, there),
                value,
                barrier: X.remote(full, X.i32(p.barrier ?? 1)),
              }
          : { _tag: 'smem.store', destination: X.remote(buffer, there), value },
        { when: sender },
      )
      if (p.by === 'store') {
        yield* B.run(
          'arrive',
          {
            _tag: 'mbarrier.expectTx',
            barrier: X.remote(full, there),
            bytes: X.i32(0),
          },
          { when: sender },
        )
        yield* meet()
      }
      if (p.waits !== false && p.by === 'stAsync') yield* waiting(full, 0, receiver)
      if (p.flag === true) yield* B.run('look', { _tag: 'smem.load', source: flag }, { when: receiver })
      if (p.reader === 'bulk' || p.reader === 'fenced bulk') {
        if (p.reader === 'fenced bulk') yield* fence()
        yield* B.run(
          'bulk',
          { _tag: 'tma.store', descriptor: onto, coords: [X.i32(0)], source: buffer },
          { when: receiver },
        )
        yield* stored()
      } else {
        const got = yield* B.smemLoad('read', buffer, { when: receiver })
        yield* B.run('write', { _tag: 'gmem.store', destination: out.view, value: got }, { when: receiver })
      }
      if (p.waits === false) yield* waiting(full, 0, receiver)
      if (p.leaves !== false) yield* meet()
    },
    { cluster: 2, draft },
  )
const given = { from: tensor }

describe('law 1', () => {
  test('what was sent is what a store would have left, in any schedule', () => {
    for (let seed = 0; seed < 10; seed++)
      for (const reader of ['load', 'fenced bulk'] as const)
        for (const by of ['stAsync', 'store'] as const) {
          const r = running(
            sending({ by, reader, bytes: by === 'store' ? 0 : 4 * n }),
            given,
            Policy.seeded(seed),
          )
          expect(r.outcome).toEqual({ _tag: 'completed' })
          expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual([...tensor])
        }
  })
  test('it performs and signals apart: bytes on the barrier of the CTA that is written', () => {
    const r = running(sending({ by: 'stAsync' }), given, Policy.lazy)
    const { header } = r.launched.world
    const of = r.result.flatMap((e) =>
      e._tag === 'perform'
        ? ['perform']
        : e._tag === 'access' && e.operation !== undefined
          ? [`${e.rw} ${e.proxy} ${String(header.planes[e.footprint.plane]!.cta)}`]
          : e._tag === 'signal' && e.to === 'barrier'
            ? [`${String(e.bytes)} on ${String(header.barriers[e.barrier]!.cta)}`]
            : [],
    )
    expect(of).toEqual(['perform', 'w generic 1', '128 on 1'])
  })
})

describe('red.async', () => {
  const joined: Readonly<Record<string, (x: number) => number>> = {
    add: (x) => x + held,
    min: (x) => Math.min(x, held),
    max: (x) => Math.max(x, held),
    and: (x) => x & held,
    or: (x) => x | held,
    xor: (x) => x ^ held,
  }
  test.each(Object.keys(joined))('%s: each element joins the one that is there', (word) => {
    const joins = { kind: checked<ReduceKind, string>(word), stored: 'before' } as const
    for (let seed = 0; seed < 5; seed++) {
      const r = running(sending({ by: 'stAsync', joins }), given, Policy.seeded(seed))
      expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual(Array.from(tensor, joined[word]!))
    }
    expect(idsOf(judged(sending({ by: 'stAsync', joins }), given))).toEqual([])
  })
  test('it races with a store that the two have not met behind, and is for integers', () => {
    const joins = { kind: 'add', stored: 'after' } as const
    expect(idsOf(judged(sending({ by: 'stAsync', joins }), given))).toEqual(['R1', 'W1'])
    expect(() => sending({ by: 'stAsync', joins: { kind: 'inc', stored: 'before' } })).toThrow(
      /reduction of u32/,
    )
  })
})

describe('twins', () => {
  const found = (p: Plan): ReadonlyArray<string> => idsOf(judged(sending(p), given))
  test('table by hand', () => {
    expect(found({ by: 'stAsync' })).toEqual([])
    expect(found({ by: 'stAsync', waits: false })).toEqual(['R1'])
    // the signal tells of the bytes that it sent, not of the flag before
    expect(found({ by: 'stAsync', flag: true })).toEqual(['V1'])
    expect(found({ by: 'stAsync', reader: 'fenced bulk' })).toEqual([])
    expect(found({ by: 'stAsync', reader: 'bulk' })).toEqual(['P1'])
    // CTA 1 waits for the data; without a last meeting CTA 0's generic read of CTA 1 is nobody's, and nothing is owed
    expect(found({ by: 'stAsync', leaves: false })).toEqual([])
    expect(judged(sending({ by: 'stAsync', bytes: 4 * n + 16 }), given).verdict).toBe('deadlock')
  })
  test('refused: elements of 16 bits, a barrier elsewhere', () => {
    expect(() => sending({ by: 'stAsync', dtype: 'i16' })).toThrow(/32 or 64 bits/)
    const codeOf = (p: Plan): string => {
      const r = running(sending(p, true), given)
      return r.outcome._tag === 'fault' ? r.outcome.fault.code : r.outcome._tag
    }
    expect(codeOf({ by: 'stAsync', barrier: 0 })).toBe('A4')
    expect(codeOf({ by: 'stAsync', dtype: 'i16' })).toBe('type.mismatch')
  })
})

describe('generic accesses of another CTA', () => {
  interface Remote {
    readonly meets: 'cluster' | 'relaxed' | 'nothing'
    readonly leaves: boolean
  }
  /** CTA 0 stores into CTA 1; CTA 1 stores into its own and CTA 0 reads it from there. */
  const visiting = (p: Remote): Program =>
    program(
      'visit',
      function* () {
        const mine = yield* B.sharedMemory('mine', 'i32', [n], [], { align: 128 })
        const other = yield* B.sharedMemory('other', 'i32', [n], [], { align: 128 })
        const out = yield* B.tensorParam('out', 'i32', [2, n], { role: 'out' })
        const peer = X.sub(X.i32(1), X.place('ctaRank'))
        yield* meet()
        const value = X.add(X.iota<1>([n], 0), X.splat<'i32', 1>(X.place('ctaRank'), [n]))
        yield* B.run('there', { _tag: 'smem.store', destination: X.remote(mine, peer), value })
        yield* B.run('here', { _tag: 'smem.store', destination: other, value })
        if (p.meets !== 'nothing') {
          yield* B.run('arrive', { _tag: 'cluster.arrive', relaxed: p.meets === 'relaxed' })
          yield* B.run('wait', { _tag: 'cluster.wait' })
        }
        const a = yield* B.smemLoad('read mine', mine)
        const b = yield* B.smemLoad('read other', X.remote(other, peer))
        yield* B.run('write', {
          _tag: 'gmem.store',
          destination: X.slice(out.view, [X.place('ctaRank'), X.i32(0)], [1, n]),
          value: X.reshape<'i32', 2>(X.sub(a, b), [1, n]),
        })
        if (p.leaves) yield* meet()
      },
      { cluster: 2 },
    )
  const found = (p: Remote): ReadonlyArray<string> => idsOf(judged(visiting(p), {}))
  test('both ways see the same, across a cluster barrier', () => {
    for (let seed = 0; seed < 10; seed++) {
      const r = running(visiting({ meets: 'cluster', leaves: true }), {}, Policy.seeded(seed))
      expect(r.outcome).toEqual({ _tag: 'completed' })
      expect([...readTensor(r.launched.world, r.machine, 'out')!].every((x) => x === 0)).toBe(true)
    }
    expect(found({ meets: 'cluster', leaves: true })).toEqual([])
  })
  test('without it a race, with a relaxed one nothing is published, and nobody may leave early', () => {
    expect(found({ meets: 'nothing', leaves: true })).toEqual(['D1'])
    expect(found({ meets: 'relaxed', leaves: true })).toEqual(['V1'])
    expect(found({ meets: 'cluster', leaves: false })).toEqual(['K1'])
  })
})

describe('scopes', () => {
  /** CTA `from` stores into CTA 1 and arrives there with one scope; CTA 1 waits with another, and reads. */
  const message = (from: 0 | 1, release: Scope, acquire: Scope): Program =>
    program(
      'message',
      function* () {
        const buffer = yield* B.sharedMemory('buffer', 'i32', [n], [], { align: 128 })
        const full = yield* B.barriers('full', [])
        const there = X.i32(1)
        yield* B.run(
          'init',
          { _tag: 'mbarrier.init', barrier: full, count: 1 },
          { when: X.eq(X.place('agent'), X.i32(0)) },
        )
        yield* B.run('sync', { _tag: 'bar.sync', id: 1, count: 256 })
        yield* meet()
        const sends = X.and(inCta(from), X.eq(X.place('agent'), X.i32(0)))
        const reads = X.and(inCta(1), X.eq(X.place('agent'), X.i32(1)))
        yield* B.run(
          'store',
          { _tag: 'smem.store', destination: X.remote(buffer, there), value: X.iota<1>([n], 0) },
          { when: sends },
        )
        yield* B.run(
          'arrive',
          {
            _tag: 'mbarrier.arrive',
            barrier: X.remote(full, there),
            count: 1,
            release: true,
            scope: release,
          },
          { when: sends },
        )
        yield* B.run(
          'wait',
          { _tag: 'mbarrier.wait', barrier: full, parity: X.i32(0), acquire: true, scope: acquire },
          { when: reads },
        )
        yield* B.run('read', { _tag: 'smem.load', source: buffer }, { when: reads })
        yield* meet()
      },
      { cluster: 2, agents: 2 },
    )
  const found = (from: 0 | 1, release: Scope, acquire: Scope): ReadonlyArray<string> =>
    idsOf(judged(message(from, release, acquire), {}))
  test('between CTAs both sides have to reach the other; within one CTA any scope does', () => {
    expect(found(0, 'cluster', 'cluster')).toEqual([])
    expect(found(0, 'gpu', 'cluster')).toEqual([])
    expect(found(0, 'cta', 'cluster')).toEqual(['V1'])
    expect(found(0, 'cluster', 'cta')).toEqual(['V1'])
    expect(found(0, 'cta', 'cta')).toEqual(['V1'])
    expect(found(1, 'cta', 'cta')).toEqual([])
    expect(found(1, 'cluster', 'cta')).toEqual([])
  })
})
