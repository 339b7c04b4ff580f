/**
 * What the kernels of `conformance/hopper/cuda` compute, by definition: nothing here knows of threads but where the order of a sum is that of a tree. Those whose result hangs on an
 * approximation of the chip (`ex2.approx`) or on arithmetic with proofs of its own (f16, bf16, 8-bit floats on their way in) are not here.
 */
import { bigs, numbers, type Bigs, type Numbers } from './cuda.js'

type Outputs = Readonly<Record<string, Numbers | Bigs>>

const f32 = Math.fround
const upTo = (n: number): Numbers => Array.from({ length: n }, (_, k) => k)
const unsigned = (x: number): number => x >>> 0
const u64 = (x: bigint): bigint => BigInt.asUintN(64, x)
const popc = (x: number): number => x.toString(2).replaceAll('0', '').length
const reversed = (x: number): number =>
  parseInt((x >>> 0).toString(2).padStart(32, '0').split('').reverse().join(''), 2)

/** a * b + c, rounded once: the sum in f64 is rounded to odd, and that to f32 */
const fma = (a: number, b: number, c: number): number => {
  const p = a * b
  const s = p + c
  const back = s - p
  const lost = p - (s - back) + (c - back)
  if (lost === 0 || !Number.isFinite(s)) return f32(s)
  const bits = new BigInt64Array(new Float64Array([s]).buffer)
  if (bits[0]! & 1n) return f32(s)
  bits[0]! += lost > 0 === s > 0 ? 1n : -1n
  return f32(new Float64Array(bits.buffer)[0]!)
}

/** The sum of a tree that halves what it holds. */
const tree = (values: Numbers, add: (a: number, b: number) => number): number => {
  const held = [...values]
  for (let half = held.length / 2; half >= 1; half /= 2)
    for (let t = 0; t < half; t++) held[t] = add(held[t]!, held[t + half]!)
  return held[0]!
}

/** What every lane of a butterfly ends with: the same, since addition commutes. */
const butterfly = (values: Numbers, add: (a: number, b: number) => number): number => {
  let held = values
  for (let d = 16; d >= 1; d /= 2) held = held.map((v, l) => add(v, held[l ^ d]!))
  return held[0]!
}

const blockReduce = (): Outputs => {
  const x = numbers('block_reduce', 'x')
  const add = (a: number, b: number) => f32(a + b)
  return {
    y: upTo(4).map((block) =>
      tree(
        upTo(256).map((t) => x.filter((_, i) => i % 1024 === block * 256 + t).reduce(add, 0)),
        add,
      ),
    ),
  }
}

const warpReduce = (): Outputs => {
  const x = numbers('warp_reduce', 'x')
  const add = (a: number, b: number) => f32(a + b)
  const rows = upTo(8).map((r) => x.slice(97 * r, 97 * r + 97))
  const sums = rows.map((row) =>
    butterfly(
      upTo(32).map((lane) => row.filter((_, c) => c % 32 === lane).reduce(add, 0)),
      add,
    ),
  )
  return {
    sums,
    greatest: rows.map((row) => Math.max(...row)),
    total: [sums.slice(0, 4).reduce(add), sums.slice(4).reduce(add)],
  }
}

/** Running sums of rows. */
const scanned = (x: Numbers, width: number, wrap: (n: number) => number): Numbers => {
  let sum = 0
  return x.map((v, i) => (sum = wrap((i % width === 0 ? 0 : sum) + v)))
}

const histogram = (): Outputs => {
  const h = [...numbers('histogram', 'h.before')]
  for (const v of numbers('histogram', 'x')) h[v >> 2]!++
  return { h }
}

const collatz = (): Outputs => {
  const steps = numbers('collatz', 'x').map((start) => {
    let count = 0
    for (let v = start; v !== 1; v = v % 2 === 1 ? 3 * v + 1 : v / 2) count++
    return count
  })
  return { steps, longest: upTo(4).map((b) => Math.max(...steps.slice(128 * b, 128 * b + 128))) }
}

