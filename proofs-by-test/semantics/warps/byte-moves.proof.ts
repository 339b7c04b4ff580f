/**
 * Where the bytes of a result are from, operation by operation.
 *
 * Oracle: the operation itself, on data that is drawn again and again. A byte that is said to be one of the data is that byte each time, and one of no data never
 * changes (law 1). Where every byte of a result is one of the data, or zero, each time, it is said to be (law 2).
 */
import { describe, expect, test } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { origins, follow } from '../../../src/semantics/warps/origins.js'
import { rows, setLane, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import { scalar } from '../../../src/semantics/warps/silent.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'

/** Rows 0 and 1 hold the data, eight bytes of value 1; rows 2 and 3 constants; 4 and 5 are written. */
const [low, high, first, second, to, toHigh] = [0, 1, 2, 3, 4, 5]
const value = 1

const held = (data: readonly [number, number], constants: readonly [number, number]): Rows => {
  const o = origins(6, 2)
  const r = rows(6, 2, null, o, null, null, null, null)
  for (const [row, word] of [
    [low, data[0]],
    [high, data[1]],
    [first, constants[0]],
    [second, constants[1]],
    [to, 0],
    [toHigh, 0],
  ] as const) {
    setLane(r, row, 0, word)
    r.unknown[row] = 0
  }
  for (const row of [low, high])
    for (let b = 0; b < 4; b++) {
      o.values[row * 128 + b] = value
      o.bytes[row * 128 + b] = 4 * row + b
    }
  return r
}

interface Case {
  readonly name: string
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
  readonly constants: readonly [number, number]
}

const one = (name: string, from: ReadonlyArray<number>, constant: number): Case => ({
  name,
  from,
  to: [to],
  constants: [constant, 0],
})
const two = (name: string, from: ReadonlyArray<number>, a: number, b = 0): Case => ({
  name,
  from,
  to: [to, toHigh],
  constants: [a, b],
})

const counts = Array.from({ length: 41 }, (_, n) => n).concat([48, 55, 56, 63, 64, 65, 255, -8])
const masks = [0, -1, 0xff, 0xff00, 0xffff, 0xff0000ff, 0xffff0000, 0xf0, 0x1ff, 0x00ff00ff]
const unsigned = ['u8', 'u16', 'u32', 'u64']

const cases: ReadonlyArray<Case> = [
  ...['shl.b32', 'shr.b32', 'shr.u32', 'shr.s32'].flatMap((name) =>
    counts.map((n) => one(name, [low, first], n)),
  ),
  ...['shl.b64', 'shr.b64', 'shr.u64', 'shr.s64'].flatMap((name) =>
    counts.map((n) => two(name, [low, high, first], n)),
  ),
  ...['and.b32', 'or.b32', 'xor.b32'].flatMap((name) =>
    masks.flatMap((m) => [one(name, [low, first], m), one(name, [first, high], m)]),
  ),
  ...['and.b64', 'or.b64', 'xor.b64'].flatMap((name) =>
    masks.flatMap((m, k) => [
      two(name, [low, high, first, second], m, masks[(k + 3) % masks.length]),
      two(name, [first, second, low, high], m, masks[(k + 5) % masks.length]),
    ]),
  ),
  ...Array.from({ length: 625 }, (_, n) =>
    [1, 5, 25, 125].reduce((word, by, i) => word | ([0, 3, 5, 6, 9][Math.floor(n / by) % 5]! << (4 * i)), 0),
  ).map((selector) => one('prmt.b32', [low, high, first], selector)),
  ...unsigned.flatMap((t) =>
    unsigned.flatMap((f) =>
      scalarOperation(`cvt.${t}.${f}`) === undefined
        ? []
        : [
            {
              name: `cvt.${t}.${f}`,
              from: f === 'u64' ? [low, high] : [low],
              to: t === 'u64' ? [to, toHigh] : [to],
              constants: [0, 0] as const,
            },
          ],
    ),
  ),
]

/** The bytes of the result, lowest first, and what is said of each: the number of a byte of the data, null for no data, or that it is lost. */
const done = (
  { name, from, to: into, constants }: Case,
  data: readonly [number, number],
): { readonly bytes: ReadonlyArray<number>; readonly said: ReadonlyArray<number | null | 'lost'> } => {
  const r = held(data, constants)
  const o = r.origins!
  if (o._tag !== 'bytes') throw new Error('origins of bytes')
  follow(r, { _tag: 'scalar', name, from, to: into }, 1, null)
  scalar(r, name, scalarOperation(name)!, from, into, 1, false)
  const places = into.flatMap((row) => [0, 1, 2, 3].map((b) => [row, b] as const))
  return {
    bytes: places.map(([row, b]) => (wordAt(r, row, 0) >>> (8 * b)) & 0xff),
    said: places.map(([row, b]) => {
      const v = o.values[row * 128 + b]!
      return v === value ? o.bytes[row * 128 + b]! : v === 0 ? null : 'lost'
    }),
  }
}

const die = dice(1)
const draws = Array.from(
  { length: 6 },
  () => [die.below(2 ** 31) ^ (die.below(2) << 31), die.below(2 ** 31) ^ (die.below(2) << 31)] as const,
)
const bytesOf = ([a, b]: readonly [number, number]): ReadonlyArray<number> =>
  [a, b].flatMap((w) => [0, 1, 2, 3].map((i) => (w >>> (8 * i)) & 0xff))

const names = [...new Set(cases.map(({ name }) => name))]
describe.each(names)('%s', (name) => {
  const all = cases
    .filter((c) => c.name === name)
    .map((c) => ({ of: c, runs: draws.map((data) => ({ data: bytesOf(data), ...done(c, data) })) }))
  test('law 1: what is said of a byte is so', () => {
    for (const { of, runs } of all)
      runs.forEach(({ data, bytes, said }) => {
        said.forEach((s, b) => {
          if (s === null) expect(bytes[b], JSON.stringify([of, b])).toBe(runs[0]!.bytes[b])
          else if (s !== 'lost') expect(bytes[b], JSON.stringify([of, b])).toBe(data[s])
        })
      })
  })
  // a copy of a sign is none of a byte
  test.skipIf(/^shr\.s/u.test(name))('law 2: what only moves bytes is followed', () => {
    for (const { of, runs } of all) {
      const moved = runs[0]!.bytes.map((_, b): number | null => {
        if (runs.every(({ bytes }) => bytes[b] === 0)) return null
        return (
          [0, 1, 2, 3, 4, 5, 6, 7].find((k) => runs.every(({ bytes, data }) => bytes[b] === data[k])) ?? -1
        )
      })
      if (!moved.includes(-1)) expect(runs[0]!.said, JSON.stringify(of)).toEqual(moved)
    }
  })
})

describe('a conversion of an element', () => {
  // bytes of two values: only four that are one element of one value make another element
  const pieces = [1, 2].flatMap((v) => [0, 1, 2, 3, 4, 5].map((b) => [v, b] as const))
  test.each([
    ['cvt.rn.f16.f32', 4],
    ['cvt.f32.f16', 2],
    ['cvt.f32.bf16', 2],
  ] as const)('%s is followed where its bytes are those of one', (name, width) => {
    for (const word of Array.from({ length: 4 }, (_, at) => at).flatMap((at) =>
      pieces.flatMap((piece) =>
        [0, 4].map((start) => [0, 1, 2, 3].map((b) => (b === at ? piece : ([1, start + b] as const)))),
      ),
    )) {
      const r = held([0, 0], [0, 0])
      const o = r.origins!
      if (o._tag !== 'bytes') throw new Error('origins of bytes')
      word.forEach(([v, b], i) => {
        o.values[i] = v
        o.bytes[i] = b
      })
      follow(r, { _tag: 'scalar', name, from: [low], to: [to] }, 1, null)
      const [[v, b]] = [word[0]!]
      const isOne = b % width === 0 && word.slice(0, width).every(([w, c], i) => w === v && c === b + i)
      expect(o.values[to * 128]! > 0, JSON.stringify([name, word])).toBe(isOne)
    }
  })
})

describe('a sum', () => {
  // of each byte: as it was read, lost, a zero of no data, another number of no data
  const states = ['read', 'lost', 'zero', 'number'] as const
  const all = Array.from({ length: 256 }, (_, n) =>
    [0, 1, 2, 3].map((b) => states[Math.floor(n / 4 ** b) % 4]!),
  )
  test.each([true, false])('is followed where its words are whole, or of no data; known: %s', (isKnown) => {
    for (const word of all) {
      const r = held([0x07070707, 0], [5, 0])
      const o = r.origins!
      if (o._tag !== 'bytes') throw new Error('origins of bytes')
      setLane(
        r,
        low,
        0,
        word.reduce((bits, state, b) => bits | (state === 'zero' ? 0 : 7 << (8 * b)), 0),
      )
      r.unknown[low] = isKnown ? 0 : 1
      word.forEach((state, b) => {
        o.values[b] = state === 'read' ? value : state === 'lost' ? -1 : 0
        o.bytes[b] = state === 'read' ? b : 0
      })
      follow(r, { _tag: 'scalar', name: 'add.rn.f32', from: [low, first], to: [to] }, 1, null)
      const isOfData = word.includes('read') || word.includes('lost')
      const isWhole = isKnown && !word.includes('lost') && !word.includes('number')
      // below all that are read are the values that are computed
      const said = o.values[to * 128]!
      expect(said === 0 ? 'plain' : said === -1 ? 'lost' : 'followed', word.join()).toBe(
        !isOfData ? 'plain' : isWhole ? 'followed' : 'lost',
      )
    }
  })
})

test('every operation of this table is one', () => {
  for (const { name } of cases) expect(scalarOperation(name), name).not.toBe(undefined)
})
