/**
 * Plain code: the same instructions, with as little between a test and what it decides as there can be.
 *
 * A wait is known by what follows from its test (`spins.ts`, `semantics/warps/peeks.ts`). Compilers, their plugins and people write the same dependence in many ways, and a verdict must not
 * depend on which. So what says nothing is taken out first, by the flow of data:
 *
 *     setp.eq.s32 %p2, 0, 0;   @%p2 mov.u32 %r1, 7;        mov.u32 %r1, 7;          a guard that is always true
 *     not.pred %p1, %p9;       @!%p1 bra over;             @%p9 bra over;           a predicate that says what another says
 *     (%p1 again, for another test)                                                 another predicate
 *     mov.b32 %r7, 0;   selp.b32 %r1, 1, %r7, %p9;         selp.b32 %r1, 1, 0, %p9; a constant by way of a register
 *     mov.b32 %r8, %r3; mbarrier.try_wait %p1, [%r8], ..   .. [%r3], ..             a test of what is copied
 *
 * Instructions keep their numbers. One whose guard is never true keeps it. Of registers that are used again, predicates, the words that predicates are kept in and what is
 * moved and nothing else are told apart; a register that an asynchronous instruction names stays what it is, since using it again too early is a mistake of its own.
 *
 * Laws
 * 1. Every instruction does what it did.
 * 2. Code that is plain is given back as it is.
 */
import { remembered } from '../../../remembered.js'
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import type { Register } from '../opcodes/scope.js'
import type { OperandRule } from '../opcodes/form.js'
import { graphOf, type Graph } from './graph.js'
import { isLive } from './live.js'

// ---------------------------------------------------------------- registers of an instruction

/** The names of the operands that an instruction writes. */
const writtenBy: (operands: ReadonlyArray<OperandRule>) => ReadonlySet<string> = remembered(
  (rules) =>
    new Set(
      rules
        .flatMap((rule) => (rule._tag === 'pair' ? [rule.first, rule.second] : [rule]))
        .flatMap((rule) => (rule._tag === 'register' && rule.access === 'write' ? [rule.name] : [])),
    ),
)

type Renaming = (r: Register) => Register

const renamed = (v: Value, by: Renaming): Value => {
  switch (v._tag) {
    case 'register':
      return by(v)
    case 'predicate':
      return v.of._tag === 'register' ? { _tag: 'predicate', of: by(v.of), negated: v.negated } : v
    case 'vector':
      return { _tag: 'vector', items: v.items.map((item) => renamed(item, by)) }
    case 'list':
      return { _tag: 'list', items: v.items.map((item) => renamed(item, by)) }
    case 'address':
      return {
        _tag: 'address',
        base: v.base?._tag === 'register' ? by(v.base) : v.base,
        offset: v.offset,
        coordinates: v.coordinates.map((c) => renamed(c, by)),
      }
    case 'immediate':
    case 'special':
    case 'symbol':
    case 'sink':
    case 'label':
    case 'targets':
    case 'prototype':
      return v
  }
}

/** The instruction over other registers. */
const over = (i: Resolved, read: Renaming, write: Renaming): Resolved => {
  const written = writtenBy(i.form.operands)
  return {
    instruction: i.instruction,
    form: i.form,
    modifiers: i.modifiers,
    guard: i.guard === null ? null : { register: read(i.guard.register), negated: i.guard.negated },
    operands: Object.fromEntries(
      Object.entries(i.operands).map(([name, v]) => [name, renamed(v, written.has(name) ? write : read)]),
    ),
    writes: i.writes.map(write),
    reads: i.reads.map(read),
  }
}

const withGuard = (i: Resolved, guard: Resolved['guard']): Resolved => {
  const old = i.reads.findIndex((r) => r === i.guard?.register)
  const others = i.reads.filter((_, k) => k !== old)
  return {
    instruction: i.instruction,
    form: i.form,
    modifiers: i.modifiers,
    guard,
    operands: i.operands,
    writes: i.writes,
    reads: guard === null ? others : [...others, guard.register],
  }
}

// ---------------------------------------------------------------- what predicates say

/** What is known of a register: a constant, or that it holds what another does, or of predicates the opposite. */
type Fact =
  | { readonly _tag: 'constant'; readonly bits: bigint }
  | { readonly _tag: 'copy'; readonly of: Register; readonly negated: boolean }
type Facts = Map<number, Fact>

