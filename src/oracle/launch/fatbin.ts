/**
 * Fat binaries: what nvcc puts into a program, and the PTX in them.
 *
 * | at  | of the file: magic `ba55ed50`, then | at | of an entry: kind (1: PTX, 2: machine code), then |
 * |-----|-------------------------------------|----|---------------------------------------------------|
 * | 4   | version                             | 4  | bytes of its header                               |
 * | 6   | bytes of the header                 | 8  | bytes of its payload, padding with it             |
 * | 8   | bytes of all entries                | 16 | bytes of what is compressed                       |
 * |     |                                     | 28 | the architecture: 90                              |
 * |     |                                     | 40 | flags: `8000` zstd, `2000` LZ4                    |
 * |     |                                     | 56 | bytes of what comes out of what is compressed     |
 *
 * zstd and LZ4 are read by `fzstd` and `lz4js`, which are loaded when the first compressed text comes, and only where there is Node.js. What cannot be read is said in one line
 * with the flag of nvcc that leaves it uncompressed.
 *
 * Law 1. The text of an entry has no zero behind its end.
 *
 * Source: the format is not documented; seen in what nvcc 13.0 writes.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { isObject } from '../../wire.js'

const magic = 0xba55ed50
const isPtx = 1
const zstd: ReadonlyArray<number> = [0x28, 0xb5, 0x2f, 0xfd]

export interface PtxInside {
  readonly arch: number
  readonly text: string
}

/** Far more than the PTX of any program: what says that it is longer is no such text. */
const mostText = 2 ** 30

interface Libraries {
  readonly zstd: (bytes: Uint8Array) => Uint8Array
  readonly lz4: (from: Uint8Array, into: Uint8Array) => number
}
type Call = (...given: ReadonlyArray<unknown>) => unknown
const isCall = (u: unknown): u is Call => typeof u === 'function'
const callIn = (u: unknown, name: string): Call | null => {
  const found: unknown = isObject(u) || isCall(u) ? Reflect.get(u, name) : null
  return isCall(found) ? found : null
}

/** Null in a browser: this file loads in both. */
const libraries = (): Libraries | null => {
  const builtin = callIn(Reflect.get(globalThis, 'process'), 'getBuiltinModule')
  const createRequire = callIn(builtin?.('node:module'), 'createRequire')
  const load = createRequire?.(import.meta.url)
  if (!isCall(load)) return null
  const found = E.tryCatch(
    () => [callIn(load('fzstd'), 'decompress'), callIn(load('lz4js'), 'decompressBlock')] as const,
    () => null,
  )
  if (E.isLeft(found)) return null
  const [zstd, lz4] = found.right
  if (zstd === null || lz4 === null) return null
  return {
    zstd: (bytes) => {
      const out = zstd(bytes)
      return out instanceof Uint8Array ? out : new Uint8Array()
    },
    lz4: (from, into) => Number(lz4(from, into, 0, from.length, 0)),
  }
}

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0)))

const advice = 'build with `nvcc --compress-mode=none` (or `-Xfatbin -no-compress` before CUDA 13)'

/** `compressed`: bytes of what is compressed, 0 if nothing is; `whole`: bytes of what comes out. */
const payload = (bytes: Uint8Array, compressed: number, whole: number): E.Either<Failure, string> => {
  if (compressed === 0) return E.right(textOf(bytes))
  const by = libraries()
  if (by === null || compressed > bytes.length || whole > mostText)
    return refuse('fatbin.compressed', `the PTX is compressed and cannot be read here: ${advice}`)
  const packed = bytes.subarray(0, compressed)
  const out = E.tryCatch(
    () => {
      if (zstd.every((b, i) => bytes[i] === b)) return by.zstd(packed)
      const out = new Uint8Array(whole)
      // it says how many bytes came out, more than there is room for, too
      return by.lz4(packed, out) === whole ? out : new Uint8Array()
    },
    (why) => String(why),
  )
  return E.isRight(out) && out.right.length === whole && whole > 0
    ? E.right(textOf(out.right))
    : refuse(
        'fatbin.compressed',
        `the PTX cannot be decompressed (${E.isLeft(out) ? out.left : `${String(out.right.length)} of ${String(whole)} bytes`}): ${advice}`,
      )
}

/** The texts of PTX in one fat binary; machine code alone is none. */
export const ptxIn = (bytes: Uint8Array): E.Either<Failure, ReadonlyArray<PtxInside>> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 16 || view.getUint32(0, true) !== magic)
    return refuse('fatbin.form', 'expected a fat binary, which begins with 50 ed 55 ba')
  const out: PtxInside[] = []
  const end = Math.min(bytes.length, view.getUint16(6, true) + Number(view.getBigUint64(8, true)))
  for (let at = view.getUint16(6, true); at + 64 <= end;) {
    const header = view.getUint32(at + 4, true)
    const size = Number(view.getBigUint64(at + 8, true))
    if (header < 64 || at + header + size > end)
      return refuse('fatbin.form', 'an entry leaves the fat binary')
    if (view.getUint16(at, true) === isPtx) {
      const whole = Number(view.getBigUint64(at + 56, true))
      const text = payload(
        bytes.subarray(at + header, at + header + size),
        view.getUint32(at + 16, true),
        whole,
      )
      if (E.isLeft(text)) return text
      out.push({ arch: view.getUint32(at + 28, true), text: text.right })
    }
    at += header + size
  }
  return E.right(out)
}

/** All that lie somewhere in a program, an object or a library, in their order. */
export const fatbinsIn = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const out: Uint8Array[] = []
  for (let at = 0; at + 16 <= bytes.length; at += 8) {
    if (view.getUint32(at, true) !== magic) continue
    const size = view.getUint16(at + 6, true) + Number(view.getBigUint64(at + 8, true))
    if (view.getUint16(at + 4, true) === 1 && at + size <= bytes.length)
      out.push(bytes.subarray(at, at + size))
  }
  return out
}
