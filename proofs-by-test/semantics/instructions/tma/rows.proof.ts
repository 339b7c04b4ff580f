/**
 * Gathers and scatters. Oracles: tile loads of single rows, the swizzle rule of PTX written out by hand, a plain list of rows.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { readTensor } from '../../../../src/semantics/execution/launch.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { expecting, fence, init, judged, idsOf, program, running, shared, stored, waiting } from './steps.js'

const [height, width] = [24, 64] as const
const tensor = Float64Array.from({ length: height * width }, (_, i) => i + 1)

interface Shape {
  readonly rows: ReadonlyArray<number>
  readonly column: number
  readonly columns: number
  readonly swizzle: 16 | 32 | 64 | 128
}
const imageBytes = (s: Shape): number => s.rows.length * (s.swizzle === 16 ? 2 * s.columns : s.swizzle)

const gathering = (s: Shape, draft = false): Program =>
  program(
    'gather',
    function* () {
      const t = yield* B.tensorParam('tensor', 'u16', [height, width], { role: 'in' })
      const list = yield* B.tensorParam('rows', 'i32', [s.rows.length], { role: 'in' })
      const map = yield* B.descriptorParam('map', t, [1, s.columns], { swizzle: s.swizzle })
      const image = yield* B.sharedMemory('image', 'u16', [s.rows.length, s.columns], [], { align: 1024 })
      // room for the rows of a wide swizzle
      yield* B.sharedMemory('room', 'u8', [imageBytes(s)], [], {})
      const full = yield* B.barriers('full', [])
      yield* init(full)
      const rows = yield* B.gmemLoad('rows', list.view)
      yield* expecting(full, 2 * s.rows.length * s.columns)
      yield* B.run('gather', {
        _tag: 'tma.gather',
        descriptor: map,
        rows,
        column: X.i32(s.column),
        destination: image,
        barrier: full,
        ctaGroup: 1,
      })
      yield* waiting(full)
    },
    { draft },
  )

/** The address of element (j, k) of the image, from the XOR rules of PTX. */
const addressOf = (s: Shape, j: number, k: number): number => {
  const a = j * (s.swizzle === 16 ? 2 * s.columns : s.swizzle) + 2 * k
  const from = (a >> 7) & 7
  switch (s.swizzle) {
    case 16:
      return a
    case 32:
      return a ^ ((from & 1) << 4)
    case 64:
      return a ^ ((from & 3) << 4)
    case 128:
      return a ^ (from << 4)
  }
}
const at = (row: number, column: number): number =>
  row < 0 || row >= height || column < 0 || column >= width ? 0 : row * width + column + 1

const shapes: fc.Arbitrary<Shape> = fc
  .record({
    messages: fc.integer({ min: 1, max: 3 }),
    swizzle: fc.constantFrom<Shape['swizzle']>(16, 32, 64, 128),
    narrow: fc.boolean(),
    column: fc.integer({ min: -3, max: 9 }).map((c) => 8 * c),
    seeds: fc.array(fc.integer({ min: -3, max: height + 3 }), { minLength: 12, maxLength: 12 }),
  })
  .map((r) => ({
    rows: r.seeds.slice(0, 4 * r.messages),
    column: r.column,
    // without a swizzle four rows have to be a multiple of 128 bytes
    columns: r.swizzle === 16 ? (r.narrow ? 16 : 64) : Math.max(8, r.swizzle / (r.narrow ? 4 : 2)),
    swizzle: r.swizzle,
  }))

