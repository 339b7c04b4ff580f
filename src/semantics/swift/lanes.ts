/**
 * Registers of a warp as plain rows, and what lanes compute in them.
 *
 * A row has a word for each of 32 lanes, uniform or not; what is not known does not occur here (`program.ts`). An operation is a loop over the lanes that are together. Those that
 * most programs consist of have a loop of their own; all others call their operation of `numerics/scalar` for each lane.
 *
 * Law 1. `computing(name, ...)` is the operation of that name of `numerics/scalar` in each lane, and nothing in the others.
 */
import { addToOdd } from '../../numerics/rounded-arithmetic.js'
import { rest, scalarOperation, type Compute } from '../../numerics/scalar/index.js'
import type { Place, Row } from '../warps/program.js'

// ---------------------------------------------------------------- model

export interface Registers {
  readonly words: Int32Array
  /** the same as f32 */
  readonly floats: Float32Array
  /** a mask for each */
  readonly predicates: Int32Array
}

/** Lanes that are together, the lowest first. */
export interface Lanes {
  readonly mask: number
  readonly list: Uint8Array
}

export type Does = (r: Registers, l: Lanes) => void

export const registers = (rows: number, predicates: number): Registers => {
  const words = new Int32Array(rows * 32)
  return { words, floats: new Float32Array(words.buffer), predicates: new Int32Array(predicates) }
}

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask)

const made = (mask: number): Lanes => {
  const list: number[] = []
  for (let m = mask; m !== 0; m &= m - 1) list.push(lowest(m))
  return { mask, list: Uint8Array.from(list) }
}

const everyLane = made(-1)
const known = new Map<number, Lanes>()
/** So many masks are remembered. */
const mostKnown = 4096

export const lanesOf = (mask: number): Lanes => {
  if (mask === -1) return everyLane
  const found = known.get(mask)
  if (found !== undefined) return found
  if (known.size >= mostKnown) known.clear()
  const lanes = made(mask)
  known.set(mask, lanes)
  return lanes
}

// ---------------------------------------------------------------- any operation

const wordOf = (r: Registers, place: Place, lane: number): number =>
  place >= 0 ? r.words[place * 32 + lane]! : (r.predicates[-1 - place]! >>> lane) & 1

const give = (r: Registers, place: Place, lane: number, word: number): void => {
  if (place >= 0) r.words[place * 32 + lane] = word
  else {
    const p = -1 - place
    r.predicates[p] = word !== 0 ? r.predicates[p]! | (1 << lane) : r.predicates[p]! & ~(1 << lane)
  }
}

const each = (f: Compute, from: ReadonlyArray<Place>, to: ReadonlyArray<Place | null>): Does => {
  const [a = 0, b = 0, c = 0, d = 0] = from
  const [first = null, second = null, third = null, fourth = null] = to
  const n = from.length
  return (r, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const word =
        n === 1
          ? f(wordOf(r, a, l))
          : n === 2
            ? f(wordOf(r, a, l), wordOf(r, b, l))
            : n === 3
              ? f(wordOf(r, a, l), wordOf(r, b, l), wordOf(r, c, l))
              : n === 4
                ? f(wordOf(r, a, l), wordOf(r, b, l), wordOf(r, c, l), wordOf(r, d, l))
                : f(...from.map((place) => wordOf(r, place, l)))
      if (first !== null) give(r, first, l, word)
      if (second !== null) give(r, second, l, rest[0]!)
      if (third !== null) give(r, third, l, rest[1]!)
      if (fourth !== null) give(r, fourth, l, rest[2]!)
    }
  }
}

// ---------------------------------------------------------------- loops of their own

type Loop = (to: number, a: number, b: number, c: number) => Does

const add: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = words[a + l]! + words[b + l]!
    }
  }
const subtract: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = words[a + l]! - words[b + l]!
    }
  }
const multiply: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = Math.imul(words[a + l]!, words[b + l]!)
    }
  }
const multiplyAdd: Loop =
  (to, a, b, c) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = Math.imul(words[a + l]!, words[b + l]!) + words[c + l]!
    }
  }
const and: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = words[a + l]! & words[b + l]!
    }
  }
const or: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = words[a + l]! | words[b + l]!
    }
  }
const xor: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = words[a + l]! ^ words[b + l]!
    }
  }
const shiftLeft: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const n = words[b + l]! >>> 0
      words[to + l] = n > 31 ? 0 : words[a + l]! << n
    }
  }
const shiftRight: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const n = words[b + l]! >>> 0
      words[to + l] = n > 31 ? 0 : words[a + l]! >>> n
    }
  }
