/**
 * The safetensors file: tensors by name, with a header in JSON before their bytes. It names bfloat16 and the 8-bit floats, which npy cannot.
 *
 * | bytes           | content                                                                                  |
 * |-----------------|------------------------------------------------------------------------------------------|
 * | 0 .. 7          | length n of the header, little-endian: a multiple of 8 as written here                     |
 * | 8 .. 8 + n      | `{"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}` and spaces                    |
 * | behind it       | the bytes of the tensors, in C order, little-endian; offsets count from here               |
 *
 * By hand: 1.0 of BF16 is the bytes 80 3f, at the offsets [0, 2] of a file of 8 + 64 + 2 bytes.
 *
 * | asked of              | that                                                                                        |
 * |-----------------------|---------------------------------------------------------------------------------------------|
 * | n                     | at most `mostHeader`, and there are so many bytes                                           |
 * | the header            | it begins with a brace; a tensor has a dtype, a shape and two offsets, and `__metadata__` texts |
 * | the offsets           | as many bytes as dtype and shape ask for; together every byte behind the header, each once    |
 * | a dtype of other names | nothing but its offsets, until that tensor is asked for                                      |
 *
 * Every byte stands for one element, so no file can ask for more memory than its own bytes, twice.
 *
 * Laws
 *  1. tensorIn(encodeSafetensors(ts))(name) is the tensor of that name
 *  2. encodeSafetensors of what was decoded is the file, for every file written here
 *  3. a file that is longer or shorter, by any number of bytes, is refused; nothing throws
 *  4. a tensor's bytes begin at a multiple of its element's size
 *
 * Source: the format section of the README of safetensors.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import {
  anything,
  define,
  dictionary,
  list,
  nat,
  pair,
  read,
  record,
  showMismatch,
  text,
  type Wire,
} from '../../wire.js'
import { shapeElements } from './npy.js'

// ---------------------------------------------------------------- model

/** Element types, by their names in a header, and the bytes of one. */
export const elementBytes = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const
export type ElementType = keyof typeof elementBytes
const isElementType = (name: string): name is ElementType => Object.hasOwn(elementBytes, name)
export const elementTypes: ReadonlyArray<ElementType> = Object.keys(elementBytes).filter(isElementType)

/** One tensor: `data` holds the elements in C order, each little-endian. */
export interface StoredTensor {
  readonly dtype: ElementType
  readonly shape: ReadonlyArray<number>
  readonly data: Uint8Array
}

export type SafetensorsFault =
  'safetensors-header' | 'safetensors-dtype' | 'safetensors-offsets' | 'safetensors-truncated' | 'tensor-name'
export type SafetensorsFailure = Failure<SafetensorsFault>

/** Bytes of a header: those of some fifty thousand tensors. */
export const mostHeader: number = 2 ** 23
/** Most dimensions, as of npy. */
const mostRank = 64
const lengthBytes = 8
const metadata = '__metadata__'

// ---------------------------------------------------------------- the header

/** What the header says of one tensor. */
interface Described {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly data_offsets: readonly [number, number]
}

const describedWire = define('Tensor', () =>
  record<Described>()('a tensor', { dtype: text, shape: list(nat), data_offsets: pair(nat) }, {}),
)
const entriesWire = dictionary('tensors by name', anything)
const tensorsWire = dictionary('tensors by name', describedWire)
const metadataWire = dictionary('texts by name', text)

/** A tensor by the bytes that it has of the data; its dtype may be one that nothing is known of here. */
export interface Placed {
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  readonly from: number
  readonly to: number
}

/** The header of a file, and where its data begins. */
export interface Contents {
  readonly tensors: ReadonlyMap<string, Placed>
  readonly data: number
}

const placedOf = (name: string, d: Described): E.Either<SafetensorsFailure, Placed> => {
  const { dtype, shape } = d
  const [from, to] = d.data_offsets
  if (shape.length > mostRank)
    return refuse(
      'safetensors-header',
      `${name}: expected at most ${String(mostRank)} dimensions, found ${String(shape.length)}`,
    )
  if (!isElementType(dtype))
    return from <= to
      ? E.right({ dtype, shape, from, to })
      : refuse(
          'safetensors-offsets',
          `${name}: expected an end that is not before its beginning, found offsets ${String(from)} and ${String(to)}`,
        )
  const bytes = shapeElements(shape) * elementBytes[dtype]
  return to - from === bytes
    ? E.right({ dtype, shape, from, to })
    : refuse(
        'safetensors-offsets',
        `${name}: expected ${String(bytes)} bytes for shape (${shape.join(', ')}) of ${dtype}, found offsets ${String(from)} and ${String(to)}`,
      )
}

/** Every byte of the data belongs to one tensor. */
const covered = (tensors: ReadonlyMap<string, Placed>, found: number): E.Either<SafetensorsFailure, null> => {
  const inOrder = [...tensors].sort(([, a], [, b]) => a.from - b.from || a.to - b.to)
  let end = 0
  for (const [name, { from, to }] of inOrder) {
    if (from !== end)
      return refuse(
        'safetensors-offsets',
        `${name}: expected bytes from ${String(end)}, where the tensor before it ends, found ${String(from)}`,
      )
    end = to
  }
  return end === found
    ? E.right(null)
    : refuse(
        end > found ? 'safetensors-truncated' : 'safetensors-offsets',
        `expected ${String(end)} bytes of data, as the header says, found ${String(found)}`,
      )
}

