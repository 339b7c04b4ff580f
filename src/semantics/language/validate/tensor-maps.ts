/**
 * Tensor maps and the copies that go through them.
 *
 * A tensor map (a descriptor) is a box in a tensor of rank 1 to 5. The hardware takes only some of them, and the copy engine only
 * some destinations. All that does not depend on run-time values is decided here, as A4.
 *
 * | what                         | rule                                                      |
 * |------------------------------|-----------------------------------------------------------|
 * | rank                         | 1 to 5                                                    |
 * | box                          | 1 to 256 in each dimension                                |
 * | inner box dimension          | a multiple of 16 bytes, and within the swizzle            |
 * | strides                      | the innermost 1, the others multiples of 16 bytes         |
 * | element strides              | 1 to 8                                                    |
 * | shared memory of a copy      | 128-byte aligned, the box's elements, the tensor's dtype  |
 * | coordinates                  | as many as the rank; a store starts at 0 or more          |
 * | gather, scatter              | sm100a; four rows a message, boxes (1, n) of a matrix     |
 * | ctaGroup 2                   | sm100a, clusters of an even number of CTAs                |
 * | reduce                       | the dtypes of its kind                                    |
 *
 * For f16 and a swizzle of 128 bytes a box is at most (256, 64): 64 elements are 128 bytes. A ring of (n, 3, 16) f16 has slots of
 * 96 bytes, so no copy through `slot(ring, k)` is lawful.
 *
 * Laws
 * 1. Each row of the table: what breaks it alone is refused, with its code; the nearest lawful one is accepted.
 * 2. A rule that depends on a run-time value is not decided here.
 *
 * Source: CUDA driver API, cuTensorMapEncodeTiled; PTX ISA 9, cp.async.bulk.tensor.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Box } from '../../../layouts/shared-memory/box-image.js'
import { checkBox, isPadded } from '../../../layouts/shared-memory/box-image.js'
import { bitsOf } from '../../../numerics/dtype.js'
import { showShape, sizeOf } from '../../../transforms/shape.js'
import type { ExprNode } from '../expression.js'
import type { ReduceKind } from '../instruction.js'
import { mostElements } from '../limits.js'
import type { DescriptorParam } from '../program.js'
import { reducible } from '../signature.js'
import { baseOf, constantOf, descriptorOf, showType } from '../typecheck.js'
import { onArch } from './matrix.js'
import type { Operands } from './operands.js'
import { type Checked, each, first, no } from './problem.js'
import { type Here, type Scene, environment } from './scope.js'

// ---------------------------------------------------------------- maps

/** What a box may be: the rules of `checkBox`, as A4. */
export const boxRules = (name: string, box: Box): Checked => {
  const checked = checkBox(box)
  if (E.isLeft(checked)) return no('A4', `${name}: ${checked.left.message}`)
  return sizeOf(box.extents) <= mostElements
    ? null
    : no('A4', `${name}: a box has at most ${String(mostElements)} elements, found ${showShape(box.extents)}`)
}

/** A descriptor parameter. */
export const descriptorRules = (scene: Scene, param: DescriptorParam): Checked => {
  const { name, dims, strides, box, elementStrides } = param
  const tensor = scene.declarations.params.get(param.tensor)
  if (tensor?._tag !== 'tensor')
    return no('param.unknown', `descriptor ${name}: there is no tensor parameter ${param.tensor}`)
  const bits = bitsOf(tensor.dtype)
  const unit = isPadded({ bits, padded: param.padded === true }) ? 32 : 16
  return first([
    () =>
      dims.length === box.length && strides.length === box.length && elementStrides.length === box.length
        ? null
        : no(
            'param.shape',
            `descriptor ${name}: dims, strides, box and elementStrides must have one rank, found ${[dims, strides, box, elementStrides].map(({ length }) => String(length)).join(', ')}`,
          ),
    () =>
      param.padded === true && bits !== 4
        ? no('A4', `descriptor ${name}: elements of 4 bits are padded or not, found ${tensor.dtype}`)
        : null,
    () =>
      boxRules(`descriptor ${name}`, {
        bits,
        extents: box,
        elementStrides,
        swizzle: param.swizzle,
        padded: param.padded === true,
      }),
    () =>
      each(strides, (stride, k) => {
        const elements = constantOf(stride)
        if (elements === undefined) return null
        if (k === strides.length - 1)
          return elements === 1
            ? null
            : no('A4', `descriptor ${name}: the innermost stride must be 1, found ${String(elements)}`)
        return ((elements * bits) / 8) % unit === 0
          ? null
          : no(
              'A4',
              `descriptor ${name}: stride ${String(k)} must be a multiple of ${String(unit)} bytes, found ${String((elements * bits) / 8)}`,
            )
      }),
  ])
}

// ---------------------------------------------------------------- copies

