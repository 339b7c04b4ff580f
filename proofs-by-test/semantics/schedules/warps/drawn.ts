/**
 * Skeletons that kernels of warps alone have: clusters of two CTAs, named barriers by count, words of memory, and these together.
 *
 * As in `random.ts` there are soups, drawn blindly, and programs as they should be with up to three damages.
 *
 * | style      | who tells whom                                                                                   |
 * |------------|--------------------------------------------------------------------------------------------------|
 * | push       | an agent writes into the peer's shared memory and arrives there; the peer gives the slot back   |
 * | pull       | it writes at home and arrives at the peer, which reads over the cluster                          |
 * | named      | producer and consumers by bar.arrive and bar.sync, a pair of ids a slot                          |
 * | phases     | writes before a cluster barrier, reads of the peer's behind it, again and again                  |
 * | turns      | words of memory say whose turn it is, by release and acquire or by fences                        |
 * | counted    | several add to a word, and one waits for all of them                                             |
 * | handed     | a write goes over a named barrier to a warp that tells the peer by a word                        |
 * | filled     | copies fill slots, which named barriers or words give back                                       |
 * | multicast, remote | as in `random.ts`                                                                         |
 *
 * Whatever reaches into another CTA meets the cluster at its end.
 *
 * Law 1. A program without a damage is clean in every schedule.
 */
import { dice, skeletonOf, withPeeks, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import * as S from '../../../../src/semantics/schedules/naive/skeleton.js'
import type {
  Atom,
  Op,
  Skeleton,
  SkeletonBarrier,
} from '../../../../src/semantics/schedules/naive/skeleton.js'

interface Draft {
  readonly ctas: ReadonlyArray<number>
  readonly barriers: ReadonlyArray<SkeletonBarrier>
  readonly bodies: ReadonlyArray<ReadonlyArray<Op>>
}

const parity = (n: number): 0 | 1 => ((n & 1) === 1 ? 1 : 0)
const rounds = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, k) => k)
const leave = (die: Dice): ReadonlyArray<Op> => [S.clusterArrive(die.chance(0.5)), S.clusterWait]

// ---------------------------------------------------------------- as they should be

const push = (die: Dice): Draft => {
  const slots = 1 + die.below(2)
  const times = rounds(1 + die.below(3))
  const end = leave(die)
  const [p, c]: [Op[], Op[]] = [[], []]
  for (const k of times) {
    const [slot, turn] = [k % slots, Math.floor(k / slots)]
    const x = S.smem(0, `x${String(slot)}`)
    if (turn > 0) p.push(S.wait(2 * slot + 1, parity(turn - 1)))
    p.push(S.write([x]), S.arrive([2 * slot]))
    c.push(S.wait(2 * slot, parity(turn)), S.read([x]), S.arrive([2 * slot + 1]))
  }
  return {
    ctas: [1, 0],
    barriers: rounds(slots).flatMap((s) => [
      { name: `f${String(s)}`, cta: 0, count: 1 },
      { name: `e${String(s)}`, cta: 1, count: 1 },
    ]),
    bodies: [
      [...p, ...end],
      [...c, ...end],
    ],
  }
}

const pull = (die: Dice): Draft => {
  const twice = die.chance(0.5)
  const also = die.chance(0.4)
  const x = S.smem(0, 'x0')
  const end = leave(die)
  const p = [
    S.write([x]),
    S.arrive([0]),
    ...(twice ? [S.wait(1, 0), S.write([x]), S.arrive([0]), S.wait(1, 1)] : []),
  ]
  const c = rounds(twice ? 2 : 1).flatMap((k) => [S.wait(0, parity(k)), S.read([x]), S.arrive([1])])
  return {
    ctas: also ? [0, 1, 1] : [0, 1],
    barriers: [
      { name: 'f0', cta: 1, count: 1 },
      { name: 'e0', cta: 0, count: also ? 2 : 1 },
    ],
    bodies: [[...p, ...end], [...c, ...end], ...(also ? [[...c, ...end]] : [])],
  }
}

