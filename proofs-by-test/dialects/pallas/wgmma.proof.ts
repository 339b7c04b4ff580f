/**
 * wgmma: laws 2 and 3 of `wgmma.ts`, its rows, its refusals, and the three steps that make an operand in registers legal.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { WGMMA, WGMMA_8BIT } from '../../../src/layouts/tiled.js'
import { bits } from '../../../src/numerics/bits.js'
import { bitsOf, type FloatDtype } from '../../../src/numerics/dtype.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { cast, i32, slot, transposeView, type View } from '../../../src/semantics/language/expression.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { numbers, product } from '../coverage/pallas/wgmma.js'
import { checked, statementsOf } from './programs.js'
import { right } from '../../either.js'

interface Product {
  readonly dtypes: readonly [a: FloatDtype, b: FloatDtype]
  readonly a: 'smem' | 'smem transposed' | 'registers'
  readonly b: 'smem' | 'smem transposed'
  readonly n: number
  readonly k: number
}

/** One product of 64 rows, into f32, of refs written by ordinary stores. */
const multiplying = ({ dtypes, a, b, n, k }: Product): E.Either<{ readonly message: string }, Program> =>
  B.kernel({ name: 'product', arch: 'sm90a', agents: [B.warpgroup('thread', 0)] }, function* () {
    const m = 64
    const [aShape, bShape] = [
      a === 'smem transposed' ? [k, m] : [m, k],
      b === 'smem transposed' ? [n, k] : [k, n],
    ]
    const aGmem = yield* B.tensorParam('a', dtypes[0], [aShape[0]!, aShape[1]!], { role: 'in' })
    const bGmem = yield* B.tensorParam('b', dtypes[1], [bShape[0]!, bShape[1]!], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f32', [m, n], { role: 'out' })
    const transforms = yield* B.fromEither(
      Pallas.mmaTransforms(bitsOf(dtypes[0]), [...(a === 'registers' ? [k] : [aShape[1]!]), bShape[1]!]),
    )
    const bSmem: View<'smem', FloatDtype, 2> = yield* B.sharedMemory(
      'b_smem',
      dtypes[1],
      [bShape[0]!, bShape[1]!],
      transforms,
    )
    const acc = yield* Pallas.ACC('acc', 'thread', 'f32', [m, n])
    yield* Pallas.threads(
      [],
      [
        {
          name: 'thread',
          body: function* () {
            yield* Pallas.initAccumulator('zero', acc)
            const bValue = yield* B.gmemLoad('b', bGmem.view)
            yield* B.run('b_smem[...] = b', { _tag: 'smem.store', destination: bSmem, value: bValue })
            const right = b === 'smem transposed' ? transposeView(bSmem, [1, 0]) : bSmem
            if (a === 'registers') {
              yield* Pallas.commitSmem('commit_smem')
              const value = yield* B.gmemLoad('a', aGmem.view, {
                layout: bitsOf(dtypes[0]) === 16 ? WGMMA : WGMMA_8BIT,
              })
              yield* Pallas.wgmma('wgmma', acc, value, right)
            } else {
              const aSmem: View<'smem', FloatDtype, 2> = yield* B.sharedMemory(
                'a_smem',
                dtypes[0],
                [aShape[0]!, aShape[1]!],
                transforms,
              )
              const aValue = yield* B.gmemLoad('a', aGmem.view)
              yield* B.run('a_smem[...] = a', { _tag: 'smem.store', destination: aSmem, value: aValue })
              yield* Pallas.commitSmem('commit_smem')
              yield* Pallas.wgmma(
                'wgmma',
                acc,
                a === 'smem transposed' ? transposeView(aSmem, [1, 0]) : aSmem,
                right,
              )
            }
            const value = yield* Pallas.readAccumulator('acc[...]', acc)
            yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value })
          },
        },
      ],
    )
  })

const transposed = (x: ReadonlyArray<number>, rowCount: number): ReadonlyArray<number> => {
  const columns = x.length / rowCount
  return Array.from(
    { length: x.length },
    (_, at) => x[(at % rowCount) * columns + Math.floor(at / rowCount)]!,
  )
}

const dtypePairs: ReadonlyArray<readonly [FloatDtype, FloatDtype]> = [
  ['f16', 'f16'],
  ['bf16', 'bf16'],
  ['f32', 'f32'],
  ['e4m3', 'e4m3'],
  ['e5m2', 'e5m2'],
  ['e4m3', 'e5m2'],
  ['e5m2', 'e4m3'],
]

