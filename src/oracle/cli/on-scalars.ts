/**
 * A verdict where numbers of the launch are a guess: on the guess first, then on others, until one shows a race or a deadlock.
 *
 * The guess is a number that goes well with the threads, so it shows whole tiles. What goes wrong at the rest of a division, where there is nothing to do, or in the third
 * turn of a ring, it does not show. So each guessed number is replaced by others, with room for them in the tensors whose sizes are guessed too.
 *
 * | tried                                                     | a race or a deadlock with it                                          |
 * |-----------------------------------------------------------|-----------------------------------------------------------------------|
 * | all numbers larger: bounds more than twice, others four times | is the verdict where all are bounds (`flow/bounds.ts`); else it leaves the verdict undecided, for not every extent is one |
 * | a bound, one less                                         | is the verdict: its first line and its replay say with what           |
 * | a bound, 1 and 0                                          | is said among what is not checked: few kernels are made for nothing to do |
 *
 * All grow together, because a row must not be longer than its stride; and no stride shrinks, because rows that are longer overlap in a right kernel, too.
 *
 * Laws
 * 1. The verdict is a function of the kernel, its launch and the options: numbers are tried in one order, within the budget of other schedules.
 * 2. Where the guess shows something, or nothing is guessed, nothing else is tried.
 */
import * as E from 'fp-ts/lib/Either.js'
import { boundsOf } from '../../dialects/ptx/flow/bounds.js'
import { resolveModule } from '../../dialects/ptx/index.js'
import type { Budget } from '../../semantics/verdict/budget.js'
import { renamed, type ReplayableFinding, type Verdict } from '../../semantics/judging/verdict.js'
import { guessMark } from '../launch/guess-mark.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import { spotOf } from '../launch/ptx-words.js'
import type { Judged } from './judged.js'

/** Words of `--arg` with other numbers in them. */
export interface Varied {
  /** `n = 511` */
  readonly said: string
  /** what a race or a deadlock with it says of the kernel */
  readonly counts: 'against' | 'open' | 'aside'
  /** all words, and those that are others than were given */
  readonly words: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
}

const escaped = guessMark.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
const guessedNumber = new RegExp(`^([^=]+)=(\\d{1,9})((?::[sub]\\d+)?)${escaped}$`, 'u')
const guessedTensor = new RegExp(`^([^=]+=\\w+\\[)(\\d{1,9})(\\](?::\\w+)?${escaped})$`, 'u')

/** Elements that a tensor of a guessed size has at least, where a number is another one. */
const room = 8_192

const roomy = (word: string): string =>
  word.replace(
    guessedTensor,
    (_, before: string, count: string, behind: string) =>
      `${before}${String(Math.max(room, 4 * Number(count)))}${behind}`,
  )

/** What else is tried, in this order. */
export const variedWords = (launched: LaunchedPtx, words: ReadonlyArray<string>): ReadonlyArray<Varied> => {
  const { parameters, program } = launched.elaborated
  const resolved = resolveModule(launched.module)
  const code = E.isLeft(resolved)
    ? undefined
    : resolved.right.find((one) => one.code.function.name === program.name)?.code
  if (code === undefined) return []
  const bounds = boundsOf(code)
  const found = words.flatMap((word, at) => {
    const [, key, number, type = ''] = guessedNumber.exec(word) ?? []
    const spot = key === undefined ? null : spotOf(parameters, launched.called, key)
    return key === undefined || spot?.offset !== null
      ? []
      : [
          {
            at,
            key,
            number: Number(number),
            type,
            name: launched.called[spot.parameter]!,
            isBound: bounds.has(spot.parameter),
          },
        ]
  })
  type Found = (typeof found)[number]
  const others = (
    counts: Varied['counts'],
    of: ReadonlyArray<Found>,
    valueOf: (f: Found) => number,
  ): ReadonlyArray<Varied> => {
    const values = new Map(of.map((f) => [f.at, valueOf(f)]))
    if (of.every((f) => values.get(f.at) === f.number) || [...values.values()].some((n) => n < 0)) return []
    const made = words.map((word, i) => {
      const f = of.find(({ at }) => at === i)
      return f === undefined ? roomy(word) : `${f.key}=${String(values.get(i)!)}${f.type}${guessMark}`
    })
    return [
      {
        said: of.map(({ name, at }) => `${name} = ${String(values.get(at)!)}`).join(', '),
        counts,
        words: made,
        changed: made.filter((word, i) => word !== words[i]),
      },
    ]
  }
  const ofBounds = found.filter(({ isBound }) => isBound)
  const large = others(ofBounds.length === found.length ? 'against' : 'open', found, ({ number, isBound }) =>
    isBound ? 2 * number + 1 : 4 * number,
  )
  return [
    ...large,
    ...ofBounds.flatMap((f) => (f.number > 2 ? others('against', [f], ({ number }) => number - 1) : [])),
    ...ofBounds.flatMap((f) => others('aside', [f], () => 1)),
    ...ofBounds.flatMap((f) => others('aside', [f], () => 0)),
  ]
}