const named = (die: Dice): Draft => {
  const slots = 1 + die.below(2)
  const readers = die.pick([1, 1, 2])
  const times = rounds(1 + die.below(readers === 1 ? 3 : 2))
  const last = die.chance(0.4)
  const [p, c]: [Op[], Op[]] = [[], []]
  const count = readers + 1
  for (const k of times) {
    const [slot, turn] = [k % slots, Math.floor(k / slots)]
    const x = S.smem(0, `x${String(slot)}`)
    if (turn > 0) p.push(S.namedSync(2 * slot + 2, count))
    p.push(
      S.write([x]),
      last && k === times.length - 1 ? S.namedSync(2 * slot + 1, count) : S.namedArrive(2 * slot + 1, count),
    )
    c.push(S.namedSync(2 * slot + 1, count), S.read([x]))
    // nobody waits for a slot that is not filled again
    if (k + slots < times.length) c.push(S.namedArrive(2 * slot + 2, count))
  }
  return {
    ctas: rounds(count).map(() => 0),
    barriers: [],
    bodies: [p, ...rounds(readers).map(() => c)],
  }
}

const phases = (die: Dice): Draft => {
  const ctas = die.pick([
    [0, 1],
    [0, 1],
    [0, 0, 1],
  ])
  const both = die.chance(0.5)
  const again = die.chance(0.5)
  const x = (cta: number): Atom => S.smem(cta, 'x0')
  const bodies = ctas.map((cta, agent): ReadonlyArray<Op> => {
    const writes = (both || cta === 0) && ctas.indexOf(cta) === agent
    const reads = both || cta === 1 ? [S.read([x(1 - cta)])] : []
    return [
      ...(writes ? [S.write([x(cta)])] : []),
      S.clusterArrive(),
      ...(die.chance(0.3) ? [S.write([S.smem(cta, `own${String(agent)}`)])] : []),
      S.clusterWait,
      ...reads,
      S.clusterArrive(die.chance(0.6)),
      S.clusterWait,
      ...(again
        ? [
            ...(writes ? [S.write([x(cta)])] : []),
            S.clusterArrive(),
            S.clusterWait,
            ...reads,
            S.clusterArrive(true),
            S.clusterWait,
          ]
        : []),
    ]
  })
  return { ctas, barriers: [], bodies }
}

/** A word and what it is about, and the operations that tell and hear it. */
const messages = (
  die: Dice,
  word: Atom,
  wide: boolean,
  how: 'store' | 'add' = 'store',
): {
  readonly tells: (value: number) => ReadonlyArray<Op>
  readonly hears: (until: 'eq' | 'ge', value: number) => ReadonlyArray<Op>
} => {
  const [releases, acquires] = [die.chance(0.6), die.chance(0.6)]
  return {
    tells: (value) =>
      releases
        ? [S.tell(word, how, value, true, wide)]
        : [S.fenceMemory(wide), S.tell(word, how, value, false, wide)],
    hears: (until, value) =>
      acquires
        ? [S.hear(word, until, value, true, wide)]
        : [S.hear(word, until, value, false, wide), S.fenceMemory(wide)],
  }
}

const turns = (die: Dice): Draft => {
  const far = die.chance(0.6)
  const ctas = far ? [0, 1] : [0, 0]
  const x = die.chance(0.5) ? S.gmem('x0') : S.smem(0, 'x0')
  const full = messages(die, die.chance(0.5) ? S.gmem('f') : S.smem(ctas[1]!, 'f'), far || die.chance(0.3))
  const empty = messages(die, die.chance(0.5) ? S.gmem('e') : S.smem(0, 'e'), far || die.chance(0.3))
  const times = rounds(1 + die.below(2))
  const end = far ? leave(die) : []
  const until = die.pick(['eq', 'ge'] as const)
  const p = times.flatMap((k) => [
    ...(k > 0 ? empty.hears(until, k) : []),
    S.write([x]),
    ...full.tells(k + 1),
  ])
  const c = times.flatMap((k) => [
    ...full.hears(until, k + 1),
    S.read([x]),
    ...(k + 1 < times.length ? empty.tells(k + 1) : []),
  ])
  return {
    ctas,
    barriers: [],
    bodies: [
      [...p, ...end],
      [...c, ...end],
    ],
  }
}

