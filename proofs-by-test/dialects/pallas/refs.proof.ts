/**
 * Refs: laws 1 and 2 of `refs.ts`, exhaustively for small shapes, tilings and swizzles.
 *
 * The oracle is the definition: a ref's element is found by applying the transforms to its index, one after the other, and counting row-major; the
 * swizzle is the formula on the byte. An operation on a view acts on the logical index, whatever the transforms are. What is refused is the table of
 * the reference, written once more below as a set of reasons.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import type { Failure } from '../../../src/failure.js'
import { bitsOf, type Dtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { runSteps } from '../../../src/semantics/writing/builder/monad.js'
import { emptyState, environment } from '../../../src/semantics/writing/builder/state.js'
import * as X from '../../../src/semantics/language/expression.js'
import { baseOf } from '../../../src/semantics/language/typecheck/known-place.js'
import { typeOf } from '../../../src/semantics/language/typecheck.js'
import * as Ref from '../../../src/transforms/ref.js'
import type { Transform } from '../../../src/transforms/transform.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

type Index = ReadonlyArray<number>
type Ref5 = X.View<'smem', Dtype>

interface Case {
  readonly dtype: Dtype
  readonly shape: Index
  readonly tile: Index | null
  readonly swizzle: number
}
const cases: ReadonlyArray<Case> = [
  { dtype: 'f16', shape: [3, 16, 32], tile: null, swizzle: 16 },
  { dtype: 'f16', shape: [3, 16, 16], tile: null, swizzle: 32 },
  { dtype: 'f16', shape: [3, 16, 32], tile: [8, 16], swizzle: 16 },
  { dtype: 'f16', shape: [3, 16, 32], tile: [8, 16], swizzle: 32 },
  { dtype: 'f16', shape: [2, 16, 64], tile: [8, 32], swizzle: 64 },
  { dtype: 'f32', shape: [2, 16, 64], tile: [4, 32], swizzle: 128 },
  { dtype: 'f16', shape: [4, 8, 32], tile: [16], swizzle: 32 },
  { dtype: 'f16', shape: [4, 8, 32], tile: [1, 16], swizzle: 32 },
  { dtype: 'i8', shape: [4, 4, 32], tile: [2, 2, 32], swizzle: 32 },
  { dtype: 'f16', shape: [4, 8, 16], tile: [1, 1, 8], swizzle: 16 },
]
const nameOf = (c: Case): string =>
  `${c.dtype} (${c.shape.join(', ')}) tile ${c.tile === null ? 'none' : c.tile.join(' x ')} swizzle ${String(c.swizzle)}`

// ---------------------------------------------------------------- the definition

const product = (shape: Index): number => shape.reduce((x, y) => x * y, 1)
/** Every index of a shape, row-major. */
const indicesOf = (shape: Index): ReadonlyArray<Index> =>
  Array.from({ length: product(shape) }, (_, at) => {
    const index: number[] = []
    let rest = at
    for (let d = shape.length - 1; d >= 0; d--) {
      index.unshift(rest % shape[d]!)
      rest = Math.floor(rest / shape[d]!)
    }
    return index
  })
/** The byte of an element: transform by transform. */
const byteOf = (c: Case, index: Index): number => {
  const cut = c.shape.length - (c.tile?.length ?? 0)
  const tile = c.tile ?? []
  const shape = [...c.shape.slice(0, cut), ...tile.map((t, k) => c.shape[cut + k]! / t), ...tile]
  const at = [
    ...index.slice(0, cut),
    ...tile.map((t, k) => Math.floor(index[cut + k]! / t)),
    ...tile.map((t, k) => index[cut + k]! % t),
  ]
  const physicalShape = c.tile === null ? c.shape : shape
  const physical = c.tile === null ? index : at
  const place = physical.reduce((sum, i, d) => sum * physicalShape[d]! + i, 0)
  const byte = (place * bitsOf(c.dtype)) / 8
  return byte ^ (((byte >> 7) % (c.swizzle / 16)) << 4)
}

