/**
 * The slider through the schedule, and what plays it.
 *
 * | key            | goes                                     |
 * |----------------|------------------------------------------|
 * | left, right    | an event                                 |
 * | with shift     | an event of the same agent               |
 * | page up, down  | 50 events                                |
 * | home, end      | before the first event, after the last   |
 * | space          | plays, stops                             |
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { clamp, next, positionWords, type Run } from './run.js'

const speeds = [
  ['2', '2 events a second'],
  ['8', '8 a second'],
  ['60', '60 a second'],
  ['600', '600 a second'],
] as const

export const Transport = ({
  run,
  at,
  go,
}: {
  readonly run: Run
  readonly at: number
  readonly go: (at: number) => void
}) => {
  const last = run.recording.steps.length
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState('8')
  const now = useRef({ at, go, last })
  now.current = { at, go, last }
  useEffect(() => {
    if (!playing) return undefined
    let frame = 0
    let before = performance.now()
    let owed = 0
    const tick = (time: number): void => {
      owed = Math.min(100, owed + (Math.max(0, time - before) * Number(speed)) / 1000)
      before = time
      const whole = Math.floor(owed)
      owed -= whole
      const to = Math.min(now.current.last, now.current.at + whole)
      if (whole > 0) now.current.go(to)
      if (to >= now.current.last) setPlaying(false)
      else frame = requestAnimationFrame(tick)
    }
    frame = requestAnimationFrame(tick)
    return () => {
      cancelAnimationFrame(frame)
    }
  }, [playing, speed])

  const toggle = (): void => {
    if (!playing && at >= last) go(0)
    setPlaying(!playing)
  }
  const ofSameAgent = (way: 1 | -1): void => {
    const step = run.recording.steps[Math.max(0, at - 1)]
    const to = step === undefined ? null : next(run.ofAgent[step.agent] ?? [], at, way)
    if (to !== null) go(to)
  }
  const keyed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const way = event.key === 'ArrowRight' || event.key === 'ArrowUp' ? 1 : -1
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowRight':
      case 'ArrowUp':
      case 'ArrowDown':
        if (event.shiftKey) ofSameAgent(way)
        else go(clamp(run, at + way))
        break
      case 'PageUp':
        go(clamp(run, at - 50))
        break
      case 'PageDown':
        go(clamp(run, at + 50))
        break
      case 'Home':
        go(0)
        break
      case 'End':
        go(last)
        break
      case ' ':
        toggle()
        break
      default:
        return
    }
    event.preventDefault()
  }
  const button = (label: string, sign: string, to: number) => (
    <button
      type="button"
      class="button small"
      aria-label={label}
      title={label}
      disabled={to === at}
      onClick={() => {
        go(to)
      }}
    >
      {sign}
    </button>
  )
  return (
    <div class="player-transport" role="group" aria-label="the schedule">
      <div class="row">
        {button('before the first event', '⇤', 0)}
        {button('one event back', '←', clamp(run, at - 1))}
        <button
          type="button"
          class="button small"
          aria-pressed={playing}
          title={playing ? 'stop (space)' : 'play (space)'}
          onClick={toggle}
        >
          {playing ? '■ Stop' : '▶ Play'}
        </button>
        {button('one event on', '→', clamp(run, at + 1))}
        {button('after the last event', '⇥', last)}
        <select
          class="small"
          aria-label="speed"
          value={speed}
          onChange={(event) => {
            setSpeed(event.currentTarget.value)
          }}
        >
          {speeds.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <span class="player-count small">
          step <strong>{at.toLocaleString('en')}</strong> of {last.toLocaleString('en')}
        </span>
      </div>
      <input
        type="range"
        class="player-slider"
        min={0}
        max={last}
        step={1}
        value={at}
        aria-label="event in the schedule"
        aria-valuetext={`step ${String(at)} of ${String(last)}: ${positionWords(run.recording, at)}`}
        onInput={(event) => {
          go(clamp(run, Number(event.currentTarget.value)))
        }}
        onKeyDown={keyed}
      />
      <div class="player-event small mono" data-position={at}>
        {at > 0 && <strong>{run.recording.steps[at - 1]?.key} </strong>}
        {positionWords(run.recording, at)}
      </div>
    </div>
  )
}