describe('products', () => {
  test('laws 2 and 3: every dtype, place and order of the operands that is legal gives the product of integers; the others are refused', () => {
    const accepted: string[] = []
    for (const dtypes of dtypePairs)
      for (const a of ['smem', 'smem transposed', 'registers'] as const)
        for (const b of ['smem', 'smem transposed'] as const) {
          const [n, k] = [32, 64]
          const program = multiplying({ dtypes, a, b, n, k })
          // by the table: only 16 bits run along m and n; in registers there is no f32
          const width = bitsOf(dtypes[0])
          const legal =
            width === 16 || (b === 'smem transposed' && (a === 'smem' || (a === 'registers' && width === 8)))
          expect([dtypes, a, b, E.isRight(program)]).toEqual([dtypes, a, b, legal])
          if (E.isLeft(program)) continue
          accepted.push([...dtypes, a, b].join(' '))
          const [x, y] = [numbers(64, k, 0), numbers(k, n, 2)]
          const algebra = bits('hopper')
          const given = (dtype: FloatDtype, values: ReadonlyArray<number>): Float64Array =>
            Float64Array.from(values, (v) => algebra.constant(dtype, v))
          const { verdict, world, machine } = checked(
            program.right,
            { provenance: false, explore: false },
            algebra,
            new Map([
              ['a', given(dtypes[0], a === 'smem transposed' ? transposed(x, 64) : x)],
              ['b', given(dtypes[1], b === 'smem transposed' ? transposed(y, k) : y)],
            ]),
          )
          expect([dtypes, a, b, verdict.verdict, verdict.reason]).toEqual([
            dtypes,
            a,
            b,
            'ok',
            expect.anything(),
          ])
          expect(readTensor(world, machine, 'out')).toEqual(given('f32', product(x, y, [64, n, k])))
        }
    expect(accepted).toHaveLength(2 * 6 + 1 + 4 * 2)
  })
})

describe('A in registers', () => {
  /** `steps` products in a loop, each of another array; a wait in every turn, or none. */
  const looping = (wait: number | null): Program =>
    right(
      B.kernel({ name: 'looping', arch: 'sm90a', agents: [B.warpgroup('thread', 0)] }, function* () {
        const steps = 3
        const aGmem = yield* B.tensorParam('a', 'f32', [steps, 64, 64], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f32', [64, 64], { role: 'out' })
        const transforms = yield* B.fromEither(Pallas.mmaTransforms(16, [64]))
        const bSmem = yield* B.sharedMemory('b_smem', 'f16', [64, 64], transforms)
        const acc = yield* Pallas.ACC('acc', 'thread', 'f32', [64, 64])
        yield* Pallas.threads(
          [],
          [
            {
              name: 'thread',
              body: function* () {
                yield* Pallas.initAccumulator('zero', acc)
                const ones = yield* B.gmemLoad('b', slot(aGmem.view, i32(0)))
                yield* B.run('b_smem[...] = b', {
                  _tag: 'smem.store',
                  destination: bSmem,
                  value: cast(ones, 'f16'),
                })
                yield* Pallas.commitSmem('commit_smem')
                yield* B.forRange({ label: 'i', from: i32(0), to: i32(steps), carried: {} }, function* (i) {
                  const value = yield* B.gmemLoad('a', slot(aGmem.view, i), { layout: WGMMA })
                  yield* Pallas.wgmma('wgmma', acc, cast(value, 'f16'), bSmem)
                  if (wait !== null) yield* Pallas.wgmmaWait('wgmma_wait', wait)
                  return {}
                })
                const value = yield* Pallas.readAccumulator('acc[...]', acc)
                yield* B.run('out', { _tag: 'gmem.store', destination: out.view, value })
              },
            },
          ],
        )
      }),
    )
  test('step 2: the registers are written, fenced, and then given to the tensor core', () => {
    const tags = statementsOf(looping(0).entry).flatMap((s) => (s._tag === 'Do' ? [s.instruction._tag] : []))
    const at = tags.indexOf('wgmma.mma')
    expect(tags.slice(at - 2, at + 2)).toEqual([
      'regs.write',
      'wgmma.fence',
      'wgmma.mma',
      'wgmma.commitGroup',
    ])
  })
  test('step 3: written again while a product may still read them, they are W3; the group wait is the missing edge', () => {
    expect(checked(looping(0)).verdict.verdict).toBe('ok')
    for (const wait of [1, null]) {
      const { verdict } = checked(looping(wait))
      expect([wait, verdict.verdict]).toEqual([wait, 'hazard'])
      const found = verdict.findings.find((f) => f.id === 'W3')
      expect([found?.a.site, found?.b?.site, found?.missing?.kind]).toEqual([
        'wgmma',
        'wgmma.a',
        'group-wait',
      ])
    }
  })
})
