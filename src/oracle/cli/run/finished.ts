/**
 * A run that has ended, made here or by threads.
 *
 * A large product is shared by threads: each computes some of the clusters, while this one judges the run without data. What comes of it is the same as of a run in one
 * piece, so what follows (comparison, files, report) knows one form only.
 *
 * Law 1. In pieces or in one, a run has the same verdict and the same outputs.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { referenceOf, type Reference } from '../../../kernels/reference.js'
import { thousands } from '../../../render/table.js'
import { readTensor as readOutput } from '../../../semantics/execution/launch.js'
import type { Outcome } from '../../../semantics/execution/run.js'
import type { EventKey } from '../../../semantics/execution/step.js'
import type { Verdict } from '../../../semantics/judging/verdict.js'
import { leastEvents } from '../../../semantics/language/cost.js'
import type { Program } from '../../../semantics/language/program.js'
import type { World as Launched } from '../../../semantics/machine/world.js'
import { check, type CheckOptions } from '../../../semantics/verdict/check.js'
import { spread, type Spread } from '../../parallel/spread.js'
import type { World } from '../command.js'
import { carriersOfPlan } from '../tensors.js'
import type { Plan } from './plan.js'

/** A run, in one piece or in pieces. */
export interface Finished {
  readonly verdict: Verdict
  readonly outcome: Outcome
  /** `schedule` and the outputs are those of a run that completed */
  readonly completes: boolean
  readonly launched: Launched
  readonly schedule: ReadonlyArray<EventKey>
  readonly recorded: ReadonlyArray<ReadonlyArray<EventKey>>
  readonly inputs: ReadonlyMap<string, Float64Array>
  readonly output: (name: string) => Float64Array | null
  /** null where there is nothing to compare with */
  readonly reference: E.Either<Failure, Reference> | null
  readonly elapsed: number
}

/** A product this large is shared by threads without being asked for: below, they would take longer to begin. */
const large = 2 ** 28

const whole = (
  world: World,
  program: Program,
  options: CheckOptions,
  inputs: ReadonlyMap<string, Float64Array>,
  /** what is expected is known elsewhere */
  expected: boolean,
): E.Either<Failure, Finished> => {
  const { algebra } = options
  const start = world.clock()
  const bar = world.progress(`running ${thousands(leastEvents(program))} events or more`)
  const checked = check(program, {
    ...options,
    // the run itself is wanted
    everyCluster: true,
    arguments: { ...options.arguments, tensors: inputs },
    progress: bar.update,
  })
  bar.stop()
  const elapsed = world.clock() - start
  if (E.isLeft(checked)) return checked
  const { verdict, outcome, world: launched, completed, recorded } = checked.right
  return E.right({
    verdict,
    outcome,
    completes: completed !== null,
    launched,
    schedule: completed?.schedule ?? checked.right.schedule,
    recorded,
    inputs,
    output: (name) => readOutput(launched, (completed ?? checked.right).machine, name),
    reference:
      completed !== null && algebra.memory !== 'none' && !expected && program.computes !== undefined
        ? referenceOf(program, algebra, inputs)
        : null,
    elapsed,
  })
}

/** By threads, where it is large or they are asked for; null: here. */
const inPieces = async (world: World, plan: Plan): Promise<E.Either<Failure, Finished | null>> => {
  const { subject, over, chip, fast, check: options, inputs, schedule } = plan
  const { program, compiler, expects } = subject
  const count = plan.threads ?? (plan.work < large ? 1 : (world.threads?.count ?? 1))
  // a schedule that was not judged stands for itself alone
  const isShared = count > 1 && over._tag === 'bits' && (options.hazards || schedule._tag === 'eager')
  if (world.threads === undefined || !isShared) return E.right(null)
  const shared = await spread(
    { program, arithmetic: chip, compiler, fast, options, inputs },
    world.threads.assemble,
    count,
    world.progress,
    world.clock,
  )
  return E.map((ran: Spread | null): Finished | null =>
    ran === null
      ? null
      : {
          ...ran,
          outcome: { _tag: 'completed' },
          completes: true,
          launched: ran.world,
          reference:
            expects !== undefined || program.computes === undefined
              ? null
              : ran.reference === null
                ? referenceOf(program, options.algebra, ran.inputs)
                : E.right(ran.reference),
        },
  )(shared)
}

/** The run that is planned, to its end. */
export const finished = async (world: World, plan: Plan): Promise<E.Either<Failure, Finished>> => {
  const pieces = await inPieces(world, plan)
  if (E.isLeft(pieces)) return pieces
  if (pieces.right !== null) return E.right(pieces.right)
  const { subject, algebra, over, inputs } = plan
  const { program, expects } = subject
  return whole(
    world,
    program,
    plan.check,
    carriersOfPlan(program, algebra, over, inputs),
    expects !== undefined,
  )
}