/** A sum that is halved before each term, of f32: halving is exact. */
const halving = (terms: Numbers): number => terms.reduce((sum, v) => f32(sum * 0.5 + v), 0)

const cpasyncDouble = (): Outputs => {
  const x = numbers('cpasync_double', 'x')
  return {
    y: upTo(4 * 256).map((k) => {
      const [block, t] = [Math.floor(k / 256), k % 256]
      const stage = (s: number, i: number): number => x[(block * 5 + s) * 256 + i]!
      return upTo(5).reduce((sum, s) => f32(f32(sum * 0.5 + stage(s, t)) + stage(s, 255 - t)), 0)
    }),
  }
}

const cpasyncStages = (): Outputs => {
  const x = numbers('cpasync_stages', 'x')
  const words = 1408
  return {
    y: upTo(3 * 128).map((k) => {
      const [block, t] = [Math.floor(k / 128), k % 128]
      let sum = block
      for (let s = 0; s < 5; s++)
        for (let j = 0; j < 11; j++)
          sum = unsigned(Math.imul(sum, 1664525) + (x[s * words + ((j * 128 + t + 32 * block) % words)] ?? 0))
      return sum
    }),
  }
}

const cpasyncMbarrier = (): Outputs => {
  const x = numbers('cpasync_mbarrier', 'x')
  return {
    y: upTo(3 * 64).map((k) =>
      halving(
        upTo(20).map(
          (n) =>
            x[(Math.floor(k / 64) * 5 + Math.floor(n / 4)) * 256 + (((k % 64) + 64 * (n % 4) + 32) % 256)]!,
        ),
      ),
    ),
  }
}

const peekPipeline = (): Outputs => {
  const x = numbers('peek_pipeline', 'x')
  return {
    y: upTo(2 * 96).map((k) =>
      halving(
        upTo(24).map(
          (n) =>
            x[(Math.floor(k / 96) * 8 + Math.floor(n / 3)) * 96 + (((k % 96) + 32 + 33 * (n % 3)) % 96)]!,
        ),
      ),
    ),
  }
}

/** A sum that is carried over the tiles of a block, of what each tile gives a thread. */
const carriedOver = (
  tiles: number,
  threads: number,
  times: number,
  term: (from: number, t: number) => number,
): Outputs => ({
  y: upTo(2 * threads).map((i) => {
    const [block, t] = [Math.floor(i / threads), i % threads]
    return upTo(tiles).reduce(
      (sum, k) => unsigned(Math.imul(sum, times) + term((block * tiles + k) * 64, t)),
      0,
    )
  }),
})

const cxxBarrier = (): Outputs => {
  const [x, factors] = [numbers('cxx_barrier', 'x'), numbers('cxx_barrier', 'factors')]
  return carriedOver(5, 64, 3, (from, t) => Math.imul(x[from + ((t + 1) % 64)]!, factors[63 - t]!))
}

const cxxPipeline = (): Outputs => {
  const x = numbers('cxx_pipeline', 'x')
  return carriedOver(6, 32, 5, (from, t) => x[from + t]! - x[from + 63 - t]!)
}

const carriedPeeks = (): Outputs => {
  const x = numbers('carried_peeks', 'x')
  return carriedOver(8, 64, 7, (from, t) => unsigned(x[from + t]! ^ (x[from + 63 - t]! >>> 3)))
}

const matmul = (): Outputs => {
  const [a, b] = [numbers('matmul_f32', 'a'), numbers('matmul_f32', 'b')]
  return {
    c: upTo(25 * 30).map((i) =>
      upTo(40).reduce((sum, k) => fma(a[Math.floor(i / 30) * 40 + k]!, b[k * 30 + (i % 30)]!, sum), 0),
    ),
  }
}

