/**
 * Traces and the command line: a run written as JSON lines, and a verdict on a trace from anywhere.
 *
 * A trace is one run of an unknown program, so nothing can be explored and no finding has a schedule. What the run shows is judged by
 * the code that judges our own runs.
 *
 * Law 1. The verdict on the trace of a run is the verdict on the run (`semantics/files/trace/judge.ts`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { unit } from '../../numerics/unit.js'
import { agentsActAsOne } from '../../semantics/machine/front.js'
import type { Options as Detecting } from '../../semantics/judging/detector/index.js'
import type { Fold, Header } from '../../semantics/log/events.js'
import * as Policy from '../../semantics/execution/policy.js'
import type { Arguments, Source } from '../../semantics/machine/source.js'
import { run, settings } from '../../semantics/execution/run.js'
import type { EventKey } from '../../semantics/execution/step.js'
import * as Trace from '../../semantics/files/trace/index.js'
import type { Verdict } from '../../semantics/judging/verdict.js'

// ---------------------------------------------------------------- writing

interface Heard<R> {
  readonly header: Header
  readonly steps: number
  readonly result: R
}

/** A run that is known by its schedule, heard by a fold; and its header. */
const heard = <S, R>(
  source: Source,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fold: Fold<S, R>,
): E.Either<Failure, Heard<R>> =>
  pipe(
    source.launch(algebra, given),
    E.map(({ world, machine }) => {
      // the schedule ends, and what it took its run had; a run that its fuel has stopped is not gone on with
      const how = { ...settings(Policy.recordedOnly(schedule)), fuel: Infinity }
      const { steps, result } = run(world, machine, how, fold)
      return { header: world.header, steps, result }
    }),
  )

/** What happened, where elements are not asked for: without them, unless what happens depends on them. */
export const hearing = <S, R>(
  source: Source,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
  fold: Fold<S, R>,
): E.Either<Failure, Heard<R>> => {
  const { scalars, tensorPipe } = given
  const bare: Arguments =
    tensorPipe === undefined ? { scalars, tensors: new Map() } : { scalars, tensors: new Map(), tensorPipe }
  return pipe(
    heard(source, unit, bare, schedule, fold),
    E.fold(
      // it keeps addresses in its registers: without data there is no run of it
      () => heard(source, algebra, given, schedule, fold),
      (found) =>
        found.steps === schedule.length ? E.right(found) : heard(source, algebra, given, schedule, fold),
    ),
  )
}

/** Lines that are kept as text before they become bytes. */
const page = 4096

/** Collects lines as bytes: a trace may be longer than any string, which ends at half a gigabyte. */
const collectingLines = (): { readonly line: (text: string) => void; readonly bytes: () => Uint8Array } => {
  const encoder = new TextEncoder()
  const chunks: Uint8Array[] = []
  let lines: string[] = []
  const flush = (): void => {
    if (lines.length > 0) chunks.push(encoder.encode(`${lines.join('\n')}\n`))
    lines = []
  }
  return {
    line: (text) => {
      if (lines.push(text) === page) flush()
    },
    bytes: () => {
      flush()
      const all = new Uint8Array(chunks.reduce((n, chunk) => n + chunk.length, 0))
      let at = 0
      for (const chunk of chunks) {
        all.set(chunk, at)
        at += chunk.length
      }
      return all
    },
  }
}

/** A log as the bytes of its trace; the number of its events besides. */
export const traceBytes = (): Fold<Trace.Writer, { readonly bytes: Uint8Array; readonly events: number }> => {
  const lines = collectingLines()
  const writer = Trace.tracing(lines.line)
  return {
    init: writer.init,
    observe: writer.observe,
    finish: (w) => ({ events: writer.finish(w) - 1, bytes: lines.bytes() }),
  }
}

/** The trace of a run that is known by its schedule. */
export const traceOf = (
  source: Source,
  algebra: Algebra,
  given: Arguments,
  schedule: ReadonlyArray<EventKey>,
): E.Either<Failure, Uint8Array> =>
  pipe(
    heard(source, algebra, given, schedule, traceBytes()),
    E.map(({ result }) => result.bytes),
  )

// ---------------------------------------------------------------- judging

const newline = 10

/** The lines of a text, decoded one at a time: a trace may be longer than any string. */
export function* linesOf(text: Uint8Array): Generator<string> {
  const decoder = new TextDecoder()
  for (let from = 0; from < text.length;) {
    const found = text.indexOf(newline, from)
    const end = found < 0 ? text.length : found
    yield decoder.decode(text.subarray(from, end))
    from = end + 1
  }
}

/** Names the file in front of what is wrong with it. */
export const inFile =
  (file: string) =>
  (f: Failure): Failure =>
    failure(f.code, `${file}: ${f.message}`)

const isBlank = (text: Uint8Array): boolean => text.every((byte) => byte <= 32)

/** The verdict on the bytes of a trace file. */
export const judgeTrace = (
  file: string,
  text: Uint8Array,
  detecting: Detecting,
): E.Either<Failure, Verdict> =>
  isBlank(text)
    ? refuse('trace.empty', `${file}: expected a trace, found an empty file`)
    : pipe(linesOf(text), Trace.judgeTrace({ ...detecting, scope: agentsActAsOne }), E.mapLeft(inFile(file)))