const shiftRightSigned: Loop =
  (to, a, b) =>
  ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const n = words[b + l]! >>> 0
      words[to + l] = words[a + l]! >> (n > 31 ? 31 : n)
    }
  }

/** Every NaN that arithmetic makes. */
const nan = 0x7fffffff

const addFloats: Loop =
  (to, a, b) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const x = floats[a + l]! + floats[b + l]!
      if (x !== x) words[to + l] = nan
      else floats[to + l] = x
    }
  }
const multiplyFloats: Loop =
  (to, a, b) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const x = floats[a + l]! * floats[b + l]!
      if (x !== x) words[to + l] = nan
      else floats[to + l] = x
    }
  }
const divideFloats: Loop =
  (to, a, b) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const x = floats[a + l]! / floats[b + l]!
      if (x !== x) words[to + l] = nan
      else floats[to + l] = x
    }
  }
/** The product is exact in f64, and the sum is rounded to odd (`rounded-arithmetic.ts`). */
const multiplyAddFloats: Loop =
  (to, a, b, c) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const x = addToOdd(floats[a + l]! * floats[b + l]!, floats[c + l]!)
      if (x !== x) words[to + l] = nan
      else floats[to + l] = x
    }
  }
const ofInteger: Loop =
  (to, a) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      floats[to + l] = words[a + l]!
    }
  }
const ofUnsigned: Loop =
  (to, a) =>
  ({ words, floats }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      floats[to + l] = words[a + l]! >>> 0
    }
  }

/** One row of up to three rows. */
const loops: ReadonlyMap<string, Loop> = new Map([
  ['add.s32', add],
  ['add.u32', add],
  ['sub.s32', subtract],
  ['sub.u32', subtract],
  ['mul.lo.s32', multiply],
  ['mul.lo.u32', multiply],
  ['mad.lo.s32', multiplyAdd],
  ['mad.lo.u32', multiplyAdd],
  ['and.b32', and],
  ['or.b32', or],
  ['xor.b32', xor],
  ['shl.b32', shiftLeft],
  ['shr.u32', shiftRight],
  ['shr.b32', shiftRight],
  ['shr.s32', shiftRightSigned],
  ['add.f32', addFloats],
  ['add.rn.f32', addFloats],
  ['mul.f32', multiplyFloats],
  ['mul.rn.f32', multiplyFloats],
  ['div.rn.f32', divideFloats],
  ['fma.rn.f32', multiplyAddFloats],
  ['mad.rn.f32', multiplyAddFloats],
  ['cvt.rn.f32.s32', ofInteger],
  ['cvt.rn.f32.u32', ofUnsigned],
])

// ---------------------------------------------------------------- two words

/** One row and the next of rows in pairs, or of single ones. */
type Wide = (to: readonly [Row, Row], from: ReadonlyArray<Row>) => Does

const addLong: Wide = ([low, high], [a = 0, aHigh = 0, b = 0, bHigh = 0]) => {
  const [t, u, x, y, v, z] = [low * 32, high * 32, a * 32, aHigh * 32, b * 32, bHigh * 32]
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const sum = (words[x + l]! >>> 0) + (words[v + l]! >>> 0)
      const above = words[y + l]! + words[z + l]! + (sum > 0xffffffff ? 1 : 0)
      words[t + l] = sum
      words[u + l] = above
    }
  }
}
/** Upper word of a product of two signed words: exact where it has less than 53 bits, as most have. */
const multiplyWide: Wide = ([low, high], [a = 0, b = 0]) => {
  const [t, u, x, y] = [low * 32, high * 32, a * 32, b * 32]
  const whole = scalarOperation('mul.wide.s32')!.compute
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const [m, n] = [words[x + l]!, words[y + l]!]
      const product = m * n
      if (product > -9007199254740992 && product < 9007199254740992) {
        words[t + l] = Math.imul(m, n)
        words[u + l] = Math.floor(product / 4294967296)
      } else {
        words[t + l] = whole(m, n)
        words[u + l] = rest[0]!
      }
    }
  }
}
const multiplyWideUnsigned: Wide = ([low, high], [a = 0, b = 0]) => {
  const [t, u, x, y] = [low * 32, high * 32, a * 32, b * 32]
  const whole = scalarOperation('mul.wide.u32')!.compute
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const [m, n] = [words[x + l]!, words[y + l]!]
      const product = (m >>> 0) * (n >>> 0)
      if (product < 9007199254740992) {
        words[t + l] = Math.imul(m, n)
        words[u + l] = Math.floor(product / 4294967296)
      } else {
        words[t + l] = whole(m, n)
        words[u + l] = rest[0]!
      }
    }
  }
}
const extend: Wide = ([low, high], [a = 0]) => {
  const [t, u, x] = [low * 32, high * 32, a * 32]
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const word = words[x + l]!
      words[t + l] = word
      words[u + l] = word >> 31
    }
  }
}
const extendByZero: Wide = ([low, high], [a = 0]) => {
  const [t, u, x] = [low * 32, high * 32, a * 32]
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[t + l] = words[x + l]!
      words[u + l] = 0
    }
  }
}

