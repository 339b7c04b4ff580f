/**
 * The plan of a kernel: what it sets aside before it does anything, read off the program.
 *
 *     ring       storage that asynchronous loads fill slot by slot     a_smem    4 slots of 16,384 bytes
 *     barriers   an array, and the arrivals that complete one           loaded    4, 2 arrivals each
 *
 * A ring's slots are the extent of the dimension that a load takes a slot of: `max_concurrent_steps` of a kernel that has one. Names that
 * a program binds once, lets and captures, are followed; a place that comes out of a loop is not, and then the storage has no slots.
 *
 * Laws
 * 1. Every storage that a load names has one entry; its slots times the bytes of one are the bytes of the storage, padding included.
 * 2. Every array of barriers has one entry, with the counts of all its initialisations, ascending.
 */
import type { ExprNode } from '../semantics/language/expression.js'
import { lengthOf } from '../semantics/language/place.js'
import {
  effectsOf,
  regionsOf,
  type Program,
  type Region,
  type Stmt,
  type Storage,
} from '../semantics/language/program.js'

// ---------------------------------------------------------------- model

export interface Ring {
  readonly storage: string
  /** 1: filled as a whole */
  readonly slots: number
  readonly slotBytes: number
}

export interface BarrierArray {
  readonly storage: string
  readonly barriers: number
  /** arrivals that complete one; several numbers where they were initialised differently, none where they are not */
  readonly arrivals: ReadonlyArray<number>
  readonly ordersTensorCore: boolean
}

export interface Plan {
  readonly rings: ReadonlyArray<Ring>
  readonly barriers: ReadonlyArray<BarrierArray>
}

// ---------------------------------------------------------------- names

type Names = ReadonlyMap<string, ExprNode>

const bindings = (r: Region): ReadonlyArray<readonly [string, ExprNode]> =>
  r.body.flatMap((s: Stmt) => [
    ...(s._tag === 'Let' ? [[s.binder.name, s.expr] as const] : []),
    ...(s._tag === 'Fork'
      ? s.branches.flatMap((b) => b.captures.map((c) => [c.binder.name, c.value] as const))
      : []),
    ...regionsOf(s).flatMap(bindings),
  ])

/** The storage behind a view or a barrier, and whether a slot of it is taken on the way. */
interface Root {
  readonly storage: string
  readonly isSlot: boolean
}

const rootOf = (names: Names, e: ExprNode, isSlot: boolean = false): Root | null => {
  switch (e._tag) {
    case 'storage':
      return { storage: e.storage, isSlot }
    case 'slot':
      return rootOf(names, e.of, true)
    case 'slice':
    case 'transposeView':
    case 'reshapeView':
    case 'reinterpret':
    case 'remote':
      return rootOf(names, e.of, isSlot)
    case 'name': {
      const bound = names.get(e.name)
      return bound === undefined ? null : rootOf(names, bound, isSlot)
    }
    default:
      return null
  }
}

// ---------------------------------------------------------------- the plan

const ringOf = (storage: Storage, isSlot: boolean): Ring => {
  const bytes = lengthOf(storage)
  const slots = isSlot && storage.contents._tag === 'elements' ? (storage.contents.layout.shape[0] ?? 1) : 1
  return { storage: storage.id, slots, slotBytes: bytes / slots }
}

export const planOf = (program: Program): Plan => {
  const names = new Map(bindings(program.entry))
  const filled = new Map<string, boolean>()
  const arrivals = new Map<string, Set<number>>()
  for (const { instruction } of effectsOf(program.entry.body)) {
    if (
      instruction._tag === 'tma.load' ||
      instruction._tag === 'tma.gather' ||
      instruction._tag === 'cpAsync.copy'
    ) {
      const root = rootOf(names, instruction.destination)
      if (root !== null) filled.set(root.storage, filled.get(root.storage) === true || root.isSlot)
    }
    if (instruction._tag === 'mbarrier.init') {
      const root = rootOf(names, instruction.barrier)
      if (root === null) continue
      const counts = arrivals.get(root.storage) ?? new Set()
      arrivals.set(root.storage, counts.add(instruction.count))
    }
  }
  return {
    rings: program.storage.flatMap((s) => {
      const isSlot = filled.get(s.id)
      return isSlot === undefined ? [] : [ringOf(s, isSlot)]
    }),
    barriers: program.storage.flatMap((s) =>
      s.contents._tag === 'barriers'
        ? [
            {
              storage: s.id,
              barriers: s.contents.shape.reduce((n, extent) => n * extent, 1),
              arrivals: [...(arrivals.get(s.id) ?? [])].sort((a, b) => a - b),
              ordersTensorCore: s.contents.ordersTensorCore,
            },
          ]
        : [],
    ),
  }
}