const headerText = (
  bytes: Uint8Array,
): E.Either<SafetensorsFailure, { readonly header: string; readonly data: number }> => {
  if (bytes.length < lengthBytes)
    return refuse(
      'safetensors-truncated',
      `expected the length of a header in ${String(lengthBytes)} bytes, found ${String(bytes.length)}`,
    )
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)
  if (length > BigInt(mostHeader))
    return refuse(
      'safetensors-header',
      `not a safetensors file: expected a header of at most ${String(mostHeader)} bytes, found ${String(length)}`,
    )
  const data = lengthBytes + Number(length)
  return data > bytes.length
    ? refuse(
        'safetensors-truncated',
        `expected a header of ${String(length)} bytes, found ${String(bytes.length - lengthBytes)}`,
      )
    : bytes[lengthBytes] !== '{'.charCodeAt(0)
      ? refuse('safetensors-header', 'expected a header that begins with {, found another')
      : E.right({ header: new TextDecoder().decode(bytes.subarray(lengthBytes, data)), data })
}

const wrongHeader = (what: string): SafetensorsFailure => failure('safetensors-header', `header: ${what}`)

const described = (header: string): E.Either<SafetensorsFailure, ReadonlyMap<string, Described>> => {
  const json = E.tryCatch(
    (): unknown => JSON.parse(header),
    (why) => wrongHeader(`expected JSON, found ${why instanceof Error ? why.message : 'none'}`),
  )
  if (E.isLeft(json)) return json
  const said = <A>(wire: Wire<A>, at: string, u: unknown): E.Either<SafetensorsFailure, A> =>
    pipe(
      read(wire)(u),
      E.mapLeft((mismatch) => wrongHeader(`${at}${showMismatch(mismatch)}`)),
    )
  return pipe(
    said(entriesWire, '', json.right),
    E.chain(({ [metadata]: about = {}, ...tensors }) =>
      pipe(
        said(metadataWire, `${metadata}: `, about),
        E.chain(() => said(tensorsWire, '', tensors)),
      ),
    ),
    E.map((tensors) => new Map(Object.entries(tensors))),
  )
}

/** What a file holds, once its header and its length agree. */
export const contentsOf = (bytes: Uint8Array): E.Either<SafetensorsFailure, Contents> =>
  pipe(
    headerText(bytes),
    E.bind('tensors', ({ header }) =>
      pipe(
        described(header),
        E.chain((found) =>
          pipe(
            [...found],
            E.traverseArray(([name, d]) =>
              pipe(
                placedOf(name, d),
                E.map((placed) => [name, placed] as const),
              ),
            ),
          ),
        ),
        E.map((placed) => new Map(placed)),
      ),
    ),
    E.chainFirst(({ tensors, data }) => covered(tensors, bytes.length - data)),
    E.map(({ tensors, data }) => ({ tensors, data })),
  )

/** One tensor of a file. Its data is a copy: it does not keep `bytes` alive. */
export const tensorIn =
  (bytes: Uint8Array) =>
  (name: string): E.Either<SafetensorsFailure, StoredTensor> =>
    pipe(
      contentsOf(bytes),
      E.chain(({ tensors, data }) => {
        const placed = tensors.get(name)
        if (placed === undefined) return refuse('tensor-name', `expected a tensor '${name}', found none`)
        const { dtype, shape, from, to } = placed
        return isElementType(dtype)
          ? E.right({ dtype, shape, data: new Uint8Array(bytes.subarray(data + from, data + to)) })
          : refuse(
              'safetensors-dtype',
              `${name}: expected a dtype of ${elementTypes.join(' ')}, found ${dtype}`,
            )
      }),
    )

// ---------------------------------------------------------------- writing

/** The file of some tensors: those of larger elements first, and of one size by their names, so that each lies at a multiple of its size. */
export const encodeSafetensors = (
  tensors: ReadonlyMap<string, StoredTensor>,
): E.Either<SafetensorsFailure, Uint8Array> => {
  const inOrder = [...tensors].sort(
    ([a, x], [b, y]) => elementBytes[y.dtype] - elementBytes[x.dtype] || (a < b ? -1 : a > b ? 1 : 0),
  )
  const reserved = inOrder.find(([name]) => name === metadata)
  if (reserved !== undefined)
    return refuse('tensor-name', `expected another name than ${metadata}, which is of the format`)
  const entries: (readonly [string, Described])[] = []
  let end = 0
  for (const [name, { dtype, shape, data }] of inOrder) {
    const placed = placedOf(name, { dtype, shape, data_offsets: [end, end + data.length] })
    if (E.isLeft(placed)) return placed
    entries.push([name, { dtype, shape, data_offsets: [end, end + data.length] }])
    end += data.length
  }
  // a key at a time: an object would take keys that look like numbers first
  const json = new TextEncoder().encode(
    `{${entries.map(([name, d]) => `${JSON.stringify(name)}:${JSON.stringify(d)}`).join(',')}}`,
  )
  const length = lengthBytes * Math.ceil(json.length / lengthBytes)
  if (length > mostHeader)
    return refuse(
      'safetensors-header',
      `expected a header of at most ${String(mostHeader)} bytes, found ${String(length)}`,
    )
  const bytes = new Uint8Array(lengthBytes + length + end).fill(0x20, 0, lengthBytes + length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true)
  bytes.set(json, lengthBytes)
  let at = lengthBytes + length
  for (const [, { data }] of inOrder) {
    bytes.set(data, at)
    at += data.length
  }
  return E.right(bytes)
}
