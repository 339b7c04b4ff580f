/**
 * Spins and peeks: what of the control flow is waiting.
 *
 *     again:  mbarrier.try_wait.parity.shared::cta.b64 done, [bar], parity;         a spin: a blocking wait at this instruction
 *             @!done bra again;
 *
 *             mbarrier.try_wait.parity.shared::cta.b64 early, [bar], parity;        a peek: the flag is kept,
 *             ...
 *             @early bra over;                                                      and where it was false
 *     again:  mbarrier.try_wait.parity.shared::cta.b64 done, [bar], parity;         a spin waits
 *             @!done bra again;
 *     over:
 *
 * A loop is a spin where nothing happens in it but one test of a barrier, or one strong load that is compared with what does not change, sleeping, and moves between
 * registers that no iteration hands to the next; and where it is left exactly when the test says so.
 *
 * And where one block of it tests a barrier, on every way round, and leaves it exactly when the test is true: whatever else happens before the next turn (counting turns, reading
 * a clock, sleeping the longer the later it is, as the waits of `cuda::barrier` do) is seen by nothing, and is no part of a wait.
 *
 *     again:  mbarrier.try_wait.shared.b64 done, [bar], token;
 *             @done bra over;
 *             mov.u64 now, %globaltimer;                                            these are left out
 *             sub.s64 since, now, begin;
 *             ...
 *             bra again;
 *
 * Laws
 * 1. An iteration of a spin that goes round leaves every register that is read later as it was, but for those that the next iteration writes again.
 * 2. No instruction is in two spins.
 * 3. What is left out of a spin writes nothing but registers, and those are read by nothing that stays.
 */
import { remembered } from '../../../remembered.js'
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import type { Loop } from '../../../semantics/warps/flow.js'
import { graphOf, type Graph } from './graph.js'

export interface Spin {
  /** on a barrier, or on a word of memory */
  readonly kind: 'mbarrier' | 'semaphore'
  /** the number of the instruction that tests */
  readonly test: number
  readonly header: number
  /** the block that the wait is, if others are unseen; else the header */
  readonly entry: number
  readonly blocks: ReadonlySet<number>
  /** the numbers of the instructions between two turns, which nothing sees: in their place stands a branch to the wait */
  readonly unseen: ReadonlySet<number>
}

export interface Peek {
  /** the number of the instruction that tests */
  readonly test: number
  /** the tests of the spins that wait where it was false */
  readonly spins: ReadonlyArray<number>
}

const isTest = (i: Resolved): boolean =>
  i.form.base === 'mbarrier.try_wait' || i.form.base === 'mbarrier.test_wait'
const isStrongLoad = (i: Resolved): boolean =>
  i.form.base === 'ld' &&
  ['acquire', 'volatile', 'relaxed'].includes(i.modifiers['sem'] ?? '') &&
  i.writes.length === 1

/** What moves between registers and does nothing else. */
const pure = new Set(['mov', 'selp', 'setp', 'not', 'and', 'or', 'xor', 'cvt'])
/** And what a plain word is compared through. */
const isPure = (i: Resolved): boolean => pure.has(i.form.base) && i.guard === null

/** How a register follows from the test: true where it is, true where it is not, or something of what was loaded. */
type Sense = 'same' | 'opposite' | 'loaded'
const flipped = (s: Sense): Sense => (s === 'same' ? 'opposite' : s === 'opposite' ? 'same' : s)

const constantOf = (v: Value | undefined): bigint | null => (v?._tag === 'immediate' ? v.bits : null)
const senseOf = (known: ReadonlyMap<number, Sense>, v: Value | undefined): Sense | null =>
  v?._tag === 'register'
    ? (known.get(v.index) ?? null)
    : v?._tag === 'predicate' && v.of._tag === 'register'
      ? ((sense) => (sense === null ? null : v.negated ? flipped(sense) : sense))(
          known.get(v.of.index) ?? null,
        )
      : null

