/**
 * The forms of the operations that the rows leave out: several agents, several CTAs, parts of products, attributes.
 *
 * Oracles: products by plain loops; the layouts of the encodings; small kernels whose outputs are worked by hand.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import { basesOf } from '../../../src/layouts/linear/linear-layout.js'
import { encoding, type TensorMemorySpec } from '../../../src/layouts/triton/encoding.js'
import { messages } from '../../../src/layouts/triton/tma-message.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { toRef } from '../../../src/layouts/triton/to-ref.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import type { Agent, Program } from '../../../src/semantics/language/program.js'
import * as Ref from '../../../src/transforms/ref.js'
import { wrongWith, type Example } from '../coverage/row.js'
import {
  accumulatorEncoding,
  barrier,
  buffer,
  from,
  mma,
  nvmma,
  origin,
  rowPerLane,
  thread,
  zeros,
  type Surface,
} from '../coverage/ttng/operations.js'
import { numbers, product } from '../coverage/pallas/wgmma.js'
import { statementsOf } from '../pallas/programs.js'
import { right } from '../../either.js'

const holds = (example: Example<Surface>): void => {
  expect(wrongWith(example, Ttng)).toBeNull()
}
const kernel = (
  name: string,
  arch: 'sm90a' | 'sm100a',
  body: () => B.Steps<void>,
  more: Omit<Example<Surface>, 'name' | 'program'>,
  options: { readonly cluster?: number; readonly agents?: ReadonlyArray<Agent> } = {},
): Example<Surface> => ({
  name,
  ...more,
  program: () =>
    B.kernel(
      {
        name,
        arch,
        agents: options.agents ?? [thread],
        ...(options.cluster === undefined ? {} : { grid: [options.cluster], cluster: [options.cluster] }),
      },
      body,
    ),
})
const tags = (program: Program): ReadonlyArray<string> =>
  statementsOf(program.entry).flatMap((s) => (s._tag === 'Do' ? [s.instruction._tag] : []))

// ---------------------------------------------------------------- tables

describe('enumerations', () => {
  test('law 1: a name and its number are one, and there is nothing else', () => {
    for (const table of [
      Ttng.CacheModifier,
      Ttng.EvictionPolicy,
      Ttng.DescriptorReduceKind,
      Ttng.ScaleDotElemType,
      Ttng.InputPrecision,
      Ttng.TensorMode,
      Ttng.TMEMLoadReduceModifier,
      Ttng.TensorMemoryScalesBlockRepOrder,
      Ttng.TensormapElemType,
      Ttng.TensormapInterleave,
      Ttng.TensormapSwizzle,
      Ttng.TensormapFill,
    ]) {
      for (const [name, number] of Object.entries(table)) {
        expect(Ttng.nameOf(table, number)).toBe(name)
        expect(Ttng.nameOf(table, name)).toBe(name)
      }
      for (const other of [-1, 16, 'toString', '']) expect(Ttng.nameOf(table, other)).toBeNull()
    }
    // the numbers of the page
    expect(Ttng.nameOf(Ttng.DescriptorReduceKind, 0)).toBeNull()
    expect(Ttng.EvictionPolicy.evict_first).toBe(2)
    expect(Ttng.ScaleDotElemType.e2m1).toBe(4)
  })
})

describe('clusters', () => {
  /** Of an expression over the rank. */
  const value = (e: ExprNode, rank: number): number => {
    if (e._tag === 'const') return Number(e.value)
    if (e._tag === 'place') return rank
    if (e._tag === 'compare') return (value(e.x, rank) === value(e.y, rank)) === (e.op === 'eq') ? 1 : 0
    if (e._tag === 'select') return value(e.cond, rank) === 1 ? value(e.x, rank) : value(e.y, rank)
    if (e._tag !== 'binary') throw new Error(e._tag)
    const [x, y] = [value(e.x, rank), value(e.y, rank)]
    if (e.op === 'and') return x & y
    if (e.op === 'or') return x | y
    if (e.op === 'shl') return x << y
    if (e.op === 'add') return x + y
    throw new Error(e.op)
  }
  test('laws 1 and 2: exhaustive over which of three bits of a rank are shared', () => {
    for (let bits = 0; bits < 8; bits++) {
      const covered = new Set<number>()
      for (let rank = 0; rank < 8; rank++) {
        const lead = value(Ttng.leadOf(bits), rank)
        expect(value(Ttng.leadOf(bits), lead)).toBe(lead)
        const mask = value(Ttng.groupMask(bits), rank)
        expect((mask >> rank) & 1).toBe(1)
        expect(31 - Math.clz32(mask & -mask)).toBe(lead)
        // the ranks that differ in these bits at most
        for (let other = 0; other < 8; other++)
          expect((mask >> other) & 1).toBe((other ^ rank) & ~bits ? 0 : 1)
        const leads = Ttng.isLead(bits)
        expect(leads === undefined ? 1 : value(leads, rank)).toBe(lead === rank ? 1 : 0)
        if (lead === rank) for (let other = 0; other < 8; other++) if ((mask >> other) & 1) covered.add(other)
      }
      expect(covered.size).toBe(8)
    }
  })
  test('shares, by hand: rows of a block over bit 1, columns over bit 0', () => {
    const cga = [
      [0, 1],
      [1, 0],
    ]
    const at = (d: number): ReadonlyArray<number> =>
      [0, 1, 2, 3].map((rank) => {
        const start = Ttng.shareStart(cga, d, d === 0 ? 64 : 16)
        return start === null ? 0 : value(start, rank)
      })
    expect(at(0)).toEqual([0, 0, 64, 64])
    expect(at(1)).toEqual([0, 16, 0, 16])
  })
})

