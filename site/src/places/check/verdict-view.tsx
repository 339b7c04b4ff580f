/** A verdict document as the page shows it: the word and why, the conditions, each finding with its picture and its lines. */
import * as E from 'fp-ts/lib/Either.js'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { findingPicture } from '../../../../src/render/finding-picture.js'
import { decodeVerdict } from '../../../../src/semantics/files/verdict-codec.js'
import { hazards } from '../../../../src/semantics/judging/hazards.js'
import type { ConditionName } from '../../../../src/semantics/judging/finding.js'
import type { Verdict } from '../../../../src/semantics/judging/verdict.js'
import { isMembers } from '../../machine/members.js'
import { Picture, VerdictBadge } from '../../look/parts.js'
import type { Signature } from './launch.js'
import { excerpt, spotsOf, type Spot } from './listing.js'
import { conditionMeanings, findingText, rowsOf } from './words.js'
import { save } from './save.js'

export type Finding = Verdict['findings'][number]

/** The document without what stands beside it. */
export const readVerdict = (u: unknown): E.Either<string, Verdict> => {
  if (!isMembers(u)) return E.left('expected a verdict, found no object')
  const { printed, files, notice, ...document } = u
  void [printed, files, notice]
  return E.mapLeft(({ message }: { readonly message: string }) => message)(decodeVerdict(document))
}

const many = (n: number, one: string): string => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`

const conditions: ReadonlyArray<ConditionName> = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6']

const Conditions = ({ verdict }: { readonly verdict: Verdict }) => {
  const failing = conditions.filter((c) => !verdict.conditions[c].holds)
  return (
    <details open={failing.length > 0}>
      <summary>
        Conditions of the theorem:{' '}
        {failing.length === 0
          ? 'C1 to C6 hold'
          : `${failing.join(', ')} ${failing.length === 1 ? 'fails' : 'fail'}`}
      </summary>
      <ul class="check-conditions">
        {conditions.map((c) => {
          const { holds, failures } = verdict.conditions[c]
          return (
            <li key={c}>
              <span class={holds ? 'check-good' : 'check-bad'}>
                <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {c} {holds ? 'holds' : 'fails'}
              </span>
              : {conditionMeanings[c]}
              {failures.slice(0, 3).map((f) => (
                <div key={f} class="small">
                  {f}
                </div>
              ))}
              {failures.length > 3 && <div class="small soft">and {failures.length - 3} more</div>}
            </li>
          )
        })}
      </ul>
    </details>
  )
}

/** How wide a box is, as it changes. */
const useWidth = (): readonly [{ readonly current: HTMLDivElement | null }, number] => {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [])
  return [box, width]
}

const Excerpt = ({
  spot,
  name,
  text,
  line,
}: {
  readonly spot: Spot
  readonly name: string
  readonly text: string
  readonly line: number
}) => (
  <figure class="check-excerpt">
    <figcaption>
      <strong>{spot.which}</strong> {name}:{line}
    </figcaption>
    <div
      class="scroll"
      tabIndex={0}
      role="region"
      aria-label={`${spot.which}: ${name} around line ${String(line)}`}
    >
      <ol start={Math.max(1, line - 2)}>
        {excerpt(text, line, 2).map((l) => (
          <li key={l.line} value={l.line} class={l.line === line ? `check-mark-${spot.which}` : ''}>
            {l.line === line && <span class="visually-hidden">{spot.which} access: </span>}
            <code>{l.text === '' ? ' ' : l.text}</code>
          </li>
        ))}
      </ol>
    </div>
  </figure>
)

export interface Texts {
  readonly name: string
  readonly text: string
  readonly beside: Readonly<Record<string, string>>
  readonly signature: Signature | null
}

export const FindingView = ({
  finding,
  texts,
  leaveOut,
  addEdge,
  showRun,
}: {
  readonly finding: Finding
  readonly texts: Texts
  readonly leaveOut: ((label: string) => void) | null
  readonly addEdge: (() => void) | null
  readonly showRun: (() => void) | null
}) => {
  const [box, width] = useWidth()
  const wide = Math.max(340, Math.min(width, 1100))
  const svg = useMemo(() => (width === 0 ? null : findingPicture(finding, wide)), [finding, wide, width])
  const spots = useMemo(
    () => spotsOf(finding, texts.signature, texts.text),
    [finding, texts.signature, texts.text],
  )
  const rows = useMemo(() => findingText(finding), [finding])
  return (
    <div class="stack" ref={box}>
      <div class="check-picture scroll" tabIndex={0} role="region" aria-label={`picture of ${finding.id}`}>
        {svg !== null && <Picture svg={svg} />}
      </div>
      {spots.some((s) => s.line !== null || s.author !== null) && (
        <div class="check-excerpts">
          {spots.map((s) => (
            <div key={s.which} class="stack">
              {s.author !== null && texts.beside[s.author.file] !== undefined && (
                <Excerpt
                  spot={s}
                  name={s.author.file}
                  text={texts.beside[s.author.file] ?? ''}
                  line={s.author.line}
                />
              )}
              {s.line !== null && texts.text !== '' && (
                <Excerpt spot={s} name={texts.name} text={texts.text} line={s.line} />
              )}
            </div>
          ))}
        </div>
      )}
      <pre class="scroll check-rows" tabIndex={0} role="region" aria-label={`${finding.id} in words`}>
        {rows}
      </pre>
      <div class="row">
        {showRun !== null && (
          <button type="button" class="button small primary" onClick={showRun}>
            Show it in the run
          </button>
        )}
        <a href={`guide/hazards.html#${finding.id}`}>What {finding.id} is</a>
        {addEdge !== null && (
          <button type="button" class="button small" onClick={addEdge}>
            Add the edge
          </button>
        )}
        {leaveOut !== null &&
          spots
            .filter((s, k) => spots.findIndex((o) => o.operation.site === s.operation.site) === k)
            .map((s) => (
              <button
                key={s.which}
                type="button"
                class="button small"
                onClick={() => {
                  leaveOut(s.operation.site)
                }}
              >
                Leave out {s.operation.site}
              </button>
            ))}
      </div>
    </div>
  )
}

