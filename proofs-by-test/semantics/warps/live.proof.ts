/** Rows that are live, against a walk along all ways. */
import { expect, test } from 'vitest'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { liveIn } from '../../../src/semantics/warps/live.js'
import type { Instruction, WarpProgram } from '../../../src/semantics/warps/program.js'

const rows = 4

/** Moves, guarded or not; branches, whose predicate row 0 decides; exits. */
const drawn = (seed: number): ReadonlyArray<Instruction> => {
  const d = dice(seed)
  const n = 3 + d.below(6)
  return Array.from({ length: n }, (): Instruction => {
    const guard = d.chance(0.4) ? { predicate: 0, negated: false } : null
    switch (d.pick(['move', 'move', 'branch', 'setp', 'exit'])) {
      case 'branch':
        return { site: 0, guard, operation: { _tag: 'branch', target: d.below(n), join: null } }
      case 'setp':
        return {
          site: 0,
          guard: null,
          operation: {
            _tag: 'scalar',
            name: 'setp.ne.s32',
            to: [-1, null],
            from: [d.below(rows), d.below(rows)],
          },
        }
      case 'exit':
        return { site: 0, guard, operation: { _tag: 'exit' } }
      default:
        return { site: 0, guard, operation: { _tag: 'move', to: [d.below(rows)], from: [d.below(rows)] } }
    }
  })
}

/** Does a way from here come to a read before a write? */
const isRead = (code: ReadonlyArray<Instruction>, from: number, row: number): boolean => {
  const seen = new Set<number>()
  const walk = (k: number): boolean => {
    const one = code[k]
    if (one === undefined || seen.has(k)) return false
    seen.add(k)
    const { guard, operation: o } = one
    if (o._tag === 'move' && o.from[0] === row) return true
    if (o._tag === 'scalar' && o.from.includes(row)) return true
    if (guard === null && o._tag === 'move' && o.to[0] === row) return false
    const falls = guard !== null || (o._tag !== 'branch' && o._tag !== 'exit')
    return (o._tag === 'branch' && walk(o.target)) || (falls && walk(k + 1))
  }
  return walk(from)
}

/** Rows that a guard comes from, by whatever moves. */
const deciding = (code: ReadonlyArray<Instruction>): ReadonlySet<number> => {
  const out = new Set<number>()
  const guarded = code.some(
    ({ guard, operation: o }) => guard !== null && (o._tag !== 'move' || out.has(o.to[0]!)),
  )
  for (let k = 0; k <= code.length * rows; k++)
    for (const { guard, operation: o } of code) {
      const hears = guarded || (guard !== null && o._tag === 'move' && out.has(o.to[0]!))
      if (o._tag === 'scalar' && hears) for (const r of o.from) out.add(r)
      if (o._tag === 'move' && out.has(o.to[0]!)) out.add(o.from[0]!)
    }
  return out
}

test('law 1, on random programs', () => {
  let live = 0
  let dead = 0
  for (let seed = 1; seed <= 60; seed++) {
    const code = drawn(seed)
    const decides = deciding(code)
    const found = liveIn({ code, rows, predicates: 1 } as unknown as WarpProgram)
    for (let at = 0; at < code.length; at++)
      for (let row = 0; row < rows; row++) {
        const expected = decides.has(row) && isRead(code, at, row)
        expect([seed, at, row, found.row(at, row)]).toEqual([seed, at, row, expected])
        if (expected) live++
        else dead++
      }
  }
  expect(Math.min(live, dead)).toBeGreaterThan(100)
})

test('registers that a tcgen05.st has taken are not read behind its back; those of a wgmma may be', () => {
  const stored = { _tag: 'tcgen05Store', at: { row: 1, offset: 0 }, value: [0] }
  const product = {
    _tag: 'wgmma',
    a: { _tag: 'registers', rows: [0] },
    b: { descriptor: [1] },
    d: [2],
    accumulates: { predicate: 0, negated: false },
    sparsity: null,
  }
  const liveAfter = (operation: unknown): boolean => {
    const code = [
      { operation, guard: null, site: 0 },
      { operation: { _tag: 'exit' }, guard: null, site: 1 },
    ]
    return liveIn({ code, rows: 3, predicates: 1 } as unknown as WarpProgram).row(1, 0)
  }
  expect([liveAfter(stored), liveAfter(product)]).toEqual([false, true])
})
