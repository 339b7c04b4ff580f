/**
 * Changes of what the lanes of a warp have with one another: which lanes meet, and which lane arrives or releases for all of them.
 *
 * | change                                   | the text                                                                              |
 * |------------------------------------------|---------------------------------------------------------------------------------------|
 * | the same without the lowest lane of its mask      | the lanes left out skip the instruction, and the others name one lane less             |
 * | the lower half of its lanes alone        | the same, of the upper half                                                            |
 * | all lanes of the warp                    | of a mask that has not all of them                                                     |
 * | by the next lane                         | the lane behind the elected one goes where an arrival, or a release, stands            |
 *
 *     bar.warp.sync -1;        { mov.u32 %changed, %lanemask_eq; and.b32 %changed, %changed, -2; setp.ne.u32 %changed2, %changed, 0;
 *                                @%changed2 bar.warp.sync -2; }
 *
 * PTX asks that the thread that executes a `bar.warp.sync` is in its mask, so a lane that is left out must not come to it. A mask in a register loses its lowest lane alone:
 * which half is the lower one is not known.
 *
 * All that the election decides goes to the next lane: the copy that the arrival announces, too. A place that several arrivals share is changed once, at the first.
 *
 * Laws
 * 1. Every lane that executes a narrowed `bar.warp.sync` is in its mask.
 * 2. A lane that a change leaves out of a mask does not execute the instruction; a lane that it hands an instruction to does it in the place of one other lane.
 */
import { countOf } from '../../../semantics/log/lane-mask.js'
import type { Graph } from '../flow/graph.js'
import type { Code, Resolved } from '../opcodes/resolve.js'
import type { Guard, Instruction, Operand, Statement } from '../text/module.js'
import { electionOf, type Election } from './elections.js'
import { kindOf } from './kinds.js'
import { becomes, freshNames, made, placeOf, type Changes, type Making } from './making.js'
import { instruction, integer, name, scopedOf, withOperand } from './write.js'

// ---------------------------------------------------------------- masks

/** The lower half of the lanes of a mask. */
const lowerHalf = (mask: number): number => {
  let out = mask
  for (let left = countOf(mask) >> 1; left > 0; left--) out &= ~(1 << (31 - Math.clz32(out)))
  return out
}

/** Executed by the lanes of a mask alone, and so by those of its guard; the mask is a constant. */
const byLanesOf = (m: Making, k: number, mask: number): Statement => {
  const fresh = freshNames(m)
  const [own, takesPart] = [fresh(), fresh()]
  const { guard } = m.i
  const guarded: Guard = { at: m.i.at, name: takesPart, negated: false }
  return scopedOf(
    m.i,
    [
      ['b32', own],
      ['pred', takesPart],
    ],
    [
      instruction(m.i, null, 'mov.u32', [name(m.i, own), name(m.i, '%lanemask_eq')]),
      instruction(m.i, null, 'and.b32', [name(m.i, own), name(m.i, own), integer(mask)]),
      ...isIn(m, takesPart, own, guard),
      instruction(m.i, guarded, m.i.opcode, withOperand(m.i, k, integer(mask)).operands),
    ],
  )
}

/** The same of a mask in a register, without its lowest lane. */
const byAllButLowest = (m: Making, k: number, mask: Operand): Statement => {
  const fresh = freshNames(m)
  const [own, fewer, takesPart] = [fresh(), fresh(), fresh()]
  const guarded: Guard = { at: m.i.at, name: takesPart, negated: false }
  const [o, f] = [name(m.i, own), name(m.i, fewer)]
  return scopedOf(
    m.i,
    [
      ['b32', own],
      ['b32', fewer],
      ['pred', takesPart],
    ],
    [
      instruction(m.i, null, 'add.s32', [f, mask, integer(-1)]),
      instruction(m.i, null, 'and.b32', [f, f, mask]),
      instruction(m.i, null, 'mov.u32', [o, name(m.i, '%lanemask_eq')]),
      instruction(m.i, null, 'and.b32', [o, o, f]),
      ...isIn(m, takesPart, own, m.i.guard),
      instruction(m.i, guarded, m.i.opcode, withOperand(m.i, k, f).operands),
    ],
  )
}

/** True of the lanes whose bit is left, and of which the guard is. */
const isIn = (m: Making, to: string, bits: string, guard: Guard | null): ReadonlyArray<Instruction> => {
  const operands = [name(m.i, to), name(m.i, bits), integer(0)]
  if (guard === null) return [instruction(m.i, null, 'setp.ne.u32', operands)]
  const of = name(m.i, guard.name)
  return [instruction(m.i, null, 'setp.ne.and.u32', [...operands, guard.negated ? { _tag: 'not', of } : of])]
}

const whole = -1

/** Of a `bar.warp.sync`: fewer lanes, or more. */
export const masks = (m: Making): Changes => {
  const k = placeOf(m.r, 'mask')
  const { mask } = m.r.operands
  const text = m.i.operands[k]
  if (text === undefined) return []
  const wider = (): Changes => [
    made(m, 'LANES', 'all lanes of the warp', becomes(m, withOperand(m.i, k, integer(whole))), 'wider'),
  ]
  if (mask?._tag !== 'immediate')
    return [
      made(
        m,
        'LANES',
        'the same without the lowest lane of its mask',
        becomes(m, byAllButLowest(m, k, text)),
        'less',
      ),
      ...wider(),
    ]
  const lanes = Number(BigInt.asIntN(32, mask.bits))
  const narrower =
    countOf(lanes) < 2
      ? []
      : [
          made(
            m,
            'LANES',
            'the same without the lowest lane of its mask',
            becomes(m, byLanesOf(m, k, lanes & (lanes - 1))),
            'less',
          ),
          made(
            m,
            'LANES',
            'the lower half of its lanes alone',
            becomes(m, byLanesOf(m, k, lowerHalf(lanes))),
            'less',
          ),
        ]
  return [...narrower, ...(lanes === whole ? [] : wider())]
}