export interface OnScalars<J> {
  readonly varied: ReadonlyArray<Varied>
  readonly budget: Budget
  /** a baseline accepts all of it */
  readonly passes: (judged: J) => boolean
}

const isBad = ({ verdict: { verdict } }: Judged): boolean =>
  verdict === 'hazard' || verdict === 'deadlock' || verdict === 'invalid' || verdict === 'wrong-result'
const effortOf = ({ verdict: { counts, spent } }: Judged): number => counts.steps + (spent?.events ?? 0)

const quoted = (word: string): string => (/^[\w=:[\],.+-]*$/u.test(word) ? word : `'${word}'`)

/** The verdict on other numbers says with which, and how to see it again. */
const told = <J extends Judged>(one: J, { said, changed }: Varied): J => {
  const again = (f: ReplayableFinding): ReplayableFinding =>
    f.replay === undefined
      ? f
      : Object.assign({}, f, { replay: `--arg ${changed.map(quoted).join(' ')} ${f.replay}` })
  return Object.assign({}, one, {
    verdict: Object.assign({}, one.verdict, {
      reason: `with ${said}: ${one.verdict.reason}`,
      findings: one.verdict.findings.map(again),
      notes: one.verdict.notes.map(again),
    }),
  })
}

export const onScalars = <J extends Judged>(
  first: J,
  /** `left`: what a run may still cost */
  over: (varied: Varied, left: Budget) => E.Either<unknown, J>,
  { varied, budget, passes }: OnScalars<J>,
): J => {
  if (isBad(first) && !passes(first)) return first
  let spent = effortOf(first)
  const fine: Varied[] = []
  const open: Array<readonly [Varied, Verdict]> = []
  const aside: Array<readonly [Varied, Verdict]> = []
  for (const one of varied) {
    if (spent >= budget) break
    const next = over(one, budget - spent)
    // what cannot be launched so says nothing
    if (E.isLeft(next)) continue
    spent += effortOf(next.right)
    const { verdict } = next.right
    const isShown = (verdict.verdict === 'hazard' || verdict.verdict === 'deadlock') && !passes(next.right)
    if (!isShown) fine.push(one)
    else if (one.counts === 'against') return told(next.right, one)
    else (one.counts === 'open' ? open : aside).push([one, verdict])
  }
  const verdict: Verdict = Object.assign({}, first.verdict, {
    reason: `${first.verdict.reason}${fine.length === 0 ? '' : `; also tried: ${fine.map(({ said }) => said).join('; ')}`}`,
    scope: [
      ...first.verdict.scope,
      ...aside.map(([{ said }, v]) => `${said}, with which there is a ${shownText(v)}`),
    ],
  })
  const [shown] = open
  return Object.assign({}, first, {
    verdict:
      shown === undefined || verdict.verdict !== 'ok'
        ? verdict
        : renamed(
            verdict,
            'undecided',
            `with ${shown[0].said} there is a ${shownText(shown[1])}, which may come from these numbers (--arg ${shown[0].changed.map(quoted).join(' ')} shows it); with the guessed ones: ${verdict.reason}`,
          ),
  })
}

const shownText = ({ verdict, findings }: Verdict): string =>
  `${verdict}${findings[0] === undefined ? '' : ` (${findings[0].id}: ${findings[0].text})`}`
