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
import * as S from './skeleton.js'
import type { Skeleton } from './skeleton.js'
import { dice, allFamilies, type Draft, type Families } from './dice.js'
import { soup } from './soups.js'
import { ring, styles, type Style } from './rings.js'
import { mutate } from './damages.js'
import { allocatingSoup, allocating, allocatingStyles, holds, type AllocatingStyle } from './allocating.js'
import { withPeeks } from './peeking.js'

export { type Families, allFamilies, hopperFamilies, type Dice, dice } from './dice.js'
export { type Style } from './rings.js'
export { type AllocatingStyle } from './allocating.js'
export { withPeeks } from './peeking.js'

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

/** Any other skeleton, with peeks before its waits: as they should be, or some of them not. */
export const peekingOf = (seed: number, families: Families = allFamilies): Skeleton =>
  withPeeks(seed, skeletonOf(seed, families))
