/**
 * Tensor memory from PTX. Oracles: the cells of access shapes and copies by their tables (`layouts/tensor-memory`, which are proved against CuTe's), operands
 * laid out here by hand, and sums of small whole numbers.
 */
import { describe, expect, it } from 'vitest'
import { encode, decode } from '../../../../src/numerics/float-format.js'
import { bitsOf, type FloatDtype } from '../../../../src/numerics/dtype.js'
import {
  accessShape,
  cellOf,
  registersOf,
  type AccessShapeName,
} from '../../../../src/layouts/tensor-memory/access-shape.js'
import {
  copyColumns,
  copyLanes,
  copyRows,
  copyShapes,
} from '../../../../src/layouts/tensor-memory/copy-shape.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'
import { right } from '../../../either.js'
import { nightly, sampled } from '../../../extent.js'
import { cuteLines } from '../../../layouts/tensor-memory/sparse-lines.js'
import { imageAt, imageBytes, left, registers } from './tensor-programs.js'

const blank = new Uint8Array(imageBytes)

// ---------------------------------------------------------------- loads and stores

/** Every thread fills the first 128 columns of its lane: word `lane << 16 | column`, and something in the upper half of 16 bits. */
const filled = `shl.b32 %m0, %t, 16;
${Array.from({ length: 128 }, (_, c) => `or.b32 %v${String(c)}, %m0, ${String(c)};`).join('\n')}
tcgen05.st.sync.aligned.32x32b.x128.b32 [%lanes], {${registers('v', 128)}};`

const moved: ReadonlyArray<readonly [AccessShapeName, number, number]> = [
  ['32x32b', 1, 0],
  ['32x32b', 64, 0],
  ['16x64b', 1, 0],
  ['16x64b', 32, 0],
  ['16x128b', 2, 0],
  ['16x128b', 16, 0],
  ['16x256b', 1, 0],
  ['16x256b', 8, 0],
  ['16x32bx2', 4, 8],
  ['16x32bx2', 32, 64],
]

// ---------------------------------------------------------------- the extreme of a load

/** A word of every kind: whole numbers of either sign, subnormal and normal floats, NaNs, zeros of either sign; a lane of NaNs alone, and one of zeros. */
const wordOf = (thread: number, column: number): number => {
  const word = (Math.imul(thread, 0x9e3779b1) + Math.imul(column, 0x85ebca6b)) | 0
  switch (thread % 8) {
    case 3:
      return column % 2 === 0 ? word | 0x7fc00001 : word
    case 5:
      return word | 0x7fc00001
    case 6:
      return column % 2 === 0 ? 0 : -2147483648
    default:
      return word
  }
}
const mixed = (columns: number): string => `and.b32 %m0, %t, 7;
${Array.from({ length: columns }, (_, c) => {
  const v = `%v${String(c)}`
  return `mad.lo.s32 ${v}, %t, ${String(0x9e3779b1 | 0)}, ${String(Math.imul(c, 0x85ebca6b))};
or.b32 %m1, ${v}, 0x7fc00001;
setp.eq.u32 %p, %m0, 5;
selp.b32 ${v}, %m1, ${v}, %p;
setp.eq.u32 %p, %m0, 3;
${c % 2 === 0 ? `selp.b32 ${v}, %m1, ${v}, %p;` : ''}
setp.eq.u32 %p, %m0, 6;
selp.b32 ${v}, ${c % 2 === 0 ? '0' : '0x80000000'}, ${v}, %p;`
}).join('\n')}
tcgen05.st.sync.aligned.32x32b.x${String(columns)}.b32 [%lanes], {${registers('v', columns)}};`

const nan = 0x7fffffff
const floatOf = (word: number): number => new Float32Array(Int32Array.of(word).buffer)[0]!
const patternOf = (x: number): number =>
  Number.isNaN(x) ? nan : new Int32Array(Float32Array.of(x).buffer)[0]!

/** By JavaScript, whose `Math.max` orders the zeros and lets a NaN go on. */
const extremeBy = (op: 'min' | 'max', type: string, words: ReadonlyArray<number>): number => {
  const [kind = '', ...how] = type.split('.').reverse()
  const of = op === 'min' ? Math.min : Math.max
  if (kind === 's32') return of(...words)
  if (kind === 'u32') return of(...words.map((w) => w >>> 0)) | 0
  const floats = words.map((w) => (how.includes('abs') ? Math.abs(floatOf(w)) : floatOf(w)))
  const those = how.includes('NaN') ? floats : floats.filter((x) => !Number.isNaN(x))
  return patternOf(those.length === 0 ? NaN : of(...those))
}

