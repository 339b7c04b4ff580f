/**
 * A launch of a module, as one of the PTX that Triton's compiler made of it.
 *
 *     k.ttgir, with its launch     a launch of k.ptx on the same tensors
 *
 * What a launch says of a module is said by the parameters of its text: element types, blocks, encodings, roles. PTX keeps none of that, and has the parameters in the
 * same order (what lowering adds is known, `ptx-file.ts`). The rest stands in the file that Triton keeps beside both (`k.json`): how much shared memory a CTA has, and how
 * much scratch.
 *
 * | of the launch                        | of the PTX                                                                     |
 * |--------------------------------------|--------------------------------------------------------------------------------|
 * | a tensor                             | its bytes; of one with gaps between its rows, the bytes from its first to its last element |
 * | a descriptor                         | a tensor map, its extents, its strides                                         |
 * | a number                             | the number                                                                     |
 * | addresses, and what they address     | the same (`ptx-file.ts`)                                                       |
 * | without `k.json`                     | all the shared memory that a CTA can have, and the scratch that the text allocates |
 *
 * Files of the tensors lie on no disk: they are read from the launch. No other file is changed.
 *
 * Law 1. A tensor has the same elements at both levels before the launch, as far as they are given.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, retold, type Failure } from '../../failure.js'
import { own } from '../../own.js'
import {
  attributeOf,
  copyingOfDescriptor,
  everyOperation,
  numberAttribute,
  type Asked,
  type GivenTensor,
  type Module,
  type Operation,
} from '../../dialects/ttgir/index.js'
import type { Json } from '../../wire.js'
import { asText, type Files } from '../tensor-files/files.js'
import { beside } from './beside.js'
import type { LaunchTensor } from './file.js'
import { encodeNpy, npyArray } from '../tensor-files/npy.js'
import { bytesOfPatterns, carrierOf, npyOfTensor, zeroPatterns, type Tensor } from '../tensor-files/tensor.js'
import { zeros, type OpenedModule } from './launched.js'
import type { PtxArgument, PtxDescriptor, PtxLaunch, PtxTensor } from './ptx-file.js'
import { product } from './ptx-maps.js'

// ---------------------------------------------------------------- what Triton keeps beside a kernel

/** What the compiler says of a launch. */
export interface Metadata {
  readonly shared: number
  readonly scratch: number
}

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null

const parsed = (text: string): unknown => {
  const read = E.tryCatch(
    (): unknown => JSON.parse(text),
    () => null,
  )
  return E.isLeft(read) ? null : read.right
}

/** Of a file that Triton wrote beside a kernel; null: it is another file, or there is none. */
export const metadataIn =
  (files: Files) =>
  (file: string): Metadata | null => {
    const text = pipe(files.read(file)(), E.chainW(asText(file)))
    const found = E.isLeft(text) ? null : parsed(text.right)
    if (!isRecord(found)) return null
    const [shared, warps, scratch] = ['shared', 'num_warps', 'global_scratch_size'].map((name) =>
      own(found, name),
    )
    return typeof shared !== 'number' || typeof warps !== 'number'
      ? null
      : { shared, scratch: typeof scratch === 'number' ? scratch : 0 }
  }

/** Most bytes of shared memory that a CTA of these chips can be launched with. */
const mostShared = 232_448

// ---------------------------------------------------------------- tensors

const isDense = ({ shape, strides }: GivenTensor): boolean =>
  shape.every((_, d) => shape[d] === 1 || strides[d] === product(shape.slice(d + 1)))

/** Elements from the first to the last. */
const span = ({ shape, strides }: GivenTensor): number =>
  1 + shape.reduce((n, extent, d) => n + (extent - 1) * (strides[d] ?? 0), 0)

/** The element of memory that an element of a view is. */
const placeIn = ({ shape, strides }: View, flat: number): number => {
  let [rest, at] = [flat, 0]
  for (let d = shape.length - 1; d >= 0; d--) {
    at += (rest % shape[d]!) * strides[d]!
    rest = Math.floor(rest / shape[d]!)
  }
  return at
}

/** Elements of a tensor, each where its strides put it. */
const spread = (t: GivenTensor, bits: Tensor['bits'], size: number): Uint8Array => {
  const from = bytesOfPatterns(bits)
  const to = new Uint8Array(span(t) * size)
  for (let flat = 0; flat < product(t.shape); flat++)
    to.set(from.subarray(flat * size, (flat + 1) * size), placeIn(t, flat) * size)
  return to
}

const shapeIn = (p: Asked, t: GivenTensor): ReadonlyArray<number> =>
  p._tag === 'descriptor' || isDense(t) ? (t.shape.length === 0 ? [1] : t.shape) : [span(t)]

/** The file of a tensor as PTX is given it. */
const fileOf = (p: Asked, t: GivenTensor, { dtype, bits }: Tensor): E.Either<Failure, Uint8Array> => {
  const descr = carrierOf(dtype)
  const size = Number(descr.slice(1))
  const bytes = p._tag === 'descriptor' || isDense(t) ? bytesOfPatterns(bits) : spread(t, bits, size)
  return pipe(npyArray(descr, shapeIn(p, t), bytes), E.chainW(encodeNpy))
}

