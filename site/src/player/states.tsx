/** The state at a position: agents, barriers, slots. What the event just taken has changed has a dot and a frame. */
import { useMemo } from 'preact/hooks'
import type {
  AgentState,
  BarrierState,
  Change,
  SlotState,
  State,
} from '../../../src/render/recording/model.js'
import { waitingAt } from '../../../src/render/recording/state.js'
import { operationsWords, slotsOf, type Mark } from './marks.js'
import { AgentSign } from './parts.js'
import { agentWords, siteWords, type Run } from './run.js'

const dot = (isChanged: boolean) => (
  <span class="player-dot">
    {isChanged && (
      <>
        <span aria-hidden="true">●</span>
        <span class="visually-hidden">changed</span>
      </>
    )}
  </span>
)

const changedBy = (run: Run, at: number): Change => run.recording.steps[at - 1]?.changed ?? {}

// ---------------------------------------------------------------- agents

const statusWords: Readonly<Record<AgentState['status'], readonly [sign: string, words: string]>> = {
  idle: ['◌', 'not begun'],
  ready: ['▶', 'ready'],
  waits: ['‖', 'waits'],
  done: ['■', 'done'],
}

const AgentRow = ({
  run,
  agent,
  state,
  isChanged,
}: {
  readonly run: Run
  readonly agent: number
  readonly state: AgentState
  readonly isChanged: boolean
}) =>
  useMemo(() => {
    const found = run.recording.agents[agent]
    const name = found === undefined ? String(agent) : agentWords(found)
    const [sign, words] = statusWords[state.status]
    return (
      <tr class={isChanged ? 'changed' : ''} data-agent={agent} data-status={state.status}>
        <td>{dot(isChanged)}</td>
        <th scope="row">
          <AgentSign agent={agent} title={name} /> {name}
        </th>
        <td class="player-status">
          <span aria-hidden="true">{sign}</span> {words}
        </td>
        <td class="mono">
          {state.status === 'done' || state.status === 'idle' ? '' : siteWords(run.recording, state)}
        </td>
        <td>{state.does}</td>
      </tr>
    )
  }, [run, agent, state, isChanged])

