/**
 * Elections: predicates that are true, or false, of one lane of a warp alone; and the same predicate of the next lane.
 *
 *     mov.u32      %r1, %tid.x;         mov.u32      %changed, %tid.x;
 *     and.b32      %r2, %r1, 31;        add.s32      %changed, %changed, -1;        the lane before this one
 *     setp.ne.s32  %p1, %r2, 0;         and.b32      %changed2, %changed, 31;
 *     @%p1 bra over;                    setp.ne.s32  %changed3, %changed2, 0;
 *                                       @%changed3 bra over;                        lane 1 goes on, and no longer lane 0
 *
 * A predicate is computed for every thread of a CTA, as far as it follows from the number of the thread alone. What follows from anything else may be either: `p and q` of
 * an unknown q may be true where p is.
 *
 * Laws
 * 1. The changed predicate has for a lane the value that the predicate has for the lane before it, where all else is the same for both.
 */
import { remembered } from '../../../remembered.js'
import { lowest } from '../../../semantics/log/lane-mask.js'
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import type { Register } from '../opcodes/scope.js'
import type { Instruction, Name, Operand, TypeName } from '../text/module.js'
import type { Extent } from './making.js'
import { threadsOf } from './making.js'
import { instruction, integer, name } from './write.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- model

/** Instructions that compute a predicate, and the registers that they need. */
export interface Computed {
  readonly registers: ReadonlyArray<readonly [type: TypeName, name: string]>
  readonly body: ReadonlyArray<Instruction>
  readonly predicate: string
}

export interface Election {
  /** the predicate is true of the one lane; else it is false of it, and true of the others */
  readonly isTrue: boolean
  /** the same predicate of the next lane, written where `like` stands */
  readonly next: (like: Instruction, fresh: () => string) => Computed
}

// ---------------------------------------------------------------- where a register comes from

/** The only instruction that writes a register, if it always does. */
const origins: (code: Code) => ReadonlyMap<number, Resolved> = remembered((code) => {
  const times = new Map<number, number>()
  const found = new Map<number, Resolved>()
  for (const r of code.instructions)
    for (const { index } of r.writes) {
      times.set(index, (times.get(index) ?? 0) + 1)
      if (r.guard === null) found.set(index, r)
    }
  return new Map([...found].filter(([index]) => times.get(index) === 1))
})

/** Registers that the whole function sees. */
const seenEverywhere: (code: Code) => (x: Register) => boolean = remembered((code) => {
  const bases = (code.function.body ?? []).flatMap((s) => (s._tag === 'registers' ? [s] : []))
  const times = new Map<string, number>()
  for (const x of code.registers) times.set(x.name, (times.get(x.name) ?? 0) + 1)
  return (x) =>
    times.get(x.name) === 1 &&
    bases.some((b) =>
      b.count === null
        ? b.name === x.name
        : x.name.startsWith(b.name) && /^\d+$/u.test(x.name.slice(b.name.length)),
    )
})

/** Instructions that are followed, one behind the other. */
const farthest = 24

// ---------------------------------------------------------------- values

/** A number, a truth, or null: it does not follow from the number of the thread. */
type Known = number | boolean | null

interface Thread {
  readonly lane: number
  readonly x: number
}

type Of = (a: number, b: number) => number
const words: Readonly<Record<string, Of>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  add: (a, b) => (a + b) | 0,
  sub: (a, b) => (a - b) | 0,
  shl: (a, b) => (b > 31 ? 0 : a << b),
}

const joined = (base: string, a: Known, b: Known): Known => {
  if (typeof a === 'number' && typeof b === 'number') return own(words, base)?.(a, b) ?? null
  switch (base) {
    case 'and':
      return a === false || b === false ? false : a === true && b === true ? true : null
    case 'or':
      return a === true || b === true ? true : a === false && b === false ? false : null
    case 'xor':
      return typeof a === 'boolean' && typeof b === 'boolean' ? a !== b : null
    default:
      return null
  }
}

const shifted = (type: string | undefined, a: Known, b: Known): Known =>
  typeof a !== 'number' || typeof b !== 'number' || b < 0 || b > 31
    ? null
    : type === 's32'
      ? a >> b
      : (a >>> b) | 0

const compared = (cmp: string | undefined, a: Known, b: Known): Known =>
  typeof a !== 'number' || typeof b !== 'number'
    ? null
    : cmp === 'eq'
      ? a === b
      : cmp === 'ne'
        ? a !== b
        : null

const negated = (v: Known): Known => (typeof v === 'boolean' ? !v : null)

/** 32 bits, or a predicate: what follows from wider words is not asked. */
const isNarrow = ({ modifiers: { type } }: Resolved): boolean =>
  type === undefined || type === 'pred' || /^[busf]?32$/u.test(type)

const specialOf = (special: string, t: Thread): Known =>
  special === '%laneid' ? t.lane : special === '%tid.x' ? t.x : null

const valueOf = (code: Code, v: Value | undefined, t: Thread, far: number): Known => {
  switch (v?._tag) {
    case 'register':
      return registerOf(code, v, t, far)
    case 'immediate':
      return v.type === 'pred' ? v.bits !== 0n : Number(BigInt.asIntN(32, v.bits))
    case 'special':
      return specialOf(v.name, t)
    case 'predicate': {
      const of = valueOf(code, v.of, t, far)
      return v.negated ? negated(of) : of
    }
    case 'symbol':
    case 'vector':
    case 'sink':
    case 'address':
    case 'label':
    case 'targets':
    case 'list':
    case 'prototype':
    case undefined:
      return null
  }
}