const zeroTensor = (
  { dtype }: Exclude<Asked, { readonly _tag: 'scalar' }>,
  { shape }: GivenTensor,
): Tensor => ({
  dtype,
  shape,
  bits: zeroPatterns(dtype, product(shape)),
})

// ---------------------------------------------------------------- arguments

const numberOf = (value: number | bigint): PtxArgument =>
  typeof value === 'bigint'
    ? Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value)
    : Number.isFinite(value)
      ? value
      : Number.isNaN(value)
        ? 'nan'
        : value > 0
          ? 'inf'
          : '-inf'

const swizzles = [0, 32, 64, 128] as const

const tensorOf = (
  { module, signature }: OpenedModule,
  p: Exclude<Asked, { readonly _tag: 'scalar' }>,
  t: GivenTensor,
  file: string | null,
): PtxArgument => {
  // bytes between its rows are no part of an output
  const role = t.role === 'out' && p._tag === 'pointer' && !isDense(t) ? 'inout' : t.role
  const dtype = p.dtype === 'i1' ? 'u8' : p.dtype
  const held = role === 'out' && file === null ? {} : { file }
  if (p._tag === 'pointer')
    return { kind: 'pointer', tensor: t.tensor, dtype, shape: shapeIn(p, t), role, ...held }
  const copying = copyingOfDescriptor(module, p.name, signature.name)
  const swizzle = swizzles.find((n) => n === copying?.swizzle)
  const descriptor: PtxDescriptor = {
    kind: 'tensordesc',
    tensor: t.tensor,
    dtype,
    shape: t.shape,
    role,
    strides: t.strides,
    block: p.block,
    ...held,
    ...(swizzle === undefined ? {} : { swizzle }),
    ...(copying?.fp4Padded === true ? { fp4Padded: true } : {}),
    ...(t.padding === undefined ? {} : { padding: t.padding }),
  }
  return descriptor
}

// ---------------------------------------------------------------- addresses

/** Tensors of a launch that hold addresses, by their names. */
const holdersIn = ({ said }: OpenedModule): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    Object.values(said?.args ?? {}).flatMap((a) =>
      typeof a === 'object' && a.pointers !== undefined ? [[a.tensor, a.pointers] as const] : [],
    ),
  )

/** What only addresses reach, with its file: that of the command line, else the launch's own. */
const memoryOf = (
  files: Files,
  { saidIn }: OpenedModule,
  t: LaunchTensor,
  contents: ReadonlyMap<string, Tensor>,
): E.Either<Failure, { readonly tensor: PtxTensor; readonly bytes: Uint8Array | null }> => {
  const { tensor, dtype, shape } = t
  const role = t.role ?? 'inout'
  const given = contents.get(tensor)
  const own = t.file === null ? null : beside(saidIn, t.file ?? `${tensor}.npy`)
  const bytes: E.Either<Failure, Uint8Array | null> =
    given !== undefined
      ? pipe(npyOfTensor(given), encodeNpy)
      : own === null || role === 'out'
        ? E.right(null)
        : files.read(own)()
  return E.map((read: Uint8Array | null) => ({
    bytes: read,
    tensor: Object.assign(
      { tensor, role, file: read === null ? null : `${tensor}.npy` },
      dtype === undefined ? {} : { dtype },
      shape === undefined ? {} : { shape },
    ),
  }))(bytes)
}

// ---------------------------------------------------------------- the launch

/** A launch of PTX, and files with it. */
export interface Lowered {
  readonly files: Files
  /** the name of the launch file among them */
  readonly launch: string
  /** the shared memory of a CTA is not known */
  readonly isSharedGuessed: boolean
  /** of tensors that are the memory from the first element to the last in PTX: how their author sees them */
  readonly views: ReadonlyMap<string, View>
}

/** Extents and strides of a tensor, in elements. */
export interface View {
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
}

/** The elements of a view, in the order of its indices, out of the memory from the first to the last; `size` bytes each. */
export const gathered = (v: View, memory: Uint8Array, size: number): Uint8Array => {
  const to = new Uint8Array(product(v.shape) * size)
  for (let flat = 0; flat < product(v.shape); flat++) {
    const at = placeIn(v, flat) * size
    to.set(memory.subarray(at, at + size), flat * size)
  }
  return to
}

/** A launch of a module lies in no file, so no reader is told of one. */
const folderOf = (module: string): string => `${module} as PTX/`
const launchIn = (module: string): string => `${folderOf(module)}launch.json`

/** A refusal of such a launch, without the names of files that are not there. */
export const ofLowered =
  (module: string) =>
  (f: Failure): Failure =>
    retold(f, f.message.replaceAll(`${launchIn(module)}: `, '').replaceAll(folderOf(module), ''))