const counted = (die: Dice): Draft => {
  const far = die.chance(0.6)
  const ctas = far
    ? die.pick([
        [0, 1, 1],
        [0, 0, 1],
      ])
    : [0, 0, 0]
  const m = messages(
    die,
    die.chance(0.6) ? S.gmem('f') : S.smem(ctas[2]!, 'f'),
    far || die.chance(0.3),
    'add',
  )
  const x = (agent: number): Atom =>
    die.chance(0.5) ? S.gmem(`x${String(agent)}`) : S.smem(ctas[agent]!, `x${String(agent)}`)
  const places = [x(0), x(1)]
  const end = far ? leave(die) : []
  return {
    ctas,
    barriers: [],
    bodies: [
      ...places.map((place) => [S.write([place]), ...m.tells(1), ...end]),
      [...m.hears(die.pick(['eq', 'ge']), 2), ...places.map((place) => S.read([place])), ...end],
    ],
  }
}

const handed = (die: Dice): Draft => {
  const x = die.chance(0.4) ? S.gmem('x0') : S.smem(0, 'x0')
  const m = messages(die, die.chance(0.5) ? S.gmem('f') : S.smem(1, 'f'), true)
  const end = leave(die)
  return {
    ctas: [0, 0, 1],
    barriers: [],
    bodies: [
      [S.write([x]), die.chance(0.5) ? S.namedArrive(1, 2) : S.namedSync(1, 2), ...end],
      [S.namedSync(1, 2), ...m.tells(1), ...end],
      [...m.hears('ge', 1), S.read([x]), ...end],
    ],
  }
}

const filled = (die: Dice): Draft => {
  const byWord = die.chance(0.5)
  const times = rounds(1 + die.below(2))
  const x = S.smem(0, 'x0')
  const m = messages(die, S.smem(0, 'e'), false)
  const p = times.flatMap((k) => [
    ...(k === 0 ? [] : byWord ? m.hears('ge', k) : [S.namedSync(1, 2)]),
    S.arriveExpect(0, 1),
    S.load([], [{ atoms: [x], barrier: 0, units: 1 }]),
  ])
  const c = times.flatMap((k) => [
    S.wait(0, parity(k)),
    S.read([x]),
    ...(k + 1 === times.length ? [] : byWord ? m.tells(k + 1) : [S.namedArrive(1, 2)]),
  ])
  return { ctas: [0, 0], barriers: [{ name: 'f0', cta: 0, count: 1 }], bodies: [p, c] }
}

export type Style = 'push' | 'pull' | 'named' | 'phases' | 'turns' | 'counted' | 'handed' | 'filled'
const styles: Readonly<Record<Style, (die: Dice) => Draft>> = {
  push,
  pull,
  named,
  phases,
  turns,
  counted,
  handed,
  filled,
}

export const allStyles: ReadonlyArray<Style> = [
  'push',
  'pull',
  'named',
  'phases',
  'turns',
  'counted',
  'handed',
  'filled',
]

// ---------------------------------------------------------------- soups

const words = [
  'rwRXaaWW',
  'aWaWrRcCw',
  'cCcCrRwX',
  'nNnNrw',
  'nNaWrw',
  'tThrwRf',
  'tThhmmrwR',
  'thaWrw',
  'thnNrw',
  'cCthrR',
]

