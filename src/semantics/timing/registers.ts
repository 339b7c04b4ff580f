/**
 * Registers of a thread, as far as a text says: the most values that are live at once.
 *
 * How many registers a thread has decides how many CTAs a multiprocessor takes. An assembler settles it, and PTX does not say it, unless it bounds it
 * (`.maxnreg`). A value that is read later, on some way, is in a register; what is computed for addresses and counters besides comes to a few more.
 *
 * Law 1. It is at most `mostRegisters`, and a multiple of 8.
 */
import { mostRegisters } from '../language/limits.js'
import { successorsOf } from '../warps/live.js'
import type { WarpProgram } from '../warps/program.js'
import { usesOf } from '../warps/uses.js'

/** What an assembler needs besides: addresses that it keeps, and the call frame. */
const besides = 14

export const registersOf = (p: WarpProgram): number => {
  if (p.registers !== null) return p.registers
  const { code } = p
  const words = Math.ceil(p.rows / 32)
  const fixed = new Set([...p.constants.map(({ row }) => row), ...p.givens.map(({ row }) => row)])
  const live = code.map(() => new Int32Array(words))
  const uses = code.map(({ operation, guard }) => {
    const { reads, writes } = usesOf(operation)
    const rows = (places: ReadonlyArray<number>): ReadonlyArray<number> =>
      places.filter((x) => x >= 0 && !fixed.has(x))
    return { reads: rows(reads), writes: guard === null ? rows(writes) : [] }
  })
  for (let changed = true; changed;) {
    changed = false
    for (let k = code.length - 1; k >= 0; k--) {
      const now = new Int32Array(words)
      for (const to of successorsOf(code[k]!, k)) {
        const there = live[to]
        if (there !== undefined) for (let w = 0; w < words; w++) now[w]! |= there[w]!
      }
      const { reads, writes } = uses[k]!
      for (const row of writes) now[row >> 5]! &= ~(1 << (row & 31))
      for (const row of reads) now[row >> 5]! |= 1 << (row & 31)
      const before = live[k]!
      if (now.some((w, i) => w !== before[i])) {
        live[k] = now
        changed = true
      }
    }
  }
  const bitsIn = (word: number): number => {
    let n = 0
    for (let m = word; m !== 0; m &= m - 1) n++
    return n
  }
  const most = live.reduce(
    (top, rows) =>
      Math.max(
        top,
        rows.reduce((n, word) => n + bitsIn(word), 0),
      ),
    0,
  )
  return Math.min(mostRegisters, Math.ceil((most + besides) / 8) * 8)
}
