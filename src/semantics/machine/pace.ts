/**
 * Pace: what agents compute between two effects, for who asks how long that takes.
 *
 * Events are all that one agent can see of another, so a run has nothing to say of what an agent does between two of them. A timed run has: a hundred
 * additions before a copy is issued delay it. So a front tells a listener, if there is one, each operation that an agent has executed, in its order, and
 * with what it reads and writes. The listener is a store beside the run, as effort is: nothing that is computed depends on it.
 *
 *     add.s32 %r3, %r1, %r2       `add.s32`, 32 elements, reads 1 2, writes 3
 *     let p = exp2(s)             `ex2`, 8192 elements, reads the slot of s, writes that of p
 *     st.shared [%r1], %r3        the same for an instruction that has an effect: it comes last before its event
 *
 * Law 1. A run with a listener is the run without.
 */

/** An operation that an agent has executed. */
export interface Work {
  /** its name, which says its class: of PTX the opcode, else that of the expression */
  readonly name: string
  /** of all lanes of the agent together */
  readonly elements: number
  /** rows, predicates (as `Place`), or slots of the frame */
  readonly reads: ReadonlyArray<number>
  readonly writes: ReadonlyArray<number>
  /** of what it reads, the words that an instruction takes from where all lanes share them: descriptors of a product */
  readonly shared?: ReadonlyArray<number>
  /** the statement that it belongs to */
  readonly site: number
}

export interface Pace {
  readonly told: (agent: number, work: Work) => void
}
