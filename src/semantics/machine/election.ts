/**
 * Elections: which of its members `elect.sync` takes.
 *
 * PTX leaves open which lane it is, and promises that it is the same one whenever the members are the same. A run takes the lowest; a verdict is asked with the highest as well
 * (`verdict/who-runs.ts`), so that a kernel that rests on the lane is not right by accident.
 *
 *     elect.sync d|p, 0xffffffff       lowest: lane 0      highest: lane 31
 *     elect.sync d|p, 0x000000f0       lowest: lane 4      highest: lane 7
 *
 * Laws
 * 1. The elected lane is a member.
 * 2. It follows from the members alone: all elections of the same members take the same lane.
 *
 * Source: PTX ISA, elect.sync.
 */

export type Election = 'lowest' | 'highest'

/** The lane that is elected of these, of which there is one. */
export const electedOf = (election: Election, mask: number): number =>
  31 - Math.clz32(election === 'lowest' ? mask & -mask : mask)
