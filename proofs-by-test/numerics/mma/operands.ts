/**
 * The operands of the capture of `mma` and `wmma`, made again: what `conformance/hopper/mma/operands.h` gives to a form and the number of a tuple.
 *
 * An element is a pattern of bits; of f64 two words, the low one first.
 */

export interface Matrices {
  readonly a: Float64Array
  readonly b: Float64Array
  readonly c: Float64Array
}

/** xorshift32, its states multiplied. */
export class Random {
  private state: number
  constructor(text: string) {
    let h = 2166136261
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
    this.state = h | 1
    for (let i = 0; i < 4; i++) this.next()
  }
  next(): number {
    let x = this.state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.state = x
    return (Math.imul(x, 0x9e3779b1) ^ (x >>> 15)) >>> 0
  }
  pick(n: number): number {
    return this.next() % n
  }
}

interface Format {
  readonly exponent: number
  readonly fraction: number
  readonly bias: number
  /** the largest exponent field of a finite number */
  readonly top: number
}

const formatOf = (type: string): Format => {
  switch (type) {
    case 'f16':
      return { exponent: 5, fraction: 10, bias: 15, top: 30 }
    case 'bf16':
      return { exponent: 8, fraction: 7, bias: 127, top: 254 }
    case 'e4m3':
      return { exponent: 4, fraction: 3, bias: 7, top: 15 }
    case 'e5m2':
      return { exponent: 5, fraction: 2, bias: 15, top: 30 }
    case 'f64':
      return { exponent: 11, fraction: 52, bias: 1023, top: 2046 }
    default:
      return { exponent: 8, fraction: 23, bias: 127, top: 254 }
  }
}

export const isFloat = (type: string): boolean => /^(f|bf16|tf32|e)/u.test(type)
export const bitsOf = (type: string): 1 | 4 | 8 | 16 | 32 | 64 => {
  switch (type) {
    case 'b1':
      return 1
    case 'u4':
    case 's4':
      return 4
    case 'u8':
    case 's8':
    case 'e4m3':
    case 'e5m2':
      return 8
    case 'f16':
    case 'bf16':
      return 16
    case 'f64':
      return 64
    default:
      return 32
  }
}

/** Two words; the high one is 0 of what has 32 bits or fewer. */
type Wide = readonly [low: number, high: number]
const zero: Wide = [0, 0]

class Floats {
  constructor(
    private readonly f: Format,
    private readonly r: Random,
  ) {}
  get most(): number {
    return this.f.top - this.f.bias
  }
  get least(): number {
    return 1 - this.f.bias
  }
  get bias(): number {
    return this.f.bias
  }
  get fraction(): number {
    return this.f.fraction
  }
  wide(): Wide {
    const low = this.r.next()
    return [low, this.r.next()]
  }
  make(negative: number, exponent: number, [low, high]: Wide): Wide {
    const { f } = this
    const field = Math.min(Math.max(exponent + f.bias, 0), f.top)
    if (f.fraction > 32)
      return [
        low,
        ((negative << 31) | (field << (f.fraction - 32)) | (high & (2 ** (f.fraction - 32) - 1))) >>> 0,
      ]
    let fraction = (low & (2 ** f.fraction - 1)) >>> 0
    if (f.exponent === 4 && field === 15 && fraction === 7) fraction = 6
    return [((negative << (f.exponent + f.fraction)) | (field << f.fraction) | fraction) >>> 0, 0]
  }
  any(): Wide {
    const [low, high] = this.wide()
    const bits = 1 + this.f.exponent + this.f.fraction
    return bits === 64 ? [low, high] : [bits === 32 ? low : low & (2 ** bits - 1), 0]
  }
  finite(): Wide {
    const { f } = this
    const raw = this.any()
    const top = f.fraction > 32 ? raw[1] >>> (f.fraction - 32) : raw[0] >>> f.fraction
    const field = top & (2 ** f.exponent - 1)
    return this.make((top >>> f.exponent) & 1, (field > f.top ? field >> 1 : field) - f.bias, raw)
  }
  within(first: number, count: number): Wide {
    const exponent = first + this.r.pick(count)
    const raw = this.wide()
    return this.make(raw[1] >>> 31, exponent, raw)
  }
  power(first: number, count: number): Wide {
    const exponent = first + this.r.pick(count)
    return this.make(this.r.pick(2), exponent, zero)
  }
  negated([low, high]: Wide): Wide {
    const bit = this.f.exponent + this.f.fraction
    return bit > 32 ? [low, (high ^ (1 << (bit - 32))) >>> 0] : [(low ^ (1 << bit)) >>> 0, high]
  }
  special(): Wide {
    const { f } = this
    const negative = this.r.pick(2)
    const payload = this.wide()
    const signed = (x: Wide): Wide => (negative === 1 ? this.negated(x) : x)
    const field = (e: number, fraction: Wide): Wide =>
      f.fraction > 32
        ? [fraction[0], ((e << (f.fraction - 32)) | (fraction[1] & (2 ** (f.fraction - 32) - 1))) >>> 0]
        : [((e << f.fraction) | (fraction[0] & (2 ** f.fraction - 1))) >>> 0, 0]
    const ones = 2 ** f.exponent - 1
    const all: Wide = [0xffffffff, 0xffffffff]
    switch (this.r.pick(8)) {
      case 0:
        return signed(zero)
      case 1:
        return signed(f.exponent === 4 ? [0x7e, 0] : field(ones, zero))
      case 2: {
        if (f.exponent === 4) return signed(field(ones, all))
        const nan = field(ones, payload)
        const none = field(ones, zero)
        return signed(nan[0] === none[0] && nan[1] === none[1] ? [nan[0] + 1, nan[1]] : nan)
      }
      case 3:
        return signed(this.make(0, this.most, all))
      case 4:
        return signed(field(1, zero))
      case 5:
        return signed([1, 0])
      case 6:
        return signed(field(0, all))
      default:
        return signed(field(f.bias, zero))
    }
  }
}

