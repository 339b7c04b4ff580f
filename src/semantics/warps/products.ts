/**
 * Products of the matrices that a warp holds in its registers.
 *
 *     mma.sync.m16n8k16     rows of a, b and c become matrices (`fragments.ts`), these a product (`numerics/warp-product.ts`), that the rows of d
 *
 * An element that nothing has said makes those elements of d unknown that it goes into: of a its row, of b its column.
 *
 * Of a sparse product a has half of its elements, and a register says which (`sparsity.ts`).
 *
 * Laws
 * 1. d is the product of what the fragments hold, in every lane; other registers stay as they are.
 * 2. d may be c.
 *
 * Source: PTX ISA, mma, wmma.mma.
 */
import * as O from 'fp-ts/lib/Option.js'
import {
  warpMma,
  warpSparse,
  type SparseWarpMma,
  type WarpInput,
  type WarpMma,
  type WarpProduct,
} from '../../numerics/warp-product.js'
import { fragmentOf, gathered, placesOf, type Fragment, type Operand, type Places } from './fragments.js'
import type { ProductsOperation } from './operations/products.js'
import type { Dtype } from '../../numerics/dtype.js'
import type { FaultValue } from '../machine/value.js'
import type { Row } from '../machine/warp-stand.js'
import { selectedBy, type Selected } from './sparsity.js'
import { usesOf } from './uses.js'
import { forget, setAll, setLane, type Rows } from './rows.js'

type Multiply = Extract<ProductsOperation, { readonly _tag: 'multiply' }>

interface Held {
  readonly fragment: Fragment
  readonly places: Places
}

/** A product with what its names mean. */
export interface LinkedProduct {
  readonly mma: WarpMma | null
  /** of a sparse A, in place of it */
  readonly sparse: SparseWarpMma | null
  readonly a: Held
  readonly b: Held
  readonly c: Held
  readonly d: Held
}

/** What a fragment of A is one of: half of k is stored of a sparse one. */
const storedProduct = (o: Multiply): WarpProduct => {
  const { m, n, k } = o.product.shape
  return o.sparsity === null ? o.product : Object.assign({}, o.product, { shape: { m, n, k: k / 2 } })
}

/** None: there is no such product. */
export const linkedProduct = (o: Multiply): LinkedProduct | null => {
  const held = (operand: Operand): Held => {
    const rows = o[operand].length
    const registers = o.product[operand] === 'f64' ? rows / 2 : rows
    const p = operand === 'a' ? storedProduct(o) : o.product
    const fragment = fragmentOf(operand, p, o.layouts, registers)
    return { fragment, places: placesOf(fragment) }
  }
  const mma = o.sparsity === null ? O.toNullable(warpMma(o.product)) : null
  const sparse = o.sparsity === null ? null : O.toNullable(warpSparse(o.product))
  return mma === null && sparse === null
    ? null
    : { mma, sparse, a: held('a'), b: held('b'), c: held('c'), d: held('d') }
}

/** Elements of d that come from what nothing has said. */
const spoiled = (
  { product }: Multiply,
  stored: number,
  a: Uint8Array,
  b: Uint8Array,
  c: Uint8Array,
  selected: Selected | null,
): ReadonlyArray<boolean> => {
  const { m, n, k } = product.shape
  const rows = Array.from(
    { length: product.products * m },
    (_, i) => a.subarray(i * stored, (i + 1) * stored).includes(1) || selected?.unknown[i] === true,
  )
  const columns = Array.from({ length: product.products * n }, (_, at) => {
    const [q, j] = [Math.floor(at / n), at % n]
    for (let r = 0; r < k; r++) if (b[(q * k + r) * n + j] === 1) return true
    return false
  })
  return Array.from(c, (bad, at) => {
    const row = Math.floor(at / n)
    return bad === 1 || rows[row]! || columns[Math.floor(row / m) * n + (at % n)]!
  })
}

/** Puts a matrix into rows: first all words, for elements share them. */
const scattered = (
  r: Rows,
  { fragment, places }: Held,
  rows: ReadonlyArray<Row>,
  d: Float64Array,
  unknown: ReadonlyArray<boolean> | null,
): void => {
  const words = new Int32Array(rows.length * 32)
  const lost = new Int32Array(rows.length)
  const wide = fragment.bits === 64 ? 2 : 1
  for (let i = 0; i < fragment.rows * fragment.columns; i++)
    for (let w = 0; w < wide; w++) {
      const register = places.registers[i]! * wide + w
      const lane = places.lanes[i]!
      words[register * 32 + lane] = words[register * 32 + lane]! | (d[i * wide + w]! << places.shifts[i]!)
      if (unknown?.[i] === true) lost[register] = lost[register]! | (1 << lane)
    }
  for (let register = 0; register < rows.length; register++) {
    const row = rows[register]!
    for (let lane = 0; lane < 32; lane++) setLane(r, row, lane, words[register * 32 + lane]!)
    forget(r, row, lost[register]!)
  }
}

/** Bits of an element tell how its groups are stored. */
const storedAs = (type: WarpInput): Dtype => {
  switch (type) {
    case 's4':
    case 'u4':
      return 'e2m1'
    case 's8':
    case 'u8':
      return 'u8'
    case 'tf32':
      return 'tf32'
    case 'e4m3':
    case 'e5m2':
      return 'e4m3'
    default:
      return 'f16'
  }
}

/** Fault: metadata that mean nothing. */
export const multiply = (r: Rows, o: Multiply, linked: LinkedProduct): FaultValue | null => {
  const isShadow = r.shadow !== null
  if (isShadow && usesOf(o).reads.every((row) => r.unknown[row] === 0)) {
    for (const row of o.d) setAll(r, row, 0)
    return null
  }
  const selected =
    o.sparsity === null ? null : selectedBy(r, 'mma.sp', o.sparsity, storedAs(o.product.a), o.product.shape.k)
  if (selected !== null && 'code' in selected) return selected
  const take = (
    operand: 'a' | 'b' | 'c',
  ): { readonly matrix: Float64Array; readonly unknown: Uint8Array } => {
    const { fragment, places } = linked[operand]
    const unknown = new Uint8Array(fragment.rows * fragment.columns)
    return { matrix: gathered(r, fragment, places, o[operand], unknown), unknown }
  }
  const [a, b, c] = [take('a'), take('b'), take('c')]
  const whole =
    [a, b, c].every(({ unknown }) => !unknown.includes(1)) && selected?.unknown.includes(true) !== true
  const unknown = whole
    ? null
    : spoiled(o, linked.a.fragment.columns, a.unknown, b.unknown, c.unknown, selected)
  // where nothing is known, there is nothing to compute; over shadows nothing of a product is (`shadows.ts`)
  const d =
    isShadow || unknown?.every((x) => x) === true
      ? new Float64Array(c.matrix.length)
      : selected !== null
        ? linked.sparse!(a.matrix, selected.at, b.matrix, c.matrix)
        : linked.mma!(a.matrix, b.matrix, c.matrix)
  scattered(r, linked.d, o.d, d, unknown)
  return null
}
