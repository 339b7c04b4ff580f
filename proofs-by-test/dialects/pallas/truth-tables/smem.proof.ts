/**
 * Truth tables of shared memory: who must commit, who must wait, and what a wait covers.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import type { View } from '../../../../src/semantics/language/expression.js'
import { either, combinations, fill, holds, iff, kernelOf, none, rows, type Flags } from './table.js'

const origin = [none, none]
const arrive = (label: string, b: Pallas.Barrier): B.Build<void> => Pallas.barrierArrive(label, b, null)
/** A thread that waits once for a barrier. */
const wait = (label: string, b: Pallas.Barrier): B.Build<unknown> =>
  Pallas.barrierWait(label, b, null, Pallas.freshParities)

interface Refs {
  readonly s: View<'smem', 'f32', 2>
  readonly x: B.Tensor<'f32', 2>
  readonly out: B.Tensor<'f32', 2>
  readonly first: Pallas.Barrier
  readonly second: Pallas.Barrier
}
const declare = function* (): B.Steps<Refs> {
  return {
    s: yield* Pallas.SMEM('s', 'f32', rows),
    x: yield* B.tensorParam('x', 'f32', rows, { role: 'in' }),
    out: yield* B.tensorParam('out', 'f32', rows, { role: 'inout' }),
    first: yield* Pallas.Barrier('first'),
    second: yield* Pallas.Barrier('second'),
  }
}
const barriers = ({ first, second }: Refs): ReadonlyArray<Pallas.Barrier> => [first, second]
const storeOut = function* ({ s, out }: Refs): B.Steps<void> {
  yield* Pallas.copySmemToGmem('copy', s, Pallas.at(out, origin, rows))
  yield* Pallas.waitSmemToGmem('wait copy', 0)
}

describe('a generic write, then a TMA store', () => {
  test('of one thread: right iff a commit_smem stands between', () => {
    interface F extends Flags {
      readonly before: boolean
      readonly between: boolean
      readonly after: boolean
    }
    expect(
      holds<F>(
        combinations<F>({ before: either, between: either, after: either }),
        (f) =>
          kernelOf('sm90a', 1, declare, barriers, (r) => [
            function* () {
              yield* iff(f.before, () => Pallas.commitSmem('commit before'))
              yield* fill('write', r.s)
              yield* iff(f.between, () => Pallas.commitSmem('commit'))
              yield* storeOut(r)
              yield* iff(f.after, () => Pallas.commitSmem('commit after'))
            },
          ]),
        ({ between }) => (between ? [] : [{ between: ['write', 'copy'], missing: ['fence'] }]),
      ),
    ).toEqual({ rows: 8, wrong: 4 })
  })

  test('of two threads: right iff it is handed on, and one of them commits while it has the write', () => {
    interface F extends Flags {
      readonly early: boolean
      readonly writer: boolean
      readonly arrives: boolean
      readonly ahead: boolean
      readonly waits: boolean
      readonly storer: boolean
    }
    expect(
      holds<F>(
        combinations<F>({
          early: either,
          writer: either,
          arrives: either,
          ahead: either,
          waits: either,
          storer: either,
        }),
        (f) =>
          kernelOf('sm90a', 2, declare, barriers, (r) => [
            function* () {
              yield* iff(f.early, () => Pallas.commitSmem('early'))
              yield* fill('write', r.s)
              yield* iff(f.writer, () => Pallas.commitSmem('commit of the writer'))
              yield* iff(f.arrives, () => arrive('arrive', r.first))
            },
            function* () {
              yield* iff(f.ahead, () => Pallas.commitSmem('ahead'))
              yield* iff(f.waits, () => wait('wait', r.first))
              yield* iff(f.storer, () => Pallas.commitSmem('commit of the storer'))
              yield* storeOut(r)
            },
          ]),
        ({ arrives, waits, writer, storer }) => {
          if (waits && !arrives) return 'deadlock'
          if (!waits)
            return [
              { between: ['write', 'copy'], missing: arrives ? ['wait', 'arrive-wait'] : ['arrive-wait'] },
            ]
          return writer || storer ? [] : [{ between: ['write', 'copy'], missing: ['fence'] }]
        },
      ),
    ).toEqual({ rows: 64, wrong: 16 + 32 + 4 })
  })

  test('through a third thread: any of the three may commit, once it has the write', () => {
    interface F extends Flags {
      readonly writer: boolean
      readonly between: 'no' | 'before it waits' | 'after it waits'
      readonly storer: 'no' | 'before it waits' | 'after it waits'
    }
    const when = ['no', 'before it waits', 'after it waits'] as const
    expect(
      holds<F>(
        combinations<F>({ writer: either, between: when, storer: when }),
        (f) =>
          kernelOf('sm90a', 3, declare, barriers, (r) => [
            function* () {
              yield* fill('write', r.s)
              yield* iff(f.writer, () => Pallas.commitSmem('commit of the writer'))
              yield* arrive('arrive first', r.first)
            },
            function* () {
              yield* iff(f.between === 'before it waits', () => Pallas.commitSmem('too early'))
              yield* wait('wait first', r.first)
              yield* iff(f.between === 'after it waits', () => Pallas.commitSmem('commit between'))
              yield* arrive('arrive second', r.second)
            },
            function* () {
              yield* iff(f.storer === 'before it waits', () => Pallas.commitSmem('too early'))
              yield* wait('wait second', r.second)
              yield* iff(f.storer === 'after it waits', () => Pallas.commitSmem('commit of the storer'))
              yield* storeOut(r)
            },
          ]),
        ({ writer, between, storer }) =>
          writer || between === 'after it waits' || storer === 'after it waits'
            ? []
            : [{ between: ['write', 'copy'], missing: ['fence'] }],
      ),
    ).toEqual({ rows: 18, wrong: 4 })
  })
})

