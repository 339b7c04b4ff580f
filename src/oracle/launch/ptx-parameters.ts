/**
 * Parameters of an entry: the bytes of each, from its argument.
 *
 *     .param .u64 x, .param .u32 n        {"tensor": "x", ...}, 512        the address of x at 0, 512 in the four bytes at 8
 *
 * Law 1. Parameters have the bytes of their arguments, at the offsets that the PTX gives them, and no others.
 *
 * Source: PTX ISA, kernel function parameters.
 */
import { failure, type Failure } from '../../failure.js'
import { mapBytes } from '../../semantics/instructions/tma/object.js'
import type { EntryParameter } from '../../dialects/ptx/elaboration/elaborate.js'
import { bitsOf, isType } from '../../dialects/ptx/elaboration/types.js'
import type { MapOf, PointerTo } from '../../semantics/execution/launch-warps.js'
import { fieldsOf, tensorOf, wrong } from './ptx-maps.js'
import type { PtxArgument, PtxScalar, PtxTensor, PtxTensorMap } from './ptx-file.js'

// ---------------------------------------------------------------- bytes

/** Bytes of an element; 0 of what is no element type. */
export const elementBytes = (dtype: string): number =>
  isType(dtype)
    ? Math.ceil(bitsOf(dtype) / 8)
    : dtype === 'e4m3' || dtype === 'e5m2' || dtype === 'i8'
      ? 1
      : /^i(16|32|64)$/u.test(dtype)
        ? Number(dtype.slice(1)) / 8
        : 0

/** A number in the type of PTX that is named; null: it does not have it. */
export const scalarBytes = (type: string, value: number | string): Uint8Array | null => {
  const size = elementBytes(type)
  if (size === 0) return null
  const view = new DataView(new ArrayBuffer(size))
  if (type === 'f32' || type === 'f64') {
    const x =
      typeof value === 'string' && value.trim() !== ''
        ? Number(value.replace(/^([+-]?)inf$/iu, '$1Infinity'))
        : value
    if (typeof x !== 'number' || (Number.isNaN(x) && value !== 'nan')) return null
    if (type === 'f32') view.setFloat32(0, x, true)
    else view.setFloat64(0, x, true)
    return new Uint8Array(view.buffer)
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return null
  if (typeof value === 'string' && !/^-?\d+$/u.test(value)) return null
  const bits = BigInt(value)
  const width = BigInt(8 * size)
  const least = type.startsWith('u') ? 0n : -(1n << (width - 1n))
  const most = type.startsWith('s') ? (1n << (width - 1n)) - 1n : (1n << width) - 1n
  if (bits < least || bits > most) return null
  for (let b = 0; b < size; b++) view.setUint8(b, Number((bits >> BigInt(8 * b)) & 0xffn))
  return new Uint8Array(view.buffer)
}

// ---------------------------------------------------------------- arguments

/** Parameters as they are laid, with the tensors that they speak of. */
export interface Laying {
  readonly bytes: Uint8Array
  readonly pointers: PointerTo[]
  readonly maps: MapOf[]
  readonly tensors: PtxTensor[]
}

/** Bytes of the object that a map is, beside the parameters. */
export const objectOf = (tensor: string): string => `the tensor map of ${tensor}`

const layMap = (into: Laying, what: string, a: PtxTensorMap, at: number, room: number): Failure | null => {
  const fields = fieldsOf(what, a)
  if (!('elements' in fields)) return fields
  into.tensors.push(tensorOf(a))
  if (room >= mapBytes) {
    into.maps.push({ into: null, offset: at, tensor: a.tensor, fields })
    return null
  }
  if (room < 8)
    return wrong(what, `${String(mapBytes)} bytes for the tensor map of ${a.tensor}`, String(room))
  const object = objectOf(a.tensor)
  into.pointers.push({ offset: at, tensor: object })
  into.tensors.push({ tensor: object, dtype: 'b8', shape: [mapBytes], role: 'in' })
  into.maps.push({ into: object, offset: 0, tensor: a.tensor, fields })
  return null
}

const lay = (
  into: Laying,
  what: string,
  a: PtxTensor | PtxScalar | PtxTensorMap,
  at: number,
  room: number,
): Failure | null => {
  if (a.kind === 'tensormap') return layMap(into, what, a, at, room)
  if (a.kind !== 'scalar') {
    if (room < 8) return wrong(what, `8 bytes for the address of ${a.tensor}`, String(room))
    into.pointers.push({ offset: at, tensor: a.tensor, ...(a.at === undefined ? {} : { at: a.at }) })
    into.tensors.push(a)
    return null
  }
  if (elementBytes(a.type) === 0)
    return failure('launch.parameter', `${what}: there is no type ${a.type} of numbers`)
  const bytes = scalarBytes(a.type, a.value)
  if (bytes === null)
    return failure('launch.parameter', `${what}: ${JSON.stringify(a.value)} is not a value of type ${a.type}`)
  if (bytes.length > room)
    return wrong(what, `at most ${String(room)} bytes`, `${String(bytes.length)} of type ${a.type}`)
  into.bytes.set(bytes, at)
  return null
}

/** What is filled: a parameter, or memory that holds the same. */
export type Slot = Pick<EntryParameter, 'name' | 'type' | 'offset' | 'bytes'>

export const layArgument = (into: Laying, p: Slot, a: PtxArgument): Failure | null => {
  if (typeof a === 'string' && scalarBytes(numeric(p), a) === null)
    return p.bytes === 8
      ? lay(into, p.name, { tensor: a }, p.offset, p.bytes)
      : wrong(p.name, `a number of type ${numeric(p)}`, `'${a}'`)
  if (typeof a !== 'object')
    return lay(
      into,
      p.name,
      { kind: 'scalar', type: numeric(p), value: typeof a === 'boolean' ? Number(a) : a },
      p.offset,
      p.bytes,
    )
  if (a.kind === 'tensordesc')
    return wrong(p.name, 'a tensor map', 'a descriptor, which a launch of Triton has: it says num_warps')
  if (a.kind !== 'struct') {
    if (a.kind === 'scalar' && elementBytes(a.type) === 0)
      return failure('launch.parameter', `${p.name}: there is no type ${a.type} of numbers`)
    const sizes = a.kind === 'tensormap' ? [mapBytes, 8] : [a.kind === 'scalar' ? elementBytes(a.type) : 8]
    return sizes.includes(p.bytes)
      ? lay(into, p.name, a, p.offset, p.bytes)
      : wrong(p.name, `${String(p.bytes)} bytes`, String(sizes[0]))
  }
  if (a.bytes !== p.bytes) return wrong(p.name, `${String(p.bytes)} bytes`, `a struct of ${String(a.bytes)}`)
  for (const f of a.fields) {
    const at = f.offset ?? 0
    const bad = lay(into, `${p.name}, offset ${String(at)}`, f, p.offset + at, Math.max(0, p.bytes - at))
    if (bad !== null) return bad
  }
  return null
}

/** A parameter that says only how wide it is holds an integer. */
export const numeric = ({ type, bytes }: Pick<EntryParameter, 'type' | 'bytes'>): string =>
  type === 'f32' || type === 'f64' ? type : `b${String(8 * bytes)}`
