/**
 * Wraps: by how much a word is less than the number that it would be, were registers without a width.
 *
 * A kernel that computes an offset in 32 bits is wrong on a tensor of 4 GiB or more, where the offset may wrap round and come back into the tensor: the access is in bounds, and it is to
 * another element. The bits cannot show it. So beside a word that has wrapped stands what it lacks, and arithmetic takes that along.
 *
 *     mul.lo.s32  %r3, %r1, %r2       4096 * 2^20 = 0            lacks 2^32
 *     add.s32     %r4, %r3, %r5       0 + 7 = 7                  lacks 2^32
 *     mul.wide.s32 %rd1, %r4, 4       28                         lacks 2^34
 *     add.s64     %rd2, %rd3, %rd1    28 bytes into the tensor   lacks 2^34: byte 2^34 + 28 is meant
 *     and.b32     %r6, %r3, 1023      what is done to bits is meant so: it lacks nothing
 *
 * It is asked of launches with a tensor that no plane takes (`launched.ts`, pieced). In any smaller one an offset that wraps round is out of bounds by itself.
 *
 * Laws
 * 1. What a word holds and what it lacks are together the value of its sums and products over whole numbers.
 * 2. Words that a hash has made lack nothing: a shift to the right, a remainder, an operation on bits, a narrowing and a load end it.
 * 3. A signed and an unsigned reading of one word are one number where neither has wrapped: unsigned offsets up to 2^32 lack nothing once they are widened.
 */
import { doingOf, scalarOperation, widthOf, wordsOf, type ScalarType } from '../../numerics/scalar/index.js'
import type { Operation, Place, Row } from './program.js'
import { lowest, wordAt, type Rows } from './rows.js'
import { usesOf } from './uses.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

/** By lane and row, `32 * row + lane`; of a number of two words, by its lower one. */
export type Wraps = Map<number, bigint>

/** What the word of a lane lacks. */
export const lackedBy = (r: Rows, row: Row, lane: number): bigint =>
  r.wraps === null || r.wraps.size === 0 ? 0n : (r.wraps.get(32 * row + lane) ?? 0n)

/** The word of a lane lacks so much. */
export const lackingAt = (wraps: Wraps, place: Place, lane: number, by: bigint): void => {
  if (place < 0) return
  if (by === 0n) wraps.delete(32 * place + lane)
  else wraps.set(32 * place + lane, by)
}

const clear = (wraps: Wraps, places: ReadonlyArray<Place | null>, mask: number): void => {
  if (wraps.size === 0) return
  for (const place of places)
    if (place !== null) for (let m = mask; m !== 0; m &= m - 1) lackingAt(wraps, place, lowest(m), 0n)
}

// ---------------------------------------------------------------- sums

/** What an operation is over whole numbers; null: it is no sum and no product. */
type Sum = (of: ReadonlyArray<bigint>) => bigint

const sums: Readonly<Record<string, Sum>> = {
  add: ([a, b]) => a! + b!,
  sub: ([a, b]) => a! - b!,
  neg: ([a]) => -a!,
  mul: ([a, b]) => a! * b!,
  mad: ([a, b, c]) => a! * b! + c!,
  shl: ([a, n]) => a! << n!,
}

interface Row32 {
  readonly sum: Sum
  readonly op: string
  readonly operands: ReadonlyArray<ScalarType>
  readonly width: 32 | 64
}

const integers: ReadonlySet<string> = new Set(['b32', 'u32', 's32', 'b64', 'u64', 's64'])

/** The sum that an operation of this name is; null: it is none. */
const summing = (name: string): Row32 | null => {
  const does = doingOf(name)
  const row = scalarOperation(name)
  if (row === undefined || row.results.length !== 1 || !row.results.every((t) => integers.has(t))) return null
  const width = widthOf(row.results[0]!) === 64 ? 64 : 32
  if (does._tag === 'converts')
    return width === 64 && does.modifiers.length === 0 && ['s32', 'u32'].includes(does.from)
      ? { sum: ([a]) => a!, op: 'cvt', operands: row.operands, width }
      : null
  if (does._tag !== 'computes' || !row.operands.every((t) => integers.has(t))) return null
  if (!does.modifiers.every((m) => m === 'lo' || m === 'wide')) return null
  const sum = Object.hasOwn(sums, does.op) ? sums[does.op]! : null
  return sum === null ? null : { sum, op: does.op, operands: row.operands, width }
}

const known = new Map<string, Row32 | null>()
const summed = (name: string): Row32 | null => {
  const found = known.get(name)
  if (found !== undefined) return found
  const made = summing(name)
  known.set(name, made)
  return made
}

/** An operand as it is held, and as it is meant. */
interface Operand {
  readonly held: bigint
  readonly meant: bigint
}

