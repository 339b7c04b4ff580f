/**
 * A launch of a module of PTX: its text, its launch file and the tensors beside it, as a program of warps with its arguments.
 *
 *     launchedPtx(files)('k.ptx', 'launch.json')        the program, its arguments, what its outputs should hold
 *
 * Every refusal names the file.
 *
 * Law 1. Parameters have the bytes of their arguments, at the offsets that the PTX gives them.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { bitsOf as bitsOfDtype, type Dtype } from '../../numerics/dtype.js'
import { didYouMean } from '../../nearest.js'
import { mapBytes, type MapFields } from '../../semantics/instructions/tma/object.js'
import { parseModule } from '../../dialects/ptx/index.js'
import { elaborate, type Elaborated, type EntryParameter } from '../../dialects/ptx/elaboration/elaborate.js'
import { bitsOf, isType } from '../../dialects/ptx/elaboration/types.js'
import {
  usualSharedBase,
  type GivenTensor,
  type MapOf,
  type PointerTo,
  type WarpArguments,
} from '../../semantics/execution/launch-warps.js'
import { asText, type Files } from '../tensor-files/files.js'
import { decodeNpy, descrBytes, shapeText, type NpyArray } from '../tensor-files/npy.js'
import { beside, inFile } from './beside.js'
import { dtypeNamed } from './file.js'
import {
  decodePtxLaunch,
  type PtxArgument,
  type PtxDescriptor,
  type PtxLaunch,
  type PtxScalar,
  type PtxTensor,
  type PtxTensorMap,
} from './ptx-file.js'

// ---------------------------------------------------------------- model

export interface LaunchedPtx {
  readonly elaborated: Elaborated
  readonly launch: PtxLaunch
  readonly arguments: WarpArguments
  /** element type, extents and expected bytes of what the kernel writes */
  readonly outputs: ReadonlyMap<
    string,
    { readonly dtype: string; readonly shape: ReadonlyArray<number>; readonly expected: NpyArray | null }
  >
}

// ---------------------------------------------------------------- bytes

/** Bytes of an element; 0 of what is no element type. */
const elementBytes = (dtype: string): number =>
  isType(dtype)
    ? Math.ceil(bitsOf(dtype) / 8)
    : dtype === 'e4m3' || dtype === 'e5m2' || dtype === 'i8'
      ? 1
      : /^i(16|32|64)$/u.test(dtype)
        ? Number(dtype.slice(1)) / 8
        : 0

/** A number in the type of PTX that is named; null: it does not have it. */
const scalarBytes = (type: string, value: number | string): Uint8Array | null => {
  const size = elementBytes(type)
  if (size === 0) return null
  const view = new DataView(new ArrayBuffer(size))
  if (type === 'f32' || type === 'f64') {
    const x = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
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

interface Laying {
  readonly bytes: Uint8Array
  readonly pointers: PointerTo[]
  readonly maps: MapOf[]
  readonly tensors: PtxTensor[]
}

const wrong = (what: string, expected: string, found: string): Failure =>
  failure('launch.parameter', `${what}: expected ${expected}, found ${found}`)

/** Bytes of the object that a map is, beside the parameters. */
const objectOf = (tensor: string): string => `the tensor map of ${tensor}`

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
    into.pointers.push({ offset: at, tensor: a.tensor })
    into.tensors.push(a)
    return null
  }
  const bytes = scalarBytes(a.type, a.value)
  if (bytes === null)
    return failure('launch.parameter', `${what}: ${JSON.stringify(a.value)} is no value of type ${a.type}`)
  if (bytes.length > room)
    return wrong(what, `at most ${String(room)} bytes`, `${String(bytes.length)} of type ${a.type}`)
  into.bytes.set(bytes, at)
  return null
}

const layArgument = (into: Laying, p: EntryParameter, a: PtxArgument): Failure | null => {
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
const numeric = ({ type, bytes }: EntryParameter): string =>
  type === 'f32' || type === 'f64' ? type : `b${String(8 * bytes)}`

// ---------------------------------------------------------------- tensor maps

const dtypeOf = (name: string): Dtype | null => {
  const named = dtypeNamed(name)
  if (named !== null) return named
  const signed = /^([sb])(8|16|32|64)$/u.exec(name)
  if (signed !== null) return dtypeNamed(`${signed[1] === 's' && signed[2] !== '8' ? 'i' : 'u'}${signed[2]!}`)
  return name === 'f64' ? 'u64' : null
}

const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)

