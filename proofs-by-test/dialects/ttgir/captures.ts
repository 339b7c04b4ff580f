import { readdirSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../src/failure.js'
import { launched, type LaunchedModule } from '../../../src/oracle/launch/launched.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Arguments } from '../../../src/semantics/execution/launch.js'
import { fileURLToPath } from 'node:url'

const directory = fileURLToPath(new URL('../../../conformance/triton/captures/', import.meta.url))

/** Launches on an H100: the text that ran, its inputs, and what the chip left in the output. */
export const captureNames: ReadonlyArray<string> = readdirSync(directory)

/** The module of a capture, and its launch file. */
export const captureFiles = (name: string): { readonly module: string; readonly launch: string } => ({
  module: `${directory}${name}/${name}.ttgir`,
  launch: `${directory}${name}/launch.json`,
})

export const launchedCapture = (name: string, computes?: string): E.Either<Failure, LaunchedModule> => {
  const { module, launch } = captureFiles(name)
  return launched(onDisk)(module, { launch, ...(computes === undefined ? {} : { computes }) })
}

export interface Capture {
  readonly program: E.Either<Failure, Program>
  readonly arguments: Arguments
  /** the tensor that is written, and what the chip wrote */
  readonly output: string
  readonly expected: Float64Array
}

/** A capture as a program with its arguments. */
export const captured = (name: string, computes?: string): Capture => {
  const found = launchedCapture(name, computes)
  const [inputs, expected] = E.isLeft(found) ? [[], []] : [[...found.right.inputs], [...found.right.expected]]
  const patterns = (bits: ArrayLike<number | bigint>): Float64Array =>
    Float64Array.from({ length: bits.length }, (_, k) => Number(bits[k]))
  return {
    program: E.map(({ program }: LaunchedModule) => program)(found),
    arguments: {
      scalars: new Map(),
      tensors: new Map(inputs.map(([tensor, brought]) => [tensor, patterns(brought.tensor.bits)])),
    },
    output: expected[0]?.[0] ?? '',
    expected: patterns(expected[0]?.[1].tensor.bits ?? []),
  }
}
