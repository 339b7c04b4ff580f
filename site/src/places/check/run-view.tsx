/**
 * The run of a verdict, with the finding that is looked at: both accesses in red on the lanes, and the player stands where the later one has begun.
 *
 * It is recorded when it is asked for: a recording is many times as long as a verdict.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Busy, Refusal } from '../../look/parts.js'
import { marksOf } from '../../player/marks.js'
import { isMembers } from '../../machine/members.js'
import { Player } from '../../player/player.js'
import { Values } from '../../player/values.js'
import { readRecording } from '../../player/run.js'
import { useQuestion } from '../../machine/use-answer.js'

export interface RunViewProps {
  /** what `view` is asked: one object as long as it is the same; null: there is no run */
  readonly question: unknown
  readonly close: () => void
  /** place of the finding in the verdict */
  readonly finding: number
  readonly look: (finding: number) => void
  readonly leaveOut: (label: string) => void
}

export const RunView = ({ question, close, finding, look, leaveOut }: RunViewProps) => {
  const view = useQuestion('view', question)
  const recording = useMemo(() => readRecording(view.document), [view.document])
  const marks = useMemo(() => (recording === null ? [] : marksOf(recording)), [recording])
  const [at, go] = useState(0)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const to = marks[finding]?.at
    if (to !== null && to !== undefined) go(to)
  }, [marks, finding])
  // who asks for it wants to see it
  useEffect(() => {
    panel.current?.focus({ preventScroll: true })
    panel.current?.scrollIntoView({ block: 'start' })
  }, [])
  return (
    <section ref={panel} class="panel stack check-run" aria-label="the run" tabIndex={-1}>
      <div class="row">
        <h2>The run</h2>
        <button type="button" class="button small" onClick={close}>
          Hide the run
        </button>
      </div>
      {(view.working || view.stopped) && <Busy asking={view} what="recording the run" />}
      <Refusal refused={view.refused} />
      {recording !== null && (
        <div class={view.working ? 'check-stale' : ''}>
          <Player
            recording={recording}
            at={at}
            go={go}
            finding={finding < marks.length ? finding : null}
            look={(i) => {
              if (i !== null) look(i)
            }}
            leaveOut={leaveOut}
            values={
              <Values
                question={isMembers(question) ? question : null}
                at={at}
                first={recording.buffers[0]?.name ?? null}
              />
            }
            isJudged
          />
        </div>
      )}
    </section>
  )
}