/** From the polynomial that the chip left, which is near to that of f64 without a fused product: everything else exactly. */
const series = (): Outputs => {
  const p = numbers('series_f64', 'values').filter((_, i) => i % 4 === 0)
  const quotients = p.map((v) => v / (Math.sqrt(Math.abs(v)) + 1))
  return {
    values: p.flatMap((v, i) => {
      const [root, q] = [Math.sqrt(Math.abs(v)), quotients[i]!]
      return [v, root, q, Math.floor(q * 8) - f32(q) + Math.trunc(root)]
    }),
    sums: upTo(2).map((b) => tree(quotients.slice(128 * b, 128 * b + 128), (a, c) => a + c)),
  }
}

const bytes = (x: number): Numbers => [x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24]
const words = (x: number): Numbers => [x & 0xffff, x >>> 16]
const byte8 = (x: number): number => (x << 24) >> 24
const word16 = (x: number): number => (x << 16) >> 16
const ofBytes = (b: Numbers): number => unsigned(b.reduce((x, v, i) => x | ((v & 255) << (8 * i)), 0))
const field = (x: number, at: number, width: number, signed: boolean): number => {
  const wide = signed ? BigInt.asIntN(32, BigInt(x)) : BigInt(x)
  const moved = wide >> BigInt(at & 255)
  if ((width & 255) >= 32) return Number(BigInt.asUintN(32, moved))
  const kept = BigInt.asUintN(width & 255, moved)
  if (!signed || (width & 255) === 0) return Number(kept)
  // the sign of a field that ends beyond bit 31 is bit 31
  const top = Math.min((at & 255) + (width & 255) - 1, 31)
  const sign = (x >>> top) & 1
  const inside = BigInt.asUintN(Math.max(0, top - (at & 255) + 1), moved)
  return Number(
    BigInt.asUintN(32, sign ? inside - (1n << BigInt(Math.max(0, top - (at & 255) + 1))) : inside),
  )
}
const inserted = (from: number, into: number, at: number, width: number): number => {
  const [p, w] = [BigInt(at & 255), BigInt(width & 255)]
  const mask = BigInt.asUintN(32, ((1n << w) - 1n) << p)
  return Number((BigInt(into) & ~mask) | (BigInt.asUintN(32, BigInt(from) << p) & mask))
}
const permuted = (x: number, y: number, how: number): number => {
  const all = [...bytes(x), ...bytes(y)]
  return ofBytes(upTo(4).map((k) => all[(how >>> (4 * k)) & 7]!))
}
const firstBit = (x: number): number => (x === 0 ? 0 : 32 - Math.clz32(x & -x))
const dot = (a: Numbers, b: Numbers): number => a.reduce((sum, v, i) => sum + v * b[i]!, 0)