const soup = (die: Dice): Draft => {
  const word = die.pick(words)
  const two = /[cCRX]/.test(word) || die.chance(0.5)
  const agents = die.pick([2, 2, 3])
  const ctas = rounds(agents).map((x) => (two ? x % 2 : 0))
  const barriers = rounds(die.below(2) + 1).map((k) => ({
    name: `b${String(k)}`,
    cta: die.pick(two ? [0, 1] : [0]),
    count: die.pick([1, 1, 2]),
  }))
  const atoms = die.below(2) + 1
  const wide = die.chance(0.75)
  const place = (): Atom => (die.chance(0.6) ? S.gmem('f') : S.smem(die.pick(two ? [0, 1] : [0]), 'f'))
  const f = place()
  const bodies = ctas.map((cta) => {
    const mine = barriers.flatMap((b, k) => (b.cta === cta ? [k] : []))
    const body: Op[] = []
    const length = die.below(agents === 2 ? 6 : 4) + 1
    for (let k = 0; k < length; k++) {
      const b = die.below(barriers.length)
      const x = (at: number): Atom => S.smem(at, `x${String(die.below(atoms))}`)
      const scope = die.chance(0.9) ? wide : !wide
      const orders = die.chance(0.7)
      switch (die.pick([...word])) {
        case 'r':
          body.push(S.read([x(cta)]))
          break
        case 'w':
          body.push(S.write([x(cta)]))
          break
        case 'R':
          body.push(S.read([x(1 - cta)]))
          break
        case 'X':
          body.push(S.write([x(1 - cta)]))
          break
        case 'a':
          body.push(S.arrive([b], die.chance(0.15)))
          break
        case 'W':
          if (mine.length > 0) body.push(S.wait(die.pick(mine), parity(die.below(2)), die.chance(0.1)))
          break
        case 'c':
          body.push(S.clusterArrive(die.chance(0.3)))
          break
        case 'C':
          body.push(S.clusterArrive(die.chance(0.3)), S.clusterWait)
          break
        case 'n':
          body.push(S.namedArrive(1, die.pick([1, 2, 2, 2])))
          break
        case 'N':
          body.push(S.namedSync(1, die.pick([1, 2, 2, 2])))
          break
        case 't':
          body.push(S.tell(f, 'store', 1 + die.below(2), orders, scope))
          break
        case 'T':
          body.push(S.tell(f, 'add', 1, orders, scope))
          break
        case 'h':
          body.push(S.hear(f, die.pick(['eq', 'ge', 'ge', 'any']), 1 + die.below(2), orders, scope))
          break
        case 'm':
          body.push(S.fenceMemory(scope))
          break
        default:
          body.push(S.fence(die.pick(['cta', 'global'])))
      }
    }
    return body
  })
  const end = two && die.chance(0.6) ? [S.clusterArrive(die.chance(0.5)), S.clusterWait] : []
  return { ctas, barriers, bodies: bodies.map((body) => [...body, ...end]) }
}

// ---------------------------------------------------------------- damages

const other = (die: Dice, a: Atom): Atom => (a._tag === 'smem' ? S.smem(die.below(2), a.name) : a)

