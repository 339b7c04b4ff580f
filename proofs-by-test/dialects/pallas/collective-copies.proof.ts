/**
 * Collective copies put the right bytes in the right block and complete the right barrier: every small cluster, every choice of axes, every
 * mode, against a definition of which elements each block must hold. Whoever forgets that only the leader hears is caught.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { cutsOf } from '../../../src/dialects/pallas/copy/collective.js'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../src/failure.js'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  add,
  eq,
  i32,
  mul,
  place,
  slice,
  slot,
  type Int,
} from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import * as Transform from '../../../src/transforms/transform.js'
import { checked } from './programs.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- the definition

type Cluster = Readonly<Record<string, number>>
type Mode =
  | { readonly _tag: 'multicast' }
  | { readonly _tag: 'PARTITIONED'; readonly axis: number }
  | { readonly _tag: 'REPLICATED' }

const sizeOf = (shape: ReadonlyArray<number>): number => shape.reduce((n, e) => n * e, 1)
const coordinates = (shape: ReadonlyArray<number>, linear: number): ReadonlyArray<number> =>
  shape.map((_, d) => Math.floor(linear / sizeOf(shape.slice(d + 1))) % shape[d]!)
const linearIn = (shape: ReadonlyArray<number>, at: ReadonlyArray<number>): number =>
  at.reduce((sum, i, d) => sum * shape[d]! + i, 0)

/** Where a block stands: its place among those that it does not copy with, and among those that it does. */
const standing = (
  cluster: Cluster,
  axes: ReadonlyArray<string>,
  rank: number,
): { readonly group: number; readonly index: number } => {
  const names = Object.keys(cluster)
  const at = coordinates(Object.values(cluster), rank)
  const value = (chosen: ReadonlyArray<string>): number =>
    linearIn(
      chosen.map((n) => cluster[n]!),
      chosen.map((n) => at[names.indexOf(n)]!),
    )
  return { group: value(names.filter((n) => !axes.includes(n))), index: value(axes) }
}

/** The source has a slice for each group, along dimension 0; a partitioned slice is twice as large along its axis. */
const sourceShape = (shape: ReadonlyArray<number>, mode: Mode): ReadonlyArray<number> =>
  shape.map((n, d) => (mode._tag === 'PARTITIONED' && d === mode.axis ? 2 * n : n))

/** What the block must hold. x is 1, 2, 3, ... */
const holds = (
  shape: ReadonlyArray<number>,
  mode: Mode,
  { group, index }: { readonly group: number; readonly index: number },
): ReadonlyArray<number> => {
  const source = sourceShape(shape, mode)
  return Array.from({ length: sizeOf(shape) }, (_, k) => {
    const at = coordinates(shape, k).map((i, d) =>
      mode._tag === 'PARTITIONED' && d === mode.axis ? i + index * shape[d]! : i,
    )
    return 1 + group * sizeOf(source) + linearIn(source, at)
  })
}

/** Who may track by a leader: two blocks with neighbouring ranks. */
const leaderLegal = (cluster: Cluster, axes: ReadonlyArray<string>): string | null => {
  if (axes.length !== 1) return 'pallas.copy.leader'
  const names = Object.keys(cluster)
  if (cluster[axes[0]!] !== 2) return 'pallas.copy.leader.size'
  const below = sizeOf(names.slice(names.indexOf(axes[0]!) + 1).map((n) => cluster[n]!))
  return below === 1 ? null : 'pallas.copy.leader.pair'
}

// ---------------------------------------------------------------- the kernel

interface Ref {
  readonly shape: ReadonlyArray<number>
  readonly transforms: ReadonlyArray<Transform.Transform>
}
const tiled = (span: 32 | 64 | 128): ReadonlyArray<Transform.Transform> => [
  right(Transform.tile([8, span / 2])),
  right(Transform.swizzle(span)),
]
const refs: ReadonlyArray<Ref> = [
  { shape: [8, 64], transforms: tiled(128) },
  { shape: [8, 64], transforms: [] },
  { shape: [16, 64], transforms: tiled(64) },
  { shape: [2, 8, 64], transforms: tiled(128) },
  { shape: [4, 1, 64], transforms: [] },
]

interface Told {
  /** who waits for its own barrier */
  readonly waits: 'leader' | 'all'
  /** the blocks meet when the leader knows */
  readonly meets: boolean
}

const meet = (label: string): B.Build<void> =>
  B.block(function* () {
    yield* B.run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: false })
    yield* B.run(label, { _tag: 'cluster.wait' })
  })

