/**
 * Registers in flight: those that a product of a warpgroup reads or writes until a wait covers it.
 *
 *     wgmma.mma_async %f1..%f64, ...;     in flight from here
 *     wgmma.commit_group;                 one group is pending
 *     wgmma.wait_group 0;                 to here
 *
 * A wait for n groups covers a product once more than n groups were put together since, its own among them.
 *
 * Law 1. On no path from a product to a wait that covers it has another wait covered it.
 *
 * Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
 */
import { remembered } from '../../../remembered.js'
import type { Code } from '../opcodes/resolve.js'
import type { Register } from '../opcodes/scope.js'
import { graphOf } from './graph.js'

export interface Flight {
  /** the number of the product */
  readonly product: number
  readonly accumulators: ReadonlyArray<Register>
  /** registers of A, where it comes from registers */
  readonly sources: ReadonlyArray<Register>
  /** waits that cover it, on one path or another */
  readonly waits: ReadonlyArray<number>
  /** instructions that read or write one of them before that; another product into the same accumulators is none */
  readonly touches: ReadonlyArray<number>
}

/** More groups than a wait can leave pending. */
const most = 16

/** Each product of a function with what it keeps in flight. */
export const flightsOf: (code: Code) => ReadonlyArray<Flight> = remembered((code) => {
  const graph = graphOf(code)
  const count = code.instructions.length
  return code.instructions.flatMap((product, start): ReadonlyArray<Flight> => {
    if (product.form.base !== 'wgmma.mma_async') return []
    const accumulators = product.writes
    const written = new Set(accumulators.map((r) => r.index))
    const a = product.operands['a']
    const sources = a?._tag === 'vector' ? a.items.flatMap((v) => (v._tag === 'register' ? [v] : [])) : []
    const held = new Set(sources.map((r) => r.index))
    const waits = new Set<number>()
    const touches = new Set<number>()
    const seen = new Set<number>()
    const pending: [at: number, groups: number][] = [[start + 1, 0]]
    while (pending.length > 0) {
      const [from, before] = pending.pop()!
      let groups = before
      let at = from
      for (;;) {
        const state = at * (most + 1) + groups
        if (at >= count || seen.has(state)) break
        seen.add(state)
        const i = code.instructions[at]!
        const base = i.form.base
        if (base === 'wgmma.commit_group') groups = Math.min(most, groups + 1)
        else if (base === 'wgmma.wait_group') {
          const left = i.operands['n']
          if (left?._tag === 'immediate' && groups > Number(left.bits)) {
            waits.add(at)
            break
          }
        } else if (
          i.writes.some((r) => held.has(r.index) || (written.has(r.index) && base !== 'wgmma.mma_async')) ||
          (base !== 'wgmma.mma_async' && i.reads.some((r) => written.has(r.index)))
        )
          touches.add(at)
        const block = graph.blocks[graph.blockOf[at]!]!
        if (at + 1 < block.end) {
          at += 1
          continue
        }
        for (const s of block.successors) {
          const next = graph.blocks[s]
          if (next !== undefined) pending.push([next.first, groups])
        }
        break
      }
    }
    const inOrder = (x: ReadonlySet<number>): ReadonlyArray<number> => [...x].sort((p, q) => p - q)
    return [{ product: start, accumulators, sources, waits: inOrder(waits), touches: inOrder(touches) }]
  })
})
