/**
 * Which buffers of shared memory share bytes.
 *
 * A text says what a buffer is, not where it lies. The compiler lays buffers over each other whose lives do not meet, so here they are laid
 * in the same way: otherwise many a kernel would not fit, and of those that do, what an operation still on its way does to the next buffer in its bytes
 * would not be seen.
 *
 *     %x = local_alloc                      |
 *     scf.for ... {                         |
 *       warp_group_dot %x                   |  alive to the end of the loop: the next iteration uses it again
 *     }                                     |
 *     local_dealloc %x                      |
 *     %o = local_alloc %r                          |  begins where %x began
 *     async_tma_copy_local_to_global %o            |
 *
 * A life goes from the allocation to the last operation, in the order of the text, that names the buffer or a view of it. An operation with regions names what
 * is named in them, and is over at their end. What regions are given, and what they hand on, may be any of the buffers that go into them. What an asynchronous
 * operation does later does not lengthen a life: where nothing waits for it, the next buffer in its bytes meets it, and the verdict says so.
 *
 * The partitions of a `warp_specialize` run side by side, so buffers of two partitions never share.
 *
 * Placing: the largest first, each at the lowest offset that is free of those that live with it.
 *
 * Laws
 * 1. Two buffers that live at once, or in two partitions, have no byte in common.
 * 2. Nothing names a buffer outside its life, in any order in which branches are taken and loops go around.
 * 3. A buffer of n bytes lies at a multiple of its alignment, and below it no gap is left that would have taken it.
 *
 * Source: Triton 3.6, the allocation of shared memory.
 */
import type { Block, Operation } from '../text/syntax.js'

// ---------------------------------------------------------------- lives

/** Of an allocation: the places of its first and its last operation, and the partitions around it. */
export interface Life {
  readonly from: number
  readonly to: number
  readonly partitions: ReadonlyMap<Operation, number>
}

/** Which allocations an operation names, by operand; nothing where it names none. */
export type Names = ReadonlyMap<Operation, Readonly<Record<string, ReadonlySet<Operation>>>>

export interface Lives {
  readonly lives: ReadonlyMap<Operation, Life>
  readonly names: Names
}

/** An operation that is open around the one that is looked at. */
interface Open {
  readonly op: Operation
  readonly from: number
}

/** What is known of an allocation on the way. */
interface Known {
  from: number
  /** how many operations are open around it */
  depth: number
  /** places, and operations with regions at whose end they lie */
  to: number
  readonly within: Set<Operation>
  readonly partitions: ReadonlyMap<Operation, number>
}

type Scope = Map<string, ReadonlySet<Operation>>

const nothing: ReadonlySet<Operation> = new Set()

const union = (sets: Iterable<ReadonlySet<Operation>>): ReadonlySet<Operation> => {
  // most operations name no buffer, or one: no set is made for these
  let alone = nothing
  let all: Set<Operation> | null = null
  for (const set of sets) {
    if (set.size === 0 || set === alone) continue
    if (alone === nothing) alone = set
    else {
      all ??= new Set(alone)
      for (const one of set) all.add(one)
    }
  }
  return all ?? alone
}

const isPartitioned = (op: Operation): boolean => op.name === 'ttg.warp_specialize'

/** The last operations of regions that give what they take to the operation around them. */
const handsOn: ReadonlySet<string> = new Set(['scf.yield', 'scf.condition', 'ttg.warp_yield'])

