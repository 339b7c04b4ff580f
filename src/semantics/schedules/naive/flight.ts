/**
 * What goes on by itself: operations in flight, and the heads of the queues of the tensor core.
 *
 * | in flight               | stages                                                                             |
 * |-------------------------|------------------------------------------------------------------------------------|
 * | bulk load, a part       | issued, written, its bytes told to the barrier                                     |
 * | bulk store              | issued, read, written                                                              |
 * | copy of a thread        | issued, written; what it wrote is seen after a wait, or comes with an arrival      |
 * | tensor load, store      | issued, done                                                                       |
 * | wgmma, mma, commit      | issued, done, in the order of their queue                                          |
 *
 * It sees what its agent saw when it was issued; what it writes is published where its kind says.
 */
import { ASYNC, BULK, GENERIC, MASK, OWN, QUEUE, slotWidth, STAGE, STORED, type Layout } from './layout.js'
import { named, stageOf, type Expansion } from './turn.js'
import type { Views } from './views.js'

export interface Flight {
  readonly inFlight: (now: Expansion) => void
  readonly queues: (now: Expansion) => void
}

export const flightOf = (layout: Layout, views: Views): Flight => {
  const { agents, steps, flying, tensorQueue, matrixQueue, ordering, viewAt, landedAt, writtenAt } = layout
  const { orderOfSlot } = layout
  const { signal, clear, wrote, saw, afterReads, forgetReads } = views
  const n = agents.length

  const inFlight = ({ state, next, report, offer, emit }: Expansion): void => {
    const stage = stageOf(layout, state)
    const landed = state[landedAt]!
    const landedOther = state[landedAt + 1]!
    for (let x = 0; x < n; x++)
      for (const i of flying[x]!) {
        const step = steps[x]![i]!
        const { op } = step
        const view = viewAt(x)
        if (op._tag === 'load') {
          step.parts.forEach((part, j) => {
            const at = step.slot + j * slotWidth
            const seen = state[at + MASK]!
            const reads = j === 0 ? step.reads : 0
            if (state[at + STAGE] === 1) {
              offer(x, i, reads, part.mask)
              if (((part.mask & ~landedOther) | reads) & ~seen) report('visibility', named(x, i))
              if (ordering && !afterReads(state, part.mask, x, state[orderOfSlot(at)]!))
                report('race', named(x, i))
              next.set(state)
              forgetReads(next, part.mask)
              saw(next, step.reads & seen, false)
              clear(next, part.mask)
              wrote(next, part.mask, false)
              next[at + STAGE] = 2
              next[at + MASK] = 0
              next[at + OWN] = part.mask
              emit('operation', x, i, j)
            } else if (state[at + STAGE] === 2) {
              const own = state[at + OWN]!
              next.set(state)
              next[at + STAGE] = 3
              next[at + OWN] = 0
              if (
                signal(
                  next,
                  part.barrier,
                  0,
                  -part.units,
                  own,
                  own,
                  0,
                  ordering ? state[orderOfSlot(at)]! : 0,
                )
              )
                emit('operation', x, i, j)
            }
          })
          continue
        }
        const seen = state[step.slot + MASK]!
        const own = state[step.slot + OWN]!
        const now = state[step.slot + STAGE]!
        const advance = (to: number): void => {
          next[step.slot + STAGE] = to
          if (to !== 2) next[step.slot + MASK] = 0
          next[step.slot + OWN] = 0
        }
        if (op._tag === 'store' && now === 1) {
          offer(x, i, step.reads, 0)
          if (step.reads & ~seen) report('visibility', named(x, i))
          next.set(state)
          advance(2)
          saw(next, step.reads & seen, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'store' && now === 2) {
          offer(x, i, 0, step.writes)
          if (step.writes & ~seen & ~landedOther) report('visibility', `${named(x, i)}w`)
          next.set(state)
          advance(3)
          clear(next, step.writes)
          next[view + BULK]! |= step.writes
          wrote(next, step.writes, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'copy' && now === 1) {
          offer(x, i, step.reads, step.writes)
          if ((step.reads | (step.writes & ~landed)) & ~seen) report('visibility', named(x, i))
          next.set(state)
          saw(next, step.reads & seen, true)
          clear(next, step.writes)
          wrote(next, step.writes, true)
          next[step.slot + STAGE] = 2
          next[step.slot + MASK] = 0
          next[step.slot + OWN] = step.writes
          for (const k of flying[x]!) {
            const other = steps[x]![k]!
            if (k > i && other.op._tag === 'copyArrive' && stage(x, k) === 1)
              next[other.slot + OWN]! |= step.writes
          }
          emit('operation', x, i, 0)
        } else if (op._tag === 'copyArrive' && now === 1) {
          const ready = flying[x]!.every(
            (k) => k > i || steps[x]![k]!.op._tag !== 'copy' || stage(x, k) !== 1,
          )
          if (!ready) continue
          next.set(state)
          advance(3)
          if (signal(next, op.barrier, 1, 0, own, 0, 0, ordering ? state[orderOfSlot(step.slot)]! : 0))
            emit('operation', x, i, 0)
          else report('fault', `${named(x, i)}#${String(op.barrier)}`)
        } else if (op._tag === 'tensorLoad' && now === 1) {
          offer(x, i, step.reads, 0)
          if (step.reads & ~state[writtenAt]!) report('unwritten', named(x, i))
          else if (step.reads & ~seen) report('visibility', named(x, i))
          next.set(state)
          advance(3)
          saw(next, step.reads & seen, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'tensorStore' && now === 1) {
          offer(x, i, 0, step.writes)
          if (step.writes & ~seen & ~landedOther) report('visibility', named(x, i))
          next.set(state)
          advance(3)
          clear(next, step.writes)
          next[view + STORED]! |= step.writes
          wrote(next, step.writes, false)
          emit('operation', x, i, 0)
        }
      }
  }

  const queues = ({ state, next, report, offer, emit }: Expansion): void => {
    const stage = stageOf(layout, state)
    const landedOther = state[landedAt + 1]!
    for (let x = 0; x < n; x++) {
      const view = viewAt(x)
      const head = tensorQueue[x]!.find((i) => stage(x, i) === 1)
      if (head !== undefined) {
        const step = steps[x]![head]!
        const async = state[step.slot + MASK]!
        const queue = state[view + QUEUE]!
        const tensor = state[step.slot + OWN]! | queue
        next.set(state)
        next[step.slot + STAGE] = 3
        next[step.slot + MASK] = 0
        next[step.slot + OWN] = 0
        if (step.op._tag === 'mma') {
          offer(x, head, step.reads | step.tensorReads, step.writes)
          if (step.reads & ~async || (step.tensorReads | (step.writes & ~landedOther)) & ~tensor)
            report('visibility', named(x, head))
          saw(next, (step.reads & async) | (step.tensorReads & tensor), false)
          clear(next, step.writes)
          next[view + QUEUE]! |= step.writes
          wrote(next, step.writes, false)
          emit('queue', x, head, 0)
        } else {
          const good = step.barriers.every((b) => {
            const done = signal(next, b, 1, 0, 0, 0, queue, 0)
            if (!done) report('fault', `${named(x, head)}#${String(b)}`)
            return done
          })
          if (good) emit('queue', x, head, 0)
        }
      }
      const first = matrixQueue[x]!.find((i) => stage(x, i) === 1)
      if (first !== undefined) {
        const step = steps[x]![first]!
        const async = state[step.slot + MASK]!
        offer(x, first, step.reads, step.writes)
        if (step.reads & ~async) report('visibility', named(x, first))
        next.set(state)
        next[step.slot + STAGE] = 3
        next[step.slot + MASK] = 0
        saw(next, step.reads & async, false)
        clear(next, step.writes)
        next[view + GENERIC]! |= step.writes
        next[view + ASYNC]! |= step.writes
        for (const k of matrixQueue[x]!)
          if (k !== first && stage(x, k) === 1) next[steps[x]![k]!.slot + MASK]! |= step.writes
        wrote(next, step.writes, false)
        emit('wgmma', x, first, 0)
      }
    }
  }

  return { inFlight, queues }
}