/** Bytes of the allocations of scratch in the text, one after another, each where it may lie. */
export const scratchOf = (m: Module): number => {
  const numberOf = (op: Operation, name: string): number => {
    const a = attributeOf(op.attributes, name)
    return a?._tag === 'integer' ? Number(a.value) : 0
  }
  let end = 0
  let greatest = 1
  for (const op of everyOperation(m.operations)) {
    if (op.name !== 'ttg.global_scratch_alloc') continue
    const alignment = Math.max(1, numberOf(op, 'alignment'))
    greatest = Math.max(greatest, alignment)
    end = Math.ceil(end / alignment) * alignment + numberOf(op, 'nbytes')
  }
  return Math.ceil(end / greatest) * greatest
}

/** `contents`: what tensors hold before the launch, besides what the launch brings. */
export const lowered = (
  files: Files,
  file: string,
  module: OpenedModule,
  metadata: Metadata | null,
  contents: ReadonlyMap<string, Tensor> = new Map(),
): E.Either<Failure, Lowered> => {
  const folder = folderOf(file)
  const held = new Map<string, Uint8Array>()
  const args: PtxArgument[] = []
  const holders = holdersIn(module)
  const memory: PtxTensor[] = []
  for (const one of module.said?.memory ?? []) {
    const made = memoryOf(files, module, one, contents)
    if (E.isLeft(made)) return made
    if (made.right.bytes !== null) held.set(`${folder}${one.tensor}.npy`, made.right.bytes)
    memory.push(made.right.tensor)
  }
  for (const p of module.signature.parameters) {
    if (p._tag === 'scalar') {
      const value = module.launch.scalars?.get(p.name)
      args.push(value === undefined ? 0 : numberOf(value))
      continue
    }
    const t = module.launch.tensors.get(p.name)
    if (t === undefined) {
      args.push(0)
      continue
    }
    const pointers = holders.get(t.tensor)
    if (pointers !== undefined) {
      args.push({ kind: 'pointer', tensor: t.tensor, shape: shapeIn(p, t), pointers })
      continue
    }
    const brought = module.inputs.get(t.tensor)
    const tensor = contents.get(t.tensor) ?? (brought?.source === zeros ? undefined : brought?.tensor)
    const isKept = t.role === 'out' && module.kept.has(t.tensor)
    if (tensor === undefined ? !isKept : t.role === 'out' && !isKept) {
      args.push(tensorOf(module, p, t, null))
      continue
    }
    // what nothing reads may hold anything
    const made = fileOf(p, t, tensor ?? zeroTensor(p, t))
    if (E.isLeft(made)) return made
    held.set(`${folder}${t.tensor}.npy`, made.right)
    args.push(tensorOf(module, p, t, `${t.tensor}.npy`))
  }
  const shared = metadata?.shared ?? module.said?.shared
  const scratch = metadata?.scratch ?? module.said?.extra?.['global_scratch_size']
  const extra: Readonly<Record<string, Json>> = {
    global_scratch_size: typeof scratch === 'number' ? scratch : scratchOf(module.module),
  }
  const launch: PtxLaunch = {
    schema: 'tcspec.ptx-launch/1',
    kernel: module.signature.name,
    grid: module.launch.grid,
    num_warps: numberAttribute(module.module, 'ttg.num-warps') ?? 4,
    num_ctas: numberAttribute(module.module, 'ttg.num-ctas') ?? 1,
    shared: shared ?? mostShared,
    args,
    memory,
    outputs: [
      ...new Set([
        ...[...module.launch.tensors.values()].flatMap((t) => (t.role === 'in' ? [] : [t.tensor])),
        ...memory.flatMap((t) => (t.role === 'in' ? [] : [t.tensor])),
      ]),
    ],
    extra,
  }
  const name = launchIn(file)
  held.set(name, new TextEncoder().encode(JSON.stringify(launch)))
  for (const [tensor, { tensor: expected }] of module.expected) {
    const p = module.signature.parameters.find((q) => module.launch.tensors.get(q.name)?.tensor === tensor)
    const t = p === undefined ? undefined : module.launch.tensors.get(p.name)
    const path = `${folder}${tensor}.npy`
    if (p === undefined || t === undefined || t.role !== 'out' || !(p._tag === 'descriptor' || isDense(t)))
      continue
    const made = fileOf(p, t, expected)
    if (E.isLeft(made)) return made
    held.set(path, made.right)
  }
  const read: Files['read'] = (path) => {
    const there = held.get(path)
    return there !== undefined
      ? IOE.right(there)
      : path.startsWith(folder)
        ? IOE.left(failure('file-missing', `${path}: no such file`))
        : files.read(path)
  }
  return E.right({
    files: Object.assign({}, files, { read }),
    launch: name,
    isSharedGuessed: shared === undefined,
    views: new Map(
      module.signature.parameters.flatMap((p) => {
        const t = module.launch.tensors.get(p.name)
        return p._tag !== 'pointer' || t === undefined || isDense(t)
          ? []
          : [[t.tensor, { shape: t.shape, strides: t.strides }] as const]
      }),
    ),
  })
}
