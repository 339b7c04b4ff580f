/** A litmus test that is live: its lines can be changed, clauses left out, and the verdict and both relations follow. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { LitmusDocument } from '../../../../src/render/litmus-document.js'
import { eventText, isWrongPair, pairText } from '../../../../src/render/litmus.js'
import { litmusSvg } from '../../../../src/render/litmus-svg.js'
import { writeAddress } from '../../address.js'
import { Copy } from '../../look/copy.js'
import { Picture } from '../../look/parts.js'
import { ofSchema } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { MemoryClause, TestOptions } from './model.js'
import { isSame, paramsOf, pristine, type TestState } from './state.js'

const isLitmus = (u: unknown): u is LitmusDocument => ofSchema('tcspec.litmus/1')(u) !== null
const read = (u: unknown): LitmusDocument | null => (isLitmus(u) ? u : null)

/** Asked once it is near what is seen. */
const useNear = () => {
  const place = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (place.current === null || near) return undefined
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((e) => e.isIntersecting)) setNear(true)
      },
      { rootMargin: '600px' },
    )
    watcher.observe(place.current)
    return () => {
      watcher.disconnect()
    }
  }, [near])
  return [place, near] as const
}

// ---------------------------------------------------------------- the lines

const Lines = ({
  text,
  label,
  wrong,
  describedBy,
  changed,
}: {
  readonly text: string
  readonly label: string
  /** the line that is refused, from 1 */
  readonly wrong: number | null
  readonly describedBy: string
  readonly changed: (text: string) => void
}) => {
  const lines = text.split('\n')
  return (
    <div class="litmus-lines">
      <div class="litmus-numbers" aria-hidden="true">
        {lines.map((_, k) => (
          <div key={k} class={wrong === k + 1 ? 'wrong' : ''}>
            {wrong === k + 1 ? `✗ ${String(k + 1)}` : String(k + 1)}
          </div>
        ))}
      </div>
      <textarea
        aria-label={label}
        aria-invalid={wrong !== null}
        aria-describedby={describedBy}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        wrap="off"
        rows={lines.length + 1}
        value={text}
        onInput={(event) => {
          changed(event.currentTarget.value)
        }}
      />
    </div>
  )
}

// ---------------------------------------------------------------- what is said

const Verdict = ({
  what,
  says,
  ok,
}: {
  readonly what: string
  readonly says: ReadonlyArray<string>
  readonly ok: boolean
}) => (
  <p class="litmus-verdict">
    <span class={`badge ${ok ? 'good' : 'bad'}`}>
      <span aria-hidden="true">{ok ? '✓' : '✗'}</span>
      {what}
    </span>{' '}
    <span>{says.join('; ').replaceAll('`', '')}</span>
  </p>
)

const Pairs = ({ document: d }: { readonly document: LitmusDocument }) => {
  const meeting = d.pairs.filter((p) => p.is !== null && d.events[p.a]?.line !== d.events[p.b]?.line)
  if (meeting.length === 0) return <p class="small soft">No two accesses conflict.</p>
  return (
    <ul class="litmus-pairs">
      {meeting.map((p) => (
        <li key={`${String(p.a)} ${String(p.b)}`}>
          <strong class={isWrongPair(p) ? 'bad' : 'good'}>
            {p.is}
            {p.hazards.length === 0 ? '' : ` (${p.hazards.join()})`}
          </strong>
          : <code>{eventText(d, p.a)}</code>, <code>{eventText(d, p.b)}</code>: {pairText(d, p)}
        </li>
      ))}
    </ul>
  )
}

// ---------------------------------------------------------------- what is left out

const optionNames: ReadonlyArray<readonly [keyof TestOptions, string]> = [
  ['strict', 'strict'],
  ['strictProxies', 'strict proxies'],
  ['documented', 'documented tensor pipe'],
]