const operandAt = (
  r: Rows,
  wraps: Wraps,
  from: ReadonlyArray<Place>,
  at: number,
  type: ScalarType,
  lane: number,
  isCount: boolean,
): Operand => {
  const low = wordAt(r, from[at]!, lane)
  const lacking = wraps.get(32 * from[at]! + lane) ?? 0n
  const signed =
    wordsOf(type) === 2 ? (BigInt(wordAt(r, from[at + 1]!, lane)) << 32n) | BigInt(low >>> 0) : BigInt(low)
  const held = type === 'u32' || isCount ? BigInt.asUintN(32, signed) : signed
  // what a word lacks, it lacks as a signed number
  return { held, meant: lacking === 0n ? held : signed + lacking }
}

/** Can a sum of these words leave 32 bits? Numbers are wide enough to say. */
const stays = (op: string, words: ReadonlyArray<number>): boolean => {
  const [a = 0, b = 0, c = 0] = words
  const made =
    op === 'add'
      ? a + b
      : op === 'sub'
        ? a - b
        : op === 'neg'
          ? -a
          : op === 'shl'
            ? a * 2 ** (b >>> 0)
            : op === 'mul'
              ? a * b
              : a * b + c
  return made >= -0x80000000 && made <= 0x7fffffff
}

const sum = (r: Rows, wraps: Wraps, o: Of<'scalar'>, s: Row32, mask: number): void => {
  const [to] = o.to
  if (to === null || to === undefined) return
  const mayWrap = s.width === 32
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const hasLacking = wraps.size > 0 && o.from.some((p) => wraps.has(32 * p + lane))
    if (
      !hasLacking &&
      (!mayWrap ||
        stays(
          s.op,
          o.from.map((p) => wordAt(r, p, lane)),
        ))
    ) {
      lackingAt(wraps, to, lane, 0n)
      continue
    }
    let at = 0
    const all = s.operands.map((type, k) => {
      // sums of 32 bits are read as signed; what is widened, as its type says
      const as = mayWrap ? 's32' : type
      const one = operandAt(r, wraps, o.from, at, as, lane, s.op === 'shl' && k === 1)
      at += wordsOf(type)
      return one
    })
    if (s.op === 'shl' && all[1]!.held >= BigInt(s.width)) {
      lackingAt(wraps, to, lane, 0n)
      continue
    }
    const held = BigInt.asIntN(s.width, s.sum(all.map((x) => x.held)))
    lackingAt(wraps, to, lane, s.sum(all.map((x) => x.meant)) - held)
  }
}

/** Bits that are put beside others are added to them. */
const beside = (r: Rows, wraps: Wraps, o: Of<'scalar'>, mask: number): void => {
  const words = o.to.length
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const isApart = o.to.every(
      (_, k) => (wordAt(r, o.from[k]!, lane) & wordAt(r, o.from[words + k]!, lane)) === 0,
    )
    const by = [0, words].reduce((all, k) => all + (wraps.get(32 * o.from[k]! + lane) ?? 0n), 0n)
    for (const to of o.to) if (to !== null) lackingAt(wraps, to, lane, 0n)
    if (isApart && o.to[0] !== null) lackingAt(wraps, o.to[0]!, lane, by)
  }
}

/** A choice takes what its side lacks; a move takes all. */
const moved = (
  wraps: Wraps,
  to: ReadonlyArray<Place | null>,
  mask: number,
  from: (k: number, lane: number) => Place,
): void => {
  if (wraps.size === 0) return
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const all = to.map((_, k) => {
      const place = from(k, lane)
      return place < 0 ? 0n : (wraps.get(32 * place + lane) ?? 0n)
    })
    to.forEach((place, k) => {
      if (place !== null) lackingAt(wraps, place, lane, all[k]!)
    })
  }
}

// ---------------------------------------------------------------- following

/** An instruction is about to be done in the lanes of `mask`. */
export const follow = (r: Rows, o: Operation, mask: number): void => {
  const { wraps } = r
  if (wraps === null) return
  if (o._tag === 'move') {
    moved(wraps, o.to, mask, (k) => o.from[k]!)
    return
  }
  if (o._tag === 'scalar') {
    const s = summed(o.name)
    if (s !== null) {
      sum(r, wraps, o, s, mask)
      return
    }
    if (wraps.size === 0) return
    const does = doingOf(o.name)
    if (does._tag === 'chooses') {
      const by = o.from[o.from.length - 1]!
      const half = (o.from.length - 1) / 2
      const holds = (lane: number): boolean =>
        by >= 0 ? wordAt(r, by, lane) !== 0 : ((r.predicates[-1 - by]! >>> lane) & 1) === 1
      moved(wraps, o.to, mask, (k, lane) => o.from[holds(lane) ? k : half + k]!)
      return
    }
    if (does._tag === 'computes' && does.op === 'or' && o.from.every((p) => p >= 0)) {
      beside(r, wraps, o, mask)
      return
    }
  }
  clear(wraps, usesOf(o).writes, mask)
}