describe('gather', () => {
  test('the image: four rows a message in order, swizzled, filled outside of the tensor', () => {
    fc.assert(
      fc.property(shapes, fc.nat(1000), (s, seed) => {
        const r = running(gathering(s), { tensor, rows: Float64Array.from(s.rows) }, Policy.seeded(seed))
        expect(r.outcome).toEqual({ _tag: 'completed' })
        const where: number[] = []
        const what: number[] = []
        s.rows.forEach((row, j) => {
          for (let k = 0; k < s.columns; k++) {
            where.push(addressOf(s, j, k))
            what.push(at(row, s.column + k))
          }
        })
        expect([...shared(r, 'image', 'u16', where)]).toEqual(what)
      }),
      { numRuns: 60, seed: 1 },
    )
  })

  test('law 2: a gather is tile loads of one row each', () => {
    const rows = [5, 0, 25, 2, 23, -1, 5, 7]
    const s: Shape = { rows, column: 0, columns: 64, swizzle: 128 }
    const tiles = program('tiles', function* () {
      const t = yield* B.tensorParam('tensor', 'u16', [height, width], { role: 'in' })
      const map = yield* B.descriptorParam('map', t, [1, 64], { swizzle: 128 })
      const image = yield* B.sharedMemory('image', 'u16', [rows.length, 64], [], { align: 1024 })
      const full = yield* B.barriers('full', [])
      yield* init(full)
      yield* expecting(full, 128 * rows.length)
      for (const [j, row] of rows.entries())
        yield* B.run(`load ${String(j)}`, {
          _tag: 'tma.load',
          descriptor: map,
          coords: [X.i32(row), X.i32(0)],
          destination: X.slice(image, [X.i32(j), X.i32(0)], [1, 64]),
          barrier: full,
          ctaGroup: 1,
        })
      yield* waiting(full)
    })
    const everything = Array.from({ length: 64 * rows.length }, (_, i) => 2 * i)
    const a = running(gathering(s), { tensor, rows: Float64Array.from(rows) }, Policy.lazy)
    const b = running(tiles, { tensor }, Policy.lazy)
    expect([...shared(a, 'image', 'u16', everything)]).toEqual([...shared(b, 'image', 'u16', everything)])
  })

  test('each message is a part with bytes of its own', () => {
    const s: Shape = { rows: [1, 2, 3, 4, 5, 6, 7, 8], column: 0, columns: 64, swizzle: 128 }
    const r = running(gathering(s), { tensor, rows: Float64Array.from(s.rows) })
    const issue = r.result.flatMap((e) => (e._tag === 'issue' ? [e] : []))
    expect(issue.map((e) => [e.bytes, e.signals])).toEqual([[1024, 2]])
    expect(
      r.result.flatMap((e) => (e._tag === 'signal' && e.to === 'barrier' ? [[e.part, e.bytes]] : [])),
    ).toEqual([
      [0, 512],
      [1, 512],
    ])
  })

  test('without the wait it is a race, with it nothing', () => {
    const reading = (waits: boolean): ReturnType<typeof judged> =>
      judged(
        program('read', function* () {
          const t = yield* B.tensorParam('tensor', 'u16', [height, width], { role: 'in' })
          const map = yield* B.descriptorParam('map', t, [1, 64], { swizzle: 128 })
          const image = yield* B.sharedMemory('image', 'u16', [4, 64], [], { align: 1024 })
          const full = yield* B.barriers('full', [])
          yield* init(full)
          yield* expecting(full, 512)
          yield* B.run('gather', {
            _tag: 'tma.gather',
            descriptor: map,
            rows: X.iota<1>([4], 0),
            column: X.i32(0),
            destination: image,
            barrier: full,
            ctaGroup: 1,
          })
          if (waits) yield* waiting(full)
          yield* B.smemLoad('read', image)
          if (!waits) yield* waiting(full)
        }),
        { tensor },
      )
    expect(reading(true).verdict).toBe('ok')
    expect(idsOf(reading(false))).toEqual(['P4'])
  })
})