/** The lives of the allocations of this name among operations, and in their regions. */
export const livesOf = (
  operations: ReadonlyArray<Operation>,
  allocation: string = 'ttg.local_alloc',
): Lives => {
  const known = new Map<Operation, Known>()
  const names = new Map<Operation, Readonly<Record<string, ReadonlySet<Operation>>>>()
  const ends = new Map<Operation, number>()
  let place = 0

  const use = (buffers: ReadonlySet<Operation>, open: ReadonlyArray<Open>, at: number): void => {
    for (const buffer of buffers) {
      const found = known.get(buffer)!
      const around = open[found.depth]
      if (around === undefined) found.to = Math.max(found.to, at)
      else found.within.add(around.op)
    }
  }

  /** It outlives the operation that is open at this depth: the whole of that belongs to its life. */
  const escape = (buffers: ReadonlySet<Operation>, open: ReadonlyArray<Open>): void => {
    const around = open[open.length - 1]
    if (around === undefined) return
    for (const buffer of buffers) {
      const found = known.get(buffer)!
      if (found.depth < open.length) continue
      found.depth = open.length - 1
      found.from = Math.min(found.from, around.from)
      found.within.add(around.op)
    }
  }

  /** What the blocks of a region hand on. */
  const walk = (
    blocks: ReadonlyArray<Block>,
    given: ReadonlySet<Operation>,
    scope: Scope,
    open: ReadonlyArray<Open>,
    partitions: ReadonlyMap<Operation, number>,
  ): ReadonlySet<Operation> => {
    const handed: ReadonlySet<Operation>[] = []
    for (const block of blocks) for (const { name } of block.parameters) scope.set(name, given)
    for (const op of blocks.flatMap((block) => block.operations)) {
      place += 1
      const from = place
      const byOperand = Object.entries(op.operands).flatMap(([operand, values]) => {
        const named = union(values.map(({ name }) => scope.get(name) ?? nothing))
        return named.size === 0 ? [] : [[operand, named] as const]
      })
      if (byOperand.length > 0) names.set(op, Object.fromEntries(byOperand))
      const taken = union(byOperand.map(([, named]) => named))
      use(taken, open, from)
      const inside = [...open, { op, from }]
      const yielded = op.regions.map((region, k) => {
        return walk(
          region.blocks,
          taken,
          new Map(scope),
          inside,
          isPartitioned(op) ? new Map([...partitions, [op, k]]) : partitions,
        )
      })
      place += 1
      ends.set(op, place)
      for (const buffers of yielded) escape(buffers, inside)
      if (handsOn.has(op.name)) handed.push(taken)
      if (op.name === allocation)
        known.set(op, { from, depth: open.length, to: from, within: new Set(), partitions })
      const made =
        op.name === allocation
          ? new Set([op])
          : op.results.some((type) => type._tag === 'memdesc')
            ? union([taken, ...yielded])
            : nothing
      for (const { name } of op.names) scope.set(name, made)
    }
    return union(handed)
  }

  walk([{ label: null, parameters: [], operations }], nothing, new Map(), [], new Map())
  const lives = new Map(
    [...known].map(([op, { from, to, within, partitions }]) => [
      op,
      {
        from,
        to: [...within].reduce((last, around) => Math.max(last, ends.get(around) ?? 0), to),
        partitions,
      },
    ]),
  )
  return { lives, names }
}

/** Do two allocations hold something at the same time? */
export const meet = (a: Life, b: Life): boolean =>
  (a.from <= b.to && b.from <= a.to) ||
  [...a.partitions].some(([op, k]) => b.partitions.has(op) && b.partitions.get(op) !== k)

// ---------------------------------------------------------------- placing

export interface Buffer {
  readonly life: Life
  readonly bytes: number
  readonly align: number
}

/** Where each begins, in the order given. */
export const offsetsOf = (buffers: ReadonlyArray<Buffer>): ReadonlyArray<number> => {
  const offsets: number[] = buffers.map(() => 0)
  const placed: number[] = []
  const bySize = [...buffers.keys()].sort((a, b) => buffers[b]!.bytes - buffers[a]!.bytes || a - b)
  for (const k of bySize) {
    const { life, bytes, align } = buffers[k]!
    const beside = placed.filter((other) => meet(life, buffers[other]!.life))
    const starts = [0, ...beside.map((other) => offsets[other]! + buffers[other]!.bytes)]
      .map((start) => Math.ceil(start / align) * align)
      .sort((a, b) => a - b)
    offsets[k] = starts.find((start) =>
      beside.every(
        (other) => start + bytes <= offsets[other]! || offsets[other]! + buffers[other]!.bytes <= start,
      ),
    )!
    placed.push(k)
  }
  return offsets
}
