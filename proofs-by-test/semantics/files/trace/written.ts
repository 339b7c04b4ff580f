/** Runs of kernels and of random programs, and their traces. */
import * as E from 'fp-ts/lib/Either.js'
import { kernels } from '../../../../src/kernels/index.js'
import { unit } from '../../../../src/numerics/unit.js'
import { check, standardOptions, type CheckOptions } from '../../../../src/semantics/verdict/check.js'
import { launch } from '../../../../src/semantics/execution/launch.js'
import { embed, skeletonOf } from '../../../../src/semantics/schedules/naive/index.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { AnyPolicy } from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { run, settings } from '../../../../src/semantics/execution/run.js'
import { tracing } from '../../../../src/semantics/files/trace/index.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { nightly } from '../../../extent.js'
import { followed } from '../../../kernels/followed.js'
import { right } from '../../../either.js'

export interface Written {
  readonly lines: ReadonlyArray<string>
  /** of the run that wrote them, judged when it is asked for; nothing is explored */
  readonly verdict: () => Verdict
}

export const options = (policy: AnyPolicy): CheckOptions => ({
  ...standardOptions,
  policy,
  explore: false,
  fuel: 100_000,
})

const writes = (program: Program, policy: AnyPolicy): Written => {
  const lines: string[] = []
  const { world, machine } = right(launch(program, unit, { scalars: new Map(), tensors: new Map() }))
  run(
    world,
    machine,
    settings(policy),
    tracing((line) => lines.push(line)),
  )
  return { lines, verdict: () => right(check(program, options(policy))).verdict }
}

const eagerly = new WeakMap<Program, Written>()

/** The trace of a run; of an eager one it is written once, whoever asks. */
export const written = (program: Program, policy: AnyPolicy = Policy.eager): Written => {
  if (policy !== Policy.eager) return writes(program, policy)
  const once = eagerly.get(program) ?? writes(program, policy)
  eagerly.set(program, once)
  return once
}

/** The kernels of the catalogue, as small as their default tiles allow; by day as small as they are followed. */
export const catalogue = (): ReadonlyArray<readonly [name: string, program: Program]> => {
  made ??= kernels.map((kernel) => {
    if (!nightly) return [kernel.name, followed(kernel)[1]!.program]
    const small = kernel.make({ m: 128, n: 128, k: 128 })
    const instance = E.isRight(small) ? small : kernel.make({})
    return [kernel.name, right(instance).program]
  })
  return made
}
let made: ReadonlyArray<readonly [name: string, program: Program]> | undefined

export const random = (seed: number): Program => right(embed(skeletonOf(seed))).program
