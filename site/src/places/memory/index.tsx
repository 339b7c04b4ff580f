/** The memory model: docs/MemoryModel.md, in which every litmus test is live. */
import { page } from 'virtual:memory-model'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { readAddress } from '../../address.js'
import type { PlaceProps } from '../use-params.js'
import type { MemoryClause, MemoryHazard, MemorySection } from './model.js'
import { paramsOf, stateOf, type TestState } from './state.js'
import { LitmusTest } from './test.js'
import './style.css'

const clauses: ReadonlyArray<MemoryClause> = page.sections.flatMap((s) => s.clauses)
const ids: ReadonlyArray<string> = clauses.map((c) => c.id)
const hazards: ReadonlyArray<MemoryHazard> = page.sections.flatMap((s) => s.hazards)

/** HTML that the build has made of a page of this repository. */
const Words = ({ html }: { readonly html: string }) =>
  html === '' ? null : <div class="memory-words" dangerouslySetInnerHTML={{ __html: html }} />

const clauseHref = (id: string): string => `#/memory?clause=${encodeURIComponent(id)}`
const hazardHref = (id: string): string => `#/memory?hazard=${encodeURIComponent(id)}`

const Links = ({
  all,
  href,
}: {
  readonly all: ReadonlyArray<string>
  readonly href: (id: string) => string
}) => (
  <>
    {all.map((id, k) => (
      <span key={id}>
        {k === 0 ? '' : ', '}
        <a href={href(id)}>
          <code>{id}</code>
        </a>
      </span>
    ))}
  </>
)

// ---------------------------------------------------------------- parts

const JumpList = ({ here }: { readonly here: string | undefined }) => (
  <nav class="memory-jump" aria-label="clauses">
    <ul>
      {page.sections
        .filter((s) => s.clauses.length > 0 || s.hazards.length > 0)
        .map((s) => (
          <li key={s.anchor}>
            <a href={`#/memory?section=${s.anchor}`}>{s.title}</a>
            <ul>
              {s.clauses.map(({ id }) => (
                <li key={id}>
                  <a href={clauseHref(id)} {...(here === id ? { 'aria-current': 'location' as const } : {})}>
                    {id}
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
    </ul>
  </nav>
)

const Needed = ({ clause }: { readonly clause: string }) => {
  const missed = hazards.filter((h) => h.missed.includes(clause)).map((h) => h.id)
  const refused = hazards.filter((h) => h.refused.includes(clause)).map((h) => h.id)
  if (missed.length + refused.length === 0) return null
  return (
    <p class="small">
      {missed.length > 0 && (
        <>
          Without it, not found: <Links all={missed} href={hazardHref} />.{' '}
        </>
      )}
      {refused.length > 0 && (
        <>
          Without it, fixed kernels are refused: <Links all={refused} href={hazardHref} />.
        </>
      )}
    </p>
  )
}

const Clause = ({
  clause,
  state,
  changed,
}: {
  readonly clause: MemoryClause
  readonly state: TestState
  readonly changed: (state: TestState) => void
}) => (
  <div class="memory-clause">
    <h3 id={`clause-${clause.id}`} tabIndex={-1}>
      <code>{clause.id}</code>
    </h3>
    <Words html={clause.html} />
    <Needed clause={clause.id} />
    <LitmusTest clause={clause} all={ids} state={state} changed={changed} />
  </div>
)

const Hazards = ({ section }: { readonly section: MemorySection }) =>
  section.hazards.length === 0 ? null : (
    <div class="scroll" tabIndex={0} role="region" aria-label={section.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">hazard</th>
            <th scope="col">not found without</th>
            <th scope="col">the fixed kernel is refused without</th>
          </tr>
        </thead>
        <tbody>
          {section.hazards.map((h) => (
            <tr key={h.id}>
              <th scope="row" id={`hazard-${h.id}`} tabIndex={-1}>
                <a href={h.href}>{h.id}</a> {h.title}
              </th>
              <td>
                <Links all={h.missed} href={clauseHref} />
              </td>
              <td>
                <Links all={h.refused} href={clauseHref} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

// ---------------------------------------------------------------- the place

export const Memory = ({ params, set }: PlaceProps) => {
  const [tests, setTests] = useState<ReadonlyMap<string, TestState>>(new Map())
  // addresses that were written here and have not come back yet: keys may be faster than what is drawn
  const written = useRef<ReadonlyArray<string>>([])
  const key = keyOf(params)
  // any other is a link: what it says of its test holds
  useEffect(() => {
    const mine = written.current.lastIndexOf(key)
    written.current = mine < 0 ? [] : written.current.slice(mine + 1)
    if (mine >= 0) return
    const clause = clauses.find((c) => c.id === params['clause'])
    if (clause !== undefined) setTests((all) => new Map([...all, [clause.id, stateOf(clause, params)]]))
    const target =
      clause !== undefined
        ? `clause-${clause.id}`
        : params['hazard'] !== undefined
          ? `hazard-${params['hazard']}`
          : params['section'] !== undefined
            ? `section-${params['section']}`
            : null
    const heading = target === null ? null : document.getElementById(target)
    heading?.scrollIntoView({ block: 'start' })
    heading?.focus({ preventScroll: true })
  }, [key])
  const changed = (clause: MemoryClause, state: TestState): void => {
    setTests((all) => new Map([...all, [clause.id, state]]))
    set({ ...paramsOf(clause, state), hazard: null, section: null })
    const now = keyOf(readAddress(location.hash).params)
    if (now !== key) written.current = [...written.current, now]
  }
  const first = useMemo(() => stateOfAll(params), [])
  return (
    <div class="memory">
      <JumpList here={params['clause']} />
      <article>
        <h1>The memory model</h1>
        <Words html={page.lead} />
        {page.sections.map((s) => (
          <div key={s.anchor} class="memory-section">
            <h2 id={`section-${s.anchor}`} tabIndex={-1}>
              {s.title}
            </h2>
            <Words html={s.html} />
            {s.clauses.map((c) => (
              <Clause
                key={c.id}
                clause={c}
                state={tests.get(c.id) ?? first.get(c.id) ?? stateOf(c, {})}
                changed={(state) => {
                  changed(c, state)
                }}
              />
            ))}
            <Hazards section={s} />
            <Words html={s.after} />
          </div>
        ))}
      </article>
    </div>
  )
}

const keyOf = (params: PlaceProps['params']): string =>
  JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))

const stateOfAll = (params: PlaceProps['params']): ReadonlyMap<string, TestState> =>
  new Map(clauses.map((c) => [c.id, stateOf(c, params)]))
