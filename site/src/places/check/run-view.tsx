/**
 * The run of a verdict, with the finding that is looked at: both accesses in red on the lanes, and the player stands where the later one has begun.
 *
 * It is recorded when it is asked for: a recording is many times as long as a verdict.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Busy, Refusal } from '../../look/parts.js'
import { marksOf } from '../../player/marks.js'
import { Player } from '../../player/player.js'
import { readRecording } from '../../player/run.js'
import { useQuestion } from '../../machine/use-answer.js'

export interface RunViewProps {
  /** what `view` is asked: one object as long as it is the same; null: there is no run */
  readonly question: unknown
  readonly isOpen: boolean
  readonly open: (isOpen: boolean) => void
  /** place of the finding in the verdict */
  readonly finding: number
  readonly look: (finding: number) => void
  readonly leaveOut: (label: string) => void
}

export const RunView = ({ question, isOpen, open, finding, look, leaveOut }: RunViewProps) => {
  const view = useQuestion('view', isOpen ? question : null)
  const recording = useMemo(() => readRecording(view.document), [view.document])
  const marks = useMemo(() => (recording === null ? [] : marksOf(recording)), [recording])
  const [at, go] = useState(0)
  useEffect(() => {
    const to = marks[finding]?.at
    if (to !== null && to !== undefined) go(to)
  }, [marks, finding])
  return (
    <section class="stack" aria-label="the run">
      <div class="row">
        <button
          type="button"
          class="button"
          aria-expanded={isOpen}
          onClick={() => {
            open(!isOpen)
          }}
        >
          {isOpen ? 'Hide the run' : 'Show it in the run'}
        </button>
      </div>
      {isOpen && (
        <>
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
                isJudged
              />
            </div>
          )}
        </>
      )}
    </section>
  )
}
