/**
 * Tensor maps of a launch: what a launch file or a command line says of one, as the driver would be told it.
 *
 * | said                                    | innermost first        | strides                         | the box                                        |
 * |-----------------------------------------|------------------------|---------------------------------|------------------------------------------------|
 * | `tensormap`, as the driver takes it     | dims, box, strides     | bytes, of all but the innermost | as it is said                                  |
 * | `tensordesc`, as Triton's host takes it | no: outermost first    | elements, of every dimension    | a row is cut to the swizzle, others to 256     |
 *
 * A `tensormap` with a window is one of columns of pixels (`layouts/shared-memory/im2col.ts`), as cuTensorMapEncodeIm2col makes it: its box is then channels and pixels.
 *
 * Law 1. A map without gaps has the strides of a row-major tensor.
 *
 * Source: CUDA driver API, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col; PTX ISA, tensors.
 */
import { failure, type Failure } from '../../failure.js'
import { bitsOf as bitsOfDtype, type Dtype } from '../../numerics/dtype.js'
import type { MapFields } from '../../semantics/instructions/tma/object.js'
import { dtypeNamed } from './file.js'
import type { PtxDescriptor, PtxTensor, PtxTensorMap } from './ptx-file.js'

/** A refusal of what a parameter is given. */
export const wrong = (what: string, expected: string, found: string): Failure =>
  failure('launch.parameter', `${what}: expected ${expected}, found ${found}`)

export const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

// ---------------------------------------------------------------- tensor maps

/** An element type of tensor cores, by its name in PTX or elsewhere; of 64-bit floats the integers, as wide. */
export const dtypeOf = (name: string): Dtype | null => {
  const named = dtypeNamed(name)
  if (named !== null) return named
  const signed = /^([sb])(8|16|32|64)$/u.exec(name)
  if (signed !== null) return dtypeNamed(`${signed[1] === 's' && signed[2] !== '8' ? 'i' : 'u'}${signed[2]!}`)
  return name === 'f64' ? 'u64' : null
}

/** Bits of the elements of a map that memory holds as bytes; null of any other. */
const packedBits = (elements: PtxTensorMap['elements']): 4 | 6 | null =>
  elements === 'b4x16' || elements === 'b4x16_p64' ? 4 : elements === 'b6x16_p32' ? 6 : null

/** What is said of a map, as the driver would be told it. */
export const fieldsOf = (what: string, a: PtxTensorMap): MapFields | Failure => {
  const dtype = dtypeOf(a.dtype)
  if (dtype === null) return wrong(what, 'an element type of a tensor map', `'${a.dtype}'`)
  const elements = a.elements ?? dtype
  const packed = packedBits(a.elements)
  const holds = packed === null ? 'f32' : 'u8'
  if (a.elements !== undefined && dtype !== holds)
    return wrong(`${what}, elements`, `a tensor of ${holds} where the map says ${a.elements}`, dtype)
  const rank = a.dims.length
  if (rank < 1 || rank > 5) return wrong(what, '1 to 5 dims', String(rank))
  const size = (packed ?? bitsOfDtype(dtype)) / 8
  const strides = a.strides ?? a.dims.slice(0, -1).map((_, k) => size * product(a.dims.slice(0, k + 1)))
  const elementStrides = a.elementStrides ?? a.dims.map(() => 1)
  for (const [name, list, length] of [
    ['box', a.box, a.window === undefined ? rank : 2],
    ['strides', strides, rank - 1],
    ['elementStrides', elementStrides, rank],
    ...(a.window === undefined
      ? []
      : ([
          ['window.lower', a.window.lower, rank - 2],
          ['window.upper', a.window.upper, rank - 2],
        ] as const)),
  ] as const)
    if (list.length !== length)
      return wrong(`${what}, ${name}`, `${String(length)} for ${String(rank)} dims`, String(list.length))
  if ((a.interleave ?? 0) !== 0)
    return wrong(
      `${what}, interleave`,
      'no interleaved slices, which are not described here',
      String(a.interleave),
    )
  const far = [...(a.window?.lower ?? []), ...(a.window?.upper ?? [])].find((n) => n < -32768 || n > 32767)
  if (far !== undefined) return wrong(`${what}, window`, 'corners from -32768 to 32767', String(far))
  const most = 4294967295
  const large = [...a.dims, ...a.box, ...elementStrides].find((n) => n > most)
  if (large !== undefined) return wrong(what, `extents up to ${String(most)}`, String(large))
  const { swizzle = 0 } = a
  if (swizzle !== 0 && swizzle !== 32 && swizzle !== 64 && swizzle !== 128)
    return wrong(`${what}, swizzle`, '0, 32, 64 or 128', String(swizzle))
  return {
    elements,
    dims: a.dims,
    strides,
    box: a.box,
    elementStrides,
    window: a.window ?? null,
    swizzle,
    fill: a.fill ?? 'zero',
  }
}