const integers = (): Outputs => {
  const [a, b, wide] = [numbers('integers', 'a'), numbers('integers', 'b'), bigs('integers', 'wide')]
  const rows: Array<Array<number>> = upTo(20).map(() => [])
  const rows64: Array<Array<bigint>> = upTo(6).map(() => [])
  for (let i = 0; i < 256; i++) {
    const [x, y, w] = [a[i]!, b[i]!, wide[i]!]
    const z = b[(i & ~127) + 127 - (i % 128)]!
    const [sx, sy, sz] = [x | 0, y | 0, z | 0]
    const [X, Y, Z] = [BigInt(x), BigInt(y), BigInt(z)]
    const pops = w.toString(2).replaceAll('0', '').length
    const leading = 64 - (w === 0n ? 0 : w.toString(2).length)
    const by = Math.min(z, 32)
    const both = [
      field(x, y, z, false),
      field(x, y & 31, z & 15, true),
      inserted(x, y, z & 63, x >>> 27),
      permuted(x, y, z),
      // 0x6a: c where a and b are not both set, else not c
      unsigned((x & y) ^ z),
      popc(x) + 100 * Math.clz32(y) + 10000 * firstBit(z) + 1000000 * pops,
      reversed(x) ^ leading,
      dot(bytes(x).map(byte8), bytes(y).map(byte8)) + sz,
      dot(bytes(x), bytes(y)) + z,
      dot(words(x).map(word16), bytes(y).slice(0, 2).map(byte8)) +
        sz +
        (dot(words(x), bytes(y).slice(2)) + z),
      Number((X * Y) >> 32n),
      Number(BigInt.asUintN(32, (BigInt(sx) * BigInt(sy)) >> 32n)),
      Math.floor(x / unsigned(z | 1)),
      sx % (sy | 1),
      Number(BigInt.asUintN(32, (((Y << 32n) | X) << (Z & 31n)) >> 32n)) +
        Number(BigInt.asUintN(32, ((Y << 32n) | X) >> BigInt(by))),
      Math.abs(x - y) + z + Math.max(sx, sy) - Math.min(x, z),
      (sx >> (z & 31)) ^ (y << (x & 31)),
      ofBytes(bytes(x).map((v, k) => v + bytes(y)[k]!)) +
        unsigned(
          words(y)
            .map((v, k) => (Math.max(word16(v), word16(words(z)[k]!)) & 0xffff) << (16 * k))
            .reduce((p, q) => p | q),
        ),
      Math.floor(x / 10) * 7 + (y % 1000),
      Math.trunc(sy / -7),
    ]
    both.forEach((v, k) => rows[k]!.push(Number(BigInt.asUintN(32, BigInt(v)))))
    const signed = BigInt.asIntN(64, w)
    const both64 = [
      (w * (w ^ 0x9e3779b97f4a7c15n)) >> 64n,
      (signed * (-3n * X)) >> 64n,
      w / (X | 1n),
      signed % (Y | 1n),
      X * Y + w,
      (signed >> (Z & 63n)) + (w << (Y & 63n)),
    ]
    both64.forEach((v, k) => rows64[k]!.push(u64(v)))
  }
  return { out: rows.flat(), out64: rows64.flat() }
}

const votes = (): Outputs => {
  const x = numbers('votes', 'x')
  const rows: Array<Array<number>> = upTo(5).map(() => [])
  const odds: Array<number> = []
  for (let warp = 0; warp < 8; warp++) {
    const lanes = x.slice(32 * warp, 32 * warp + 32)
    const mask = (of: (v: number) => boolean): number =>
      unsigned(lanes.reduce((m, v, lane) => (of(v) ? m | (1 << lane) : m), 0))
    const isOdd = (v: number): boolean => (v & 1) === 1
    const odd = mask(isOdd)
    odds.push(odd)
    const ones = lanes.filter(isOdd)
    const rest = lanes.filter((v) => !isOdd(v))
    const same = new Set(rest.map((v) => v & 2)).size === 1
    for (const v of lanes) {
      rows[0]!.push(odd)
      rows[1]!.push(
        isOdd(v)
          ? mask((u) => isOdd(u) && u > 0)
          : 2 * Number(rest.every((u) => u < 50)) + Number(rest.some((u) => u < 0)),
      )
      rows[2]!.push(
        unsigned(
          isOdd(v)
            ? ones.reduce((p, q) => p + q, 0)
            : Math.imul(Math.max(...rest), 1000) +
                unsigned(rest.reduce((p, q) => p ^ q, 0)) +
                unsigned(rest.reduce((p, q) => p & q, -1)) +
                rest[rest.length - 1]!,
        ),
      )
      rows[3]!.push(
        isOdd(v)
          ? mask((u) => isOdd(u) && Math.trunc(u / 8) === Math.trunc(v / 8))
          : same
            ? unsigned(~odd) + 1
            : 0,
      )
      rows[4]!.push(ones.length > 0 ? 1 : 0)
    }
  }
  return {
    out: rows.flat(),
    whole: odds.map((m, k) => unsigned(m ^ odds[(k & ~3) + 3 - (k % 4)]! ^ (k % 4))),
  }
}

