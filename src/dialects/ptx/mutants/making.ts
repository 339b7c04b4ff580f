/**
 * What a change of one instruction is made from, and how it is written down before it is made.
 *
 *     bar.sync 0;      a warp less      COUNT, manner less, instead: { bar.sync 0 -> bar.sync 0, 96 }
 *
 * Laws
 * 1. `fresh` names no register of the function, and no two of its names are the same.
 */
import type { Manner, MutantClass, Operator } from '../../../semantics/mutation/index.js'
import type { Graph } from '../flow/graph.js'
import type { Spin } from '../flow/spins.js'
import type { OperandRule } from '../opcodes/form.js'
import type { Code, Resolved } from '../opcodes/resolve.js'
import type { Instruction, Statement } from '../text/module.js'
import type { Instead } from '../text/replace.js'
import { classOf } from './kinds.js'
import type { PtxSite } from './sites.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- model

/** Threads of a CTA. */
export type Extent = readonly [x: number, y: number, z: number]

export const threadsOf = ([x, y, z]: Extent): number => x * y * z

/** A change of a text, before it is made. */
export interface PtxChange {
  readonly operator: Operator
  readonly class: MutantClass
  readonly manner: Manner
  /** in words without sizes */
  readonly change: string
  readonly site: PtxSite
  /** what it changes places with */
  readonly other: PtxSite | null
  readonly instead: Instead
  /** labels of what another lane does from now on; none: the change is not of that kind */
  readonly handed: ReadonlySet<string>
}

/** All that a change of one instruction is made from. */
export interface Making {
  readonly site: PtxSite
  readonly r: Resolved
  readonly i: Instruction
  readonly spin: Spin | null
  readonly graph: Graph
  /** threads of a CTA, in x, y and z */
  readonly block: Extent
  readonly siteOf: (code: Code, index: number) => PtxSite | null
  /** labels right before an instruction, as statements */
  readonly labelsBefore: ReadonlyMap<Instruction, ReadonlyArray<Statement>>
}

export type Changes = ReadonlyArray<PtxChange>

export const made = (
  m: Making,
  operator: Operator,
  change: string,
  instead: Instead,
  manner: Manner = 'other',
  other: PtxSite | null = null,
  handed: ReadonlySet<string> = new Set(),
): PtxChange => ({
  operator,
  class: m.site.kind === 'access' ? 'synchronisation' : classOf(m.site.kind),
  manner,
  change,
  site: m.site,
  other,
  instead,
  handed,
})

export const becomes = (m: Making, ...by: ReadonlyArray<Statement>): Instead => new Map([[m.i, by]])

// ---------------------------------------------------------------- operands

const nameOf = (rule: OperandRule): string => (rule._tag === 'pair' ? rule.first.name : rule.name)

/** Which operand of the text an operand of the row is; -1: it was left out. */
export const placeOf = (r: Resolved, wanted: string): number => {
  if (own(r.operands, wanted) === undefined) return -1
  let k = 0
  for (const rule of r.form.operands) {
    if (nameOf(rule) === wanted) return k
    if (own(r.operands, nameOf(rule)) !== undefined) k++
  }
  return -1
}

/** Names that no register of the function has, as many as are asked for. */
export const freshNames = (m: Making): (() => string) => {
  const taken = new Set(m.site.code.registers.map((x) => x.name))
  let k = 0
  return () => {
    for (;;) {
      const text = k === 0 ? '%changed' : `%changed${String(k + 1)}`
      k++
      if (!taken.has(text)) return text
    }
  }
}

export const fresh = (m: Making): string => freshNames(m)()
