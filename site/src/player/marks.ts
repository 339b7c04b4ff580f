/** Findings of a recording's verdict as a player shows them: the bars that each is about, and the position of its later access. */
import type { Operation } from '../../../src/semantics/judging/finding.js'
import type { Finding } from '../../../src/semantics/judging/finding.js'
import type { ReplayableFinding } from '../../../src/semantics/judging/verdict.js'
import type { PictureBar, Recording } from '../../../src/render/recording/model.js'
import { beginOf, iterationWords } from './run.js'

export interface Mark {
  readonly finding: ReplayableFinding
  /** places in `picture.bars`: of the earlier operation, of the later one; empty where they are not drawn */
  readonly bars: ReadonlyArray<number>
  /** the position just after the later one has begun; null where it is not in this run */
  readonly at: number | null
  /** lines of the listing, of the earlier one and the later one */
  readonly lines: ReadonlyArray<number>
}

const isOf = ({ picture, sites }: Recording, o: Operation, bar: PictureBar): boolean =>
  bar.agent === o.index &&
  bar.at === o.at &&
  (picture.lanes[bar.lane]?.kind === 'unit') === (o.operation !== undefined) &&
  sites[bar.site]?.name === o.site &&
  bar.iteration.join() === o.iteration.join()

const lineOf = ({ sites }: Recording, o: Operation): number =>
  (
    sites.find((s) => s.name === o.site && s.path.join('\n') === o.path.join('\n')) ??
    sites.find((s) => s.name === o.site)
  )?.line ?? -1

/** The findings of the run that is recorded, in the verdict's order; those of other schedules have their own runs. */
export const marksOf = (recording: Recording): ReadonlyArray<Mark> => {
  const { verdict, picture } = recording
  if (verdict === null) return []
  return verdict.findings.map((finding) => {
    const operations = finding.b === undefined ? [finding.a] : [finding.a, finding.b]
    const lines = operations.map((o) => lineOf(recording, o))
    const isThisRun = finding.schedule === null || verdict.schedules[finding.schedule] === recording.schedule
    const bars = isThisRun
      ? operations.flatMap((o) => {
          const k = picture.bars.findIndex((bar) => isOf(recording, o, bar))
          return k < 0 ? [] : [k]
        })
      : []
    const drawn = bars.length === operations.length ? bars : []
    const last = drawn.at(-1)
    const bar = last === undefined ? undefined : picture.bars[last]
    return { finding, bars: drawn, at: bar === undefined ? null : beginOf(bar), lines }
  })
}

const operationWords = (o: Operation): string => `${o.site}${iterationWords(o.iteration)}`

/** The statements of a finding: `copy a [0] and copy a [4]`. */
export const operationsWords = ({ a, b }: Finding): string =>
  b === undefined ? operationWords(a) : `${operationWords(a)} and ${operationWords(b)}`

/** The slots whose bytes a finding is about, each as `buffer slot`. */
export const slotsOf = ({ buffers }: Recording, { finding: { place } }: Mark): ReadonlySet<string> =>
  new Set(
    place === undefined
      ? []
      : buffers.flatMap(({ space, cta, start, slots, slotBytes }, buffer) =>
          place.plane !== `${space}@${String(cta)}`
            ? []
            : Array.from({ length: slots }, (_, slot) => start + slot * slotBytes).flatMap((from, slot) =>
                place.spans.some(([a, b]) => a < from + slotBytes && b > from)
                  ? [`${String(buffer)} ${String(slot)}`]
                  : [],
              ),
        ),
  )