const Choices = ({
  clause,
  all,
  state,
  drawn,
  changed,
}: {
  readonly clause: MemoryClause
  /** every clause */
  readonly all: ReadonlyArray<string>
  readonly state: TestState
  /** clauses that draw arrows here */
  readonly drawn: ReadonlyArray<string>
  readonly changed: (state: TestState) => void
}) => {
  const shown = [...new Set([clause.id, ...drawn, ...state.leftOut])]
  const order = all.filter((id) => shown.includes(id))
  const toggle = (id: string, out: boolean): void => {
    changed({ ...state, leftOut: out ? [...state.leftOut, id] : state.leftOut.filter((x) => x !== id) })
  }
  return (
    <fieldset class="litmus-choices">
      <legend>Leave out</legend>
      <div class="row">
        {order.map((id) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={state.leftOut.includes(id)}
              onChange={(event) => {
                toggle(id, event.currentTarget.checked)
              }}
            />{' '}
            <code>{id}</code>
          </label>
        ))}
        <select
          aria-label={`omit another clause of ${clause.id}`}
          value=""
          onChange={(event) => {
            if (event.currentTarget.value !== '') toggle(event.currentTarget.value, true)
          }}
        >
          <option value="">another clause</option>
          {all
            .filter((id) => !shown.includes(id))
            .map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
        </select>
      </div>
      <div class="row soft">
        {optionNames.map(([option, words]) => (
          <label key={option}>
            <input
              type="checkbox"
              checked={state.options[option]}
              onChange={(event) => {
                changed({ ...state, options: { ...state.options, [option]: event.currentTarget.checked } })
              }}
            />{' '}
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

// ---------------------------------------------------------------- the whole

export interface TestProps {
  readonly clause: MemoryClause
  readonly all: ReadonlyArray<string>
  readonly state: TestState
  readonly changed: (state: TestState) => void
}

/** The line that a refusal names, and what it says of it. */
const refusedAt = (message: string): readonly [line: number | null, says: string] => {
  const line = /\bline (\d+): /.exec(message)?.[1]
  return [line === undefined ? null : Number(line), message.replace(/^test\.txt: /, '')]
}

export const LitmusTest = ({ clause, all, state, changed }: TestProps) => {
  const [place, near] = useNear()
  const id = useId()
  const asking = useAnswer(
    'litmus',
    near
      ? {
          test: { txt: state.text },
          without: state.leftOut,
          strict: state.options.strict,
          strictProxies: state.options.strictProxies,
          tensorPipe: state.options.documented ? 'documented' : 'issue-order',
        }
      : null,
    read,
    120,
  )
  const own = pristine(clause)
  const [wrong, says] = asking.refused === null ? [null, null] : refusedAt(asking.refused.message)
  const d = asking.document
  // not those of what comes before the test
  const drawn = d === null ? [] : d.arrows.flatMap((a) => (d.events[a.from]?.line == null ? [] : [a.clause]))
  return (
    <div class="litmus-test" ref={place}>
      <div class="litmus-edit">
        <Lines
          text={state.text}
          label={`the test of ${clause.id}`}
          wrong={wrong}
          describedBy={`${id}-says`}
          changed={(text) => {
            changed({ ...state, text })
          }}
        />
        <div id={`${id}-says`} aria-live="polite" class="litmus-says">
          {says !== null ? (
            <div class="refusal">{says}</div>
          ) : d === null ? (
            <p class="soft small">asking …</p>
          ) : (
            <>
              <Verdict what="the model" says={d.model.says} ok={d.model.ok} />
              {d.without !== null && (
                <Verdict what={`without ${d.leftOut.join(', ')}`} says={d.without.says} ok={d.without.ok} />
              )}
            </>
          )}
        </div>
        <Choices clause={clause} all={all} state={state} drawn={drawn} changed={changed} />
        <div class="row">
          <button
            type="button"
            class="button small"
            disabled={isSame(state, own)}
            onClick={() => {
              changed(own)
            }}
          >
            Reset
          </button>
          <Copy
            what="Copy link"
            text={() => {
              const params = Object.fromEntries(
                Object.entries(paramsOf(clause, state)).filter(
                  (entry): entry is [string, string] => entry[1] !== null,
                ),
              )
              return `${location.href.split('#')[0] ?? ''}${writeAddress({ place: 'memory', params })}`
            }}
          />
        </div>
      </div>
      <div class="litmus-shown">
        <div
          class={`scroll ${asking.refused !== null ? 'stale' : ''}`}
          tabIndex={0}
          role="region"
          aria-label={`the relations of the test of ${clause.id}`}
          style={{ minHeight: `${String(70 + 42 * own.text.split('\n').length)}px` }}
        >
          {d !== null && <Picture svg={litmusSvg({ ...d, name: clause.id })} />}
        </div>
        {d !== null && (
          <details>
            <summary>Why, pair by pair</summary>
            <Pairs document={d} />
          </details>
        )}
      </div>
    </div>
  )
}
