/**
 * Matrices from shared memory into the registers of a warp, and back.
 *
 *     ldmatrix.x4 of 32 addresses        one load of 128 words, each lane four
 *     the same with .trans               one load of 512 bytes: a word of a lane is made of two rows
 *
 * To the machine it is a load or a store of the warp like any other: weak, of the generic proxy, of the bytes that are named and no others.
 *
 * | rule                                              | else              |
 * |---------------------------------------------------|-------------------|
 * | all lanes that the warp began with are there      | warp.aligned      |
 * | rows at multiples of 16                           | address.alignment |
 * | rows in the shared memory of the CTA              | matrix.space      |
 *
 * Source: PTX ISA, ldmatrix, stmatrix, movmatrix.
 */
import {
  matrixBytes,
  matrixRowBytes,
  rowsOfMatrix,
  type MatrixShape,
} from '../../../layouts/shared-memory/matrix-rows.js'
import type { Elements } from '../../machine/operation.js'
import * as V from '../../machine/value.js'
import type { FaultValue } from '../../machine/value.js'
import { nothing, part, type Part, type Receive, type Row } from '../../machine/warp-stand.js'
import { elementsOf, lanesOfWarp, reaches, type Here } from '../memory.js'
import type { MatricesOperation } from '../operations/matrices.js'
import type { Address } from '../program.js'
import { marked, markOf, markOfByte } from '../../../numerics/shadow.js'
import { originOf } from '../origins.js'
import { setLane, wordAt, type Rows } from '../rows.js'
import { carrierAt } from '../shadows.js'

type Of<K extends MatricesOperation['_tag']> = Extract<MatricesOperation, { readonly _tag: K }>

const everyLane: ReadonlyArray<number> = Array.from({ length: 32 }, (_, lane) => lane)

/** None of the lanes may have ended; that the others are together is seen before (`meeting.ts`). */
export const wholeWarp = (h: Here, what: string, mask: number): FaultValue | null => {
  return mask === -1 || mask === lanesOfWarp(h)
    ? null
    : V.fault('warp.aligned', `${what}: expected all lanes of the warp, and some have ended`)
}

/** Where each row begins, in the CTA's own shared memory. */
const rowStarts = (
  h: Here,
  what: string,
  address: Address,
  shape: MatrixShape,
  count: number,
): ReadonlyArray<number> | FaultValue => {
  const rows = count * rowsOfMatrix(shape)
  const found = reaches(h, address, matrixRowBytes, rows === 32 ? -1 : (1 << rows) - 1)
  if ('code' in found) return found
  const [reach] = found
  return found.length === 1 && reach?.target._tag === 'plane' && reach.target.plane === h.shared
    ? reach.bytes
    : V.fault('matrix.space', `${what}: expected rows in the shared memory of the CTA`)
}

/** The bytes of a fragment, lane by lane; as words, where the bytes of every register lie together. */
const wordwise = (shape: MatrixShape, transposed: boolean): boolean =>
  !transposed && (shape === 'm8n8' || shape === 'm8n16')

const byteAddress = (starts: ReadonlyArray<number>, at: number): number =>
  starts[Math.floor(at / matrixRowBytes)]! + (at % matrixRowBytes)

const fragment = (h: Here, starts: ReadonlyArray<number>, bytes: Int32Array, inWords: boolean): Elements => {
  const addresses: number[] = []
  for (let i = 0; i < bytes.length; i += inWords ? 4 : 1) addresses.push(byteAddress(starts, bytes[i]!))
  return inWords
    ? elementsOf(h.world, h.shared, addresses, 'i32', 4, 1)
    : elementsOf(h.world, h.shared, addresses, 'u8', 1, 1)
}

// ---------------------------------------------------------------- loads