// ---------------------------------------------------------------- who is elected

/** What one lane alone executes: by whose predicate, and which instructions. */
interface Handed {
  /** the instruction whose guard decides it */
  readonly at: number
  readonly election: Election
  readonly guard: NonNullable<Resolved['guard']>
  readonly instructions: ReadonlySet<number>
}

/** Blocks that are come to from one, before another. */
const between = ({ blocks }: Graph, from: number, end: number): ReadonlySet<number> => {
  const seen = new Set<number>()
  const pending = [from]
  while (pending.length > 0) {
    const b = pending.pop()!
    if (b === end || b >= blocks.length || seen.has(b)) continue
    seen.add(b)
    for (const next of blocks[b]!.successors) pending.push(next)
  }
  return seen
}

const instructionsOf = ({ blocks }: Graph, of: Iterable<number>): ReadonlySet<number> => {
  const out = new Set<number>()
  for (const b of of) for (let k = blocks[b]!.first; k < blocks[b]!.end; k++) out.add(k)
  return out
}

/** The side of a branch that one lane alone goes; null: its guard elects none. */
const sideOf = (m: Making, at: number): Handed | null => {
  const { code } = m.site
  const { graph } = m
  const { guard, operands } = code.instructions[at]!
  const { target } = operands
  if (guard === null || target?._tag !== 'label') return null
  const election = electionOf(code, guard.register, m.block)
  if (election === null) return null
  const there = graph.blockOf[target.target] ?? graph.blocks.length
  const here = graph.blockOf[at]! + 1
  // the branch is taken where the guard is true
  const isTaken = election.isTrue !== guard.negated
  const end = graph.postDominators[graph.blockOf[at]!]!
  const [own, others] = [
    between(graph, isTaken ? there : here, end),
    between(graph, isTaken ? here : there, end),
  ]
  const alone = [...own].filter((b) => !others.has(b) && b !== graph.blockOf[at])
  return { at, election, guard, instructions: instructionsOf(graph, alone) }
}

/** The least that one lane alone executes, and that has the instruction in it. */
const handedAt = (m: Making): Handed | null => {
  const { code, index } = m.site
  const { guard } = m.r
  const election = guard === null ? null : electionOf(code, guard.register, m.block)
  if (guard !== null && election !== null && election.isTrue !== guard.negated)
    return { at: index, election, guard, instructions: new Set([index]) }
  return code.instructions
    .flatMap((r, at) => (r.form.base === 'bra' && r.guard !== null ? (sideOf(m, at) ?? []) : []))
    .filter(({ instructions }) => instructions.has(index))
    .reduce<Handed | null>(
      (least, h) => (least === null || h.instructions.size < least.instructions.size ? h : least),
      null,
    )
}

/** Is there a fence of memory before it, on a way from the barrier of threads before? */
const isFenced = ({ site: { code, index }, graph }: Making): boolean => {
  const seen = new Set<number>()
  const pending: number[] = []
  const goOn = (k: number): void => {
    const block = graph.blocks[graph.blockOf[k]!]!
    if (k > block.first) pending.push(k - 1)
    else for (const b of block.predecessors) pending.push(graph.blocks[b]!.end - 1)
  }
  goOn(index)
  while (pending.length > 0) {
    const k = pending.pop()!
    if (seen.has(k)) continue
    seen.add(k)
    const r = code.instructions[k]!
    if (r.form.base === 'fence' || r.form.base === 'membar') return true
    const kind = kindOf(r)
    if (kind !== 'bar' && kind !== 'cluster barrier') goOn(k)
  }
  return false
}

/** Does it tell others what its thread has done: an arrival, a release, a strong write behind a fence? */
const isTelling = (m: Making): boolean => {
  if (m.site.kind === 'mbarrier arrive') return true
  const { base } = m.r.form
  const { sem } = m.r.modifiers
  if (base !== 'st' && base !== 'red' && base !== 'atom') return false
  if (sem === 'release' || sem === 'acq_rel') return true
  const isStrong = sem === 'relaxed' || sem === 'volatile' || (base !== 'st' && sem === undefined)
  return isStrong && isFenced(m)
}

const firstTelling = (m: Making, h: Handed, tells: (k: number) => boolean): boolean =>
  ![...h.instructions].some((k) => k < m.site.index && tells(k))

/** The guarded instruction, by the predicate of the lane before. */
const handedOn = (m: Making, code: Code, h: Handed): Statement => {
  const { instruction: i } = code.instructions[h.at]!
  const { registers, body, predicate } = h.election.next(i, freshNames(m))
  return scopedOf(i, registers, [
    ...body,
    instruction(i, { at: i.at, name: predicate, negated: h.guard.negated }, i.opcode, i.operands),
  ])
}

/** Of an arrival, or a release, that one lane does for others: the next lane does it. `at`: the same, of another instruction of the function. */
export const byNextLane = (m: Making, at: (index: number) => Making | null): Changes => {
  if (!isTelling(m)) return []
  const h = handedAt(m)
  if (h === null) return []
  const tells = (k: number): boolean => {
    const other = at(k)
    return other !== null && isTelling(other) && handedAt(other)?.at === h.at
  }
  if (!firstTelling(m, h, tells)) return []
  const { code } = m.site
  const labels = new Set([...h.instructions].flatMap((k) => m.siteOf(code, k)?.label ?? []))
  return [
    made(
      m,
      'LANES',
      'by the next lane',
      new Map([[code.instructions[h.at]!.instruction, [handedOn(m, code, h)]]]),
      'other',
      null,
      labels,
    ),
  ]
}
