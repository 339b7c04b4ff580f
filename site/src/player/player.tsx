/**
 * The player: a recording, stepped through. The program on the left, the lanes on the right with the slider below them, then what can happen next, and the
 * state of everything.
 *
 * It needs the recording and nothing else; what asks for another one (another event, a statement less) is given by the place that has a machine, and where
 * there is none the buttons are not there.
 */
import './style.css'
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Recording, State } from '../../../src/render/recording/model.js'
import { offeredIn } from '../../../src/render/recording/state.js'
import { Find } from './find.js'
import { FindingWords, Verdict } from './findings.js'
import { Lanes } from './lanes.js'
import { Listing } from './listing.js'
import { marksOf } from './marks.js'
import { AgentSign } from './parts.js'
import { clamp, interestingIn, runOf, siteWords, type Run } from './run.js'
import { Agents, Barriers, Slots } from './states.js'
import { Transport } from './transport.js'

export interface PlayerProps {
  readonly recording: Recording
  readonly at: number
  readonly go: (at: number) => void
  /** the finding that is looked at, by its place in the verdict */
  readonly finding: number | null
  readonly look: (finding: number | null) => void
  /** makes this event the one that comes next */
  readonly choose?: (key: string, at: number) => void
  readonly leaveOut?: (label: string) => void
  /** the verdict and its findings stand elsewhere on the page already */
  readonly isJudged?: boolean
  /** what arrays hold, where there is a machine to ask */
  readonly values?: ComponentChildren
}

const Offers = ({
  run,
  state,
  at,
  go,
  choose,
}: {
  readonly run: Run
  readonly state: State
  readonly at: number
  readonly go: (at: number) => void
  readonly choose: PlayerProps['choose']
}) => {
  const { recording } = run
  const offers = offeredIn(recording, state)
  const taken = recording.steps[at]?.key
  return (
    <section class="panel" aria-labelledby="player-offers">
      <h2 id="player-offers">What can happen next</h2>
      {offers.length === 0 ? (
        <p class="small">
          <strong>{recording.outcome === 'stuck' ? '✗ nothing: the run is blocked. ' : 'nothing. '}</strong>
          {recording.reason}
        </p>
      ) : (
        <ul class="player-offers">
          {offers.map((o) => {
            const isTaken = o.key === taken
            return (
              <li key={o.key}>
                <button
                  type="button"
                  class={`button small${isTaken ? ' next' : ''}`}
                  data-offer={o.key}
                  disabled={!isTaken && choose === undefined}
                  onClick={() => {
                    if (isTaken) go(at + 1)
                    else choose?.(o.key, at)
                  }}
                >
                  <AgentSign agent={o.agent} title="" />
                  <span>
                    <span class="mono">{siteWords(recording, o)}</span>: {o.does}
                    {isTaken && <strong class="player-next"> ▶ next in this run</strong>}
                  </span>
                </button>
              </li>
            )
          })}
        </ul>
      )}
      {at === recording.steps.length && recording.count > recording.steps.length && (
        <p class="small soft">
          The run has {recording.count.toLocaleString('en')} steps; the first{' '}
          {recording.steps.length.toLocaleString('en')} are recorded.
        </p>
      )}
    </section>
  )
}

export const Player = ({
  recording,
  at: asked,
  go: goTo,
  finding,
  look,
  choose,
  leaveOut,
  isJudged = false,
  values = null,
}: PlayerProps) => {
  const run = useMemo(() => runOf(recording), [recording])
  const marks = useMemo(() => marksOf(recording), [recording])
  const at = clamp(run, asked)
  const state = run.stateAt(at)
  const chosen = finding === null ? null : (marks[finding] ?? null)
  const found = useMemo(() => chosen?.lines ?? [], [chosen])
  const go = (to: number): void => {
    goTo(clamp(run, to))
  }
  return (
    <div class="player" data-player={recording.kernel} data-steps={recording.steps.length}>
      {!isJudged && (
        <Verdict
          run={run}
          marks={marks}
          chosen={finding}
          choose={(i) => {
            look(i)
            const to = i === null ? null : (marks[i]?.at ?? null)
            if (to !== null) go(to)
          }}
        />
      )}
      <div class="player-main">
        <Listing run={run} state={state} at={at} go={go} found={found} leaveOut={leaveOut} />
        <div class="stack player-right">
          <Lanes run={run} marks={marks} at={at} chosen={chosen} go={go} />
          <Transport run={run} at={at} go={go} />
          <Find run={run} at={at} go={go} />
        </div>
      </div>
      <div class={chosen === null ? '' : 'player-beside'}>
        {chosen !== null && <FindingWords mark={chosen} />}
        <Slots run={run} state={state} at={at} chosen={chosen} />
      </div>
      {values}
      <div class="player-states">
        <div class="stack">
          <Offers run={run} state={state} at={at} go={go} choose={choose} />
          <Agents run={run} state={state} at={at} />
        </div>
        <Barriers run={run} state={state} at={at} />
      </div>
    </div>
  )
}

/** A player that keeps its own position: of a document alone, as in the file that `tcspec view` writes. */
export const PlayerAlone = ({ recording }: { readonly recording: Recording }) => {
  const first = useMemo(() => marksOf(recording).findIndex((m) => m.at !== null), [recording])
  const [finding, look] = useState<number | null>(first < 0 ? null : first)
  const [at, go] = useState(() =>
    first < 0 ? interestingIn(recording) : (marksOf(recording)[first]?.at ?? 0),
  )
  const { kernel, arch, settings, without, schedule } = recording
  return (
    <div class="stack">
      <div>
        <h1>
          {kernel} <span class="soft small">{arch}</span>
        </h1>
        <div class="small mono">
          {[
            ...Object.entries(settings).map(([name, value]) => `${name}=${String(value)}`),
            ...without.map((label) => `without '${label}'`),
            ...(schedule === null
              ? []
              : [`schedule ${schedule.length > 200 ? `${schedule.slice(0, 200)}…` : schedule}`]),
          ].join(' · ')}
        </div>
      </div>
      <Player recording={recording} at={at} go={go} finding={finding} look={look} />
    </div>
  )
}