const truth = (is: boolean): Fact => ({ _tag: 'constant', bits: is ? 1n : 0n })
const opposite = (f: Fact): Fact =>
  f._tag === 'constant' ? truth(f.bits === 0n) : { _tag: 'copy', of: f.of, negated: !f.negated }
const isSame = (a: Fact, b: Fact): boolean =>
  a._tag === 'constant'
    ? b._tag === 'constant' && a.bits === b.bits
    : b._tag === 'copy' && a.of === b.of && a.negated === b.negated

const factOf = (facts: Facts, v: Value | undefined): Fact | null => {
  if (v?._tag === 'immediate') return { _tag: 'constant', bits: v.bits }
  if (v?._tag === 'predicate') {
    const fact = factOf(facts, v.of)
    return fact === null || !v.negated ? fact : opposite(fact)
  }
  if (v?._tag !== 'register') return null
  return facts.get(v.index) ?? { _tag: 'copy', of: v, negated: false }
}

/** A comparison of integers; null: none that is known. */
const compared = (cmp: string, type: string, a: bigint, b: bigint): boolean | null => {
  const kind = /^([sub])(16|32|64)$/u.exec(type)
  if (kind === null) return null
  const as = (kind[1] === 's' ? BigInt.asIntN : BigInt.asUintN).bind(BigInt)
  const [x, y] = [as(Number(kind[2]), a), as(Number(kind[2]), b)]
  switch (cmp) {
    case 'eq':
      return x === y
    case 'ne':
      return x !== y
    case 'lt':
    case 'lo':
      return x < y
    case 'le':
    case 'ls':
      return x <= y
    case 'gt':
    case 'hi':
      return x > y
    case 'ge':
    case 'hs':
      return x >= y
    default:
      return null
  }
}

const isInteger = (type: string): boolean => /^[sub](?:16|32|64)$/u.test(type)

/** What an instruction says in its first result; null: nothing that is known. */
const saidBy = (facts: Facts, i: Resolved): Fact | null => {
  const { operands: o, modifiers: m } = i
  const type = m['type'] ?? ''
  switch (i.form.base) {
    case 'mov':
      return isInteger(type) || type === 'pred' ? factOf(facts, o['a']) : null
    case 'not': {
      const fact = type === 'pred' ? factOf(facts, o['a']) : null
      return fact === null ? null : opposite(fact)
    }
    case 'and':
    case 'or': {
      const [a, b] = type === 'pred' ? [factOf(facts, o['a']), factOf(facts, o['b'])] : [null, null]
      if (a === null || b === null) return null
      const decides = i.form.base === 'or'
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const)
        if (one._tag === 'constant') return (one.bits !== 0n) === decides ? truth(decides) : other
      return isSame(a, b) ? a : isSame(a, opposite(b)) ? truth(decides) : null
    }
    case 'setp': {
      if (m['bool'] !== undefined || !isInteger(type)) return null
      const [a, b] = [o['a'], o['b']]
      const [x, y] = [factOf(facts, a), factOf(facts, b)]
      const alike = a?._tag === 'register' && b?._tag === 'register' && a.index === b.index
      const is = alike
        ? compared(m['cmp'] ?? '', type, 0n, 0n)
        : x?._tag === 'constant' && y?._tag === 'constant'
          ? compared(m['cmp'] ?? '', type, x.bits, y.bits)
          : null
      return is === null ? null : truth(is)
    }
    default:
      return null
  }
}

/** Facts behind an instruction; filled in place. */
const learn = (facts: Facts, i: Resolved, matters: ReadonlySet<number>): void => {
  const said = i.guard === null ? saidBy(facts, i) : null
  for (const w of i.writes) {
    facts.delete(w.index)
    for (const [r, fact] of facts) if (fact._tag === 'copy' && fact.of.index === w.index) facts.delete(r)
  }
  if (said === null) return
  const { p, q, d } = i.operands
  const first = p ?? d
  const put = (v: Value | undefined, fact: Fact): void => {
    if (v?._tag !== 'register' || !matters.has(v.index)) return
    // what says what it said before is no copy of itself
    if (fact._tag === 'constant' || !i.writes.some((w) => w.index === fact.of.index)) facts.set(v.index, fact)
  }
  put(first, said)
  put(q, opposite(said))
}

/** What asks, and what says of an answer: these are looked at operand by operand. */
const isLookedAt = (i: Resolved): boolean =>
  i.form.base === 'setp' ||
  i.form.base === 'selp' ||
  i.form.base === 'mbarrier.try_wait' ||
  i.form.base === 'mbarrier.test_wait' ||
  (i.form.base === 'ld' && i.modifiers['sem'] !== undefined)