// ---------------------------------------------------------------- what the surface makes

const transformsOf = (c: Case): ReadonlyArray<Transform> => [
  ...(c.tile === null ? [] : [right(Pallas.TilingTransform(c.tile))]),
  ...(c.swizzle === 16 ? [] : [right(Pallas.SwizzleTransform(c.swizzle))]),
]
interface Seen {
  readonly shape: Index
  readonly bytes: ReadonlyArray<number>
}
/** Shape and bytes of what an operation makes of the ref, relative to its start. */
const seen = (c: Case, use: (ref: Ref5) => B.Build<X.View>): E.Either<Failure, Seen> =>
  E.map(([view, state]: readonly [X.View, B.State]): Seen => {
    const env = environment(state)
    const type = right(typeOf(env)(view))
    const base = baseOf(env)(view)
    if (type._tag !== 'view' || base === undefined) throw new Error('no view of a known place')
    return { shape: type.layout.shape, bytes: [...Ref.swizzledAddresses(type.layout, base.offset)] }
  })(
    runSteps(
      B.block(function* () {
        return yield* use(yield* Pallas.SMEM('ref', c.dtype, c.shape, { transforms: transformsOf(c) }))
      }),
      emptyState,
    ),
  )

// ---------------------------------------------------------------- the table of the reference

type One = number | { readonly start: number; readonly size: number; readonly stride: number }

const whyNotAt = (c: Case, d: number, i: One): ReadonlyArray<string> => {
  const rank = c.shape.length
  const extent = c.shape[d]!
  const cut = rank - (c.tile?.length ?? 0)
  const tile = d >= cut ? c.tile![d - cut]! : null
  const bare = c.swizzle !== 16 && c.tile === null
  if (typeof i === 'number')
    return [
      ...(i < extent ? [] : ['pallas.ref.bounds']),
      ...(tile === null ? [] : ['pallas.ref.index-tiled']),
      ...(bare && d >= rank - 2 ? ['pallas.ref.index-swizzled'] : []),
    ]
  return [
    ...(i.stride === 1 ? [] : ['pallas.ref.stride']),
    ...(i.start + i.size <= extent ? [] : ['pallas.ref.bounds']),
    ...(tile === null || (i.start % tile === 0 && i.size % tile === 0) ? [] : ['pallas.ref.tile']),
    ...(bare && d === rank - 1 && !(i.start === 0 && i.size === extent) ? ['pallas.ref.slice-swizzled'] : []),
  ]
}
const choices = (extent: number): ReadonlyArray<One> =>
  [
    0,
    extent - 1,
    extent,
    { start: 0, size: extent, stride: 1 },
    { start: 0, size: extent, stride: 2 },
    { start: 0, size: extent / 2, stride: 1 },
    { start: Math.floor(extent / 2), size: Math.floor(extent / 2), stride: 1 },
    { start: 1, size: 1, stride: 1 },
    { start: 1, size: extent, stride: 1 },
  ].filter((i) => typeof i === 'number' || Number.isInteger(i.size))
const permutations = (n: number): ReadonlyArray<Index> =>
  n === 0
    ? [[]]
    : permutations(n - 1).flatMap((p) =>
        Array.from({ length: n }, (_, at) => [...p.slice(0, at), n - 1, ...p.slice(at)]),
      )

