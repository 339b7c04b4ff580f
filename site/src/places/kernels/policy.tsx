/** The policy that chooses what happens next, where nothing else is said. */
import { useEffect, useState } from 'preact/hooks'
import { Field } from '../../look/parts.js'

const kinds = [
  ['eager', 'eager'],
  ['lazy', 'lazy: operations late'],
  ['roundrobin', 'roundrobin'],
  ['seeded', 'seeded: at random'],
  ['starving', 'starving: one agent runs last'],
] as const

const numberIn = (text: string | undefined): string => (text !== undefined && /^\d+$/.test(text) ? text : '0')

/** `policy` in the words of `--schedule`. */
export const PolicySelect = ({
  policy,
  agents,
  change,
}: {
  readonly policy: string
  readonly agents: ReadonlyArray<string>
  readonly change: (policy: string) => void
}) => {
  const [head = '', rest = ''] = policy.split(/:(.*)/s)
  const kind = kinds.find(([k]) => k === head)?.[0]
  const starved = /^(\d+)(?::(\d+))?,seeded:(\d+)$/.exec(rest)
  const [seed, setSeed] = useState('')
  const [event, setEvent] = useState('')
  useEffect(() => {
    setSeed(head === 'starving' ? numberIn(starved?.[3]) : numberIn(rest))
    setEvent(starved?.[2] ?? '')
  }, [policy])
  const agent = numberIn(starved?.[1])
  const make = (to: string, of: string, at: string, n: string): string =>
    to === 'seeded'
      ? `seeded:${numberIn(n)}`
      : to === 'starving'
        ? `starving:${of}${/^\d+$/.test(at) ? `:${at}` : ''},seeded:${numberIn(n)}`
        : to
  return (
    <form
      class="row"
      aria-label="policy"
      onSubmit={(e) => {
        e.preventDefault()
        if (kind !== undefined) change(make(kind, agent, event, seed))
      }}
    >
      <Field label="policy">
        <select
          value={kind ?? 'other'}
          onChange={(e) => {
            if (e.currentTarget.value !== 'other') change(make(e.currentTarget.value, '0', '', '0'))
          }}
        >
          {kind === undefined && <option value="other">{policy.slice(0, 40)}</option>}
          {kinds.map(([k, words]) => (
            <option key={k} value={k}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      {kind === 'starving' && (
        <>
          <Field label="agent">
            <select
              value={agent}
              onChange={(e) => {
                change(make('starving', e.currentTarget.value, event, seed))
              }}
            >
              {agents.map((name, i) => (
                <option key={i} value={String(i)}>
                  {i} {name}
                </option>
              ))}
            </select>
          </Field>
          <Field label="its operation">
            <input
              type="text"
              inputMode="numeric"
              size={5}
              placeholder="none"
              value={event}
              onInput={(e) => {
                setEvent(e.currentTarget.value)
              }}
            />
          </Field>
        </>
      )}
      {(kind === 'seeded' || kind === 'starving') && (
        <>
          <Field label="seed">
            <input
              type="text"
              inputMode="numeric"
              size={5}
              value={seed}
              onInput={(e) => {
                setSeed(e.currentTarget.value)
              }}
            />
          </Field>
          <button type="submit" class="button">
            Run
          </button>
        </>
      )}
    </form>
  )
}
