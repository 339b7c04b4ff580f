/**
 * Truth tables of the tensor cores: stores and loads of tensor memory, operands and results of products.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { float, i1, i32, slice, splat, type View } from '../../../../src/semantics/language/expression.js'
import { either, combinations, holds, iff, kernelOf, type Flags, type Gap } from './table.js'

const accShape = [128, 16] as const
const arrive = (label: string, b: Pallas.Barrier): B.Build<void> => Pallas.barrierArrive(label, b, null)
const wait = (label: string, b: Pallas.Barrier): B.Build<unknown> =>
  Pallas.barrierWait(label, b, null, Pallas.freshParities)

interface Refs {
  readonly acc: View<'tmem', 'f32', 2>
  readonly a: View<'smem', 'f16', 2>
  readonly b: View<'smem', 'f16', 2>
  /** between the threads, with or without the order of the tensor core */
  readonly told: Pallas.Barrier
  readonly done: Pallas.Barrier<true>
}
const declare = (orders: boolean) =>
  function* (): B.Steps<Refs> {
    const transforms = yield* B.fromEither(Pallas.mmaTransforms(16, [16]))
    const a = yield* Pallas.SMEM('a', 'f16', [128, 16], { transforms })
    return {
      acc: yield* Pallas.TMEM('acc', 'f32', accShape),
      a,
      // both operands lie in the same bytes: one finding for both
      b: slice(a, [i32(0), i32(0)], [16, 16]),
      told: yield* Pallas.Barrier('told', { ordersTensorCore: orders }),
      done: yield* Pallas.Barrier('done', { ordersTensorCore: true }),
    }
  }
const barriers = ({ told, done }: Refs): ReadonlyArray<Pallas.Barrier> => [told, done]

const ones = splat<'f32', 2>(float('f32', 1), accShape)
const store = (label: string, { acc }: Refs): B.Build<void> => Pallas.asyncStoreTmem(label, acc, ones)
const load = (label: string, thread: string, { acc }: Refs): B.Build<unknown> =>
  Pallas.asyncLoadTmem(label, thread, acc, accShape)
const operands = (label: string, { a }: Refs): B.Build<void> =>
  B.run(label, {
    _tag: 'smem.store',
    destination: a,
    value: splat<'f16', 2>(float('f16', 1), [128, 16]),
  })
const product = (label: string, { acc, a, b, done }: Refs, arrives: boolean): B.Build<void> =>
  Pallas.tcgen05Mma(label, acc, a, b, arrives ? done : null, null, i1(false))