const wides: ReadonlyMap<string, Wide> = new Map([
  ['add.s64', addLong],
  ['add.u64', addLong],
  ['mul.wide.s32', multiplyWide],
  ['mul.wide.u32', multiplyWideUnsigned],
  ['cvt.s64.s32', extend],
  ['cvt.u64.s32', extend],
  ['cvt.u64.u32', extendByZero],
  ['cvt.s64.u32', extendByZero],
])

// ---------------------------------------------------------------- comparisons

const comparisons = ['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const

/** Less, equal, greater: which of them a comparison takes. */
const taken: Readonly<Record<(typeof comparisons)[number], readonly [boolean, boolean, boolean]>> = {
  lt: [true, false, false],
  le: [true, true, false],
  gt: [false, false, true],
  ge: [false, true, true],
  eq: [false, true, false],
  ne: [true, false, true],
}

const compared = (
  to: number,
  a: number,
  b: number,
  signed: boolean,
  [less, equal, more]: readonly [boolean, boolean, boolean],
): Does => {
  const flip = signed ? 0 : 0x80000000
  return ({ words, predicates }, { list, mask }) => {
    let holds = 0
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const x = words[a + l]! ^ flip
      const y = words[b + l]! ^ flip
      if (x < y ? less : x > y ? more : equal) holds |= 1 << l
    }
    predicates[to] = (predicates[to]! & ~mask) | holds
  }
}

const comparing: ReadonlyMap<
  string,
  { readonly signed: boolean; readonly which: readonly [boolean, boolean, boolean] }
> = new Map(
  comparisons.flatMap((by) =>
    (['s32', 'u32', 'b32'] as const).map(
      (type) => [`setp.${by}.${type}`, { signed: type === 's32', which: taken[by] }] as const,
    ),
  ),
)

const chosen =
  (to: number, a: number, b: number, by: number): Does =>
  ({ words, predicates }, { list }) => {
    const p = predicates[by]!
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to + l] = ((p >>> l) & 1) === 1 ? words[a + l]! : words[b + l]!
    }
  }
const choosing: ReadonlySet<string> = new Set(['selp.b32', 'selp.u32', 'selp.s32', 'selp.f32'])

// ---------------------------------------------------------------- all of them

/** What an operation of this name does; null: there is none. */
export const computing = (
  name: string,
  from: ReadonlyArray<Place>,
  to: ReadonlyArray<Place | null>,
): Does | null => {
  const ofRows = from.every((place) => place >= 0)
  const [first = null, second = null] = to
  const [a = 0, b = 0, c = 0] = from
  if (to.length === 1 && first !== null && first >= 0) {
    const loop = ofRows ? loops.get(name) : undefined
    if (loop !== undefined) return loop(first * 32, a * 32, b * 32, c * 32)
    if (choosing.has(name) && a >= 0 && b >= 0 && c < 0) return chosen(first * 32, a * 32, b * 32, -1 - c)
  }
  if (ofRows && to.length === 2 && first !== null && second !== null && first >= 0 && second >= 0) {
    const wide = wides.get(name)
    if (wide !== undefined) return wide([first, second], from)
  }
  const comparison =
    ofRows && first !== null && first < 0 && second === null ? comparing.get(name) : undefined
  if (comparison !== undefined && first !== null)
    return compared(-1 - first, a * 32, b * 32, comparison.signed, comparison.which)
  const operation = scalarOperation(name)
  return operation === undefined ? null : each(operation.compute, from, to)
}

/** Words from rows to rows, all at once. */
export const moving = (to: ReadonlyArray<Row>, from: ReadonlyArray<Row>): Does => {
  const one =
    (t: number, a: number): Does =>
    ({ words }, { list }) => {
      for (let i = 0; i < list.length; i++) {
        const l = list[i]!
        words[t + l] = words[a + l]!
      }
    }
  if (to.length === 1) return one(to[0]! * 32, from[0]! * 32)
  return (r, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      const words = from.map((row) => r.words[row * 32 + l]!)
      for (let k = 0; k < to.length; k++) r.words[to[k]! * 32 + l] = words[k]!
    }
  }
}
