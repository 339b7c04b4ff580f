/** Scalar operations on rows, against the operation itself on 32 separate threads: each has its words, and says what it knows. */
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { rest, scalarOperation } from '../../../src/numerics/scalar/index.js'
import { rows, setAll, setLane, setPredicate, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import { move, scalar } from '../../../src/semantics/warps/silent.js'
import { nightly } from '../../extent.js'
import { prop } from '../../prop.js'

const lanes = Array.from({ length: 32 }, (_, l) => l)
const has = (m: number, lane: number): boolean => ((m >>> lane) & 1) === 1
const word = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 7))
const mask = fc.oneof(fc.constant(-1), fc.integer())

/** A register of a warp: one word or 32, and the lanes that have none. */
const register = fc.tuple(
  fc.boolean(),
  fc.array(word, { minLength: 32, maxLength: 32 }),
  fc.oneof(fc.constantFrom(0, 0, -1), fc.integer()),
)
const count = 4

const held = (registers: ReadonlyArray<readonly [boolean, ReadonlyArray<number>, number]>): Rows => {
  const r = rows(count, 2, null, null, null, null, null, null)
  registers.forEach(([uniform, words, unknown], row) => {
    if (uniform) setAll(r, row, words[0]!)
    else
      words.forEach((x, lane) => {
        setLane(r, row, lane, x)
      })
    r.unknown[row] = unknown
  })
  setPredicate(r, 0, -1, registers[0]![1][0]!, registers[0]![2])
  setPredicate(r, 1, -1, 0, 0)
  return r
}

const place = fc.integer({ min: -2, max: count - 1 })
const row = fc.nat(count - 1)
/** Operands and results may be one register. */
const operation = fc.oneof(
  fc.tuple(fc.constantFrom('neg.s32', 'not.b32'), fc.tuple(row), fc.tuple(row)),
  fc.tuple(fc.constantFrom('add.s32', 'shl.b32', 'min.u32'), fc.tuple(row, row), fc.tuple(row)),
  fc.tuple(fc.constantFrom('mad.lo.s32', 'fma.rn.f32'), fc.tuple(row, row, row), fc.tuple(row)),
  fc.tuple(fc.constant('selp.b32'), fc.tuple(row, row, fc.constantFrom(-1, -2)), fc.tuple(place)),
  fc.tuple(fc.constant('setp.lt.s32'), fc.tuple(row, row), fc.tuple(fc.constantFrom(-1, -2))),
  fc.constantFrom<readonly [string, readonly [number, number], readonly [number, number]]>(
    ['mul.wide.u32', [0, 1], [2, 3]],
    ['mul.wide.u32', [0, 3], [1, 2]],
  ),
)

const at = (r: Rows, p: number, lane: number): number =>
  p >= 0 ? wordAt(r, p, lane) : has(r.predicates[-1 - p]!, lane) ? 1 : 0
const knows = (r: Rows, p: number, lane: number): boolean =>
  !has(p >= 0 ? r.unknown[p]! : r.unknownPredicates[-1 - p]!, lane)

prop([fc.array(register, { minLength: count, maxLength: count }), operation, mask], {
  numRuns: nightly ? 300 : 60,
})(
  'law 1: in every lane of the mask the operation, and nothing in the others',
  (registers, [name, from, to], active) => {
    if (active === 0) return true
    const op = scalarOperation(name)!
    const before = held(registers)
    const after = held(registers)
    scalar(after, name, op, from, to, active, active === -1)
    // counted, for an expectation a word takes most of the time
    const wrong: string[] = []
    for (const lane of lanes) {
      const first = op.compute(...from.map((p) => at(before, p, lane)))
      const results = [first, ...rest]
      // law 2: of a choice what it is made by, and what it takes
      const by = from[from.length - 1]!
      const half = (from.length - 1) / 2
      const chosen =
        knows(before, by, lane) && at(before, by, lane) !== 0 ? from.slice(0, half) : from.slice(half, -1)
      const counts = name.startsWith('selp.') ? [by, ...chosen] : from
      const known = counts.every((p) => knows(before, p, lane))
      for (const p of [0, 1, 2, 3, -1, -2]) {
        const i = to.findIndex((place) => place === p)
        const isWritten = i >= 0 && has(active, lane)
        const should = isWritten ? known : knows(before, p, lane)
        const result = results[Math.max(i, 0)]!
        const word = !isWritten ? at(before, p, lane) : p >= 0 ? result | 0 : result === 0 ? 0 : 1
        if (knows(after, p, lane) !== should || ((should || !isWritten) && at(after, p, lane) !== word))
          wrong.push(`place ${String(p)} of lane ${String(lane)}`)
      }
    }
    expect(wrong).toEqual([])
    return true
  },
)

/** Registers and what is moved into them, all at once. */
const moved = fc
  .uniqueArray(row, { minLength: 1, maxLength: count })
  .chain((to) => fc.tuple(fc.constant(to), fc.tuple(...to.map(() => row))))

prop([fc.array(register, { minLength: count, maxLength: count }), moved, mask], {
  numRuns: nightly ? 300 : 60,
})('of a move of several registers each is what the other was before', (registers, [to, from], active) => {
  if (active === 0) return true
  const before = held(registers)
  const after = held(registers)
  move(after, { _tag: 'move', to, from }, active, active === -1)
  return lanes.every((lane) =>
    [0, 1, 2, 3].every((p) => {
      const i = has(active, lane) ? to.indexOf(p) : -1
      const source = i < 0 ? p : from[i]!
      const should = knows(before, source, lane)
      return knows(after, p, lane) === should && (!should || at(after, p, lane) === at(before, source, lane))
    }),
  )
})
