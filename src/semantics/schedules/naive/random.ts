/**
 * Random skeletons.
 *
 * Two sources, as different as possible. `soup` draws operations blindly from the alphabet of one family: most soups are
 * wrong, and wrong in ways that are never written. `ring` writes a correct producer and consumer over slots in one of
 * several styles, and `mutate` then damages it a little: most of these are nearly right, which is where a detector
 * is put to the test. `skeletonOf(seed)` mixes both. The same seed gives the same skeleton on every platform.
 *
 *     skeletonOf(7)   a soup, a ring as it should be, or a ring with one to three mutations
 *
 * Every skeleton drawn is one that a real program can have (`embed` accepts it): an agent waits on, reads and writes
 * what is in its own CTA; a load may go to another CTA and signals where it goes; wgmma and tcgen05 do not meet.
 *
 * Of skeletons in two CTAs some have barriers whose initialisation is not published to the other CTA.
 *
 * | style of ring | producer                                   | consumer                          |
 * |---------------|--------------------------------------------|-----------------------------------|
 * | generic       | write, arrive                              | read                              |
 * | load          | arriveExpect, load                         | read                              |
 * | wgmma         | arriveExpect, load                         | wgmma, wait for its group         |
 * | tensor        | arriveExpect, load                         | mma, commit on the empty barrier  |
 * | store         | write, fence, arrive                       | store, bulk wait                  |
 * | remote        | load into the other CTA                    | arriveExpect, read                |
 * | mixed         | write, bare expect, load of another atom, arrive | read                        |
 * | copy          | copy, copyArrive or copyWait and arrive    | read                              |
 * | multicast     | load into both CTAs                        | arriveExpect in each CTA, read    |
 * | pair          | load into both CTAs                        | mma, commit on a barrier of each CTA; the other CTA reads |
 *
 * Skeletons that allocate tensor memory are drawn apart (`allocatingOf`), by the same two ways: soups, and whole programs with damages.
 *
 * | style | who allocates and frees              | who uses the columns                                            |
 * |-------|--------------------------------------|-----------------------------------------------------------------|
 * | lend  | one agent, in every round anew       | it stores, the other loads; barriers between them               |
 * | own   | each agent for itself, in turn       | each its own; the release is in no order                        |
 * | twice | one agent two at once, another frees | both                                                            |
 * | both  | one agent of each CTA of a pair      | each its own; the cluster barrier before and behind             |
 *
 * Skeletons with peeks (`peekingOf`) are the others with peeks put before their waits, near or far, and some of these damaged.
 *
 * Laws
 * 1. A ring without mutation is clean in every schedule, for every style, number of slots and of steps.
 * 2. Every drawn skeleton is embedded (`embed.ts`).
 *    So is a whole program that allocates.
 * 3. Of the drawn skeletons neither the clean ones nor the faulty ones are rare: at least a fifth each.
 */
import type { Atom, BarrierIndex, Op, Skeleton, SkeletonBarrier } from './skeleton.js'
import * as S from './skeleton.js'

// ---------------------------------------------------------------- model

export interface Families {
  /** tcgen05: queues, tensor memory, thread-sync fences */
  readonly tensor: boolean
  /** cp.async and its groups */
  readonly copies: boolean
  /** two CTAs: remote arrivals and loads, the cluster barrier */
  readonly cluster: boolean
}
export const allFamilies: Families = { tensor: true, copies: true, cluster: true }
export const hopperFamilies: Families = { tensor: false, copies: true, cluster: true }

