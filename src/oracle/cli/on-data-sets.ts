/**
 * A verdict where data decide and were not given: on random data first, then on the other sets (`launch/data-sets.ts`), until one shows what no data set
 * makes by itself, a race or a deadlock. A fault, or an output that is not wholly written (O1), may come from the data alone: it counts only if every set shows one. What
 * a baseline accepts ends nothing: the next set may show something else.
 *
 * Its first line names the data, and `--data SET` takes them again.
 *
 * Where integers are among these inputs they are most likely indices, sizes or counts, of which no set knows the bounds. If every set leaves a tensor, ends in a fault or leaves
 * an output unwritten, that is no verdict on the kernel: it is undecided, and the first line asks for them. Where some sets do not, the verdict is one on those, and its
 * first line asks, too.
 *
 * Laws
 * 1. The verdict is a function of the kernel, its launch and the options: sets are tried in one order, within the budget of other schedules.
 * 2. A set that is asked for is the only one.
 * 3. No access outside of a tensor, no fault and no unwritten output is held against a kernel that data decide and whose integers are not given; but a fault that comes of no
 *    value is.
 * 4. It passes with a baseline if it passes on every set that was tried.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { isOfNoValue, wantsData } from '../../semantics/verdict/settled.js'
import type { Budget } from '../../semantics/verdict/budget.js'
import { dataSetText, furtherSets, type DataSet } from '../launch/data-sets.js'
import type { Judged } from './judged.js'

/** A verdict on some data says on which, in its first line. */
export const onData = <J extends Judged>(one: J, words: string): J =>
  Object.assign({}, one, {
    verdict: Object.assign({}, one.verdict, { reason: `${words}: ${one.verdict.reason}` }),
  })

/** Of a run, and of the schedules that followed it. */
const effortOf = ({ verdict: { counts, spent } }: Judged): number => counts.steps + (spent?.events ?? 0)

export interface OnSets<J> {
  /** the set, if one is asked for */
  readonly asked: DataSet | null
  /** the inputs that are not given */
  readonly names: string
  /** those of integers: they may be indices */
  readonly integers: ReadonlyArray<string>
  /** what sets after the first may cost, with other schedules of them all */
  readonly budget: Budget
  /** a baseline accepts all of it */
  readonly passes: (judged: J) => boolean
}

const isOutside = ({ verdict: { findings } }: Judged): boolean => findings.some(({ id }) => id === 'I2')

/** Is all that is bad an output that is not wholly written? */
const isUnwritten = ({ verdict: { verdict, findings } }: Judged): boolean =>
  verdict === 'hazard' && findings.length > 0 && findings.every(({ id }) => id === 'O1')

/** A fault that other values of the data may not have. */
const isFault = ({ checked: { outcome } }: Judged): boolean =>
  outcome._tag === 'fault' && !wantsData(outcome) && !isOfNoValue(outcome.fault)

/** What runs came to, in words and ids: `leaves a tensor (I2)`. */
const endText = (ends: ReadonlyArray<Judged>): string => {
  const ids = [...new Set(ends.flatMap(({ verdict: { findings } }) => findings.map(({ id }) => id)))]
  const how = ends.every(isOutside)
    ? ['leaves a tensor']
    : [
        ...(ends.some((one) => isOutside(one) || isFault(one)) ? ['ends in a fault'] : []),
        ...(ends.some(isUnwritten) ? ['leaves an output unwritten'] : []),
      ]
  return `${how.join(' or ')}${ids.length === 0 ? '' : ` (${ids.join(', ')})`}`
}

/** A verdict that asks for indices. */
const askedFor = <J extends Judged>(one: J, integers: ReadonlyArray<string>, sets: string, ends: string): J =>
  Object.assign({}, one, {
    verdict: Object.assign({}, one.verdict, {
      verdict: 'undecided',
      reason: `give the data of ${integers.join(' and ')}: control or addresses come from data, and on ${sets} data every run ${ends}`,
      findings: [],
      notes: [
        ...one.verdict.notes,
        ...one.verdict.findings.map((f) => Object.assign({}, f, { severity: 'L' as const })),
      ],
    }),
  })

export const onDataSets = <J extends Judged>(
  over: (set: DataSet) => E.Either<Failure, J>,
  { asked, names, integers, budget, passes }: OnSets<J>,
): E.Either<Failure, J> => {
  const first = over(asked ?? 'random')
  if (E.isLeft(first)) return first
  const words = (set: DataSet): string => `with data that are ${dataSetText[set]} (${names})`
  if (asked !== null) return E.right(onData(first.right, words(asked)))
  const isBad = (one: J): boolean =>
    one.verdict.verdict === 'deadlock' || (one.verdict.verdict === 'hazard' && !isUnwritten(one))
  const isShown = (one: J): boolean => isBad(one) && !passes(one)
  const ofData = (one: J): boolean => one.checked.outcome._tag === 'fault' || isUnwritten(one)
  if (isShown(first.right)) return E.right(onData(first.right, words('random')))
  const tried: Array<readonly [DataSet, J]> = [['random', first.right]]
  let spent = effortOf(first.right)
  for (const set of furtherSets) {
    if (spent >= budget) break
    const next = over(set)
    if (E.isLeft(next)) return next
    spent += effortOf(next.right)
    if (isShown(next.right)) return E.right(onData(next.right, words(set)))
    tried.push([set, next.right])
  }
  const whole = tried.filter(([, one]) => !ofData(one))
  // what is open comes before what a baseline accepts, and that before what is right
  const isOpen = ([, { verdict }]: readonly [DataSet, J]): boolean => verdict.verdict !== 'ok'
  const [least] =
    whole.length === 0
      ? tried
      : [...whole.filter((one) => isOpen(one) && !isBad(one[1])), ...whole.filter(isOpen), ...whole]
  const sets = (whole.length === 0 ? tried : whole).map(([set]) => set)
  const faults = tried.filter(([, one]) => ofData(one)).map(([set]) => set)
  const ended = tried.filter(([, one]) => isOutside(one) || isFault(one))
  const ends = tried.filter(([, one]) => isOutside(one) || isFault(one) || isUnwritten(one))
  if (integers.length > 0 && ends.length === tried.length)
    return E.right(askedFor(least![1], integers, sets.join(', '), endText(ends.map(([, one]) => one))))
  const ask =
    integers.length === 0 || ended.length === 0
      ? ''
      : `; give the data of ${integers.join(' and ')}: on ${ended.map(([set]) => set).join(', ')} data the run ${endText(ended.map(([, one]) => one))}`
  const [shownBy, shown] = least!
  const one = onData(shown, isBad(shown) ? words(shownBy) : `on ${sets.join(', ')} data (${names}${ask})`)
  return E.right(
    whole.length === 0 || faults.length === 0
      ? one
      : Object.assign({}, one, {
          verdict: Object.assign({}, one.verdict, {
            scope: [
              ...one.verdict.scope,
              `${faults.join(', ')} data (${names}): a fault ends the run or an output is not wholly written, which may come from the data (--data ${faults[0]!} shows it)`,
            ],
          }),
        }),
  )
}
