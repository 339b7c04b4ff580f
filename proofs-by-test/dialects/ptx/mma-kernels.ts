/** The kernels of the capture of `mma` and `wmma`, and what they were given: `generate.py` and `run.cu` of `conformance/hopper/mma`, again. */
import type { CapturedForm } from '../../numerics/mma/captured.js'
import { bitsOf, metadataOf, moderate, operandsOf, Random } from '../../numerics/mma/operands.js'

const isSparse = ({ kind }: CapturedForm): boolean => kind === 'sp' || kind === 'any'

const bitsOfType = (type: string): number => (type === '-' ? 0 : bitsOf(type))
const registerBytes = (type: string): number => (type === 'f64' ? 8 : 4)

/** Bytes of a matrix, and of a fragment in memory. */
const sizes = (f: CapturedForm) => {
  const elements = [f.m * f.k, f.k * f.n, f.m * f.n, f.m * f.n]
  const matrix = elements.map((count, i) => (count * bitsOfType(f.types[i]!)) / 8)
  const fragment = f.registers.map((count, i) => 32 * count * registerBytes(f.types[i]!))
  const sum = (xs: ReadonlyArray<number>): number => xs.reduce((a, b) => a + b, 0)
  const three = (xs: ReadonlyArray<number>): number => sum(xs.slice(0, 3))
  const [given, left] =
    f.kind === 'wmma'
      ? [three(matrix), matrix[3]!]
      : f.kind === 'load'
        ? [three(matrix), three(fragment)]
        : f.kind === 'store'
          ? [fragment[3]!, matrix[3]!]
          : [three(fragment) + (isSparse(f) ? 128 : 0), fragment[3]!]
  return { matrix, fragment, given, left }
}

export const givenBytes = (f: CapturedForm): number => sizes(f).given
export const leftBytes = (f: CapturedForm): number => sizes(f).left

/** The kernel `k(in, out)` of one warp. */
export const kernelText = (f: CapturedForm): string => {
  const { matrix, fragment } = sizes(f)
  const shape = `m${String(f.m)}n${String(f.n)}k${String(f.k)}`
  const [a, b, c, d] = [0, 1, 2, 3].map(
    (i) => `{${Array.from({ length: f.registers[i]! }, (_, r) => `%${'abcd'[i]!}${String(r)}`).join(', ')}}`,
  )
  const declared = [0, 1, 2, 3].flatMap((i) =>
    f.registers[i]! > 0
      ? [`.reg .b${String(8 * registerBytes(f.types[i]!))} %${'abcd'[i]!}<${String(f.registers[i]!)}>;`]
      : [],
  )
  const move = (word: 'ld' | 'st', i: number, at: number): ReadonlyArray<string> =>
    Array.from({ length: f.registers[i]! }, (_, r) => {
      const size = registerBytes(f.types[i]!)
      const place = `[%${word === 'ld' ? 'i' : 'o'}${String(size)}+${String(at + r * 32 * size)}]`
      const register = `%${'abcd'[i]!}${String(r)}`
      return `${word}.global.b${String(8 * size)} ${word === 'ld' ? `${register}, ${place}` : `${place}, ${register}`};`
    })
  const body = (): ReadonlyArray<string> => {
    switch (f.kind) {
      case 'mma':
      case 'sp':
      case 'any':
      case 'raw': {
        const loads = [0, 1, 2].flatMap((i) =>
          move(
            'ld',
            i,
            fragment.slice(0, i).reduce((x, y) => x + y, 0),
          ),
        )
        return isSparse(f)
          ? [
              ...loads,
              `ld.global.b32 %e, [%i4+${String(fragment[0]! + fragment[1]! + fragment[2]!)}];`,
              `${f.opcode} ${d}, ${a}, ${b}, ${c}, %e, ${String(f.selector)};`,
              ...move('st', 3, 0),
            ]
          : [...loads, `${f.opcode} ${d}, ${a}, ${b}, ${c};`, ...move('st', 3, 0)]
      }
      case 'wmma': {
        const strides = [f.layouts[0] === 'row' ? f.k : f.m, f.layouts[1] === 'row' ? f.n : f.k, f.n]
        const layouts = [f.layouts[0], f.layouts[1], 'row']
        return [
          ...[a, b, c].flatMap((registers, i) => [
            `add.u64 %p, %in, ${String(matrix.slice(0, i).reduce((x, y) => x + y, 0))};`,
            `wmma.load.${'abc'[i]!}.sync.aligned.${layouts[i]!}.${shape}.global.${f.types[i]!} ${registers!}, [%p], ${String(strides[i])};`,
          ]),
          `${f.opcode} ${d}, ${a}, ${b}, ${c};`,
          `wmma.store.d.sync.aligned.row.${shape}.global.${f.types[3]} [%out], ${d}, ${String(f.n)};`,
        ]
      }
      case 'load': {
        const i = f.registers.findIndex((count) => count > 0)
        const [rows, columns] = [
          [f.m, f.k],
          [f.k, f.n],
          [f.m, f.n],
        ][i]!
        return [
          `${f.opcode} ${[a, b, c][i]!}, [%in], ${String(f.layouts[0] === 'row' ? columns : rows)};`,
          ...move('st', i, 0),
        ]
      }
      case 'store':
        return [
          ...move('ld', 3, 0),
          `${f.opcode} [%out], ${d}, ${String(f.layouts[0] === 'row' ? f.n : f.m)};`,
        ]
    }
  }
  return [
    '.version 9.0',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 in, .param .u64 out)',
    '{',
    '.reg .b32 %t, %e; .reg .b64 %in, %out, %i4, %i8, %o4, %o8, %p;',
    ...declared,
    'ld.param.u64 %in, [in];',
    'ld.param.u64 %out, [out];',
    'mov.u32 %t, %tid.x;',
    'mul.wide.u32 %p, %t, 4;',
    'add.u64 %i4, %in, %p;',
    'add.u64 %o4, %out, %p;',
    'mul.wide.u32 %p, %t, 8;',
    'add.u64 %i8, %in, %p;',
    'add.u64 %o8, %out, %p;',
    ...body(),
    'ret;',
    '}',
    '',
  ].join('\n')
}