describe('a TMA load, then a read', () => {
  test('right iff the reader has waited for the copy, or been told by one who had', () => {
    interface F extends Flags {
      /** when the thread that loads waits for its copy */
      readonly loader: 'at once' | 'at the end'
      /** it tells the second thread after its wait, if that is at once, else right after the issue */
      readonly tells: boolean
      readonly reader: 'loader' | 'other'
      /** what the other thread waits for */
      readonly waitsFor: 'nothing' | 'the copy' | 'the loader' | 'both'
    }
    expect(
      holds<F>(
        combinations<F>({
          loader: ['at once', 'at the end'],
          tells: either,
          reader: ['loader', 'other'],
          waitsFor: ['nothing', 'the copy', 'the loader', 'both'],
        }),
        (f) =>
          kernelOf('sm90a', 2, declare, barriers, (r) => {
            const reads = (): B.Build<unknown> => B.smemLoad('read', r.s)
            return [
              function* () {
                yield* Pallas.copyGmemToSmem('load', Pallas.at(r.x, origin, rows), r.s, r.first, null)
                yield* iff(f.loader === 'at once', () => wait('wait', r.first))
                yield* iff(f.tells, () => arrive('tell', r.second))
                yield* iff(f.reader === 'loader', reads)
                yield* iff(f.loader === 'at the end', () => wait('wait at the end', r.first))
              },
              function* () {
                yield* iff(f.waitsFor === 'the copy' || f.waitsFor === 'both', () =>
                  wait('other waits', r.first),
                )
                yield* iff(f.waitsFor === 'the loader' || f.waitsFor === 'both', () =>
                  wait('other hears', r.second),
                )
                yield* iff(f.reader === 'other', reads)
              },
            ]
          }),
        ({ loader, tells, reader, waitsFor }) => {
          const [direct, told] = [
            waitsFor === 'the copy' || waitsFor === 'both',
            waitsFor === 'the loader' || waitsFor === 'both',
          ]
          if (told && !tells) return 'deadlock'
          const has = reader === 'loader' ? loader === 'at once' : direct || (told && loader === 'at once')
          // who was told too early: the arrive that told it may stand later, too
          return has ? [] : [{ between: ['load', 'read'], missing: ['wait', 'arrive'] }]
        },
      ).rows,
    ).toBe(32)
  })
})

