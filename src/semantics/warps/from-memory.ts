/**
 * Which registers may hold what a run has found in memory.
 *
 * Lanes that store one value into one byte are no race if it is one value in every run. What is made of constants, parameters and the numbers of a thread is the same in every
 * run, so that the numbers of one tell. What is loaded may be the same by chance: an input of zeros has the same word in all its places. There terms are asked
 * (`word-terms.ts`), as between warps.
 *
 *     mov.u32 %r1, %ctaid.x;  add.u32 %r2, %r1, 1        neither
 *     ld.global.u32 %r3, [%rd4];  add.u32 %r5, %r3, %r1    both
 *
 * | what leaves a register                      | it is from memory if                     |
 * |---------------------------------------------|------------------------------------------|
 * | a load of a parameter or a constant         | never                                    |
 * | what computes                               | something that it reads is, or its guard |
 * | everything else: a load, an atomic, a product | always                                 |
 *
 * A branch that data decide is left out: a verdict where they do is one on these data (`verdict/same-value.ts`).
 *
 * Law 1. Of a run over other contents of memory that goes the same way, the other registers hold the same.
 */
import { remembered } from '../../remembered.js'
import { ofPredicate, type Operation, type Place, type WarpProgram } from './program.js'
import { usesOf } from './uses.js'

const isOfText = (o: Operation): boolean =>
  o._tag === 'load' && (o.from.space === 'param' || o.from.space === 'const')

/** Registers that may hold what was found in memory, or what was made of it. */
export const fromMemory: (p: WarpProgram) => ReadonlySet<Place> = remembered(({ code }) => {
  const found = new Set<Place>()
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const { operation: o, guard } of code) {
      const { reads, writes, computes } = usesOf(o)
      const isMade = [...reads, ...(guard === null ? [] : [ofPredicate(guard.predicate)])].some((place) =>
        found.has(place),
      )
      if (isMade || !(computes || isOfText(o))) for (const place of writes) found.add(place)
    }
  }
  return found
})
