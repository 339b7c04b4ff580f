/**
 * Pipelines with peeks, as CUTLASS writes them: the peek for step k + 1 is made at the end of step k, and its outcome is carried around the loop. Each is a program with
 * loops, and the skeleton of what it does, step by step.
 */
import * as B from '../../../../src/semantics/writing/builder.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Condition, Int } from '../../../../src/semantics/language/expression.js'
import * as S from '../../../../src/semantics/schedules/naive/skeleton.js'
import type { Op, Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { right } from '../../../either.js'

export type Damage = 'parity' | 'slot' | 'noRelease' | 'readEarly'
export const damages: ReadonlyArray<Damage> = ['parity', 'slot', 'noRelease', 'readEarly']

export interface Pipeline {
  readonly slots: number
  readonly steps: number
  /** the producer peeks, too */
  readonly both: boolean
  /** the peek stands before the work of its step, or behind it */
  readonly early: boolean
  readonly damage: Damage | null
}

const counts = [1, 2, 3]
export const pipelines: ReadonlyArray<Pipeline> = counts.flatMap((slots) =>
  [1, 2, 4].flatMap((steps) =>
    [false, true].flatMap((both) =>
      [false, true].flatMap((early) =>
        [null, ...damages]
          // what is damaged must happen, and be wrong: a step after the first, a slot that is filled again, another slot, or one that has been given back
          .filter(
            (d) =>
              d === null ||
              (steps > slots &&
                (d !== 'slot' || slots > 1) &&
                (d !== 'readEarly' || slots > 1 || !early) &&
                steps > 2),
          )
          .map((damage): Pipeline => ({ slots, steps, both, early, damage })),
      ),
    ),
  ),
)

// ---------------------------------------------------------------- step by step

export const skeletonOfPipeline = ({ slots, steps, both, early, damage }: Pipeline): Skeleton => {
  const full = (k: number): number => k % slots
  const empty = (k: number): number => slots + (k % slots)
  const turn = (k: number): 0 | 1 => (Math.floor(k / slots) % 2 === 1 ? 1 : 0)
  const other = (parity: 0 | 1): 0 | 1 => (parity === 1 ? 0 : 1)
  const x = (k: number): S.Atom => S.smem(0, `s${String(k % slots)}`)
  const steps_ = Array.from({ length: steps }, (_, k) => k)
  const wait = (peeked: boolean, b: number, parity: 0 | 1): Op =>
    peeked ? S.waitAfter('p', b, parity, false, false) : S.wait(b, parity)
  const ofFull = (k: number): ReadonlyArray<Op> =>
    k >= steps
      ? []
      : [
          S.peek(
            'p',
            damage === 'slot' && k > 0 ? full(k + 1) : full(k),
            damage === 'parity' && k > 0 ? other(turn(k)) : turn(k),
          ),
        ]
  const ofEmpty = (k: number): ReadonlyArray<Op> =>
    !both || k >= steps ? [] : [S.peek('p', empty(k), other(turn(k)))]
  const p = [
    ...ofEmpty(0),
    ...steps_.flatMap((k) => [
      wait(both, empty(k), other(turn(k))),
      S.write([x(k)]),
      S.arrive([full(k)]),
      ...ofEmpty(k + 1),
    ]),
  ]
  const c = [
    ...ofFull(0),
    ...steps_.flatMap((k) => {
      const next = damage === 'readEarly' && k + 1 < steps ? [S.read([x(k + 1)])] : []
      const work = [S.read([x(k)]), ...(damage === 'noRelease' ? [] : [S.arrive([empty(k)])])]
      return [
        wait(true, full(k), turn(k)),
        ...(early ? [...ofFull(k + 1), ...next, ...work] : [...work, ...ofFull(k + 1), ...next]),
      ]
    }),
  ]
  return {
    agents: [
      { name: 'p', cta: 0, ops: p },
      { name: 'c', cta: 0, ops: c },
    ],
    barriers: ['f', 'e'].flatMap((name) =>
      Array.from({ length: slots }, (_, s) => ({ name: `${name}${String(s)}`, cta: 0, count: 1 })),
    ),
  }
}

// ---------------------------------------------------------------- with loops

export const programOfPipeline = ({ slots, steps, both, early, damage }: Pipeline): Program =>
  right(
    B.kernel(
      { name: 'peeked', arch: 'sm90a', agents: [B.warpgroup('p', 0), B.warpgroup('c', 1)] },
      function* () {
        const s = yield* B.sharedMemory('s', 'f16', [slots, 8])
        const full = yield* B.barriers('full', [slots])
        const empty = yield* B.barriers('empty', [slots])
        for (const [name, of] of [
          ['full', full],
          ['empty', empty],
        ] as const)
          for (let k = 0; k < slots; k++)
            yield* B.run(`init ${name}[${String(k)}]`, {
              _tag: 'mbarrier.init',
              barrier: X.slot(of, X.i32(k)),
              count: 1,
            })
        const at = (k: Int): Int => X.rem(k, X.i32(slots))
        const turn = (k: Int): Int => X.rem(X.div(k, X.i32(slots)), X.i32(2))
        const other = (parity: Int): Int => X.sub(X.i32(1), parity)
        const next = (k: Int): Int => X.add(k, X.i32(1))
        const isStep = (k: Int): Condition => X.lt(k, X.i32(steps))
        const loop = (
          ready: Condition,
          body: (k: Int, ready: Condition) => B.Steps<Condition>,
        ): B.Build<unknown> =>
          B.forRange(
            { label: 'k', from: X.i32(0), to: X.i32(steps), carried: { ready } },
            function* (k, carried) {
              return { ready: yield* body(k, carried.ready) }
            },
          )
        const wait = (label: string, of: typeof full, k: Int, parity: Int, ready: Condition) =>
          B.run(
            label,
            { _tag: 'mbarrier.wait', barrier: X.slot(of, at(k)), parity, acquire: true, scope: 'cta' },
            { when: X.not(ready) },
          )
        const arrive = (label: string, of: typeof full, k: Int) =>
          B.run(label, {
            _tag: 'mbarrier.arrive',
            barrier: X.slot(of, at(k)),
            count: 1,
            release: true,
            scope: 'cta',
          })
        /** For step k, if there is one; else its wait is not made either. */
        const peek = (label: string, of: typeof full, k: Int, slot: Int, parity: Int) =>
          B.ifThen(
            label,
            isStep(k),
            function* () {
              return { ready: yield* B.testBarrier(`${label}.test`, X.slot(of, at(slot)), parity) }
            },
            function* () {
              return { ready: yield* B.of(X.i1(true)) }
            },
          )
        const read = (label: string, k: Int) => B.smemLoad(label, X.slot(s, at(k)))
        const none = X.i1(false)
        yield* B.fork(
          'roles',
          {
            agent: 'p',
            captures: {},
            *body() {
              const first = both ? yield* B.testBarrier('peek 0', X.slot(empty, X.i32(0)), X.i32(1)) : none
              yield* loop(first, function* (k, ready) {
                yield* wait('wait empty', empty, k, other(turn(k)), ready)
                yield* B.run('write', {
                  _tag: 'smem.store',
                  destination: X.slot(s, at(k)),
                  value: X.splat(X.float('f16', 0), [8]),
                })
                yield* arrive('arrive full', full, k)
                if (!both) return none
                return (yield* peek('peek empty', empty, next(k), next(k), other(turn(next(k))))).ready
              })
            },
          },
          [
            B.branch('c', {}, function* () {
              const first = yield* B.testBarrier('peek 0', X.slot(full, X.i32(0)), X.i32(0))
              yield* loop(first, function* (k, ready) {
                yield* wait('wait full', full, k, turn(k), ready)
                const work = function* (): B.Steps<void> {
                  yield* read('read', k)
                  if (damage !== 'noRelease') yield* arrive('arrive empty', empty, k)
                }
                if (!early) yield* work()
                const parity = damage === 'parity' ? other(turn(next(k))) : turn(next(k))
                const slot = damage === 'slot' ? next(next(k)) : next(k)
                const made = yield* peek('peek full', full, next(k), slot, parity)
                if (damage === 'readEarly')
                  yield* B.ifThen('read early', isStep(next(k)), function* () {
                    yield* read('read next', next(k))
                  })
                if (early) yield* work()
                return made.ready
              })
            }),
          ],
        )
      },
    ),
  )
