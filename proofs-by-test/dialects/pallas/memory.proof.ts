/**
 * Memory spaces of Pallas: laws of `memory.ts` and `accumulator.ts`.
 *
 * The oracle for where elements of tensor memory lie is `places` (`layouts/tensor-memory`), which follows the tiled layouts and the copies of
 * scales; how many columns, `columnsOf` and the allocator of that folder.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import { allocate, unionOf } from '../../../src/layouts/tensor-memory/allocation.js'
import * as Tmem from '../../../src/layouts/tensor-memory/tensor-memory-layout.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { tmemColumnsOf } from '../../../src/semantics/language/place.js'
import type { Program, Storage } from '../../../src/semantics/language/program.js'
import * as Ref from '../../../src/transforms/ref.js'
import { right } from '../../either.js'

const drafted = (body: () => B.Steps<void>): Program =>
  right(B.draft({ name: 'd', arch: 'sm100a', agents: [B.warpgroup('t', 0)] }, body))
const storages = (...builds: ReadonlyArray<B.Build<unknown>>): ReadonlyArray<Storage> =>
  drafted(function* () {
    for (const one of builds) yield* one
  }).storage

const refOf = (s: Storage): Ref.TransformedRef => {
  if (s.contents._tag !== 'elements') throw new Error('barriers')
  return s.contents.layout
}

interface Case {
  readonly name: string
  readonly layout: Tmem.TensorMemoryLayout
  readonly matrix: readonly [number, number]
  readonly bits: number
}
const cases: ReadonlyArray<Case> = [
  ...[1, 2, 4, 8].flatMap((p) =>
    (p === 1 ? [32, 8] : [32 / p]).flatMap((bits) => [
      ...[128, 256].flatMap((m) =>
        [16, 48].map((n): Case => ({
          name: 'default',
          layout: right(Tmem.defaultLayout(p)),
          matrix: [m, n],
          bits,
        })),
      ),
      ...([Tmem.halfLane, Tmem.m64Collective] as const).flatMap((make) =>
        [64, 128].flatMap((m) =>
          (
            [
              [16, 16],
              [32, 96],
              [96, 96],
            ] as const
          ).map(([c, n]): Case => ({ name: make.name, layout: right(make(c, p)), matrix: [m, n], bits })),
        ),
      ),
    ]),
  ),
  ...(
    [
      [128, 4],
      [128, 16],
      [256, 4],
      [256, 8],
      [512, 16],
    ] as const
  ).map((matrix): Case => ({ name: 'scales', layout: Tmem.scales, matrix, bits: 8 })),
  ...(
    [
      [256, 4],
      [256, 16],
    ] as const
  ).map((matrix): Case => ({ name: 'b scales', layout: Tmem.bScalesM64Collective, matrix, bits: 8 })),
]
/** Bits from the start of the plane to the first place of every element, row-major, by the table of the layout. */
const firstPlaces = ({ layout, matrix, bits }: Case): Float64Array => {
  const columns = Tmem.columnsOf(layout, matrix)
  const parts = Tmem.vectorLength(layout)
  const found = new Float64Array(matrix[0] * matrix[1]).fill(Infinity)
  Tmem.positionTable(layout, matrix).forEach((element, at) => {
    const lane = Math.floor(at / (columns * parts))
    const place = lane * 2048 * 8 + (Math.floor(at / parts) % columns) * 32 + (at % parts) * bits
    found[element] = Math.min(found[element]!, place)
  })
  return found
}
/** A bit address in the plane of tensor memory, by the modes. */
const bitsAt = (ref: Ref.TransformedRef): Float64Array =>
  Float64Array.from(Ref.elementOffsets(ref), (e) => e * ref.bits)

