/**
 * Liveness of rows and predicates: which a warp may still read where it stands, before it writes them, and which come to something then (`timing.ts`).
 *
 *     0  add r2, r0, r1        r0 and r1 are live here, r2 is not
 *     1  @p mov r2, r3         what a guard may leave undone ends no life: r2 is live here if it is behind
 *
 * A part of a warp writes all its lanes, or none of its own are asked: so of a row those lanes count whose part stands where it is live.
 *
 * Law 1. A row that decides something is live at an index just where a way from it comes to an instruction that reads it, and to none before that writes it whatever its
 * guard; one that decides nothing is live nowhere.
 */
import { remembered } from '../../remembered.js'
import { ofPredicate, type Instruction, type Place, type WarpProgram } from './program.js'
import { decidingIn } from './timing.js'
import { usesOf } from './uses.js'

export interface Live {
  readonly row: (at: number, row: number) => boolean
  readonly predicate: (at: number, predicate: number) => boolean
}

/** Where control goes from an instruction. */
export const successorsOf = ({ operation: o, guard }: Instruction, k: number): ReadonlyArray<number> => {
  const onward = guard === null ? [] : [k + 1]
  switch (o._tag) {
    case 'branch':
      return [o.target, ...onward]
    case 'branchIndexed':
      return [...o.targets, ...onward]
    case 'exit':
    case 'trap':
      return onward
    default:
      return [k + 1]
  }
}

/** Is a place read on a way from an index, before it is written whatever the guard? A call or a return may read it. */
export const readBeforeWritten = (code: ReadonlyArray<Instruction>, from: number, place: Place): boolean => {
  const seen = new Set<number>()
  const stack = [from]
  while (stack.length > 0) {
    const k = stack.pop()!
    const one = code[k]
    if (one === undefined || seen.has(k)) continue
    seen.add(k)
    const { operation: o, guard } = one
    const { reads, writes } = usesOf(o)
    if (o._tag === 'call' || o._tag === 'return' || reads.includes(place)) return true
    if (guard !== null && ofPredicate(guard.predicate) === place) return true
    if (guard !== null || !writes.includes(place)) for (const to of successorsOf(one, k)) stack.push(to)
  }
  return false
}

const everything: Live = { row: () => true, predicate: () => true }

/**
 * Of a program with calls, whose ways the text does not show, or with registers in flight, which are read or written behind its back, all of them. A `tcgen05.st` takes its registers
 * when it is issued: of them PTX says nothing until the wait, as it does of those of `wgmma`.
 */
export const liveIn: (p: WarpProgram) => Live = remembered((p) => {
  const { code, rows, predicates } = p
  const isOpaque = code.some(
    ({ operation: o }) => o._tag === 'call' || o._tag === 'return' || usesOf(o).flight !== null,
  )
  if (isOpaque) return everything
  const width = (rows + predicates + 31) >>> 5
  const bit = (place: Place): number => (place >= 0 ? place : rows - 1 - place)
  const live = new Int32Array(width * (code.length + 1))
  const uses = code.map(({ operation, guard }) => {
    const { reads, writes } = usesOf(operation)
    return {
      reads: (guard === null ? reads : [...reads, ofPredicate(guard.predicate)]).map(bit),
      writes: guard === null ? writes.map(bit) : [],
    }
  })
  const next = code.map(successorsOf)
  const deciding = new Set([...decidingIn(code)].map(bit))
  const now = new Int32Array(width)
  for (let changed = true; changed;) {
    changed = false
    for (let k = code.length - 1; k >= 0; k--) {
      now.fill(0)
      for (const to of next[k]!)
        for (let i = 0; i < width; i++) now[i] = now[i]! | (live[to * width + i] ?? 0)
      for (const w of uses[k]!.writes) now[w >>> 5] = now[w >>> 5]! & ~(1 << (w & 31))
      for (const r of uses[k]!.reads) now[r >>> 5] = now[r >>> 5]! | (1 << (r & 31))
      for (let i = 0; i < width; i++)
        if (live[k * width + i] !== now[i]) {
          live[k * width + i] = now[i]!
          changed = true
        }
    }
  }
  const is = (at: number, b: number): boolean =>
    deciding.has(b) && ((live[Math.min(at, code.length) * width + (b >>> 5)]! >>> (b & 31)) & 1) === 1
  return { row: is, predicate: (at, q) => is(at, rows + q) }
})