/** The instruction with constants and what was copied in the place of its registers. */
const direct = (facts: Facts, i: Resolved): Resolved => {
  if (!isLookedAt(i)) return i
  const known = new Map(
    i.reads.flatMap((r) => {
      const fact = r.type === 'pred' ? undefined : facts.get(r.index)
      return fact === undefined ? [] : [[r, fact] as const]
    }),
  )
  if (known.size === 0) return i
  const copied: Renaming = (r) => {
    const fact = known.get(r)
    return fact?._tag === 'copy' ? fact.of : r
  }
  const constant = (v: Value): Value => {
    const fact = v._tag === 'register' ? known.get(v) : undefined
    return fact?._tag === 'constant'
      ? { _tag: 'immediate', bits: fact.bits, type: v._tag === 'register' ? v.type : 'b32' }
      : v
  }
  const written = writtenBy(i.form.operands)
  const operands = Object.fromEntries(
    Object.entries(i.operands).map(([name, v]) => [
      name,
      written.has(name) ? v : constant(renamed(v, copied)),
    ]),
  )
  // a constant that is no operand by itself, as one in an address, stays where it is
  const gone = new Set(
    [...known].flatMap(([r, fact]) =>
      fact._tag === 'constant' && Object.values(i.operands).includes(r) ? [r] : [],
    ),
  )
  return {
    instruction: i.instruction,
    form: i.form,
    modifiers: i.modifiers,
    guard: i.guard,
    operands,
    writes: i.writes,
    reads: i.reads.filter((r) => !gone.has(r)).map(copied),
  }
}

/** An instruction without a guard that is true, and by the registers that its own are copies of. */
const simpler = (facts: Facts, written: Resolved): Resolved => {
  const i = direct(facts, written)
  const said = (r: Register): Fact | null => (r.type === 'pred' ? (facts.get(r.index) ?? null) : null)
  const fact = i.guard === null ? null : said(i.guard.register)
  if (i.guard !== null && fact?._tag === 'constant' && (fact.bits !== 0n) !== i.guard.negated)
    return withGuard(i, null)
  if (i.guard !== null && fact?._tag === 'copy')
    return withGuard(i, { register: fact.of, negated: fact.negated !== i.guard.negated })
  return i
}

const substituted = (code: Code): Code => {
  const says = (i: Resolved): boolean =>
    i.writes.some((w) => w.type === 'pred') && saidBy(new Map(), i) !== null
  const compares = code.instructions.filter(isLookedAt)
  const matters = new Set([
    ...code.instructions.flatMap((i) => i.writes.flatMap((w) => (w.type === 'pred' ? [w.index] : []))),
    ...compares.flatMap((i) => i.reads.map((r) => r.index)),
  ])
  if (!code.instructions.some(says) && compares.length === 0) return code
  const graph = graphOf(code)
  const ends: (Facts | null)[] = graph.blocks.map(() => null)
  const startOf = (b: number): Facts => {
    const before = graph.blocks[b]!.predecessors.flatMap((p) => ends[p] ?? [])
    // what is never come to says nothing
    if (b === 0 || before.length === 0) return new Map()
    const [first, ...others] = before
    return new Map(
      [...first!].filter(([r, fact]) =>
        others.every((facts) => {
          const other = facts.get(r)
          return other !== undefined && isSame(fact, other)
        }),
      ),
    )
  }
  const through = (b: number, each: (facts: Facts, k: number) => void): Facts => {
    const facts = startOf(b)
    const { first, end } = graph.blocks[b]!
    for (let k = first; k < end; k++) {
      each(facts, k)
      learn(facts, simpler(facts, code.instructions[k]!), matters)
    }
    return facts
  }
  for (let changed = true; changed;) {
    changed = false
    graph.blocks.forEach(({ predecessors }, b) => {
      if (b > 0 && predecessors.every((p) => ends[p] === null)) return
      const facts = through(b, () => undefined)
      const old = ends[b]
      if (old?.size === facts.size && [...facts].every(([r, f]) => old.has(r) && isSame(old.get(r)!, f)))
        return
      ends[b] = facts
      changed = true
    })
  }
  const instructions = code.instructions.slice()
  let anew = false
  graph.blocks.forEach((_, b) => {
    through(b, (facts, k) => {
      const i = code.instructions[k]!
      instructions[k] = simpler(facts, i)
      anew ||= instructions[k] !== i
    })
  })
  return anew
    ? { function: code.function, instructions, registers: code.registers, labels: code.labels }
    : code
}

