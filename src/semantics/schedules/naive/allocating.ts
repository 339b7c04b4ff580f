/**
 * Programs that allocate tensor memory, soups and whole ones (the styles are in the table in `random.ts`).
 *
 * They are drawn apart from the others: what an allocator knows depends on the order of all allocations of a CTA, so an allocation in every skeleton would leave little of the
 * other kinds of mistakes to be seen.
 *
 * Law 1. A whole program that allocates is clean in every schedule.
 */
import * as S from './skeleton.js'
import type { Atom, Op, Skeleton, SkeletonBarrier } from './skeleton.js'
import { parityOf, type Dice, type Draft } from './dice.js'

export type AllocatingStyle = 'lend' | 'own' | 'twice' | 'both'
export const allocatingStyles: ReadonlyArray<AllocatingStyle> = ['lend', 'own', 'twice', 'both']

/** Columns, and the atom that begins with the n-th 32 of them. */
const atomAt = (cta: number, n: number): Atom => S.tmem(cta, `y${String(n)}`)
const stored = (atom: Atom): ReadonlyArray<Op> => [S.tensorStore([atom]), S.waitStores]
const loaded = (atom: Atom): ReadonlyArray<Op> => [S.tensorLoad([atom]), S.waitLoads]
const barriersNamed = (names: ReadonlyArray<string>): ReadonlyArray<SkeletonBarrier> =>
  names.map((name) => ({ name, cta: 0, count: 1 }))

const lend = (die: Dice): Draft => {
  const rounds = die.pick([1, 2])
  const columns = die.pick([32, 64])
  const y = atomAt(0, die.below(columns / 32))
  const promise = die.chance(0.3)
  const all = Array.from({ length: rounds }, (_, k) => k)
  const p = all.flatMap((k) => [
    S.alloc(columns),
    ...(promise && k === rounds - 1 ? [S.relinquish()] : []),
    ...stored(y),
    S.fenceBefore,
    S.arrive([0]),
    S.wait(1, parityOf(k)),
    S.free(columns),
  ])
  const c = all.flatMap((k) => [
    S.wait(0, parityOf(k)),
    S.fenceAfter,
    ...loaded(y),
    S.fenceBefore,
    S.arrive([1]),
  ])
  return {
    ctas: [0, 0],
    names: ['p', 'c'],
    barriers: barriersNamed(['f', 'e']),
    tensor: [false, false],
    bodies: [p, c],
  }
}

const own = (die: Dice): Draft => {
  const second = die.pick([32, 32, 64])
  const first = Math.max(second, die.pick([32, 64]))
  // the second's columns begin where the first's end
  const [x, y] = [atomAt(0, 0), atomAt(0, first / 32)]
  return {
    ctas: [0, 0],
    names: ['p', 'c'],
    barriers: barriersNamed(['f', 'e']),
    tensor: [false, false],
    bodies: [
      // the second's columns begin there only while the first has its own
      [S.alloc(first), S.arrive([0]), ...stored(x), ...loaded(x), S.wait(1, 0), S.free(first)],
      [S.wait(0, 0), S.alloc(second), ...stored(y), ...loaded(y), S.arrive([1]), S.free(second)],
    ],
  }
}

const twice = (die: Dice): Draft => {
  const columns = die.pick([32, 64])
  const [x, y] = [atomAt(0, 0), atomAt(0, columns / 32)]
  const p = [S.alloc(columns), S.alloc(columns), ...stored(x), S.fenceBefore, S.arrive([0])]
  const c = [S.wait(0, 0), S.fenceAfter, ...loaded(x), ...stored(y), S.free(columns)]
  const late = die.chance(0.5)
  return {
    ctas: [0, 0],
    names: ['p', 'c'],
    barriers: barriersNamed(['f', 'e']),
    tensor: [false, false],
    bodies: late
      ? [
          [...p, S.wait(1, 0), S.free(columns)],
          [...c, S.arrive([1])],
        ]
      : [p, [...c, S.free(columns)]],
  }
}

const bothCtas = (die: Dice): Draft => {
  const rounds = die.pick([1, 2])
  const columns = die.pick([32, 64])
  const more = die.chance(0.4)
  const times = Array.from({ length: more ? 2 : 1 })
  const bodies = [0, 1].map((cta) => {
    const y = atomAt(cta, more ? columns / 32 : 0)
    return Array.from({ length: rounds }).flatMap(() => [
      ...times.map(() => S.alloc(columns, 2)),
      ...stored(y),
      ...loaded(y),
      S.rendezvous('x', [0, 1]),
      ...times.map(() => S.free(columns, 2)),
      S.rendezvous('x', [0, 1]),
    ])
  })
  return { ctas: [0, 1], names: ['p', 'q'], barriers: [], tensor: [], bodies }
}

export const allocatingSoup = (die: Dice): Draft => {
  const two = die.chance(0.4)
  const group = two && die.chance(0.7) ? 2 : 1
  const agents = two ? 2 : die.pick([2, 2, 3])
  const ctas = Array.from({ length: agents }, (_, x) => (two ? x % 2 : 0))
  const barriers = barriersNamed(['b0', 'b1'].slice(0, die.below(2) + 1)).map(({ name, cta }) => ({
    name,
    cta,
    count: die.pick([1, 1, 2]),
  }))
  const word = die.pick(['AFAFluSd', 'AFaWluS', 'AAFFaW', 'AFAFaWWR'])
  const sizes = die.pick([[32], [32], [64, 32]])
  const bodies = ctas.map((cta) => {
    const body: Op[] = die.chance(0.7) ? [S.alloc(sizes[0]!, group)] : []
    const y = (): Atom => atomAt(cta, die.below(2))
    const length = die.below(agents === 2 ? 5 : 3) + 1
    for (let k = 0; k < length; k++)
      switch (die.pick([...word])) {
        case 'A':
          body.push(S.alloc(die.pick(sizes), group))
          break
        case 'F':
          body.push(S.free(die.pick(sizes), group))
          break
        case 'R':
          body.push(S.relinquish(group))
          break
        case 'l':
          body.push(S.tensorLoad([y()]))
          break
        case 'd':
          body.push(S.waitLoads)
          break
        case 'u':
          body.push(S.tensorStore([y()]))
          break
        case 'S':
          body.push(S.waitStores)
          break
        case 'a':
          body.push(S.arrive([die.below(barriers.length)]))
          break
        default:
          if (cta === 0) body.push(S.wait(die.below(barriers.length), parityOf(die.below(2))))
      }
    if (die.chance(0.8)) body.push(S.free(sizes[0]!, group))
    return body
  })
  if (two && die.chance(0.6)) for (const body of bodies) body.push(S.rendezvous('x', [0, 1], true))
  return {
    ctas,
    names: ctas.map((_, x) => `t${String(x)}`),
    barriers,
    tensor: barriers.map(() => false),
    bodies,
  }
}

export const allocating = (die: Dice, style: AllocatingStyle): Draft => {
  switch (style) {
    case 'lend':
      return lend(die)
    case 'own':
      return own(die)
    case 'twice':
      return twice(die)
    case 'both':
      return bothCtas(die)
  }
}

/** A program that allocates nothing has no tensor memory, and one that allocates too little is refused before it runs. */
export const holds = (s: Skeleton): boolean => {
  const given = s.agents.reduce(
    (sum, agent) => sum + agent.ops.reduce((n, op) => n + (op._tag === 'alloc' ? op.columns : 0), 0),
    0,
  )
  return given > 0 && S.atomColumns * S.columnOf(s).size <= given
}
