/**
 * How far long work has come: a bar on a terminal, gone when the work is done.
 *
 * The cursor stays visible: a process that is interrupted has no time to show it again.
 */
import { SingleBar } from 'cli-progress'
import type { ProgressBar } from './command.js'

export const progressOn =
  (stream: NodeJS.WritableStream) =>
  (what: string): ProgressBar => {
    const bar = new SingleBar({
      format: `${what} [{bar}] {value} of {total}`,
      clearOnComplete: true,
      hideCursor: false,
      stream,
    })
    return {
      update: (done, of) => {
        if (!bar.isActive) bar.start(of, 0)
        bar.update(done)
      },
      stop: () => {
        bar.stop()
      },
    }
  }
