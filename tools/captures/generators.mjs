/**
 * Generators of random numbers as NumPy and PyTorch have them, so that an array that was drawn from a seed need not be stored.
 *
 * | named          | in Python                                  | a normal number is made of                        |
 * |----------------|--------------------------------------------|---------------------------------------------------|
 * | `numpy`        | `np.random.default_rng(seed)`              | a ziggurat of 256 layers on PCG64                 |
 * | `numpy-legacy` | `np.random.RandomState(seed)`              | Marsaglia's polar method on MT19937               |
 * | `torch`        | `torch.Generator().manual_seed(seed)`, CPU | Box and Muller's method on MT19937, 16 at a time  |
 *
 * A generator is a state and what it draws next; each draw is of a count of numbers, for PyTorch's depend on it.
 *
 * Nothing rests on a last bit here: an array that is made again is held by a checksum, and where it differs from what was stored, the difference
 * is stored (`container.mjs`).
 *
 * Sources: O'Neill, PCG (2014); Matsumoto and Nishimura, MT19937 (1998); Marsaglia and Tsang, The Ziggurat Method (2000); Lemire, Fast Random Integer
 * Generation in an Interval (2019); NumPy's documentation of SeedSequence.
 */

/** As many numbers as are asked for, one after another. */
const filled = (count, next) => {
  const out = new Float64Array(count)
  for (let i = 0; i < count; i++) out[i] = next()
  return out
}

// ---------------------------------------------------------------- MT19937

const words = 624