/** Elements of a row, as memory holds them. */
const bytesOfRow = (a: PtxTensorMap, elements: number): number => {
  const packed = packedBits(a.elements)
  return packed === null ? elements : Math.ceil((elements * packed) / 8)
}

/** The tensor under a map; without extents of its own, the map's. */
export const tensorOf = (a: PtxTensorMap): PtxTensor => ({
  tensor: a.tensor,
  // memory holds f32, whatever a copy makes of it
  dtype: a.dtype === 'tf32' ? 'f32' : a.dtype,
  shape: a.shape ?? [...a.dims].reverse().map((n, d, all) => (d === all.length - 1 ? bytesOfRow(a, n) : n)),
  ...(a.role === undefined ? {} : { role: a.role }),
  ...(a.file === undefined ? {} : { file: a.file }),
})

// ---------------------------------------------------------------- descriptors of Triton

/** The widest swizzle whose rows a row of the block fills. */
export const swizzleOf = (bytes: number): 0 | 32 | 64 | 128 =>
  bytes % 128 === 0 ? 128 : bytes % 64 === 0 ? 64 : bytes % 32 === 0 ? 32 : 0

/** The map that Triton's host makes of a descriptor: a box is as wide as the swizzle at most, and a block may be several. */
export const mapOfDescriptor = (a: PtxDescriptor): PtxTensorMap | Failure => {
  const elements = dtypeOf(a.dtype)
  if (elements === null) return wrong(a.tensor, 'an element type of a tensor map', `'${a.dtype}'`)
  const size = bitsOfDtype(elements) / 8
  const rank = a.shape.length
  const strides = a.strides ?? a.shape.map((_, k) => product(a.shape.slice(k + 1)))
  if (rank < 1 || a.block.length !== rank || strides.length !== rank)
    return wrong(
      a.tensor,
      'as many extents of block and strides as of the shape',
      `${String(a.block.length)}, ${String(strides.length)} and ${String(rank)}`,
    )
  const padded = a.fp4Padded === true
  if (padded && size !== 1) return wrong(a.tensor, 'bytes, of two numbers of 4 bits each', `'${a.dtype}'`)
  // in numbers of 4 bits, each of which takes a byte of shared memory
  const width = a.block[rank - 1]! * (padded ? 2 : 1)
  const swizzle = a.swizzle ?? swizzleOf(width * size)
  const dims = [...a.shape].reverse().map((n, d) => (padded && d === 0 ? 2 * n : n))
  return {
    kind: 'tensormap',
    tensor: a.tensor,
    dtype: padded ? 'u8' : a.dtype,
    dims,
    ...(padded ? { elements: 'b4x16_p64' as const } : {}),
    strides: strides
      .slice(0, -1)
      .reverse()
      .map((s) => s * size),
    box: [
      swizzle === 0 ? width : Math.min(width, swizzle / size),
      ...a.block
        .slice(0, -1)
        .reverse()
        .map((n) => Math.min(n, 256)),
    ],
    swizzle,
    ...(a.padding === undefined ? {} : { fill: a.padding }),
    shape: a.shape,
    ...(a.role === undefined ? {} : { role: a.role }),
    ...(a.file === undefined ? {} : { file: a.file }),
  }
}
