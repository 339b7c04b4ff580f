/**
 * The program as it is listed: before which statement every agent stands, and the one whose event was just taken.
 *
 * It is one stop of the tab key; arrows go from line to line, and Enter to the next event of the line.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Line, State } from '../../../src/render/recording/model.js'
import { AgentSign } from './parts.js'
import { agentWords, next, type Run } from './run.js'

export interface ListingProps {
  readonly run: Run
  readonly state: State
  readonly at: number
  readonly go: (at: number) => void
  /** lines of the finding that is looked at: of its earlier access, of its later one */
  readonly found: ReadonlyArray<number>
  readonly leaveOut?: ((label: string) => void) | undefined
}

interface RowProps {
  readonly run: Run
  readonly line: Line
  readonly number: number
  /** the agents that stand here, as `0 2` */
  readonly agents: string
  readonly isTaken: boolean
  readonly found: string
  readonly isStop: boolean
  readonly chosen: (number: number) => void
  readonly jump: (number: number) => void
  readonly leaveOut?: ((label: string) => void) | undefined
}

const Row = (props: RowProps) => {
  const { run, line, number, agents, isTaken, found, isStop, chosen, jump, leaveOut } = props
  // an element that is the same is not compared again
  return useMemo(() => {
    const site = line.site === null ? undefined : run.recording.sites[line.site]
    const standing = agents === '' ? [] : agents.split(' ').map(Number)
    const text: ComponentChildren = (
      <code style={{ paddingLeft: `${String(line.depth * 0.8)}em` }}>
        {site !== undefined && <b>{site.name} </b>}
        {line.text}
      </code>
    )
    return (
      <li
        class={`player-line${isTaken ? ' taken' : ''}${found === '' ? '' : ' found'}`}
        {...(isTaken ? { 'aria-current': 'step' as const } : {})}
        data-line={number}
      >
        <span class="player-signs">
          {standing.map((a) => (
            <AgentSign key={a} agent={a} title={agentOf(run, a)} />
          ))}
        </span>
        <span class="player-taken" aria-hidden="true">
          {isTaken ? '▸' : ''}
        </span>
        {found !== '' && <strong class="player-found">{found}</strong>}
        {site === undefined ? (
          <span class="player-text">{text}</span>
        ) : (
          <button
            type="button"
            class="player-text"
            tabIndex={isStop ? 0 : -1}
            title={site.source === undefined ? undefined : `${site.source.place}: ${site.source.text}`}
            onFocus={() => {
              chosen(number)
            }}
            onClick={() => {
              jump(number)
            }}
          >
            {text}
          </button>
        )}
        {site !== undefined && leaveOut !== undefined && (
          <button
            type="button"
            class="player-without"
            tabIndex={isStop ? 0 : -1}
            aria-label={`leave out ${site.name}`}
            title={`leave out ${site.name}`}
            onClick={() => {
              leaveOut(site.name)
            }}
          >
            <span aria-hidden="true">✂</span> leave out
          </button>
        )}
      </li>
    )
  }, [run, line, number, agents, isTaken, found, isStop, chosen, jump, leaveOut])
}

const agentOf = (run: Run, agent: number): string => {
  const found = run.recording.agents[agent]
  return found === undefined ? String(agent) : agentWords(found)
}

export const Listing = ({ run, state, at, go, found, leaveOut }: ListingProps) => {
  const { listing, sites, steps } = run.recording
  const box = useRef<HTMLOListElement>(null)
  const [stop, setStop] = useState<number | null>(null)
  const firstStop = useMemo(() => listing.findIndex((l) => l.site !== null), [listing])
  /** lines before the first statement: what the program declares */
  const declared = firstStop > 2 ? firstStop : 0
  const [isFolded, setFolded] = useState(true)
  const standing = new Map<number, string>()
  state.agents.forEach(({ site, status }, agent) => {
    const line = status === 'done' || status === 'idle' ? -1 : (sites[site]?.line ?? -1)
    if (line < 0) return
    const others = standing.get(line)
    standing.set(line, others === undefined ? String(agent) : `${others} ${String(agent)}`)
  })
  const step = steps[at - 1]
  const taken = step === undefined ? -1 : (sites[step.site]?.line ?? -1)
  const now = useRef({ at, go })
  now.current = { at, go }
  const jump = useMemo(
    () =>
      (number: number): void => {
        const site = listing[number]?.site
        const ofSite = site === undefined || site === null ? [] : (run.ofSite[site] ?? [])
        // past the last one the first comes again
        const to = next(ofSite, now.current.at, 1) ?? next(ofSite, 0, 1)
        if (to !== null) now.current.go(to)
      },
    [run],
  )
  useLayoutEffect(() => {
    const list = box.current
    const line = list?.querySelector(`[data-line="${String(taken)}"]`)
    if (list === null || !(line instanceof HTMLElement)) return
    // the list is scrolled, and not the page
    const above = line.offsetTop
    if (above < list.scrollTop + 24 || above + line.offsetHeight > list.scrollTop + list.clientHeight - 24)
      list.scrollTop = above - list.clientHeight / 2
  }, [taken])
  useLayoutEffect(() => {
    const list = box.current
    const line = list?.querySelector(`[data-line="${String(found.at(-1) ?? -1)}"]`)
    if (list === null || !(line instanceof HTMLElement)) return
    const above = line.offsetTop
    list.scrollTop = above - list.clientHeight / 2
  }, [found])
  return (
    <ol
      ref={box}
      class="player-listing"
      aria-label="the program"
      onKeyDown={(event) => {
        const way = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
        if (way === 0) return
        event.preventDefault()
        let to = (stop ?? firstStop) + way
        while (listing[to] !== undefined && listing[to]?.site === null) to += way
        if (listing[to] === undefined) return
        const button = box.current?.querySelector(`[data-line="${String(to)}"] button`)
        if (button instanceof HTMLElement) button.focus()
      }}
    >
      {declared > 0 && (
        <li class="player-line player-fold">
          <button
            type="button"
            class="player-text"
            aria-expanded={!isFolded}
            tabIndex={0}
            onClick={() => {
              setFolded(!isFolded)
            }}
          >
            <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> {declared} lines of declarations
          </button>
        </li>
      )}
      {listing.map((line, number) =>
        isFolded && number < declared ? null : (
          <Row
            key={number}
            run={run}
            line={line}
            number={number}
            agents={standing.get(number) ?? ''}
            isTaken={number === taken}
            found={
              number === found[0] && number === found[1]
                ? '1st, 2nd'
                : number === found[0]
                  ? '1st'
                  : number === found[1]
                    ? '2nd'
                    : ''
            }
            isStop={number === (stop ?? firstStop)}
            chosen={setStop}
            jump={jump}
            leaveOut={leaveOut}
          />
        ),
      )}
    </ol>
  )
}