describe('tensor memory between threads', () => {
  test('a store, then a load: right iff commit_tmem stands between, on the side that stores, and the barrier orders the tensor core', () => {
    interface F extends Flags {
      readonly commits: boolean
      readonly by: 'same' | 'other'
      readonly hears: boolean
      readonly orders: boolean
      readonly otherCommits: boolean
    }
    const flags = combinations<F>({
      commits: either,
      by: ['same', 'other'],
      hears: either,
      orders: either,
      otherCommits: either,
    }).filter((f) => f.by === 'other' || (f.hears && f.orders && !f.otherCommits))
    expect(
      holds<F>(
        flags,
        (f) =>
          kernelOf('sm100a', 2, declare(f.orders), barriers, (r) => [
            function* () {
              yield* store('store', r)
              yield* iff(f.commits, () => Pallas.commitTmem('commit_tmem'))
              yield* arrive('tell', r.told)
              yield* iff(f.by === 'same', () => load('load', 't0', r))
              yield* Pallas.commitTmem('commit at the end')
              yield* Pallas.waitLoadTmem('wait at the end')
            },
            function* () {
              yield* iff(f.hears, () => wait('hear', r.told))
              yield* iff(f.otherCommits, () => Pallas.commitTmem('commit of the other'))
              yield* iff(f.by === 'other', () => load('load', 't1', r))
              yield* Pallas.waitLoadTmem('other waits at the end')
            },
          ]),
        ({ commits, by, hears, orders }) => {
          const gap = (...missing: Gap['missing']): ReadonlyArray<Gap> => [
            { between: ['store', 'load'], missing },
          ]
          if (by === 'same') return commits ? [] : gap('group-wait')
          if (!hears) return gap('wait', 'arrive-wait')
          if (!commits) return orders ? gap('group-wait') : gap('group-wait', 'arrive-wait', 'none-found')
          return orders ? [] : gap('fence')
        },
      ).rows,
    ).toBe(18)
  })

  test('a load, then an overwrite: right iff the thread that loads waits for its load first', () => {
    interface F extends Flags {
      readonly waits: boolean
      readonly by: 'same' | 'other'
      readonly hears: boolean
      readonly orders: boolean
      readonly otherWaits: boolean
      readonly overwrites: 'a store' | 'a product'
    }
    expect(
      holds<F>(
        combinations<F>({
          waits: either,
          by: ['same', 'other'],
          hears: either,
          orders: either,
          otherWaits: either,
          overwrites: ['a store', 'a product'],
        }).filter((f) => f.by === 'other' || (f.hears && f.orders && !f.otherWaits)),
        (f) =>
          kernelOf('sm100a', 2, declare(f.orders), barriers, (r) => {
            const overwrite = (): B.Build<void> =>
              B.block(function* () {
                if (f.overwrites === 'a store') {
                  yield* store('overwrite', r)
                  yield* Pallas.commitTmem('commit overwrite')
                } else {
                  yield* operands('operands', r)
                  yield* Pallas.commitSmem('commit_smem')
                  yield* product('overwrite', r, true)
                  yield* wait('wait done', r.done)
                }
              })
            return [
              function* () {
                yield* store('store', r)
                yield* Pallas.commitTmem('commit_tmem')
                yield* load('load', 't0', r)
                yield* iff(f.waits, () => Pallas.waitLoadTmem('wait_load_tmem'))
                yield* arrive('tell', r.told)
                yield* iff(f.by === 'same', overwrite)
                yield* Pallas.waitLoadTmem('wait at the end')
              },
              function* () {
                yield* iff(f.hears, () => wait('hear', r.told))
                yield* iff(f.otherWaits, () => Pallas.waitLoadTmem('wait of the other'))
                yield* iff(f.by === 'other', overwrite)
              },
            ]
          }),
        ({ waits, by, hears }) => {
          if (by === 'same') return waits ? [] : [{ between: ['load', 'overwrite'], missing: ['group-wait'] }]
          if (!hears)
            return [
              { between: ['load', 'overwrite'], missing: ['wait', 'arrive-wait'] },
              { between: ['store', 'overwrite'], missing: ['wait', 'arrive-wait'] },
            ]
          return waits ? [] : [{ between: ['load', 'overwrite'], missing: ['group-wait'] }]
        },
      ).rows,
    ).toBe(36)
  })
})

describe('tcgen05_mma', () => {
  test('operands are committed before it; operands and results are touched after its commit has arrived and was awaited', () => {
    interface F extends Flags {
      readonly commits: boolean
      readonly arrives: 'with the product' | 'by a commit' | 'never'
      readonly waits: boolean
      readonly touches: 'operands' | 'accumulator'
      readonly by: 'issuer' | 'other'
    }
    const flags = combinations<F>({
      commits: either,
      arrives: ['with the product', 'by a commit', 'never'],
      waits: either,
      touches: ['operands', 'accumulator'],
      by: ['issuer', 'other'],
    })
    expect(
      holds<F>(
        flags,
        (f) =>
          kernelOf('sm100a', 2, declare(true), barriers, (r) => {
            const touch = (thread: string): B.Build<unknown> =>
              f.touches === 'operands' ? operands('touch', r) : load('touch', thread, r)
            return [
              function* () {
                yield* operands('write', r)
                yield* iff(f.commits, () => Pallas.commitSmem('commit_smem'))
                yield* product('product', r, f.arrives === 'with the product')
                yield* iff(f.arrives === 'by a commit', () =>
                  Pallas.tcgen05CommitArrive('commit_arrive', r.done, null),
                )
                yield* arrive('tell', r.told)
                yield* iff(f.waits && f.by === 'issuer', () => wait('wait done', r.done))
                yield* iff(f.by === 'issuer', () => touch('t0'))
                yield* Pallas.waitLoadTmem('wait at the end')
                yield* iff(f.arrives !== 'never' && !(f.waits && f.by === 'issuer'), () =>
                  wait('wait done at the end', r.done),
                )
              },
              function* () {
                yield* wait('hear', r.told)
                yield* iff(f.waits && f.by === 'other', () => wait('other waits', r.done))
                yield* iff(f.by === 'other', () => touch('t1'))
                yield* Pallas.waitLoadTmem('other waits at the end')
              },
            ]
          }),
        ({ commits, arrives, waits, by }) => {
          if (arrives === 'never' && waits) return 'deadlock'
          const gaps: Gap[] = []
          if (!commits) gaps.push({ between: ['write', 'product'], missing: ['fence'] })
          if (!waits)
            gaps.push({
              between: ['product', 'touch'],
              // who was told too early: the arrive that told it may stand later, or be a commit
              missing:
                by === 'other'
                  ? arrives === 'never'
                    ? ['arrive']
                    : ['wait', 'arrive']
                  : arrives === 'never'
                    ? ['arrive-wait']
                    : ['wait'],
            })
          // still under way when the tensor memory is given back, and when the kernel ends; had the other been told by a commit, it would know
          if (arrives === 'never')
            gaps.push(
              { between: ['product', 'deallocate'], missing: ['arrive', 'arrive-wait'] },
              { between: ['product', ''], missing: ['arrive'] },
            )
          return gaps
        },
      ).rows,
    ).toBe(48)
  })
})