describe('tcgen05.ld.red', () => {
  const columns = 32
  const rows = (['min', 'max'] as const).flatMap((op) =>
    ['f32', 'abs.f32', 'NaN.f32', 'abs.NaN.f32', 's32', 'u32'].map((type) => [op, type] as const),
  )
  const shapes = [
    ['32x32b', 2, 0],
    ['32x32b', 8, 0],
    ['16x32bx2', 4, 16],
  ] as const
  it.each(rows)('%s.%s: the words of a load, and their extreme, lane by lane', (op, type) => {
    const turn = rows.findIndex(([o, t]) => o === op && t === type)
    for (const [shape, num, split] of nightly ? shapes : [shapes[turn % shapes.length]!]) {
      const access = right(accessShape(shape, num, split))
      const { words, ended } = left(
        {
          target: 'sm_103a',
          all: mixed(columns),
          then: `tcgen05.ld.red.sync.aligned.${shape}.x${String(num)}.${op}.${type} {${registers('o', num)}}, %o${String(num)}, [%lanes]${split === 0 ? '' : `, ${String(split)}`};`,
          out: num + 1,
        },
        blank,
      )
      expect(ended).toBe('completed')
      const wanted = Array.from({ length: 128 }, (_, t) => {
        const loaded = Array.from({ length: num }, (_, register) => {
          const { lane, column } = cellOf(access, { thread: t % 32, register })
          return wordOf(32 * Math.floor(t / 32) + lane, column)
        })
        return [...loaded, extremeBy(op, type, loaded)]
      })
      expect(words, shape).toEqual(Uint32Array.from(wanted.flat()))
    }
  })
})

describe('tcgen05.ld', () => {
  it.each(
    sampled(
      6,
      moved.flatMap(([s, n, split]) => [false, true].map((packed) => [s, n, split, packed] as const)),
    ),
  )('%s x%d split %d, packed %s', (shape, num, split, packed) => {
    const access = right(accessShape(shape, num, split))
    const count = registersOf(access)
    const half = shape === '32x32b' ? 0 : 16
    const { words, ended } = left(
      {
        all: filled,
        then: `add.s32 %lanes, %lanes, ${String(half << 16)};
tcgen05.ld.sync.aligned.${shape}.x${String(num)}${packed ? '.pack::16b' : ''}.b32 {${registers('o', count)}}, [%lanes]${split === 0 ? '' : `, ${String(split)}`};`,
        out: count,
      },
      blank,
    )
    expect(ended).toBe('completed')
    const wanted = Uint32Array.from({ length: 128 * count }, (_, k) => {
      const [t, register] = [Math.floor(k / count), k % count]
      const warp = Math.floor(t / 32)
      const { lane, column } = cellOf(access, { thread: t % 32, register })
      const at = 32 * warp + half + lane
      const behind = t % 32 < 16 ? 0 : split
      const low = behind + 2 * (column - behind)
      return packed ? low | ((low + 1) << 16) : ((at << 16) | column) >>> 0
    })
    expect(words).toEqual(wanted)
  })

  it('a store in a shape is undone by a load in it', () => {
    for (const [shape, num, split] of sampled(
      2,
      moved.filter(([, n]) => n < 16),
    )) {
      const count = registersOf(right(accessShape(shape, num, split)))
      const by = split === 0 ? '' : `, ${String(split)}`
      for (const [pack, unpack] of [
        ['', ''],
        ['.pack::16b', '.unpack::16b'],
      ] as const) {
        const { words } = left(
          {
            all: `${Array.from({ length: count }, (_, i) => `mad.lo.s32 %v${String(i)}, %t, 65537, ${String(i * 977)};`).join('\n')}
tcgen05.st.sync.aligned.${shape}.x${String(num)}${unpack}.b32 [%lanes]${by}, {${registers('v', count)}};`,
            then: `tcgen05.ld.sync.aligned.${shape}.x${String(num)}${pack}.b32 {${registers('o', count)}}, [%lanes]${by};`,
            out: count,
          },
          blank,
        )
        expect(words, shape).toEqual(
          Uint32Array.from(
            { length: 128 * count },
            (_, k) => Math.floor(k / count) * 65537 + (k % count) * 977,
          ),
        )
      }
    }
  })

  it('a warp reaches its own quarter alone', () => {
    const { ended } = left({ then: 'tcgen05.ld.sync.aligned.32x32b.x1.b32 {%o0}, [%d];', out: 1 }, blank)
    expect(ended).toContain('tcgen05.lanes')
  })
})

