/**
 * Damages: a draft with a few small changes, such as an author makes by mistake.
 *
 * An operation is left out, doubled, moved, given another barrier or parity, or made relaxed. Nearly right programs put a detector to the test that soups never reach.
 *
 * Law 1. A damaged draft is one that a real program can have.
 */
import * as S from './skeleton.js'
import type { Op } from './skeleton.js'
import { parityOf, type Dice, type Draft } from './dice.js'

/** `times` small damages. Rendezvous stay where they are. */
export const mutate = (die: Dice, draft: Draft, times: number): Draft => {
  const bodies = draft.bodies.map((body) => [...body])
  const barriers = [...draft.barriers]
  const { tensor } = draft
  for (let t = 0; t < times; t++) {
    const x = die.below(bodies.length)
    const body = bodies[x]!
    if (body.length === 0) continue
    const i = die.below(body.length)
    const op = body[i]!
    const m = die.below(100)
    const any = die.below(barriers.length)
    const near = barriers.flatMap((b, k) => (b.cta === draft.ctas[x] ? [k] : []))
    const put = (next: Op): void => {
      body[i] = next
    }
    const swap = (j: number): void => {
      const other = body[j]
      if (other === undefined || other._tag === 'rendezvous' || other._tag === 'dealloc') return
      body[i] = other
      body[j] = op
    }
    if (op._tag === 'rendezvous' || op._tag === 'dealloc') continue
    if (m < 28) body.splice(i, 1)
    else if (m < 42) body.splice(i, 0, op)
    else if (m < 52) swap(die.below(body.length))
    else if (m < 60) {
      const b = barriers[any]
      if (b === undefined) continue
      barriers[any] = { name: b.name, cta: b.cta, count: Math.max(1, b.count + die.pick([-1, 1])) }
    } else if (m < 64) put(S.off(op))
    else
      switch (op._tag) {
        case 'wait':
          if (die.chance(0.5)) put(S.wait(op.barrier, parityOf(op.parity ^ 1), op.relaxed, op.tensor))
          else if (die.chance(0.6)) {
            const b = die.pick(near)
            put(S.wait(b, op.parity, op.relaxed, tensor[b]!))
          } else put(S.wait(op.barrier, op.parity, true, op.tensor))
          break
        case 'arrive':
          if (die.chance(0.6)) put(S.arrive([any], op.relaxed, tensor[any]!))
          else put(S.arrive(op.barriers, true, op.tensor))
          break
        case 'alloc':
          put(S.alloc(die.pick([32, 64]), op.ctaGroup))
          break
        case 'free':
          put(S.free(die.pick([32, 64]), op.ctaGroup))
          break
        case 'commit':
          put(tensor[any]! ? S.commit([any]) : op)
          break
        case 'arriveExpect':
          if (die.chance(0.5))
            put(S.arriveExpect(op.barrier, Math.max(0, op.units + die.pick([-1, 1])), op.relaxed, op.tensor))
          else put(S.expect(op.barrier, op.units))
          break
        case 'expect':
          if (die.chance(0.5)) put(S.expect(op.barrier, Math.max(0, op.units + die.pick([-1, 1]))))
          else put(S.arriveExpect(op.barrier, op.units, false, tensor[op.barrier]!))
          break
        case 'bulkWait':
          put(S.bulkWait(Math.max(0, op.pending + die.pick([-1, 1])), op.side))
          break
        case 'wgmmaWait':
          put(S.wgmmaWait(Math.max(0, op.pending + die.pick([-1, 1]))))
          break
        case 'copyWait':
          put(S.copyWait(Math.max(0, op.pending + die.pick([-1, 1]))))
          break
        case 'copyArrive':
          if (near.length > 0) put(S.copyArrive(die.pick(near)))
          break
        case 'load': {
          const [only, second] = op.destinations
          if (only === undefined || second !== undefined) swap(i + 1)
          else {
            const { cta } = barriers[any]!
            const atoms = only.atoms.map((atom) => (atom._tag === 'smem' ? S.smem(cta, atom.name) : atom))
            put(S.load(op.reads, [{ atoms, barrier: any, units: only.units }]))
          }
          break
        }
        default:
          swap(i + 1)
      }
  }
  return { ctas: draft.ctas, names: draft.names, barriers, tensor, bodies }
}
