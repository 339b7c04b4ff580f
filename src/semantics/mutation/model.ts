/**
 * Mutants: a program and one change of it.
 *
 * A program is data, so a mutant is another program. Every operator is applied to every site of the classes that it names, and none is chosen. A
 * *site* is a statement, a predicate or a declaration; what is done to it is said without numbers that depend on sizes (`one more`, not
 * `count 3`), so that a mutant of a kernel can be found again in an instance of other sizes: by its *key*.
 *
 *     DROP  compute / k / wait loaded  left out              in hopper-matmul of 9 steps on 4 slots
 *     DROP  compute / k / wait loaded  left out              in hopper-matmul of 3 steps on 2 slots: the same mutant
 *
 * | class           | what is changed                                                                                 | killed by             |
 * |-----------------|-------------------------------------------------------------------------------------------------|-----------------------|
 * | synchronisation | waits, arrives, expects, fences, groups, commits, counts, slots, priming, flags, exit, allocation | hazard, deadlock, invalid |
 * | data            | copies, MMAs, loads, stores, their slots, slices and order, whether they accumulate             | the same, wrong-result |
 */
import type { InstructionName } from '../language/instruction.js'
import type { Do, Program } from '../language/program.js'

export type MutantClass = 'synchronisation' | 'data'
export const classes: ReadonlyArray<MutantClass> = ['synchronisation', 'data']

export type Operator =
  | 'DROP'
  | 'DUP'
  | 'RETARGET'
  | 'MOVE'
  | 'COUNT'
  | 'FLAG'
  | 'SLOT'
  | 'PRIME'
  | 'FENCE'
  | 'EXIT'
  | 'ALLOC'
  | 'SLICE'
  | 'ORDER'
  | 'LANES'
export const operators: ReadonlyArray<Operator> = [
  'DROP',
  'DUP',
  'RETARGET',
  'MOVE',
  'COUNT',
  'FLAG',
  'SLOT',
  'PRIME',
  'FENCE',
  'EXIT',
  'ALLOC',
  'SLICE',
  'ORDER',
  'LANES',
]

/**
 * How the program becomes another, as far as more than the operator is asked for (`certificate.ts`, `labels.ts`, `naming.ts`). The words of a change say
 * it to people, with names, and are not read.
 *
 * | manner    | what was changed                                                       |
 * |-----------|------------------------------------------------------------------------|
 * | absent    | is not there                                                           |
 * | earlier, later | stands before, or behind, what it stood on the other side of      |
 * | more, less | counts one more, one less; twice as much, half as much                |
 * | stronger  | waits for all that it waited for, and more                             |
 * | wider     | does for a cluster what it did for a CTA; for all lanes what it did for some |
 * | other     | is another in any other manner                                         |
 */
export type Manner = 'absent' | 'earlier' | 'later' | 'more' | 'less' | 'stronger' | 'wider' | 'other'

/** What is changed: an instruction, the predicate of an `If`, or the declaration of a storage. */
export type Subject = InstructionName | 'predicate' | 'declaration'

/** What a change is about, in terms of the program that it changes. */
export interface Described {
  readonly operator: Operator
  readonly class: MutantClass
  readonly instruction: Subject
  /** enclosing scopes and label of what is changed */
  readonly path: ReadonlyArray<string>
  readonly label: string
  /** what is done, in words without sizes */
  readonly change: string
  readonly manner: Manner
  /** the statements that it is about, as they were: the site first; then a neighbour it changes places with, what a predicate guards */
  readonly statements: ReadonlyArray<Do>
  /** how many of them, the first, are the site's: one, but where an operation of another language is several */
  readonly own: number
  /** what stands inside the conditional that it changes places with */
  readonly passes: ReadonlyArray<Do>
  /** storages of the barriers that it is about, before and after */
  readonly barriers: ReadonlyArray<string>
  /** effects that stand before and after the site in its region, if they are there and are no compound statements */
  readonly previous: Do | null
  readonly next: Do | null
}

/** A change of a program, before it is made. */
export interface Change extends Described {
  readonly apply: (program: Program) => Program
}

/** A change by its place. */
export interface Named extends Described {
  /** path and label */
  readonly site: string
  /** the same in every instance of a kernel in which the mutant exists */
  readonly key: string
}

export interface Mutant extends Named {
  readonly program: Program
}
