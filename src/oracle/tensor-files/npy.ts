/**
 * The npy file, version 1.0: how NumPy keeps one array on disk, and how tensors travel in and out of here.
 *
 * As a function, a file is a preamble that says how to read the rest, then the elements in C order:
 *
 * | bytes        | content                                                                                 |
 * |--------------|-----------------------------------------------------------------------------------------|
 * | 0 .. 5       | `93 4e 55 4d 50 59`: 0x93 and "NUMPY"                                                   |
 * | 6, 7         | the version: 1 0 (header length in 2 bytes) or 2 0 (in 4 bytes)                         |
 * | 8, 9         | length of the header, little-endian: 0x0076 = 118, so the data starts at byte 128        |
 * | 10 .. 126    | `{'descr': '<f2', 'fortran_order': False, 'shape': (256, 256), }` and spaces             |
 * | 127          | a newline                                                                               |
 * | 128 ..       | 256 * 256 * 2 bytes                                                                     |
 *
 * The header is a Python dictionary of three keys. Its padding makes the data start at a multiple of 64 and
 * leaves room for the first dimension to grow to 21 digits, which in practice means 128 bytes.
 *
 * The format has no bfloat16 and no 8-bit float: those travel as the bits of u2 and u1 (`tensor.ts`). NumPy itself writes those of ml_dtypes as
 * V2 and V1, bytes without a meaning: they are read, and what they mean has to be said.
 *
 * Laws
 *  1. decode(encode(a)) = a, for every array that encode accepts
 *  2. encode(decode(f)) = f, for every file f that NumPy wrote in C order and little-endian (ml_dtypes says <V2 where NumPy says |V2)
 *  3. a big-endian or a Fortran-order file decodes to the same array as its little-endian C-order twin
 *  4. every proper prefix of a file, and every file with bytes after it, is refused; nothing throws
 *  5. the data of an encoded file starts at a multiple of 64, and at byte 128 for an ordinary shape
 *
 * Source: NumPy documentation, "A simple file format for NumPy arrays" (numpy.lib.format).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'

// ---------------------------------------------------------------- model

/** The element types that a file may have: kind (float, signed, unsigned, bytes) and size in bytes. */
export const descrs = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'V1', 'V2'] as const
export type Descr = (typeof descrs)[number]

/** One array: `data` holds the elements in C order, each little-endian, whatever the file's order was. */
export interface NpyArray {
  readonly descr: Descr
  readonly shape: ReadonlyArray<number>
  readonly data: Uint8Array
}

export type NpyFault =
  | 'npy-magic'
  | 'npy-version'
  | 'npy-header'
  | 'npy-dtype'
  | 'npy-shape'
  | 'npy-truncated'
  | 'npy-trailing-bytes'
export type NpyFailure = Failure<NpyFault>

const magic: ReadonlyArray<number> = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
/** NumPy's own limit. With it a header always fits the 16 bits of version 1.0. */
const maxRank = 64
/** A version 2.0 header could be 4 GiB long; nothing that describes one plain array needs so much. */
const maxHeaderBytes = 65535
const dataAlignment = 64
/** Digits of the first dimension for which NumPy leaves room. */
const growthDigits = 21

// ---------------------------------------------------------------- destructors

/** Bytes of one element. */
export const descrBytes = (descr: Descr): number => Number(descr.slice(1))

/** A shape as Python writes a tuple: `()`, `(3,)`, `(256, 256)`. */
export const shapeText = (shape: ReadonlyArray<number>): string =>
  shape.length === 1 ? `(${String(shape[0])},)` : `(${shape.join(', ')})`

/** Number of elements of a shape; 1 for the empty shape, which is a scalar. */
export const shapeElements = (shape: ReadonlyArray<number>): number =>
  shape.includes(0) ? 0 : shape.reduce((n, d) => n * d, 1)

const shapeLegal = (shape: ReadonlyArray<number>): E.Either<NpyFailure, ReadonlyArray<number>> =>
  shape.length > maxRank
    ? refuse('npy-shape', `expected at most ${String(maxRank)} dimensions, found ${String(shape.length)}`)
    : !shape.every((d) => Number.isSafeInteger(d) && d >= 0) ||
        !Number.isSafeInteger(8 * shapeElements(shape))
      ? refuse('npy-shape', `expected dimensions whose product is below 2^50, found ${shapeText(shape)}`)
      : E.right(shape)

const dataFits = (
  descr: Descr,
  shape: ReadonlyArray<number>,
  found: number,
): E.Either<NpyFailure, number> => {
  const expected = shapeElements(shape) * descrBytes(descr)
  const line = `expected ${String(expected)} bytes of data for shape ${shapeText(shape)} of ${descr}, found ${String(found)}`
  return found < expected
    ? refuse('npy-truncated', line)
    : found > expected
      ? refuse('npy-trailing-bytes', line)
      : E.right(expected)
}

// ---------------------------------------------------------------- constructors