const floats = (
  types: readonly [string, string, string],
  m: number,
  n: number,
  ka: number,
  k: number,
  kind: number,
  r: Random,
): Matrices => {
  const wide = types[0] === 'f64' ? 2 : 1
  const [fa, fb, fc] = types.map((t) => new Floats(formatOf(t), r)) as [Floats, Floats, Floats]
  const x = {
    a: new Float64Array(m * ka * wide),
    b: new Float64Array(k * n * wide),
    c: new Float64Array(m * n * wide),
  }
  const put = (to: Float64Array, at: number, [low, high]: Wide): void => {
    to[at * wide] = low
    if (wide === 2) to[at * wide + 1] = high
  }
  const get = (from: Float64Array, at: number): Wide => [
    from[at * wide]!,
    wide === 2 ? from[at * wide + 1]! : 0,
  ]
  const all =
    (to: Float64Array) =>
    (draw: () => Wide): void => {
      for (let i = 0; i < to.length / wide; i++) put(to, i, draw())
    }
  const [allA, allB, allC] = [all(x.a), all(x.b), all(x.c)]
  const low = ([l, h]: Wide, bit: boolean): Wide => [bit ? (l ^ 1) >>> 0 : l, h]
  const cancelling = (step: number, first: number, count: number): void => {
    for (let i = 0; i < m; i++)
      for (let p = 0; p < ka; p++)
        put(
          x.a,
          i * ka + p,
          Math.floor(p / step) % 2 === 0
            ? fa.within(first, count)
            : low(fa.negated(get(x.a, i * ka + p - step)), r.pick(4) === 0),
        )
    for (let p = 0; p < k; p++)
      for (let j = 0; j < n; j++)
        put(
          x.b,
          p * n + j,
          Math.floor(p / step) % 2 === 0
            ? fb.within(first, count)
            : low(get(x.b, (p - step) * n + j), r.pick(4) === 0),
        )
  }
  switch (kind) {
    case 0:
      allA(() => fa.any())
      allB(() => fb.any())
      allC(() => fc.any())
      break
    case 1:
      allA(() => fa.finite())
      allB(() => fb.finite())
      allC(() => fc.finite())
      break
    case 2:
      allA(() => fa.within(-4, 8))
      allB(() => fb.within(-4, 8))
      allC(() => fc.within(-8, 16))
      break
    case 3:
      allA(() => fa.within(0, 1))
      allB(() => fb.within(0, 1))
      allC(() => fc.within(0, 4))
      break
    case 4:
      cancelling(1, -2, 4)
      allC(() => (r.pick(4) === 0 ? zero : fc.within(-12, 14)))
      break
    case 5:
      cancelling(ka > 1 ? Math.floor(ka / 2) : 1, -2, 4)
      allC(() => (r.pick(4) === 0 ? zero : fc.within(-24, 26)))
      break
    case 6:
      allA(() => (r.pick(4) !== 0 ? fa.within(-fa.bias, 1) : fa.within(-2, 4)))
      allB(() => (r.pick(4) !== 0 ? fb.within(-fb.bias, 1) : fb.within(-2, 4)))
      allC(() => (r.pick(4) !== 0 ? fc.within(-fc.bias, 1) : fc.within(fa.least, 4)))
      break
    case 7:
      allA(() => (r.pick(24) === 0 ? fa.special() : fa.within(-3, 6)))
      allB(() => (r.pick(24) === 0 ? fb.special() : fb.within(-3, 6)))
      allC(() => (r.pick(4) === 0 ? fc.special() : fc.within(-3, 6)))
      break
    case 8: {
      const half = Math.trunc(fc.most / 2)
      const ea = Math.min(half, fa.most)
      const eb = Math.min(half, fb.most)
      allA(() => fa.within(ea - 3, 4))
      allB(() => fb.within(eb - 2, 4))
      allC(() => fc.within(fc.most - 3, 4))
      break
    }
    case 9:
      for (const [every, f] of [
        [allA, fa],
        [allB, fb],
        [allC, fc],
      ] as const)
        every(() => (r.pick(2) !== 0 ? f.make(r.pick(2), -f.bias, zero) : f.finite()))
      break
    case 10:
      allA(() => fa.within(fa.least - 1, 6))
      allB(() => (r.pick(2) !== 0 ? fb.within(-4, 8) : fb.within(fb.least - 1, 8)))
      allC(() =>
        r.pick(2) !== 0 ? fc.within(fc.least - 1, 6) : r.pick(2) !== 0 ? zero : fc.within(fa.least - 4, 8),
      )
      break
    case 11:
      for (const [every, f] of [
        [allA, fa],
        [allB, fb],
        [allC, fc],
      ] as const)
        every(() =>
          r.pick(3) === 0
            ? f.negated(f.make(r.pick(2), -f.bias, zero))
            : r.pick(2) !== 0
              ? f.make(r.pick(2), 0, zero)
              : f.make(r.pick(2), -f.bias, [1, 0]),
        )
      break
    case 12:
      allA(() => (r.pick(4) !== 0 ? zero : fa.power(-14, 29)))
      allB(() => (r.pick(3) === 0 ? zero : fb.power(-3, 7)))
      allC(() => (r.pick(2) !== 0 ? zero : fc.power(-24, 40)))
      break
    case 13: {
      const high = Math.min(fa.most, 26)
      for (let i = 0; i < m; i++) {
        for (let p = 0; p < ka; p++) put(x.a, i * ka + p, fa.within(-6, 7))
        const p = r.pick(ka)
        const q = r.pick(ka)
        const e = r.pick(high + 1)
        put(x.a, i * ka + p, fa.make(0, e, zero))
        if (p !== q) put(x.a, i * ka + q, fa.make(1, e, zero))
      }
      allB(() => fb.make(0, 0, zero))
      allC(() => (r.pick(3) === 0 ? zero : fc.within(-4, high + 6)))
      break
    }
    case 14:
      allA(() => (r.pick(2) !== 0 ? zero : fa.power(-7, 14)))
      allB(() => fb.power(-6, 8))
      allC(() => (r.pick(3) === 0 ? zero : fc.power(-12, 24)))
      break
    case 15:
      allA(() => fa.within(-4, 8))
      allB(() => fb.within(-4, 8))
      allC(() => fc.within(4, 28))
      break
    case 16: {
      const e = Math.min(Math.trunc(Math.min(fc.most, 60) / 2), fa.most)
      cancelling(2, e - 4, 4)
      for (let i = 0; i < m; i++)
        for (let p = 0; p < ka; p++) if (r.pick(6) === 0) put(x.a, i * ka + p, fa.within(-4, 8))
      allC(() => (r.pick(2) !== 0 ? zero : fc.within(2 * e - 28, 28)))
      break
    }
    case 17:
      for (let i = 0; i < m; i++) {
        for (let p = 0; p < ka; p++) put(x.a, i * ka + p, fa.within(-9, 9))
        const large = fa.within(3, 4)
        put(x.a, i * ka + r.pick(ka), large)
      }
      allB(() => fb.within(-2, 3))
      allC(() => (r.pick(2) !== 0 ? zero : fc.within(-20, 24)))
      break
    case 18: {
      const at = r.pick(ka)
      allA(() => fa.within(-7, 5))
      allB(() => fb.within(-4, 4))
      const row: number[] = []
      const column: number[] = []
      for (let i = 0; i < m; i++) {
        row.push(r.pick(6))
        put(x.a, i * ka + at, fa.make(0, row[i]!, zero))
      }
      for (let j = 0; j < n; j++) {
        column.push(r.pick(5))
        for (let p = 0; p < k; p++)
          if (p === at || k !== ka)
            put(x.b, p * n + j, fb.make(0, column[j]!, p === at ? zero : [r.next(), 0]))
      }
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++) {
          const bits = BigInt(r.pick(4))
          const fraction = bits << BigInt(r.pick(fc.fraction))
          put(
            x.c,
            i * n + j,
            fc.make(1, row[i]! + column[j]!, [
              Number(fraction & 0xffffffffn),
              Number((fraction >> 32n) & 0xffffffffn),
            ]),
          )
        }
      break
    }
    default: {
      const floor = fc.least - 7
      const ea = Math.max(Math.trunc(floor / 2), fa.least)
      const eb = Math.max(floor - ea, fb.least)
      allA(() => (r.pick(3) === 0 ? zero : fa.within(ea - 5, 10)))
      allB(() => fb.within(eb - 5, 10))
      allC(() => (r.pick(4) !== 0 ? zero : fc.within(-fc.bias, 2)))
    }
  }
  return x
}