describe('wgmma', () => {
  test('after two products, wgmma_wait(n) leaves the newest n running; a documented wgmma waits until one runs', () => {
    interface F extends Flags {
      readonly wgmma: Pallas.WgmmaWait
      /** -1: no wait */
      readonly n: number
      /** the operand of which product is overwritten, or is the accumulator read */
      readonly touches: 'first' | 'second' | 'accumulator'
      readonly commits: boolean
    }
    interface Hopper {
      readonly operands: ReadonlyArray<View<'smem', 'f16', 2>>
      readonly b: View<'smem', 'f16', 2>
      readonly acc: Pallas.Accumulator
    }
    const value = splat<'f16', 2>(float('f16', 1), [64, 32])
    expect(
      holds<F>(
        combinations<F>({
          wgmma: ['implemented', 'documented'],
          n: [-1, 0, 1, 2],
          touches: ['first', 'second', 'accumulator'],
          commits: either,
        }),
        (f) =>
          kernelOf<Hopper>(
            'sm90a',
            1,
            function* () {
              const transforms = yield* B.fromEither(Pallas.mmaTransforms(16, [32]))
              return {
                operands: [
                  yield* Pallas.SMEM('a0', 'f16', [64, 32], { transforms }),
                  yield* Pallas.SMEM('a1', 'f16', [64, 32], { transforms }),
                ],
                b: yield* Pallas.SMEM('b', 'f16', [32, 32], { transforms }),
                acc: yield* Pallas.ACC('acc', 't0', 'f32', [64, 32]),
              }
            },
            () => [],
            (r) => [
              function* () {
                yield* Pallas.initAccumulator('zero', r.acc)
                yield* B.run('write b', {
                  _tag: 'smem.store',
                  destination: r.b,
                  value: splat<'f16', 2>(float('f16', 1), [32, 32]),
                })
                yield* Pallas.commitSmem('commit b')
                for (const [i, a] of r.operands.entries())
                  yield* B.run(`write ${String(i)}`, { _tag: 'smem.store', destination: a, value })
                yield* iff(f.commits, () => Pallas.commitSmem('commit'))
                for (const [i, a] of r.operands.entries())
                  yield* Pallas.wgmma(`wgmma ${String(i)}`, r.acc, a, r.b, f.wgmma)
                yield* iff(f.n >= 0, () => Pallas.wgmmaWait('wait', f.n))
                if (f.touches === 'accumulator') yield* Pallas.wgmmaAccumulatorLoad('touch', r.acc, null)
                else
                  yield* B.run('touch', {
                    _tag: 'smem.store',
                    destination: r.operands[f.touches === 'first' ? 0 : 1]!,
                    value,
                  })
                yield* Pallas.wgmmaWait('wait at the end', 0)
              },
            ],
          ),
        ({ wgmma, n, touches, commits }) => {
          const running = Math.min(n < 0 ? 2 : n, wgmma === 'documented' ? 1 : 2)
          const runs = (which: number): boolean => which >= 2 - running
          // products of one accumulator come one after the other: who sees the last one done sees all
          const touched = touches === 'first' ? [0] : [1]
          return [
            ...touched
              .filter(runs)
              .map((i): Gap => ({ between: [`wgmma ${String(i)}`, 'touch'], missing: ['group-wait'] })),
            ...(commits
              ? []
              : [0, 1].map((i): Gap => ({
                  between: [`write ${String(i)}`, `wgmma ${String(i)}`],
                  missing: ['fence'],
                }))),
          ]
        },
      ).rows,
    ).toBe(48)
  })
})
