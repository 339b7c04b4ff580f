/**
 * The operands of `conformance/hopper/wgmma`, drawn again, and a guess at what the tensor core made of them.
 *
 * A case is tiles of A, B and C, one after another, each drawn by its kind; the file has all of A, all of B, all of C, then D. Each kind is there to meet
 * something in the arithmetic: products that cancel, sums that are ties, terms below what is kept. The README of `conformance/hopper` describes them.
 *
 * D is guessed as the sum of all products and C in doubles, cut off to D's type. That is near the chip's, and no more: what is compared with the chip's bits
 * are the chip's bits, for the difference is stored (`container.mjs`).
 */
import { Buffer } from 'node:buffer'
import { bitsOf, floats, numberOf, roundings } from './floats.mjs'
import { generators } from './generators.mjs'

const whole = { s8: 1, u8: 1, s32: 4 }
const bytesOf = (type) => floats[type]?.bytes ?? whole[type]
const below = (type) => floats[type].below ?? 0
const signOf = (type) => 2 ** (8 * bytesOf(type) - 1)
/** The largest exponent of a number. */
const largest = ({ exponent, infinite }) => 2 ** exponent - (infinite ? 2 : 1)

const composed = (type, sign, exponent, fraction) => {
  const f = floats[type]
  const bits =
    (sign * 2 ** (f.exponent + f.fraction) +
      Math.min(exponent, 2 ** f.exponent - 1) * 2 ** f.fraction +
      fraction) *
    2 ** below(type)
  return type === 'e4m3' && bits % 128 === 127 ? bits - 1 : bits
}

/** Ends of what a type holds, of both signs. */
const specials = (type) => {
  const { exponent, fraction, bias, infinite } = floats[type]
  const [e, m] = [2 ** exponent - 1, 2 ** fraction - 1]
  const at = (a, b) => a * 2 ** fraction + b
  const small = [0, 1, m, at(1, 0), at(bias, 0), at(bias, m), at(bias + 1, 1), at(e - 1, m)]
  const ends = infinite
    ? [at(e, 0), at(e, 1), at(e, 2 ** (fraction - 1)), at(e, m)]
    : [at(e, m), at(e, m - 1)]
  const all = [...small, ...ends]
  return [...all, ...all.map((bits) => bits + 2 ** (exponent + fraction))].map(
    (bits) => bits * 2 ** below(type),
  )
}

/** What a case draws with. */
const drawing = (seed) => {
  const g = generators.numpy(seed)
  const below1 = (count, share) => g.uniform(count, 0, 1).map((x) => (x < share ? 1 : 0))
  const one = (high) => g.integers(1, 0, high)[0]
  const bits = (count, type) => g.integers(count, 0, 2 ** (8 * bytesOf(type)))
  /** Numbers of exponents between two, a share of them zeros of either sign. */
  const numbers = (count, type, low, high, zeros = 0) => {
    const f = floats[type]
    const sign = g.integers(count, 0, 2)
    const exponent = g.integers(count, Math.max(low, 0), Math.min(high, largest(f)) + 1)
    const fraction = g.integers(count, 0, 2 ** f.fraction)
    const under = type === 'tf32' ? g.integers(count, 0, 2 ** 13) : null
    const kept = type === 'tf32' ? below1(count, 0.3) : null
    const zero = below1(count, zeros)
    return sign.map((s, i) => {
      const made = composed(type, s, exponent[i], fraction[i]) + (under === null ? 0 : under[i] * kept[i])
      return zero[i] === 1 ? s * signOf(type) : made
    })
  }
  const among = (values, type, share) => {
    const list = specials(type)
    const chosen = below1(values.length, share)
    const which = g.integers(values.length, 0, list.length)
    return values.map((value, i) => (chosen[i] === 1 ? list[which[i]] : value))
  }
  /** One or the other; both are drawn. */
  const either = (count, share, first, second) => {
    const chosen = below1(count, share)
    const [x, y] = [first(), second()]
    return chosen.map((c, i) => (c === 1 ? x[i] : y[i]))
  }
  const normals = (count, type) => {
    const f = floats[type]
    const singles = new Uint32Array(Float32Array.from(g.normals(count)).buffer)
    return Float64Array.from(singles, (x) => {
      const exponent = ((x >>> 23) & 255) - 127 + f.bias
      return exponent < 1
        ? 0
        : composed(type, x >>> 31, exponent, (x >>> (23 - f.fraction)) & (2 ** f.fraction - 1))
    })
  }
  return { g, below1, one, bits, numbers, among, either, normals }
}

