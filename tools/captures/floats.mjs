/**
 * Floats of few bits, as numbers and as bits.
 *
 * Each is a sign, an exponent and a fraction; the largest exponent is for infinities and what is no number, but for `e4m3`, where only the largest fraction of it
 * is. A number becomes bits by its own bits, not by a logarithm, for what is made again must be the same on every machine.
 */

export const floats = {
  f16: { exponent: 5, fraction: 10, bias: 15, infinite: true, bytes: 2 },
  bf16: { exponent: 8, fraction: 7, bias: 127, infinite: true, bytes: 2 },
  // the upper 19 bits of 32
  tf32: { exponent: 8, fraction: 10, bias: 127, infinite: true, bytes: 4, below: 13 },
  f32: { exponent: 8, fraction: 23, bias: 127, infinite: true, bytes: 4 },
  e5m2: { exponent: 5, fraction: 2, bias: 15, infinite: true, bytes: 1 },
  e4m3: { exponent: 4, fraction: 3, bias: 7, infinite: false, bytes: 1 },
}

/** The number of bits. */
export const numberOf = (type) => {
  const { exponent, fraction, bias, infinite, bytes, below = 0 } = floats[type]
  const last = 2 ** exponent - 1
  const sign = 2 ** (8 * bytes - 1)
  const size = (e, m) => {
    if (e === last && infinite) return m === 0 ? Infinity : NaN
    if (e === last && m === 2 ** fraction - 1) return NaN
    return e === 0 ? m * 2 ** (1 - bias - fraction) : (2 ** fraction + m) * 2 ** (e - bias - fraction)
  }
  return (x) => {
    const bits = Math.floor(x / 2 ** below)
    const found = size(Math.floor(bits / 2 ** fraction) % 2 ** exponent, bits % 2 ** fraction)
    return x >= sign ? -found : found
  }
}

const even = (x) => {
  const down = Math.floor(x)
  const rest = x - down
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down
}

/** What becomes of what lies between two floats. */
export const roundings = { even, cut: Math.floor }

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** The bits of a number. */
export const bitsOf = (type, round) => {
  const { exponent, fraction, bias, bytes } = floats[type]
  const sign = 2 ** (8 * bytes - 1)
  const infinity = (2 ** exponent - 1) * 2 ** fraction
  // what a unit of the last place is counted by, for each exponent that is not below all others
  const scale = Float64Array.from(
    { length: 2 ** exponent },
    (_, e) => 2 ** (fraction + bias - Math.max(e, 1)),
  )
  return (x) => {
    if (Number.isNaN(x)) return 2 ** (exponent + fraction) - 1
    double[0] = x
    const top = words[1] >= 0x80000000 ? sign : 0
    const size = Math.abs(x)
    const e = Math.max(((words[1] >>> 20) & 2047) - 1023 + bias, 0)
    if (e >= 2 ** exponent - 1) return top + infinity
    return top + Math.min(round(size * scale[e]) + Math.max(e - 1, 0) * 2 ** fraction, infinity)
  }
}
