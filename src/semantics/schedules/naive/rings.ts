/**
 * Rings: correct producers and consumers over slots, in the styles that kernels are written in (table in `random.ts`).
 *
 *     slot k: producer waits for empty, fills, signals full; consumer waits for full, reads, signals empty; parities flip with each round
 *
 * Law 1. A ring is clean in every schedule, for every style, number of slots and of steps.
 */
import * as S from './skeleton.js'
import type { Atom, Op, SkeletonBarrier } from './skeleton.js'
import { parityOf, type Families, type Dice, type Draft } from './dice.js'

export type Style =
  'generic' | 'load' | 'wgmma' | 'tensor' | 'store' | 'remote' | 'mixed' | 'copy' | 'multicast' | 'pair'
export const styles = (families: Families): ReadonlyArray<Style> => [
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

export const ring = (die: Dice, style: Style): Draft => {
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
