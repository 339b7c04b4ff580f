/**
 * Groupings: which lanes of a warp `activemask` finds together.
 *
 * Lanes that come to it by one way need not come to it together: PTX promises no convergence but where an instruction asks for it. A run takes them as it finds them, which is
 * all that came that way. With a grouping they part there, and each part goes on for itself until its lanes meet again: at the end of the branch, at a barrier, or
 * where an instruction names their lanes.
 *
 *     mask = activemask     by lanes 0..5       all: 0b111111     each: 1, 2, 4, ...     parity: 0b010101, 0b101010     halves: 0b111111, for 16..31 are the other half
 *
 * Laws
 * 1. The parts of a mask are disjoint, and together they are the mask.
 * 2. A part has one part: itself.
 *
 * Source: PTX ISA, activemask; CUDA programming guide, warp vote functions: `__activemask` guarantees no convergence.
 */

export type Grouping = 'each' | 'parity' | 'halves'
export const groupings: ReadonlyArray<Grouping> = ['each', 'parity', 'halves']

const classes: Readonly<Record<Grouping, ReadonlyArray<number>>> = {
  each: Array.from({ length: 32 }, (_, lane) => 1 << lane),
  parity: [0x55555555, 0xaaaaaaaa | 0],
  halves: [0x0000ffff, 0xffff0000 | 0],
}

/** The parts of these lanes, none of which is empty. */
export const partsOf = (grouping: Grouping, mask: number): ReadonlyArray<number> =>
  classes[grouping].flatMap((lanes) => ((lanes & mask) === 0 ? [] : [lanes & mask]))