describe.each(sampled(3, cases).map((c) => [nameOf(c), c] as const))('%s', (_, c) => {
  test('the ref itself', () => {
    const whole = right(seen(c, (ref) => B.of(ref)))
    expect(whole.bytes).toEqual(indicesOf(c.shape).map((i) => byteOf(c, i)))
  })
  test('.at: every choice of indices and slices', () => {
    let taken = 0
    let refused = 0
    for (const x of choices(c.shape[0]!))
      for (const y of choices(c.shape[1]!))
        for (const z of choices(c.shape[2]!)) {
          const all = [x, y, z]
          const no = all.flatMap((i, d) => whyNotAt(c, d, i))
          const got = seen(c, (ref) =>
            Pallas.refAt(
              'at',
              ref,
              all.map((i): Pallas.RefIndex =>
                typeof i === 'number' ? i : Pallas.ds(i.start, i.size, i.stride),
              ),
            ),
          )
          if (no.length > 0) {
            refused++
            if (E.isRight(got) || !no.includes(got.left.code))
              expect([all, E.isLeft(got) ? got.left.code : 'taken']).toEqual([all, no])
            continue
          }
          taken++
          const shape = all.flatMap((i) => (typeof i === 'number' ? [] : [i.size]))
          const bytes = indicesOf(shape).map((at) => {
            let k = 0
            return byteOf(
              c,
              all.map((i) => (typeof i === 'number' ? i : i.start + at[k++]!)),
            )
          })
          if (
            E.isLeft(got) ||
            String(got.right.bytes) !== String(bytes) ||
            String(got.right.shape) !== String(shape)
          )
            expect([all, got]).toEqual([all, { shape, bytes }])
        }
    expect(taken).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(taken)
  })
  test('transpose_ref: every permutation', () => {
    const cut = 3 - (c.tile?.length ?? 0)
    for (const p of permutations(3)) {
      const mixes = p.slice(cut).some((d) => d < cut)
      const moves = c.swizzle !== 16 && c.tile === null && p[2] !== 2
      const got = seen(c, (ref) => Pallas.transposeRef('t', ref, p))
      if (mixes || moves) {
        expect(E.isLeft(got) ? got.left.code : p).toBe(
          mixes ? 'pallas.ref.transpose-tiled' : 'pallas.ref.transpose-swizzled',
        )
        continue
      }
      const shape = p.map((d) => c.shape[d]!)
      // index k of the view is index p[k] of the ref
      const bytes = indicesOf(shape).map((at) =>
        byteOf(
          c,
          [0, 1, 2].map((d) => at[p.indexOf(d)]!),
        ),
      )
      expect(got).toEqual(E.right({ shape, bytes }))
      const plain = seen(c, (ref) =>
        B.chain((t: Ref5) => B.map(() => t)(Pallas.plainRef('p', t)))(Pallas.transposeRef('t', ref, p)),
      )
      // the swizzled dimension still stands last: the tile's last dimension, or the array's
      const last = c.swizzle === 16 || p[2] === 2
      expect(E.isRight(plain) ? 'plain' : plain.left.code).toBe(
        last ? 'plain' : 'pallas.ref.transpose-swizzled',
      )
    }
  })
  test('reshape: every way to merge neighbours, and one that splits: of plain refs alone', () => {
    const [p, q, r] = [c.shape[0]!, c.shape[1]!, c.shape[2]!]
    const tileAt = (d: number): number | null => {
      const cut = 3 - (c.tile?.length ?? 0)
      return d >= cut ? c.tile![d - cut]! : null
    }
    const bare = c.swizzle !== 16 && c.tile === null
    for (const groups of [[[0], [1], [2]], [[0, 1], [2]], [[0], [1, 2]], [[0, 1, 2]]]) {
      const shape = groups.map((g) => product(g.map((d) => c.shape[d]!)))
      const mixed = groups.some((g) => g.some((d) => tileAt(d) === null) && g.some((d) => tileAt(d) !== null))
      const cutInside = groups.some((g) => g.slice(0, -1).some((d) => (tileAt(d) ?? 1) !== 1))
      const intoSwizzled = bare && groups.some((g) => g.length > 1 && g.includes(2))
      const got = seen(c, (ref) => Pallas.reshapeRef('r', ref, shape))
      const no = [
        ...(mixed ? ['pallas.ref.reshape-mixed'] : []),
        ...(cutInside ? ['pallas.ref.reshape-tiled'] : []),
        ...(intoSwizzled ? ['pallas.ref.reshape-swizzled'] : []),
      ]
      if (no.length > 0) expect(no).toContain(E.isLeft(got) ? got.left.code : 'taken')
      else expect(got).toEqual(E.right({ shape, bytes: indicesOf(c.shape).map((i) => byteOf(c, i)) }))
    }
    const shape = [p, q / 2, 2, r]
    const split = seen(c, (ref) => Pallas.reshapeRef('r', ref, shape))
    if (c.tile === null && !bare)
      expect(split).toEqual(E.right({ shape, bytes: indicesOf(c.shape).map((i) => byteOf(c, i)) }))
    else expect(E.isLeft(split) ? split.left.code : 'taken').toBe('pallas.ref.reshape-unfold')
  })
  test('transform_ref: one more cut; one operation after another', () => {
    for (const tile of [[2, 4], [1, 8], [4, 4], [16]]) {
      const cut = 3 - tile.length
      const made = right(Pallas.TilingTransform(tile))
      const shape = [...c.shape.slice(0, cut), ...tile.map((t, k) => c.shape[cut + k]! / t), ...tile]
      const got = seen(c, (ref) => Pallas.transformRef('x', ref, made))
      const bytes = indicesOf(shape).map((at) =>
        byteOf(c, [
          ...at.slice(0, cut),
          ...tile.map((t, k) => at[cut + k]! * t + at[cut + tile.length + k]!),
        ]),
      )
      expect(got).toEqual(E.right({ shape, bytes }))
    }
    // a part, transposed, and a part of that again
    const t = (d: number): number => {
      const cut = 3 - (c.tile?.length ?? 0)
      return d >= cut ? c.tile![d - cut]! : 1
    }
    if (c.tile?.length !== 2 || c.shape[1]! < 2 * t(1)) return
    const half = c.shape[1]! / 2
    if (half % t(1) !== 0) return
    const got = seen(c, (ref) =>
      B.block(function* () {
        const part = yield* Pallas.refAt('part', ref, [1, Pallas.ds(half, half)])
        const turned = yield* Pallas.transposeRef('turned', part, [1, 0])
        return yield* Pallas.refAt('again', turned, [Pallas.ds(t(2), c.shape[2]! - t(2))])
      }),
    )
    const shape = [c.shape[2]! - t(2), half]
    const bytes = indicesOf(shape).map(([i, j]) => byteOf(c, [1, half + j!, t(2) + i!]))
    expect(got).toEqual(E.right({ shape, bytes }))
  })
})

