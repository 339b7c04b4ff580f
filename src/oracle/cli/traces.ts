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
import { scope } from '../../semantics/check.js'
import { defaults } from '../../semantics/detector/index.js'
import { launch, type Arguments } from '../../semantics/launch.js'
import * as Policy from '../../semantics/policy.js'
import type { Program } from '../../semantics/program.js'
import { run, settings } from '../../semantics/run.js'
import type { EventKey } from '../../semantics/step.js'
import * as Trace from '../../semantics/trace/index.js'
import type { Verdict } from '../../semantics/verdict.js'

// ---------------------------------------------------------------- writing

/** The trace of a run that is known by its schedule. */
export const traceOf = (
  program: Program,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
): E.Either<Failure, Uint8Array> =>
  pipe(
    launch(program, algebra, given),
    E.map(({ world, machine }) => {
      const lines: string[] = []
      run(
        world,
        machine,
        settings(Policy.recorded(schedule)),
        Trace.tracing((line) => lines.push(line)),
      )
      return new TextEncoder().encode(`${lines.join('\n')}\n`)
    }),
  )

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
export const judgeTrace = (
  file: string,
  text: string,
  strict: boolean,
  strictProxies: boolean,
): E.Either<Failure, Verdict> =>
  text.trim() === ''
    ? refuse('trace.empty', `${file}: expected a trace, found an empty file`)
    : pipe(
        linesOf(text),
        Trace.judgeTrace({ ...defaults, strict, strictProxies, scope }),
        E.mapLeft(inFile(file)),
      )
