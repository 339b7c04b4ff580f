/** Random grids of core programs: two agents, their places and their ways made of the coordinates of their block, of constants and of loops. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as S from '../../../src/kernels/broken/zoo/twin.js'
import {
  add,
  eq,
  i32,
  lt,
  max,
  min,
  mul,
  place,
  rem,
  select,
  sub,
  type Condition,
  type Int,
} from '../../../src/semantics/language/expression.js'
import { place as placed } from '../../../src/semantics/language/place.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { validate } from '../../../src/semantics/language/validate.js'
import * as B from '../../../src/semantics/writing/builder.js'
import { right } from '../../either.js'
import { rolling } from './grids.js'

/** Rows of tiles that a block may touch. */
const tiles = 400

/** A program of so many blocks, as a body says it. */
export const programOf = (name: string, blocks: number, body: () => B.Steps<void>): Program =>
  right(
    pipe(
      B.draft(
        {
          name,
          arch: 'sm90a',
          grid: [blocks],
          cluster: [1],
          agents: [B.warpgroup('producer', 0), B.warpgroup('consumer', 1)],
        },
        body,
      ),
      E.chainW(placed),
      E.chainW(validate),
    ),
  )

export const block: Int = place('programId', 0)
/** The rows of the tile of this number. */
export const tileAt = (n: Int): Int => mul(i32(8), max(i32(0), min(n, i32(tiles - 1))))
export const out: B.Build<S.Global> = S.global('out', 'inout', 8 * tiles)

export const coreGridOf = (seed: number): { readonly program: Program; readonly blocks: number } => {
  const below = rolling(seed)
  const blocks = 64 + below(9)
  const one = <A>(xs: ReadonlyArray<A>): A => xs[below(xs.length)]!
  const numberOf = (names: ReadonlyArray<Int>, depth: number): Int =>
    depth === 0 || below(3) === 0
      ? one([...names, i32(below(4))])
      : one([add, add, mul, sub, min])(numberOf(names, depth - 1), numberOf(names, depth - 1))
  const tests: ReadonlyArray<(n: Int) => Condition> = [
    (n) => lt(n, i32(below(4) === 0 ? 60 : 1000)),
    (n) => eq(rem(n, i32(2)), i32(0)),
    (n) => lt(n, i32(0)),
  ]
  const conditionOf = (names: ReadonlyArray<Int>): Condition => one(tests)(numberOf(names, 1))
  /** mostly a tile of the block's own */
  const tileOf = (names: ReadonlyArray<Int>): Int =>
    one([
      block,
      block,
      add(mul(block, i32(2)), i32(below(3))),
      add(block, i32(150)),
      select(conditionOf(names), block, add(block, i32(below(3) === 0 ? 1 : 100))),
      numberOf(names, 2),
    ])
  let labels = 0
  const label = (what: string): string => `${what} ${String(labels++)}`
  const statements = function* (
    names: ReadonlyArray<Int>,
    to: S.Global,
    s: S.Tile,
    depth: number,
  ): B.Steps<void> {
    const own = [...names]
    for (let n = 1 + below(3); n > 0; n--)
      switch (below(depth === 0 ? 4 : 7)) {
        case 0:
          own.push(yield* B.letIn(label('n'), numberOf(own, 2)))
          break
        case 1:
          yield* S.writeGlobal(label('write'), S.rows(to, tileAt(tileOf(own))))
          break
        case 2:
          yield* S.readGlobal(label('read'), S.rows(to, tileAt(tileOf(own))))
          break
        case 3:
          yield* S.write(label('write s'), s)
          break
        case 4:
          yield* B.ifThen(label('if'), conditionOf(own), () => statements(own, to, s, depth - 1))
          break
        case 5:
          yield* B.forRange(
            {
              label: label('for'),
              from: i32(0),
              to: below(3) === 0 ? min(numberOf(own, 1), i32(3)) : i32(below(3)),
              carried: { c: numberOf(own, 1) },
            },
            function* (index, { c }) {
              yield* statements([...own, index, c], to, s, depth - 1)
              return { c: add(c, numberOf(own, 1)) }
            },
          )
          break
        case 6: {
          const most = below(3)
          yield* B.whileLoop(
            { label: label('while'), carried: { n: i32(0), c: numberOf(own, 1) } },
            // eslint-disable-next-line require-yield -- it has no statement
            function* ({ n, c }) {
              return [lt(n, i32(most)), { n, c: add(c, block) }] as const
            },
            function* ({ n, c }) {
              yield* statements([...own, n, c], to, s, depth - 1)
              return { n: add(n, i32(1)), c }
            },
          )
          break
        }
      }
  }
  const program = programOf(`grid ${String(seed)}`, blocks, function* () {
    const to = yield* out
    const s = yield* S.tile('s')
    const full = yield* S.barrier('full')
    const n = yield* B.letIn('first', numberOf([block], 1))
    const isOrdered = below(4) > 0
    yield* B.fork(
      'together',
      {
        agent: 'producer',
        captures: { n },
        *body({ n: mine }) {
          yield* statements([block, mine], to, s, 2)
          yield* S.write('write s', s)
          yield* S.arrive('arrive full', full)
        },
      },
      [
        B.branch('consumer', { m: add(n, block) }, function* ({ m }) {
          if (isOrdered) yield* S.wait('wait full', full, 0)
          yield* S.read('read s', s)
          yield* statements([block, m], to, s, 2)
        }),
      ],
    )
    yield* S.readGlobal('read last', S.rows(to, tileAt(n)))
  })
  return { program, blocks }
}
