/**
 * Traces and the command line: a run written as JSON lines, and a verdict on a trace from anywhere.
 *
 * A trace is one run of an unknown program, so nothing can be explored and no finding has a schedule. What the run shows is judged by
 * the code that judges our own runs.
 *
 * Law 1. The verdict on the trace of a run has the findings, conditions and digest of the verdict on the run.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import {
  defaults,
  explain,
  judgeLog,
  settledVerdictOf,
  type Options,
} from '../../semantics/detector/index.js'
import { scope } from '../../semantics/check.js'
import type { Finding, Judgement } from '../../semantics/finding.js'
import { launch, type Arguments } from '../../semantics/launch.js'
import * as Policy from '../../semantics/policy.js'
import type { Program } from '../../semantics/program.js'
import { provenance } from '../../semantics/provenance/index.js'
import { run, settings } from '../../semantics/run.js'
import type { EventKey } from '../../semantics/step.js'
import { decodeTrace, tracing, type Trace } from '../../semantics/trace.js'
import {
  verdictSchema,
  type Provenance,
  type ReplayableFinding,
  type Verdict,
  type VerdictName,
} from '../../semantics/verdict.js'

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
        tracing((line) => lines.push(line)),
      )
      return new TextEncoder().encode(`${lines.join('\n')}\n`)
    }),
  )

// ---------------------------------------------------------------- judging

const decided = (
  j: Judgement,
  proof: Provenance | null,
): { readonly name: VerdictName; readonly reason: string } => {
  const settled = settledVerdictOf(j)
  switch (settled) {
    case 'deadlock':
      return {
        name: 'deadlock',
        reason: `the trace ends with ${String(j.deadlock.length)} agents blocked: ${j.deadlock[0]?.agent ?? ''} waits for ${j.deadlock[0]?.waitsFor ?? ''}`,
      }
    case 'hazard':
      return { name: 'hazard', reason: j.findings[0]?.text ?? 'a hazard' }
    case 'undecided':
      return { name: 'undecided', reason: 'one of C1 to C6 fails, so this run does not stand for the others' }
    case 'ok':
      return proof !== null && !proof.proved
        ? { name: 'wrong-result', reason: proof.text }
        : {
            name: 'ok',
            reason: 'nothing was found, and C1 to C6 hold: this run stands for every schedule',
          }
  }
}

/** Findings whose missing edge is looked for: each costs some passes over the trace. */
const explained = 3

const withoutSchedule = (
  trace: Trace,
  options: Options,
  findings: ReadonlyArray<Finding>,
): ReadonlyArray<ReplayableFinding> =>
  findings.map((f, i) =>
    f.missing !== undefined || i >= explained
      ? { ...f, schedule: '' }
      : { ...f, schedule: '', missing: explain(trace.header, trace.events, f, options) },
  )

const provenanceOf = ({ header, events }: Trace): Provenance | null => {
  let state = provenance.init(header)
  for (const e of events) state = provenance.observe(state, e)
  return provenance.finish(state)
}

/** The verdict on the text of a trace file. */
export const judgeTrace = (
  file: string,
  text: string,
  strict: boolean,
  strictProxies: boolean,
): E.Either<Failure, Verdict> => {
  if (text.trim() === '') return refuse('trace.empty', `${file}: expected a trace, found an empty file`)
  return pipe(
    decodeTrace(text.split('\n').filter((line) => line !== '')),
    E.bimap(
      (f): Failure => failure(f.code, `${file}: ${f.message}`),
      (trace) => {
        const options: Options = { ...defaults, strict, strictProxies }
        const judgement = judgeLog(trace.header, trace.events, options)
        const proof = trace.header.computes === null ? null : provenanceOf(trace)
        const { name, reason } = decided(judgement, proof)
        return {
          schema: verdictSchema,
          kernel: trace.header.program,
          settings: {},
          verdict: name,
          reason,
          decidedBy: 'one-schedule',
          search: null,
          conditions: judgement.conditions,
          findings: withoutSchedule(trace, options, judgement.findings),
          notes: judgement.notes.map((f) => ({ ...f, schedule: '' })),
          waitFor: judgement.deadlock.map((b) => `${b.agent} waits for ${b.waitsFor}`),
          provenance: proof,
          digest: { order: judgement.digest, output: 'none' },
          counts: {
            events: judgement.events,
            steps: 0,
            agents: trace.header.agents.length,
            ctas: trace.header.ctas,
            clusters: trace.events.filter((e) => e._tag === 'cluster').length,
            runs: 1,
          },
          scope,
        }
      },
    ),
  )
}