describe('tensor memory', () => {
  test.each(
    cases.map(
      (c) =>
        [
          `${c.name} ${Tmem.showTensorMemoryLayout(c.layout)} ${c.matrix.join('x')} ${String(c.bits)}`,
          c,
        ] as const,
    ),
  )('laws 1, 2, 3: %s', (_, c) => {
    const ref = right(Pallas.tensorMemoryRef('x', c.layout, c.matrix, c.bits))
    const at = bitsAt(ref)
    expect(at).toEqual(firstPlaces(c))
    expect(Pallas.tensorMemoryColumns(c.layout, c.matrix)).toBe(Tmem.columnsOf(c.layout, c.matrix))
    const found = Pallas.tensorMemoryLayoutOf({ ...ref, byteOffset: 512 })
    if (found === null) throw new Error('none')
    // the same function of elements: another name for it is as good
    expect(bitsAt(right(Pallas.tensorMemoryRef('x', found, c.matrix, c.bits)))).toEqual(at)
    if (c.layout.kind === 'default') expect(found).toEqual(c.layout)
  })
  test('law 1: sparse metadata, sixteen numbers of two bits to a word', () => {
    for (const words of [1, 2, 4]) {
      const at = bitsAt(right(Pallas.tensorMemoryRef('x', Tmem.sparseMetadata, [128, words], 32)))
      for (let i = 0; i < 128; i++)
        for (let w = 0; w < words; w++) {
          const place = Tmem.places(Tmem.sparseMetadata, [128, 16 * words], [i, 16 * w])[0]!
          expect(at[i * words + w]).toBe(place.lane * 2048 * 8 + place.column * 32)
        }
    }
  })
  test('a batch is (m, b n): element [b, i, j] is element [i, b n + j] of the matrix', () => {
    for (const [layout, shape, bits] of [
      [right(Tmem.defaultLayout(1)), [3, 128, 16], 32],
      [right(Tmem.defaultLayout(2)), [2, 2, 128, 16], 16],
      [right(Tmem.halfLane(32, 1)), [2, 64, 32], 32],
      [right(Tmem.halfLane(64, 1)), [2, 64, 32], 32],
      [right(Tmem.m64Collective(64, 2)), [4, 64, 32], 16],
      [right(Tmem.halfLane(96, 1)), [2, 3, 64, 16], 32],
    ] as const) {
      const n = shape[shape.length - 1]!
      const m = shape[shape.length - 2]!
      const batch = shape.slice(0, -2).reduce((x, y) => x * y, 1)
      const at = bitsAt(right(Pallas.tensorMemoryRef('x', layout, shape, bits)))
      const of: Case = { name: '', layout, matrix: [m, batch * n], bits }
      const want = firstPlaces(of)
      const got = at.map((_, k) => {
        const [b, i, j] = [Math.floor(k / (m * n)), Math.floor(k / n) % m, k % n]
        return want[i * batch * n + b * n + j]!
      })
      expect(at).toEqual(got)
    }
  })
  test('what is inferred, by the table of the reference', () => {
    const of = (shape: ReadonlyArray<number>, dtype: Dtype, o: Pallas.TmemOptions = {}): string => {
      const [s] = storages(Pallas.TMEM('x', dtype, shape, o))
      const ref = refOf(s!)
      const last = ref.shape.length > 2 ? right(Ref.slot(0)(ref)) : ref
      const layout = Pallas.tensorMemoryLayoutOf(last)
      return `${layout === null ? 'none' : Tmem.showTensorMemoryLayout(layout)} ${String(tmemColumnsOf(ref))}`
    }
    const shown = (l: E.Either<{ readonly message: string }, Tmem.TensorMemoryLayout>): string =>
      Tmem.showTensorMemoryLayout(right(l))
    expect(of([128, 64], 'f32')).toBe(`${shown(Tmem.defaultLayout(1))} 64`)
    expect(of([128, 256], 'bf16', { packed: true })).toBe(`${shown(Tmem.defaultLayout(2))} 128`)
    expect(of([128, 256], 'bf16', { packed: false })).toBe(`${shown(Tmem.defaultLayout(1))} 256`)
    expect(of([128, 64], 'e4m3', { packed: true })).toBe(`${shown(Tmem.defaultLayout(4))} 16`)
    expect(of([64, 64], 'f32')).toBe(`${shown(Tmem.halfLane(64, 1))} 32`)
    expect(of([64, 64], 'f32', { collective: true })).toBe(`${shown(Tmem.m64Collective(64, 1))} 32`)
    expect(of([64, 64], 'f16', { packed: true })).toBe(`${shown(Tmem.halfLane(64, 2))} 16`)
    expect(of([2, 128, 64], 'f32')).toBe(`${shown(Tmem.defaultLayout(1))} 128`)
    expect(of([256, 8], 'e8m0', { layout: Tmem.scales })).toBe(`${shown(E.right(Tmem.scales))} 16`)
  })
  test('columns: three packed bf16 refs of 256 take 384, of 512; each begins at a multiple of four; a pair when collective', () => {
    const alloc = (...refs: ReadonlyArray<B.Build<unknown>>): ReadonlyArray<unknown> =>
      right(
        B.kernel(
          { name: 'k', arch: 'sm100a', cluster: [2], grid: [2], agents: [B.warpgroup('t', 0)] },
          function* () {
            for (const one of refs) yield* one
            yield* Pallas.threads([], [{ name: 't', body: function* () {} }], { cluster: 2 })
          },
        ),
      ).entry.body.flatMap((s) =>
        s._tag === 'If'
          ? s.then.body.flatMap((t) =>
              t._tag === 'Do' && t.instruction._tag === 'tcgen05.alloc'
                ? [t.instruction.columns, t.instruction.ctaGroup]
                : [],
            )
          : [],
      )
    const packed = (name: string, collective: boolean): B.Build<unknown> =>
      Pallas.TMEM(name, 'bf16', [128, 256], { packed: true, collective })
    expect(alloc(packed('a', false), packed('b', false), packed('c', false))).toEqual([512, 1])
    expect(alloc(packed('a', true), packed('b', true))).toEqual([256, 2])
    const small = [2, 30, 1].map((n, i) => Pallas.TMEM(`s${String(i)}`, 'f32', [128, n]))
    const laid = right(Pallas.placed(storages(...small)))
    expect(laid.map((s) => s.offset! / 4)).toEqual([0, 4, 36])
    expect(alloc(...small)).toEqual([64, 1])
  })
  test('law: columns used are those of the allocator of the layouts', () => {
    for (const widths of [[2, 30], [128, 128, 128], [4], [1, 1, 1], [512], [500, 12], [513], [300, 300]]) {
      const all = storages(...widths.map((n, i) => Pallas.TMEM(`s${String(i)}`, 'f32', [128, n])))
      const uses = widths.map((columns) => ({ rows: 128, columns, collective: false }))
      const want = allocate(uses)
      const used = Pallas.columnsUsed(all)
      if (E.isRight(want)) expect(8 * Math.ceil(used / 8)).toBe(want.right.used)
      else expect(used).toBeGreaterThan(512)
      const union = right(unionOf([uses, []]))
      expect(union.columns).toBe(4 * Math.ceil(used / 4))
    }
  })
})

describe('shared and global memory', () => {
  test('every ref of shared memory begins at a multiple of 1024 bytes', () => {
    const laid = right(
      Pallas.placed(storages(...[1, 100, 1024, 5].map((n) => Pallas.SMEM(`s${String(n)}`, 'i8', [n])))),
    )
    expect(laid.map((s) => s.offset)).toEqual([0, 1024, 2048, 3072])
  })
  test('a ref of any space is that of its own constructor', () => {
    const one = <A>(b: B.Build<A>): unknown => storages(b)
    expect(one(Pallas.MemoryRef(Pallas.MemorySpace.SMEM, 'x', 'f16', [8, 64]))).toEqual(
      one(Pallas.SMEM('x', 'f16', [8, 64])),
    )
    expect(one(Pallas.MemoryRef(Pallas.MemorySpace.TMEM, 'x', 'f16', [128, 64], { packed: true }))).toEqual(
      one(Pallas.TMEM('x', 'f16', [128, 64], { packed: true })),
    )
    expect(one(Pallas.MemoryRef(Pallas.MemorySpace.GMEM, 'x', 'f16', [8, 64]))).toEqual(
      one(Pallas.GMEM('x', 'f16', [8, 64])),
    )
  })
})