const registerOf = (code: Code, x: Register, t: Thread, far: number): Known => {
  const r = origins(code).get(x.index)
  if (r === undefined || far === 0 || !isNarrow(r)) return null
  const { a, b, c, mask } = r.operands
  const of = (v: Value | undefined): Known => valueOf(code, v, t, far - 1)
  switch (r.form.base) {
    case 'mov':
      return of(a)
    case 'not':
      return negated(of(a))
    case 'setp':
      return c === undefined && r.writes.length === 1 ? compared(r.modifiers['cmp'], of(a), of(b)) : null
    case 'selp': {
      const chosen = of(c)
      return typeof chosen === 'boolean' ? of(chosen ? a : b) : null
    }
    case 'shr':
      return shifted(r.modifiers['type'], of(a), of(b))
    case 'elect.sync':
      return x.type === 'pred' && mask?._tag === 'immediate' && mask.bits !== 0n
        ? t.lane === lowest(Number(BigInt.asIntN(32, mask.bits)))
        : null
    case 'and':
    case 'or':
    case 'xor':
    case 'add':
    case 'sub':
    case 'shl':
      return joined(r.form.base, of(a), of(b))
    default:
      // whatever else computes: it may be anything
      return null
  }
}

// ---------------------------------------------------------------- the next lane

const fullName = (n: Name): string => (n.selector === null ? n.name : `${n.name}.${n.selector}`)

/** Does it come from the number of the thread? */
const comesFromLane = (code: Code, x: Register, far: number): boolean => {
  const r = origins(code).get(x.index)
  if (r === undefined || far === 0) return false
  if (r.form.base === 'elect.sync') return true
  return (
    Object.values(r.operands).some(
      (v) => v._tag === 'special' && (v.name === '%laneid' || v.name === '%tid.x'),
    ) || r.reads.some((y) => comesFromLane(code, y, far - 1))
  )
}

/** The way from the number of the thread to a predicate, written once more for the lane before; null: something on it is not seen where it is to stand. */
const rewritten = (code: Code, root: Register, like: Instruction, fresh: () => string): Computed | null => {
  const registers: Array<readonly [TypeName, string]> = []
  const body: Instruction[] = []
  const made = new Map<number, string>()
  const declared = (type: TypeName): string => {
    const text = fresh()
    registers.push([type, text])
    return text
  }
  const write = (opcode: string, ...operands: ReadonlyArray<Operand>): void => {
    body.push(instruction(like, null, opcode, operands))
  }
  const visit = (x: Register, far: number): string | null => {
    const known = made.get(x.index)
    if (known !== undefined) return known
    const r = origins(code).get(x.index)
    if (!comesFromLane(code, x, far) || r === undefined)
      return r !== undefined && seenEverywhere(code)(x) ? x.name : null
    const to = declared(x.type)
    made.set(x.index, to)
    if (r.form.base === 'elect.sync') {
      const { mask } = r.operands
      if (mask?._tag !== 'immediate') return null
      const lane = declared('u32')
      write('mov.u32', name(like, lane), name(like, '%laneid'))
      write(
        'setp.eq.u32',
        name(like, to),
        name(like, lane),
        integer(1 + lowest(Number(BigInt.asIntN(32, mask.bits)))),
      )
      return to
    }
    let isWhole = true
    const operandOf = (o: Operand): Operand => {
      if (o._tag === 'not') {
        const of = operandOf(o.of)
        return of._tag === 'name' ? { _tag: 'not', of } : o
      }
      if (o._tag !== 'name') return o
      const read = r.reads.find((y) => y.name === fullName(o))
      if (read === undefined) return o
      const by = visit(read, far - 1)
      isWhole &&= by !== null
      return name(like, by ?? o.name)
    }
    const [, ...sources] = r.instruction.operands
    const operands = sources.map(operandOf)
    write(r.instruction.opcode, name(like, to), ...operands)
    const own = sources.some((o) => o._tag === 'name' && ['%laneid', '%tid.x'].includes(fullName(o)))
    if (own) write('add.s32', name(like, to), name(like, to), integer(-1))
    return isWhole ? to : null
  }
  const predicate = visit(root, farthest)
  return predicate === null ? null : { registers, body, predicate }
}

// ---------------------------------------------------------------- elections

/** The threads of which a predicate may have a value, warp by warp. */
const mayBe = (code: Code, x: Register, value: boolean, threads: number): ReadonlyArray<number> =>
  Array.from({ length: threads }, (_, t) => t).filter(
    (t) => registerOf(code, x, { lane: t % 32, x: t }, farthest) !== !value,
  )

/** At most one of a warp, and the lane behind it is there. */
const areElected = (elected: ReadonlyArray<number>, threads: number): boolean =>
  elected.length > 0 &&
  new Set(elected.map((t) => t >> 5)).size === elected.length &&
  elected.every((t) => t % 32 < 31 && t + 1 < threads)

/** Does a predicate elect one lane of each warp, or of some? Null: it does not, or that is not known, as in a CTA of more than one dimension. */
export const electionOf = (code: Code, x: Register, block: Extent): Election | null => {
  const threads = threadsOf(block)
  if (block[0] !== threads || !comesFromLane(code, x, farthest)) return null
  const isTrue = areElected(mayBe(code, x, true, threads), threads)
  if (!isTrue && !areElected(mayBe(code, x, false, threads), threads)) return null
  const like = origins(code).get(x.index)?.instruction
  if (like === undefined || rewritten(code, x, like, () => '%changed') === null) return null
  return { isTrue, next: (at, fresh) => rewritten(code, x, at, fresh)! }
}
