/**
 * `--timeline FILE`: the run of a verdict as a picture, with what was found in it marked, or as a timeline for ui.perfetto.dev.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import { write } from '../../render/svg.js'
import { timelineSvg } from '../../render/timeline-svg.js'
import { timeline, timelineText } from '../../render/timeline.js'
import { collect } from '../../semantics/execution/run.js'
import type { EventKey } from '../../semantics/execution/step.js'
import type { Finding } from '../../semantics/judging/finding.js'
import type { Arguments, Source } from '../../semantics/machine/source.js'
import type { Options } from './command.js'
import { refuseFlag, type FlagFailure } from './flags/choice.js'
import { wordOf } from './flags/words.js'
import type { Written } from './judging.js'
import type { AskedFile } from './outputs.js'
import { hearing } from './traces.js'

/** Its words and what it says. */
export const timelineFlag = [
  '--timeline <file>',
  'draw the run: a picture (.svg) or a timeline for ui.perfetto.dev (.json)',
] as const

/** Where the timeline goes. */
export const timelineAsked = (options: Options): ReadonlyArray<AskedFile> => {
  const file = wordOf(options, 'timeline')
  return file === null ? [] : [{ flag: '--timeline', file }]
}

/** A timeline that is asked for: its file, and what its ending says. */
export interface Drawing {
  readonly file: string
  readonly form: 'svg' | 'json'
}

/** What `--timeline` asks for, or null. */
export const drawingAsked = (options: Options): E.Either<FlagFailure, Drawing | null> => {
  const file = wordOf(options, 'timeline')
  if (file === null) return E.right(null)
  const form = (['svg', 'json'] as const).find((ending) => file.toLowerCase().endsWith(`.${ending}`))
  return form === undefined
    ? refuseFlag('--timeline', 'a file that ends in .svg or .json', file)
    : E.right({ file, form })
}

/** A run that is known by its schedule, and what was found in it. */
export interface Drawn {
  readonly source: Source
  readonly algebra: Algebra
  readonly given: Arguments
  readonly schedule: ReadonlyArray<EventKey>
  readonly findings: ReadonlyArray<Finding>
}

/** The timeline, where it is asked for. */
export const draw = (drawing: Drawing | null, ran: Drawn): E.Either<Failure, ReadonlyArray<Written>> =>
  drawing === null
    ? E.right([])
    : pipe(
        hearing(ran.source, ran.algebra, ran.given, ran.schedule, collect),
        E.map(({ header, result }) =>
          drawing.form === 'svg'
            ? write(timelineSvg(header, result, ran.findings))
            : timelineText(timeline(header, result)),
        ),
        E.map((text) => [{ what: 'a timeline', file: drawing.file, bytes: new TextEncoder().encode(text) }]),
      )