/** What a pure instruction makes of registers that follow from the test; null where the result does not. */
const derived = (known: ReadonlyMap<number, Sense>, i: Resolved): Sense | null => {
  const { operands: o, modifiers: m } = i
  switch (i.form.base) {
    case 'mov':
    case 'cvt':
      return senseOf(known, o['a'])
    case 'not':
      return m['type'] === 'pred' ? ((s) => (s === null ? null : flipped(s)))(senseOf(known, o['a'])) : null
    case 'selp': {
      const sense = senseOf(known, o['c'])
      const [a, b] = [constantOf(o['a']), constantOf(o['b'])]
      if (sense === null || sense === 'loaded' || a === null || b === null || (a === 0n) === (b === 0n))
        return null
      return a !== 0n ? sense : flipped(sense)
    }
    case 'setp': {
      const sense = senseOf(known, o['a'])
      if (sense === 'loaded') return 'same'
      if (sense === null || m['bool'] !== undefined || constantOf(o['b']) !== 0n) return null
      return m['cmp'] === 'ne' ? sense : m['cmp'] === 'eq' ? flipped(sense) : null
    }
    default:
      return null
  }
}

/** Is the loop left exactly by these blocks where the test is true, or for a load where one comparison is as it is at every exit? */
const spinOf = (graph: Graph, loop: Loop, turn: ReadonlySet<number> = loop.body): Spin | null => {
  const { code } = graph
  const blocks = [...turn].sort((a, b) => a - b)
  const inside = blocks.flatMap((b) =>
    Array.from(
      { length: graph.blocks[b]!.end - graph.blocks[b]!.first },
      (_, k) => graph.blocks[b]!.first + k,
    ),
  )
  if (inside.length > 32) return null
  const tests = inside.filter((k) => isTest(code.instructions[k]!) || isStrongLoad(code.instructions[k]!))
  const test = tests.length === 1 ? tests[0]! : null
  if (test === null || code.instructions[test]!.guard !== null) return null
  const written = new Set(inside.flatMap((k) => code.instructions[k]!.writes.map((r) => r.index)))
  const known = new Map<number, Sense>()
  const fresh = new Set<number>()
  for (const k of inside) {
    const i = code.instructions[k]!
    // nothing goes from one iteration to the next
    if (i.reads.some((r) => written.has(r.index) && !fresh.has(r.index))) return null
    if (k === test) for (const r of i.writes) known.set(r.index, isTest(i) ? 'same' : 'loaded')
    else if (isPure(i)) {
      const sense = derived(known, i)
      const second = i.operands['q']
      for (const r of i.writes)
        if (sense === null) known.delete(r.index)
        else
          known.set(r.index, second?._tag === 'register' && second.index === r.index ? flipped(sense) : sense)
    } else if (i.form.base !== 'nanosleep' && i.form.base !== 'bra') return null
    for (const r of i.writes) fresh.add(r.index)
  }
  let exits: Sense | null = null
  for (const b of blocks) {
    const block = graph.blocks[b]!
    const outside = block.successors.filter((s) => !loop.body.has(s))
    if (outside.length === 0) continue
    const last = code.instructions[block.end - 1]!
    const target = last.operands['target']
    if (last.guard === null || target?._tag !== 'label' || block.successors.length !== 2) return null
    const sense = known.get(last.guard.register.index) ?? null
    if (sense === null || sense === 'loaded') return null
    const taken =
      target.target >= code.instructions.length ? graph.blocks.length : graph.blockOf[target.target]!
    const whenSet = last.guard.negated ? flipped(sense) : sense
    // is it left when the branch is taken, or when it is not?
    const leaves = loop.body.has(taken) ? flipped(whenSet) : whenSet
    if (exits !== null && exits !== leaves) return null
    exits = leaves
  }
  if (exits === null) return null
  const kind = isTest(code.instructions[test]!) ? 'mbarrier' : 'semaphore'
  return kind === 'mbarrier' && exits !== 'same'
    ? null
    : { kind, test, header: loop.header, entry: loop.header, blocks: loop.body, unseen: new Set() }
}

/** What writes its registers, and does nothing else. */
const registersAlone = new Set([
  'integer',
  'extended precision',
  'floating point',
  'comparison',
  'logic',
  'conversion',
])
const isIdle = (i: Resolved): boolean =>
  registersAlone.has(i.form.family) || ['mov', 'selp', 'nanosleep', 'bra'].includes(i.form.base)

