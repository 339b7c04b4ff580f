/**
 * A file of PTX as its text. What is given by mistake is told as what it is:
 *
 * | the file begins with          | it is                                   | the PTX of it                                |
 * |-------------------------------|-----------------------------------------|----------------------------------------------|
 * | `7f 45 4c 46`                 | a cubin, an object file or a program    | `cuobjdump -ptx FILE`, if any was kept       |
 * | `50 ed 55 ba`                 | a fatbin                                | the same                                     |
 * | bytes of which one is zero    | no text                                 |                                              |
 *
 * A program, an object or a fatbin in which nvcc kept the PTX of one module with kernels is that module (`fatbin.ts`).
 *
 * Source: ELF, e_ident; CUDA Binary Utilities, cuobjdump.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { parseModule, type Module } from '../../dialects/ptx/index.js'
import { asText, type Files } from '../tensor-files/files.js'
import { inFile } from './beside.js'
import { fatbinsIn, ptxIn } from './fatbin.js'

const elf: ReadonlyArray<number> = [0x7f, 0x45, 0x4c, 0x46]
const fatbin: ReadonlyArray<number> = [0x50, 0xed, 0x55, 0xba]
/** Bytes in which a zero is looked for. */
const head = 4096

const beginsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>): boolean =>
  magic.every((b, i) => bytes[i] === b)

/** What bytes are that are no text; null: they may be one. */
const binary = (bytes: Uint8Array): string | null =>
  beginsWith(bytes, elf)
    ? 'an ELF file, such as a cubin: machine code; `cuobjdump -ptx` prints the PTX that it contains, if any'
    : beginsWith(bytes, fatbin)
      ? 'a fatbin; `cuobjdump -ptx` prints the PTX that it contains, if any'
      : bytes.subarray(0, head).includes(0)
        ? 'bytes that are not text'
        : null

/** Texts of PTX in a program, an object, a library or a fatbin, newest architecture first; each fat binary has one. */
const kept = (bytes: Uint8Array): E.Either<Failure, ReadonlyArray<string>> =>
  pipe(
    fatbinsIn(bytes),
    E.traverseArray(ptxIn),
    E.map((all) =>
      all.flatMap((texts) => [...texts].sort((a, b) => b.arch - a.arch).slice(0, 1)).map(({ text }) => text),
    ),
  )

/** One of them: the one that has kernels. */
const onlyKept =
  (file: string, found: string) =>
  (texts: ReadonlyArray<string>): E.Either<Failure, string> => {
    const some = texts.filter((text) => text.includes('.entry'))
    const [first] = some.length === 0 ? texts : some
    return first === undefined
      ? refuse('ptx.binary', `${file}: expected PTX, which is a text, found ${found}`)
      : some.length > 1
        ? refuse(
            'ptx.several',
            `${file}: expected one module of PTX with kernels, found ${String(some.length)}; \`cuobjdump -xptx all ${file}\` writes each to a file`,
          )
        : E.right(first)
  }

/** The text of a file of PTX. */
const ptxText =
  (file: string) =>
  (bytes: Uint8Array): E.Either<Failure, string> => {
    const found = binary(bytes)
    return found === null
      ? asText(file)(bytes)
      : pipe(kept(bytes), E.chain(onlyKept(file, found)), E.mapLeft(inFile(file)))
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
