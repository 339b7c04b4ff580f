/**
 * Two versions of a kernel: what each computes on the same inputs, in which order its events happen, and what is wrong with it.
 *
 * Both are run with the inputs that `tcspec run` takes; equal digests are equal bits, and equal events in the same order.
 */
import { useMemo } from 'preact/hooks'
import { Busy, Refusal, VerdictBadge } from '../../look/parts.js'
import { isMembers, listAt, textAt, type Members } from '../../machine/members.js'
import { useQuestion } from '../../machine/use-answer.js'
import { kindOf, paramsOf, questionOf, stateOf, type State } from './subject.js'

// ---------------------------------------------------------------- a version in the address

export const printVersion = (s: State): string =>
  JSON.stringify(Object.fromEntries(Object.entries(paramsOf(s)).filter(([, text]) => text !== null)))

export const readVersion = (text: string | undefined): State | null => {
  if (text === undefined) return null
  try {
    const said: unknown = JSON.parse(text)
    if (!isMembers(said)) return null
    const words = Object.entries(said).filter((e): e is [string, string] => typeof e[1] === 'string')
    const state = stateOf(Object.fromEntries(words))
    return runOf(state) === null ? null : state
  } catch {
    return null
  }
}

/** What `run` is asked of a version; null: there is nothing to run. */
export const runOf = (s: State): unknown => {
  const kind = kindOf(s)
  const question = kind === 'trace' ? null : questionOf(s)
  if (!isMembers(question)) return null
  const { printed, level, mend, explore, ...run } = question
  void [printed, level, mend, explore]
  return run
}

// ---------------------------------------------------------------- the comparison

interface Side {
  readonly verdict: string
  readonly reason: string
  readonly ids: ReadonlyArray<string>
  readonly events: number
  readonly steps: number
  readonly order: string
  readonly output: string
}

const sideOf = (document: unknown): Side | null => {
  if (!isMembers(document)) return null
  const digest: Members = isMembers(document['digest']) ? document['digest'] : {}
  const counts: Members = isMembers(document['counts']) ? document['counts'] : {}
  return {
    verdict: textAt(document, 'verdict'),
    reason: textAt(document, 'reason'),
    ids: [
      ...new Set(
        listAt(document, 'findings')
          .filter(isMembers)
          .map((f) => textAt(f, 'id')),
      ),
    ],
    events: Number(counts['events']),
    steps: Number(counts['steps']),
    order: textAt(digest, 'order'),
    output: textAt(digest, 'output'),
  }
}

const wordsOf = (s: State): string =>
  [s.kernel === '' ? s.name : s.kernel, s.set, ...s.without.map((label) => `without ${label}`), s.schedule]
    .filter((word) => word !== '')
    .join(', ')

const count = (n: number): string => (Number.isFinite(n) ? n.toLocaleString('en') : '')

const Column = ({ side, refused }: { readonly side: Side | null; readonly refused: string | null }) =>
  side === null ? (
    <td class="soft">{refused ?? '…'}</td>
  ) : (
    <td>
      <VerdictBadge verdict={side.verdict} /> {side.ids.join(' ')}
      <div class="small">{side.reason}</div>
    </td>
  )

export const Compare = ({
  first,
  second,
  close,
}: {
  readonly first: State
  readonly second: State
  readonly close: () => void
}) => {
  const [one, other] = [useMemo(() => runOf(first), [first]), useMemo(() => runOf(second), [second])]
  const before = useQuestion('run', one)
  const after = useQuestion('run', other)
  const [a, b] = [sideOf(before.document), sideOf(after.document)]
  const isSame = (member: 'order' | 'output'): boolean | null =>
    a === null || b === null || a[member] === '' || a[member] === 'none' || b[member] === 'none'
      ? null
      : a[member] === b[member]
  const said = (same: boolean | null, yes: string, no: string): string =>
    same === null ? 'not known' : same ? `= ${yes}` : `≠ ${no}`
  return (
    <section class="panel stack" aria-label="two versions">
      <div class="row">
        <h2>Two versions</h2>
        <button type="button" class="button small" onClick={close}>
          End the comparison
        </button>
      </div>
      {printVersion(first) === printVersion(second) && (
        <p class="small soft">
          Both columns show this version. Change the kernel, its launch or “What if” above: the second column
          follows, and the first one stays.
        </p>
      )}
      {(before.working || before.stopped) && <Busy asking={before} what="running the first version" />}
      {(after.working || after.stopped) && <Busy asking={after} what="running the second version" />}
      <Refusal refused={before.refused ?? after.refused} />
      <div class="scroll" tabIndex={0} role="region" aria-label="comparison">
        <table class="check-compare" aria-live="polite">
          <thead>
            <tr>
              <td />
              <th scope="col">first: {wordsOf(first)}</th>
              <th scope="col">second: {wordsOf(second)}</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">verdict</th>
              <Column side={a} refused={before.refused?.message ?? null} />
              <Column side={b} refused={after.refused?.message ?? null} />
            </tr>
            <tr>
              <th scope="row">events</th>
              <td>{a === null ? '' : `${count(a.events)} events, ${count(a.steps)} steps`}</td>
              <td>{b === null ? '' : `${count(b.events)} events, ${count(b.steps)} steps`}</td>
            </tr>
            <tr data-same={String(isSame('order'))}>
              <th scope="row">order</th>
              <td colSpan={2}>
                {said(
                  isSame('order'),
                  'the same events in the same order',
                  'different events, or a different order',
                )}
              </td>
            </tr>
            <tr data-same={String(isSame('output'))}>
              <th scope="row">bits</th>
              <td colSpan={2}>
                {said(
                  isSame('output'),
                  'the outputs are equal bit for bit, on the default inputs of `tcspec run`',
                  'the outputs differ, on the default inputs of `tcspec run`',
                )}
              </td>
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  )
}