/** A random source that is used up as it is asked; one per drawn skeleton. */
export interface Dice {
  /** 0 .. n-1 */
  readonly below: (n: number) => number
  readonly chance: (p: number) => boolean
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** A skeleton under construction. */
interface Draft {
  readonly ctas: ReadonlyArray<number>
  readonly names: ReadonlyArray<string>
  readonly barriers: ReadonlyArray<SkeletonBarrier>
  /** tensor-core order belongs to a barrier: all its arrives and waits carry it, or none */
  readonly tensor: ReadonlyArray<boolean>
  readonly bodies: ReadonlyArray<ReadonlyArray<Op>>
}

// ---------------------------------------------------------------- dice

/** Counts up by an odd constant and scrambles the count. */
export const dice = (seed: number): Dice => {
  let count = seed | 0
  const word = (): number => {
    count = (count + 0x9e3779b9) | 0
    let z = count
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  const below = (n: number): number => Math.floor((word() / 4294967296) * n)
  return { below, chance: (p) => word() / 4294967296 < p, pick: (from) => from[below(from.length)]! }
}

// ---------------------------------------------------------------- soups

const parityOf = (n: number): 0 | 1 => ((n & 1) === 1 ? 1 : 0)

/** Letters are operations; how often one stands in a word is its weight. */
const alphabets = (families: Families): ReadonlyArray<string> => [
  'rwawaw',
  'awWaWr',
  'aaWWxetr',
  'rwaWxtte',
  'rwWwagGtD',
  'wWafsbof',
  'rwaWWtexsfogGD',
  'rwaWWftfRq',
  ...(families.copies ? ['rwaWkkKjf', 'rwaWkKjtesfob'] : []),
  ...(families.tensor ? ['WaWmcclduSBF', 'WaWmcclduSBF', 'rwaWWtexmcdluSfo'] : []),
  ...(families.cluster ? ['rwaWWTTef'] : []),
  ...(families.cluster && families.tensor ? ['WaWmCCceTW'] : []),
]

const soup = (die: Dice, families: Families): Draft => {
  const agents = die.pick([2, 2, 2, 3])
  const word = die.pick(alphabets(families))
  // what goes to both CTAs finds the same barrier in each
  const both = /[TC]/.test(word)
  const two = both || (families.cluster && die.chance(0.35))
  const ctas = Array.from({ length: agents }, (_, t) => (two ? t % 2 : 0))
  const tensorWord = /[mclduSBF]/.test(word) && word.includes('m')
  const named = Array.from({ length: die.below(2) + 1 }, (_, k) => ({
    name: `b${String(k)}`,
    cta: die.pick(two ? [0, 1] : [0]),
    count: die.pick([1, 1, 2]),
  }))
  const ordered = named.map(() => tensorWord && die.chance(0.6))
  const barriers = both
    ? named.flatMap((b) => [0, 1].map((cta) => ({ name: b.name, cta, count: die.pick([1, 1, 2]) })))
    : named
  const tensor = both ? ordered.flatMap((yes) => [yes, yes]) : ordered
  const ordering = tensor.flatMap((yes, b) => (yes ? [b] : []))
  const atoms = die.below(2) + 1
  const bodies = ctas.map((cta, x) => {
    const body: Op[] = []
    const mine = barriers.flatMap((b, k) => (b.cta === cta ? [k] : []))
    // an operation on two CTAs is as good as two
    const length = die.below((agents === 2 ? 6 : 4) - (both ? 2 : 0)) + 1
    for (let k = 0; k < length; k++) {
      const letter = die.pick([...word])
      // a commit arrives only where arrivals carry tensor-core order
      const b =
        (letter === 'c' || letter === 'C') && ordering.length > 0
          ? die.pick(ordering)
          : die.below(barriers.length)
      // the barriers of this name, in both CTAs
      const twins = both ? [b - (b % 2), b - (b % 2) + 1] : [b]
      const tc = tensor[b]!
      const slot = `x${String(die.below(atoms))}`
      const x0 = S.smem(cta, slot)
      const y = S.tmem(cta, 'y')
      const z = S.gmem('z')
      const acc = S.regs(x, 'acc')
      const relaxed = letter === 'R' || letter === 'q' || die.chance(0.1)
      const drawn = ((): ReadonlyArray<Op> => {
        switch (letter) {
          case 'r':
            return [S.read([x0])]
          case 'w':
            return [S.write([x0])]
          case 'D':
            return [S.read([acc])]
          case 'a':
          case 'q':
            return [S.arrive([b], relaxed, tc)]
          case 'W':
          case 'R': {
            if (mine.length === 0) return [S.arrive([b], relaxed, tc)]
            const own = die.pick(mine)
            return [S.wait(own, parityOf(die.below(2)), relaxed, tensor[own]!)]
          }
          case 't':
            return [
              ...(die.chance(0.7) ? [S.arriveExpect(b, 1, false, tc)] : []),
              S.load([], [{ atoms: [S.smem(barriers[b]!.cta, slot)], barrier: b, units: 1 }]),
            ]
          case 'T':
            return [
              ...(die.chance(0.7) ? twins.map((t) => S.arriveExpect(t, 1, false, tc)) : []),
              S.load(
                [],
                twins.map((t) => ({ atoms: [S.smem(barriers[t]!.cta, slot)], barrier: t, units: 1 })),
              ),
            ]
          case 'C':
            return tc ? [S.commit(twins)] : [S.arrive([b], relaxed, tc)]
          case 'e':
            return [S.arriveExpect(b, die.pick([1, 1, 2]), relaxed, tc)]
          case 'x':
            return [S.expect(b, 1)]
          case 'g':
            return [S.wgmma([x0], [acc]), S.wgmmaCommit]
          case 'G':
            return [S.wgmmaWait(die.below(2))]
          case 's':
          case 'o':
            return [S.store([x0], [z]), S.bulkCommit]
          case 'b':
            return [S.bulkWait(die.below(2), die.pick(['read', 'full']))]
          case 'f':
            return [S.fence(die.pick(['cta', 'cta', 'global']))]
          case 'k':
            return [S.copy([], [x0]), ...(die.chance(0.8) ? [S.copyCommit] : [])]
          case 'K':
            return [S.copyWait(die.below(2))]
          case 'j':
            return mine.length === 0 ? [S.copyWait(0)] : [S.copyArrive(die.pick(mine))]
          case 'm':
            return [S.mma([x0], [], [y])]
          case 'c':
            return tc ? [S.commit([b])] : [S.arrive([b], relaxed, tc)]
          case 'l':
            return [S.tensorLoad([y])]
          case 'd':
            return [S.waitLoads]
          case 'u':
            return [S.tensorStore([y])]
          case 'S':
            return [S.waitStores]
          case 'B':
            return [S.fenceBefore]
          default:
            return [S.fenceAfter]
        }
      })()
      const off = die.chance(0.04)
      for (const op of drawn) body.push(off ? S.off(op) : op)
    }
    return body
  })
  const meet = die.chance(0.12)
  for (const cta of two ? [0, 1] : [0]) {
    const members = ctas.flatMap((c, x) => (c === cta ? [x] : []))
    if (meet && members.length > 1)
      for (const x of members)
        bodies[x]!.splice(
          die.below(bodies[x]!.length + 1),
          0,
          S.rendezvous(`r${String(cta)}`, members, false, false),
        )
  }
  if (two && die.chance(0.5))
    for (const body of bodies)
      body.push(
        S.rendezvous(
          'x',
          ctas.map((_, x) => x),
          true,
          false,
        ),
      )
  return { ctas, names: ctas.map((_, x) => `t${String(x)}`), barriers, tensor, bodies }
}

// ---------------------------------------------------------------- rings

export type Style =
  'generic' | 'load' | 'wgmma' | 'tensor' | 'store' | 'remote' | 'mixed' | 'copy' | 'multicast' | 'pair'
const styles = (families: Families): ReadonlyArray<Style> => [
  'generic',
  'load',
  'wgmma',
  'wgmma',
  'store',
  'mixed',
  ...(families.cluster ? (['remote', 'multicast'] as const) : []),
  ...(families.copies ? (['copy', 'copy'] as const) : []),
  ...(families.tensor ? (['tensor', 'tensor', 'tensor'] as const) : []),
  ...(families.tensor && families.cluster ? (['pair'] as const) : []),
]

const slotOf = (k: number, slots: number): { readonly slot: number; readonly turn: number } => ({
  slot: k % slots,
  turn: Math.floor(k / slots),
})

/** One producer CTA loads into both; the consumers release to it. */
const multicast = (die: Dice): Draft => {
  const slots = die.below(2) + 1
  const rounds = die.below(2) + 1
  const apart = die.chance(0.5)
  const ctas = apart ? [0, 0, 1] : [0, 1]
  const barriers: SkeletonBarrier[] = []
  for (let s = 0; s < slots; s++) {
    for (const cta of [0, 1]) barriers.push({ name: `f${String(s)}`, cta, count: 1 })
    barriers.push({ name: `e${String(s)}`, cta: 0, count: 2 })
  }
  const bodies: Op[][] = ctas.map(() => [])
  for (let k = 0; k < rounds; k++) {
    const { slot, turn } = slotOf(k, slots)
    const full = (cta: number): number => 3 * slot + cta
    const empty = 3 * slot + 2
    const x = (cta: number): Atom => S.smem(cta, `x${String(slot)}`)
    bodies[0]!.push(
      S.wait(empty, parityOf(1 ^ turn)),
      S.arriveExpect(full(0), 1),
      S.load(
        [],
        [0, 1].map((cta) => ({ atoms: [x(cta)], barrier: full(cta), units: 1 })),
      ),
    )
    ctas.forEach((cta, agent) => {
      if (apart && agent === 0) return
      if (cta === 1) bodies[agent]!.push(S.arriveExpect(full(1), 1))
      bodies[agent]!.push(S.wait(full(cta), parityOf(turn)), S.read([x(cta)]), S.arrive([empty]))
    })
  }
  for (const body of bodies)
    body.push(
      S.rendezvous(
        'x',
        ctas.map((_, t) => t),
        true,
      ),
    )
  return {
    ctas,
    names: apart ? ['p', 'c', 'd'] : ['p', 'd'],
    barriers,
    tensor: barriers.map(() => false),
    bodies,
  }
}

/**
 * One CTA loads into both and multiplies; its commit tells both. The other CTA reads its part, and both give the slot back once they know
 * the product.
 */
const pair = (die: Dice): Draft => {
  const slots = die.below(2) + 1
  const rounds = die.below(2) + 1
  const ctas = [0, 0, 1]
  const barriers: SkeletonBarrier[] = []
  for (let s = 0; s < slots; s++) {
    for (const name of ['f', 'd'])
      for (const cta of [0, 1]) barriers.push({ name: `${name}${String(s)}`, cta, count: 1 })
    barriers.push({ name: `e${String(s)}`, cta: 0, count: 2 })
  }
  const tensor = barriers.map(({ name }) => name.startsWith('d'))
  const bodies: Op[][] = ctas.map(() => [])
  const [p, c, d] = bodies
  for (let k = 0; k < rounds; k++) {
    const { slot, turn } = slotOf(k, slots)
    const at = 5 * slot
    const full = (cta: number): number => at + cta
    const done = (cta: number): number => at + 2 + cta
    const empty = at + 4
    const x = (cta: number): Atom => S.smem(cta, `x${String(slot)}`)
    p!.push(
      S.wait(empty, parityOf(1 ^ turn)),
      S.arriveExpect(full(0), 1),
      S.load(
        [],
        [0, 1].map((cta) => ({ atoms: [x(cta)], barrier: full(cta), units: 1 })),
      ),
    )
    c!.push(
      S.wait(full(0), parityOf(turn)),
      S.mma([x(0)], [], [S.tmem(0, 'y')]),
      S.commit([done(0), done(1)]),
      S.wait(done(0), parityOf(turn), false, true),
      S.arrive([empty]),
    )
    d!.push(
      S.arriveExpect(full(1), 1),
      S.wait(full(1), parityOf(turn)),
      S.read([x(1)]),
      S.wait(done(1), parityOf(turn), false, true),
      S.arrive([empty]),
    )
  }
  for (const body of bodies) body.push(S.rendezvous('x', [0, 1, 2], true))
  return { ctas, names: ['p', 'c', 'd'], barriers, tensor, bodies }
}

const ring = (die: Dice, style: Style): Draft => {
  if (style === 'multicast') return multicast(die)
  if (style === 'pair') return pair(die)
  const slots = die.below(2) + 1
  const rounds = die.below(3) + 1
  const fresh = die.chance(0.5)
  const grouped = die.chance(0.5)
  const last = die.chance(0.6)
  const away = style === 'remote' ? 1 : 0
  const barriers: SkeletonBarrier[] = []
  for (let s = 0; s < slots; s++) {
    barriers.push({ name: `f${String(s)}`, cta: 0, count: 1 })
    barriers.push({ name: `e${String(s)}`, cta: away, count: 1 })
  }
  const done = style === 'tensor' && last ? barriers.push({ name: 'd', cta: 0, count: 1 }) - 1 : -1
  const tensor = barriers.map((_, b) => style === 'tensor' && (b === done || b % 2 === 1))
  const p: Op[] = []
  const c: Op[] = []
  for (let k = 0; k < rounds; k++) {
    const { slot, turn } = slotOf(k, slots)
    const full = 2 * slot
    const empty = 2 * slot + 1
    const x = S.smem(0, `x${String(slot)}`)
    const into = [{ atoms: [x], barrier: full, units: 1 }]
    if (fresh) p.push(S.wait(empty, parityOf(1 ^ turn), false, tensor[empty]!))
    else if (turn > 0) p.push(S.wait(empty, parityOf(turn - 1), false, tensor[empty]!))
    switch (style) {
      case 'generic':
        p.push(S.write([x]), S.arrive([full]))
        break
      case 'store':
        p.push(S.write([x]), S.fence('cta'), S.arrive([full]))
        break
      case 'mixed':
        p.push(
          S.write([x]),
          S.expect(full, 1),
          S.load([], [{ atoms: [S.smem(0, `z${String(slot)}`)], barrier: full, units: 1 }]),
          S.arrive([full]),
        )
        break
      case 'remote':
        p.push(S.load([], into))
        break
      case 'copy':
        p.push(S.copy([], [x]))
        if (grouped) p.push(S.copyCommit, S.copyWait(0), S.arrive([full]))
        else p.push(S.copyArrive(full))
        break
      default:
        p.push(S.arriveExpect(full, 1), S.load([], into))
    }
    if (style === 'remote') c.push(S.arriveExpect(full, 1))
    c.push(S.wait(full, parityOf(turn)))
    switch (style) {
      case 'wgmma':
        c.push(S.wgmma([x], [S.regs(1, 'acc')]), S.wgmmaCommit, S.wgmmaWait(0), S.arrive([empty]))
        break
      case 'tensor':
        c.push(S.mma([x], [], [S.tmem(0, 'y')]), S.commit([empty]))
        break
      case 'store':
        c.push(
          S.store([x], [S.gmem(`o${String(k)}`)]),
          S.bulkCommit,
          S.bulkWait(0, 'read'),
          S.arrive([empty]),
        )
        break
      default:
        c.push(S.read([x]), S.arrive([empty]))
    }
  }
  if (style === 'wgmma' && last) c.push(S.read([S.regs(1, 'acc')]))
  if (done >= 0)
    c.push(S.commit([done]), S.wait(done, 0, false, true), S.tensorLoad([S.tmem(0, 'y')]), S.waitLoads)
  else if (style === 'tensor') for (const op of drain(rounds, slots)) c.push(op)
  if (style === 'remote') for (const body of [p, c]) body.push(S.rendezvous('x', [0, 1], true))
  return { ctas: [away, 0], names: ['p', 'c'], barriers, tensor, bodies: [p, c] }
}

/** Waits for the commits that were not waited for: an arrival must not outlive its CTA. */
const drain = (rounds: number, slots: number): ReadonlyArray<Op> =>
  Array.from({ length: Math.min(rounds, slots) }, (_, k) => {
    const { slot, turn } = slotOf(rounds - 1 - k, slots)
    return S.wait(2 * slot + 1, parityOf(turn), false, true)
  })

// ---------------------------------------------------------------- mutations

/** `times` small damages. Rendezvous stay where they are. */
const mutate = (die: Dice, draft: Draft, times: number): Draft => {
  const bodies = draft.bodies.map((body) => [...body])
  const barriers = [...draft.barriers]
  const { tensor } = draft
  for (let t = 0; t < times; t++) {
    const x = die.below(bodies.length)
    const body = bodies[x]!
    if (body.length === 0) continue
    const i = die.below(body.length)
    const op = body[i]!
    const m = die.below(100)
    const any = die.below(barriers.length)
    const near = barriers.flatMap((b, k) => (b.cta === draft.ctas[x] ? [k] : []))
    const put = (next: Op): void => {
      body[i] = next
    }
    const swap = (j: number): void => {
      const other = body[j]
      if (other === undefined || other._tag === 'rendezvous' || other._tag === 'dealloc') return
      body[i] = other
      body[j] = op
    }
    if (op._tag === 'rendezvous' || op._tag === 'dealloc') continue
    if (m < 28) body.splice(i, 1)
    else if (m < 42) body.splice(i, 0, op)
    else if (m < 52) swap(die.below(body.length))
    else if (m < 60) {
      const b = barriers[any]
      if (b === undefined) continue
      barriers[any] = { name: b.name, cta: b.cta, count: Math.max(1, b.count + die.pick([-1, 1])) }
    } else if (m < 64) put(S.off(op))
    else
      switch (op._tag) {
        case 'wait':
          if (die.chance(0.5)) put(S.wait(op.barrier, parityOf(op.parity ^ 1), op.relaxed, op.tensor))
          else if (die.chance(0.6)) {
            const b = die.pick(near)
            put(S.wait(b, op.parity, op.relaxed, tensor[b]!))
          } else put(S.wait(op.barrier, op.parity, true, op.tensor))
          break
        case 'arrive':
          if (die.chance(0.6)) put(S.arrive([any], op.relaxed, tensor[any]!))
          else put(S.arrive(op.barriers, true, op.tensor))
          break
        case 'alloc':
          put(S.alloc(die.pick([32, 64]), op.ctaGroup))
          break
        case 'free':
          put(S.free(die.pick([32, 64]), op.ctaGroup))
          break
        case 'commit':
          put(tensor[any]! ? S.commit([any]) : op)
          break
        case 'arriveExpect':
          if (die.chance(0.5))
            put(S.arriveExpect(op.barrier, Math.max(0, op.units + die.pick([-1, 1])), op.relaxed, op.tensor))
          else put(S.expect(op.barrier, op.units))
          break
        case 'expect':
          if (die.chance(0.5)) put(S.expect(op.barrier, Math.max(0, op.units + die.pick([-1, 1]))))
          else put(S.arriveExpect(op.barrier, op.units, false, tensor[op.barrier]!))
          break
        case 'bulkWait':
          put(S.bulkWait(Math.max(0, op.pending + die.pick([-1, 1])), op.side))
          break
        case 'wgmmaWait':
          put(S.wgmmaWait(Math.max(0, op.pending + die.pick([-1, 1]))))
          break
        case 'copyWait':
          put(S.copyWait(Math.max(0, op.pending + die.pick([-1, 1]))))
          break
        case 'copyArrive':
          if (near.length > 0) put(S.copyArrive(die.pick(near)))
          break
        case 'load': {
          const [only, second] = op.destinations
          if (only === undefined || second !== undefined) swap(i + 1)
          else {
            const { cta } = barriers[any]!
            const atoms = only.atoms.map((atom) => (atom._tag === 'smem' ? S.smem(cta, atom.name) : atom))
            put(S.load(op.reads, [{ atoms, barrier: any, units: only.units }]))
          }
          break
        }
        default:
          swap(i + 1)
      }
  }
  return { ctas: draft.ctas, names: draft.names, barriers, tensor, bodies }
}

// ---------------------------------------------------------------- allocation

export type AllocatingStyle = 'lend' | 'own' | 'twice' | 'both'
const allocatingStyles: ReadonlyArray<AllocatingStyle> = ['lend', 'own', 'twice', 'both']

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

const allocatingSoup = (die: Dice): Draft => {
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

const allocating = (die: Dice, style: AllocatingStyle): Draft => {
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
const holds = (s: Skeleton): boolean => {
  const given = s.agents.reduce(
    (sum, agent) => sum + agent.ops.reduce((n, op) => n + (op._tag === 'alloc' ? op.columns : 0), 0),
    0,
  )
  return given > 0 && S.atomColumns * S.columnOf(s).size <= given
}

// ---------------------------------------------------------------- drawing

/** Tensor memory is given back: after a last rendezvous of each CTA that has some, by its first agent. */
const release = (draft: Draft): Draft => {
  const bodies = draft.bodies.map((body) => [...body])
  for (const cta of new Set(draft.ctas)) {
    const members = draft.ctas.flatMap((c, x) => (c === cta ? [x] : []))
    const y = S.tmem(cta, 'y')
    const used = bodies.some((body) =>
      body.some((op) => {
        const { reads, writes } = S.footprint(op)
        return [...reads, ...writes].some((atom) => S.showAtom(atom) === S.showAtom(y))
      }),
    )
    if (!used) continue
    if (members.length > 1)
      for (const x of members) bodies[x]!.push(S.rendezvous(`exit${String(cta)}`, members))
    bodies[members[0]!]!.push(S.dealloc([y]))
  }
  return { ctas: draft.ctas, names: draft.names, barriers: draft.barriers, tensor: draft.tensor, bodies }
}

const finish = (draft: Draft): Skeleton => {
  const { bodies, names, ctas, barriers } = release(draft)
  return { agents: bodies.map((ops, x) => ({ name: names[x]!, cta: ctas[x]!, ops })), barriers }
}

/** Of a cluster's barriers, in one of eight skeletons, some are not published. Drawn apart, so that the rest is what it is without. */
const unpublish = (seed: number, s: Skeleton): Skeleton => {
  const die = dice(~seed)
  if (!s.agents.some((agent) => agent.cta > 0) || !die.chance(0.125)) return s
  return { agents: s.agents, barriers: s.barriers.map((b) => (die.chance(0.5) ? S.unpublished(b) : b)) }
}

/** A soup, a ring, or a ring with up to three mutations. */
export const skeletonOf = (seed: number, families: Families = allFamilies): Skeleton =>
  unpublish(seed, drawn(seed, families))

const drawn = (seed: number, families: Families): Skeleton => {
  const die = dice(seed)
  if (die.chance(0.5)) return finish(soup(die, families))
  const whole = ring(die, die.pick(styles(families)))
  return finish(mutate(die, whole, die.pick([0, 0, 1, 1, 2, 2, 3, 3])))
}

/** A ring as it should be. */
export const ringOf = (seed: number, style: Style): Skeleton => finish(ring(dice(seed), style))

const plain = ({ bodies, names, ctas, barriers }: Draft): Skeleton => ({
  agents: bodies.map((ops, x) => ({ name: names[x]!, cta: ctas[x]!, ops })),
  barriers,
})

/** A skeleton that allocates tensor memory: a soup, or a program as it should be with up to three damages. */
export const allocatingOf = (seed: number): Skeleton => {
  const die = dice(seed)
  for (;;) {
    const made = die.chance(0.4)
      ? allocatingSoup(die)
      : mutate(die, allocating(die, die.pick(allocatingStyles)), die.pick([0, 0, 1, 1, 2, 3]))
    const s = plain(made)
    if (holds(s)) return s
  }
}

/** A program that allocates, as it should be. */
export const allocatingAsItShouldBe = (seed: number, style: AllocatingStyle): Skeleton =>
  plain(allocating(dice(seed), style))

// ---------------------------------------------------------------- peeks

/** Where the peek of the wait at `i` goes: right before it, a few operations before, behind what its agent did to a barrier last, or anywhere. */
const placeOfPeek = (die: Dice, ops: ReadonlyArray<Op>, i: number): number => {
  const m = die.below(100)
  if (m < 12) return i
  if (m < 55) return Math.max(0, i - 1 - die.below(3))
  if (m < 80) {
    for (let k = i - 1; k > 0; k--) if (S.barriersOf(ops[k]!).length > 0 && die.chance(0.7)) return k
    return 0
  }
  return die.below(i + 1)
}

/** What is wrong with a peek: its parity, its barrier, or what it acquires. */
const damagedPeek = (
  die: Dice,
  p: Op,
  near: ReadonlyArray<BarrierIndex>,
  tensor: ReadonlyArray<boolean>,
): Op => {
  if (p._tag !== 'peek') return p
  const m = die.below(3)
  if (m === 0) return S.peek(p.name, p.barrier, parityOf(p.parity ^ 1), p.relaxed, p.tensor)
  if (m === 1) return S.peek(p.name, p.barrier, p.parity, !p.relaxed, p.tensor)
  const b = die.pick(near)
  return S.peek(p.name, b, p.parity, p.relaxed, tensor[b]!)
}

/** Some of the waits of an agent get peeks; of `wrong` ones in a hundred something is wrong. */
const peeking = (
  die: Dice,
  drawn: ReadonlyArray<Op>,
  own: ReadonlyArray<BarrierIndex>,
  tensor: ReadonlyArray<boolean>,
  wrong: number,
): ReadonlyArray<Op> => {
  const ops = [...drawn]
  const names: string[] = []
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!
    if (op._tag !== 'wait' || !op.on || !die.chance(0.6)) continue
    const fresh = `p${String(names.length)}`
    const again = die.below(100) < wrong / 2 && names.length > 0
    const name = again ? die.pick(names) : fresh
    if (!again) names.push(fresh)
    const near = (made: Op): Op => (op.narrow === true ? S.narrow(made) : made)
    const p = near(S.peek(name, op.barrier, op.parity, op.relaxed, op.tensor))
    // with nothing that it spares, with two waits, or with something else
    if (die.below(100) >= wrong / 4)
      ops[i] = near(S.waitAfter(name, op.barrier, op.parity, op.relaxed, op.tensor))
    if (die.below(100) < wrong / 2) ops.splice(i, 0, ops[i]!)
    ops.splice(placeOfPeek(die, ops, i), 0, die.below(100) < wrong ? damagedPeek(die, p, own, tensor) : p)
  }
  return ops
}

/** Any other skeleton, with peeks before its waits: as they should be, or some of them not. */
export const peekingOf = (seed: number, families: Families = allFamilies): Skeleton =>
  withPeeks(seed, skeletonOf(seed, families))

/** The skeleton with peeks before some of its waits. */
export const withPeeks = (seed: number, s: Skeleton): Skeleton => {
  const die = dice(seed ^ 0x5eed)
  // tensor-core order belongs to all barriers of a name
  const ordering = new Set(
    s.agents.flatMap(({ ops }) =>
      ops.flatMap((op) =>
        op._tag === 'commit' || ('tensor' in op && op.tensor)
          ? S.barriersOf(op).map((b) => s.barriers[b]!.name)
          : [],
      ),
    ),
  )
  const tensor = s.barriers.map(({ name }) => ordering.has(name))
  const wrong = die.pick([0, 0, 0, 12, 30])
  return behindRelaxed(dice(seed ^ 0x2e1a), {
    barriers: s.barriers,
    agents: s.agents.map(({ name, cta, ops }) => {
      const near = s.barriers.flatMap((b, k) => (b.cta === cta ? [k] : []))
      return { name, cta, ops: peeking(die, ops, near, tensor, wrong) }
    }),
  })
}

/** Some peeks come behind an arrival of their barrier in every schedule, over a relaxed arrive and a relaxed wait that tell nothing else. */
const behindRelaxed = (die: Dice, s: Skeleton): Skeleton => {
  if (!die.chance(0.15)) return s
  const pairs = s.agents.flatMap((to, x) =>
    to.ops.flatMap((peek, i) =>
      peek._tag !== 'peek'
        ? []
        : s.agents.flatMap((from, y) =>
            from.cta !== to.cta || x === y
              ? []
              : from.ops.flatMap((arrive, j) =>
                  arrive._tag === 'arrive' && arrive.on && arrive.barriers.includes(peek.barrier)
                    ? [{ x, i, y, j, cta: to.cta }]
                    : [],
                ),
          ),
    ),
  )
  if (pairs.length === 0) return s
  const { x, i, y, j, cta } = die.pick(pairs)
  const told = s.barriers.length
  const put = (ops: ReadonlyArray<Op>, at: number, op: Op): ReadonlyArray<Op> => [
    ...ops.slice(0, at),
    op,
    ...ops.slice(at),
  ]
  return {
    barriers: [...s.barriers, { name: 'told', cta, count: 1 }],
    agents: s.agents.map(({ name, cta: own, ops }, z) => ({
      name,
      cta: own,
      ops:
        z === x
          ? put(ops, i, S.wait(told, 0, true))
          : z === y
            ? put(ops, j + 1, S.arrive([told], true))
            : ops,
    })),
  }
}