// ---------------------------------------------------------------- registers that are used again

/** Instructions whose registers are read or written behind the warp's back. */
const isAsynchronous = ({ form: { family } }: Resolved): boolean => family === 'wgmma' || family === 'tcgen05'

/** Barriers at two places are one meeting where they name the same operands: these stay as they are. */
const isMeeting = ({ form }: Resolved): boolean => form.family === 'barrier'

/** Registers that are told apart, each with the instructions that write it: more than one. */
const againIn = (code: Code): ReadonlyMap<Register, ReadonlyArray<number>> => {
  const writers = new Map<Register, number[]>()
  const flags = new Set<Register>()
  const held = new Set<Register>()
  code.instructions.forEach((i, k) => {
    for (const w of new Set(i.writes)) {
      const known = writers.get(w)
      if (known === undefined) writers.set(w, [k])
      else known.push(k)
      if (w.type === 'pred' || i.form.base === 'selp') flags.add(w)
    }
    const meets = isMeeting(i)
    if (meets || isAsynchronous(i))
      for (const r of [...i.writes, ...i.reads]) if (meets || r.type !== 'pred') held.add(r)
  })
  const isCarried = (those: ReadonlyArray<number>): boolean =>
    those.every((k) => code.instructions[k]!.form.base === 'mov')
  return new Map(
    [...writers].filter(
      ([r, those]) => those.length > 1 && (flags.has(r) || isCarried(those)) && !held.has(r),
    ),
  )
}

/** Where control comes to behind an instruction. */
const behind = ({ blocks, blockOf }: Graph, k: number): ReadonlyArray<number> => {
  const { end, successors } = blocks[blockOf[k]!]!
  return k + 1 < end ? [k + 1] : successors.flatMap((s) => blocks[s]?.first ?? [])
}

const apart = (code: Code): Code => {
  const again = againIn(code)
  if (again.size === 0) return code
  const graph = graphOf(code)
  const reading = new Map<number, Map<Register, Register>>()
  const writing = new Map<number, Map<Register, Register>>()
  const registers = code.registers.slice()
  const seen = new Int32Array(code.instructions.length)
  const say = (into: typeof reading, k: number, r: Register, as: Register): void => {
    const there = into.get(k) ?? new Map<Register, Register>()
    into.set(k, there.set(r, as))
  }
  for (const [r, writers] of again) {
    // the beginning writes it, where something may read it that nothing else has written
    const starts = isLive(graph, r.index, 0) ? [-1, ...writers] : writers
    const web = new Map(starts.map((k) => [k, k]))
    seen.fill(0)
    const root = (k: number): number => (web.get(k) === k ? k : root(web.get(k)!))
    const by = new Map<number, number>()
    for (const start of starts) {
      const stack = start < 0 ? [0] : [...behind(graph, start)]
      while (stack.length > 0) {
        const k = stack.pop()!
        if (seen[k] === start + 2) continue
        seen[k] = start + 2
        const i = code.instructions[k]!
        if (i.reads.includes(r)) {
          const [x, y] = [root(by.get(k) ?? start), root(start)]
          by.set(k, start)
          web.set(Math.max(x, y), Math.min(x, y))
        }
        if (i.guard !== null || !i.writes.includes(r)) for (const next of behind(graph, k)) stack.push(next)
      }
    }
    const names = new Map<number, Register>()
    for (const k of starts) {
      const w = root(k)
      if (names.has(w)) continue
      const made: Register =
        names.size === 0 ? r : { _tag: 'register', index: registers.length, name: r.name, type: r.type }
      if (names.size > 0) registers.push(made)
      names.set(w, made)
    }
    if (names.size === 1) continue
    for (const k of writers) say(writing, k, r, names.get(root(k))!)
    for (const [k, start] of by) say(reading, k, r, names.get(root(start))!)
  }
  if (writing.size === 0) return code
  const none = new Map<Register, Register>()
  return {
    function: code.function,
    instructions: code.instructions.map((i, k) => {
      const [read, write] = [reading.get(k) ?? none, writing.get(k) ?? none]
      return read.size + write.size === 0
        ? i
        : over(
            i,
            (r) => read.get(r) ?? r,
            (r) => write.get(r) ?? r,
          )
    }),
    registers,
    labels: code.labels,
  }
}

/** Of each function once. */
export const plain: (code: Code) => Code = remembered((code) => apart(substituted(code)))
