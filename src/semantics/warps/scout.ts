/**
 * The scout's program: as much of a program of warps as says which mbarriers it initialises.
 *
 * A run that looks for mbarriers needs no instruction that no `mbarrier.init` can follow. There a warp may as well end, if what it would have done steers no
 * other warp: no word that is loaded decides where control goes or which bytes are touched (`steering.ts`). A warp that waits for one that has ended so waits
 * in vain; so the shorter run stands for the whole one only if it comes to its end.
 *
 *     @%first mbarrier.init [bars], 1;     is run
 *     bar.sync 0;                          the warp ends here, if nothing below initialises one
 *
 * Law 1. where the run of the scout's program is completed, it has initialised the mbarriers that a run of the whole program initialises.
 */
import { remembered } from '../../remembered.js'
import { reversed, type Graph } from './flow.js'
import type { Instruction, WarpProgram } from './program.js'
import { successorsOf } from './live.js'
import { productsSteer } from './steering.js'

/** Instructions that may follow one at once; null: it may come back to a caller. */
const following = (i: Instruction, pc: number): ReadonlyArray<number> | null =>
  i.operation._tag === 'call' || i.operation._tag === 'return' ? null : successorsOf(i, pc)

const made = remembered((p: WarpProgram): { readonly program: WarpProgram | null } => {
  if (productsSteer(p)) return { program: null }
  const graph: ReadonlyArray<number>[] = []
  for (const [pc, i] of p.code.entries()) {
    const next = following(i, pc)
    if (next === null) return { program: null }
    graph.push(next.filter((to) => to < p.code.length))
  }
  const before: Graph = reversed(graph)
  const comes = new Uint8Array(p.code.length)
  const open: number[] = []
  const reach = (pc: number): void => {
    if (comes[pc] === 1) return
    comes[pc] = 1
    open.push(pc)
  }
  p.code.forEach(({ operation }, pc) => {
    if (operation._tag === 'mbarrierInit') reach(pc)
  })
  for (let pc = open.pop(); pc !== undefined; pc = open.pop()) before[pc]!.forEach(reach)
  const code = p.code.map((i, pc): Instruction =>
    comes[pc] === 1 ? i : { site: i.site, guard: null, operation: { _tag: 'exit' } },
  )
  return { program: Object.assign({}, p, { code }) }
})

/** Null: there is none that is shorter and says as much. */
export const scoutOf = (p: WarpProgram): WarpProgram | null => made(p).program
