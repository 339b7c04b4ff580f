/**
 * Where a tensor is: a file, and its name there.
 *
 * The ending of a file's name says what it is. A file of several tensors may be followed by the name of one:
 *
 * | said                    | read                                             | written                                |
 * |-------------------------|--------------------------------------------------|----------------------------------------|
 * | `a.npy`, any other name | an npy file                                      | an npy file                            |
 * | `all.npz`               | its only array, or that which is called as asked | an archive of what is so written       |
 * | `all.npz:w/a`           | its array `w/a`                                  | its array `w/a`, beside the others     |
 * | `all.safetensors`       | its only tensor, or that which is called as asked | a file of what is so written          |
 * | `all.safetensors:a`     | its tensor `a`                                   | its tensor `a`, beside the others      |
 *
 * Law 1. The first `.npz:` or `.safetensors:` ends the name of the file; the name behind it may hold any character.
 */

/** A file, and the name of a tensor in it where that is said. */
export interface Place {
  readonly file: string
  readonly format: 'npy' | 'npz' | 'safetensors'
  readonly name: string | undefined
}

export const placeOf = (said: string): Place => {
  const m = /^(.*?\.(npz|safetensors))(?::(.*))?$/is.exec(said)
  return m === null
    ? { file: said, format: 'npy', name: undefined }
    : { file: m[1]!, format: m[2]!.toLowerCase() === 'npz' ? 'npz' : 'safetensors', name: m[3] }
}

/** Whether a file holds tensors by name. */
export const holdsMany = (said: string): boolean => placeOf(said).format !== 'npy'
