/**
 * The files that a command line asks for, looked at before anything is computed: what cannot be written is refused while nothing is lost.
 *
 * | asked                                  | answer                                                    |
 * |----------------------------------------|-----------------------------------------------------------|
 * | a file in no directory, a directory, …  | refused: the run would be made for nothing                |
 * | one file by two options                | refused: the second would replace the first               |
 * | the program or the trace that is read  | refused: it would be gone                                 |
 * | `-`                                    | refused, but by the commands whose answer it can be       |
 *
 * The bytes are written when the command has its answer, all files or none.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Files } from '../tensor-files/files.js'
import { refuseFlag } from './flags/choice.js'

/** A file, and the flag that asks for it. */
export interface AskedFile {
  readonly flag: string
  readonly file: string
}

/** An operand that names a file: kernels and layouts by name have no ending. */
const isFile = (operand: string): boolean => /\.\w+$/.test(operand)

/** Left if an output cannot be written, or would replace another one or what is read. */
export const outputsFit = (
  files: Files,
  operands: ReadonlyArray<string>,
  asked: ReadonlyArray<AskedFile>,
): E.Either<Failure, null> => {
  const taken = new Map<string, string>()
  for (const { flag, file } of asked) {
    if (file === '') return refuseFlag(flag, 'a file', '')
    if (file === '-') return refuseFlag(flag, 'a file (standard output has the answer)', file)
    const place = files.destination(file)()
    if (E.isLeft(place)) return place
    if (place.right === null) continue
    const other = taken.get(place.right)
    if (other !== undefined)
      return refuse('bad-flag', `${other} and ${flag}: expected two files, found '${file}' for both`)
    taken.set(place.right, flag)
    for (const operand of operands.filter(isFile)) {
      const read = files.destination(operand)()
      if (E.isRight(read) && read.right === place.right)
        return refuseFlag(flag, 'a file other than the input', file)
    }
  }
  return E.right(null)
}
