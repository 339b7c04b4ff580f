/**
 * A ledger of a run: what its asynchronous units did, and how often its barriers turned. A fold over the log.
 *
 *     TMA load 8 (131,072 bytes), wgmma 4 (4,194,304 multiply-adds), TMA store 2 (32,768 bytes)
 *     loaded 4 phases, consumed 3 phases
 *
 * Laws
 * 1. Every issue is counted once, with its bytes and multiply-adds, under the name of its unit.
 * 2. The phases of an array are those that completed, over all its barriers and CTAs, all clusters together.
 */
import { unreachable } from '../failure.js'
import type { Fold, Header, LogEvent } from '../semantics/log/events.js'
import { units } from '../semantics/log/units.js'
import * as Mbarrier from '../semantics/machine/mbarrier.js'

export interface Work {
  readonly what: string
  readonly operations: number
  readonly bytes: number
  readonly macs: number
}

export interface Ledger {
  /** in the order in which each was first seen */
  readonly work: ReadonlyArray<Work>
  /** completed phases by array of barriers */
  readonly phases: ReadonlyMap<string, number>
}

interface Pages {
  readonly header: Header
  readonly work: Map<string, Work>
  readonly phases: Map<string, number>
  states: (Mbarrier.Mbarrier | null)[]
}

const whatOf = (e: Extract<LogEvent, { readonly _tag: 'issue' }>): string =>
  e.unit === 'tcgen05' ? `tcgen05.${e.tensor ?? 'mma'}` : units[e.unit].title

/** `loaded[3]` is of `loaded`. */
const arrayOf = (name: string): string => name.replace(/\[[\d, ]*\]$/, '')

const turn = (
  p: Pages,
  barrier: number,
  by: (s: Mbarrier.Mbarrier) => Mbarrier.Mbarrier | Mbarrier.Trap,
): void => {
  const before = p.states[barrier] ?? null
  if (before === null) return
  const after = by(before)
  if (Mbarrier.isTrap(after)) return
  p.states[barrier] = after
  const name = arrayOf(p.header.barriers[barrier]!.name)
  p.phases.set(name, (p.phases.get(name) ?? 0) + after.completed - before.completed)
}

const ofBarrier = (p: Pages, e: Extract<LogEvent, { readonly _tag: 'barrier' }>): void => {
  switch (e.kind) {
    case 'init':
      p.states[e.barrier] = Mbarrier.init(e.count)
      return
    case 'inval':
      p.states[e.barrier] = null
      return
    case 'increment':
      turn(p, e.barrier, (s) => Mbarrier.increment(s, e.count))
      return
    case 'expect':
      turn(p, e.barrier, (s) => Mbarrier.update(s, 0, e.bytes))
      return
    case 'arrive':
      turn(p, e.barrier, (s) => Mbarrier.update(s, e.count, e.bytes))
      return
    case 'drop':
      turn(p, e.barrier, (s) => Mbarrier.update(s, e.count, e.bytes, e.count))
      return
  }
}

export const ledger: Fold<Pages, Ledger> = {
  init: (header) => ({ header, work: new Map(), phases: new Map(), states: [] }),
  observe: (p, e) => {
    switch (e._tag) {
      case 'cluster':
        p.states = []
        break
      case 'issue': {
        const what = whatOf(e)
        const w = p.work.get(what) ?? { what, operations: 0, bytes: 0, macs: 0 }
        p.work.set(what, {
          what,
          operations: w.operations + 1,
          bytes: w.bytes + e.bytes,
          macs: w.macs + e.macs,
        })
        break
      }
      case 'barrier':
        ofBarrier(p, e)
        break
      case 'signal':
        if (e.to === 'barrier') turn(p, e.barrier, (s) => Mbarrier.update(s, 0, -e.bytes))
        else if (e.to === 'arrive') turn(p, e.barrier, (s) => Mbarrier.update(s, 1, 0))
        break
      case 'semaphore':
      case 'fence':
      case 'group':
      case 'access':
      case 'perform':
      case 'wait':
      case 'rendezvous':
      case 'warpSync':
      case 'registers':
      case 'fork':
      case 'join':
      case 'alloc':
      case 'dealloc':
      case 'relinquish':
      case 'exit':
      case 'ahead':
        break
      default:
        unreachable(e)
    }
    return p
  },
  finish: ({ work, phases }) => ({ work: [...work.values()], phases }),
}
