/**
 * Proxy fences that a placement asks for.
 *
 * Where a buffer lies over another one, a bulk copy may overwrite what threads have written there, and no text says a fence between the two: which
 * buffers share bytes is decided behind it. So the compiler puts one before the copy, and so does the program.
 *
 *     local_store %r, %a                      bytes 0 to 511, by threads
 *     %x = local_load %a                      a is over
 *     %b = local_alloc                        begins at 0
 *     (fence.proxy.async)
 *     async_tma_copy_global_to_local %b
 *
 * Followed is what threads have touched since the last fence, along branches and around loops; the regions of a `warp_specialize` begin behind its barrier. What a
 * copy overwrites in its own buffer is the text's to fence.
 *
 * Law 1. Before a copy stands a fence if there is a way to it on which a thread touches another buffer of its bytes and no fence follows.
 *
 * Source: Triton 3.6, the insertion of proxy fences.
 */
import type { Names } from './liveness.js'
import type { Operation, Region } from '../text/syntax.js'
import { own } from '../../../own.js'

/** Where buffers begin, by their allocation, and the copies that have a fence before them for it. */
export interface Placement {
  readonly offsets: ReadonlyMap<Operation, number>
  readonly fenced: ReadonlySet<Operation>
}

/** Operations whose threads touch these operands. */
const touching: Readonly<Record<string, ReadonlyArray<string>>> = {
  'ttg.local_store': ['dst'],
  'ttg.local_load': ['src'],
  'ttg.async_copy_global_to_local': ['result'],
  'ttng.init_barrier': ['alloc'],
  'ttng.inval_barrier': ['alloc'],
}
const copying: Readonly<Record<string, string>> = {
  'ttng.async_tma_copy_global_to_local': 'result',
  'ttng.async_tma_gather': 'result',
}

type Touched = ReadonlySet<Operation>

/** The copies that have a fence before them. */
export const fencedCopies = (
  operations: ReadonlyArray<Operation>,
  names: Names,
  share: (a: Operation, b: Operation) => boolean,
): ReadonlySet<Operation> => {
  const fenced = new Set<Operation>()
  const through = (region: Region, before: Touched): Touched =>
    region.blocks.reduce((touched, block) => walk(block.operations, touched), before)
  const walk = (all: ReadonlyArray<Operation>, before: Touched): Touched => {
    let touched = new Set(before)
    for (const op of all) {
      const named = (operand: string): ReadonlyArray<Operation> => [...(own(names.get(op), operand) ?? [])]
      const into = own(copying, op.name)
      if (op.name === 'ttng.fence_async_shared') touched = new Set()
      else if (op.name === 'ttg.local_alloc') {
        if ((op.operands['src'] ?? []).length > 0) touched.add(op)
      } else if (into !== undefined) {
        const over = named(into)
        if (over.some((buffer) => [...touched].some((other) => other !== buffer && share(buffer, other)))) {
          fenced.add(op)
          touched = new Set()
        }
      } else
        for (const operand of own(touching, op.name) ?? [])
          for (const buffer of named(operand)) touched.add(buffer)
      if (op.name === 'ttg.warp_specialize') {
        for (const region of op.regions) through(region, new Set())
        touched = new Set()
      } else if (op.name === 'scf.if')
        touched = new Set([
          ...(op.regions.length < 2 ? touched : []),
          ...op.regions.flatMap((r) => [...through(r, touched)]),
        ])
      else {
        const begin = touched.size
        const around = (): void => {
          for (const region of op.regions) touched = new Set([...touched, ...through(region, touched)])
        }
        around()
        // once more where that says more: what is touched at the end of a loop is touched at its begin
        if (touched.size > begin) around()
      }
    }
    return touched
  }
  walk(operations, new Set())
  return fenced
}