/** 32 bits at a time. */
const mersenne = (seed) => {
  const state = new Uint32Array(words)
  state[0] = seed
  for (let i = 1; i < words; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i
  let at = words
  const twist = () => {
    for (let i = 0; i < words; i++) {
      const y = (state[i] & 0x80000000) | (state[(i + 1) % words] & 0x7fffffff)
      state[i] = state[(i + 397) % words] ^ (y >>> 1) ^ ((y & 1) === 0 ? 0 : 0x9908b0df)
    }
    at = 0
  }
  return () => {
    if (at === words) twist()
    let y = state[at++]
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }
}

const legacy = (seed) => {
  const next = mersenne(seed)
  const unit = () => {
    const high = next() >>> 5
    return (high * 2 ** 26 + (next() >>> 6)) / 2 ** 53
  }
  // numbers come in pairs, the second first
  let kept = null
  const normal = () => {
    if (kept !== null) {
      const one = kept
      kept = null
      return one
    }
    for (;;) {
      const x = 2 * unit() - 1
      const y = 2 * unit() - 1
      const square = x * x + y * y
      if (square >= 1 || square === 0) continue
      const factor = Math.sqrt((-2 * Math.log(square)) / square)
      kept = factor * x
      return factor * y
    }
  }
  return { normals: (count) => filled(count, normal) }
}

const inOneGo = 16

const torch = (seed) => {
  const next = mersenne(seed)
  const unit = () => (next() & 0xffffff) / 2 ** 24
  /** Sixteen numbers of sixteen: the first eight say how far, the others in which direction. */
  const bent = (out, at) => {
    for (let i = at; i < at + inOneGo / 2; i++) {
      const far = Math.sqrt(-2 * Math.log(1 - out[i]))
      const direction = 2 * Math.PI * out[i + inOneGo / 2]
      out[i] = far * Math.cos(direction)
      out[i + inOneGo / 2] = far * Math.sin(direction)
    }
  }
  return {
    skip: (count) => {
      for (let i = 0; i < count; i++) next()
      return new Float64Array(0)
    },
    normals: (count) => {
      if (count < inOneGo)
        throw new Error(
          `expected at least ${inOneGo} numbers, found ${count}: PyTorch draws fewer by another method`,
        )
      const out = filled(count, unit)
      for (let at = 0; at + inOneGo <= count; at += inOneGo) bent(out, at)
      // what is left over is drawn once more, with those before it
      if (count % inOneGo !== 0) {
        for (let i = count - inOneGo; i < count; i++) out[i] = unit()
        bent(out, count - inOneGo)
      }
      return out
    },
  }
}

// ---------------------------------------------------------------- PCG64

/** State and increment of PCG64 out of the words of a seed: SeedSequence(seed).generate_state(4, uint64). */
const seeded = (seed) => {
  const pool = 4
  const hasher = (first, factor) => {
    let constant = first
    return (value) => {
      const mixed = value ^ constant
      constant = Math.imul(constant, factor)
      const product = Math.imul(mixed, constant)
      return (product ^ (product >>> 16)) >>> 0
    }
  }
  const hash = hasher(0x43b0d7e5, 0x931e8875)
  const mix = (x, y) => {
    const sum = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0
    return (sum ^ (sum >>> 16)) >>> 0
  }
  const mixed = Array.from({ length: pool }, (_, i) => hash(seed[i] ?? 0))
  for (let from = 0; from < pool; from++)
    for (let to = 0; to < pool; to++) if (from !== to) mixed[to] = mix(mixed[to], hash(mixed[from]))
  const out = hasher(0x8b51f9dd, 0x58f38ded)
  const halves = Array.from({ length: 2 * pool }, (_, i) => BigInt(out(mixed[i % pool])))
  return Array.from({ length: pool }, (_, i) => halves[2 * i] | (halves[2 * i + 1] << 32n))
}

const multiplier = 0x2360ed051fc65da44385df649fccf645n
const wide = (x) => BigInt.asUintN(128, x)

/** The state in pieces of 16 bits, lowest first, which numbers multiply without loss. */
const pieces = (x) => Array.from({ length: 8 }, (_, i) => Number((x >> BigInt(16 * i)) & 0xffffn))

/** 64 bits at a time, as two words of 32: what is returned is the lower, `high` the upper. */
const pcg = (seed) => {
  const [a, b, c, d] = seeded(typeof seed === 'number' ? [seed] : seed)
  const increment = wide((((c << 64n) | d) << 1n) | 1n)
  const factor = pieces(multiplier)
  const added = pieces(increment)
  const state = pieces(wide((increment + ((a << 64n) | b)) * multiplier + increment))
  const stepped = new Float64Array(8)
  const made = {
    high: 0,
    next: () => {
      let carry = 0
      for (let i = 0; i < 8; i++) {
        let sum = added[i] + carry
        for (let j = 0; j <= i; j++) sum += factor[j] * state[i - j]
        carry = Math.floor(sum / 65536)
        stepped[i] = sum - carry * 65536
      }
      for (let i = 0; i < 8; i++) state[i] = stepped[i]
      const low = (state[0] ^ state[4]) + (state[1] ^ state[5]) * 65536
      const high = (state[2] ^ state[6]) + (state[3] ^ state[7]) * 65536
      const turn = state[7] >>> 10
      const [x, y] = turn < 32 ? [low, high] : [high, low]
      const rest = turn & 31
      made.high = rest === 0 ? y >>> 0 : ((y >>> rest) | (x << (32 - rest))) >>> 0
      return rest === 0 ? x >>> 0 : ((x >>> rest) | (y << (32 - rest))) >>> 0
    },
  }
  return made
}

const layers = 256
const edge = 3.6541528853610088
const area = 0.004928673233974655
const density = (x) => Math.exp(-0.5 * x * x)

/** Of each layer: how wide it is, up to where a number is surely under the curve (of 2^52), and the curve's height at its edge. */
const ziggurat = () => {
  const width = new Float64Array(layers)
  const sure = new Float64Array(layers)
  const height = new Float64Array(layers)
  const unit = 2 ** 52
  const base = area / density(edge)
  width[0] = base / unit
  sure[0] = Math.floor((edge / base) * unit)
  height[0] = 1
  let x = edge
  width[layers - 1] = x / unit
  height[layers - 1] = density(x)
  for (let i = layers - 2; i > 0; i--) {
    const inner = Math.sqrt(-2 * Math.log(area / x + density(x)))
    sure[i + 1] = Math.floor((inner / x) * unit)
    width[i] = inner / unit
    height[i] = density(inner)
    x = inner
  }
  sure[1] = 0
  return { width, sure, height }
}

const numpy = (seed) => {
  const random = pcg(seed)
  const { width, sure, height } = ziggurat()
  const unit = () => {
    const low = random.next()
    return (random.high * 2 ** 21 + (low >>> 11)) / 2 ** 53
  }
  const normal = () => {
    for (;;) {
      const low = random.next()
      const layer = low & (layers - 1)
      // behind the layer a bit of sign, behind it 52 of magnitude
      const magnitude = (low >>> 9) + (random.high & 0x1fffffff) * 2 ** 23
      const negative = (low & 256) !== 0
      const x = magnitude * width[layer]
      if (magnitude < sure[layer]) return negative ? -x : x
      if (layer === 0) {
        for (;;) {
          const beyond = -Math.log1p(-unit()) / edge
          const under = -Math.log1p(-unit())
          if (under + under > beyond * beyond)
            return Math.floor(magnitude / 256) % 2 === 1 ? -(edge + beyond) : edge + beyond
        }
      }
      if ((height[layer - 1] - height[layer]) * unit() + height[layer] < density(x)) return negative ? -x : x
    }
  }
  // a word of 64 bits is two of 32: the upper one waits
  let waiting = null
  const word = () => {
    if (waiting !== null) {
      const one = waiting
      waiting = null
      return one
    }
    const low = random.next()
    waiting = random.high
    return low
  }
  const integer = (low, high) => {
    const range = high - low
    const threshold = 2 ** 32 % range
    for (;;) {
      // a product of 64 bits, whose upper word is the number and whose lower one decides whether it counts
      const bits = word()
      const upper = (bits >>> 16) * range
      const lower = (bits & 0xffff) * range + (upper % 65536) * 65536
      if (lower % 2 ** 32 >= threshold) return low + Math.floor(upper / 65536) + Math.floor(lower / 2 ** 32)
    }
  }
  /** At most `most`: bits of a word, again until they are no more. */
  const upTo = (most) => {
    const mask = 2 ** (32 - Math.clz32(most)) - 1
    for (;;) {
      const bits = (word() & mask) >>> 0
      if (bits <= most) return bits
    }
  }
  return {
    permutation: (count) => {
      const order = Array.from({ length: count }, (_, i) => i)
      for (let i = count - 1; i > 0; i--) {
        const j = upTo(i)
        ;[order[i], order[j]] = [order[j], order[i]]
      }
      return order
    },
    normals: (count) => filled(count, normal),
    uniform: (count, low, high) => filled(count, () => low + (high - low) * unit()),
    integers: (count, low, high) => filled(count, () => integer(low, high)),
  }
}

export const generators = { numpy, 'numpy-legacy': legacy, torch }