const integers = (
  types: readonly [string, string, string],
  m: number,
  n: number,
  ka: number,
  k: number,
  kind: number,
  r: Random,
): Matrices => {
  const element = (type: string, way: number): number => {
    const bits = bitsOf(type)
    const mask = 2 ** bits - 1
    if (bits === 1)
      return way === 1
        ? Number(r.pick(8) !== 0)
        : way === 2
          ? Number(r.pick(8) === 0)
          : way === 3
            ? 1
            : (r.next() >>> 7) & 1
    switch (way) {
      case 1:
        return r.pick(4) !== 0 ? mask >> 1 : mask
      case 2:
        return r.pick(4) !== 0 ? (mask >> 1) + 1 : mask
      case 3:
        return mask
      default:
        return r.next() & mask
    }
  }
  const way = kind % 4
  const other = kind < 4 ? way : way === 1 ? 2 : way === 2 ? 1 : 0
  return {
    a: Float64Array.from({ length: m * ka }, () => element(types[0], way)),
    b: Float64Array.from({ length: k * n }, () => element(types[1], other)),
    c: Float64Array.from({ length: m * n }, () => {
      switch (r.pick(4)) {
        case 0:
          return r.next()
        case 1:
          return 0x7fffffff - r.pick(65536)
        case 2:
          return 0x80000000 + r.pick(65536)
        default:
          return (r.pick(65536) - 32768) >>> 0
      }
    }),
  }
}