const copying = (
  cluster: Cluster,
  axes: ReadonlyArray<string | number>,
  mode: Mode,
  ref: Ref,
  told: Told = { waits: mode._tag === 'multicast' ? 'all' : 'leader', meets: mode._tag !== 'multicast' },
): E.Either<Failure, Program> => {
  const names = Object.keys(cluster)
  const named = axes.map((a) => (typeof a === 'number' ? names[a]! : a))
  const others = names.filter((n) => !named.includes(n))
  const groups = sizeOf(others.map((n) => cluster[n]!))
  const source = sourceShape(ref.shape, mode)
  return Pallas.kernel(
    {
      name: 'copying',
      arch: mode._tag === 'multicast' ? 'sm90a' : 'sm100a',
      cluster: Object.values(cluster),
      clusterNames: names,
    },
    function* () {
      const x = yield* B.tensorParam('x', 'u16', [groups * source[0]!, ...source.slice(1)], { role: 'in' })
      const out = yield* B.tensorParam('out', 'u16', [sizeOf(Object.values(cluster)), ...ref.shape], {
        role: 'out',
      })
      const s = yield* B.sharedMemory('s', 'u16', ref.shape, ref.transforms)
      const full = yield* Pallas.Barrier('full')
      return { x, out, s, full }
    },
    function* ({ x, out, s, full }) {
      let group: Int = i32(0)
      for (const n of others) group = add(mul(group, i32(cluster[n]!)), yield* Pallas.axisIndex(n))
      const starts = source.map((n, d) => (d === 0 ? mul(group, i32(n)) : i32(0)))
      yield* Pallas.copyGmemToSmem('copy', Pallas.at(x, starts, source), s, full, null, {
        collectiveAxes: axes,
        ...(mode._tag === 'multicast' ? {} : { leaderTracked: mode }),
      })
      const wait = Pallas.barrierWait('wait', full, null, Pallas.freshParities)
      if (told.waits === 'all') yield* wait
      else
        yield* B.ifThen('leads', eq(yield* Pallas.axisIndex(named[0]!), i32(0)), function* () {
          yield* wait
        })
      if (told.meets) yield* meet('copied')
      const v = yield* Pallas.load('read', s)
      yield* Pallas.store('write', slot(out.view, place('ctaRank')), v)
      yield* meet('end')
    },
  )
}

const inputs = (n: number): ReadonlyMap<string, Float64Array> =>
  new Map([['x', Float64Array.from({ length: n }, (_, i) => i + 1)]])

const verdictOf = (p: Program, seed = 0, strict = false): ReturnType<typeof checked> =>
  checked(
    p,
    { policy: seed === 0 ? Policy.eager : Policy.seeded(seed), strict },
    bits(p.arch === 'sm90a' ? 'hopper' : 'blackwell'),
    inputs(
      p.params.flatMap((q) =>
        q._tag === 'tensor' && q.name === 'x'
          ? [sizeOf(q.shape.map((e) => (e._tag === 'const' ? Number(e.value) : 0)))]
          : [],
      )[0]!,
    ),
  )

// ---------------------------------------------------------------- the law

const clusters: ReadonlyArray<Cluster> = [
  { c: 1 },
  { c: 2 },
  { c: 4 },
  { x: 1, y: 2 },
  { x: 2, y: 1 },
  { x: 2, y: 2 },
  { x: 1, y: 4 },
  { x: 4, y: 1 },
  { x: 2, y: 1, z: 2 },
]
/** Every non-empty choice of axes, and each of several in reverse as well. */
const choices = (cluster: Cluster): ReadonlyArray<ReadonlyArray<string>> => {
  const names = Object.keys(cluster)
  return Array.from({ length: 2 ** names.length - 1 }, (_, k) =>
    names.filter((_, d) => (((k + 1) >> d) & 1) === 1),
  ).flatMap((axes) => (axes.length > 1 ? [axes, [...axes].reverse()] : [axes]))
}