// ---------------------------------------------------------------- layouts

describe('buffers', () => {
  const cases = [
    [128, 16, [64, 128]],
    [128, 16, [64, 64]],
    [64, 16, [128, 64]],
    [32, 8, [16, 64]],
    [32, 32, [512, 16]],
    [0, 16, [64, 64]],
    [0, 16, [512, 64]],
  ] as const
  test.each(cases)('law 1: messages of W = %i, %i bits, %j', (width, bits, shape) => {
    const ref = right(toRef(nvmma(width, bits), shape, bits))
    const found = E.getOrElse<string, ReadonlyArray<Ttng.Message>>(() => [])(Ttng.messagesOf(ref))
    const spec = right(encoding(nvmma(width, bits)))
    const expected = right(messages(spec, shape))
    expect(found[0]!.sizes).toEqual(expected.box)
    const corners = basesOf(expected.corner, 'msg')
    expect(found).toHaveLength(2 ** corners.length)
    corners.forEach((basis, bit) => {
      expect(found[2 ** bit]!.starts).toEqual(basis)
    })
    for (const { starts, sizes } of found) {
      const part = right(Ref.slice(starts, sizes)(ref))
      expect([...Ref.elementOffsets(part)]).toEqual(
        Array.from({ length: sizes[0]! * sizes[1]! }, (_, i) => i),
      )
    }
  })
  const memories: ReadonlyArray<readonly [TensorMemorySpec, readonly [number, number], number]> = [
    [accumulatorEncoding(32), [128, 32], 32],
    [accumulatorEncoding(32), [256, 64], 32],
    [{ ...accumulatorEncoding(32), colStride: 2 }, [128, 32], 16],
    [{ ...accumulatorEncoding(32), blockM: 64 }, [64, 32], 32],
    [{ ...accumulatorEncoding(32), blockM: 64 }, [128, 32], 32],
    [{ _tag: 'tensor_memory_scales' }, [128, 8], 8],
  ]
  test.each(memories)('tensor memory law 1: %j on %j', (spec, shape, bits) => {
    const layout = right(toRef(spec, shape, bits))
    const found = Ttng.memoryOf({
      _tag: 'view',
      space: 'tmem',
      dtype: bits === 8 ? 'u8' : bits === 16 ? 'f16' : 'f32',
      layout,
    })
    const expected = right(onShape(spec)(shape))
    // a copy in further lanes is the view's first one only
    const rows = basesOf(expected, 'row').map((b, k) =>
      spec._tag === 'tensor_memory_scales' && k > 4 ? [0, 0] : b,
    )
    expect(found?.inputs.find(({ name }) => name === 'row')?.bases).toEqual(rows)
    const columns = basesOf(expected, 'col')
    expect(found?.inputs.find(({ name }) => name === 'col')?.bases).toEqual(columns)
  })
})