const load = (h: Here, o: Of<'loadMatrices'>): ReadonlyArray<Part> | FaultValue => {
  const starts = rowStarts(h, 'ldmatrix', o.from, o.shape, o.count)
  if ('code' in starts) return starts
  const bytes = matrixBytes(o.shape, o.transposed, o.count)
  if (o.stored === 4 || o.stored === 6) {
    const { stored } = o
    const addresses: number[] = []
    const shifts: number[] = []
    for (const at of bytes) {
      // the element of that number, in its row of packed ones
      const bit = stored * (at % matrixRowBytes)
      const first = starts[Math.floor(at / matrixRowBytes)]! + Math.floor(bit / 8)
      shifts.push(bit % 8)
      addresses.push(first, (bit % 8) + stored > 8 ? first + 1 : first)
    }
    return [
      part(loadOf(elementsOf(h.world, h.shared, addresses, 'u8', 1, 1)), {
        _tag: 'fields',
        lanes: everyLane,
        to: o.to,
        bits: stored,
        shifts,
      }),
    ]
  }
  const inWords = wordwise(o.shape, o.transposed)
  const receive: Receive = {
    _tag: inWords ? 'words' : 'bytes',
    lanes: everyLane,
    to: o.to,
    bits: 32,
    signed: false,
  }
  return [part(loadOf(fragment(h, starts, bytes, inWords)), receive)]
}

const loadOf = (source: Elements): Part['prepared'] => ({
  _tag: 'load',
  source,
  mask: null,
  other: null,
  outside: 'zero',
})

// ---------------------------------------------------------------- stores

const dataOf = (h: Here, value: ReadonlyArray<Row>, inWords: boolean): Float64Array => {
  const width = inWords ? 1 : 4
  const out = new Float64Array(32 * value.length * width)
  for (const lane of everyLane)
    value.forEach((row, k) => {
      const word = wordAt(h.rows, row, lane)
      const carrier = carrierAt(h.rows, row, lane, word)
      const at = (lane * value.length + k) * width
      if (inWords) out[at] = carrier
      else
        for (let b = 0; b < 4; b++)
          out[at + b] = marked((word >>> (8 * b)) & 0xff, markOfByte(markOf(carrier), b))
    })
  return out
}

const store = (h: Here, o: Of<'storeMatrices'>): ReadonlyArray<Part> | FaultValue => {
  const starts = rowStarts(h, 'stmatrix', o.into, o.shape, o.count)
  if ('code' in starts) return starts
  const inWords = wordwise(o.shape, o.transposed)
  const bytes = matrixBytes(o.shape, o.transposed, o.count)
  return [
    part(
      {
        _tag: 'store',
        destination: fragment(h, starts, bytes, inWords),
        data: dataOf(h, o.value, inWords),
        origin: originOf(h.rows, o.value, everyLane, 4, V.otherOrigin),
      },
      nothing,
    ),
  ]
}

// ---------------------------------------------------------------- registers

/** movmatrix: lane l has columns 2(l%4) and 2(l%4)+1 of row l/4, before and after. It is silent. */
export const transpose = (r: Rows, { to, from }: Of<'transposeMatrix'>): void => {
  const words = everyLane.map((lane) => wordAt(r, from, lane))
  const unknown = r.unknown[from]!
  for (const lane of everyLane) {
    const row = Math.floor(lane / 4)
    let word = 0
    let known = true
    for (const half of [0, 1]) {
      const source = 4 * (2 * (lane % 4) + half) + Math.floor(row / 2)
      word |= ((words[source]! >>> (16 * (row % 2))) & 0xffff) << (16 * half)
      if ((unknown & (1 << source)) !== 0) known = false
    }
    setLane(r, to, lane, word)
    if (!known) r.unknown[to] = r.unknown[to]! | (1 << lane)
  }
}

/** The effects of what moves matrices through shared memory. */
export const matrices = (
  h: Here,
  o: Of<'loadMatrices'> | Of<'storeMatrices'>,
  mask: number,
): ReadonlyArray<Part> | FaultValue => {
  const apart = wholeWarp(h, o._tag === 'loadMatrices' ? 'ldmatrix' : 'stmatrix', mask)
  if (apart !== null) return apart
  return o._tag === 'loadMatrices' ? load(h, o) : store(h, o)
}
