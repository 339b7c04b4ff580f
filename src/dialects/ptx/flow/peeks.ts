/**
 * Peeks: tests of an mbarrier whose answer is kept, and spares a later wait.
 *
 *             mbarrier.try_wait.parity.shared::cta.b64 early, [bar], parity;        a peek: the flag is kept,
 *             ...
 *             @early bra over;                                                      and where it was false
 *     again:  mbarrier.try_wait.parity.shared::cta.b64 done, [bar], parity;         a spin waits (`spins.ts`)
 *             @!done bra again;
 *     over:
 */
import { remembered } from '../../../remembered.js'
import type { Code } from '../opcodes/resolve.js'
import { graphOf, type Graph } from './graph.js'
import { plain } from './plain.js'
import { asks, spinsOf } from './spins.js'

export interface Peek {
  /** the number of the instruction that tests */
  readonly test: number
  /** the tests of the spins that wait where it was false */
  readonly spins: ReadonlyArray<number>
}

/** What moves between registers and does nothing else. */
const pure = new Set(['mov', 'selp', 'setp', 'not', 'and', 'or', 'xor', 'cvt'])

/** All peeks of a function, in the order of the text. */
export const peeksOf: (code: Code) => ReadonlyArray<Peek> = remembered((written) => {
  const code = plain(written)
  const graph = graphOf(code)
  const spins = spinsOf(code)
  const spinning = new Set(spins.map((s) => s.test))
  const headers = new Map(spins.filter((s) => s.kind === 'mbarrier').map((s) => [s.header, s.test]))
  const peeks: Peek[] = []
  code.instructions.forEach((i, test) => {
    if (!asks(i) || spinning.has(test)) return
    // all that follows from the flag, wherever it is kept
    const flags = new Set(i.writes.map((r) => r.index))
    for (let grown = true; grown;) {
      grown = false
      for (const other of code.instructions)
        if (pure.has(other.form.base) && other.reads.some((r) => flags.has(r.index)))
          for (const r of other.writes)
            if (!flags.has(r.index)) {
              flags.add(r.index)
              grown = true
            }
    }
    const found = new Set<number>()
    let only = true
    code.instructions.forEach((other, k) => {
      if (k === test || pure.has(other.form.base) || !other.reads.some((r) => flags.has(r.index))) return
      const branches = other.form.base === 'bra' && other.guard !== null
      const next = branches
        ? graph.blocks[graph.blockOf[k]!]!.successors.map((s) => spinBehind(graph, headers, s))
        : []
      const spin = next.find((s) => s !== null)
      if (spin === undefined || spin === null) only = asks(other) && only
      else found.add(spin)
    })
    if (only && found.size > 0) peeks.push({ test, spins: [...found].sort((a, b) => a - b) })
  })
  return peeks
})

/** The spin that a block is, or goes straight into. */
const spinBehind = (graph: Graph, headers: ReadonlyMap<number, number>, block: number): number | null => {
  for (let b = block, steps = 0; steps < 4; steps++) {
    const spin = headers.get(b)
    if (spin !== undefined) return spin
    const successors = graph.blocks[b]?.successors ?? []
    if (successors.length !== 1) return null
    b = successors[0]!
  }
  return null
}
