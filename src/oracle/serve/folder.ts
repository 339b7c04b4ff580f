/**
 * Files of one folder, and no others: what `--files DIR` lets requests read.
 *
 * Law 1. What is read is a plain file whose own place, behind all links, lies inside of the folder.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse } from '../../failure.js'
import { onDisk } from '../tensor-files/disk.js'
import type { Files } from '../tensor-files/files.js'

const placeIn = (folder: string, file: string): string | null => {
  try {
    const root = fs.realpathSync(folder)
    const place = fs.realpathSync(path.resolve(root, file))
    // the root of a disk ends in a separator itself
    return place.startsWith(root.endsWith(path.sep) ? root : root + path.sep) && fs.statSync(place).isFile()
      ? place
      : null
  } catch {
    return null
  }
}

export const reading =
  (folder: string): Files['read'] =>
  (file) =>
  () => {
    const place = placeIn(folder, file)
    return place === null
      ? refuse(
          'file-missing',
          `${file}: expected a file of the request, or one inside of the folder; found none`,
        )
      : pipe(
          onDisk.read(place)(),
          E.mapLeft(({ code, message }) => failure(code, message.replace(place, file))),
        )
  }
