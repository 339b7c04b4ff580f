/**
 * Each schedule that another engine has judged, judged by this detector. Oracle: its records (`conformance/prototype`); what it does not look for is left out of the comparison
 * (`isAsked`), and is held by the rules' own proofs.
 */
import { describe, expect, it } from 'vitest'
import { unit } from '../../../../src/numerics/unit.js'
import { defaults, detector, verdictOf } from '../../../../src/semantics/judging/detector/index.js'
import type { Finding, Judgement } from '../../../../src/semantics/judging/finding.js'
import { launch, noArguments } from '../../../../src/semantics/execution/launch.js'
import { embed } from '../../../../src/semantics/schedules/naive/embed.js'
import { follow } from '../../../../src/semantics/schedules/naive/follow.js'
import { readChoice } from '../../../../src/semantics/schedules/naive/notation.js'
import { run, settings, type Outcome } from '../../../../src/semantics/execution/run.js'
import { recorded, skeleton } from './skeletons.js'
import { nightly, sampled } from '../../../extent.js'
import { right } from '../../../either.js'

/** What the other engine's detector said of one schedule. */
interface Opinion {
  readonly verdict: string
  /** C3, C4u, C4l, C5, C6 */
  readonly fails: ReadonlyArray<string>
  readonly findings: ReadonlyArray<string>
}

const judge = (
  text: string,
  schedule: string,
): { readonly outcome: Outcome; readonly judgement: Judgement } => {
  const s = skeleton(text)
  const choices = schedule.split(' ').flatMap((word) => readChoice(word) ?? [])
  const embedded = right(embed(s))
  const { world, machine } = right(launch(embedded.program, unit, noArguments))
  const ran = run(world, machine, settings(follow(s, embedded, choices)), detector(defaults))
  return { outcome: ran.outcome, judgement: ran.result }
}

/** The other engine asks neither for a wait between a tcgen05.ld and a dealloc (M3) nor for a fence between a read and an asynchronous write (P3); PTX does. */
const isAsked = ({ id, b }: Finding): boolean => id !== 'P3' && !(id === 'M3' && b?.does === 'deallocates')

/** The other engine's kinds of findings. What is wrong with a barrier says why a run is stuck: the verdict has it already. */
const kindOf = ({ id, b, text }: Finding): ReadonlyArray<string> => {
  if (id.startsWith('B') && id !== 'B6') return []
  // a race that a wait on a fresh barrier lets happen; or the wait itself
  if (id === 'B6') return text.includes('not ordered') ? ['race'] : []
  // there a dealloc is one more access
  if (id === 'U2' && b !== undefined) return ['race']
  if (/^(U2|K1|T)/.test(id)) return ['exit']
  // M4 says what was forgotten, whether or not there is an order
  return [/^(V1|P|M4|M8)/.test(id) && !text.includes('not ordered') ? 'vis' : 'race']
}

describe('second opinion', () => {
  it('on a given schedule: the verdict, the conditions that fail and the kinds of findings of another engine', () => {
    let judged = 0
    const wrong = sampled(4, recorded('judged.txt')).flatMap(([text, schedule, opinion]) => {
      judged += 1
      const theirs = JSON.parse(opinion!) as Opinion
      const { outcome, judgement: whole } = judge(text!, schedule!)
      const judgement = { ...whole, findings: whole.findings.filter(isAsked) }
      const verdict = verdictOf(judgement)
      const stuck = verdict === 'deadlock'
      const fails = (['C3', 'C4', 'C6'] as const).filter((c) => !judgement.conditions[c].holds)
      const kinds = [...new Set(judgement.findings.flatMap((f) => kindOf(f)))].sort()
      const ours = [outcome._tag, verdict, ...fails, ...kinds].join(' ')
      const expected = [
        stuck ? 'stuck' : 'completed',
        theirs.verdict,
        ...new Set(theirs.fails.filter((c) => c !== 'C5').map((c) => c.slice(0, 2))),
        // whoever is stuck has not exited
        ...theirs.findings.filter((f) => f !== 'deadlock' && !(stuck && f === 'exit')),
      ].join(' ')
      return ours === expected ? [] : [[text, schedule, expected, ours]]
    })
    expect(wrong.slice(0, 5)).toEqual([])
    expect(judged).toBeGreaterThan(nightly ? 1000 : 60)
  })
})