/** An array, once its data has the size that its shape and element type ask for. */
export const npyArray = (
  descr: Descr,
  shape: ReadonlyArray<number>,
  data: Uint8Array,
): E.Either<NpyFailure, NpyArray> =>
  pipe(
    shapeLegal(shape),
    E.chain(() => dataFits(descr, shape, data.length)),
    E.map(() => ({ descr, shape, data })),
  )

// ---------------------------------------------------------------- encode

/** The header's text, padded and ended with a newline: `NumPy`'s form, byte for byte. */
const headerText = (descr: Descr, shape: ReadonlyArray<number>): string => {
  const order = descrBytes(descr) === 1 || descr === 'V2' ? '|' : '<'
  const dictionary = `{'descr': '${order}${descr}', 'fortran_order': False, 'shape': ${shapeText(shape)}, }`
  const growth = shape.length === 0 ? 0 : Math.max(0, growthDigits - String(shape[0]).length)
  const unpadded = magic.length + 4 + dictionary.length + growth + 1
  // A header that would already end on the boundary gets a whole block more: so NumPy has it.
  const padding = dataAlignment - (unpadded % dataAlignment)
  return dictionary + ' '.repeat(growth + padding) + '\n'
}

/**
 * The bytes of a version 1.0 file, C order, little-endian. Refuses an array whose data does not fit its shape.
 *
 * @example
 * ```ts
 * import { npy } from 'tensorcore-spec/oracle'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const again = pipe({ descr: 'u2', shape: [2], data: Uint8Array.of(1, 0, 2, 0) } as const, npy.encodeNpy, E.chain(npy.decodeNpy))
 * console.log(E.isRight(again) ? again.right.data : again.left.message) // Uint8Array(4) [ 1, 0, 2, 0 ]
 * ```
 */
export const encodeNpy = (array: NpyArray): E.Either<NpyFailure, Uint8Array> =>
  pipe(
    npyArray(array.descr, array.shape, array.data),
    E.map(({ descr, shape, data }) => {
      const header = headerText(descr, shape)
      const start = magic.length + 4 + header.length
      const bytes = new Uint8Array(start + data.length)
      bytes.set(magic, 0)
      bytes.set([1, 0, header.length & 0xff, header.length >> 8], magic.length)
      bytes.set(
        Array.from(header, (c) => c.charCodeAt(0)),
        magic.length + 4,
      )
      bytes.set(data, start)
      return bytes
    }),
  )

// ---------------------------------------------------------------- decode

interface Preamble {
  readonly header: string
  readonly dataStart: number
}

const preamble = (bytes: Uint8Array): E.Either<NpyFailure, Preamble> => {
  const size = bytes.length
  if (!magic.every((b, i) => i >= size || bytes[i] === b)) {
    const found = Array.from(bytes.subarray(0, 6), (b) => b.toString(16).padStart(2, '0')).join(' ')
    return refuse('npy-magic', `not an npy file: expected the first bytes 93 4e 55 4d 50 59, found ${found}`)
  }
  if (size < 8) {
    return refuse('npy-truncated', `expected a preamble of 10 bytes, found ${String(size)}`)
  }
  const version = `${String(bytes[6])}.${String(bytes[7])}`
  if (version !== '1.0' && version !== '2.0') {
    return refuse('npy-version', `expected npy version 1.0 or 2.0, found ${version}`)
  }
  const headerStart = version === '1.0' ? 10 : 12
  if (size < headerStart) {
    return refuse(
      'npy-truncated',
      `expected a preamble of ${String(headerStart)} bytes, found ${String(size)}`,
    )
  }
  const length = bytes.subarray(8, headerStart).reduce((n, b, i) => n + b * 2 ** (8 * i), 0)
  if (length > maxHeaderBytes) {
    return refuse(
      'npy-header',
      `expected a header of at most ${String(maxHeaderBytes)} bytes, found ${String(length)}`,
    )
  }
  const dataStart = headerStart + length
  if (size < dataStart) {
    const found = String(size - headerStart)
    return refuse('npy-truncated', `expected a header of ${String(length)} bytes, found ${found}`)
  }
  const header = Array.from(bytes.subarray(headerStart, dataStart), (b) => String.fromCharCode(b)).join('')
  return E.right({ header, dataStart })
}

interface Header {
  readonly descr: Descr
  readonly bigEndian: boolean
  readonly fortranOrder: boolean
  readonly shape: ReadonlyArray<number>
}

