/** What if: statements left out, missing edges added, stricter or other orders, another schedule; the verdict before and after beside each other. */
import { useId, useState } from 'preact/hooks'
import { Field, VerdictBadge } from '../../look/parts.js'
import type { State } from './subject.js'

export interface Outcome {
  readonly verdict: string
  readonly reason: string
  /** edges that were added: what, and where */
  readonly added: ReadonlyArray<string>
}

const Side = ({
  title,
  outcome,
  refused = null,
}: {
  readonly title: string
  readonly outcome: Outcome | null
  readonly refused?: string | null
}) => (
  <div class="check-side">
    <h3>{title}</h3>
    {refused !== null ? (
      <p class="small">{refused}</p>
    ) : outcome === null ? (
      <p class="soft small">not checked yet</p>
    ) : (
      <>
        <VerdictBadge verdict={outcome.verdict} />
        <p class="small">{outcome.reason}</p>
        {outcome.added.map((line) => (
          <p key={line} class="small">
            added: {line}
          </p>
        ))}
      </>
    )}
  </div>
)

const schedules = ['eager', 'lazy', 'roundrobin', 'seeded:1'] as const

export const WhatIf = ({
  state,
  labels,
  before,
  after,
  refused,
  isChanged,
  isTrace,
  isModule,
  change,
}: {
  readonly state: State
  /** what can be left out, with where it stands */
  readonly labels: ReadonlyArray<readonly [label: string, says: string]>
  readonly before: Outcome | null
  readonly after: Outcome | null
  /** why there is nothing after */
  readonly refused: string | null
  readonly isChanged: boolean
  readonly isTrace: boolean
  readonly isModule: boolean
  readonly change: (changes: Partial<State>) => void
}) => {
  const [label, setLabel] = useState('')
  const list = useId()
  const plans = useId()
  const add = (): void => {
    const said = label.trim()
    if (said === '') return
    if (!state.without.includes(said)) change({ without: [...state.without, said] })
    setLabel('')
  }
  return (
    <section class="panel stack" aria-label="what if">
      <h2>What if</h2>
      {!isTrace && (
        <>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault()
              add()
            }}
          >
            <Field label="leave out a statement">
              <input
                list={list}
                value={label}
                placeholder="label or line"
                autocomplete="off"
                onInput={(event) => {
                  setLabel(event.currentTarget.value)
                }}
              />
            </Field>
            <button type="submit" class="button small check-low" disabled={label.trim() === ''}>
              Leave out
            </button>
            <datalist id={list}>
              {labels.slice(0, 2000).map(([value, says]) => (
                <option key={value} value={value}>
                  {says}
                </option>
              ))}
            </datalist>
          </form>
          {state.without.length > 0 && (
            <ul class="check-chips" aria-label="left out">
              {state.without.map((w) => (
                <li key={w}>
                  <button
                    type="button"
                    class="button small"
                    aria-label={`without ${w}: restore it`}
                    onClick={() => {
                      change({ without: state.without.filter((x) => x !== w) })
                    }}
                  >
                    without {w} <span aria-hidden="true">×</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
          {state.mend.length > 0 && (
            <ul class="check-chips" aria-label="added">
              {state.mend.map((n, k) => (
                <li key={k}>
                  <button
                    type="button"
                    class="button small"
                    aria-label={`edge of finding ${String(n)}: remove it`}
                    onClick={() => {
                      change({ mend: state.mend.slice(0, k) })
                    }}
                  >
                    edge of finding {n} <span aria-hidden="true">×</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <div class="row">
        <label class="check-tick">
          <input
            type="checkbox"
            checked={state.strict}
            onChange={(event) => {
              change({ strict: event.currentTarget.checked })
            }}
          />{' '}
          strict
        </label>
        <label class="check-tick">
          <input
            type="checkbox"
            checked={state.strictProxies}
            onChange={(event) => {
              change({ strictProxies: event.currentTarget.checked })
            }}
          />{' '}
          strict proxies
        </label>
        {!isTrace && (
          <label class="check-tick">
            <input
              type="checkbox"
              checked={state.explore}
              onChange={(event) => {
                change({ explore: event.currentTarget.checked })
              }}
            />{' '}
            explore other schedules
          </label>
        )}
      </div>
      <div class="row">
        <Field label="tensor pipe">
          <select
            value={state.tensorPipe === '' ? 'issue-order' : state.tensorPipe}
            onChange={(event) => {
              const { value } = event.currentTarget
              change({ tensorPipe: value === 'issue-order' ? '' : value })
            }}
          >
            <option value="issue-order">issue-order</option>
            <option value="documented">documented</option>
          </select>
        </Field>
        {isModule && (
          <Field label="level">
            <select
              value={state.level === '' ? 'auto' : state.level}
              onChange={(event) => {
                const { value } = event.currentTarget
                change({ level: value === 'auto' ? '' : value })
              }}
            >
              <option value="auto">auto</option>
              <option value="ttgir">ttgir</option>
              <option value="ptx">ptx</option>
            </select>
          </Field>
        )}
        {!isTrace && (
          <Field label="schedule">
            <input
              list={plans}
              value={state.schedule}
              placeholder="eager"
              autocomplete="off"
              onChange={(event) => {
                change({ schedule: event.currentTarget.value.trim() })
              }}
            />
          </Field>
        )}
        <datalist id={plans}>
          {schedules.map((s) => (
            <option key={s} value={s} />
          ))}
        </datalist>
      </div>
      {isChanged && (
        <div class="check-sides" aria-live="polite">
          <Side title="before" outcome={before} />
          <Side title="after" outcome={after} refused={refused} />
        </div>
      )}
    </section>
  )
}