/** Elements of A and B by kind. */
const operand = ({ bits, numbers, among, normals }, type, count, kind) => {
  const { exponent, bias } = floats[type]
  const narrow = exponent < 8
  const top = largest(floats[type])
  const of = {
    random_bits: () => bits(count, type),
    finite_random_bits: () => numbers(count, type, 0, top),
    normal: () => normals(count, type),
    narrow_exponent: () => numbers(count, type, bias - 3, bias + 3),
    cancellation: () => numbers(count, type, bias - 2, bias + 2),
    denormal: () => numbers(count, type, 0, narrow ? 2 : 1, 0.1),
    specials: () => among(numbers(count, type, bias - 4, bias + 4, 0.3), type, 0.06),
    overflow_edge: () => numbers(count, type, narrow ? top - 4 : bias + 60, narrow ? top : bias + 66, 0.3),
    sparse_wide: () => numbers(count, type, 0, top, 0.75),
    tiny_results: () => numbers(count, type, narrow ? 0 : bias - 90, narrow ? 6 : bias - 50, 0.2),
    zeros_and_signs: () => numbers(count, type, bias - 1, bias + 1, 0.85),
    ones_plus_small: () => numbers(count, type, Math.max(bias - 14, 0), bias, 0.3),
  }
  return of[kind]()
}

/** Elements of C by kind; `a` is the type of A, whose smallest and largest products they are near. */
const addend = (draws, type, count, kind, a) => {
  const { g, one, bits, numbers, among, either } = draws
  if (type === 's32')
    return [
      () => g.integers(count, 0, 2 ** 32),
      () => g.integers(count, 0, 300000).map((x) => 0x7fffffff - x),
      () => g.integers(count, 0, 300000).map((x) => 0x80000000 + x),
      () => g.integers(count, 0, 100000),
    ][one(4)]()
  const { bias } = floats[type]
  const top = largest(floats[type])
  const least = bias - 2 * floats[a].bias
  const most = bias + 2 * (largest(floats[a]) - floats[a].bias)
  const of = {
    random_bits: () => bits(count, type),
    finite_random_bits: () => numbers(count, type, 0, top),
    normal: () => numbers(count, type, bias - 4, bias + 3),
    narrow_exponent: () => numbers(count, type, bias - 10, bias + 10, 0.1),
    cancellation: () => numbers(count, type, Math.max(bias - 30, 0), bias, 0.4),
    denormal: () =>
      type === 'f16'
        ? numbers(count, type, 0, 3, 0.2)
        : either(
            count,
            0.5,
            () => numbers(count, type, 0, 4, 0.2),
            () => numbers(count, type, Math.max(least - 4, 0), Math.max(least + 12, 4), 0.2),
          ),
    specials: () => among(numbers(count, type, bias - 4, bias + 4, 0.3), type, 0.1),
    overflow_edge: () => numbers(count, type, top - 3, top, 0.2),
    sparse_wide: () => numbers(count, type, Math.max(least - 20, 0), Math.min(most + 20, top), 0.3),
    tiny_results: () =>
      type === 'f32' && floats[a].exponent === 8
        ? numbers(count, type, 0, 20, 0.5)
        : numbers(count, type, Math.max(least - 6, 0), Math.max(least + 16, 6), 0.4),
    zeros_and_signs: () => numbers(count, type, bias - 1, bias + 1, 0.8),
    ones_plus_small: () => numbers(count, type, bias - 2, bias + 6, 0.2),
  }
  return of[kind]()
}

