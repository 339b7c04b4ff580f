/**
 * Soups: operations drawn blindly from the alphabet of one family.
 *
 * Most of them are wrong, and in ways that no author would think of: that is what they are for. A letter is an operation, and how often it stands in a word is its weight;
 * the draft keeps to what a program can have, so that a soup is never refused.
 *
 * Law 1. Every soup is embedded (`embed.ts`).
 */
import * as S from './skeleton.js'
import type { Op } from './skeleton.js'
import { parityOf, type Families, type Dice, type Draft } from './dice.js'

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

export const soup = (die: Dice, families: Families): Draft => {
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