// ---------------------------------------------------------------- descriptors

/** Without a swizzle: 16 bytes of 8 rows lie together; `along` from one such block to the next in a row, `down` to the next 8 rows. */
const descriptor = (at: number, along: number, down: number): bigint =>
  BigInt((imageAt + at) >> 4) | (BigInt(along >> 4) << 16n) | (BigInt(down >> 4) << 32n) | (1n << 46n)

describe('tcgen05.cp and shift', () => {
  it.each(copyShapes)('%s', (shape) => {
    const die = dice(3)
    const image = Uint8Array.from({ length: imageBytes }, () => die.below(256))
    const [rows, columns] = [copyRows(shape), copyColumns(shape)]
    const [name, many] = shape.split(/\.(?=warpx)/u)
    const { words, ended } = left(
      {
        one: `mov.u64 %ds0, ${String(descriptor(0, 4096, 128))};
tcgen05.cp.cta_group::1.${name!}${many === undefined ? '' : `.${many}`} [%d], %ds0;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
        all: `${Array.from({ length: 8 }, (_, i) => `mov.u32 %v${String(i)}, 7;`).join('\n')}
tcgen05.st.sync.aligned.32x32b.x8.b32 [%lanes], {${registers('v', 8)}};`,
        then: `tcgen05.ld.sync.aligned.32x32b.x8.b32 {${registers('o', 8)}}, [%lanes];`,
        out: 8,
      },
      image,
    )
    expect(ended).toBe('completed')
    const wanted = new Uint32Array(128 * 8).fill(7)
    const view = new DataView(image.buffer)
    for (let row = 0; row < rows; row++)
      for (const lane of copyLanes(shape, row))
        for (let c = 0; c < columns; c++)
          wanted[8 * lane + c] = view.getUint32(
            Math.floor(row / 8) * 128 + (row % 8) * 16 + Math.floor(c / 4) * 4096 + 4 * (c % 4),
            true,
          )
    expect(words).toEqual(wanted)
  })

  it('a shift moves rows of 32 bytes to the next lane', () => {
    const { words } = left(
      {
        all: filled,
        one: `tcgen05.shift.cta_group::1.down [%d];
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
        then: `tcgen05.ld.sync.aligned.32x32b.x16.b32 {${registers('o', 16)}}, [%lanes];`,
        out: 16,
      },
      blank,
    )
    expect(words).toEqual(
      Uint32Array.from({ length: 128 * 16 }, (_, k) => {
        const [lane, column] = [Math.floor(k / 16), k % 16]
        return ((column < 8 ? Math.max(0, lane - 1) : lane) << 16) | column
      }),
    )
  })
})

// ---------------------------------------------------------------- products

interface Kind {
  readonly kind: string
  readonly a: FloatDtype | 'i8' | 'u8'
  readonly b: FloatDtype | 'i8' | 'u8'
  readonly codes: readonly [a: number, b: number]
  readonly k: number
  /** bits of an element in shared memory; of kind f8f6f4 that 16 of them have 16 bytes, whatever they fill */
  readonly bits: number
  readonly acc: 'f16' | 'f32' | 'i32'
}

const kinds: ReadonlyArray<Kind> = [
  { kind: 'f16', a: 'f16', b: 'f16', codes: [0, 0], k: 16, bits: 16, acc: 'f32' },
  { kind: 'f16', a: 'bf16', b: 'bf16', codes: [1, 1], k: 16, bits: 16, acc: 'f32' },
  { kind: 'f16', a: 'f16', b: 'f16', codes: [0, 0], k: 16, bits: 16, acc: 'f16' },
  { kind: 'tf32', a: 'tf32', b: 'tf32', codes: [2, 2], k: 8, bits: 32, acc: 'f32' },
  { kind: 'f8f6f4', a: 'e4m3', b: 'e5m2', codes: [0, 1], k: 32, bits: 8, acc: 'f32' },
  { kind: 'i8', a: 'i8', b: 'u8', codes: [1, 0], k: 32, bits: 8, acc: 'i32' },
]