describe('scatter', () => {
  const scattering = (s: Shape, back: ReadonlyArray<number>): Program =>
    program('scatter', function* () {
      const t = yield* B.tensorParam('tensor', 'u16', [height, width], { role: 'in' })
      const out = yield* B.tensorParam('out', 'u16', [height, width], { role: 'inout' })
      const list = yield* B.tensorParam('rows', 'i32', [s.rows.length], { role: 'in' })
      const there = yield* B.tensorParam('back', 'i32', [s.rows.length], { role: 'in' })
      const map = yield* B.descriptorParam('map', t, [1, s.columns], { swizzle: s.swizzle })
      const onto = yield* B.descriptorParam('onto', out, [1, s.columns], { swizzle: s.swizzle })
      const image = yield* B.sharedMemory('image', 'u16', [s.rows.length, s.columns], [], { align: 1024 })
      yield* B.sharedMemory('room', 'u8', [imageBytes(s)], [], {})
      const full = yield* B.barriers('full', [])
      yield* init(full)
      const rows = yield* B.gmemLoad('rows', list.view)
      const backRows = yield* B.gmemLoad('back', there.view)
      yield* expecting(full, 2 * s.rows.length * s.columns)
      yield* B.run('gather', {
        _tag: 'tma.gather',
        descriptor: map,
        rows,
        column: X.i32(s.column),
        destination: image,
        barrier: full,
        ctaGroup: 1,
      })
      yield* waiting(full)
      yield* B.run('scatter', {
        _tag: 'tma.scatter',
        descriptor: onto,
        rows: backRows,
        column: X.i32(s.column),
        source: image,
      })
      yield* stored()
      expect(back.length).toBe(s.rows.length)
    })

  test('law 2: rows land where the list says, and beyond the tensor nowhere', () => {
    fc.assert(
      fc.property(
        shapes.filter((s) => s.column >= 0),
        fc.uniqueArray(fc.integer({ min: 0, max: height + 8 }), { minLength: 12, maxLength: 12 }),
        fc.nat(1000),
        (s, list, seed) => {
          const back = list.slice(0, s.rows.length)
          const r = running(
            scattering(s, back),
            {
              tensor,
              out: new Float64Array(height * width),
              rows: Float64Array.from(s.rows),
              back: Float64Array.from(back),
            },
            Policy.seeded(seed),
          )
          expect(r.outcome).toEqual({ _tag: 'completed' })
          const expected = new Float64Array(height * width)
          back.forEach((to, j) => {
            for (let k = 0; k < s.columns; k++)
              if (to < height && s.column + k < width)
                expected[to * width + s.column + k] = at(s.rows[j]!, s.column + k)
          })
          expect([...readTensor(r.launched.world, r.machine, 'out')!]).toEqual([...expected])
        },
      ),
      { numRuns: 50, seed: 2 },
    )
  })

  test('round trip: what a gather brought goes back to where it came from', () => {
    const rows = [3, 9, 1, 22, 8, 0, 23, 17]
    const s: Shape = { rows, column: 0, columns: 64, swizzle: 128 }
    const r = running(scattering(s, rows), {
      tensor,
      out: new Float64Array(height * width),
      rows: Float64Array.from(rows),
      back: Float64Array.from(rows),
    })
    const out = readTensor(r.launched.world, r.machine, 'out')!
    for (let row = 0; row < height; row++)
      for (let k = 0; k < width; k++) expect(out[row * width + k]).toBe(rows.includes(row) ? at(row, k) : 0)
  })

  const twice = (rows: ReadonlyArray<number>, waits: boolean): ReadonlyArray<string> =>
    idsOf(
      judged(
        program('twice', function* () {
          const out = yield* B.tensorParam('out', 'u16', [height, width], { role: 'inout' })
          const list = yield* B.tensorParam('rows', 'i32', [rows.length], { role: 'in' })
          const onto = yield* B.descriptorParam('onto', out, [1, 64], { swizzle: 128 })
          const image = yield* B.sharedMemory('image', 'u16', [rows.length, 64], [], { align: 1024 })
          const to = yield* B.gmemLoad('rows', list.view)
          yield* B.run('fill', {
            _tag: 'smem.store',
            destination: image,
            value: X.splat<'i32', 2>(X.i32(1), [rows.length, 64]),
          })
          yield* fence()
          yield* B.run('scatter', {
            _tag: 'tma.scatter',
            descriptor: onto,
            rows: to,
            column: X.i32(0),
            source: image,
          })
          yield* B.run('commit', { _tag: 'bulk.commitGroup' })
          yield* B.run('wait', { _tag: 'bulk.waitGroup', pending: waits ? 0 : 1, read: true })
          yield* B.run('again', {
            _tag: 'smem.store',
            destination: image,
            value: X.splat<'i32', 2>(X.i32(2), [rows.length, 64]),
          })
          yield* B.run('wait all', { _tag: 'bulk.waitGroup', pending: 0, read: false })
        }),
        { out: new Float64Array(height * width), rows: Float64Array.from(rows) },
      ),
    )
  test('bulk groups: the source may be overwritten after the reads; two messages onto one row race', () => {
    expect(twice([0, 1, 2, 3, 4, 5, 6, 7], true)).toEqual([])
    expect(twice([0, 1, 2, 3, 4, 5, 6, 7], false)).toEqual(['W4'])
    expect(twice([0, 1, 2, 3, 4, 5, 6, 0], true)).toEqual(['D2'])
  })
})

