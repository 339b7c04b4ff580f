/**
 * Copies into tensor memory, and shifts: which rows go to which lanes.
 *
 * A tcgen05.cp moves rows of 16 or 32 bytes from shared memory to lanes. A statement stands for one or more of them side by side: its two views
 * have one shape, and say for every element where it comes from and where it goes first; the copies in further lanes follow from the shape.
 *
 *     32x128b.warpx4, scales (128, 4) of a byte:   row x of the source at 16 (x mod 32) + 4 (x div 32), of the destination in lane x mod 32
 *
 * | rule                                                                                        | code          |
 * |---------------------------------------------------------------------------------------------|---------------|
 * | source and destination have one shape and dtype                                              | type.mismatch |
 * | the lanes are those in which the shape's rows begin (`layouts/tensor-memory/copy-shape.ts`)  | tcgen05.shape |
 * | every lane gets a whole number of rows, from 16-byte units that lie together in the source   | tcgen05.shape |
 * | a shift is of rows of 32 bytes, one a lane, at least two                                     | tcgen05.shape |
 *
 * Not asked: that the rows lie in the source at the strides of one matrix descriptor.
 *
 * Laws
 * 1. The table, row by row.
 *
 * Source: PTX ISA 9, tcgen05.cp, tcgen05.shift.
 */
import {
  copyColumns,
  copyLanes,
  copyRows,
  type CopyShape,
} from '../../../layouts/tensor-memory/copy-shape.js'
import { tmemLaneBytes } from '../../../layouts/tensor-memory/geometry.js'
import { bitsOf } from '../../../numerics/dtype.js'
import * as Ref from '../../../transforms/ref.js'
import { sameShape, showShape } from '../../../transforms/shape.js'
import { showType } from '../typecheck.js'
import type { Operands } from './operands.js'
import { type Checked, first, no } from './problem.js'

/** What the memory system moves as one. */
const unitBytes = 16

export const cpRules = (operand: Operands, shape: CopyShape): Checked => {
  const from = operand.view('source')
  const to = operand.view('destination')
  if (from === undefined || to === undefined) return null
  return first([
    () =>
      from.dtype === to.dtype && sameShape(from.layout.shape, to.layout.shape)
        ? null
        : no(
            'type.mismatch',
            `destination: expected ${from.dtype} ${showShape(from.layout.shape)} as in the source, found ${showType(to)}`,
          ),
    () => rowsToLanes(shape, from.layout, to.layout),
  ])
}

const rowsToLanes = (shape: CopyShape, from: Ref.TransformedRef, to: Ref.TransformedRef): Checked => {
  const source = Ref.swizzledAddresses(from, 0)
  const destination = Ref.swizzledAddresses(to, 0)
  const start = destination[0]!
  /** by unit of the destination: where its first byte comes from, and how many bits are told of */
  const units = new Map<number, { readonly from: number; bits: number }>()
  for (let i = 0; i < source.length; i++) {
    const at = destination[i]! - start
    const unit = Math.floor(at / unitBytes)
    const begins = source[i]! - (at - unit * unitBytes)
    const known = units.get(unit)
    if (known === undefined) units.set(unit, { from: begins, bits: from.bits })
    else if (known.from === begins) known.bits += from.bits
    else
      return no(
        'tcgen05.shape',
        `${shape}: ${String(unitBytes)} bytes of lane ${String(Math.floor((unit * unitBytes) / tmemLaneBytes))} come from bytes ${String(known.from)} and ${String(begins)} of the source: they must be contiguous`,
      )
  }
  const lanes = new Map<number, number>()
  for (const [unit, { from: begins, bits }] of units) {
    const lane = Math.floor((unit * unitBytes) / tmemLaneBytes)
    if (bits !== 8 * unitBytes || begins % unitBytes !== 0)
      return no(
        'tcgen05.shape',
        `${shape}: expected lanes in whole units of ${String(unitBytes)} bytes, from multiples of them, found ${String(bits / 8)} bytes from byte ${String(begins)} in lane ${String(lane)}`,
      )
    lanes.set(lane, (lanes.get(lane) ?? 0) + 1)
  }
  const wanted = Array.from({ length: copyRows(shape) }, (_, row) => copyLanes(shape, row)[0]!)
  const missing = wanted.find((lane) => !lanes.has(lane))
  const other = [...lanes.keys()].find((lane) => !wanted.includes(lane))
  if (missing !== undefined || other !== undefined)
    return no(
      'tcgen05.shape',
      `${shape} has ${String(wanted.length)} rows, in lanes ${String(wanted[0])} to ${String(wanted[wanted.length - 1])}, found ${missing === undefined ? `one in lane ${String(other)}` : `none in lane ${String(missing)}`}`,
    )
  const perRow = (copyColumns(shape) * 4) / unitBytes
  const uneven = [...lanes].find(([, count]) => count % perRow !== 0 || count !== lanes.get(wanted[0]!))
  return uneven === undefined
    ? null
    : no(
        'tcgen05.shape',
        `${shape}: expected rows of ${String(perRow * unitBytes)} bytes, the same number in every lane, found ${String(uneven[1] * unitBytes)} bytes in lane ${String(uneven[0])}`,
      )
}

const shiftBits = 256

export const shiftRules = (operand: Operands): Checked => {
  const view = operand.view('destination')
  if (view === undefined) return null
  const [rows = 0, columns = 0] = view.layout.shape
  if (view.layout.shape.length !== 2 || rows < 2 || columns * bitsOf(view.dtype) !== shiftBits)
    return no(
      'tcgen05.shape',
      `destination: a shift is of two or more rows of ${String(shiftBits / 8)} bytes, found ${showType(view)}`,
    )
  for (let row = 0; row < rows; row++) {
    const at = Ref.addressOf(view.layout, 0, [row, 0]) - Ref.addressOf(view.layout, 0, [0, 0])
    if (at !== row * tmemLaneBytes)
      return no(
        'tcgen05.shape',
        `destination: a shift goes from lane to lane, found row ${String(row)} ${String(at)} bytes after the first`,
      )
  }
  return null
}
