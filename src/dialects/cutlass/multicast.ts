/**
 * Who hears a commit in a cluster of CTAs.
 *
 * CTAs of a cluster have the rank x + cx y. A CTA's operand tiles come from the CTAs of its row and its column of tensor-core atoms (an
 * atom is one CTA, or a pair), so those must hear when a stage is free again. A mask has bit r for rank r.
 *
 *     cluster 4 x 2, atoms 2 x 1, CTA (1,0)     same x div 2: ranks 0 1 4 5     same y: ranks 0 1 2 3      mask 0x3f
 *
 * Laws
 * 1. `commitMask` of both directions is the union of that of each, and contains the CTA itself.
 * 2. CTAs of one atom have the same mask.
 * 3. `commitArrivals` is the number of atoms in the mask: every atom sends one commit.
 *
 * @fidelity documented. Names: CUTLASS `PipelineTmaUmmaAsync`, the 16-bit mask of `tcgen05.commit ... .multicast::cluster`.
 * Source: CUTLASS, pipelines for sm100.
 */

export type Pair = readonly [x: number, y: number]

/** `row`: the same atom along x; `column`: the same atom along y. */
export type Direction = 'row' | 'column' | 'both'

/** The CTAs that hear the commit of CTA `block`, one bit for each rank. */
export const commitMask = (cluster: Pair, atom: Pair, block: Pair, direction: Direction): number => {
  const [cx, cy] = cluster
  const same = (i: 0 | 1, v: number): boolean => Math.floor(v / atom[i]) === Math.floor(block[i] / atom[i])
  let mask = 0
  for (let y = 0; y < cy; y++)
    for (let x = 0; x < cx; x++) {
      const hears = (direction !== 'column' && same(0, x)) || (direction !== 'row' && same(1, y))
      if (hears) mask |= 1 << (x + cx * y)
    }
  return mask
}

/** How many commits free a stage. */
export const commitArrivals = (cluster: Pair, atom: Pair): number =>
  cluster[0] / atom[0] + cluster[1] / atom[1] - 1