// ---------------------------------------------------------------- who issues

const [m, n, k] = [64, 16, 16] as const
const a = numbers(m, k, 0)
const b = numbers(k, n, 1)

describe('partitions', () => {
  const agents = [B.warpgroup('first', 0), B.warpgroup('second', 1)]
  const wide = numbers(64, 128, 2)
  /** Two agents copy two panels and write back a half each. */
  const body = (who: Ttng.Issuer) =>
    function* (): Generator<B.Step, void, B.State> {
      const source = yield* B.tensorParam('source', 'f16', [64, 128], { role: 'in' })
      const out = yield* B.tensorParam('out', 'f16', [64, 128], { role: 'out' })
      const inDesc = yield* Ttng.hostTensorDescriptor('in_desc', source, [64, 128], nvmma(128))
      const outDesc = yield* Ttng.hostTensorDescriptor('out_desc', out, [64, 128], nvmma(128))
      const x = yield* buffer('x', 'f16', [64, 128], nvmma(128))
      const full = yield* barrier('full')
      yield* Ttng.initBarrier('init', full, 1, { from: who })
      yield* Ttng.barrierExpect('expect', full, 2 * 64 * 128, { from: who })
      yield* Ttng.asyncTmaCopyGlobalToLocal('load', inDesc, origin, x, full, { from: who })
      yield* Ttng.waitBarrier('wait', full, X.i32(0), { from: who })
      yield* Ttng.asyncTmaCopyLocalToGlobal('store', outDesc, origin, x, { from: who })
      yield* Ttng.asyncTmaStoreWait('wait store', 0)
    }
  const example = (count: 1 | 2): Example<Surface> =>
    kernel(
      `${String(count)} agents`,
      'sm90a',
      body({ agents: agents.slice(0, count) }),
      { inputs: { source: wide }, outputs: { out: wide } },
      { agents: agents.slice(0, count) },
    )
  test('a copy of two panels, by one agent or two', () => {
    holds(example(1))
    holds(example(2))
  })
  test('law 1: nothing is added for one agent; for two, one meeting before the arrival', () => {
    const [one, two] = ([1, 2] as const).map((count) => right(example(count).program(Ttng)))
    expect(tags(one!)).toEqual([
      'mbarrier.init',
      'mbarrier.arriveExpectTx',
      'tma.load',
      'tma.load',
      'mbarrier.wait',
      'tma.store',
      'tma.store',
      'bulk.commitGroup',
      'bulk.waitGroup',
    ])
    expect(statementsOf(one!.entry).every((s) => s._tag !== 'Do' || s.when === undefined)).toBe(true)
    expect(tags(two!).filter((tag) => tag === 'bar.sync')).toHaveLength(1)
    // which agent loads which panel: by its first warp
    const loaders = statementsOf(two!.entry).flatMap((s) =>
      s._tag === 'Do' && s.instruction._tag === 'tma.load' ? [s.when] : [],
    )
    expect(loaders).toEqual([0, 4].map((warp) => X.eq(X.place('warp'), X.i32(warp))))
  })
})