/** The types of the kinds f8f6f4 and mxf8f6f4, by the manual's codes; and whole numbers and halves that all of them have. */
const narrow = [
  ['e4m3', 0],
  ['e5m2', 1],
  ['e2m3', 3],
  ['e3m2', 4],
  ['e2m1', 5],
] as const
/** Each with each, in such an order that a sample has two different types in most of its rows. */
const mixtures = narrow.flatMap((_, by) =>
  narrow.map(([a, codeA], i) => {
    const [b, codeB] = narrow[(i + by) % narrow.length]!
    return { a, b, codeA, codeB }
  }),
)
const some = [-4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4]

const n = 32
/** What an element of this value is in memory. */
const pattern = (dtype: Kind['a'], x: number): number =>
  dtype === 'i8' || dtype === 'u8' ? x & 0xff : encode(dtype, x)

/** Lays a matrix of whole numbers (mn x k), K-major without a swizzle, from byte `at` on: blocks of 8 rows by 16 bytes. */
const lay = (
  image: Uint8Array,
  at: number,
  x: ReadonlyArray<ReadonlyArray<number>>,
  dtype: Kind['a'],
  bits: number,
  isPadded: boolean,
): void => {
  const view = new DataView(image.buffer)
  x.forEach((row, mn) => {
    row.forEach((value, k) => {
      const inBits = isPadded ? 128 * Math.floor(k / 16) + bits * (k % 16) : bits * k
      const byte = Math.floor(inBits / 8)
      const place = at + Math.floor(mn / 8) * 256 + Math.floor(byte / 16) * 128 + (mn % 8) * 16 + (byte % 16)
      const p = pattern(dtype, value)
      if (bits === 32) view.setUint32(place, p, true)
      else if (bits === 16) view.setUint16(place, p, true)
      else if (bits === 8) view.setUint8(place, p)
      else
        // low bits first; the last of 16 bytes is none of an element's
        for (let b = 0; b < bits; b++) {
          const bit = (inBits % 8) + b
          const there = place + Math.floor(bit / 8)
          view.setUint8(there, view.getUint8(there) | (((p >> b) & 1) << (bit % 8)))
        }
    })
  })
}

const matrix = (seed: number, rows: number, columns: number, values: ReadonlyArray<number>): number[][] => {
  const die = dice(seed)
  return Array.from({ length: rows }, () =>
    Array.from({ length: columns }, () => values[die.below(values.length)]!),
  )
}

const valuesOf = (dtype: Kind['a']): ReadonlyArray<number> =>
  dtype === 'u8' ? [0, 1, 2, 3] : [-2, -1, 0, 1, 2]

const idescOf = (k: Kind, m: number, more = 0): number =>
  (more |
    ((k.acc === 'f16' ? 0 : k.acc === 'f32' ? 1 : 2) << 4) |
    (k.codes[0] << 7) |
    (k.codes[1] << 10) |
    ((n / 8) << 17) |
    ((m / 16) << 24)) >>>
  0

const bAt = 16384
/** A product of the two, and D out of the lanes: `d[lane][column]` as the words are. */
const product = (
  k: Kind,
  m: number,
  a: number[][],
  b: number[][],
  asked: {
    readonly idesc?: number
    readonly disable?: string
    readonly behind?: string
    readonly all?: string
    readonly enable?: string
  } = {},
): { readonly words: Uint32Array; readonly ended: string } => {
  const image = new Uint8Array(imageBytes)
  const isPadded = k.kind === 'f8f6f4'
  lay(image, 0, a, k.a, isPadded ? bitsOf(k.a) : k.bits, isPadded)
  lay(image, bAt, b, k.b, isPadded ? bitsOf(k.b) : k.bits, isPadded)
  return left(
    {
      all: asked.all ?? '',
      one: `mov.u64 %da, ${String(descriptor(0, 128, 256))};
mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(asked.idesc ?? idescOf(k, m))};
tcgen05.mma.cta_group::1.kind::${k.kind} [%d], %da, %db, %idesc${asked.disable ?? ''}, ${asked.enable ?? '%off'}${asked.behind ?? ''};
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
      then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', n)}}, [%lanes];`,
      out: n,
    },
    image,
  )
}

const valueOf = (acc: Kind['acc'], word: number): number =>
  acc === 'i32' ? word | 0 : acc === 'f16' ? decode('f16', word & 0xffff) : decode('f32', word)

const dot = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number =>
  a.reduce((s, x, i) => s + x * b[i]!, 0)

/** Lanes of the rows: all of them, or 16 of each quarter. */
const laneOfRow = (m: number, row: number): number =>
  m === 128 ? row : (row % 16) + 32 * Math.floor(row / 16)

