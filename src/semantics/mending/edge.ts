/**
 * Edges as additions to a program: which statements, and where.
 *
 * An edge stands between statements that are there. What is added is put before or behind an anchor, or stands for it; everything else stays what it was.
 *
 *     read s        before it: mbarrier.wait @full parity=0            what is added has a label of its own: added wait full
 *
 * Laws
 * 1. Without the statements that were added (and with those that they stand for) the program is what it was.
 * 2. No label is given twice: what is added is found by its label.
 */
import * as E from 'fp-ts/lib/Either.js'
import { checked } from '../language/index-types.js'
import type { ExprNode } from '../language/expression.js'
import type { Instruction } from '../language/instruction.js'
import { place } from '../language/place.js'
import { listing } from '../language/print.js'
import {
  mapRegions,
  statementsOf,
  type Binder,
  type Do,
  type Program,
  type Region,
  type Stmt,
  type Storage,
} from '../language/program.js'
import type { Refusal } from '../language/refusal.js'

// ---------------------------------------------------------------- model

/** An instruction that is to be added, under a name; its operands are checked when the program is launched. */
export interface Addition {
  readonly name: string
  readonly instruction: object
  readonly when?: ExprNode
}

export interface Insertion {
  readonly anchor: Stmt
  readonly place: 'before' | 'behind' | 'instead'
  readonly add: ReadonlyArray<Addition>
  /** `before \`read s\` of consumer` */
  readonly where: string
}

/** What could be missing: all of this together. */
export interface Edge {
  readonly insertions: ReadonlyArray<Insertion>
  /** barriers that it needs, and the program does not have */
  readonly storage: ReadonlyArray<Storage>
}

/** What was added, as a listing prints it, and where. */
export interface Added {
  readonly statement: string
  readonly where: string
}

export interface Mended {
  readonly program: Program
  readonly added: ReadonlyArray<Added>
}

// ---------------------------------------------------------------- constructors

export const edge = (...insertions: ReadonlyArray<Insertion>): Edge => ({ insertions, storage: [] })

export const instruction = (i: object): Instruction => checked<Instruction, unknown>(i)

/** A label that the program does not have. */
const fresh = (taken: Set<string>, name: string): string => {
  const label = `added ${name}`
  let n = 1
  while (taken.has(n === 1 ? label : `${label} ${String(n)}`)) n++
  const free = n === 1 ? label : `${label} ${String(n)}`
  taken.add(free)
  return free
}

const noResults: ReadonlyArray<Binder> = []

interface Placed {
  readonly before: ReadonlyArray<Do>
  readonly behind: ReadonlyArray<Do>
  readonly instead: ReadonlyArray<Do> | null
}
const nothing: Placed = { before: [], behind: [], instead: null }

const rebuilt = (r: Region, placed: ReadonlyMap<Stmt, Placed>): Region => ({
  params: r.params,
  body: r.body.flatMap((s): ReadonlyArray<Stmt> => {
    const { before, behind, instead } = placed.get(s) ?? nothing
    return [...before, ...(instead ?? [mapRegions(s, (inner) => rebuilt(inner, placed))]), ...behind]
  }),
  yields: r.yields,
})

/** The program with this edge: with its barriers placed behind what is there. */
export const withEdge = (program: Program, { insertions, storage }: Edge): E.Either<Refusal, Mended> => {
  const taken = new Set(statementsOf(program.entry.body).map((s) => s.site.label))
  const placed = new Map<Stmt, Placed>()
  const made: Array<{ readonly statement: Do; readonly where: string }> = []
  for (const { anchor, place: at, add, where } of insertions) {
    const added = add.map(({ name, instruction: i, when }): Do => {
      const site = { label: fresh(taken, name), path: anchor.site.path }
      const bare: Do = { _tag: 'Do', results: noResults, instruction: instruction(i), site }
      return when === undefined
        ? bare
        : { _tag: 'Do', results: noResults, instruction: instruction(i), when: checked(when), site }
    })
    for (const statement of added) made.push({ statement, where })
    const known = placed.get(anchor) ?? nothing
    placed.set(anchor, {
      before: at === 'before' ? [...known.before, ...added] : known.before,
      behind: at === 'behind' ? [...known.behind, ...added] : known.behind,
      instead: at === 'instead' ? [...(known.instead ?? []), ...added] : known.instead,
    })
  }
  const grown: Program = Object.assign({}, program, {
    storage: [...program.storage, ...storage],
    entry: rebuilt(program.entry, placed),
  })
  const whole = storage.length === 0 ? E.right(grown) : place(grown)
  if (E.isLeft(whole)) return whole
  const lines = new Map(listing(whole.right).map(({ site, text }) => [site, text] as const))
  return E.right({
    program: whole.right,
    added: made.map(({ statement, where }) => ({ statement: lines.get(statement.site) ?? '', where })),
  })
}