const damage = (die: Dice, draft: Draft, times: number): Draft => {
  const bodies = draft.bodies.map((body) => [...body])
  const barriers = [...draft.barriers]
  const two = draft.ctas.some((cta) => cta > 0)
  for (let t = 0; t < times; t++) {
    const x = die.below(bodies.length)
    const body = bodies[x]!
    if (body.length === 0) continue
    const i = die.below(body.length)
    const op = body[i]!
    const m = die.below(100)
    const put = (next: Op): void => {
      body[i] = next
    }
    if (m < 30) {
      body.splice(i, 1)
      continue
    }
    if (m < 38) {
      body.splice(i, 0, op)
      continue
    }
    if (m < 50) {
      const j = die.chance(0.7) ? i + 1 : die.below(body.length)
      const next = body[j]
      if (next === undefined) continue
      body[i] = next
      body[j] = op
      continue
    }
    if (m < 55 && barriers.length > 0) {
      const k = die.below(barriers.length)
      const b = barriers[k]!
      barriers[k] = { name: b.name, cta: b.cta, count: Math.max(1, b.count + die.pick([-1, 1])) }
      continue
    }
    switch (op._tag) {
      case 'arrive':
        put(
          die.chance(0.4)
            ? S.arrive([die.below(barriers.length)], op.relaxed)
            : die.chance(0.5)
              ? S.arrive(op.barriers, !op.relaxed)
              : S.narrow(op),
        )
        break
      case 'wait':
        put(
          die.chance(0.4)
            ? S.wait(op.barrier, parity(op.parity ^ 1), op.relaxed)
            : die.chance(0.5)
              ? S.wait(op.barrier, op.parity, !op.relaxed)
              : S.narrow(op),
        )
        break
      case 'arriveExpect':
        put(die.chance(0.5) ? S.expect(op.barrier, op.units) : S.arrive([op.barrier]))
        break
      case 'namedArrive':
        put(
          die.chance(0.5)
            ? S.namedArrive(op.id, Math.max(1, op.count + die.pick([-1, 1])))
            : die.chance(0.5)
              ? S.namedSync(op.id, op.count)
              : S.namedArrive(1 + die.below(2), op.count),
        )
        break
      case 'namedSync':
        put(
          die.chance(0.5)
            ? S.namedSync(op.id, Math.max(1, op.count + die.pick([-1, 1])))
            : die.chance(0.5)
              ? S.namedArrive(op.id, op.count)
              : S.namedSync(1 + die.below(2), op.count),
        )
        break
      case 'clusterArrive':
        put(S.clusterArrive(!op.relaxed))
        break
      case 'tell':
        put(
          die.chance(0.4)
            ? S.tell(op.word, op.how, op.value, !op.releases, op.wide)
            : die.chance(0.6)
              ? S.tell(op.word, op.how, op.value, op.releases, !op.wide)
              : S.tell(op.word, op.how === 'add' ? 'store' : 'add', op.value, op.releases, op.wide),
        )
        break
      case 'hear':
        put(
          die.chance(0.4)
            ? S.hear(op.word, op.until, op.value, !op.acquires, op.wide)
            : die.chance(0.6)
              ? S.hear(op.word, op.until, op.value, op.acquires, !op.wide)
              : S.hear(
                  op.word,
                  die.pick(['eq', 'ge', 'any']),
                  Math.max(1, op.value + die.pick([-1, 1])),
                  op.acquires,
                  op.wide,
                ),
        )
        break
      case 'fenceMemory':
        put(S.fenceMemory(!op.wide))
        break
      case 'read':
        put(two ? S.read(op.atoms.map((a) => other(die, a))) : S.write(op.atoms))
        break
      case 'write':
        put(two ? S.write(op.atoms.map((a) => other(die, a))) : S.read(op.atoms))
        break
      default:
        body.splice(i, 1)
    }
  }
  return { ctas: draft.ctas, barriers, bodies }
}

// ---------------------------------------------------------------- drawing

const plain = ({ ctas, barriers, bodies }: Draft): Skeleton => ({
  agents: bodies.map((ops, x) => ({ name: `t${String(x)}`, cta: ctas[x]!, ops })),
  barriers,
})

/** Some initialisations that the other CTA does not see. */
const hidden = (die: Dice, s: Skeleton): Skeleton =>
  s.agents.some((a) => a.cta > 0) && die.chance(0.1)
    ? { agents: s.agents, barriers: s.barriers.map((b) => (die.chance(0.5) ? S.unpublished(b) : b)) }
    : s

/** A program as it should be. */
export const asItShouldBe = (seed: number, style: Style): Skeleton => plain(styles[style](dice(seed)))

/** A soup, a program, or a program with damages; some with peeks; some of `random.ts`, in clusters. */
export const clusteredOf = (seed: number): Skeleton => {
  const die = dice(seed ^ 0x3c1a57)
  const m = die.below(100)
  const s =
    m < 15
      ? skeletonOf(seed, { tensor: false, copies: true, cluster: true })
      : hidden(
          die,
          plain(
            m < 45
              ? soup(die)
              : damage(die, styles[die.pick(allStyles)](die), die.pick([0, 0, 1, 1, 1, 2, 3])),
          ),
        )
  return die.chance(0.3) ? withPeeks(seed, s) : s
}