const dispatch = (): Outputs => {
  const code = numbers('dispatch', 'code')
  return {
    y: numbers('dispatch', 'x').map((start, i) => {
      const t = i % 128
      const mine = (15 - (Math.floor(t / 3) % 16)) * 64
      let v = start
      for (let pc = 0; pc < 64; pc++) {
        switch (code[mine + pc]) {
          case 0:
            v = (v + 3) | 0
            break
          case 1:
            v = (Math.imul(v, 5) - pc) | 0
            break
          case 2:
            v ^= v >> 3
            break
          case 3:
            v = popc(unsigned(v))
            break
          case 4:
            v = Math.trunc(v / 7)
            break
          case 5:
            v = -v | 0
            break
          case 6:
            v = Math.max(v, t)
            break
          case 7:
            v = reversed(v) | 0
            break
          case 8:
            v |= 0x10 << (t & 7)
            break
          case 9:
            v = (v << 7) | (v >>> 25)
            break
          case 10:
            if (v & 4) pc++
            break
          case 11:
            v = Math.min(v, 1000 * pc)
            break
          case 12:
            v = ~v
            break
          case 13:
            v = (Math.imul(v, 3) + 1) | 0
            break
          case 14:
            v ^= v << 1
            break
          case 15:
            v = (v - Math.clz32(v)) | 0
            break
          case 16:
            v = ofBytes([...bytes(v)].reverse()) | 0
            break
          default:
            v = Math.abs(v) | 0
        }
      }
      return v
    }),
  }
}

const calls = (): Outputs => {
  const x = numbers('calls', 'x')
  const threads = upTo(128).map((i) => {
    const t = i % 64
    const mine = upTo(9)
      .map((j) => x[(i * 7 + j * 13) % 512]!)
      .sort((p, q) => p - q)
    const kept = upTo(9)
      .filter((j) => j >= t % 3 && (j - (t % 3)) % (1 + (t % 2)) === 0)
      .map((j) => mine[j]!)
    return {
      sum: u64(kept.reduce((sum, v) => sum + BigInt(v * (t - 30)), 0n)),
      greatest: Math.max(...kept),
      median: mine[(t + 4) % 9]!,
      met: ((63 - t) ^ 37) + 1000 * (t ^ 32 ^ 37),
    }
  })
  return {
    sums: threads.map(({ sum }) => sum),
    greatest: threads.map(({ greatest }) => greatest),
    medians: threads.map(({ median }) => median),
    met: threads.map(({ met }) => met),
  }
}

const dynamicShared = (): Outputs => {
  const x = numbers('dynamic_shared', 'x')
  return {
    y: x.map((_, i) => {
      const [t, block] = [i % 128, i & ~127]
      return x[block + ((t + 64) % 128)]! + 0.5 * x[block + 127 - ((t + 32) % 128)]! + ((t + 96) % 128) ** 2
    }),
    where: [0, 0],
  }
}

const constants = (): Outputs => {
  const steps = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
  const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
  const weights = numbers('constants', 'weights')
  const table = upTo(64).map((t) => steps[t % 16]! * primes[t % 12]! + primes[6 + (t % 6)]!)
  const [first, second] = [
    [1, 20, 300],
    [-1, -20, -300],
  ]
  return {
    y: numbers('constants', 'x').map((v, i) => fma(v, weights[((i % 64) >> 1) % 4]!, weights[(i >> 6) % 4]!)),
    z: upTo(128).map((i) => table[63 - (i % 64)]! + first[(i % 64) % 3]! - 2 * second[((i % 64) + 1) % 3]!),
    counter: [100 + 2 * ((63 * 64) / 2)],
  }
}

const structParam = (): Outputs => {
  const [a, b, shifts] = [
    numbers('struct_param', 'a'),
    numbers('struct_param', 'b'),
    numbers('struct_param', 'shifts'),
  ]
  const bias = [-2, 3, 0, 7, -300]
  return {
    out: upTo(4 * 104).map((k) => {
      const [row, t] = [Math.floor(k / 104), k % 104]
      if (t >= 100) return 0
      // of the two products, nvcc fuses the first with the sum
      let w = fma(a[row * 128 + 99 - t]!, 1.5, f32(b[(row % 3) * 100 + t]! * -0.75))
      w = f32(w + (bias[t % 5]! << shifts[t % 4]!))
      w = f32(Math.min(Math.max(w, 0), 40.125))
      return f32(f32(w + 3) + (2 ** (t % 13) - 50))
    }),
  }
}

