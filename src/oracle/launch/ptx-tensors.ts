/**
 * Tensors of a launch of PTX: what is there before it and what is expected behind it, out of their files.
 *
 * | tensor                           | before the launch                  | expected behind it                       |
 * |----------------------------------|------------------------------------|------------------------------------------|
 * | in                               | its file, else `NAME.npy`          | nothing is compared                      |
 * | in `outputs`, without a file     | zeros                              | `NAME.npy`, which need not be there where the extents are said |
 * | in `outputs`, with another file  | that file                          | `NAME.npy`                               |
 * | of a word without a file, or `"file": null` | seeded; of an output zeros  | of a word nothing                        |
 *
 * Law 1. Every file has the element size and the extents that are said of its tensor, and those of the others.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { randomIntegers, randomPatterns } from '../../kernels/reference-inputs.js'
import { isFloat } from '../../numerics/dtype.js'
import { decoder } from '../../numerics/float-format.js'
import type { GivenTensor } from '../../semantics/execution/launch-warps.js'
import { mostWholeBytes } from '../../semantics/warps/launched.js'
import type { Files } from '../tensor-files/files.js'
import { decodeNpy, descrBytes, npyArray, shapeText, type NpyArray } from '../tensor-files/npy.js'
import { carrierOf, isTensorDtype, tensorOfNpy, type Tensor } from '../tensor-files/tensor.js'
import { beside, inFile } from './beside.js'
import { dtypeNamed } from './file.js'
import type { PtxLaunch, PtxTensor } from './ptx-file.js'
import { dtypeOf, product } from './ptx-maps.js'
import { elementBytes } from './ptx-parameters.js'

// ---------------------------------------------------------------- tensors

const roleOf = (launch: PtxLaunch, t: PtxTensor): GivenTensor['role'] =>
  t.role ??
  (launch.outputs?.includes(t.tensor) === true ? (typeof t.file === 'string' ? 'inout' : 'out') : 'in')

/** The array of a `.npy`. */
export const readNpy =
  (files: Files) =>
  (file: string): E.Either<Failure, NpyArray> =>
    pipe(
      files.read(file)(),
      E.chainW((bytes) => pipe(decodeNpy(bytes), E.mapLeft(inFile(file)))),
    )

