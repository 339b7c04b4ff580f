/**
 * tcgen05 and the transfers of tensor memory: rows, refusals, and the laws of `tcgen05.ts`, `tmem-transfer.ts` and `smem-to-tmem.ts`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { TMEM_NATIVE, TCGEN05, WGMMA, type TiledLayout } from '../../../src/layouts/tiled.js'
import { bits } from '../../../src/numerics/bits.js'
import { bitsOf, type FloatDtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { cast, i1, i32, slot, transposeView, type View } from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { numbers, product } from '../coverage/pallas/wgmma.js'
import { checked, statementsOf } from './programs.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- products

interface Product {
  readonly dtypes: readonly [a: FloatDtype, b: FloatDtype, into: 'f32' | 'f16']
  readonly pair: boolean
  /** of each block */
  readonly m: 64 | 128
  /** columns of the accumulator */
  readonly n: number
  readonly aTransposed: boolean
  readonly bTransposed: boolean
}
const k = 64

/** One product of a block or of a pair; operands are written by ordinary stores of each block. */
const multiplying = (p: Product): E.Either<{ readonly message: string }, Program> => {
  const [aDtype, bDtype, into] = p.dtypes
  const blocks = p.pair ? 2 : 1
  const own = p.n / blocks
  const [aShape, bShape] = [p.aTransposed ? [k, p.m] : [p.m, k], p.bTransposed ? [own, k] : [k, own]] as const
  return Pallas.kernel(
    {
      name: 'product',
      arch: 'sm100a',
      ...(p.pair ? { cluster: [2], clusterNames: ['pair'] } : {}),
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(aDtype), [aShape[1]!, bShape[1]!]))
      const a: View<'smem', FloatDtype, 2> = yield* Pallas.SMEM('a_smem', aDtype, [aShape[0]!, aShape[1]!], {
        transforms,
      })
      const b: View<'smem', FloatDtype, 2> = yield* Pallas.SMEM('b_smem', bDtype, [bShape[0]!, bShape[1]!], {
        transforms,
      })
      return {
        a,
        b,
        aGmem: yield* B.tensorParam('a', aDtype, [blocks, aShape[0]!, aShape[1]!], { role: 'in' }),
        bGmem: yield* B.tensorParam('b', bDtype, [blocks, bShape[0]!, bShape[1]!], { role: 'in' }),
        out: yield* B.tensorParam('out', 'f32', [blocks, p.m, p.n], { role: 'out' }),
        acc: yield* Pallas.TMEM(
          'acc',
          into,
          [p.m, p.n],
          into === 'f16' ? { packed: false, collective: p.pair } : { collective: p.pair },
        ),
        ready: p.pair
          ? yield* Pallas.ClusterBarrier('ready', { collectiveAxes: ['pair'] })
          : yield* Pallas.Barrier('ready'),
        done: yield* Pallas.Barrier('done', { ordersTensorCore: true }),
      }
    },
    function* (r) {
      const rank = p.pair ? yield* Pallas.axisIndex('pair') : i32(0)
      yield* B.run('a', {
        _tag: 'smem.store',
        destination: r.a,
        value: yield* B.gmemLoad('a in', slot(r.aGmem.view, rank)),
      })
      yield* B.run('b', {
        _tag: 'smem.store',
        destination: r.b,
        value: yield* B.gmemLoad('b in', slot(r.bGmem.view, rank)),
      })
      yield* B.run('commit', { _tag: 'fence.proxyAsync', scope: p.pair ? 'cluster' : 'cta' })
      yield* Pallas.barrierArrive('arrive ready', r.ready, null)
      yield* Pallas.barrierWait('wait ready', r.ready, null, Pallas.freshParities)
      yield* Pallas.tcgen05Mma(
        'mma',
        r.acc,
        p.aTransposed ? transposeView(r.a, [1, 0]) : r.a,
        p.bTransposed ? transposeView(r.b, [1, 0]) : r.b,
        r.done,
        null,
        i1(false),
        p.pair ? { collectiveAxis: 'pair' } : {},
      )
      yield* Pallas.barrierWait('wait done', r.done, null, Pallas.freshParities)
      const value = yield* Pallas.asyncLoadTmem('load', 'thread', r.acc, [p.m, p.n])
      yield* B.run('out', {
        _tag: 'gmem.store',
        destination: slot(r.out.view, rank),
        value: cast(value, 'f32'),
      })
    },
  )
}

const transposed = (x: ReadonlyArray<number>, rowCount: number): ReadonlyArray<number> =>
  x.map((_, at) => x[(at % rowCount) * (x.length / rowCount) + Math.floor(at / rowCount)]!)
const columnsOf = (
  x: ReadonlyArray<number>,
  width: number,
  from: number,
  count: number,
): ReadonlyArray<number> => x.filter((_, at) => at % width >= from && at % width < from + count)