/** Findings, then notes: one is chosen, by mouse or with the arrows. */
export const FindingList = ({
  all,
  chosen,
  choose,
}: {
  readonly all: ReadonlyArray<Finding>
  readonly chosen: number
  readonly choose: (k: number) => void
}) => {
  const list = useRef<HTMLDivElement>(null)
  const go = (k: number): void => {
    const next = Math.max(0, Math.min(all.length - 1, k))
    choose(next)
    list.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div
      ref={list}
      role="radiogroup"
      aria-label="findings"
      class="check-findings"
      onKeyDown={(event) => {
        const by: Readonly<Record<string, number>> = {
          ArrowDown: chosen + 1,
          ArrowRight: chosen + 1,
          ArrowUp: chosen - 1,
          ArrowLeft: chosen - 1,
          Home: 0,
          End: all.length - 1,
        }
        const to = by[event.key]
        if (to === undefined) return
        event.preventDefault()
        go(to)
      }}
    >
      {all.map((f, k) => (
        <button
          key={k}
          type="button"
          role="radio"
          aria-checked={k === chosen}
          tabIndex={k === chosen ? 0 : -1}
          class={`check-finding${k === chosen ? ' chosen' : ''}`}
          onClick={() => {
            choose(k)
          }}
        >
          <strong>{f.id}</strong> {hazards[f.id].title}
          {f.severity !== 'E' && <span class="soft"> ({f.severity === 'C' ? 'contract' : 'note'})</span>}
          <span class="small soft">{f.text}</span>
        </button>
      ))}
    </div>
  )
}

/** Findings that are listed: the first of every id stands first. */
const mostListed = 200

export const VerdictView = ({
  verdict,
  document,
  printed,
  chosen,
  choose,
  texts,
  leaveOut,
  mend,
  showRun,
}: {
  readonly verdict: Verdict
  readonly document: unknown
  readonly printed: string
  readonly chosen: number
  readonly choose: (k: number) => void
  readonly texts: Texts
  readonly leaveOut: ((label: string) => void) | null
  /** adds what a finding says is missing: its number, counted from 1 */
  readonly mend: ((finding: number) => void) | null
  /** opens the run, if there is one and it is not shown */
  readonly showRun: (() => void) | null
}) => {
  const all = useMemo(() => [...verdict.findings, ...verdict.notes], [verdict])
  const at = Math.max(0, Math.min(chosen, all.length - 1))
  const finding = all[at]
  const rows = rowsOf(verdict)
  return (
    <section class="stack" aria-label="verdict">
      <div class="panel stack">
        <div class="row">
          <h2 class="check-heading">
            <VerdictBadge verdict={verdict.verdict} /> <span>{verdict.kernel}</span>
          </h2>
        </div>
        <p class="check-reason">{verdict.reason}</p>
        {verdict.guessed !== undefined && verdict.guessed.length > 0 && (
          <p class="check-guess" role="note">
            The launch is a guess: the sizes and values of {verdict.guessed.join(', ')}. Replace those that
            you know in the form of the launch (and leave out <code>:guess</code> where a field has it), and
            check again.
          </p>
        )}
        <dl class="check-dl">
          {rows
            .filter(([label]) => label !== 'verdict' && label !== 'conditions')
            .map(([label, text], k) => (
              <div key={k}>
                <dt>{label === '' ? <span class="visually-hidden">more</span> : label}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          <div>
            <dt>did</dt>
            <dd>
              {many(verdict.counts.steps, 'step')} of {many(verdict.counts.agents, 'agent')} in{' '}
              {many(verdict.counts.ctas, 'CTA')}
            </dd>
          </div>
        </dl>
        <Conditions verdict={verdict} />
        {verdict.scope.length > 0 && (
          <details>
            <summary>Not checked</summary>
            <ul>
              {verdict.scope.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        )}
        {printed !== '' && (
          <details>
            <summary>Terminal output</summary>
            <pre class="scroll" tabIndex={0} role="region" aria-label="terminal output">
              {printed}
            </pre>
          </details>
        )}
        <div class="row">
          <button
            type="button"
            class="button small"
            onClick={() => {
              save('verdict.json', `${JSON.stringify(document, null, 2)}\n`)
            }}
          >
            Save the verdict
          </button>
          {finding === undefined && showRun !== null && (
            <button type="button" class="button small" onClick={showRun}>
              Show the run
            </button>
          )}
        </div>
      </div>
      {finding !== undefined && (
        <div class="panel stack">
          <h2>
            {[
              ...(verdict.findings.length > 0 ? [many(verdict.findings.length, 'finding')] : []),
              ...(verdict.notes.length > 0 ? [many(verdict.notes.length, 'note')] : []),
            ].join(', ')}
          </h2>
          <FindingList all={all.slice(0, mostListed)} chosen={at} choose={choose} />
          {all.length > mostListed && (
            <p class="small soft">and {all.length - mostListed} more in the saved verdict</p>
          )}
          <FindingView
            finding={finding}
            texts={texts}
            leaveOut={leaveOut}
            showRun={showRun}
            addEdge={
              mend === null || at >= verdict.findings.length
                ? null
                : () => {
                    mend(at + 1)
                  }
            }
          />
        </div>
      )}
    </section>
  )
}