/** Numbers of 32 bits and less, one in another's bits. */
const xor = (x, y) => (x ^ y) >>> 0
const and = (x, y) => (x & y) >>> 0

/** Every second column of A as that before it, of B as that before it with the other sign, but for `step`: products that cancel. */
const opposed = (A, B, depth, type, step) => {
  for (let i = 1; i < A.length; i += 2) A[i] = A[i - 1]
  for (let i = 1; i < B.length; i += 2)
    B[i] = xor(xor(B[i - 1], signOf(type)), step[(i - 1) / 2] * 2 ** below(type))
}
const reordered = (values, depth, order) => values.map((_, i) => values[i - (i % depth) + order[i % depth]])

const tile = (draws, { d, a, b, n, k }, kind) => {
  const { g, below1, one } = draws
  const counts = [64 * k, n * k]
  if (floats[a] === undefined) {
    const extreme = one(3)
    const drawn = counts.map((count) => g.integers(count, 0, 256))
    const put = (byte, share) =>
      drawn.map((values) => below1(values.length, share).map((c, i) => (c === 1 ? byte : values[i])))
    const [A, B] = extreme === 0 ? put(0x80, 0.5) : extreme === 1 ? put(0x7f, 0.7) : drawn
    return [A, B, addend(draws, d, 64 * n, kind, 'f16')]
  }
  const [A, B] = [operand(draws, a, counts[0], kind), operand(draws, b, counts[1], kind)]
  const C = addend(draws, d, 64 * n, kind, a)
  if (kind === 'cancellation') {
    opposed(A, B, k, b, g.integers((n * k) / 2, 0, 2))
    const order = g.permutation(k)
    return [reordered(A, k, order), reordered(B, k, order), C]
  }
  if (kind === 'zeros_and_signs' && one(2) === 0) return [A.map((x) => and(x, signOf(a))), B, C]
  return [A, B, C]
}

/** Tiles that are there for one thing each. */
const probes = {
  floor_probe: (draws, { d, a, b, n, k }) => {
    const { numbers, either } = draws
    const low = (type, count, zeros) =>
      floats[a].exponent === 8
        ? numbers(count, type, floats[type].bias - 76, floats[type].bias - 64, 0.2)
        : numbers(count, type, 0, 5, zeros)
    const [A, B] = [low(a, 64 * k, 0.3), low(b, n * k, 0.3)]
    return [
      A,
      B,
      either(
        64 * n,
        0.85,
        () => new Float64Array(64 * n),
        () => numbers(64 * n, d, 0, 1),
      ),
    ]
  },
  huge_cancel: (draws, { d, a, b, n, k }) => {
    const { g, below1, numbers } = draws
    const high = (type, count) => numbers(count, type, largest(floats[type]) - 3, largest(floats[type]), 0.3)
    const [A, B] = [high(a, 64 * k), high(b, n * k)]
    const step = g.integers((n * k) / 2, 0, 2)
    const kept = below1((n * k) / 2, 0.15)
    opposed(
      A,
      B,
      k,
      b,
      step.map((x, i) => x * kept[i]),
    )
    const finite = b === 'e4m3' ? B.map((x) => (x % 128 === 127 ? xor(x, 1) : x)) : B
    const order = g.permutation(k)
    const C = numbers(64 * n, d, 0, largest(floats[d]), 0.2)
    return [reordered(A, k, order), reordered(finite, k, order), C]
  },
  tie_probe: (draws, { d, a, b, n, k }) => {
    const { below1, numbers, either } = draws
    const bare = (type, low, high, count, zeros) => {
      const f = floats[type]
      const values = numbers(count, type, low, high, zeros)
      const lowest = below1(count, 0.2)
      const unit = 2 ** below(type)
      const mask = (2 ** (f.exponent + 1) - 1) * 2 ** f.fraction * unit
      return values.map((x, i) => and(x, mask) + lowest[i] * unit)
    }
    const narrow = (type) => floats[type].exponent < 8
    const A = bare(
      a,
      narrow(a) ? 0 : floats[a].bias - 12,
      (narrow(a) ? 8 : floats[a].bias + 12) + (floats[a].exponent === 5 ? 6 : 0),
      64 * k,
      0.6,
    )
    const B = bare(b, narrow(b) ? 0 : floats[b].bias - 12, narrow(b) ? 14 : floats[b].bias + 12, n * k, 0.3)
    const bias = floats[d].bias
    const C = either(
      64 * n,
      0.5,
      () => new Float64Array(64 * n),
      () => numbers(64 * n, d, d === 'f16' ? 0 : bias - 20, d === 'f16' ? 12 : bias + 4),
    )
    return [A, B, C]
  },
  truncation_probe: (draws, { d, a, b, n, k }) => {
    const { one, numbers } = draws
    const small = (type, count, by) => {
      const { exponent, bias } = floats[type]
      return numbers(count, type, Math.max(bias - 13, 0), exponent > 4 ? bias - by.wide : bias - by.narrow)
    }
    const A = small(a, 64 * k, { wide: 10, narrow: 4 })
    const B = small(b, n * k, { wide: 6, narrow: 0 })
    const column = one(k)
    const large = (values, type, rows) =>
      numbers(rows, type, floats[type].bias, floats[type].bias + 3).forEach((x, row) => {
        values[row * k + column] = x
      })
    large(A, a, 64)
    large(B, b, n)
    return [A, B, numbers(64 * n, d, Math.max(floats[d].bias - 26, 0), floats[d].bias + 3, 0.3)]
  },
  c_dominates: (draws, { d, a, b, n, k }) => {
    const { numbers } = draws
    const near = (type, count) =>
      numbers(count, type, Math.max(floats[type].bias - 8, 0), floats[type].bias + 2, 0.1)
    const [A, B] = [near(a, 64 * k), near(b, n * k)]
    return [A, B, numbers(64 * n, d, floats[d].bias + 3, Math.min(floats[d].bias + 32, largest(floats[d])))]
  },
}