const comesOut = (p: Product, program: Program): void => {
  const blocks = p.pair ? 2 : 1
  const own = p.n / blocks
  const a = numbers(blocks * p.m, k, 0)
  const b = numbers(k, p.n, 1)
  const aParts = Array.from({ length: blocks }, (_, v) => a.slice(v * p.m * k, (v + 1) * p.m * k))
  const bParts = Array.from({ length: blocks }, (_, v) => columnsOf(b, p.n, v * own, own))
  const algebra = bits('blackwell')
  const given = (dtype: FloatDtype, x: ReadonlyArray<number>): Float64Array =>
    Float64Array.from(x, (v) => algebra.constant(dtype, v))
  const { verdict, world, machine } = checked(
    program,
    { provenance: false, explore: false, strict: false },
    algebra,
    new Map([
      [
        'a',
        given(
          p.dtypes[0],
          aParts.flatMap((x) => (p.aTransposed ? transposed(x, p.m) : x)),
        ),
      ],
      [
        'b',
        given(
          p.dtypes[1],
          bParts.flatMap((x) => (p.bTransposed ? transposed(x, k) : x)),
        ),
      ],
    ]),
  )
  expect([p, verdict.verdict, verdict.reason]).toEqual([p, 'ok', expect.anything()])
  // law 2: the stacked a by the joined b, by rows
  expect(readTensor(world, machine, 'out')).toEqual(given('f32', product(a, b, [blocks * p.m, p.n, k])))
}

describe('products', () => {
  const base: Product = {
    dtypes: ['f16', 'f16', 'f32'],
    pair: false,
    m: 128,
    n: 32,
    aTransposed: false,
    bTransposed: false,
  }
  test.each<readonly [string, Product]>([
    ['64 rows: two products', { ...base, m: 64, n: 64, bTransposed: true }],
    ['64 rows, b as it lies', { ...base, m: 64, n: 128 }],
    ['both transposed', { ...base, aTransposed: true, bTransposed: true }],
    ['into f16', { ...base, dtypes: ['f16', 'f16', 'f16'] }],
    ['f32', { ...base, dtypes: ['f32', 'f32', 'f32'], bTransposed: true }],
    ['mixed fp8', { ...base, dtypes: ['e4m3', 'e5m2', 'f32'], bTransposed: true }],
    ['a pair, 64 rows each', { ...base, pair: true, m: 64, n: 64 }],
    ['a pair, transposed', { ...base, pair: true, aTransposed: true, bTransposed: true }],
  ])('laws 1 and 2: %s', (_, p) => {
    comesOut(p, right(multiplying(p)))
  })
  test('law 3: only the leader of a pair issues', () => {
    const p = right(multiplying({ ...base, pair: true }))
    const issued = statementsOf(p.entry).flatMap((s) =>
      s._tag === 'Do' && s.instruction._tag === 'tcgen05.mma' ? [s.when] : [],
    )
    expect(issued).toEqual([
      expect.objectContaining({ _tag: 'compare', op: 'eq', x: expect.objectContaining({ op: 'rem' }) }),
    ])
  })
})

describe('transfers', () => {
  const native = right(TMEM_NATIVE(1))
  const pairsOfColumns = right(TMEM_NATIVE(2))
  test.each<
    readonly [
      FloatDtype,
      readonly [number, number],
      Pallas.TmemOptions,
      ReadonlyArray<TiledLayout | undefined>,
    ]
  >([
    ['f32', [128, 32], {}, [undefined, TCGEN05, native, pairsOfColumns]],
    ['f32', [64, 32], {}, [undefined, WGMMA]],
    ['f16', [128, 32], { packed: true }, [undefined, TCGEN05, pairsOfColumns]],
    ['f16', [128, 32], { packed: false }, [undefined, TCGEN05, pairsOfColumns]],
  ])('law 1: %s %j %j: store, commit, load', (dtype, shape, options, layouts) => {
    for (const layout of layouts) {
      const p = right(
        Pallas.kernel(
          { name: 'transfer', arch: 'sm100a' },
          function* () {
            return {
              x: yield* B.tensorParam('x', dtype, shape, { role: 'in' }),
              out: yield* B.tensorParam('out', dtype, shape, { role: 'out' }),
              t: yield* Pallas.TMEM('t', dtype, shape, options),
            }
          },
          function* (r) {
            const value = yield* B.gmemLoad('x', r.x.view, layout === undefined ? {} : { layout })
            yield* Pallas.asyncStoreTmem('store', r.t, value)
            yield* Pallas.commitTmem('commit_tmem')
            const back = yield* Pallas.asyncLoadTmem('load', 'thread', r.t, shape, layout)
            yield* Pallas.waitLoadTmem('wait_load_tmem')
            yield* B.run('out', { _tag: 'gmem.store', destination: r.out.view, value: back })
          },
        ),
      )
      const x = Float64Array.from({ length: shape[0] * shape[1] }, (_, i) => (i * 7919) % 65536)
      const { verdict, world, machine } = checked(
        p,
        { explore: false },
        bits('blackwell'),
        new Map([['x', x]]),
      )
      expect([verdict.verdict, verdict.findings]).toEqual(['ok', []])
      expect(readTensor(world, machine, 'out')).toEqual(x)
    }
  })
})

test('a label twice: each load has registers of its own', () => {
  const program = right(
    Pallas.kernel(
      { name: 'twice', arch: 'sm100a' },
      () => Pallas.TMEM('t', 'f32', [128, 64]),
      function* (t) {
        for (let k = 0; k < 3; k++) yield* Pallas.asyncLoadTmem('load', 'thread', t)
        yield* Pallas.waitLoadTmem('wait')
      },
    ),
  )
  expect(program.storage.flatMap(({ id, space }) => (space === 'regs' ? [id] : []))).toEqual([
    'load.registers',
    'load.registers_1',
    'load.registers_2',
  ])
})
