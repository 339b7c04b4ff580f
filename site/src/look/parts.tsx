/** Small parts that every place uses. */
import type { ComponentChildren } from 'preact'
import type { SvgElement } from '../../../src/render/svg.js'
import { createElement } from 'preact'
import type { Asking } from '../machine/use-answer.js'
import type { Refused } from '../machine/protocol.js'

/** What is refused, in a line. */
export const Refusal = ({ refused }: { readonly refused: Refused | null }) => (
  <div role="alert">
    {refused !== null && (
      <div class="refusal">
        <code>{refused.code}</code> {refused.message}
      </div>
    )}
  </div>
)

/** That something is under way, how far it has come, and how it is stopped. */
export const Busy = ({ asking, what }: { readonly asking: Asking<unknown>; readonly what: string }) => {
  const { working, progress, stopped, stop, again } = asking
  return (
    <div class="busy" role="status">
      {working ? (
        <>
          <progress
            aria-label={progress?.what ?? what}
            {...(progress === null || progress.of === 0 ? {} : { value: progress.done, max: progress.of })}
          />
          <span>
            {progress === null
              ? what
              : `${progress.what}: ${progress.done.toLocaleString('en')} of ${progress.of.toLocaleString('en')}`}
          </span>
          <button type="button" class="button small" onClick={stop}>
            Stop
          </button>
        </>
      ) : (
        stopped && (
          <>
            <span>stopped</span>
            <button type="button" class="button small" onClick={again}>
              Go on
            </button>
          </>
        )
      )}
    </div>
  )
}

/** A labelled control. */
export const Field = ({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) => (
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
)

/** A picture of `src/render` as elements of the page: text stays text, whatever it contains. */
export const Picture = ({ svg }: { readonly svg: SvgElement }) =>
  createElement(
    svg.name,
    svg.attributes,
    ...svg.children.map((child) => (typeof child === 'string' ? child : <Picture svg={child} />)),
  )

/** The colour and the sign of a verdict. */
export const verdictLook = (verdict: string): readonly ['good' | 'bad' | 'doubt', string] =>
  verdict === 'ok'
    ? ['good', '✓']
    : verdict === 'undecided' || verdict === 'out-of-fuel'
      ? ['doubt', '?']
      : ['bad', '✗']

export const VerdictBadge = ({ verdict }: { readonly verdict: string }) => {
  const [look, sign] = verdictLook(verdict)
  return (
    <span class={`badge ${look}`}>
      <span aria-hidden="true">{sign}</span>
      {verdict}
    </span>
  )
}