describe('which bytes, and whose barrier', () => {
  const cases = clusters.flatMap((cluster) => choices(cluster).map((axes) => ({ cluster, axes })))
  const show = ({ cluster, axes }: (typeof cases)[number]): string =>
    `${JSON.stringify(cluster)} over ${axes.join(', ')}`

  test.each(sampled(2, cases).map((c, k) => [show(c), c, k] as const))('%s', (_, { cluster, axes }, k) => {
    const some = nightly ? refs : [refs[k % refs.length]!, refs[(k + 2) % refs.length]!]
    for (const ref of some)
      for (const mode of [
        { _tag: 'multicast' },
        { _tag: 'REPLICATED' },
        ...ref.shape.map((__, axis) => ({ _tag: 'PARTITIONED', axis }) as const),
      ] as const) {
        const program = copying(cluster, axes, mode, ref)
        const refused = mode._tag === 'multicast' ? null : leaderLegal(cluster, axes)
        if (refused !== null) {
          expect(E.isLeft(program) ? program.left.code : 'accepted').toBe(refused)
          continue
        }
        const p = right(program)
        for (let seed = 0; seed < (nightly ? 5 : 1); seed++) {
          // strict: nothing is expected or arrives that nobody waits for
          const { verdict, world, machine } = verdictOf(p, seed, true)
          expect([mode, verdict.verdict, verdict.reason]).toEqual([mode, 'ok', verdict.reason])
          const expected = Array.from({ length: sizeOf(Object.values(cluster)) }, (__, rank) =>
            holds(ref.shape, mode, standing(cluster, axes, rank)),
          ).flat()
          expect([...readTensor(world, machine, 'out')!]).toEqual(expected)
        }
      }
  })
  test('axes by place are axes by name', () => {
    const cluster = { x: 2, y: 2 }
    for (const [places, names] of [
      [[0], ['x']],
      [[1], ['y']],
      [
        [1, 0],
        ['y', 'x'],
      ],
    ] as const)
      expect(copying(cluster, places, { _tag: 'multicast' }, refs[0]!)).toEqual(
        copying(cluster, names, { _tag: 'multicast' }, refs[0]!),
      )
  })
  test('the older spelling is the newer one, statement for statement', () => {
    const of = (options: Pallas.CopyOptions): E.Either<Failure, Program> =>
      Pallas.kernel(
        { name: 'spelled', arch: 'sm100a', cluster: [2], clusterNames: ['c'] },
        function* () {
          const x = yield* B.tensorParam('x', 'f16', [128, 64], { role: 'in' })
          const s = yield* B.sharedMemory('s', 'f16', [64, 64], tiled(128))
          const full = yield* Pallas.Barrier('full')
          return { x, s, full }
        },
        function* ({ x, s, full }) {
          const whole = Pallas.at(x, [i32(0), i32(0)], [128, 64])
          yield* Pallas.copyGmemToSmem('copy', whole, s, full, null, { collectiveAxes: 'c', ...options })
          yield* meet('end')
        },
      )
    expect(of({ partitionedAxis: 0 })).toEqual(of({ leaderTracked: Pallas.CopyPartition.PARTITIONED(0) }))
    expect(E.isRight(of({ partitionedAxis: 0 }))).toBe(true)
  })
})

describe('parts', () => {
  test('law 1: the parts partition the slice, in runs; nothing is cut that need not be', () => {
    for (const shape of [
      [8, 1, 8, 64],
      [1, 1, 8, 64],
      [2, 1, 1, 8, 64],
      [3, 8],
      [4, 6],
      [2, 3, 4],
      [1, 1],
      [6],
    ])
      for (const count of [1, 2, 3, 4, 8, 16])
        for (const swizzled of [false, true]) {
          const cuts = cutsOf(shape, count, swizzled)
          if (cuts === null) continue
          expect(sizeOf(cuts)).toBe(count)
          if (swizzled) expect(cuts[cuts.length - 1]).toBe(1)
          // part i, in the order of the parts, is run i of the row-major slice
          const box = shape.map((n, d) => n / cuts[d]!)
          expect(box.every(Number.isInteger)).toBe(true)
          const positions = Array.from({ length: count }, (_, i) => coordinates(cuts, i)).flatMap((part) =>
            Array.from({ length: sizeOf(box) }, (_, k) =>
              linearIn(
                shape,
                coordinates(box, k).map((x, d) => x + part[d]! * box[d]!),
              ),
            ),
          )
          expect(positions).toEqual(positions.map((_, k) => k))
        }
  })
  test('by hand', () => {
    expect(cutsOf([8, 1, 8, 64], 4, true)).toEqual([4, 1, 1, 1])
    expect(cutsOf([1, 1, 8, 64], 4, true)).toEqual([1, 1, 4, 1])
    expect(cutsOf([2, 1, 1, 8, 64], 4, true)).toEqual([2, 1, 1, 2, 1])
    expect(cutsOf([1, 64], 2, true)).toBeNull()
    expect(cutsOf([1, 64], 2, false)).toEqual([1, 2])
    expect(cutsOf([3, 8], 2, false)).toBeNull()
  })
})

// ---------------------------------------------------------------- forgetting

const change = (p: Program, f: (s: Stmt) => Stmt): Program => {
  const region = (r: Region): Region => ({
    ...r,
    body: r.body.map((s) => (s._tag === 'If' ? { ...s, then: region(s.then), else: region(s.else) } : f(s))),
  })
  return { ...p, entry: region(p.entry) }
}
const pair: Cluster = { c: 2 }
const modes = [
  { _tag: 'PARTITIONED', axis: 0 },
  { _tag: 'PARTITIONED', axis: 1 },
  { _tag: 'REPLICATED' },
] as const

/** the verdict, and the ids of what was found */
const found = (p: Program, strict = false): readonly [string, ...string[]] => {
  const { verdict } = verdictOf(p, 0, strict)
  return [verdict.verdict, ...new Set(verdict.findings.map((f) => f.id))]
}