// ---------------------------------------------------------------- what it is given

/** An element of so many bits, low bits first. */
const put = (
  to: Uint8Array,
  at: number,
  bits: number,
  element: number,
  value: number | readonly [number, number],
): void => {
  const bit = element * bits
  const words = typeof value === 'number' ? [value] : value
  if (bits < 8) to[at + (bit >> 3)] = to[at + (bit >> 3)]! | (words[0]! << (bit & 7))
  else
    words.forEach((word, w) => {
      for (let b = 0; b < Math.min(bits, 32) / 8; b++) to[at + bit / 8 + 4 * w + b] = (word >>> (8 * b)) & 255
    })
}

const elementOf = (from: Float64Array, wide: boolean, i: number): number | readonly [number, number] =>
  wide ? [from[2 * i]!, from[2 * i + 1]!] : from[i]!

export const tupleOf = (f: CapturedForm, tuple: number): Uint8Array => {
  const { matrix, fragment, given } = sizes(f)
  const to = new Uint8Array(given)
  const ka = isSparse(f) ? f.k / 2 : f.k
  const starts = (parts: ReadonlyArray<number>): ReadonlyArray<number> => [
    0,
    parts[0]!,
    parts[0]! + parts[1]!,
  ]
  if (f.kind === 'load') {
    const bits = bitsOf(f.types[f.registers.findIndex((count) => count > 0)]!)
    for (let i = 0; i < (given * 8) / bits; i++)
      put(to, 0, bits, i, bits === 64 ? [i, 0] : bits >= 16 ? i : (i >>> (tuple * bits)) & (2 ** bits - 1))
    return to
  }
  if (f.kind === 'store') {
    const bits = bitsOf(f.types[3])
    for (let i = 0; i < (given * 8) / bits; i++) put(to, 0, bits, i, bits === 64 ? [i, 0] : i)
    return to
  }
  if (f.kind === 'raw') {
    const r = new Random(`${f.name}#${String(tuple)}`)
    starts(fragment).forEach((at, which) => {
      const bits = bitsOf(f.types[which]!)
      for (let i = 0; i < (fragment[which]! * 8) / bits; i++)
        put(to, at, bits, i, moderate(f.types[which]!, r))
    })
    return to
  }
  const xs = Array.from({ length: f.times }, (_, q) =>
    operandsOf(f.name, tuple, q, [f.types[0], f.types[1], f.types[2]], f.m, f.n, ka, f.k),
  )
  const pick = (q: number, which: number, i: number): number | readonly [number, number] => {
    const x = xs[q]!
    return elementOf([x.a, x.b, x.c][which]!, f.types[0] === 'f64', i)
  }
  if (f.kind === 'wmma') {
    starts(matrix).forEach((at, which) => {
      const [rows, columns] = [
        [f.m, f.k],
        [f.k, f.n],
        [f.m, f.n],
      ][which] as [number, number]
      const turned = which < 2 && f.layouts[which] === 'col'
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
          put(
            to,
            at,
            bitsOf(f.types[which]!),
            turned ? j * rows + i : i * columns + j,
            pick(0, which, i * columns + j),
          )
    })
    return to
  }
  starts(fragment).forEach((at, which) => {
    const bits = bitsOf(f.types[which]!)
    const per = bits === 64 ? 1 : 32 / bits
    for (let reg = 0; reg < f.registers[which]!; reg++)
      for (let lane = 0; lane < 32; lane++)
        for (let e = 0; e < per; e++) {
          const slot = (reg * 32 + lane) * per + e
          const i = reg * per + e
          if (f.times === 4) {
            const [low, high] = [lane % 4, lane < 16 ? 0 : 4]
            const element =
              which === 0
                ? f.layouts[0] === 'row'
                  ? (low + high) * 4 + i
                  : (i + high) * 4 + low
                : which === 1
                  ? f.layouts[1] === 'row'
                    ? low * 8 + i + high
                    : i * 8 + low + high
                  : f.types[2] === 'f16'
                    ? (low + high) * 8 + i
                    : ((lane & 1) + (i & 2) + high) * 8 + (i & 4) + (lane & 2) + (i & 1)
            put(to, at, bits, slot, pick((lane % 16) >> 2, which, element))
            continue
          }
          const [g, t] = [lane >> 2, lane % 4]
          const tall = f.m / 8
          const element =
            which === 0
              ? (g + 8 * (reg % tall)) * ka + Math.floor(reg / tall) * 4 * per + t * per + e
              : which === 1
                ? (reg * 4 * per + t * per + e) * f.n + g
                : (g + 8 * (i >> 1)) * f.n + 2 * t + (i & 1)
          put(to, at, bits, slot, pick(0, which, element))
        }
  })
  if (isSparse(f))
    metadataOf(`${f.name}#${String(tuple)}`, f.types[0], f.kind === 'any').forEach((word, lane) => {
      put(to, given - 128, 32, lane, word)
    })
  return to
}
