/** Search in the timeline: the steps whose words have a text, and the way from one to the next. */
import { useMemo, useRef, useState } from 'preact/hooks'
import { below, stepWords, type Run } from './run.js'

/** Steps, in their order, whose words have all words of a text. */
export const found = (run: Run, text: string): ReadonlyArray<number> => {
  const wanted = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (wanted.length === 0) return []
  return run.recording.steps.flatMap((_, i) => {
    const words = stepWords(run.recording, i).toLowerCase()
    return wanted.every((word) => words.includes(word)) ? [i] : []
  })
}

export const Find = ({
  run,
  at,
  go,
}: {
  readonly run: Run
  readonly at: number
  readonly go: (at: number) => void
}) => {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const steps = useMemo(() => found(run, text), [run, text])
  /** how many of them have happened, so that the last of those is the one that is looked at */
  const done = below(steps, at)
  const isAt = steps[done - 1] === at - 1
  const turn = (way: 1 | -1): void => {
    if (steps.length === 0) return
    const next = way === 1 ? done : done - (isAt ? 2 : 1)
    // past the last one the first comes again
    const step = steps[(next + steps.length) % steps.length]
    if (step !== undefined) go(step + 1)
  }
  return (
    <form
      class="row player-find"
      role="search"
      aria-label="search in the timeline"
      onSubmit={(event) => {
        event.preventDefault()
        turn(1)
      }}
    >
      <input
        ref={input}
        type="search"
        class="small"
        aria-label="find a step"
        placeholder="find a step: wait load, tma, parity 1"
        value={text}
        autocomplete="off"
        onInput={(event) => {
          setText(event.currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return
          event.preventDefault()
          turn(-1)
        }}
      />
      <button
        type="button"
        class="button small"
        aria-label="the one before"
        disabled={steps.length === 0}
        onClick={() => {
          turn(-1)
        }}
      >
        ↑
      </button>
      <button type="submit" class="button small" aria-label="the next one" disabled={steps.length === 0}>
        ↓
      </button>
      <span class="small soft" role="status">
        {text.trim() === ''
          ? ''
          : steps.length === 0
            ? 'no step contains these words'
            : isAt
              ? `${done.toLocaleString('en')} of ${steps.length.toLocaleString('en')}`
              : `${steps.length.toLocaleString('en')} steps`}
      </span>
    </form>
  )
}