describe('a part with gaps', () => {
  const c: Case = { dtype: 'f16', shape: [2, 8, 64], tile: null, swizzle: 16 }
  const split = (columns: number, rows: number): E.Either<{ readonly code: string }, unknown> =>
    seen(c, (ref) =>
      B.block(function* () {
        const part = yield* Pallas.refAt('part', ref, [1, Pallas.ds(0, rows), Pallas.ds(0, columns)])
        return yield* Pallas.reshapeRef('r', part, [rows, columns / 4, 4])
      }),
    )
  test('is no row of elements that another shape could have; one row of it is', () => {
    const bytesOf = (rows: number, columns: number): ReadonlyArray<number> =>
      indicesOf([rows, columns / 4, 4]).map(([i, j, k]) => byteOf(c, [1, i!, 4 * j! + k!]))
    expect(split(64, 8)).toEqual(E.right({ shape: [8, 16, 4], bytes: bytesOf(8, 64) }))
    expect(split(32, 1)).toEqual(E.right({ shape: [1, 8, 4], bytes: bytesOf(1, 32) }))
    const gaps = split(32, 8)
    expect(E.isLeft(gaps) ? gaps.left.code : 'taken').toBe('pallas.ref.reshape-unfold')
  })
})

test.each([[[1, 8, 64]], [[2, 4, 64]], [[2, 8, 32]], [[2, 512, 2]], [[3, 8, 64]]])(
  'a shape of more or fewer elements is none: %j',
  (shape) => {
    for (const tile of [null, [8, 32]]) {
      const other = seen({ dtype: 'f16', shape: [2, 8, 64], tile, swizzle: 16 }, (ref) =>
        Pallas.reshapeRef('r', ref, shape),
      )
      expect([tile, E.isLeft(other) ? other.left.code : 'taken']).toEqual([tile, 'pallas.ref.reshape-unfold'])
    }
  },
)