/** A4 where it can be known: some copy through this view is not 128-byte aligned. */
const aligned = (here: Here, operand: Operands, field: string): Checked => {
  const expr = operand.expr(field)
  const base = expr === undefined ? undefined : baseOf(environment(here))(expr)
  if (base === undefined || (base.offset % 128 === 0 && base.step % 128 === 0)) return null
  return no(
    'A4',
    `${field}: a bulk tensor copy needs shared memory aligned to 128 bytes, found a view at ${String(base.offset)}${base.step === 0 ? '' : ` plus multiples of ${String(base.step)}`} bytes`,
  )
}

/** A copy between the box of a descriptor and a view in `field`. `coords`: how many; `size` null: the box is no measure of the view. */
export const copyRules = (
  here: Here,
  operand: Operands,
  field: string,
  coords: number | null,
  size: number | null,
): Checked => {
  const type = operand.type('descriptor')
  const view = operand.view(field)
  const expr = operand.expr('descriptor')
  if (type?._tag !== 'descriptor' || view === undefined || expr === undefined) return null
  const param = descriptorOf(environment(here))(expr)
  const elements = param === undefined ? null : sizeOf(param.box)
  return first([
    () =>
      coords === null || coords === type.rank
        ? null
        : no(
            'type.shape',
            `coords: a descriptor of rank ${String(type.rank)} needs as many coordinates, found ${String(coords)}`,
          ),
    () =>
      view.dtype === type.dtype
        ? null
        : no(
            'type.mismatch',
            `${field}: expected ${type.dtype} as in the descriptor, found ${showType(view)}`,
          ),
    () =>
      size === null || elements === null || elements === sizeOf(view.layout.shape)
        ? null
        : no(
            'type.shape',
            `${field}: the box ${showShape(param!.box)} has ${String(elements)} elements, found ${showType(view)}`,
          ),
    () => aligned(here, operand, field),
  ])
}

/** No constant coordinate is negative. */
export const notNegative = (coords: ReadonlyArray<ExprNode>): Checked =>
  each(coords, (coord, k) => {
    const at = constantOf(coord)
    return at !== undefined && at < 0
      ? no('A4', `coords[${String(k)}]: a store starts at 0 or more, found ${String(at)}`)
      : null
  })

// ---------------------------------------------------------------- other modes

/** Rows through a map: four a message, boxes of one row, and an image of them all. */
export const rowRules = (here: Here, operand: Operands, name: string, field: string): Checked => {
  const type = operand.type('descriptor')
  const rows = operand.tile('rows')
  const view = operand.view(field)
  const expr = operand.expr('descriptor')
  if (type?._tag !== 'descriptor' || rows === undefined || view === undefined || expr === undefined)
    return null
  const box = descriptorOf(environment(here))(expr)?.box
  const count = rows.shape[0] ?? 0
  return first([
    () => onArch(here, name, 'sm100a'),
    () =>
      type.rank === 2 && (box === undefined || box[0] === 1)
        ? null
        : no(
            'A4',
            `descriptor: rows are gathered and scattered through boxes (1, n) of a matrix, found ${box === undefined ? `rank ${String(type.rank)}` : showShape(box)}`,
          ),
    () =>
      count > 0 && count % 4 === 0
        ? null
        : no('type.shape', `rows: expected a multiple of four rows, found ${String(count)}`),
    () =>
      box === undefined || count * box[1]! === sizeOf(view.layout.shape)
        ? null
        : no(
            'type.shape',
            `${field}: ${String(count)} rows of ${String(box[1])} have ${String(count * box[1]!)} elements, found ${showType(view)}`,
          ),
    () => copyRules(here, operand, field, null, null),
  ])
}

/** CTAs pair up on one architecture, and in clusters of an even number. */
export const groupRules = (here: Here, name: string, group: 1 | 2): Checked => {
  if (group === 1) return null
  const ctas = here.scene.program.launch.cluster.reduce((n, c) => n * c, 1)
  return first([
    () => onArch(here, `${name} with ctaGroup 2`, 'sm100a'),
    () =>
      ctas % 2 === 0
        ? null
        : no('launch.grid', `ctaGroup: CTAs pair up in a cluster of an even number, found ${String(ctas)}`),
  ])
}

/** Reductions of single elements by a thread, asynchronously: of integers of 32 bits, and sums of u64. */
export const asyncReduceRules = (operand: Operands, kind: ReduceKind): Checked => {
  const into = operand.view('destination')
  const of = reducible[kind].filter((d) => d === 'i32' || d === 'u32' || (d === 'u64' && kind === 'add'))
  return into === undefined || of.includes(into.dtype)
    ? null
    : no('A4', `kind: ${kind} is a reduction of ${of.join(', ')}, found a destination of ${into.dtype}`)
}

/** The kind of a reduction takes the elements of the tensor. */
export const reduceRules = (operand: Operands, kind: ReduceKind): Checked => {
  const type = operand.type('descriptor')
  return type?._tag !== 'descriptor' || reducible[kind].includes(type.dtype)
    ? null
    : no(
        'A4',
        `kind: ${kind} is a reduction of ${reducible[kind].join(', ')}, found a descriptor of ${type.dtype}`,
      )
}
