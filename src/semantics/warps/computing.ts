/**
 * Instructions that lanes compute by themselves: no memory, no other agent, no effect.
 *
 * What a warp computes between two effects is silent: no other agent can see when it is done. So it is done at once, lane by lane, and needs no event. The same function
 * serves an instruction of the walk and the arms of a branch that only compute, which are done without parting the lanes (`arms.ts`).
 *
 * Law 1. It reads and writes registers of the lanes in its mask, and of no others; products of matrices and moves of whole warps need all lanes, or fault.
 */
import type { FaultValue } from '../machine/value.js'
import { transpose, wholeWarp } from './effects/matrices.js'
import * as Absent from './absent.js'
import * as Lanes from './lanes.js'
import type { LinkedInstruction } from './launched.js'
import type { Here } from './memory.js'
import { operand } from './operands.js'
import { multiply } from './products.js'
import type { Computed } from './program.js'
import * as Origins from './origins.js'
import { setPredicate } from './rows.js'
import * as Arms from './arms.js'
import * as Wraps from './wraps.js'
import * as Shadows from './shadows.js'
import * as Silent from './silent.js'
import type { Of, Walk } from './walking.js'

/** Operands that must be one in all lanes, and are not. */
const differing = (h: Here, o: Of<'wholeWarp'>, mask: number): FaultValue | null => {
  for (const { row, what } of o.alike) {
    const word = operand(h, what, row, mask)
    if (typeof word !== 'number') return word
  }
  return null
}

/** What the lanes of `mask` compute by themselves; or why they cannot. */
export const compute = (
  h: Here,
  o: Computed,
  { scalar, product }: LinkedInstruction,
  mask: number,
  full: boolean,
): FaultValue | null => {
  const { rows } = h
  if (rows.shadow !== null) Shadows.follow(rows, o, scalar, mask)
  switch (o._tag) {
    case 'scalar':
      Silent.scalar(rows, o.name, scalar!, o.from, o.to, mask, full)
      return null
    case 'move':
      Silent.move(rows, o, mask, full)
      return null
    case 'part':
      Silent.part(rows, o, mask, full)
      return null
    case 'pack':
      Silent.pack(rows, o, mask, full)
      return null
    case 'predicate':
      Silent.predicate(rows, o, mask)
      return null
    case 'setPredicate':
      setPredicate(rows, o.to, mask, o.value ? mask : 0, 0)
      return null
    case 'activeLanes':
      Lanes.activeLanes(rows, o, mask)
      return null
    case 'mbarrierPending':
      Silent.pending(rows, o, mask)
      return null
    case 'transposeMatrix': {
      const apart = wholeWarp(h, 'movmatrix', mask)
      if (apart === null) transpose(rows, o)
      return apart
    }
    case 'multiply':
      return wholeWarp(h, o.product.instruction, mask) ?? multiply(rows, o, product!)
    case 'wholeWarp':
      return wholeWarp(h, o.what, mask) ?? differing(h, o, mask)
  }
}

/** Arms that only compute, at the warp's registers. */
export const computing = (w: Walk): Arms.Computing => ({
  rows: w.rows,
  program: w.launch.program,
  code: w.launch.code,
  act: (code, mask) => {
    const { operation: o } = code.instruction
    if (!Arms.isOfOneLane(o)) return null
    const full = (mask | w.ended) === -1
    if (w.rows.wraps !== null) Wraps.follow(w.rows, o, mask)
    if (w.rows.origins !== null) Origins.followAlone(w.rows, o, mask, code.product)
    const wrong = compute(w.here, o, code, mask, full)
    if (w.rows.absent.size > 0) Absent.follow(w.rows, o, mask)
    return wrong
  },
})
