/** What the findings of a subject's verdict are told with: its buffers, its author's lines, and how a run is asked for again. */
import { detailed } from '../../semantics/judging/details.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import type { ScheduleFlag } from './flags/machine.js'
import { replayText } from './judging.js'
import { smemOf } from './launch-rows.js'
import { quoteOfSubject, type Subject } from './subject.js'

/** The verdict as it is published: everything that its text says is in it. */
export const withDetails = (subject: Subject, asked: ScheduleFlag, verdict: Verdict): Verdict =>
  detailed(
    { smem: smemOf(subject.program), replay: replayText(asked, verdict), ...quoteOfSubject(subject) },
    verdict,
  )