export const Agents = ({
  run,
  state,
  at,
}: {
  readonly run: Run
  readonly state: State
  readonly at: number
}) => {
  const changed = new Set((changedBy(run, at).agents ?? []).map(([agent]) => agent))
  return (
    <section class="panel" aria-labelledby="player-agents">
      <h2 id="player-agents">Agents</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="agents">
        <table class="player-table">
          <thead class="visually-hidden">
            <tr>
              <th>changed</th>
              <th>agent</th>
              <th>status</th>
              <th>stands before</th>
              <th>does next</th>
            </tr>
          </thead>
          <tbody>
            {state.agents.map((a, agent) => (
              <AgentRow key={agent} run={run} agent={agent} state={a} isChanged={changed.has(agent)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

// ---------------------------------------------------------------- barriers

const mostSigns = 8

/** Arrivals as signs: those that came, those that are wanted. */
const arrivals = ({ pending, expected }: BarrierState): string =>
  expected > mostSigns
    ? `${String(expected - pending)} of ${String(expected)}`
    : `${'●'.repeat(Math.max(0, expected - pending))}${'○'.repeat(Math.max(0, pending))}`

const bytesWords = (bytes: number): string =>
  bytes === 0
    ? ''
    : bytes > 0
      ? `${bytes.toLocaleString('en')} B to come`
      : `${(-bytes).toLocaleString('en')} B too early`

const BarrierRow = ({
  run,
  barrier,
  state,
  waiting,
  isChanged,
  isWide,
}: {
  readonly run: Run
  readonly barrier: number
  readonly state: BarrierState | null
  /** agents, as `0 2` */
  readonly waiting: string
  readonly isChanged: boolean
  readonly isWide: boolean
}) =>
  useMemo(() => {
    const found = run.recording.barriers[barrier]
    const name = found === undefined ? '' : isWide ? `${found.name}@${String(found.cta)}` : found.name
    return (
      <tr class={isChanged ? 'changed' : ''} data-barrier={barrier}>
        <td>{dot(isChanged)}</td>
        <th scope="row" class="mono">
          {name}
        </th>
        {state === null ? (
          <td colSpan={4} class="soft">
            not initialised
          </td>
        ) : (
          <>
            <td>
              generation <strong>{state.generation}</strong>
              <span class="soft"> · parity {state.generation % 2}</span>
            </td>
            <td>
              <span aria-hidden="true" class="player-arrivals">
                {arrivals(state)}
              </span>
              <span class="visually-hidden">
                {state.expected - state.pending} of {state.expected} arrivals
              </span>
            </td>
            <td>{bytesWords(state.bytes)}</td>
            <td class="player-waiting">
              {waiting !== '' && (
                <>
                  <span aria-hidden="true">‖</span>
                  <span class="visually-hidden">waited for by</span>
                  {waiting.split(' ').map((a) => (
                    <AgentSign key={a} agent={Number(a)} title={`agent ${a} waits`} />
                  ))}
                </>
              )}
            </td>
          </>
        )}
      </tr>
    )
  }, [run, barrier, state, waiting, isChanged, isWide])

export const Barriers = ({
  run,
  state,
  at,
}: {
  readonly run: Run
  readonly state: State
  readonly at: number
}) => {
  const changed = new Set((changedBy(run, at).barriers ?? []).map(([barrier]) => barrier))
  const isWide = run.recording.barriers.some((b) => b.cta !== run.recording.barriers[0]?.cta)
  return (
    <section class="panel" aria-labelledby="player-barriers">
      <h2 id="player-barriers">Barriers</h2>
      {run.recording.barriers.length === 0 ? (
        <p class="soft small">none</p>
      ) : (
        <div class="scroll" tabIndex={0} role="group" aria-label="barriers">
          <table class="player-table">
            <thead class="visually-hidden">
              <tr>
                <th>changed</th>
                <th>barrier</th>
                <th>open phase</th>
                <th>arrivals</th>
                <th>bytes</th>
                <th>waited for by</th>
              </tr>
            </thead>
            <tbody>
              {run.recording.barriers.map((_, barrier) => (
                <BarrierRow
                  key={barrier}
                  run={run}
                  barrier={barrier}
                  state={state.barriers[barrier] ?? null}
                  waiting={waitingAt(state, barrier).join(' ')}
                  isChanged={changed.has(barrier)}
                  isWide={isWide}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

// ---------------------------------------------------------------- slots

/** What a slot is in: the sign, the words, and whether two are at it at once. */
const slotLook = ({
  writing,
  holds,
  reading,
  wasRead,
}: SlotState): readonly [sign: string, words: string, isClash: boolean] =>
  writing.length > 1
    ? ['✎✎', 'written by two', true]
    : writing.length > 0 && reading.length > 0
      ? ['✎◉', 'overwritten while it is read', true]
      : writing.length > 0
        ? ['✎', 'being written', false]
        : reading.length > 0
          ? ['◉', 'being read', false]
          : holds.length > 0
            ? wasRead
              ? ['▣', 'was read', false]
              : ['■', 'full', false]
            : ['□', 'empty', false]

const Slot = ({
  run,
  name,
  state,
  isChanged,
  wrong,
}: {
  readonly run: Run
  readonly name: string
  readonly state: SlotState
  readonly isChanged: boolean
  /** what a finding says of it; empty: nothing */
  readonly wrong: string
}) =>
  useMemo(() => {
    const { recording } = run
    const [sign, words, isClash] = slotLook(state)
    const said = (step: number): string => {
      const s = recording.steps[step]
      return s === undefined ? '' : siteWords(recording, s)
    }
    const line = (what: string, steps: ReadonlyArray<number>) =>
      steps.length === 0 ? null : (
        <div>
          <span class="soft">{what} </span>
          {steps.slice(-3).map(said).join('; ')}
          {steps.length > 3 && ` and ${String(steps.length - 3)} more`}
        </div>
      )
    return (
      <li
        class={`player-slot${isChanged ? ' changed' : ''}${isClash || wrong !== '' ? ' clash' : ''}${state.holds.length > 0 ? ' full' : ''}`}
        data-slot={name}
      >
        <div class="player-slot-head">
          <span class="mono">{name}</span>
          {dot(isChanged)}
          <span class="player-slot-sign" aria-hidden="true">
            {sign}
          </span>
        </div>
        <strong class="player-slot-words">{isClash ? `${words} !` : words}</strong>
        {line('writes', state.writing)}
        {line('reads', state.reading)}
        {line('holds', state.holds)}
        {wrong !== '' && (
          <div class="player-wrong">
            <span aria-hidden="true">✗ </span>
            {wrong}
          </div>
        )}
      </li>
    )
  }, [run, name, state, isChanged, wrong])

const spaceWords = { smem: 'shared memory', tmem: 'tensor memory' } as const

export const Slots = ({
  run,
  state,
  at,
  chosen,
}: {
  readonly run: Run
  readonly state: State
  readonly at: number
  readonly chosen: Mark | null
}) => {
  const touched = useMemo(
    () => (chosen === null ? new Set<string>() : slotsOf(run.recording, chosen)),
    [run, chosen],
  )
  const changed = new Set(
    (changedBy(run, at).slots ?? []).map(([buffer, slot]) => `${String(buffer)} ${String(slot)}`),
  )
  const { buffers } = run.recording
  const isWide = buffers.some((b) => b.cta !== buffers[0]?.cta)
  return (
    <section class="panel player-slots" aria-labelledby="player-slots">
      <h2 id="player-slots">Slots</h2>
      {buffers.length === 0 && <p class="soft small">none</p>}
      {buffers.map(({ name, cta, space, slots, holds }, buffer) => (
        <div key={buffer} class="player-buffer">
          <div class="small">
            <strong class="mono">
              {name}
              {isWide && `@${String(cta)}`}
            </strong>{' '}
            <span class="soft">
              {slots > 1 ? `${String(slots)} slots of ` : ''}
              {holds} · {spaceWords[space]}
            </span>
          </div>
          <ul class="player-ring" aria-label={`slots of ${name}`}>
            {(state.slots[buffer] ?? []).map((s, slot) => (
              <Slot
                key={slot}
                run={run}
                name={slots > 1 ? `[${String(slot)}]` : name}
                state={s}
                isChanged={changed.has(`${String(buffer)} ${String(slot)}`)}
                wrong={
                  chosen !== null && touched.has(`${String(buffer)} ${String(slot)}`)
                    ? `${chosen.finding.id}: ${operationsWords(chosen.finding)}`
                    : ''
                }
              />
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
