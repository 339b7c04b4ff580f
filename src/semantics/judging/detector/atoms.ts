/**
 * Atoms: the coarsest exact partition of a plane's bytes that every footprint seen so far respects.
 *
 * Each footprint is a set of bytes; a partition refines as footprints come. An atom is a set of bytes (not one
 * interval: the 128 rows of a tile of global memory are one atom) that no footprint divides. What is remembered about
 * memory is then remembered once per atom, and an access costs its number of atoms, usually 1 to 8.
 *
 *     footprint      atoms after it                    its atoms
 *     A = [0, 8)     a [0,8)                           A: a
 *     B = [4, 12)    a [0,4)  b [4,8)  c [8,12)        A: a b     B: b c
 *     C = [0, 4)     no change                         C: a
 *
 * Splitting an atom copies what is remembered about it. Pieces of atoms lie in blocks of the plane, sorted, so a new footprint costs
 * its spans times a binary search and one block's insertions; a footprint seen before costs nothing.
 *
 * Laws
 * 1. Atoms are disjoint, and the atoms of a footprint cover exactly its bytes.
 * 2. Two bytes are in one atom iff the same footprints hold them.
 * 3. The payload of an atom is what was put on its bytes, whatever was split since.
 *
 * Names: the regions of ConSan; partition refinement (Paige and Tarjan).
 */
import type { Spans } from '../../log/events.js'

// ---------------------------------------------------------------- model

/** A class of bytes and what is remembered about it. */
export interface Atom<A> {
  readonly id: number
  /** how many bytes; shrinks when a part is split off */
  bytes: number
  readonly payload: A
  /** footprints that hold it */
  readonly holders: Array<Array<Atom<A>>>
  /** scratch of the refinement under way: bytes inside the new footprint, and the part split off */
  inside: number
  inner: Atom<A> | undefined
}

interface Block<A> {
  readonly starts: Array<number>
  readonly ends: Array<number>
  readonly owners: Array<Atom<A>>
}

/** The partition of one plane. Changed in place by `refine`. */
export interface Partition<A> {
  readonly shift: number
  readonly blocks: Map<number, Block<A>>
  readonly fresh: () => A
  readonly duplicate: (payload: A) => A
  atoms: number
  /** what is remembered: an entry for each atom of a footprint, two for each footprint that a split enlarges */
  holdings: number
}

// ---------------------------------------------------------------- constructors

/** `bytes`: size of the plane. `fresh` makes the payload of bytes never seen, `duplicate` that of a part split off. */
export const partition = <A>(bytes: number, fresh: () => A, duplicate: (payload: A) => A): Partition<A> => {
  let shift = 9
  while (bytes / 2 ** shift > 65_536) shift++
  return { shift, blocks: new Map(), fresh, duplicate, atoms: 0, holdings: 0 }
}

const atom = <A>(p: Partition<A>, bytes: number, payload: A, holders: Array<Array<Atom<A>>>): Atom<A> => ({
  id: p.atoms++,
  bytes,
  payload,
  holders,
  inside: 0,
  inner: undefined,
})

// ---------------------------------------------------------------- combinators

/** Index of the first piece that ends after `byte`. */
const firstAfter = (ends: ReadonlyArray<number>, byte: number): number => {
  let lo = 0
  let hi = ends.length
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (ends[mid]! > byte) hi = mid
    else lo = mid + 1
  }
  return lo
}

const blockOf = <A>(p: Partition<A>, index: number): Block<A> => {
  const found = p.blocks.get(index)
  if (found !== undefined) return found
  const made: Block<A> = { starts: [], ends: [], owners: [] }
  p.blocks.set(index, made)
  return made
}

const insert = <A>(block: Block<A>, at: number, start: number, end: number, owner: Atom<A>): void => {
  if (at === block.starts.length) {
    // most pieces of a block are met in the order in which they lie
    block.starts.push(start)
    block.ends.push(end)
    block.owners.push(owner)
    return
  }
  block.starts.splice(at, 0, start)
  block.ends.splice(at, 0, end)
  block.owners.splice(at, 0, owner)
}

const cut = <A>(block: Block<A>, at: number, byte: number): void => {
  const end = block.ends[at]!
  block.ends[at] = byte
  insert(block, at + 1, byte, end, block.owners[at]!)
}

