/** What a captured form leaves of a tuple, by the models: words in memory as the chip wrote them. */
import * as O from 'fp-ts/lib/Option.js'
import { warpMma, type WarpMma, type WarpProduct } from '../../../src/numerics/warp-product.js'
import { fragmentOf, placesOf, type Fragment } from '../../../src/semantics/warps/fragments.js'
import type { CapturedForm } from './captured.js'
import { bitsOf, moderate, operandsOf, Random } from './operands.js'

export const productOf = (f: CapturedForm): WarpProduct => ({
  instruction: f.kind === 'mma' || f.kind === 'sp' ? 'mma' : 'wmma',
  shape: { m: f.m, n: f.n, k: f.k },
  products: f.times,
  a: f.types[0] as WarpProduct['a'],
  b: f.types[1] as WarpProduct['b'],
  c: f.types[2] as WarpProduct['c'],
  d: f.types[3] as WarpProduct['d'],
  saturate: f.opcode.includes('satfinite'),
  counts: f.types[0] === 'b1' ? (f.opcode.includes('xor') ? 'xor' : 'and') : null,
  rounding: (/\.(r[zmp])\./u.exec(f.opcode)?.[1] ?? 'rn') as WarpProduct['rounding'],
})

/** Places of elements in registers as they are stored: register by register, lane by lane. */
const bitsAt = (f: Fragment): ReadonlyArray<number> => {
  const { registers, lanes, shifts } = placesOf(f)
  const size = f.bits === 64 ? 64 : 32
  return Array.from(registers, (r, i) => (r * 32 + lanes[i]!) * size + shifts[i]!)
}

const mmaOf = (p: WarpProduct): WarpMma => {
  const mma = warpMma(p)
  if (O.isNone(mma)) throw new Error(`no product of ${p.a}`)
  return mma.value
}

/** Elements of d at bits of memory, as words. */
const laid = (d: Float64Array, bits: number, at: ReadonlyArray<number>): Uint32Array => {
  const words = new Uint32Array((at.length * bits) / 32)
  at.forEach((bit, i) => {
    const word = bit >> 5
    if (bits === 64) {
      words[word] = d[2 * i]!
      words[word + 1] = d[2 * i + 1]!
    } else words[word] = words[word]! | (d[i]! << (bit & 31))
  })
  return words
}

/** Elements in a row, of so many bits. */
const byRows = (count: number, bits: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => i * bits)

const concatenated = (parts: ReadonlyArray<Float64Array>): Float64Array =>
  Float64Array.from(parts.flatMap((p) => Array.from(p)))

/** mma from matrices to registers, wmma from matrices to a matrix. */
export const productLeft = (f: CapturedForm): ((tuple: number) => Uint32Array) => {
  const p = productOf(f)
  const mma = mmaOf(p)
  const d = fragmentOf('d', p, f.layouts, f.registers[3])
  const at = f.kind === 'wmma' ? byRows(d.rows * d.columns, d.bits) : bitsAt(d)
  return (tuple) => {
    const xs = Array.from({ length: f.times }, (_, q) =>
      operandsOf(f.name, tuple, q, [f.types[0], f.types[1], f.types[2]], f.m, f.n, f.k, f.k),
    )
    return laid(
      mma(
        concatenated(xs.map((x) => x.a)),
        concatenated(xs.map((x) => x.b)),
        concatenated(xs.map((x) => x.c)),
      ),
      d.bits,
      at,
    )
  }
}

/** wmma.mma of registers as they are. */
export const rawLeft = (f: CapturedForm): ((tuple: number) => Uint32Array) => {
  const p = productOf(f)
  const mma = mmaOf(p)
  const d = fragmentOf('d', p, f.layouts, f.registers[3])
  const inputs = (['a', 'b', 'c'] as const).map((which, i) => ({
    type: f.types[i]!,
    registers: f.registers[i]!,
    bitsOfElements: bitsAt(fragmentOf(which, p, f.layouts, f.registers[i]!)),
  }))
  const at = bitsAt(d)
  return (tuple) => {
    const r = new Random(`${f.name}#${String(tuple)}`)
    const matrices = inputs.map(({ type, registers, bitsOfElements }) => {
      const bits = bitsOf(type)
      const per = bits === 64 ? 1 : 32 / bits
      const drawn = Array.from({ length: registers * 32 * per }, () => moderate(type, r))
      return Float64Array.from(bitsOfElements.flatMap((bit) => drawn[bit / bits]!))
    })
    return laid(mma(matrices[0]!, matrices[1]!, matrices[2]!), d.bits, at)
  }
}

const which = (f: CapturedForm): 'a' | 'b' | 'c' | 'd' =>
  f.registers[0] > 0 ? 'a' : f.registers[1] > 0 ? 'b' : f.registers[2] > 0 ? 'c' : 'd'

/** Fragment and place in memory of each element that a load or store moves. */
export const moved = (
  f: CapturedForm,
): { readonly fragment: Fragment; readonly elements: ReadonlyArray<number> } => {
  const operand = which(f)
  const index = 'abcd'.indexOf(operand)
  const type = f.types[index] as WarpProduct['a']
  const p: WarpProduct = {
    instruction: 'wmma',
    shape: { m: f.m, n: f.n, k: f.k },
    products: 1,
    a: type,
    b: type,
    c: type as unknown as WarpProduct['c'],
    d: type as unknown as WarpProduct['d'],
    saturate: false,
    counts: null,
    rounding: 'rn',
  }
  const fragment = fragmentOf(operand, p, ['row', 'col'], f.registers[index]!)
  const { rows, columns } = fragment
  return {
    fragment,
    elements: Array.from({ length: rows * columns }, (_, i) => {
      const [r, c] = [Math.floor(i / columns), i % columns]
      return f.layouts[0] === 'row' ? r * columns + c : c * rows + r
    }),
  }
}
