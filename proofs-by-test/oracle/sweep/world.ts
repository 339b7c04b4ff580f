/** A world in which sweeps run in this thread and their files grow on the disk; and a sweep of a few cheap points. */
import * as E from 'fp-ts/lib/Either.js'
import { silent, type Outcome, type Sweeps, type World } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { besideDocument } from '../../../src/oracle/sweep/grid.js'
import { journalOnDisk } from '../../../src/oracle/sweep/journal.js'
import type { Hire } from '../../../src/oracle/sweep/model.js'
import type { SweepSpec } from '../../../src/oracle/sweep/spec.js'
import { alone } from '../../../src/oracle/sweep/staff.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { inMemory } from '../disk.js'

export const bare: World = {
  files: onDisk,
  version: '1.2.3',
  colours: false,
  clock: () => 0,
  conformance: null,
  progress: () => silent,
}

export const here: Hire = ({ cases, directory }) =>
  alone({ ...bare, files: besideDocument(directory, onDisk) }, cases)

/** Sweeps on a disk in memory, in this thread. */
export const sweepsIn = (disk: Map<string, Uint8Array>): Sweeps => {
  const textOf = (file: string): string => new TextDecoder().decode(disk.get(file))
  return {
    hire: ({ cases, directory }) =>
      alone({ ...bare, files: besideDocument(directory, inMemory(disk)) }, cases),
    count: 1,
    journal: (file) =>
      E.right({
        text: textOf(file),
        torn: '',
        append: (line) => {
          disk.set(file, new TextEncoder().encode(`${textOf(file)}${line}\n`))
          return E.right(null)
        },
        close: () => E.right(null),
        leave: () => undefined,
      }),
    interrupted: () => () => undefined,
  }
}

export const worldWith = (sweeps: Partial<Sweeps> = {}): World => ({
  ...bare,
  sweeps: { hire: here, count: 1, journal: journalOnDisk, interrupted: () => () => undefined, ...sweeps },
})

export const ask = (world: World, ...argv: ReadonlyArray<string>): Promise<Outcome> =>
  tcspec(commands, world)(argv)()

/** Twenty-odd points: kernels and mutants, good and bad, and refused ones. */
export const small: SweepSpec = {
  schema: 'tcspec.sweep/1',
  subjects: ['zoo/R1', { name: 'queue', settings: { m: [5], n: [8], rows: [1] } }],
  settings: { buffering: [2, 0] },
  schedules: ['eager', 'lazy'],
  options: { strict: [false, true] },
  mutants: ['none', 'synchronisation', 'EXIT', 'ALLOC'],
}