describe('tcgen05.mma', () => {
  // a result of 16 bits is never left to the night
  for (const k of new Set([...sampled(2, kinds), kinds[2]!]))
    it.each(nightly ? [128, 64] : [k.bits === 16 ? 64 : 128])(
      `${k.kind}: ${k.a} by ${k.b} into ${k.acc}, %d rows`,
      (m) => {
        const a = matrix(1, m, k.k, valuesOf(k.a))
        const b = matrix(2, n, k.k, valuesOf(k.b))
        const { words, ended } = product(k, m, a, b)
        expect(ended).toBe('completed')
        const wrong = Array.from({ length: m * n }, (_, i) => [Math.floor(i / n), i % n] as const).filter(
          ([row, column]) =>
            !Object.is(valueOf(k.acc, words[laneOfRow(m, row) * n + column]!), dot(a[row]!, b[column]!)),
        )
        expect(wrong).toEqual([])
      },
    )

  it.each(sampled(2, mixtures))('f8f6f4: $a by $b, 16 elements of 16 bytes', ({ a, b, codeA, codeB }) => {
    const k: Kind = { kind: 'f8f6f4', a, b, codes: [codeA, codeB], k: 32, bits: 8, acc: 'f32' }
    const [x, y] = [matrix(1, 128, 32, some), matrix(2, n, 32, some)]
    const { words, ended } = product(k, 128, x, y)
    expect(ended).toBe('completed')
    const found = Array.from({ length: 128 * n }, (_, i) =>
      valueOf('f32', words[Math.floor(i / n) * n + (i % n)]!),
    )
    expect(found).toEqual(
      Array.from({ length: 128 * n }, (_, i) => dot(x[Math.floor(i / n)]!, y[i % n]!) + 0),
    )
  })

  const f16 = kinds[0]!
  const [a, b] = [matrix(1, 128, 16, valuesOf('f16')), matrix(2, n, 16, valuesOf('f16'))]
  /** Every cell of D holds 8 before. */
  const eight = `${Array.from({ length: n }, (_, i) => `mov.b32 %v${String(i)}, 0f41000000;`).join('\n')}
tcgen05.st.sync.aligned.32x32b.x32.b32 [%lanes], {${registers('v', n)}};`
  const checked = (
    { words, ended }: { readonly words: Uint32Array; readonly ended: string },
    wanted: (row: number, column: number) => number,
    m: 64 | 128 = 128,
  ): void => {
    expect(ended).toBe('completed')
    const wrong = Array.from({ length: m * n }, (_, i) => [Math.floor(i / n), i % n] as const).filter(
      ([row, column]) =>
        !Object.is(valueOf('f32', words[laneOfRow(m, row) * n + column]!), wanted(row, column)),
    )
    expect(wrong).toEqual([])
  }

  it('adds to what was there, as it is and divided by a power of two', () => {
    checked(product(f16, 128, a, b, { all: eight, enable: '%on' }), (r, c) => 8 + dot(a[r]!, b[c]!))
    checked(
      product(f16, 128, a, b, { all: eight, enable: '%on', behind: ', 2' }),
      (r, c) => 2 + dot(a[r]!, b[c]!),
    )
  })

  it('leaves out the lanes of its mask', () => {
    const disable = ', {%m4, %m5, %m6, %m7}'
    const all = `${eight}
mov.u32 %m4, 5;
mov.u32 %m5, 0;
mov.u32 %m6, 0x80000000;
mov.u32 %m7, 0xffffffff;`
    checked(product(f16, 128, a, b, { all, disable }), (r, c) =>
      r === 0 || r === 2 || r === 95 || r >= 96 ? 8 : dot(a[r]!, b[c]!),
    )
  })

  it('turns the sign of A, of B, of both', () => {
    for (const [more, sign] of sampled(2, [
      [1 << 13, -1],
      [1 << 14, -1],
      [(1 << 13) | (1 << 14), 1],
    ] as const))
      checked(
        product(f16, 128, a, b, { idesc: idescOf(f16, 128, more) }),
        (r, c) => 0 + sign * dot(a[r]!, b[c]!) || 0,
      )
  })

  it.each([128, 64] as const)('A in tensor memory, two halves in a column, %d rows', (m) => {
    const image = new Uint8Array(imageBytes)
    lay(image, bAt, b, 'f16', 16, false)
    // the words of a row lie in the image, where its thread finds them
    const view = new DataView(image.buffer)
    a.slice(0, m).forEach((row, r) => {
      row.forEach((x, k) => {
        view.setUint16(32 * laneOfRow(m, r) + 2 * k, encode('f16', x), true)
      })
    })
    checked(
      left(
        {
          all: `mad.lo.s32 %m1, %t, 32, %smem;
${Array.from({ length: 8 }, (_, i) => `ld.shared.u32 %v${String(i)}, [%m1+${String(4 * i)}];`).join('\n')}
add.s32 %m2, %lanes, 64;
tcgen05.st.sync.aligned.32x32b.x8.b32 [%m2], {${registers('v', 8)}};`,
          one: `mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(idescOf(f16, m))};
tcgen05.mma.cta_group::1.kind::f16 [%d], [%d + 64], %db, %idesc, %off;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
          then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', n)}}, [%lanes];`,
          out: n,
        },
        image,
      ),
      (r, c) => dot(a[r]!, b[c]!),
      m,
    )
  })

  it('A in tensor memory is not MN-major', () => {
    expect(
      left(
        {
          one: `mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(idescOf(f16, 128, 1 << 15))};
tcgen05.mma.cta_group::1.kind::f16 [%d], [%d + 64], %db, %idesc, %off;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
          out: 1,
        },
        blank,
      ).ended,
    ).toContain('in tensor memory it is K-major')
  })

  it('MN-major operands', () => {
    const image = new Uint8Array(imageBytes)
    const view = new DataView(image.buffer)
    for (const [at, x] of [
      [0, a],
      [bAt, b],
    ] as const)
      x.forEach((row, mn) => {
        row.forEach((value, k) => {
          // 8 of mn and 8 of k lie together; the next 8 of mn 128 bytes on, the next 8 of k 4096
          const place = at + Math.floor(mn / 8) * 128 + Math.floor(k / 8) * 4096 + (k % 8) * 16 + 2 * (mn % 8)
          view.setUint16(place, encode('f16', value), true)
        })
      })
    checked(
      left(
        {
          one: `mov.u64 %da, ${String(descriptor(0, 4096, 128))};
mov.u64 %db, ${String(descriptor(bAt, 4096, 128))};
mov.u32 %idesc, ${String(idescOf(f16, 128, (1 << 15) | (1 << 16)))};
tcgen05.mma.cta_group::1.kind::f16 [%d], %da, %db, %idesc, %off;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
          then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', n)}}, [%lanes];`,
          out: n,
        },
        image,
      ),
      (r, c) => dot(a[r]!, b[c]!),
    )
  })

  /** A product of m rows by 64 columns whose B is kept: 64 columns are 1, 2 or 4 groups of lanes of so many columns. */
  const kept = (m: 32 | 64 | 128, more: { readonly mask?: bigint; readonly left?: boolean } = {}) => {
    const columns = 64
    const x = matrix(8, m, 16, valuesOf('f16'))
    const y = matrix(9, columns, 16, valuesOf('f16'))
    const image = new Uint8Array(imageBytes)
    lay(image, 0, x, 'f16', 16, false)
    lay(image, bAt, y, 'f16', 16, false)
    const idesc = ((1 << 4) | ((columns / 8) << 17) | ((m / 16) << 24)) >>> 0
    const { words, ended } = left(
      {
        one: `mov.u64 %da, ${String(descriptor(0, 128, 256))};
mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(idesc)};
${more.mask === undefined ? '' : `mov.u64 %ds0, ${String(more.mask)};`}
tcgen05.mma.ws.cta_group::1.kind::f16.collector::b2::fill [%d], ${more.left === true ? '[%d + 64]' : '%da'}, %db, %idesc, %off${more.mask === undefined ? '' : ', %ds0'};
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
        then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', 32)}}, [%lanes];`,
        out: 32,
      },
      image,
    )
    return { x, y, words, ended }
  }

  it.each([
    [32, 16],
    [64, 32],
    [128, 64],
  ] as const)('weight-stationary, %i rows: %i columns of D stand in a row of lanes', (m, width) => {
    const { x, y, words, ended } = kept(m)
    expect(ended).toBe('completed')
    // the first 32 columns of tensor memory are looked at
    for (let row = 0; row < m; row++)
      for (let column = 0; column < 64; column++) {
        const lane = row + m * Math.floor(column / width)
        if (column % width < 32)
          expect([row, column, decode('f32', words[lane * 32 + (column % width)]!)]).toEqual([
            row,
            column,
            dot(x[row]!, y[column]!) + 0,
          ])
      }
  })

  it('weight-stationary: a mask that is off is none; one that is on, and A of 64 rows in tensor memory, are refused', () => {
    expect(kept(64, { mask: 0n }).words).toEqual(kept(64).words)
    expect(kept(64, { mask: 1n << 39n }).ended).toContain('which columns an enabled mask takes out')
    expect(kept(64, { left: true }).ended).toContain('where 64 rows of a weight-stationary product are in')
  })

  it.each([0, 1])('a sparse A: two of four are stored; the selector %i is a column', (selector) => {
    const die = dice(5)
    const pairs: ReadonlyArray<readonly [number, number]> = [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ]
    const chosen = Array.from({ length: 128 }, () => Array.from({ length: 8 }, () => pairs[die.below(6)]!))
    const stored = matrix(6, 128, 16, valuesOf('f16'))
    const wide = matrix(7, n, 32, valuesOf('f16'))
    const image = new Uint8Array(imageBytes)
    lay(image, 0, stored, 'f16', 16, false)
    // B has 32 of k: four blocks of 16 bytes a row
    const view = new DataView(image.buffer)
    wide.forEach((row, mn) => {
      row.forEach((x, k) => {
        view.setUint16(
          bAt + Math.floor(mn / 8) * 512 + Math.floor(k / 8) * 128 + (mn % 8) * 16 + 2 * (k % 8),
          encode('f16', x),
          true,
        )
      })
    })
    // a word for each lane
    cuteLines('f16', 128, 8, (row, g) => {
      const [i, j] = chosen[row]![g]!
      return i + 4 * j
    }).forEach((word, lane) => {
      view.setUint32(24576 + 4 * lane, word, true)
    })
    const run = left(
      {
        all: `mad.lo.s32 %m1, %t, 4, %smem;
ld.shared.u32 %v0, [%m1+24576];
add.s32 %m2, %lanes, ${String(64 + selector)};
tcgen05.st.sync.aligned.32x32b.x1.b32 [%m2], {%v0};`,
        one: `mov.u64 %da, ${String(descriptor(0, 128, 256))};
mov.u64 %db, ${String(descriptor(bAt, 128, 512))};
mov.u32 %idesc, ${String(idescOf(f16, 128, 4 + selector))};
tcgen05.mma.sp.cta_group::1.kind::f16 [%d], %da, %db, [%d + 64], %idesc, %off;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
        then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', n)}}, [%lanes];`,
        out: n,
      },
      image,
    )
    checked(run, (r, c) =>
      chosen[r]!.reduce(
        (sum, [i, j], g) =>
          sum + stored[r]![2 * g]! * wide[c]![4 * g + i]! + stored[r]![2 * g + 1]! * wide[c]![4 * g + j]!,
        0,
      ),
    )
  })

  it.each([
    ...sampled(2, mixtures).map(
      ({ a, b, codeA, codeB }) => ['mxf8f6f4', a, b, codeA, codeB, 32, 1, 'e8m0', ''] as const,
    ),
    ['mxf4', 'e2m1', 'e2m1', 1, 1, 64, 2, 'e8m0', ''],
    ['mxf4nvf4', 'e2m1', 'e2m1', 1, 1, 64, 4, 'ue4m3', '.scale_vec::4X'],
  ] as const)(
    '%s: %s by %s, blocks have scales, which a copy brings',
    (kind, a, b, codeA, codeB, k, count, scale, vector) => {
      const values = kind === 'mxf8f6f4' ? some : [-2, -1, 0, 1, 2]
      const [left_, right_] = [matrix(1, 128, k, values), matrix(2, n, k, values)]
      const image = new Uint8Array(imageBytes)
      lay(image, 0, left_, a, bitsOf(a), kind === 'mxf8f6f4')
      lay(image, bAt, right_, b, bitsOf(b), kind === 'mxf8f6f4')
      const powers = [-1, 0, 1]
      const [sa, sb] = [matrix(3, 128, count, powers), matrix(4, 128, count, powers)]
      const put = (at: number, s: number[][]): void => {
        s.forEach((row, x) => {
          row.forEach((power, j) => {
            // 32 rows of 16 bytes: four rows of the matrix a row, four blocks each
            image[at + 16 * (x % 32) + 4 * Math.floor(x / 32) + j] =
              scale === 'e8m0' ? 127 + power : encode('e4m3', 2 ** power)
          })
        })
      }
      put(24576, sa)
      put(25088, sb)
      const idesc =
        ((codeA << 7) | (codeB << 10) | ((n / 8) << 17) | ((scale === 'e8m0' ? 1 : 0) << 23) | (8 << 24)) >>>
        0
      const run = left(
        {
          one: `mov.u64 %ds0, ${String(descriptor(24576, 128, 128))};
mov.u64 %ds1, ${String(descriptor(25088, 128, 128))};
tcgen05.cp.cta_group::1.32x128b.warpx4 [%d + 128], %ds0;
tcgen05.cp.cta_group::1.32x128b.warpx4 [%d + 132], %ds1;
mov.u64 %da, ${String(descriptor(0, 128, 256))};
mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(idesc)};
tcgen05.mma.cta_group::1.kind::${kind}.block_scale${vector} [%d], %da, %db, %idesc, [%d + 128], [%d + 132], %off;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];`,
          then: `tcgen05.ld.sync.aligned.32x32b.x32.b32 {${registers('o', n)}}, [%lanes];`,
          out: n,
        },
        image,
      )
      const block = k / count
      checked(run, (r, c) =>
        left_[r]!.reduce(
          (sum, x, i) =>
            sum + x * right_[c]![i]! * 2 ** (sa[r]![Math.floor(i / block)]! + sb[c]![Math.floor(i / block)]!),
          0,
        ),
      )
    },
  )

  it.each([
    [256, false],
    [256, true],
    [128, false],
    [128, true],
  ])('of a pair, %d rows, A in tensor memory: %s', (m, inTensor) => {
    const rows = m / 2
    const [pa, pb] = [matrix(8, m, 16, valuesOf('f16')), matrix(9, n, 16, valuesOf('f16'))]
    const image = new Uint8Array(2 * imageBytes)
    for (const cta of [0, 1]) {
      const made = new Uint8Array(imageBytes)
      const mine = pa.slice(cta * rows, (cta + 1) * rows)
      if (inTensor) {
        // a row for each lane: 64 rows lie twice
        const view = new DataView(made.buffer)
        for (let lane = 0; lane < 128; lane++)
          mine[lane % rows]!.forEach((x, k) => {
            view.setUint16(32 * lane + 2 * k, encode('f16', x), true)
          })
      } else lay(made, 0, mine, 'f16', 16, false)
      lay(made, bAt, pb.slice((cta * n) / 2, ((cta + 1) * n) / 2), 'f16', 16, false)
      image.set(made, cta * imageBytes)
    }
    const wide = m === 256 ? 32 : 16
    const { words, ended } = left(
      {
        all: inTensor
          ? `mad.lo.s32 %m1, %t, 32, %smem;
${Array.from({ length: 8 }, (_, i) => `ld.shared.u32 %v${String(i)}, [%m1+${String(4 * i)}];`).join('\n')}
add.s32 %m2, %lanes, 64;
tcgen05.st.sync.aligned.32x32b.x8.b32 [%m2], {${registers('v', 8)}};`
          : '',
        one: `mov.u64 %da, ${String(descriptor(0, 128, 256))};
mov.u64 %db, ${String(descriptor(bAt, 128, 256))};
mov.u32 %idesc, ${String(idescOf(f16, m))};
tcgen05.mma.cta_group::2.kind::f16 [%d], ${inTensor ? '[%d + 64]' : '%da'}, %db, %idesc, %off;
mov.u16 %h0, 3;
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%bar], %h0;`,
        then: `tcgen05.ld.sync.aligned.32x32b.x${String(wide)}.b32 {${registers('o', wide)}}, [%lanes];`,
        out: wide,
      },
      image,
      2,
    )
    expect(ended).toBe('completed')
    const wrong: Array<readonly [number, number]> = []
    for (let row = 0; row < m; row++)
      for (let column = 0; column < n; column++) {
        const lane = (row % rows) + (m === 256 ? 0 : 64 * Math.floor(column / 16))
        const at = (128 * Math.floor(row / rows) + lane) * wide + (column % wide)
        if (!Object.is(valueOf('f32', words[at]!), dot(pa[row]!, pb[column]!))) wrong.push([row, column])
      }
    expect(wrong).toEqual([])
  })

  it('a descriptor that is not of the kind is refused at the product', () => {
    const { ended } = product(f16, 128, a, b, { idesc: idescOf(f16, 96) })
    expect(ended).toContain('instruction.shape')
  })
})