describe('groups of copies', () => {
  interface Two extends Refs {
    readonly sources: ReadonlyArray<View<'smem', 'f32', 2>>
    readonly destinations: ReadonlyArray<B.Tensor<'f32', 2>>
  }
  const two = function* (): B.Steps<Two> {
    const refs = yield* B.block(declare)
    return {
      ...refs,
      sources: [refs.s, yield* Pallas.SMEM('s1', 'f32', rows)],
      destinations: [refs.out, yield* B.tensorParam('out1', 'f32', rows, { role: 'inout' })],
    }
  }
  interface F extends Flags {
    /** copies that the wait of the issuer may leave open; -1: it does not wait before it tells */
    readonly leaves: number
    readonly readOnly: boolean
    /** which of its two copies is touched: its source is overwritten, or its destination read; and by whom */
    readonly which: 0 | 1
    readonly touches: 'source' | 'destination'
    readonly by: 'issuer' | 'other'
    /** the other thread waits for all copies of its own: it has none */
    readonly otherWaits: boolean
    readonly hears: boolean
  }
  const flags = combinations<F>({
    leaves: [-1, 0, 1],
    readOnly: either,
    which: [0, 1],
    touches: ['source', 'destination'],
    by: ['issuer', 'other'],
    otherWaits: either,
    hears: either,
  }).filter((f) => (f.leaves >= 0 || !f.readOnly) && (f.by === 'other' || (!f.otherWaits && f.hears)))

  test('a wait covers the copies of the thread that waits, the oldest first; their reads or the whole of them', () => {
    expect(
      holds<F>(
        flags,
        (f) =>
          kernelOf('sm90a', 2, two, barriers, (r) => {
            const touch = (): B.Build<unknown> =>
              f.touches === 'source'
                ? fill('touch', r.sources[f.which]!)
                : B.gmemLoad('touch', r.destinations[f.which]!.view)
            return [
              function* () {
                for (const [i, s] of r.sources.entries()) {
                  yield* fill(`write ${String(i)}`, s)
                  yield* Pallas.commitSmem(`commit ${String(i)}`)
                  yield* Pallas.copySmemToGmem(
                    `copy ${String(i)}`,
                    s,
                    Pallas.at(r.destinations[i]!, origin, rows),
                  )
                }
                yield* iff(f.leaves >= 0, () => Pallas.waitSmemToGmem('wait copies', f.leaves, f.readOnly))
                yield* arrive('tell', r.first)
                yield* iff(f.by === 'issuer', touch)
                yield* Pallas.waitSmemToGmem('wait at the end', 0)
              },
              function* () {
                yield* iff(f.otherWaits, () => Pallas.waitSmemToGmem('wait of the other', 0))
                yield* iff(f.hears, () => wait('hear', r.first))
                yield* iff(f.by === 'other', touch)
              },
            ]
          }),
        ({ leaves, readOnly, which, touches, by, hears }) => {
          // of two copies the newest `leaves` stay open
          const covered = leaves >= 0 && which < 2 - leaves && (touches === 'source' || !readOnly)
          const told = by === 'issuer' || hears
          const copy = `copy ${String(which)}`
          const missing = told
            ? (['group-wait'] as const)
            : covered
              ? (['wait', 'arrive-wait'] as const)
              : (['arrive-wait'] as const)
          return [
            ...(covered && told ? [] : [{ between: [copy, 'touch'] as const, missing }]),
            // the ordinary write of the source is overwritten too
            ...(touches === 'source' && !told
              ? [
                  {
                    between: [`write ${String(which)}`, 'touch'] as const,
                    missing: ['wait', 'arrive-wait'] as const,
                  },
                ]
              : []),
          ]
        },
      ).rows,
    ).toBe(100)
  })
})
