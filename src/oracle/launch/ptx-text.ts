/**
 * A file of PTX as its text. What is given by mistake is told as what it is:
 *
 * | the file begins with          | it is                                   | the PTX of it                                |
 * |-------------------------------|-----------------------------------------|----------------------------------------------|
 * | `7f 45 4c 46`                 | a cubin, an object file or a program    | `cuobjdump -ptx FILE`, if any was kept       |
 * | `50 ed 55 ba`                 | a fatbin                                | the same                                     |
 * | bytes of which one is zero    | no text                                 |                                              |
 *
 * Source: ELF, e_ident; CUDA Binary Utilities, cuobjdump.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { parseModule, type Module } from '../../dialects/ptx/index.js'
import { asText, type Files } from '../tensor-files/files.js'
import { inFile } from './beside.js'

const elf: ReadonlyArray<number> = [0x7f, 0x45, 0x4c, 0x46]
const fatbin: ReadonlyArray<number> = [0x50, 0xed, 0x55, 0xba]
/** Bytes in which a zero is looked for. */
const head = 4096

const beginsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((b, i) => bytes[i] === b)

/** What bytes are that are no text; null: they may be one. */
const binary = (bytes: Uint8Array): string | null =>
  beginsWith(bytes, elf)
    ? 'an ELF file, such as a cubin: machine code; `cuobjdump -ptx` prints the PTX that was kept in it, if any was'
    : beginsWith(bytes, fatbin)
      ? 'a fatbin; `cuobjdump -ptx` prints the PTX that was kept in it, if any was'
      : bytes.subarray(0, head).includes(0)
        ? 'bytes that are not text'
        : null

/** The text of a file of PTX. */
const ptxText =
  (file: string) =>
  (bytes: Uint8Array): E.Either<Failure, string> => {
    const found = binary(bytes)
    return found === null
      ? asText(file)(bytes)
      : refuse('ptx.binary', `${file}: expected PTX, which is a text, found ${found}`)
  }

/** The module in a file. */
export const readPtx =
  (files: Files) =>
  (file: string): E.Either<Failure, Module> =>
    pipe(
      files.read(file)(),
      E.chainW(ptxText(file)),
      E.chainW((text) => pipe(parseModule(text), E.mapLeft(inFile(file)))),
    )
