/**
 * The next step of each agent.
 *
 * What an agent does alone takes effect at once: it reads, writes, fences, commits, waits for what it has issued. What it issues lies in flight from now on
 * (`flight.ts`) with what its view shows at this moment. Where agents meet is in `meetings.ts`.
 *
 * Laws
 * 1. An agent has at most one successor in a state.
 * 2. An operation that is predicated off only moves the program counter.
 */
import { givenBack, grants } from './allocator.js'
import type { Columns } from './columns.js'
import {
  ASYNC,
  BULK,
  COPIED,
  GENERIC,
  MASK,
  OWN,
  PUBLISHED,
  RECEIVED,
  slotWidth,
  STAGE,
  STORED,
  TENSOR,
  type Layout,
} from './layout.js'
import { reachOf } from './reach.js'
import { meetingsOf } from './meetings.js'
import type { Op } from './skeleton.js'
import { both, named, stageOf, type Expansion, type Turn } from './turn.js'
import type { Views } from './views.js'

export const agentsOf = (
  layout: Layout,
  views: Views,
  { atomsIn, allocatorOf, there }: Columns,
): ((now: Expansion) => void) => {
  const { agents, barriers, ctas, steps, flying, notGlobal, lives, dynamic, ordering, viewAt, landedAt } =
    layout
  const { historyAt, orderOf, orderOfSlot, readBit } = layout
  const { happens, clear, wrote, saw, numbersIn, afterReads, forgetReads } = views
  const n = agents.length
  const { reaches, reached } = reachOf(layout, views)
  const meetings = meetingsOf(layout, views, { reaches, reached })

  const moves = (now: Expansion): void => {
    const { state, next, report, offer, tell, emit, refuse } = now
    const landed = state[landedAt]!
    for (let x = 0; x < n; x++) {
      const i = state[x]!
      const step = steps[x]![i]
      if (step === undefined) continue
      const op = step.op
      const view = viewAt(x)
      const generic = state[view + GENERIC]!
      const async = state[view + ASYNC]!
      const tensor = state[view + TENSOR]!
      const published = state[view + PUBLISHED]!
      const taken = (change: () => void): void => {
        next.set(state)
        next[x] = i + 1
        change()
        emit('agent', x, i, 0)
      }
      if (!step.on) {
        taken(() => undefined)
        continue
      }
      const stage = stageOf(layout, state)
      const turn: Turn = {
        state,
        next,
        report,
        offer,
        tell,
        emit,
        refuse,
        x,
        i,
        step,
        view,
        generic,
        async,
        tensor,
        published,
        taken,
      }
      const issue = (m: number, own: number): void => {
        taken(() => {
          for (let j = 0; j < Math.max(1, step.parts.length); j++) {
            const at = step.slot + j * slotWidth
            next[at + STAGE] = 1
            next[at + MASK] = m
            next[at + OWN] = own
            if (ordering) next[orderOfSlot(at)] = state[orderOf(x)]!
          }
        })
      }
      /** Is an operation of this agent, of the kind and within the groups that are waited for, still in these stages? */
      const open = (tag: Op['_tag'], upTo: number, last: number): boolean =>
        flying[x]!.some((k) => {
          const other = steps[x]![k]!
          if (other.op._tag !== tag || other.group > upTo) return false
          const at = state[other.slot + STAGE]!
          return at >= 1 && at <= last
        })
      /** Stores of these atoms that are still in flight race with giving them back. */
      const stillStored = (m: number): void => {
        for (let y = 0; y < n; y++)
          for (const k of flying[y]!) {
            const other = steps[y]![k]!
            if (other.op._tag === 'tensorStore' && (other.writes & m) !== 0 && stage(y, k) === 1)
              report('race', both(named(y, k), named(x, i)))
          }
      }
      /** A step of the allocator: the history grows by it. */
      const stepped = (): void => {
        taken(() => {
          let at = historyAt(agents[x]!.cta)
          while (next[at] !== 0) at += 1
          next[at] = x * 1024 + i + 1
        })
      }
      for (const b of step.barriers)
        if (barriers[b]!.cta !== agents[x]!.cta && (lives[b]! & ~generic) !== 0)
          report('visibility', named(x, i))
      switch (op._tag) {
        case 'read':
          reaches(turn, op.atoms)
          offer(x, i, step.reads, 0)
          if (step.reads & ~generic) report('visibility', named(x, i))
          taken(() => {
            saw(next, step.reads & generic, true)
            reached(turn, op.atoms)
            if (ordering) for (const a of numbersIn(step.reads)) happens(next, x, readBit(x, a))
          })
          break
        case 'write':
          reaches(turn, op.atoms)
          offer(x, i, 0, step.writes)
          if (step.writes & ~generic & ~landed) report('visibility', named(x, i))
          if (!afterReads(state, step.writes, x, state[orderOf(x)]!)) report('race', named(x, i))
          taken(() => {
            reached(turn, op.atoms)
            forgetReads(next, step.writes)
            clear(next, step.writes)
            next[view + GENERIC]! |= step.writes
            wrote(next, step.writes, true)
          })
          break
        case 'arrive':
        case 'arriveExpect':
        case 'expect':
          meetings.arrives(turn, op)
          break
        case 'wait':
        case 'peek':
          meetings.waits(turn, op)
          break
        case 'load':
        case 'store':
        case 'wgmma':
          issue(async, 0)
          break
        case 'copy':
          issue(generic, 0)
          break
        case 'copyArrive':
          issue(
            0,
            flying[x]!.reduce(
              (own, k) =>
                k < i && steps[x]![k]!.op._tag === 'copy' && stage(x, k) === 2
                  ? own | state[steps[x]![k]!.slot + OWN]!
                  : own,
              state[view + COPIED]!,
            ),
          )
          break
        case 'mma':
        case 'commit':
          issue(async, tensor)
          break
        case 'tensorLoad':
        case 'tensorStore':
          if (dynamic && !there(state, x, step.reads | step.writes)) refuse(x, i)
          else issue(tensor, 0)
          break
        case 'alloc': {
          if (grants(allocatorOf(state, agents[x]!.cta), op.columns)) stepped()
          else refuse(x, i)
          break
        }
        case 'relinquish':
          stepped()
          break
        case 'free': {
          const { cta } = agents[x]!
          const gone = givenBack(allocatorOf(state, cta).held, x, op.columns)
          if (gone === undefined) {
            refuse(x, i)
            break
          }
          const peer = ctas.includes(cta ^ 1) ? allocatorOf(state, cta ^ 1).pairs : 0
          if (op.ctaGroup === 2 && gone.nth >= peer) report('early', named(x, i))
          const m = atomsIn(cta, op.ctaGroup === 2, gone.start, gone.columns)
          stillStored(m)
          offer(x, i, 0, m)
          stepped()
          break
        }
        case 'bulkWait':
          if (!open('store', step.group, op.side === 'full' ? 2 : 1))
            taken(() => {
              if (op.side === 'read') return
              next[view + GENERIC]! |= state[view + BULK]!
              next[view + ASYNC]! |= state[view + BULK]!
            })
          break
        case 'copyWait':
          if (!open('copy', step.group, 1))
            taken(() => {
              for (const k of flying[x]!) {
                const other = steps[x]![k]!
                if (other.op._tag !== 'copy' || other.group > step.group || stage(x, k) !== 2) continue
                const own = state[other.slot + OWN]!
                next[view + GENERIC]! |= own
                next[view + COPIED]! |= own
                next[other.slot + STAGE] = 3
                next[other.slot + OWN] = 0
              }
            })
          break
        case 'wgmmaWait':
          if (!open('wgmma', step.group, 1)) taken(() => undefined)
          break
        case 'waitLoads':
          if (!open('tensorLoad', 0, 1)) taken(() => undefined)
          break
        case 'waitStores':
          if (!open('tensorStore', 0, 1))
            taken(() => {
              next[view + TENSOR]! |= state[view + STORED]!
              next[view + STORED] = 0
            })
          break
        case 'dealloc':
          stillStored(step.writes)
          offer(x, i, 0, step.writes)
          taken(() => undefined)
          break
        case 'fenceBefore':
          taken(() => {
            next[view + PUBLISHED] = tensor
          })
          break
        case 'fenceAfter':
          taken(() => {
            next[view + TENSOR]! |= state[view + RECEIVED]!
          })
          break
        case 'fence':
          taken(() => {
            next[view + ASYNC]! |= generic & (op.scope === 'cta' ? notGlobal : ~notGlobal)
          })
          break
        case 'rendezvous':
          meetings.rendezvous(turn, op)
          break
        case 'bulkCommit':
        case 'copyCommit':
        case 'wgmmaCommit':
          taken(() => undefined)
          break
        case 'namedArrive':
        case 'namedSync':
          meetings.namedBarrier(turn, op)
          break
        case 'clusterArrive':
          meetings.clusterArrives(turn, op)
          break
        case 'clusterWait':
          meetings.clusterWaits(turn)
          break
        case 'tell':
          meetings.tells(turn, op)
          break
        case 'hear':
          meetings.hears(turn, op)
          break
        case 'fenceMemory':
          meetings.fencesMemory(turn, op)
          break
      }
    }
  }

  return moves
}
