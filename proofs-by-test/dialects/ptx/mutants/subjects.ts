/** The kernels of `conformance/hopper/cuda` whose mutants are judged, at the launches that an H100 ran. */
import { readFileSync } from 'node:fs'
import type { PtxGround } from '../../../../src/dialects/ptx/mutants/judge.js'
import { launchedPtx } from '../../../../src/oracle/launch/ptx.js'
import { right } from '../../../either.js'
import { inMemory } from '../../../oracle/disk.js'
import { filesOf, kernelNames, launchOf } from '../cuda.js'

const folder = new URL('../../../../conformance/hopper/cuda/', import.meta.url)

/** Those that order nothing have no mutants. */
export const kernels: ReadonlyArray<string> = kernelNames

/** Integers among the parameters, by the launch file itself. */
const integersOf = (kernel: string, offsets: ReadonlyArray<number>): PtxGround['integers'] =>
  launchOf(kernel).args.flatMap((a, k) =>
    a.kind === 'scalar' && /^[su](?:32|64)$/u.test(a.type)
      ? [
          {
            offset: offsets[k]!,
            bytes: a.type.endsWith('64') ? (8 as const) : (4 as const),
            value: Number(a.value),
          },
        ]
      : [],
  )

export const groundOf = (kernel: string): PtxGround => {
  const files = new Map(
    filesOf(kernel).map((file) => [file, new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder)))]),
  )
  const {
    module,
    file,
    elaborated,
    arguments: given,
  } = right(launchedPtx(inMemory(files))(`${kernel}.ptx`, 'launch.json'))
  return {
    module,
    name: file,
    entry: elaborated.program.name,
    program: elaborated.program,
    given,
    integers: integersOf(
      kernel,
      elaborated.parameters.map(({ offset }) => offset),
    ),
    fuel: 1_000_000,
    states: 40_000,
  }
}