const namedBarriers = (): Outputs => {
  const x = numbers('named_barriers', 'x')
  return {
    y: upTo(3 * 64).map((k) => {
      const [block, u] = [Math.floor(k / 64), k % 64]
      const put = (s: number, t: number): number => (Math.imul(3, x[(block * 7 + s) * 64 + t]!) - s) | 0
      return upTo(7).reduce(
        (sum, s) => ((Math.imul(sum, 31) + put(s, 63 - u)) | 0) ^ put(s, (u + 32) % 64),
        0,
      )
    }),
  }
}

const lastBlock = (): Outputs => {
  const x = numbers('last_block', 'x')
  const add = (a: number, b: number): number => (a + b) | 0
  const partial = upTo(6).map((b) => x.filter((_, i) => Math.floor(i / 128) % 6 === b).reduce(add, 0))
  return { partial, counter: [6], sum: [partial.reduce(add)] }
}

const vectors = (): Outputs => {
  const [f, u, c, s] = [
    numbers('vectors', 'f'),
    bigs('vectors', 'u'),
    numbers('vectors', 'c'),
    numbers('vectors', 's'),
  ]
  const threads = upTo(256).map((i) => {
    const [t, block] = [i % 128, i & ~127]
    const turned = (k: number): Numbers => f.slice(4 * (block + k), 4 * (block + k) + 4).reverse()
    const v = f.slice(4 * i, 4 * i + 4)
    const o = turned(127 - t)
    const pair = (2 * t + 64) % 256
    const p = turned(pair >> 1).slice(2 * (pair & 1), 2 * (pair & 1) + 2)
    const [w0, w1] = [u[2 * i]!, u[2 * i + 1]!]
    const [b, h] = [c.slice(4 * i, 4 * i + 4), s.slice(4 * i, 4 * i + 4)]
    return {
      f: [f32(o[0]! + v[0]!), f32(o[1]! - v[1]!), f32(o[2]! * p[0]!), f32(o[3]! + p[1]!)],
      u: [u64(w1 + BigInt(h[3]!)), w0 ^ w1],
      c: [b[3]!, b[2]! + b[0]!, b[1]! * 3, h[0]!].map((n) => n & 255),
      s: [h[1]! + b[0]!, h[2]! << 3].map((n) => n & 0xffff),
      d: [0.25 * p[0]!, Number(w0)],
    }
  })
  return {
    f_out: threads.flatMap(({ f }) => f),
    u_out: threads.flatMap(({ u }) => u),
    c_out: threads.flatMap(({ c }) => c),
    s_out: threads.flatMap(({ s }) => s),
    d_out: threads.flatMap(({ d }) => d),
  }
}

/** The f16 of an e4m3, as bits. */
const halfOfE4m3 = (x: number): number => {
  const sign = (x & 128) << 8
  const [exponent, fraction] = [(x >> 3) & 15, x & 7]
  if ((x & 127) === 127) return 0x7fff
  if (exponent > 0) return sign | ((exponent + 8) << 10) | (fraction << 7)
  if (fraction === 0) return sign
  const up = Math.clz32(fraction) - 28
  return sign | ((9 - up) << 10) | (((fraction << up) & 7) << 7)
}
const halfOfE5m2 = (x: number): number => ((x & 0x7f) > 0x7c ? 0x7fff : x << 8)
const pairOf = (of: (x: number) => number, x: number): number =>
  unsigned(of(x & 255) | (of((x >> 8) & 255) << 16))

/** From the codes that the chip left: what is decoded of them, and of every pair of bytes. */
const float8 = (): Outputs => {
  const codes = numbers('float8', 'codes')
  const others = upTo(256).map((i) => {
    const k = (i & ~127) + 127 - (i % 128)
    return (codes[k]! + 257 * k) & 0xffff
  })
  const plain = upTo(256)
  return {
    decoded: [
      others.map((x) => pairOf(halfOfE4m3, x)),
      others.map((x) => pairOf(halfOfE5m2, x)),
      plain.map((i) => pairOf(halfOfE4m3, (257 * i) & 0xffff)),
      plain.map((i) => pairOf(halfOfE5m2, (258 * i + 1) & 0xffff)),
    ].flat(),
  }
}