/** What is said of a map, as the driver would be told it. */
const fieldsOf = (what: string, a: PtxTensorMap): MapFields | Failure => {
  const elements = dtypeOf(a.dtype)
  if (elements === null) return wrong(what, 'an element type of a tensor map', `'${a.dtype}'`)
  const rank = a.dims.length
  if (rank < 1 || rank > 5) return wrong(what, '1 to 5 dims', String(rank))
  const size = bitsOfDtype(elements) / 8
  const strides = a.strides ?? a.dims.slice(0, -1).map((_, k) => size * product(a.dims.slice(0, k + 1)))
  const elementStrides = a.elementStrides ?? a.dims.map(() => 1)
  for (const [name, list, length] of [
    ['box', a.box, rank],
    ['strides', strides, rank - 1],
    ['elementStrides', elementStrides, rank],
  ] as const)
    if (list.length !== length)
      return wrong(`${what}, ${name}`, `${String(length)} for ${String(rank)} dims`, String(list.length))
  if ((a.interleave ?? 0) !== 0)
    return wrong(
      `${what}, interleave`,
      'no interleaved slices, which are not described here',
      String(a.interleave),
    )
  const most = 4294967295
  const large = [...a.dims, ...a.box, ...elementStrides].find((n) => n > most)
  if (large !== undefined) return wrong(what, `extents up to ${String(most)}`, String(large))
  const { swizzle = 0 } = a
  if (swizzle !== 0 && swizzle !== 32 && swizzle !== 64 && swizzle !== 128)
    return wrong(`${what}, swizzle`, '0, 32, 64 or 128', String(swizzle))
  return { elements, dims: a.dims, strides, box: a.box, elementStrides, swizzle, fill: a.fill ?? 'zero' }
}

/** The tensor under a map; without extents of its own, the map's. */
const tensorOf = (a: PtxTensorMap): PtxTensor => ({
  tensor: a.tensor,
  dtype: a.dtype,
  shape: a.shape ?? [...a.dims].reverse(),
  ...(a.role === undefined ? {} : { role: a.role }),
  ...(a.file === undefined ? {} : { file: a.file }),
})

// ---------------------------------------------------------------- launches of Triton

/** The widest swizzle whose rows a row of the block fills. */
const swizzleOf = (bytes: number): 0 | 32 | 64 | 128 =>
  bytes % 128 === 0 ? 128 : bytes % 64 === 0 ? 64 : bytes % 32 === 0 ? 32 : 0

