/**
 * A launch of PTX that lies beside a kernel, on the tensors that the kernel is given.
 *
 *     k.launch.json: {"tensor": "a", "role": "in", ...}     and  --in a=a.npy     the same, with the data of a.npy
 *
 * Both levels have the same tensors by the same names. A tensor of which no data are given stays what its launch says: a file of its own, or nothing.
 *
 * Law 1. Nothing of the launch changes but the files of tensors that are given, and these are read from nowhere else.
 */
import * as E from 'fp-ts/lib/Either.js'
import * as IOE from 'fp-ts/lib/IOEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { asText, type Files } from '../tensor-files/files.js'
import { encodeNpy } from '../tensor-files/npy.js'
import { npyOfTensor, type Tensor } from '../tensor-files/tensor.js'
import { beside } from './beside.js'
import type { Lowered, View } from './lowered.js'

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** A file of a tensor that is given, as its launch names it: no disk has that folder. */
const givenFile = (tensor: string): string => `given with the kernel/${tensor}.npy`

/** An argument, or a field of one, that is read before it is written. */
const withFiles = (u: unknown, file: (tensor: string) => string | null): unknown => {
  if (!isRecord(u)) return u
  if (Array.isArray(u['fields']))
    return Object.assign({}, u, { fields: u['fields'].map((field) => withFiles(field, file)) })
  const { tensor, role } = u
  const held = typeof tensor === 'string' && role !== 'out' ? file(tensor) : null
  return held === null ? u : Object.assign({}, u, { file: held })
}

const noViews: ReadonlyMap<string, View> = new Map()

export const launchGiven = (
  files: Files,
  launch: string,
  contents: ReadonlyMap<string, Tensor>,
): E.Either<Failure, Lowered> => {
  const given = contents.size === 0 ? E.right(null) : pipe(files.read(launch)(), E.chainW(asText(launch)))
  if (E.isLeft(given)) return given
  if (given.right === null) return E.right({ files, launch, isSharedGuessed: false, views: noViews })
  const text = given.right
  const parsed = E.tryCatch(
    (): unknown => JSON.parse(text),
    () => null,
  )
  // what is no launch is refused by who reads it
  if (E.isLeft(parsed) || !isRecord(parsed.right) || !Array.isArray(parsed.right['args']))
    return E.right({ files, launch, isSharedGuessed: false, views: noViews })
  const held = new Map<string, Uint8Array>()
  for (const [name, tensor] of contents) {
    const made = encodeNpy(npyOfTensor(tensor))
    if (E.isLeft(made)) return E.left(failure('file-unreadable', `${name}: ${made.left.message}`))
    held.set(beside(launch, givenFile(name)), made.right)
  }
  const fileOf = (tensor: string): string | null => (contents.has(tensor) ? givenFile(tensor) : null)
  const asked = Object.assign({}, parsed.right, {
    args: parsed.right['args'].map((one: unknown) => withFiles(one, fileOf)),
  })
  held.set(launch, new TextEncoder().encode(JSON.stringify(asked)))
  const read: Files['read'] = (path) => {
    const there = held.get(path)
    return there === undefined ? files.read(path) : IOE.right(there)
  }
  return E.right({
    files: Object.assign({}, files, { read }),
    launch,
    isSharedGuessed: false,
    views: noViews,
  })
}