/** Do these blocks go round among themselves? */
const goesRound = (graph: Graph, among: ReadonlySet<number>): boolean => {
  const left = new Set(among)
  for (let fewer = true; fewer;) {
    fewer = false
    for (const b of left)
      if (!graph.blocks[b]!.successors.some((s) => left.has(s))) {
        left.delete(b)
        fewer = true
      }
  }
  return left.size > 0
}

/** A loop of which one block is the wait; between its turns nothing happens that anything sees. */
const backingOff = (graph: Graph, loop: Loop): Spin | null => {
  const { code } = graph
  const entry = [...loop.body].find((b) => {
    const { first, end } = graph.blocks[b]!
    return code.instructions.slice(first, end).some(isTest)
  })
  if (entry === undefined || loop.body.size === 1) return null
  const wait = spinOf(graph, loop, new Set([entry]))
  if (wait?.kind !== 'mbarrier') return null
  const others = new Set([...loop.body].filter((b) => b !== entry))
  if ([...others].some((b) => graph.blocks[b]!.successors.some((s) => !loop.body.has(s)))) return null
  if (goesRound(graph, others)) return null
  const unseen = new Set(
    [...others].flatMap((b) =>
      Array.from(
        { length: graph.blocks[b]!.end - graph.blocks[b]!.first },
        (_, k) => graph.blocks[b]!.first + k,
      ),
    ),
  )
  const written = new Set<number>()
  for (const k of unseen) {
    const i = code.instructions[k]!
    if (!isIdle(i)) return null
    for (const r of i.writes) written.add(r.index)
  }
  return code.instructions.some((i, k) => !unseen.has(k) && i.reads.some((r) => written.has(r.index)))
    ? null
    : { kind: wait.kind, test: wait.test, header: loop.header, entry, blocks: loop.body, unseen }
}

/** All spins of a function, in the order of the text. */
export const spinsOf: (code: Code) => ReadonlyArray<Spin> = remembered((code) => {
  const graph = graphOf(code)
  return graph.loops
    .flatMap((loop) => spinOf(graph, loop) ?? backingOff(graph, loop) ?? [])
    .sort((a, b) => a.test - b.test)
})

/** All peeks of a function, in the order of the text. */
export const peeksOf: (code: Code) => ReadonlyArray<Peek> = remembered((code) => {
  const graph = graphOf(code)
  const spins = spinsOf(code)
  const spinning = new Set(spins.map((s) => s.test))
  const headers = new Map(spins.filter((s) => s.kind === 'mbarrier').map((s) => [s.header, s.test]))
  const peeks: Peek[] = []
  code.instructions.forEach((i, test) => {
    if (!isTest(i) || spinning.has(test)) return
    // all that follows from the flag, wherever it is kept
    const flags = new Set(i.writes.map((r) => r.index))
    for (let grown = true; grown;) {
      grown = false
      for (const other of code.instructions)
        if (pure.has(other.form.base) && other.reads.some((r) => flags.has(r.index)))
          for (const r of other.writes)
            if (!flags.has(r.index)) {
              flags.add(r.index)
              grown = true
            }
    }
    const found = new Set<number>()
    let only = true
    code.instructions.forEach((other, k) => {
      if (k === test || pure.has(other.form.base) || !other.reads.some((r) => flags.has(r.index))) return
      const branches = other.form.base === 'bra' && other.guard !== null
      const next = branches
        ? graph.blocks[graph.blockOf[k]!]!.successors.map((s) => spinBehind(graph, headers, s))
        : []
      const spin = next.find((s) => s !== null)
      if (spin === undefined || spin === null) only = isTest(other) && only
      else found.add(spin)
    })
    if (only && found.size > 0) peeks.push({ test, spins: [...found].sort((a, b) => a - b) })
  })
  return peeks
})

/** The spin that a block is, or goes straight into. */
const spinBehind = (graph: Graph, headers: ReadonlyMap<number, number>, block: number): number | null => {
  for (let b = block, steps = 0; steps < 4; steps++) {
    const spin = headers.get(b)
    if (spin !== undefined) return spin
    const successors = graph.blocks[b]?.successors ?? []
    if (successors.length !== 1) return null
    b = successors[0]!
  }
  return null
}
