/** What all modes share: validation, JSON, traces, fills, prefetches. Oracles: tables by hand. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import { decodeProgram, encodeProgram } from '../../../../src/semantics/files/codec.js'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Instruction, ReduceKind } from '../../../../src/semantics/language/instruction.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import { print } from '../../../../src/semantics/language/print.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { decodeTrace, encodeTrace } from '../../../../src/semantics/files/trace/index.js'
import { blackwell, expecting, inCta, init, meet, program, running, shared, waiting } from './steps.js'
import { right } from '../../../either.js'

interface Given {
  readonly rows: number
  readonly box: readonly [number, number]
  readonly image: readonly [number, number]
  readonly dtype: 'f16' | 'f32' | 'i32' | 'u32'
  readonly arch: 'sm90a' | 'sm100a'
  readonly cluster: number
}
const plain: Given = { rows: 4, box: [1, 32], image: [4, 32], dtype: 'f16', arch: 'sm100a', cluster: 2 }

type Make = (g: {
  readonly map: X.Descriptor
  readonly rows: X.Tile<'i32', 1>
  readonly image: X.View<'smem'>
  readonly full: X.Barrier
}) => Instruction
const validated = (make: Make, more: Partial<Given>): E.Either<{ readonly code: string }, Program> => {
  const g = { ...plain, ...more }
  return B.kernel(
    { name: 'p', arch: g.arch, grid: [g.cluster], cluster: [g.cluster], agents: [B.warpgroup('wg', 0)] },
    function* () {
      const t = yield* B.tensorParam('tensor', g.dtype, [64, 64], { role: 'inout' })
      const map = yield* B.descriptorParam('map', t, g.box)
      const image = yield* B.sharedMemory('image', g.dtype, g.image, [], { align: 128 })
      const full = yield* B.barriers('full', [])
      yield* B.run('it', make({ map, rows: X.iota<1>([g.rows], 0), image, full }))
    },
  )
}
const codeOf = (make: Make, more: Partial<Given> = {}): string => {
  const p = validated(make, more)
  return E.isLeft(p) ? p.left.code : 'ok'
}

const gather =
  (ctaGroup: 1 | 2 = 1): Make =>
  ({ map, rows, image, full }) => ({
    _tag: 'tma.gather',
    descriptor: map,
    rows,
    column: X.i32(0),
    destination: image,
    barrier: full,
    ctaGroup,
  })
const scatter: Make = ({ map, rows, image }) => ({
  _tag: 'tma.scatter',
  descriptor: map,
  rows,
  column: X.i32(0),
  source: image,
})
const reduce =
  (kind: ReduceKind, at = 0): Make =>
  ({ map, image }) => ({
    _tag: 'tma.reduce',
    kind,
    descriptor: map,
    coords: [X.i32(at), X.i32(0)],
    source: image,
  })
const load =
  (ctaGroup: 1 | 2): Make =>
  ({ map, image, full }) => ({
    _tag: 'tma.load',
    descriptor: map,
    coords: [X.i32(0), X.i32(0)],
    destination: image,
    barrier: full,
    ctaGroup,
  })

describe('tensor-maps.ts law 1, further rows: what breaks a rule alone is refused, the nearest lawful one not', () => {
  test('table by hand', () => {
    for (const rows of [gather(), scatter]) {
      expect(codeOf(rows)).toBe('ok')
      expect(codeOf(rows, { arch: 'sm90a' })).toBe('arch')
      expect(codeOf(rows, { rows: 3, image: [3, 32] })).toBe('type.shape')
      expect(codeOf(rows, { rows: 8, image: [8, 32] })).toBe('ok')
      expect(codeOf(rows, { rows: 8 })).toBe('type.shape')
      expect(codeOf(rows, { box: [4, 32] })).toBe('A4')
    }
    expect(codeOf(gather(2))).toBe('ok')
    expect(codeOf(gather(2), { cluster: 1 })).toBe('launch.grid')
    const tile = { box: [4, 32], image: [4, 32] } as const
    expect(codeOf(load(2), tile)).toBe('ok')
    expect(codeOf(load(2), { ...tile, cluster: 3 })).toBe('launch.grid')
    expect(codeOf(load(2), { ...tile, arch: 'sm90a' })).toBe('arch')
    expect(codeOf(load(1), { ...tile, arch: 'sm90a', cluster: 1 })).toBe('ok')
    expect(codeOf(reduce('add'), tile)).toBe('ok')
    expect(codeOf(reduce('add', -1), tile)).toBe('A4')
    expect(codeOf(reduce('inc'), tile)).toBe('A4')
    expect(codeOf(reduce('inc'), { ...tile, dtype: 'u32' })).toBe('ok')
    expect(codeOf(reduce('and'), { ...tile, dtype: 'f32' })).toBe('A4')
    expect(codeOf(reduce('min'), { ...tile, dtype: 'f32' })).toBe('A4')
  })
})

test('they survive JSON and can be printed', () => {
  for (const make of [gather(2), scatter]) {
    const p = right(
      validated(make, {}) as E.Either<{ readonly code: string; readonly message: string }, Program>,
    )
    expect(right(decodeProgram(JSON.parse(JSON.stringify(encodeProgram(p)))))).toEqual(p)
    expect(print(p)).toMatch(/tma\.(gather|scatter)/)
  }
})

describe('fills', () => {
  const width = 32
  const rows = [1, 9, -2, 0]
  const filled = (fill: 'zero' | 'nan', dtype: 'f16' | 'f32'): ReadonlyArray<number> => {
    const p = program(
      'fill',
      function* () {
        const t = yield* B.tensorParam('tensor', dtype, [4, width], { role: 'in' })
        const list = yield* B.tensorParam('rows', 'i32', [4], { role: 'in' })
        const map = yield* B.descriptorParam('map', t, [1, width], { fill, elementStrides: [3, 2] })
        const image = yield* B.sharedMemory('image', dtype, [4, width], [], { align: 128 })
        const full = yield* B.barriers('full', [])
        yield* init(full)
        yield* meet()
        const these = yield* B.gmemLoad('rows', list.view)
        yield* expecting(full, (dtype === 'f16' ? 2 : 4) * 4 * width)
        yield* B.run(
          'gather',
          {
            _tag: 'tma.gather',
            descriptor: map,
            rows: these,
            column: X.i32(0),
            destination: image,
            barrier: full,
            ctaGroup: 1,
            multicast: X.i32(3),
          },
          { when: inCta(0) },
        )
        yield* waiting(full)
        yield* meet()
      },
      { cluster: 2 },
    )
    const tensor = Float64Array.from({ length: 4 * width }, (_, i) => blackwell.constant(dtype, i))
    const r = running(p, { tensor, rows: Float64Array.from(rows) }, Policy.seeded(2))
    expect(r.outcome).toEqual({ _tag: 'completed' })
    const bytes = dtype === 'f16' ? 2 : 4
    const where = Array.from({ length: 4 * width }, (_, i) => bytes * i)
    const [a, b] = [0, 1].map((cta) => [...shared(r, 'image', dtype, where, cta)])
    expect(a).toEqual(b)
    return a!
  }
  test('rows outside of the tensor: zero, or the NaN that was captured; element strides thin out no row; both CTAs of a mask', () => {
    for (const [dtype, nan] of [
      ['f16', 0x7ff7],
      ['f32', 0x7ff77ff7],
    ] as const)
      for (const fill of ['zero', 'nan'] as const)
        filled(fill, dtype).forEach((x, i) => {
          const row = rows[Math.floor(i / width)]!
          const inside = row >= 0 && row < 4
          expect(x).toBe(
            inside ? blackwell.constant(dtype, row * width + (i % width)) : fill === 'zero' ? 0 : nan,
          )
        })
  })
})

describe('prefetch', () => {
  const prefetching = (coords: ReadonlyArray<number>): string => {
    const p = program(
      'prefetch',
      function* () {
        const t = yield* B.tensorParam('tensor', 'f16', [4, 32], { role: 'in' })
        const map = yield* B.descriptorParam('map', t, [4, 32])
        yield* B.run('prefetch', { _tag: 'tma.prefetch', descriptor: map, coords: coords.map(X.i32) })
      },
      { draft: true },
    )
    const r = running(p, { tensor: new Float64Array(128) })
    expect(r.result.some((e) => e._tag === 'access' || e._tag === 'issue')).toBe(false)
    return r.outcome._tag === 'fault' ? r.outcome.fault.code : r.outcome._tag
  }
  test('checked like a load, and nothing happens', () => {
    expect(prefetching([0, 0])).toBe('completed')
    expect(prefetching([-8, 64])).toBe('completed')
    expect(prefetching([0, 4])).toBe('A4')
    expect(prefetching([0])).toBe('type.mismatch')
  })
})

test('a trace keeps what is atomic, how far, and how it joins', () => {
  const p = program('trace', function* () {
    const out = yield* B.tensorParam('out', 'f32', [32], { role: 'inout' })
    const into = yield* B.descriptorParam('into', out, [32])
    const image = yield* B.sharedMemory('image', 'f32', [32], [], { align: 128 })
    yield* B.run('fill', {
      _tag: 'smem.store',
      destination: image,
      value: X.splat<'f32', 1>(X.float('f32', 1), [32]),
    })
    yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
    for (let k = 0; k < 2; k++)
      yield* B.run('reduce', {
        _tag: 'tma.reduce',
        kind: 'add',
        descriptor: into,
        coords: [X.i32(0)],
        source: image,
      })
    yield* B.run('commit', { _tag: 'bulk.commitGroup' })
    yield* B.run('wait', { _tag: 'bulk.waitGroup', pending: 0, read: false })
  })
  const r = running(p, { out: new Float64Array(32) })
  const lines = encodeTrace(r.launched.world.header, r.result)
  const back = right(decodeTrace(lines))
  const atomics = (events: typeof back.events): ReadonlyArray<unknown> =>
    events.flatMap((e) => (e._tag === 'access' ? [[e.rw, e.atomic, e.scope, e.combine]] : []))
  expect(atomics(back.events)).toEqual(atomics(r.result))
  expect(atomics(back.events).filter((x) => (x as ReadonlyArray<unknown>)[1] === true)).toEqual([
    ['r', true, 'gpu', 'add'],
    ['w', true, 'gpu', 'add'],
    ['r', true, 'gpu', 'add'],
    ['w', true, 'gpu', 'add'],
  ])
  expect(encodeTrace(back.header, back.events)).toEqual(lines)
  // one group, two sums of floats: nothing orders them
  expect(judgeLog(back.header, back.events, defaults).notes.map((f) => f.id)).toEqual(['N1'])
})