/** The map that Triton's host makes of a descriptor: a box is as wide as the swizzle at most, and a block may be several. */
const mapOfDescriptor = (a: PtxDescriptor): PtxTensorMap | Failure => {
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
  const width = a.block[rank - 1]!
  const swizzle = a.swizzle ?? swizzleOf(width * size)
  return {
    kind: 'tensormap',
    tensor: a.tensor,
    dtype: a.dtype,
    dims: [...a.shape].reverse(),
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

const scratch = 'global scratch'

/** Arguments as its kernel was called with them, as those of the entry: maps with extents and strides, and scratch behind them. */
const lowered = (
  l: PtxLaunch,
  args: ReadonlyArray<PtxArgument>,
  parameters: ReadonlyArray<EntryParameter>,
): ReadonlyArray<PtxArgument> | Failure => {
  const out: PtxArgument[] = []
  for (const a of args) {
    if (typeof a !== 'object' || a.kind !== 'tensordesc') {
      out.push(a)
      continue
    }
    const map = mapOfDescriptor(a)
    if (!('kind' in map)) return map
    out.push(map)
    for (const n of a.shape) out.push(n)
    for (const [k] of a.shape.entries()) out.push(a.strides?.[k] ?? product(a.shape.slice(k + 1)))
  }
  if (parameters.length - out.length === 2) {
    const each = l.extra?.['global_scratch_size']
    const bytes = typeof each === 'number' ? each * product(l.grid) * (l.num_ctas ?? 1) : 0
    out.push(bytes > 0 ? { tensor: scratch, dtype: 'b8', shape: [bytes], role: 'out' } : 0, 0)
  }
  return out
}

/** The arguments in the order of the parameters. */
const ordered = (
  l: PtxLaunch,
  parameters: ReadonlyArray<EntryParameter>,
): ReadonlyArray<PtxArgument> | Failure => {
  const isList = (a: PtxLaunch['args']): a is ReadonlyArray<PtxArgument> => Array.isArray(a)
  const { args } = l
  if (isList(args)) return l.num_warps === undefined ? args : lowered(l, args, parameters)
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return failure(
      'launch.arguments',
      `args: expected a parameter of the entry, found '${unknown}'; ${didYouMean(names)(unknown)}`,
    )
  const missing = names.find((name) => args[name] === undefined)
  return missing === undefined
    ? names.map((name) => args[name]!)
    : failure('launch.arguments', `args: expected an argument for ${missing}, found none`)
}

// ---------------------------------------------------------------- tensors

const roleOf = (launch: PtxLaunch, t: PtxTensor): GivenTensor['role'] =>
  t.role ?? (launch.outputs?.includes(t.tensor) === true ? (t.file === undefined ? 'out' : 'inout') : 'in')

const readNpy =
  (files: Files) =>
  (file: string): E.Either<Failure, NpyArray> =>
    pipe(
      files.read(file)(),
      E.chainW((bytes) => pipe(decodeNpy(bytes), E.mapLeft(inFile(file)))),
    )

/** A tensor of which everything is known. */
interface Whole {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}

const fits = (name: string, t: Whole, file: string, a: NpyArray): E.Either<Failure, NpyArray> => {
  const bytes = elementBytes(t.dtype)
  return a.shape.join() !== t.shape.join()
    ? refuse(
        'launch.tensor',
        `${file}: expected ${name} of shape ${shapeText(t.shape)}, found ${shapeText(a.shape)}`,
      )
    : a.data.length !== product(t.shape) * bytes
      ? refuse(
          'launch.tensor',
          `${file}: expected elements of ${String(bytes)} bytes for ${t.dtype}, found ${a.descr}`,
        )
      : E.right(a)
}

/** An element type by the kind and the bytes that a file says. */
const dtypeOfFile = ({ descr }: NpyArray): string =>
  `${descr.startsWith('f') ? 'f' : descr.startsWith('i') ? 's' : 'u'}${String(8 * descrBytes(descr))}`

/** A tensor of a launch, with what was there before and what is expected in it. */
interface Held {
  readonly given: GivenTensor
  readonly whole: Whole
  readonly expected: NpyArray | null
}

/** Reads the files of a tensor; `said` is all that is said of it, by any argument. */
const heldTensor =
  (files: Files, launchFile: string, launch: PtxLaunch) =>
  (t: PtxTensor, isMade: boolean): E.Either<Failure, Held> => {
    const own = beside(launchFile, `${t.tensor}.npy`)
    const role = roleOf(launch, t)
    const isOutput = launch.outputs?.includes(t.tensor) === true
    const beforeFile = isMade
      ? null
      : t.file !== undefined
        ? beside(launchFile, t.file)
        : role === 'out'
          ? null
          : own
    const before = beforeFile === null ? null : readNpy(files)(beforeFile)
    if (before !== null && E.isLeft(before)) return before
    const isExpected = isOutput && role !== 'in' && beforeFile !== own
    const read = isExpected ? readNpy(files)(own) : null
    // of an output that says its extents nothing need be there
    const behind =
      read !== null && E.isLeft(read) && read.left.code === 'file-missing' && t.shape !== undefined
        ? null
        : read
    if (behind !== null && E.isLeft(behind)) return behind
    const some = before?.right ?? behind?.right ?? null
    const shape = t.shape ?? some?.shape
    const dtype = t.dtype === undefined ? (some === null ? undefined : dtypeOfFile(some)) : shortName(t.dtype)
    if (shape === undefined || dtype === undefined)
      return refuse(
        'launch.tensor',
        `${launchFile}: ${t.tensor}: expected its element type and its extents, or a file that has them, found neither`,
      )
    const whole: Whole = { dtype, shape }
    const size = elementBytes(dtype)
    if (size === 0)
      return refuse('launch.tensor', `${launchFile}: ${t.tensor}: there is no element type ${dtype}`)
    const bytes = size * product(shape)
    if (bytes > mostTensorBytes)
      return refuse(
        'launch.tensor',
        `${launchFile}: ${t.tensor}: expected at most ${String(mostTensorBytes)} bytes, found ${String(bytes)}`,
      )
    for (const [file, a] of [
      [beforeFile ?? own, before],
      [own, behind],
    ] as const) {
      const bad = a === null ? null : fits(t.tensor, whole, file, a.right)
      if (bad !== null && E.isLeft(bad)) return bad
    }
    return E.right({
      given: {
        name: t.tensor,
        role,
        contents: before === null ? null : before.right.data,
        bytes,
        elements: null,
        symbol: t.symbol ?? null,
      },
      whole,
      expected: behind === null ? null : behind.right,
    })
  }

const mostTensorBytes = 2 ** 31 - 1

/** `torch.float16` and other names as PTX has them. */
const shortName = (name: string): string => (elementBytes(name) > 0 ? name : (dtypeNamed(name) ?? name))

/** All that arguments say of one tensor; what is said first goes before. */
const together = (all: ReadonlyArray<PtxTensor>): ReadonlyArray<PtxTensor> => {
  const out = new Map<string, PtxTensor>()
  for (const t of all) {
    const known = out.get(t.tensor)
    out.set(t.tensor, known === undefined ? t : { ...t, ...known })
  }
  return [...out.values()]
}

/** The module in a file, with its launch; `entry` goes before what the launch file says. */
export const launchedPtx =
  (files: Files) =>
  (file: string, launchFile: string): E.Either<Failure, LaunchedPtx> => {
    const read = pipe(
      E.Do,
      E.bindW('text', () => pipe(files.read(file)(), E.chainW(asText(file)))),
      E.bindW('json', () => pipe(files.read(launchFile)(), E.chainW(asText(launchFile)))),
      E.bindW('launch', ({ json }) => pipe(decodePtxLaunch(json), E.mapLeft(inFile(launchFile)))),
      E.bindW('elaborated', ({ text, launch }) =>
        pipe(
          parseModule(text),
          E.chainW((m) => elaborate(m, launch.kernel ?? null, file.split(/[/\\]/u).pop() ?? file)),
          E.mapLeft(inFile(file)),
        ),
      ),
    )
    if (E.isLeft(read)) return read
    const { launch, elaborated } = read.right
    const { parameters, program } = elaborated
    if (launch.num_ctas !== undefined && launch.num_ctas !== 1)
      return refuse(
        'launch.cluster',
        `${launchFile}: num_ctas: expected 1, for how blocks are shared by CTAs is in no PTX; found ${String(launch.num_ctas)}`,
      )
    const given = ordered(launch, parameters)
    if ('code' in given) return E.left(inFile(launchFile)(given))
    if (given.length !== parameters.length)
      return refuse(
        'launch.arguments',
        `${launchFile}: expected ${String(parameters.length)} arguments (${parameters.map((p) => `${p.name}: ${p.type}`).join(', ')}), found ${String(given.length)}`,
      )
    const block =
      launch.block ?? program.threads ?? (launch.num_warps === undefined ? null : [32 * launch.num_warps])
    if (block === null)
      return refuse(
        'launch.block',
        `${launchFile}: block: expected threads along x, y and z, for the entry does not say them`,
      )
    const laying: Laying = {
      bytes: new Uint8Array(program.parameterBytes),
      pointers: [],
      maps: [],
      tensors: [],
    }
    for (let i = 0; i < parameters.length; i++) {
      const bad = layArgument(laying, parameters[i]!, given[i]!)
      if (bad !== null) return E.left(inFile(launchFile)(bad))
    }
    for (const g of launch.globals ?? []) {
      if (g.kind !== 'tensormap') {
        laying.tensors.push(g)
        continue
      }
      const fields = fieldsOf(g.tensor, g)
      if (!('elements' in fields)) return E.left(inFile(launchFile)(fields))
      const object = objectOf(g.tensor)
      const { symbol } = g
      laying.tensors.push(tensorOf(g))
      laying.tensors.push({
        tensor: object,
        dtype: 'b8',
        shape: [mapBytes],
        role: 'in',
        ...(symbol === undefined ? {} : { symbol }),
      })
      laying.maps.push({ into: object, offset: 0, tensor: g.tensor, fields })
    }
    const tensors: GivenTensor[] = []
    const outputs = new Map<
      string,
      { dtype: string; shape: ReadonlyArray<number>; expected: NpyArray | null }
    >()
    const made = new Set(laying.maps.flatMap(({ into }) => (into === null ? [] : [into])))
    const all = together(laying.tensors)
    for (const t of all) {
      const held = heldTensor(files, launchFile, launch)(t, made.has(t.tensor))
      if (E.isLeft(held)) return held
      const { whole, expected } = held.right
      tensors.push(held.right.given)
      if (launch.outputs?.includes(t.tensor) === true)
        outputs.set(t.tensor, { dtype: whole.dtype, shape: whole.shape, expected })
    }
    const unknown = launch.outputs?.find((name) => !tensors.some((t) => t.name === name))
    if (unknown !== undefined)
      return refuse(
        'launch.outputs',
        `${launchFile}: outputs: expected a tensor of the arguments, found '${unknown}'; ${didYouMean(all.map((t) => t.tensor))(unknown)}`,
      )
    return E.right({
      elaborated,
      launch,
      arguments: {
        grid: launch.grid,
        block,
        cluster: launch.cluster ?? null,
        dynamicBytes: launch.shared ?? 0,
        parameters: laying.bytes,
        pointers: laying.pointers,
        maps: laying.maps,
        tensors,
        sharedBase: usualSharedBase,
      },
      outputs,
    })
  }