describe('forgetting that the leader hears alone', () => {
  const expecting = (p: Program, bytes: number | null): Program =>
    change(p, (s) => {
      if (s._tag !== 'Do' || s.instruction._tag !== 'mbarrier.arriveExpectTx') return s
      return bytes === null
        ? { _tag: 'Do', results: s.results, instruction: s.instruction, site: s.site }
        : { ...s, instruction: { ...s.instruction, bytes: i32(bytes) } }
    })
  test.each(modes)('the other block waits for its own barrier: for ever (%o)', (mode) => {
    const p = right(copying(pair, ['c'], mode, refs[0]!, { waits: 'all', meets: true }))
    expect(found(p)[0]).toBe('deadlock')
  })
  test.each(modes)('both expect: bytes of the other block never come (%o)', (mode) => {
    // nobody waits for them: what is left over is a finding of the contract
    const left = expecting(right(copying(pair, ['c'], mode, refs[0]!)), null)
    expect([found(left), found(left, true)]).toEqual([['ok'], ['hazard', 'U1']])
    const both = right(copying(pair, ['c'], mode, refs[0]!, { waits: 'all', meets: true }))
    expect(found(expecting(both, null))[0]).toBe('deadlock')
  })
  test.each(modes)('the leader expects the bytes of its own part (%o)', (mode) => {
    const p = expecting(right(copying(pair, ['c'], mode, refs[0]!)), 1024)
    const [verdict, ...ids] = found(p)
    // too early (R3), or bytes beyond those expected (B3): which comes first is the schedule's
    expect([verdict, ids.includes('R3'), ids.includes('B3')]).toEqual(['hazard', true, true])
  })
  test.each(modes)('the other block reads before the leader knows (%o)', (mode) => {
    const p = right(copying(pair, ['c'], mode, refs[0]!, { waits: 'leader', meets: false }))
    const [verdict, ...ids] = found(p)
    expect([verdict, ids.includes('P4')]).toEqual(['hazard', true])
  })
  test('a multicast of which one block does not wait', () => {
    const p = right(copying(pair, ['c'], { _tag: 'multicast' }, refs[0]!, { waits: 'leader', meets: false }))
    const [verdict, ...ids] = found(p)
    expect([verdict, ids.includes('R1')]).toEqual(['hazard', true])
  })
})

// ---------------------------------------------------------------- overwriting

describe('overwriting what another block may still read', () => {
  /** Two rounds through one ref: every block reads before any may copy to it again. */
  const rounds = (knows: 'a cluster barrier' | 'its own barrier' | 'nobody'): Program =>
    right(
      Pallas.kernel(
        { name: 'rounds', arch: 'sm90a', cluster: [2], clusterNames: ['c'] },
        function* () {
          const x = yield* B.tensorParam('x', 'u16', [16, 64], { role: 'in' })
          const out = yield* B.tensorParam('out', 'u16', [2, 16, 64], { role: 'out' })
          const s = yield* B.sharedMemory('s', 'u16', [8, 64])
          const full = yield* Pallas.Barrier('full')
          const consumed =
            knows === 'a cluster barrier'
              ? yield* Pallas.ClusterBarrier('consumed', { collectiveAxes: ['c'] })
              : yield* Pallas.Barrier('consumed')
          return { x, out, s, full, consumed }
        },
        function* ({ x, out, s, full, consumed }) {
          let parities = Pallas.freshParities
          for (const round of [0, 1]) {
            const from = Pallas.at(x, [i32(8 * round), i32(0)], [8, 64])
            yield* Pallas.copyGmemToSmem(`copy ${String(round)}`, from, s, full, null, {
              collectiveAxes: 'c',
            })
            parities = yield* Pallas.barrierWait(`wait ${String(round)}`, full, null, parities)
            const v = yield* Pallas.load(`read ${String(round)}`, s)
            const to = slice(slot(out.view, place('ctaRank')), [i32(8 * round), i32(0)], [8, 64])
            yield* Pallas.store(`write ${String(round)}`, to, v)
            if (round === 1 || knows === 'nobody') continue
            yield* Pallas.barrierArrive('arrive', consumed, null)
            yield* Pallas.barrierWait('consumed', consumed, null, Pallas.freshParities)
          }
          yield* meet('end')
        },
      ),
    )
  test('needs the word of every block', () => {
    const ok = verdictOf(rounds('a cluster barrier'))
    expect([ok.verdict.verdict, ok.verdict.reason]).toEqual(['ok', ok.verdict.reason])
    const x = Array.from({ length: 1024 }, (_, i) => i + 1)
    expect([...readTensor(ok.world, ok.machine, 'out')!]).toEqual([...x, ...x])
    for (const knows of ['its own barrier', 'nobody'] as const)
      expect([knows, found(rounds(knows))[0]]).toEqual([knows, 'hazard'])
  })
})
