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
 *
 * zstd is that of Node.js, from 22.15 on; what cannot be read is said in one line with the flag of nvcc that leaves it uncompressed.
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

type Decompress = (bytes: Uint8Array) => Uint8Array
const isDecompress = (u: unknown): u is Decompress => typeof u === 'function'

/** What Node.js brings; null in a browser and before 22.15. This file loads in both. */
const zstdOfNode = (): Decompress | null => {
  const node: unknown = Reflect.get(globalThis, 'process')
  const builtin: unknown = isObject(node) ? node['getBuiltinModule'] : null
  if (!isBuiltin(builtin)) return null
  const zlib = builtin('node:zlib')
  const found: unknown = isObject(zlib) ? zlib['zstdDecompressSync'] : null
  return isDecompress(found) ? found : null
}
type Builtin = (name: string) => unknown
const isBuiltin = (u: unknown): u is Builtin => typeof u === 'function'

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0)))

const advice = 'build with `nvcc --compress-mode=none` (or `-Xfatbin -no-compress` before CUDA 13)'

const payload = (bytes: Uint8Array, compressed: number): E.Either<Failure, string> => {
  if (compressed === 0) return E.right(textOf(bytes))
  if (!zstd.every((b, i) => bytes[i] === b))
    return refuse('fatbin.compressed', `the PTX is compressed, and not by zstd: ${advice}`)
  const decompress = zstdOfNode()
  if (decompress === null)
    return refuse(
      'fatbin.compressed',
      `the PTX is compressed by zstd, which Node.js has from 22.15 on: ${advice}`,
    )
  return E.tryCatch(
    () => textOf(decompress(bytes.subarray(0, compressed))),
    (why) => ({ code: 'fatbin.compressed', message: `the PTX cannot be decompressed: ${String(why)}` }),
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
      const text = payload(bytes.subarray(at + header, at + header + size), view.getUint32(at + 16, true))
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
