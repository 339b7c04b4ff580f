/** The verdict of a run: what it is, its findings to choose from, and the one that is looked at, in the words of the terminal (`src/render/finding.ts`). */
import { Fragment } from 'preact'
import { findingRows, findingTitle } from '../../../src/render/finding.js'
import { findingPicture } from '../../../src/render/finding-picture.js'
import { Picture, VerdictBadge } from '../look/parts.js'
import { operationsWords, type Mark } from './marks.js'
import type { Run } from './run.js'

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

export const FindingWords = ({ mark }: { readonly mark: Mark }) => {
  const { finding } = mark
  return (
    <section class="panel player-details" aria-label={`finding ${finding.id}`}>
      <h2>
        <span class="player-id">{finding.id}</span> {findingTitle(finding)}
      </h2>
      <p class="small">{finding.text}</p>
      {mark.bars.length === 0 && (
        <p class="small soft">Its statements are not in this run. Another schedule shows the finding.</p>
      )}
      <dl class="player-facts small">
        {findingRows(finding).map(({ label, cells: [first, ...others] }, i) => (
          <Fragment key={i}>
            <dt>{label}</dt>
            <dd>
              {others.length === 0 ? (
                first
              ) : (
                <>
                  <span class="mono">{first}</span>
                  {others.map((cell) => ` · ${cell}`).join('')}
                </>
              )}
            </dd>
          </Fragment>
        ))}
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