const genericAddress = (): Outputs => {
  const [x, choice] = [numbers('generic_address', 'x'), numbers('generic_address', 'choice')]
  const bins = [...numbers('generic_address', 'bins.before')]
  const first: Array<number> = []
  const second: Array<number> = []
  for (let block = 0; block < 4; block++) {
    const count = [0, 0, 0, 0]
    const place = upTo(64).map((t) => x[block * 64 + t]! * 2)
    const which = choice.slice(block * 64, block * 64 + 64)
    const own = upTo(64).map((t) => upTo(8).map((j) => j * t + choice[j]!))
    const after = place.map((v, t) => (which[t] === 2 ? v : v + 5))
    for (let t = 0; t < 64; t++) {
      const from = which[t] === 0 ? place : which[t] === 1 ? x : own[t]!
      const at = (63 - t) % (which[t] === 2 ? 8 : 64)
      first.push(from[at]! + from[at ^ 1]!)
      const to = which[t] === 1 ? bins : count
      to[t % 4]! += t + 1
      second.push(own[t]![t % 8]! + (which[t] === 2 ? 5 : 0) + after[63 - t]!)
    }
    count.forEach((n, t) => (bins[4 + t]! += n))
  }
  return { y: [...first, ...second], bins }
}

const aggregate = (): Outputs => {
  const counts = [...numbers('aggregate', 'counts.before')]
  for (const v of numbers('aggregate', 'x')) {
    const kind = v < 0 ? 0 : v < 100 ? 1 : 2
    if (kind === 0 || v % 3 === 0) counts[kind]!++
  }
  return { counts }
}

/** The outputs of a kernel by definition: each of these, or those that are named by it. */
/** A sum over the CTAs of each cluster of four, of sums of five rows. */
const clusterReduce = (): Outputs => {
  const x = numbers('cluster_reduce', 'x')
  const rows = (block: number, column: number): number =>
    upTo(5).reduce((sum, r) => f32(sum + x[(block * 5 + r) * 128 + column]!), 0)
  return {
    y: upTo(2).flatMap((cluster) =>
      upTo(128).map((column) => upTo(4).reduce((sum, k) => f32(sum + rows(4 * cluster + k, column)), 0)),
    ),
  }
}

/** The ball is halved, and what its holder has is added, by turns; each CTA keeps what it last held. */
const clusterPingpong = (): Outputs => {
  const x = numbers('cluster_pingpong', 'x')
  const y = [...x]
  for (let cluster = 0; cluster < 2; cluster++)
    for (let lane = 0; lane < 32; lane++) {
      const at = (rank: number): number => (2 * cluster + rank) * 32 + lane
      const held = [x[at(0)]!, x[at(1)]!]
      for (let r = 0; r < 9; r++) {
        const holder = r % 2
        held[holder] = f32(f32(held[holder]! * 0.5) + x[at(holder)]!)
        held[1 - holder] = held[holder]!
      }
      y[at(0)] = held[0]!
      y[at(1)] = held[1]!
    }
  return { y }
}

const before = (block: number): number => 4 * Math.floor(block / 4) + ((block + 3) % 4)

const clusterCopy = (): Outputs => {
  const x = numbers('cluster_copy', 'x')
  return {
    y: upTo(8).flatMap((block) =>
      upTo(256).map((i) => {
        const from = before(block)
        return unsigned(Math.imul(x[from * 256 + (i ^ 5)]!, 3) + (from % 4))
      }),
    ),
  }
}

const clusterRing = (): Outputs => {
  const x = numbers('cluster_ring', 'x')
  const pair = (block: number, t: number): number =>
    unsigned(x[block * 128 + 2 * t]! ^ x[block * 128 + 2 * t + 1]!)
  return {
    y: upTo(8).flatMap((block) =>
      upTo(64).map((t) => {
        let from = block
        let sum = pair(block, t)
        for (let s = 0; s < 3; s++) {
          from = before(from)
          sum = unsigned(Math.imul(sum, 5) + pair(from, t))
        }
        return sum
      }),
    ),
  }
}

