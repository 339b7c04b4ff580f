/** A program whose kernels are a text, performed without files. */
import * as E from 'fp-ts/lib/Either.js'
import { bits } from '../../../src/numerics/bits.js'
import { failure } from '../../../src/failure.js'
import { hostSchema, type HostOperation } from '../../../src/oracle/host/file.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import type { Host } from '../../../src/oracle/host/state.js'
import type { Files } from '../../../src/oracle/tensor-files/files.js'
import { right } from '../../either.js'

/** Begins a module of PTX. */
export const header = '.version 8.5\n.target sm_90a\n.address_size 64\n'

export const doneWith = (ptx: string, operations: ReadonlyArray<HostOperation>): Host => {
  const files: Files = {
    read: (file) => () =>
      file === 'k.ptx'
        ? E.right(new TextEncoder().encode(ptx))
        : E.left(failure('file-missing', `${file}: no such file`)),
    destination: () => () => E.right(null),
    write: () => () => Promise.resolve(E.right(undefined)),
  }
  return right(
    performed(
      {
        files,
        where: 'program.json',
        algebra: () => bits('hopper'),
        judge: null,
        judgeAll: false,
        fuel: usualFuel,
      },
      { schema: hostSchema, module: 'k.ptx', operations },
    ),
  )
}
