/** A disk in memory. What begins with `locked` or `/nowhere` cannot be written; no device is there, and no two names of one file. */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failure } from '../../src/failure.js'
import type { Files } from '../../src/oracle/tensor-files/files.js'

export const inMemory = (disk: Map<string, Uint8Array>): Files => ({
  read: (file) => () => {
    const bytes = disk.get(file)
    return bytes === undefined ? E.left(failure('file-missing', `${file}: no such file`)) : E.right(bytes)
  },
  destination: (file) => () =>
    /^(locked|\/nowhere)/.test(file)
      ? E.left(failure('file-forbidden', `${file}: expected a place to write, found no write permission`))
      : E.right(file),
  write: (outputs) =>
    TE.fromIO(() => {
      for (const { file, bytes } of outputs) disk.set(file, bytes)
    }),
})
