/**
 * Traces and the command line: a run written as JSON lines, and a verdict on a trace from anywhere.
 *
 * A trace is one run of an unknown program, so nothing can be explored and no finding has a schedule. What the run shows is judged by
 * the code that judges our own runs.
 *
 * Law 1. The verdict on the trace of a run is the verdict on the run (`semantics/trace/judge.ts`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { scope } from '../../semantics/check.js'
import type { Options as Detecting } from '../../semantics/detector/index.js'
import { launch, type Arguments } from '../../semantics/launch.js'
import type { Fold, Header } from '../../semantics/log.js'
import * as Policy from '../../semantics/policy.js'
import type { Program } from '../../semantics/program.js'
import { run, settings } from '../../semantics/run.js'
import type { EventKey } from '../../semantics/step.js'
import * as Trace from '../../semantics/trace/index.js'
import type { Verdict } from '../../semantics/verdict.js'

// ---------------------------------------------------------------- writing

interface Heard<R> {
  readonly header: Header
  readonly steps: number
  readonly result: R
}

/** A run that is known by its schedule, heard by a fold; and its header. */
const heard = <S, R>(
  program: Program,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fold: Fold<S, R>,
): E.Either<Failure, Heard<R>> =>
  pipe(
    launch(program, algebra, given),
    E.map(({ world, machine }) => {
      // the schedule ends, and what it took its run had
      const how = { ...settings(Policy.recorded(schedule)), fuel: Infinity }
      const { steps, result } = run(world, machine, how, fold)
      return { header: world.header, steps, result }
    }),
  )

/** What happened, for whoever does not ask for elements: without them, unless what happens depends on them. */
export const hearing = <S, R>(
  program: Program,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fold: Fold<S, R>,
): E.Either<Failure, Heard<R>> => {
  const { scalars, tensorPipe } = given
  const bare: Arguments =
    tensorPipe === undefined ? { scalars, tensors: new Map() } : { scalars, tensors: new Map(), tensorPipe }
  return pipe(
    heard(program, unit, bare, schedule, fold),
    E.chain((found) =>
      found.steps === schedule.length ? E.right(found) : heard(program, algebra, given, schedule, fold),
    ),
  )
}

/** The trace of a run that is known by its schedule. */
export const traceOf = (
  program: Program,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
): E.Either<Failure, Uint8Array> => {
  const lines: string[] = []
  return pipe(
    heard(
      program,
      algebra,
      given,
      schedule,
      Trace.tracing((line) => lines.push(line)),
    ),
    E.map(() => new TextEncoder().encode(`${lines.join('\n')}\n`)),
  )
}

// ---------------------------------------------------------------- judging

/** The lines of a text, one at a time: a trace may be long. */
export function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end < 0 ? text.length : end)
    from = end < 0 ? text.length : end + 1
  }
}

/** Names the file in front of what is wrong with it. */
export const inFile =
  (file: string) =>
  (f: Failure): Failure =>
    failure(f.code, `${file}: ${f.message}`)

/** The verdict on the text of a trace file. */
export const judgeTrace = (file: string, text: string, detecting: Detecting): E.Either<Failure, Verdict> =>
  text.trim() === ''
    ? refuse('trace.empty', `${file}: expected a trace, found an empty file`)
    : pipe(linesOf(text), Trace.judgeTrace({ ...detecting, scope }), E.mapLeft(inFile(file)))