const clusterBins = (): Outputs => {
  const x = numbers('cluster_bins', 'x')
  return {
    bins: upTo(256).map((bin) => x.filter((v) => v === bin).length),
    total: [x.reduce((sum, v) => sum + v, 0)],
  }
}

const bulkGather = (): Outputs => {
  const [table, index] = [numbers('bulk_gather', 'table'), numbers('bulk_gather', 'index')]
  return {
    y: upTo(3).flatMap((block) =>
      upTo(64).map((column) =>
        halving(upTo(40).map((i) => table[Math.min(Math.max(index[block * 40 + i]!, 0), 39) * 64 + column]!)),
      ),
    ),
  }
}

const tmaReduce = (): Outputs => {
  const x = numbers('tma_reduce', 'x')
  const added = (old: Numbers, row: number, of: (value: number) => number): Numbers =>
    old.map((v, i) => {
      const [r, c] = [Math.floor(i / 36) - row, (i % 36) - 8]
      return r < 0 || r >= 16 || c < 0 || c >= 32
        ? v
        : upTo(3).reduce((sum, block) => sum + of(x[block * 512 + r * 32 + c]!), v)
    })
  return {
    counts: added(numbers('tma_reduce', 'counts.before'), 0, (v) => v).map((v) => v % 2 ** 32),
    sums: added(numbers('tma_reduce', 'sums.before'), 4, (v) => v % 1024),
  }
}

const deviceTensormap = (): Outputs => {
  const x = numbers('device_tensormap', 'x')
  return {
    y: upTo(3).flatMap((block) =>
      upTo(256).map((i) => {
        const row = 6 + Math.floor(i / 32)
        return row < 12 - block ? x[(block * 12 + row) * 32 + (i % 32)]! : 0
      }),
    ),
  }
}

export const definitions: Readonly<Record<string, () => Outputs>> = {
  cluster_reduce: clusterReduce,
  cluster_pingpong: clusterPingpong,
  cluster_copy: clusterCopy,
  cluster_ring: clusterRing,
  cluster_bins: clusterBins,
  bulk_gather: bulkGather,
  tma_reduce: tmaReduce,
  device_tensormap: deviceTensormap,
  cxx_barrier: cxxBarrier,
  cxx_pipeline: cxxPipeline,
  carried_peeks: carriedPeeks,
  aggregate,
  asserts: () => ({
    y: upTo(4).flatMap((b) =>
      numbers('asserts', 'x')
        .slice(128 * b, 128 * b + 128)
        .sort((p, q) => q - p),
    ),
  }),
  block_reduce: blockReduce,
  calls,
  collatz,
  constants,
  cpasync_double: cpasyncDouble,
  cpasync_mbarrier: cpasyncMbarrier,
  cpasync_stages: cpasyncStages,
  dispatch,
  dynamic_shared: dynamicShared,
  float8,
  generic_address: genericAddress,
  histogram,
  integers,
  last_block: lastBlock,
  matmul_f32: matmul,
  named_barriers: namedBarriers,
  peek_pipeline: peekPipeline,
  prints: () => {
    const x = numbers('prints', 'x')
    return { y: x.map((v, i) => x[(i & ~63) + 63 - (i % 64)]! - v) }
  },
  scan_block: () => ({ y: scanned(numbers('scan_block', 'x'), 256, (n) => n | 0) }),
  scan_warp: () => ({ y: scanned(numbers('scan_warp', 'x'), 600, unsigned) }),
  series_f64: series,
  struct_param: structParam,
  transpose: () => {
    const x = numbers('transpose', 'x')
    return { y: upTo(3500).map((k) => x[(k % 70) * 50 + Math.floor(k / 70)]!) }
  },
  vectors,
  votes,
  warp_reduce: warpReduce,
}