// ---------------------------------------------------------------- a guess at D

const value = (type) => {
  if (type === 's8') return (x) => (x < 128 ? x : x - 256)
  if (type === 'u8') return (x) => x
  return type === 's32' ? (x) => x | 0 : numberOf(type)
}
const written = (type) => (type === 's32' ? (x) => x >>> 0 : bitsOf(type, roundings.cut))

const result = ([A, B, C], { d, a, b, n, k }) => {
  const [left, right] = [Array.from(A, value(a)), Array.from(B, value(b))]
  const made = written(d)
  return Array.from(C, value(d)).map((c, i) => {
    const [row, column] = [Math.floor(i / n) * k, (i % n) * k]
    let sum = c
    for (let j = 0; j < k; j++) sum += left[row + j] * right[column + j]
    return made(sum)
  })
}

// ---------------------------------------------------------------- the file

const put = { 1: 'setUint8', 2: 'setUint16', 4: 'setUint32' }

const joined = (parts, type) => {
  const width = bytesOf(type)
  const bytes = new Uint8Array(width * parts.reduce((sum, part) => sum + part.length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const part of parts)
    for (const x of part) {
      view[put[width]](at, x, true)
      at += width
    }
  return bytes
}

/** The bytes of a case's file, and of an element of D. */
export const caseOf = ({ seed, d, a, b, tiles, n, k, kinds }) => {
  const draws = drawing(seed)
  const shape = { d, a, b, n, k }
  const made = Array.from({ length: tiles }, (_, t) => {
    const kind = kinds[t % kinds.length]
    return probes[kind] !== undefined && floats[a] !== undefined
      ? probes[kind](draws, shape)
      : tile(draws, shape, kind)
  })
  const columns = [a, b, d].map((type, i) =>
    joined(
      made.map((parts) => parts[i]),
      type,
    ),
  )
  const results = joined(
    made.map((parts) => result(parts, shape)),
    d,
  )
  return Buffer.concat([...columns, results])
}

/** Bytes of an element of D. */
export const resultBytes = ({ d }) => bytesOf(d)
