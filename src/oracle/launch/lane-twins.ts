/**
 * PTX of the zoo in place of files: `zoo/D5` is a text `zoo/D5.ptx` and its launch `zoo/D5.json`, which are read from the zoo and lie on no disk.
 *
 * Law 1. Every other file is what it was.
 */
import * as IOE from 'fp-ts/lib/IOEither.js'
import { laneLaunch, laneTwinNamed } from '../../kernels/broken/zoo/lanes.js'
import type { Files } from '../tensor-files/files.js'

export interface FilesOfTwin {
  readonly files: Files
  readonly text: string
  readonly launch: string
}

/** The lane twin of a name: nothing else of the zoo is looked at for the name of a file. */
export const laneTwinOf = (name: string): ReturnType<typeof laneTwinNamed> =>
  name.startsWith('zoo/') ? laneTwinNamed(name) : undefined

/** The files of a kernel of the zoo that is PTX, before those that are there; undefined: the name is of no such kernel. */
export const filesOfTwin = (name: string, files: Files): FilesOfTwin | undefined => {
  const found = laneTwinOf(name)
  if (found === undefined) return undefined
  const [text, launch] = [`${name}.ptx`, `${name}.json`]
  const own = new Map([
    [text, found.twin.text(found.fixed)],
    [launch, JSON.stringify(laneLaunch(found.twin))],
  ])
  return {
    files: {
      ...files,
      read: (file) => {
        const held = own.get(file)
        return held === undefined ? files.read(file) : IOE.right(new TextEncoder().encode(held))
      },
    },
    text,
    launch,
  }
}