describe('a swizzle afterwards', () => {
  test('the bytes of a plain ref, read as swizzled; twice is refused', () => {
    const c: Case = { dtype: 'f16', shape: [2, 8, 64], tile: null, swizzle: 16 }
    const made = right(Pallas.SwizzleTransform(128))
    const once = seen(c, (ref) => Pallas.transformRef('x', ref, made))
    expect(once).toEqual(
      E.right({ shape: c.shape, bytes: indicesOf(c.shape).map((i) => byteOf({ ...c, swizzle: 128 }, i)) }),
    )
    const twice = seen(c, (ref) =>
      B.chain((r: Ref5) => Pallas.transformRef('x', r, made))(Pallas.transformRef('x', ref, made)),
    )
    expect(E.isLeft(twice) ? twice.left.code : 'taken').toBe('pallas.ref.swizzle')
  })
})

describe('tensor memory', () => {
  const at = (
    shape: ReadonlyArray<number>,
    options: Pallas.TmemOptions,
    dtype: Dtype,
    indices: ReadonlyArray<Pallas.RefIndex>,
  ): string => {
    const made = runSteps(
      B.block(function* () {
        const ref = yield* Pallas.TMEM('t', dtype, shape, options)
        return yield* Pallas.refAt('at', ref, indices)
      }),
      emptyState,
    )
    if (E.isLeft(made)) return made.left.code
    const [view, state] = made.right
    const type = right(typeOf(environment(state))(view))
    const base = baseOf(environment(state))(view)
    if (type._tag !== 'view') return 'none'
    return `(${type.layout.shape.join(', ')}) from column ${String((base?.offset ?? NaN) / 4)}`
  }
  const whole = Pallas.everything
  test('columns are cut in base tiles, rows not at all, the batch is indexed', () => {
    const f32 = (shape: ReadonlyArray<number>, ...i: ReadonlyArray<Pallas.RefIndex>): string =>
      at(shape, {}, 'f32', i)
    expect(f32([128, 64], whole, Pallas.ds(7, 9))).toBe('(128, 9) from column 7')
    expect(f32([128, 64], Pallas.ds(0, 64), whole)).toBe('pallas.tmem.slice-rows')
    expect(f32([128, 64], whole, 3)).toBe('pallas.tmem.index')
    expect(f32([2, 128, 64], 1)).toBe('(128, 64) from column 64')
    expect(f32([2, 128, 64], 1, whole, Pallas.ds(16, 16))).toBe('(128, 16) from column 80')
    expect(f32([3, 64, 64], 2)).toBe('(64, 64) from column 64')
    expect(f32([64, 64], whole, Pallas.ds(0, 32))).toBe('pallas.tmem.slice-columns')
    expect(f32([64, 64], whole, Pallas.ds(0, 64))).toBe('(64, 64) from column 0')
    const packed = (i: Pallas.RefIndex): string => at([128, 64], { packed: true }, 'f16', [whole, i])
    expect(packed(Pallas.ds(8, 16))).toBe('(128, 16) from column 4')
    expect(packed(Pallas.ds(7, 16))).toBe('pallas.tmem.slice-columns')
  })
  test('a start of the run must be a multiple for all that is known', () => {
    const k = X.place('programId', 0)
    const start = (from: X.Int): string =>
      at([128, 64], { packed: true }, 'f16', [whole, Pallas.ds(from, 16)]).replace(/ from.*/, '')
    expect(start(X.mul(k, X.i32(16)))).toBe('(128, 16)')
    expect(start(X.add(X.mul(k, X.i32(4)), X.i32(2)))).toBe('(128, 16)')
    expect(start(k)).toBe('pallas.tmem.slice-columns')
    expect(start(X.mul(k, X.i32(3)))).toBe('pallas.tmem.slice-columns')
    expect(start(X.add(X.mul(k, X.i32(4)), X.i32(1)))).toBe('pallas.tmem.slice-columns')
  })
})