describe('what is refused when it runs', () => {
  const fault = (s: Shape, o: Partial<Record<'scatter', boolean>> = {}): string => {
    const p = program(
      'refused',
      function* () {
        const t = yield* B.tensorParam('tensor', 'u16', [height, width], { role: 'inout' })
        const list = yield* B.tensorParam('rows', 'i32', [s.rows.length], { role: 'in' })
        const map = yield* B.descriptorParam('map', t, [1, s.columns], { swizzle: s.swizzle })
        const image = yield* B.sharedMemory('image', 'u16', [s.rows.length, s.columns], [], { align: 1024 })
        const full = yield* B.barriers('full', [])
        const rows = yield* B.gmemLoad('rows', list.view)
        yield* init(full)
        yield* o.scatter === true
          ? B.run('scatter', {
              _tag: 'tma.scatter',
              descriptor: map,
              rows,
              column: X.i32(s.column),
              source: image,
            })
          : B.run('gather', {
              _tag: 'tma.gather',
              descriptor: map,
              rows,
              column: X.i32(s.column),
              destination: image,
              barrier: full,
              ctaGroup: 1,
            })
      },
      { draft: true },
    )
    const r = running(p, { tensor, rows: Float64Array.from(s.rows) })
    return r.outcome._tag === 'fault' ? r.outcome.fault.code : r.outcome._tag
  }
  const s: Shape = { rows: [0, 1, 2, 3], column: 0, columns: 64, swizzle: 128 }
  test('table by hand', () => {
    expect(fault(s)).toBe('completed')
    expect(fault({ ...s, rows: [0, 1, 2] })).toBe('tile.shape')
    expect(fault({ ...s, rows: [0, 1, 2, 3, 4, 5] })).toBe('tile.shape')
    expect(fault({ ...s, column: 4 })).toBe('A4')
    expect(fault({ ...s, column: -8 })).toBe('completed')
    expect(fault({ ...s, rows: [0, 1, -2, 3] })).toBe('completed')
    expect(fault({ ...s, column: -8 }, { scatter: true })).toBe('A4')
    expect(fault({ ...s, rows: [0, 1, -2, 3] }, { scatter: true })).toBe('A4')
    expect(fault({ ...s, rows: [0, 1, 200, 3] }, { scatter: true })).toBe('completed')
    // the second message of rows of 16 bytes starts at byte 64
    expect(fault({ rows: [0, 1, 2, 3, 4, 5, 6, 7], column: 0, columns: 8, swizzle: 16 })).toBe('A4')
    expect(fault({ rows: [0, 1, 2, 3], column: 0, columns: 8, swizzle: 16 })).toBe('completed')
  })
})