/** One `'key': value` of the dictionary; values are a string, a truth value, a tuple of integers, or anything else. */
const entryPattern =
  /\s*(['"])(\w+)\1\s*:\s*('[^']*'|"[^"]*"|True|False|\([\dL,\s]*\)|\[[^\]]*\])\s*(,|(?=\}))/y

const entries = (header: string): E.Either<NpyFailure, ReadonlyMap<string, string>> => {
  const malformed = refuse(
    'npy-header',
    `expected a header {'descr': ..., 'fortran_order': ..., 'shape': ...}, found ${header.trim().slice(0, 100)}`,
  )
  const body = /^\s*\{/.exec(header)
  if (body === null) return malformed
  const found = new Map<string, string>()
  const pattern = new RegExp(entryPattern)
  pattern.lastIndex = body[0].length
  let end = pattern.lastIndex
  for (let m = pattern.exec(header); m !== null; m = pattern.exec(header)) {
    if (found.has(m[2]!)) return malformed
    found.set(m[2]!, m[3]!)
    end = pattern.lastIndex
  }
  const complete = found.size === 3 && ['descr', 'fortran_order', 'shape'].every((k) => found.has(k))
  return complete && /^\s*\}\s*$/.test(header.slice(end)) ? E.right(found) : malformed
}

const isDescr = (text: string): text is Descr => descrs.some((d) => d === text)

const parseDescr = (text: string): E.Either<NpyFailure, Pick<Header, 'descr' | 'bigEndian'>> => {
  const m = /^['"]([<>|=])(\w+)['"]$/.exec(text)
  const element = m?.[2] ?? ''
  const order = m?.[1] ?? ''
  // `=` is never written to a file, and `|` says that the order of bytes does not matter.
  return isDescr(element) && (order === '<' || order === '>' || descrBytes(element) === 1 || element === 'V2')
    ? E.right({ descr: element, bigEndian: order === '>' })
    : refuse('npy-dtype', `expected an element type of ${descrs.join(' ')}, found ${text}`)
}

const parseOrder = (text: string): E.Either<NpyFailure, boolean> =>
  text === 'True' || text === 'False'
    ? E.right(text === 'True')
    : refuse('npy-header', `expected fortran_order True or False, found ${text}`)

/** One dimension needs its comma: `(3)` is a number to Python. The L is how Python 2 wrote a long. */
const parseShape = (text: string): E.Either<NpyFailure, ReadonlyArray<number>> => {
  const parts = text.slice(1, -1).split(',')
  const last = parts.at(-1)?.trim() ?? ''
  const dimensions = (last === '' ? parts.slice(0, -1) : parts).map((part) => part.trim())
  return text.startsWith('(') &&
    dimensions.every((part) => /^\d+L?$/.test(part)) &&
    (last === '' || dimensions.length > 1)
    ? shapeLegal(dimensions.map((part) => Number(part.replace('L', ''))))
    : refuse('npy-shape', `expected a tuple of dimensions, found ${text}`)
}

const parseHeader = (header: string): E.Either<NpyFailure, Header> =>
  pipe(
    E.Do,
    E.bind('found', () => entries(header)),
    E.bind('element', ({ found }) => parseDescr(found.get('descr') ?? '')),
    E.bind('fortranOrder', ({ found }) => parseOrder(found.get('fortran_order') ?? '')),
    E.bind('shape', ({ found }) => parseShape(found.get('shape') ?? '')),
    E.map(({ element, fortranOrder, shape }) => ({
      descr: element.descr,
      bigEndian: element.bigEndian,
      fortranOrder,
      shape,
    })),
  )

/** Elements turned end for end, `width` bytes each. */
const swapBytes = (data: Uint8Array, width: number): Uint8Array =>
  data.map((_, i) => data[i - (i % width) + (width - 1 - (i % width))]!)

/** From first-index-fastest to last-index-fastest. */
const fortranToC = (data: Uint8Array, shape: ReadonlyArray<number>, width: number): Uint8Array => {
  const out = new Uint8Array(data.length)
  const index = shape.map(() => 0)
  const stride = shape.map((_, axis) => shapeElements(shape.slice(0, axis)))
  for (let to = 0, from = 0; to < data.length; to += width) {
    out.set(data.subarray(from * width, from * width + width), to)
    // One step of the odometer: the last axis turns first.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += stride[axis]!
      index[axis]! += 1
      if (index[axis]! < shape[axis]!) break
      from -= stride[axis]! * shape[axis]!
      index[axis] = 0
    }
  }
  return out
}

/**
 * Reads a whole file. The array's data is a copy: it does not keep `bytes` alive.
 * Refuses what is not npy, another version, another element type, too few bytes and too many.
 */
export const decodeNpy = (bytes: Uint8Array): E.Either<NpyFailure, NpyArray> =>
  pipe(
    E.Do,
    E.bind('start', () => preamble(bytes)),
    E.bind('header', ({ start }) => parseHeader(start.header)),
    E.chainFirst(({ start, header }) => dataFits(header.descr, header.shape, bytes.length - start.dataStart)),
    E.map(({ start, header }) => {
      const width = descrBytes(header.descr)
      const data = new Uint8Array(bytes.subarray(start.dataStart))
      const little = header.bigEndian ? swapBytes(data, width) : data
      return {
        descr: header.descr,
        shape: header.shape,
        data: header.fortranOrder ? fortranToC(little, header.shape, width) : little,
      }
    }),
  )
