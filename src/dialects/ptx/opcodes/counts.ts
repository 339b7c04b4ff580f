/**
 * How many registers stand in braces, where the modifiers say it: fragments, coordinates, columns of tensor memory.
 *
 *     ldmatrix.sync.aligned.m8n8.x4          {num}     4
 *     wgmma.mma_async...m64n128k16.f32       {wgmmaD}  64
 *     cp.async.bulk.tensor.3d                {box}     3
 *
 * Source: PTX ISA 9.0, matrix fragments; tensor memory access shapes; tensor coordinates.
 */
import type { Modifiers } from './form.js'
import { own } from '../../../own.js'

const numbersIn = (text: string | undefined): ReadonlyArray<number> => (text?.match(/\d+/g) ?? []).map(Number)

const elementBits: Readonly<Record<string, number>> = {
  b1: 1,
  u4: 4,
  s4: 4,
  u8: 8,
  s8: 8,
  e4m3: 8,
  e5m2: 8,
  f16: 16,
  bf16: 16,
  tf32: 32,
  f32: 32,
  s32: 32,
  f64: 64,
}

/** Registers of a lane for a fragment of so many elements of a type; a register of f64 holds one, any other 32 bits. */
const fragment = (elements: number, type: string | undefined): number =>
  type === 'f64' ? elements / 32 : (elements * (own(elementBits, type ?? '') ?? 32)) / 1024

const mma = (m: Modifiers, which: 'a' | 'b' | 'c' | 'd'): number => {
  const [rows = 0, columns = 0, depth = 0] = numbersIn(m['shape'])
  // four products of 8 x 8 x 4 at once
  const times = m['shape'] === 'm8n8k4' && m['atype'] === 'f16' ? 4 : 1
  switch (which) {
    case 'a':
      // of a sparse A half is stored
      return (times * fragment(rows * depth, m['atype'])) / (m['sp'] === undefined ? 1 : 2)
    case 'b':
      return times * fragment(columns * depth, m['btype'])
    case 'c':
      return times * fragment(rows * columns, m['ctype'])
    case 'd':
      return times * fragment(rows * columns, m['dtype'])
  }
}

/** Of wmma: the fragments of f16 inputs have registers that hold elements for the second time. */
const wmma = (m: Modifiers, which: string | undefined, type: string | undefined): number => {
  const [rows = 0, columns = 0, depth = 0] = numbersIn(m['shape'])
  switch (which) {
    case 'a':
      return type === 'f16' ? 8 : fragment(rows * depth, type)
    case 'b':
      return type === 'f16' ? 8 : fragment(columns * depth, type)
    default:
      return fragment(rows * columns, type)
  }
}
const wmmaInput = (m: Modifiers): string => m['types']?.split('.')[0] ?? 'f16'

const counts: Readonly<Record<string, (m: Modifiers) => number | null>> = {
  vec: (m) => numbersIn(m['vec'])[0] ?? null,
  num: (m) => numbersIn(m['num'])[0] ?? null,
  num2: (m) => 2 * (numbersIn(m['num'])[0] ?? 0),
  box: (m) => (/4$/.test(m['mode'] ?? '') ? 5 : (numbersIn(m['dim'])[0] ?? null)),
  im2col: (m) =>
    m['mode'] === 'im2col'
      ? (numbersIn(m['dim'])[0] ?? 0) - 2
      : m['mode']?.startsWith('im2col::w') === true
        ? 2
        : 0,
  lanes: (m) => (m['group'] === 'cta_group::2' ? 8 : 4),
  tmem: (m) =>
    (numbersIn(m['num'])[0] ?? 0) * (m['shape'] === '16x256b' ? 4 : m['shape'] === '16x128b' ? 2 : 1),
  wgmmaD: (m) => (numbersIn(m['shape'])[1] ?? 0) / (m['dtype'] === 'f16' ? 4 : 2),
  mmaA: (m) => mma(m, 'a'),
  mmaB: (m) => mma(m, 'b'),
  mmaC: (m) => mma(m, 'c'),
  mmaD: (m) => mma(m, 'd'),
  wmmaPart: (m) => wmma(m, m['which'], m['type']),
  wmmaA: (m) => wmma(m, 'a', wmmaInput(m)),
  wmmaB: (m) => wmma(m, 'b', wmmaInput(m)),
  wmmaC: (m) => wmma(m, 'c', m['ctype']),
  wmmaD: (m) => wmma(m, 'd', m['dtype']),
}

/** How many; null of a single register without braces. */
export const countOf = (name: string, modifiers: Modifiers): number | null =>
  /^\d+$/.test(name) ? Number(name) : (own(counts, name)?.(modifiers) ?? null)
