/** The verdict of a run: what it is, its findings to choose from, and the one that is looked at, in words. */
import type { Operation } from '../../../src/semantics/judging/finding.js'
import { findingPicture } from '../../../src/render/finding-picture.js'
import { Picture, VerdictBadge } from '../look/parts.js'
import { operationsWords, type Mark } from './marks.js'
import { iterationWords, type Run } from './run.js'

const operationWords = (o: Operation): string => `${o.site}${iterationWords(o.iteration)}`

export const Verdict = ({
  run,
  marks,
  chosen,
  choose,
}: {
  readonly run: Run
  readonly marks: ReadonlyArray<Mark>
  readonly chosen: number | null
  readonly choose: (finding: number | null) => void
}) => {
  const { verdict, outcome, reason } = run.recording
  return (
    <section class="player-verdict" aria-label="verdict">
      <div class="player-findings" tabIndex={0} role="group" aria-label="verdict and findings">
        {verdict === null ? (
          <span class="soft">{reason === '' ? outcome : `${outcome}: ${reason}`}</span>
        ) : (
          <>
            <VerdictBadge verdict={verdict.verdict} />
            {marks.length === 0 && <span class="soft small player-reason">{verdict.reason}</span>}
            {marks.map(({ finding }, i) => (
              <button
                key={i}
                type="button"
                class={`button small player-finding ${finding.severity === 'L' ? '' : 'bad'}`}
                aria-pressed={i === chosen}
                title={finding.text}
                onClick={() => {
                  choose(i === chosen ? null : i)
                }}
              >
                <strong>{finding.id}</strong>{' '}
                <span class="player-finding-words">{operationsWords(finding)}</span>
              </button>
            ))}
          </>
        )}
      </div>
    </section>
  )
}

const Side = ({ what, o }: { readonly what: string; readonly o: Operation }) => (
  <>
    <dt>{what}</dt>
    <dd>
      <span class="mono">
        {o.agent} · {operationWords(o)}
      </span>{' '}
      {o.does}
      {o.loc !== undefined && <span class="soft"> ({o.loc})</span>}
    </dd>
  </>
)

export const FindingWords = ({ mark }: { readonly mark: Mark }) => {
  const { finding } = mark
  return (
    <section class="panel player-details" aria-label={`finding ${finding.id}`}>
      <h2>
        <span class="player-id">{finding.id}</span> {finding.text}
      </h2>
      {mark.bars.length === 0 && (
        <p class="small soft">Its statements are not in this run: another schedule shows it.</p>
      )}
      <dl class="player-facts small">
        <Side what="first" o={finding.a} />
        {finding.b !== undefined && <Side what="second" o={finding.b} />}
        {finding.place !== undefined && (
          <>
            <dt>bytes</dt>
            <dd>
              {finding.place.plane}{' '}
              {finding.place.spans
                .map(([from, to]) => `${from.toLocaleString('en')} to ${to.toLocaleString('en')}`)
                .join(', ')}
              {(finding.place.more ?? 0) > 0 && ` and ${String(finding.place.more)} more`}
            </dd>
          </>
        )}
        {finding.knew !== undefined && (
          <>
            <dt>known</dt>
            <dd>{finding.knew}</dd>
          </>
        )}
        {finding.missing !== undefined && (
          <>
            <dt>missing</dt>
            <dd>{finding.missing.text}</dd>
          </>
        )}
      </dl>
      <details>
        <summary class="small">as a picture</summary>
        <div
          class="scroll player-picture"
          tabIndex={0}
          role="group"
          aria-label={`${finding.id} as a picture`}
        >
          <Picture svg={findingPicture(finding)} />
        </div>
      </details>
    </section>
  )
}