/** Calls `f` for every part of [start, end) that lies in one block. */
const inBlocks = <A>(
  p: Partition<A>,
  spans: Int32Array,
  f: (block: Block<A>, start: number, end: number) => void,
): void => {
  const size = 2 ** p.shift
  for (let i = 0; i < spans.length; i += 2) {
    const end = spans[i + 1]!
    let start = spans[i]!
    while (start < end) {
      const index = Math.floor(start / size)
      const stop = Math.min(end, (index + 1) * size)
      f(blockOf(p, index), start, stop)
      start = stop
    }
  }
}

/**
 * The atoms of the bytes of `spans` (start, end, start, end ..., ascending and disjoint). The array is kept up to date by later
 * refinements; call once per distinct footprint.
 */
export const refine = <A>(p: Partition<A>, spans: Int32Array): ReadonlyArray<Atom<A>> => {
  const own: Array<Atom<A>> = []
  const touched: Array<Atom<A>> = []
  let uncovered: Atom<A> | undefined

  // 1. pieces are cut at the edges of the footprint, holes are filled, and each atom's share inside is counted
  inBlocks(p, spans, (block, start, end) => {
    let i = firstAfter(block.ends, start)
    let at = start
    while (at < end) {
      const from = i < block.starts.length ? block.starts[i]! : end
      if (from > at) {
        const to = Math.min(from, end)
        if (uncovered === undefined) uncovered = atom(p, 0, p.fresh(), [own])
        uncovered.bytes += to - at
        insert(block, i, at, to, uncovered)
        at = to
        i++
        continue
      }
      if (from < at) {
        cut(block, i, at)
        i++
        continue
      }
      if (block.ends[i]! > end) cut(block, i, end)
      const owner = block.owners[i]!
      if (owner !== uncovered) {
        if (owner.inside === 0) touched.push(owner)
        owner.inside += block.ends[i]! - at
      }
      at = block.ends[i]!
      i++
    }
  })
  if (uncovered !== undefined) own.push(uncovered)

  // 2. an atom with bytes on both sides gives its inner part away
  let split = false
  for (const outer of touched) {
    if (outer.inside < outer.bytes) {
      split = true
      const holders = outer.holders.slice()
      const inner = atom(p, outer.inside, p.duplicate(outer.payload), holders)
      for (const holder of holders) holder.push(inner)
      p.holdings += 2 * holders.length
      holders.push(own)
      own.push(inner)
      outer.bytes -= outer.inside
      outer.inner = inner
    } else {
      outer.holders.push(own)
      own.push(outer)
    }
    outer.inside = 0
  }
  if (split) {
    inBlocks(p, spans, (block, start, end) => {
      for (let i = firstAfter(block.ends, start); i < block.starts.length && block.starts[i]! < end; i++) {
        const inner = block.owners[i]!.inner
        if (inner !== undefined) block.owners[i] = inner
      }
    })
    for (const outer of touched) outer.inner = undefined
  }
  p.holdings += own.length
  return own
}

// ---------------------------------------------------------------- destructors

/** Every piece of the partition in ascending order: start, end, owner. */
export const eachPiece = <A>(
  p: Partition<A>,
  f: (start: number, end: number, owner: Atom<A>) => void,
): void => {
  for (const index of [...p.blocks.keys()].sort((x, y) => x - y)) {
    const { starts, ends, owners } = p.blocks.get(index)!
    for (let i = 0; i < starts.length; i++) f(starts[i]!, ends[i]!, owners[i]!)
  }
}

/** The same as a list. */
export const pieces = <A>(p: Partition<A>): ReadonlyArray<readonly [number, number, Atom<A>]> => {
  const out: Array<readonly [number, number, Atom<A>]> = []
  eachPiece(p, (start, end, owner) => out.push([start, end, owner]))
  return out
}

/** Bytes that two footprints share, as spans. */
export const overlap = (x: Spans, y: Spans): ReadonlyArray<readonly [number, number]> => {
  const [a, b] = [x.list, y.list]
  const out: Array<readonly [number, number]> = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [end, other] = [a[i + 1]! + x.by, b[j + 1]! + y.by]
    const from = Math.max(a[i]! + x.by, b[j]! + y.by)
    const to = Math.min(end, other)
    if (from < to) out.push([from, to])
    if (end < other) i += 2
    else j += 2
  }
  return out
}
