/** Kernels of the catalogue, timed: by their names and settings, on the chip of their architecture or another one. */
import * as E from 'fp-ts/lib/Either.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { sourceOf } from '../../../src/semantics/execution/launch.js'
import { noArguments, type Source } from '../../../src/semantics/machine/source.js'
import { b200, footingOf, h100, time, type Chip, type Timing } from '../../../src/semantics/timing/index.js'

export const right = <A>(e: E.Either<{ readonly message: string }, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.message)
  return e.right
}

type Settings = Readonly<Record<string, number>>

export const kernelSource = (name: string, settings: Settings = {}): Source =>
  sourceOf(right(instanceOf(right(kernelNamed(name)), settings, [])).program)

export const timedKernel = (name: string, settings: Settings = {}, chip: Chip | null = null): Timing => {
  const source = kernelSource(name, settings)
  const { world } = right(source.launch(unit, noArguments))
  return right(
    time(source, unit, noArguments, footingOf(world), chip ?? (world.header.arch === 'sm90a' ? h100 : b200)),
  )
}