test('rows of two panels: gathered and scattered a panel at a time', () => {
  const table = numbers(8, 32, 2)
  const picked = [5, 0, 7, 7, 2, 1, 3, 4]
  holds(
    kernel(
      'panels of rows',
      'sm100a',
      function* () {
        const rows = yield* B.tensorParam('rows', 'i32', [8], { role: 'in' })
        const source = yield* B.tensorParam('table', 'f16', [8, 32], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f16', [8, 32], { role: 'out' })
        const inDesc = yield* B.descriptorParam('in_desc', source, [1, 16], { swizzle: 32 })
        const outDesc = yield* B.descriptorParam('out_desc', out, [1, 16], { swizzle: 32 })
        const x = yield* buffer('x', 'f16', [8, 32], nvmma(32))
        const full = yield* barrier('full')
        yield* Ttng.initBarrier('init', full, 1)
        const offsets = yield* B.gmemLoad('rows', rows.view)
        yield* Ttng.barrierExpect('expect', full, 2 * 8 * 32)
        yield* Ttng.asyncTmaGather('gather', inDesc, offsets, X.i32(0), x, full)
        yield* Ttng.waitBarrier('wait', full, X.i32(0))
        yield* Ttng.asyncTmaScatter('scatter', outDesc, X.iota<1>([8], 0), X.i32(0), x)
        yield* Ttng.asyncTmaStoreWait('wait scatter', 0, { readOnly: false })
      },
      {
        inputs: { rows: picked, table },
        outputs: { out: picked.flatMap((r) => table.slice(32 * r, 32 * r + 32)) },
      },
    ),
  )
})

// ---------------------------------------------------------------- several CTAs

describe('two CTAs', () => {
  const two: Ttng.Issuer = { agents: [thread], numCtas: 2 }
  const meet = function* (label: string): Generator<B.Step, void, B.State> {
    yield* Ttng.clusterArrive(`${label} arrive`, { from: two })
    yield* Ttng.clusterWait(`${label} wait`, { from: two })
  }
  /** Both halves of a table, each to a CTA, on one barrier that the lead waits for. */
  test('the lead rule: expected by both, completed by both, waited for by one', () => {
    const table = numbers(128, 16, 3)
    holds(
      kernel(
        'lead',
        'sm100a',
        function* () {
          const source = yield* B.tensorParam('source', 'f16', [128, 16], { role: 'in' })
          const out = yield* B.tensorParam('out', 'f16', [128, 16], { role: 'out' })
          const desc = yield* Ttng.hostTensorDescriptor('desc', source, [64, 16], nvmma(32))
          const x = yield* buffer('x', 'f16', [64, 16], nvmma(32))
          const full = yield* barrier('full')
          const shared = { from: two, layout: [[0]] }
          yield* Ttng.initBarrier('init', full, 1, shared)
          yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
          yield* meet('initialised')
          yield* Ttng.barrierExpect('expect', full, 2 * 64 * 16, shared)
          yield* Ttng.asyncTmaCopyGlobalToLocal('load', desc, origin, x, full, { ...shared, cga: [[1, 0]] })
          yield* Ttng.waitBarrier('wait', full, X.i32(0), shared)
          yield* meet('loaded')
          const value = yield* B.smemLoad('x', x)
          yield* B.run('out', {
            _tag: 'gmem.store',
            destination: X.slice(out.view, [X.mul(X.place('ctaRank'), X.i32(64)), X.i32(0)], [64, 16]),
            value,
          })
        },
        { inputs: { source: table }, outputs: { out: table } },
        { cluster: 2 },
      ),
    )
  })
  test('multicast: one load, both have it, each barrier hears of its own', () => {
    const table = numbers(64, 16, 3)
    const example = kernel(
      'multicast',
      'sm90a',
      function* () {
        const source = yield* B.tensorParam('source', 'f16', [64, 16], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f16', [128, 16], { role: 'out' })
        const desc = yield* Ttng.hostTensorDescriptor('desc', source, [64, 16], nvmma(32))
        const x = yield* buffer('x', 'f16', [64, 16], nvmma(32))
        const full = yield* barrier('full')
        yield* Ttng.initBarrier('init', full, 1, { from: two })
        yield* Ttng.barrierExpect('expect', full, 2 * 64 * 16, { from: two })
        yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
        yield* meet('initialised')
        yield* Ttng.asyncTmaCopyGlobalToLocal('load', desc, origin, x, full, {
          from: two,
          multicast: true,
          cga: [[0, 0]],
        })
        yield* Ttng.waitBarrier('wait', full, X.i32(0), { from: two })
        const value = yield* B.smemLoad('x', x)
        yield* B.run('out', {
          _tag: 'gmem.store',
          destination: X.slice(out.view, [X.mul(X.place('ctaRank'), X.i32(64)), X.i32(0)], [64, 16]),
          value,
        })
        yield* meet('end')
      },
      { inputs: { source: table }, outputs: { out: [...table, ...table] } },
      { cluster: 2 },
    )
    holds(example)
  })

  /** A of 256 rows, half in each CTA; B of 32 columns, half in each. */
  const pair = (form: 'sync' | 'async' | 'commit'): Example<Surface> => {
    const tall = numbers(256, k, 0)
    const wide = numbers(k, 32, 1)
    return kernel(
      `pair, ${form}`,
      'sm100a',
      function* () {
        const aGmem = yield* B.tensorParam('a', 'f16', [256, k], { role: 'in' })
        const bGmem = yield* B.tensorParam('b', 'f16', [k, 32], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [256, 32], { role: 'out' })
        const x = yield* buffer('x', 'f16', [128, k], nvmma(32))
        const y = yield* buffer('y', 'f16', [k, 16], nvmma(32))
        const layout = yield* rowPerLane(32)
        const done = yield* barrier('done')
        const rank = X.place('ctaRank')
        yield* Ttng.initBarrier('init', done, 1, { from: two })
        yield* B.run('publish', { _tag: 'fence.mbarrierInit' })
        yield* Ttng.tcgen5GlobalAlloc('tensor memory', 32, { from: two, twoCtas: true })
        const rows = X.mul(rank, X.i32(128))
        const left = yield* B.gmemLoad('a', X.slice(aGmem.view, [rows, X.i32(0)], [128, k]))
        const columns = yield* B.gmemLoad(
          'b',
          X.slice(bGmem.view, [X.i32(0), X.mul(rank, X.i32(16))], [k, 16]),
        )
        yield* B.run('x', { _tag: 'smem.store', destination: x, value: left })
        yield* B.run('y', { _tag: 'smem.store', destination: y, value: columns })
        yield* Ttng.fenceAsyncShared('fence', { bCluster: true })
        yield* meet('stored')
        const { result: acc } = yield* Ttng.tmemAlloc('acc', 'f32', [128, 32], {
          encoding: { ...accumulatorEncoding(32), twoCTAs: true },
        })
        yield* Ttng.tcGen5Mma('mma', x, y, acc, X.i1(false), {
          from: two,
          twoCtas: true,
          isAsync: form !== 'sync',
          barriers: form === 'async' ? [{ barrier: done }] : [],
          cga: { a: [[1, 0]], b: [[0, 1]], d: [[1, 0]] },
        })
        if (form === 'commit') yield* Ttng.tcGen5Commit('commit', done, { from: two, twoCtas: true })
        if (form !== 'sync') yield* Ttng.waitBarrier('wait', done, X.i32(0), { from: two })
        const { result: d } = yield* Ttng.tmemLoad('d', acc, layout, { from: two })
        yield* B.run('out', {
          _tag: 'gmem.store',
          destination: X.slice(out.view, [rows, X.i32(0)], [128, 32]),
          value: d,
        })
        yield* meet('end')
        yield* Ttng.tcgen5GlobalDealloc('free', 32, { from: two, twoCtas: true })
      },
      { inputs: { a: tall, b: wide }, outputs: { out: product(tall, wide, [256, 32, k]) } },
      { cluster: 2 },
    )
  }
  test.each(['sync', 'async', 'commit'] as const)('a product of a pair: %s', (form) => {
    holds(pair(form))
  })
})

// ---------------------------------------------------------------- products of a warpgroup

describe('warp_group_dot', () => {
  const dot = (
    name: string,
    body: (
      x: X.View<'smem', 'f16', 2>,
      y: X.View<'smem', 'f16', 2>,
      layout: LinearLayout,
    ) => B.Steps<X.Tile<'f32', 2>>,
    out: ReadonlyArray<number>,
    ids: ReadonlyArray<string> = [],
  ): Example<Surface> =>
    kernel(
      name,
      'sm90a',
      function* () {
        const aGmem = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
        const bGmem = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
        const target = yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' })
        const x = yield* buffer('x', 'f16', [m, k], nvmma(32))
        const y = yield* buffer('y', 'f16', [k, n], nvmma(32))
        yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
        yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
        yield* Ttng.fenceAsyncShared('fence')
        const value = yield* body(x, y, yield* mma(n))
        yield* B.run('out', { _tag: 'gmem.store', destination: target.view, value })
      },
      ids.length > 0 ? { inputs: { a, b }, verdict: 'hazard', ids } : { inputs: { a, b }, outputs: { out } },
    )
  const once = product(a, b, [m, n, k])
  const ones = (layout: LinearLayout): X.Tile<'f32', 2> =>
    X.splat<'f32', 2>(X.float('f32', 1), [m, n], layout)

  test('synchronous, with and without c', () => {
    holds(
      dot(
        'sync',
        function* (x, y, layout) {
          return yield* Ttng.warpGroupDot('dot', x, y, ones(layout), { from, layout })
        },
        once.map((v) => v + 1),
      ),
    )
    holds(
      dot(
        'useC false',
        function* (x, y, layout) {
          return yield* Ttng.warpGroupDot('dot', x, y, ones(layout), { from, layout, useC: X.i1(false) })
        },
        once,
      ),
    )
  })
  test('A in registers', () => {
    holds(
      dot(
        'registers',
        function* (x, y, layout) {
          const operand = right(
            onShape({
              _tag: 'dot_operand',
              opIdx: 0,
              kWidth: 2,
              parent: { _tag: 'nvidia_mma', versionMajor: 3, instrShape: [16, n, 16], warpsPerCTA: [4, 1] },
            })([m, k]),
          )
          const left = yield* B.smemLoad('left', x, { layout: operand })
          const d = yield* Ttng.warpGroupDot('dot', left, y, zeros([m, n], layout), { from, isAsync: true })
          const [value] = yield* Ttng.warpGroupDotWait('wait', [d], { pendings: 0, layout })
          return value!
        },
        once,
      ),
    )
  })
  test('a result that is read with products still running is a hazard', () => {
    holds(
      dot(
        'early',
        function* (x, y, layout) {
          const d = yield* Ttng.warpGroupDot('dot', x, y, zeros([m, n], layout), { from, isAsync: true })
          const [value] = yield* Ttng.warpGroupDotWait('wait', [d], { pendings: 1, layout })
          yield* Ttng.warpGroupDotWait('wait all', [d], { pendings: 0 })
          return value!
        },
        once,
        ['M1'],
      ),
    )
  })
  test('maxNumImpreciseAcc: parts of 32 of K, each summed in f32', () => {
    const deep = 64
    const left = numbers(m, deep, 0)
    const other = numbers(n * 2, deep, 1)
    const transposed = Array.from(
      { length: deep * n * 2 },
      (_, at) => other[(at % (n * 2)) * deep + Math.floor(at / (n * 2))]!,
    )
    const counts: number[] = []
    for (const [limit, parts] of [
      [32, 2],
      [64, 1],
      [128, 1],
    ] as const) {
      const example = kernel(
        `parts ${String(limit)}`,
        'sm90a',
        function* () {
          const aGmem = yield* B.tensorParam('a', 'e4m3', [m, deep], { role: 'in' })
          const bGmem = yield* B.tensorParam('b', 'e4m3', [n * 2, deep], { role: 'in' })
          const target = yield* B.tensorParam('out', 'f32', [m, n * 2], { role: 'out' })
          const x = yield* buffer('x', 'e4m3', [m, deep], nvmma(32, 8))
          const y = yield* buffer('y', 'e4m3', [n * 2, deep], nvmma(32, 8))
          yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
          yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
          yield* Ttng.fenceAsyncShared('fence')
          const layout = yield* mma(n * 2)
          const value = yield* Ttng.warpGroupDot(
            'dot',
            x,
            X.transposeView(y, [1, 0]),
            zeros([m, n * 2], layout),
            {
              from,
              layout,
              maxNumImpreciseAcc: limit,
            },
          )
          yield* B.run('out', { _tag: 'gmem.store', destination: target.view, value })
        },
        { inputs: { a: left, b: other }, outputs: { out: product(left, transposed, [m, n * 2, deep]) } },
      )
      holds(example)
      counts.push(tags(right(example.program(Ttng))).filter((tag) => tag === 'wgmma.mma').length - parts)
    }
    expect(counts).toEqual([0, 0, 0])
  })
})

// ---------------------------------------------------------------- products in tensor memory

describe('tc_gen5_mma', () => {
  /** D = A B, of `rows` rows; the predicates say which barriers hear. */
  const dense = (
    rows: number,
    form: 'sync' | 'skipped' | 'barriers',
    red?: 'min' | 'max',
  ): Example<Surface> => {
    const tall = numbers(rows, k, 0)
    const expected = product(tall, b, [rows, n, k])
    const rowsOf = (list: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
      Array.from({ length: rows }, (_, i) => list.slice(i * n, i * n + n))
    return kernel(
      `${String(rows)} rows, ${form}`,
      'sm100a',
      function* () {
        const aGmem = yield* B.tensorParam('a', 'f16', [rows, k], { role: 'in' })
        const bGmem = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
        const target = yield* B.tensorParam('out', 'f32', red === undefined ? [rows, n] : [rows], {
          role: 'out',
        })
        const x = yield* buffer('x', 'f16', [rows, k], nvmma(32))
        const y = yield* buffer('y', 'f16', [k, n], nvmma(32))
        const [yes, no] = [yield* barrier('yes'), yield* barrier('no')]
        yield* Ttng.initBarrier('init yes', yes, 1)
        yield* Ttng.initBarrier('init no', no, 1)
        yield* Ttng.tcgen5GlobalAlloc('tensor memory', 32)
        yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
        yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
        yield* Ttng.fenceAsyncShared('fence')
        const { result: acc } = yield* Ttng.tmemAlloc('acc', 'f32', [rows, n], {
          encoding: { ...accumulatorEncoding(n), blockM: rows === 64 ? 64 : 128 },
        })
        if (form === 'sync') {
          // each time round the barrier of the operation is made anew
          yield* B.forRange({ label: 'twice', from: X.i32(0), to: X.i32(2) }, function* () {
            yield* Ttng.tcGen5Mma('mma', x, y, acc, X.i1(false))
          })
        } else {
          yield* Ttng.tcGen5Mma('mma', x, y, acc, X.i1(false), {
            isAsync: true,
            barriers: [{ barrier: yes }, { barrier: no, when: X.i1(false) }],
          })
          if (form === 'skipped')
            yield* Ttng.tcGen5Mma('no mma', x, y, acc, X.i1(true), {
              isAsync: true,
              when: X.i1(false),
              barriers: [{ barrier: no }],
            })
          yield* Ttng.waitBarrier('wait yes', yes, X.i32(0))
          // nobody has come here
          yield* Ttng.waitBarrier('wait no', no, X.i32(1))
        }
        for (let from128 = 0; from128 < rows; from128 += 128) {
          const high = Math.min(128, rows)
          const part = rows > 128 ? X.slice(acc, [X.i32(from128), X.i32(0)], [high, n]) : acc
          const layout = right(
            onShape(
              rows === 64
                ? { _tag: 'nvidia_mma', versionMajor: 3, instrShape: [16, n, 16], warpsPerCTA: [4, 1] }
                : {
                    _tag: 'blocked',
                    sizePerThread: [1, n],
                    threadsPerWarp: [32, 1],
                    warpsPerCTA: [4, 1],
                    order: [0, 1],
                  },
            )([high, n]),
          )
          const loaded = yield* Ttng.tmemLoad(`d${String(from128)}`, part, layout, {
            from,
            ...(red === undefined ? {} : { redOp: red, abs: true }),
          })
          yield* B.run(`out ${String(from128)}`, {
            _tag: 'gmem.store',
            destination:
              red === undefined
                ? X.slice(target.view, [X.i32(from128), X.i32(0)], [high, n])
                : X.slice(target.view, [X.i32(from128)], [high]),
            value: loaded.red ?? loaded.result,
          })
        }
        yield* Ttng.tcgen5GlobalDealloc('free', 32)
      },
      {
        inputs: { a: tall, b },
        outputs: {
          out: red === undefined ? expected : rowsOf(expected).map((row) => Math[red](...row.map(Math.abs))),
        },
      },
    )
  }
  test.each([
    [128, 'sync'],
    [128, 'skipped'],
    [64, 'barriers'],
    [256, 'barriers'],
  ] as const)('%i rows, %s', (rows, form) => {
    holds(dense(rows, form))
  })
  test.each(['min', 'max'] as const)('a load with the %s of each row', (red) => {
    holds(dense(128, 'barriers', red))
  })
  test('256 rows are two instructions, and the barriers come behind the second', () => {
    const made = statementsOf(right(dense(256, 'barriers').program(Ttng)).entry).flatMap((s) =>
      s._tag === 'Do' && s.instruction._tag === 'tcgen05.mma' ? [s.instruction.completions.length] : [],
    )
    expect(made).toEqual([0, 2])
  })
})

// ---------------------------------------------------------------- two elements to a byte

const e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6] as const

test('tc_gen5_mma_scaled of e2m1, two to a byte, with a factor of e4m3 for 16 of K', () => {
  const [rows, columns, deep] = [128, 128, 64] as const
  const coded = (seed: number): ReadonlyArray<number> =>
    Array.from({ length: rows * deep }, (_, i) => (i * (3 + seed) + Math.floor(i / deep) * 5) % 16)
  const packed = (codes: ReadonlyArray<number>): ReadonlyArray<number> =>
    Array.from({ length: codes.length / 2 }, (_, i) => codes[2 * i]! + 16 * codes[2 * i + 1]!)
  const factors = (seed: number): ReadonlyArray<number> =>
    Array.from({ length: 512 }, (_, i) => [0.5, 1, 2, 3][(i * (1 + seed)) % 4]!)
  const [ca, cb, sa, sb] = [coded(0), coded(1), factors(0), factors(2)]
  const scaleAt = (list: ReadonlyArray<number>, x: number, j: number): number =>
    list[16 * (x % 32) + 4 * Math.floor(x / 32) + j]!
  const out = Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns]
    let sum = 0
    for (let x = 0; x < deep; x++)
      sum +=
        e2m1[ca[i * deep + x]!]! *
        scaleAt(sa, i, Math.floor(x / 16)) *
        e2m1[cb[j * deep + x]!]! *
        scaleAt(sb, j, Math.floor(x / 16))
    return sum + 0
  })
  holds(
    kernel(
      'two to a byte',
      'sm100a',
      function* () {
        const aGmem = yield* B.tensorParam('a', 'u8', [rows, deep / 2], { role: 'in' })
        const bGmem = yield* B.tensorParam('b', 'u8', [columns, deep / 2], { role: 'in' })
        const target = yield* B.tensorParam('out', 'f32', [rows, columns], { role: 'out' })
        const x = yield* buffer('x', 'u8', [rows, deep / 2], nvmma(32, 8))
        const y = yield* buffer('y', 'u8', [columns, deep / 2], nvmma(32, 8))
        const done = yield* barrier('done')
        yield* Ttng.initBarrier('init', done, 1)
        yield* Ttng.tcgen5GlobalAlloc('tensor memory', 256)
        yield* B.run('x', { _tag: 'smem.store', destination: x, value: yield* B.gmemLoad('a', aGmem.view) })
        yield* B.run('y', { _tag: 'smem.store', destination: y, value: yield* B.gmemLoad('b', bGmem.view) })
        const scales: X.View<'tmem', 'e4m3', 2>[] = []
        for (const name of ['sa', 'sb']) {
          const given = yield* B.tensorParam(name, 'e4m3', [1, 1, 32, 4, 4], { role: 'in' })
          const chunk = yield* B.sharedMemory(`${name}_smem`, 'e4m3', [1, 1, 32, 4, 4])
          const { result } = yield* Ttng.tmemAlloc(`${name}_tmem`, 'e4m3', [128, 4], {
            encoding: { _tag: 'tensor_memory_scales' },
          })
          yield* B.run(name, {
            _tag: 'smem.store',
            destination: chunk,
            value: yield* B.gmemLoad(name, given.view),
          })
          yield* Ttng.fenceAsyncShared(`fence ${name}`)
          yield* Ttng.tmemCopy(`copy ${name}`, chunk, result)
          scales.push(result)
        }
        const { result: acc } = yield* Ttng.tmemAlloc('acc', 'f32', [rows, columns], {
          encoding: accumulatorEncoding(columns),
        })
        yield* Ttng.tcGen5MmaScaled(
          'mma',
          x,
          X.transposeView(y, [1, 0]),
          acc,
          scales[0]!,
          scales[1]!,
          X.i1(false),
          { aType: 'e2m1', bType: 'e2m1', isAsync: true, barriers: [{ barrier: done }] },
        )
        yield* Ttng.waitBarrier('wait', done, X.i32(0))
        const { result: d } = yield* Ttng.tmemLoad('d', acc, yield* rowPerLane(columns), { from })
        yield* B.run('out', { _tag: 'gmem.store', destination: target.view, value: d })
        yield* Ttng.tcgen5GlobalDealloc('free', 256)
      },
      { inputs: { a: packed(ca), b: packed(cb), sa, sb }, outputs: { out } },
    ),
  )
})