/** A tensor of which everything is known. */
export interface Whole {
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
export const dtypeOfFile = ({ descr }: NpyArray): string =>
  `${descr.startsWith('f') ? 'f' : descr.startsWith('i') ? 's' : 'u'}${String(8 * descrBytes(descr))}`

/** The files of a tensor: what is there before the launch, and what is expected behind it; null: there is none. */
export interface FilesOf {
  readonly before: string | null
  readonly behind: string | null
  /** nothing need be there of what is expected where the extents are said */
  readonly optional: boolean
  /** without a file, an input is seeded */
  readonly seeded: boolean
  /** without a file, it begins as zeros; absent: it does not */
  readonly zeros?: boolean
}

/** Of a tensor of a launch file. */
export const filesInLaunch = (launchFile: string, launch: PtxLaunch, t: PtxTensor): FilesOf => {
  const own = beside(launchFile, `${t.tensor}.npy`)
  const role = roleOf(launch, t)
  const before =
    t.file === null ? null : t.file !== undefined ? beside(launchFile, t.file) : role === 'out' ? null : own
  const isExpected = launch.outputs?.includes(t.tensor) === true && role !== 'in' && before !== own
  return { before, behind: isExpected ? own : null, optional: true, seeded: t.file === null }
}

/** A tensor of a launch, with what was there before and what is expected in it. */
export interface Held {
  readonly given: GivenTensor
  readonly whole: Whole
  readonly expected: NpyArray | null
  /** no file brings it */
  readonly seeded: boolean
}

/** What a kernel left in a tensor, with its element type; of bits alone unsigned integers. */
export const tensorOfBytes = (
  dtype: string,
  shape: ReadonlyArray<number>,
  data: Uint8Array,
): E.Either<Failure, Tensor> => {
  const [, kind = '', width = ''] = /^([sbu])(8|16|32|64)$/u.exec(dtype) ?? []
  const named = kind === 's' ? `i${width}` : kind !== '' ? `u${width}` : dtype
  return isTensorDtype(named)
    ? pipe(npyArray(carrierOf(named), shape, data), E.chainW(tensorOfNpy(named)))
    : refuse('launch.tensor', `there is no file of elements of ${dtype}`)
}

// ---------------------------------------------------------------- seeded

/** Elements that nothing brought, drawn for this tensor: nearly normal floats, even integers. */
const seeded = (dtype: string, count: number, number: number): Uint8Array => {
  const size = elementBytes(dtype)
  const out = new Uint8Array(size * count)
  const view = new DataView(out.buffer)
  if (dtype === 'f64') {
    const value = decoder('f32')
    randomPatterns('f32', 0, number, count).forEach((p, i) => view.setFloat64(8 * i, value(p), true))
    return out
  }
  const known = dtypeOf(dtype)
  const drawn =
    known === null
      ? randomIntegers('u8', 0, number, size * count)
      : isFloat(known)
        ? randomPatterns(known, 0, number, count)
        : randomIntegers(known, 0, number, count)
  const each = known === null ? 1 : size
  drawn.forEach((x, i) => {
    if (each === 8) view.setBigInt64(8 * i, BigInt(x), true)
    else if (each === 4) view.setInt32(4 * i, x | 0, true)
    else if (each === 2) view.setInt16(2 * i, x, true)
    else view.setInt8(i, x)
  })
  return out
}

/** Drawn when it is first asked for. */
const onceDrawn = (draw: () => Uint8Array): (() => Uint8Array) => {
  let known: Uint8Array | null = null
  return () => (known ??= draw())
}

// ---------------------------------------------------------------- reading

/** Reads the files of a tensor; `t` is all that is said of it, by any argument. `where` says it. */
export const heldTensor =
  (files: Files, where: string, launch: PtxLaunch) =>
  (t: PtxTensor, from: FilesOf, number: number): E.Either<Failure, Held> => {
    const before = from.before === null ? null : readNpy(files)(from.before)
    if (before !== null && E.isLeft(before)) return before
    const read = from.behind === null ? null : readNpy(files)(from.behind)
    const behind =
      read !== null &&
      E.isLeft(read) &&
      from.optional &&
      read.left.code === 'file-missing' &&
      t.shape !== undefined
        ? null
        : read
    if (behind !== null && E.isLeft(behind)) return behind
    const some = before?.right ?? behind?.right ?? null
    const shape = t.shape ?? some?.shape
    const dtype = t.dtype === undefined ? (some === null ? undefined : dtypeOfFile(some)) : shortName(t.dtype)
    if (shape === undefined || dtype === undefined)
      return refuse(
        'launch.tensor',
        `${where}: ${t.tensor}: expected its element type and its extents, or a file that has them, found neither`,
      )
    const whole: Whole = { dtype, shape }
    const size = elementBytes(dtype)
    if (size === 0) return refuse('launch.tensor', `${where}: ${t.tensor}: there is no element type ${dtype}`)
    const bytes = size * product(shape)
    if (bytes > (before === null ? mostUnheldBytes : mostWholeBytes))
      return refuse(
        'launch.tensor',
        `${where}: ${t.tensor}: expected at most ${String(before === null ? mostUnheldBytes : mostWholeBytes)} bytes, found ${String(bytes)}`,
      )
    for (const [file, a] of [
      [from.before, before],
      [from.behind, behind],
    ] as const) {
      const bad = a === null || file === null ? null : fits(t.tensor, whole, file, a.right)
      if (bad !== null && E.isLeft(bad)) return bad
    }
    const role = roleOf(launch, t)
    const drawn = from.seeded && from.zeros !== true && before === null && role !== 'out'
    return E.right({
      seeded: drawn,
      given: {
        name: t.tensor,
        role,
        contents:
          before !== null
            ? before.right.data
            : drawn
              ? onceDrawn(() => seeded(dtype, product(shape), number))
              : null,
        bytes,
        elements: null,
        symbol: t.symbol ?? null,
      },
      whole,
      expected: behind === null ? null : behind.right,
    })
  }

/** Most bytes of a tensor whose data are not given: more than any chip has. */
const mostUnheldBytes = 2 ** 40

/** `torch.float16` and other names as PTX has them. */
export const shortName = (name: string): string =>
  elementBytes(name) > 0 ? name : (dtypeNamed(name) ?? name)

/** All that arguments say of one tensor; what is said first goes before. */
export const together = (all: ReadonlyArray<PtxTensor>): ReadonlyArray<PtxTensor> => {
  const out = new Map<string, PtxTensor>()
  for (const t of all) {
    const known = out.get(t.tensor)
    out.set(t.tensor, known === undefined ? t : { ...t, ...known })
  }
  return [...out.values()]
}
