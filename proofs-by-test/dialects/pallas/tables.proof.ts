/** What operations of Pallas take, on all of a finite domain. Oracles: the rule of each in a sentence; types that are made from one description are equal. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { TMEM_NATIVE } from '../../../src/layouts/tiled.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'

const made = (
  steps: () => B.Steps<void>,
): E.Either<{ readonly code: string; readonly message: string }, Program> =>
  Pallas.kernel({ name: 'k', arch: 'sm100a', numThreads: 2, threadName: 'wg' }, () => B.of(null), steps)
const inWarp =
  (steps: () => B.Steps<void>): (() => B.Steps<void>) =>
  () =>
    Pallas.coreMap('map', Pallas.WarpMesh({ axisName: 'warp' }), {}, steps)
/** The code of a refusal by the surface; null where it takes the operands, whatever the language says then. */
const refusal = (steps: () => B.Steps<void>): string | null => {
  const p = made(steps)
  return E.isLeft(p) && p.left.code.startsWith('pallas.') ? p.left.code : null
}

test('accumulators are of positive multiples of 64 by 8', () => {
  for (const m of [-64, 0, 1, 32, 63, 64, 64.5, 65, 128, NaN])
    for (const n of [-8, 0, 1, 4, 7, 8, 8.5, 9, 16, 256, NaN])
      expect([
        m,
        n,
        refusal(function* () {
          yield* Pallas.ACC('acc', 'wg0', 'f32', [m, n])
        }),
      ]).toEqual([m, n, [64, 128].includes(m) && [8, 16, 256].includes(n) ? null : 'pallas.acc.shape'])
})

test('registers of a thread are a multiple of 8 from 24 to 256', () => {
  for (let n = 0; n <= 264; n++) {
    const steps = () => Pallas.setMaxRegisters('set', n, { action: 'decrease' })
    expect([n, refusal(steps)]).toEqual([
      n,
      n % 8 > 0 ? 'pallas.registers.multiple' : n < 24 || n > 256 ? 'pallas.registers.range' : null,
    ])
    if (n % 64 === 0) expect(refusal(inWarp(steps))).toBe('pallas.registers.warp')
  }
})

describe('inline code', () => {
  type One = readonly [name: string, type: Pallas.InlineType, value: () => B.Build<X.Expr>]
  const tiles = [
    ['f32', [64, 8], Pallas.Layout.WGMMA],
    ['f32', [64, 16], Pallas.Layout.WGMMA],
    ['f32', [64, 8], undefined],
    ['i32', [64, 8], undefined],
    ['i32', [1, 1], undefined],
  ] as const
  const one = (dtype: 'f32' | 'i32'): X.Expr<'f32' | 'i32'> =>
    dtype === 'f32' ? X.float('f32', 1) : X.i32(1)
  const all: ReadonlyArray<One> = [
    ...(['f32', 'i32'] as const).map((dtype): One => [
      dtype,
      Pallas.ScalarType(dtype),
      () => B.of(one(dtype) as X.Expr),
    ]),
    ...tiles.map(([dtype, shape, layout]): One => {
      const splat = X.splat<'f32' | 'i32', number>(one(dtype), shape, layout ?? 'any')
      const type = Pallas.ArrayType({ dtype, shape, ...(layout === undefined ? {} : { layout }) })
      return [`${dtype} ${shape.join()} ${String(layout !== undefined)}`, type, () => B.of(splat as X.Expr)]
    }),
    ...(
      [
        ['f16', [64, 64]],
        ['f16', [64, 128]],
        ['bf16', [64, 64]],
      ] as const
    ).flatMap(([dtype, shape]) =>
      [0, 1].flatMap((tiled): ReadonlyArray<One> => {
        const transforms =
          tiled === 0 ? [] : [right(Pallas.TilingTransform([8, 64])), right(Pallas.SwizzleTransform(128))]
        const type = Pallas.RefType({ space: 'smem', dtype, shape, transforms })
        return [
          [
            `${dtype} ${shape.join()} ${String(tiled)}`,
            type,
            () => Pallas.SMEM('buf', dtype, shape, { transforms }) as B.Build<X.Expr>,
          ],
        ]
      }),
    ),
  ]
  test('every value for every type, as an argument and as a result', () => {
    for (const [expected, type] of all)
      for (const [found, , value] of all) {
        // an array in its layout is also one of any
        const fits = expected === found || expected === found.replace(/true$/u, 'false')
        expect([
          expected,
          found,
          refusal(function* () {
            yield* Pallas.inlineMgpu('inline', { argTypes: [type] }, [yield* value()], () => B.of(null))
          }),
          refusal(function* () {
            const result = yield* value()
            yield* Pallas.inlineMgpu('inline', { argTypes: [], returnType: type }, [], () => B.of(result))
          }),
        ]).toEqual([
          expected,
          found,
          fits ? null : 'pallas.inline.argument',
          fits ? null : 'pallas.inline.result',
        ])
      }
  })
  test('a warp gives one number at most', () => {
    for (const [name, type, value] of all.filter(([, { _tag }]) => _tag !== 'ref'))
      expect([
        name,
        refusal(
          inWarp(function* () {
            const result = yield* value()
            yield* Pallas.inlineMgpu('inline', { argTypes: [], returnType: type }, [], () => B.of(result))
          }),
        ),
      ]).toEqual([name, /^\w+$| 1,1 /u.test(name) ? null : 'pallas.inline.warp'])
  })
})

test('a load that reduces: the least or the largest, of magnitudes for floats alone', () => {
  for (const dtype of ['f32', 'i32', 'f16'] as const)
    for (const by of ['min', 'max', 'absmin', 'absmax'] as const) {
      const seen: X.ExprNode[] = []
      const code = refusal(function* () {
        const ref = yield* Pallas.TMEM('acc', dtype, [128, 64], dtype === 'f16' ? { packed: false } : {})
        const layout = right(TMEM_NATIVE(2))
        const found = yield* Pallas.asyncLoadTmemReduce('load', 'wg0', ref as never, [128, 64], layout, by)
        seen.push(found.reduced)
      })
      const fits = dtype === 'f32' || (dtype === 'i32' && !by.startsWith('abs'))
      expect([dtype, by, code]).toEqual([dtype, by, fits ? null : 'pallas.tmem.reduce'])
      for (const e of seen) {
        if (e._tag !== 'reduce') throw new Error(e._tag)
        const { result } = e.combine
        expect([e.axis, result._tag === 'binary' ? result.op : result._tag]).toEqual([
          1,
          by.replace('abs', ''),
        ])
        expect(e.x._tag === 'unary' ? e.x.op : null).toBe(by.startsWith('abs') ? 'abs' : null)
      }
    }
})
