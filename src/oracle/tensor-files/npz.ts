/**
 * The npz file: arrays by name, each an npy file in a zip archive, as `np.savez` and `np.savez_compressed` write them.
 *
 * | member     | array |
 * |------------|-------|
 * | `a.npy`    | a     |
 * | `w/0.npy`  | w/0   |
 * | `notes.txt`| none: it is left out |
 *
 * Written, the members are stored, as `np.savez` has them, in the order of their names' first use; the same arrays are the same bytes.
 *
 * Laws
 *  1. arrayOf(encodeNpz(arrays))(name) is the array of that name, and namesOf lists them all
 *  2. what is read of one array takes memory for that array alone
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { decodeNpy, encodeNpy, type NpyArray, type NpyFault } from './npy.js'
import { contentOf, encodeZip, membersOf, type ZipFault } from './zip.js'

export type NpzFault = NpyFault | ZipFault | 'tensor-name'
export type NpzFailure = Failure<NpzFault>

const ending = '.npy'

const ofArray =
  (name: string) =>
  <Code extends string>(f: Failure<Code>): Failure<Code> =>
    failure(f.code, `${name}: ${f.message}`)

/** The archive of some arrays. */
export const encodeNpz = (arrays: ReadonlyMap<string, NpyArray>): E.Either<NpzFailure, Uint8Array> =>
  pipe(
    [...arrays],
    E.traverseArray(([name, array]) =>
      pipe(
        encodeNpy(array),
        E.bimap(ofArray(name), (bytes) => [`${name}${ending}`, bytes] as const),
      ),
    ),
    E.chainW((members) => encodeZip(new Map(members))),
  )

/** The names of the arrays of an archive. */
export const namesOf = (bytes: Uint8Array): E.Either<NpzFailure, ReadonlyArray<string>> =>
  pipe(
    membersOf(bytes),
    E.map((members) =>
      members.filter(({ name }) => name.endsWith(ending)).map(({ name }) => name.slice(0, -ending.length)),
    ),
  )

/** One array of an archive. */
export const arrayOf =
  (bytes: Uint8Array) =>
  (name: string): E.Either<NpzFailure, NpyArray> =>
    pipe(
      membersOf(bytes),
      E.chainW((members): E.Either<NpzFailure, Uint8Array> => {
        const member = members.find((m) => m.name === `${name}${ending}`)
        return member === undefined
          ? refuse('tensor-name', `expected an array '${name}', found none`)
          : contentOf(bytes)(member)
      }),
      E.chainW((content) => pipe(decodeNpy(content), E.mapLeft(ofArray(name)))),
    )