/** The matrices of product q of a tuple; ka elements of a row of a are given. */
export const operandsOf = (
  name: string,
  tuple: number,
  q: number,
  types: readonly [string, string, string],
  m: number,
  n: number,
  ka: number,
  k: number,
): Matrices => {
  const r = new Random(`${name}#${String(tuple)}#${String(q)}`)
  return isFloat(types[0])
    ? floats(types, m, n, ka, k, tuple % 20, r)
    : integers(types, m, n, ka, k, tuple % 8, r)
}

/** A pattern of moderate size, as registers that are given as they are hold it. */
export const moderate = (type: string, r: Random): number | readonly [number, number] => {
  const bits = bitsOf(type)
  if (!isFloat(type)) return r.next() & (bits === 32 ? 0xffff : 2 ** bits - 1)
  const wide = new Floats(formatOf(type), r).within(-3, 6)
  return bits === 64 ? wide : wide[0]
}

/** Metadata of a sparse a: a word a lane; `any`: of numbers that need not ascend. */
export const metadataOf = (
  seed: string,
  type: string,
  any: boolean,
  lanes: number = 32,
): ReadonlyArray<number> => {
  const r = new Random(`${seed}#metadata`)
  const pairs = [4, 8, 9, 12, 13, 14, 1, 2, 6, 3, 7, 11]
  const single = [4, 14]
  return Array.from({ length: lanes }, () => {
    let word = 0
    for (let i = 0; i < 8; i++)
      word |= (type === 'tf32' ? single[r.pick(2)]! : pairs[r.pick(any ? 12 : 6)]!) << (4 * i)
    return word >>> 0
  })
}
