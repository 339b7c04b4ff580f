/**
 * The detector: judges a run from its log, in one pass, keeping none of it.
 *
 * `detector(options)` is a fold. Its state holds, per agent, four knowledge vectors (`knowledge.ts`); per barrier, the generation
 * under way and the two before it; per atom of memory, the last write and the reads since (`cell.ts`). An event updates
 * them and, where something is wrong, files a finding. An asynchronous operation is judged with what its issuer knew at the issue.
 *
 * The classical bug, one event a line (x is 16 bytes of shared memory, b counts 1):
 *
 *     P  arriveExpectTx b 16                 P: order P=1
 *     P  issue TMA load #0                   snapshot P=2
 *     C  read x                              C: order C=1            cell x: read by C at 1
 *        perform #0: write x                 cell x: the read is not in the snapshot (C=0): race
 *        signal #0 -> b                      generation 0 of b complete
 *
 * and the finding is R1, because nothing had been written to x when C read it: C was meant to wait for b.
 *
 * Of an agent that is a warp the log says which lanes do what: its lanes are threads, and are judged as such (`strands.ts`, `lanes.ts`).
 *
 * What is not judged: anything behind a wait whose outcome the log says but whose
 * parity contradicts it (C2 then fails).
 *
 * The state is updated in place and each state may be used once; what `finish` returns never changes.
 *
 * Laws
 * 1. `finish` after a log that is a permutation of another by commuting neighbours gives the same findings and digest.
 * 2. A log without asynchronous operations, with barriers of which every agent waits after each arrive, is judged by
 *    happens-before alone: the findings are exactly the unordered conflicting pairs.
 * 3. The cost of an event is linear in agents + barriers + atoms of its footprint, and does not depend on its position.
 *
 * Source: PTX ISA, memory consistency model; docs/hazards.md.
 */
import type { Judgement } from '../finding.js'
import type { Fold, Header, LogEvent } from '../../log/events.js'
import { barrier, wait } from './barrier-events.js'
import { does } from './activity.js'
import { advanceOrder, clockOf } from './knowledge.js'
import { conclude, nextCluster } from './end.js'
import { fence } from './fences.js'
import { group } from './groups.js'
import { issue, perform, signal } from './in-flight.js'
import { exit, fork, meet, registers, warpSync } from './meeting.js'
import { asOne, byStrand, executedBy } from './parting.js'
import { access, dealloc } from './memory.js'
import type { Options } from './rules.js'
import { semaphore } from './semaphores.js'
import type { Detector } from './state.js'
import { start } from './state.js'
import { act } from './strands.js'
import { hearingApart } from './strong-heard.js'
import { allocated, relinquished } from './tensor-memory.js'

// ---------------------------------------------------------------- the fold

/** One event. Returns the state it was given. */
export const observe = (d: Detector, told: LogEvent): Detector => {
  const c = d.context
  const e = c.options.lanes === 'off' ? asOne(told) : told
  const stamp = executedBy(e)
  const lanes = stamp?.lanes
  if (stamp === undefined || lanes === undefined) return observeOne(d, e)
  const a = c.agents[stamp.agent]!
  const parts = byStrand(c, e, stamp, lanes, e._tag === 'access' ? hearingApart(d.strong, e, lanes) : [])
  for (const part of parts ?? [e]) {
    const own = executedBy(part)!.lanes!
    act(a, stamp.agent, own, stamp.at)
    // the conditions ask who knows an arrival, an expectation, a wait, as they ask who knows an access
    const counts = !c.options.rules.accessesAlone
    if (e._tag === 'barrier' && counts) does(a.did.accesses, own, stamp.at)
    if (e._tag === 'barrier' || e._tag === 'wait' || e._tag === 'semaphore') {
      if (counts) does(a.did.attended, own, stamp.at)
      advanceOrder(a.knowledge, clockOf('attended', stamp.agent), stamp.at)
    }
    observeOne(d, part)
  }
  return d
}

const observeOne = (d: Detector, e: LogEvent): Detector => {
  d.context.when++
  switch (e._tag) {
    case 'cluster':
      nextCluster(d, e.id)
      return d
    case 'access':
      access(d, e)
      break
    case 'issue':
      issue(d, e)
      break
    case 'perform':
      perform(d, e)
      break
    case 'signal':
      signal(d, e)
      break
    case 'barrier':
      barrier(d, e)
      break
    case 'wait':
      wait(d, e)
      break
    case 'group':
      group(d, e)
      break
    case 'fence':
      fence(d, e)
      break
    case 'rendezvous':
      meet(d, e)
      break
    case 'warpSync':
      if (e.stamp.lanes !== undefined) warpSync(d, e)
      break
    case 'semaphore':
      semaphore(d, e)
      break
    case 'registers':
      registers(d, e)
      break
    case 'fork':
    case 'join':
      fork(d, e)
      break
    case 'alloc':
      allocated(d.context, d.allocations, e)
      break
    case 'dealloc':
      dealloc(d, e)
      break
    case 'relinquish':
      relinquished(d.context, d.allocations, e)
      break
    case 'exit':
      exit(d, e)
      break
    case 'ahead':
      d.ahead.push(e)
      break
  }
  d.anyEvent = true
  return d
}

/** Places that overlap in many ways cost the square of how many they are. More than this is not judged: half a gigabyte, a minute. */
const mostHoldings = 2 ** 25
const mostLooked = 2 ** 29

/** Has it more to remember, or to look at, than it can? */
export const exhausted = (d: Detector): boolean =>
  d.context.looked > mostLooked || d.planes.some((p) => p.holdings > mostHoldings)

export const detector = (options: Options): Fold<Detector, Judgement> => ({
  init: (header) => start(header, options),
  observe,
  finish: (d) => conclude(d, true),
  stopped: (d) => conclude(d, false),
  exhausted,
})

/** Judges a log that is held in memory. */
export const judgeLog = (header: Header, events: ReadonlyArray<LogEvent>, options: Options): Judgement => {
  const d = start(header, options)
  for (const e of events) observe(d, e)
  return conclude(d, true)
}
