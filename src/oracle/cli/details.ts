/** What the findings of a subject's verdict are told with: its buffers, its author's lines, and how a run is asked for again. */
import { detailed, type Details } from '../../semantics/judging/details.js'
import { languageOf, whoseOf, writesBarriers } from '../../semantics/judging/ownership.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import type { DataSet } from '../launch/data-sets.js'
import { placedInModule } from '../launch/placed.js'
import type { ScheduleFlag } from './flags/machine.js'
import { replayText } from './judging.js'
import { smemOf } from './launch-rows.js'
import { quoteOfSubject, type Subject } from './subject.js'

/** A module alone has a compiler between its author and what runs. */
const whoseOfSubject = ({ launched, traced, program }: Subject): Pick<Details, 'whose' | 'spoken'> => {
  if (launched === undefined)
    return traced === undefined ? {} : { spoken: { language: 'pallas', isText: false } }
  const placed = placedInModule(launched)
  const barriers = writesBarriers(placed)
  return {
    spoken: { language: languageOf(placed), isText: false },
    whose: (f, beside) => whoseOf({ fences: program.fences, barriers, beside }, f),
  }
}

/** The verdict as it is published: everything that its text says is in it. */
export const withDetails = (subject: Subject, asked: ScheduleFlag, verdict: Verdict, set: DataSet): Verdict =>
  detailed(
    {
      smem: smemOf(subject.program),
      replay: replayText(asked, verdict, set),
      ...quoteOfSubject(subject),
      ...whoseOfSubject(subject),
    },
    verdict,
  )
