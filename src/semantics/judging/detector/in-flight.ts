/**
 * Operations in flight: their issue, their performance, their signals.
 *
 *     issue    the operation begins: it knows what its issuer knows now, and takes its number
 *     perform  it makes accesses (they follow, each an `access` event), as part `part` of a multicast
 *     signal   it tells: bytes on a barrier, an arrival on a barrier, or its group
 *
 * | signal          | joins a generation as   | publishes                                                   |
 * |-----------------|-------------------------|-------------------------------------------------------------|
 * | bytes           | bytes, no arrival       | this generation, hence this operation's own accesses        |
 * | arrive, tcgen05 | one arrival             | the issuer's tensor queue so far, as tensor knowledge       |
 * | arrive, cp.async| one arrival             | the issuer's copies so far; known by the generation it joins |
 * | group           | -                       | nothing: the agent that waits for the group counts commits         |
 *
 * Worked: `arriveExpectTx b 16; issue load #0; perform #0; signal #0 -> b 16 bytes`. The signal makes generation 0 of b complete, and is the
 * completion of the load: to know generation 0 is to know the load. What else the issuer knew at the issue is ordered, not visible.
 *
 * An operation is over with its last signal (`owed`), a store with the full side of its group; a tensor-core commit signals as often
 * as it names barriers.
 *
 * Law 1. issue, perform and signal of an operation add no knowledge to any agent; only waits do.
 *
 * Source: PTX ISA, completion mechanisms of asynchronous copies; tcgen05 commit.
 */
import type { Issue, Perform, Signal } from '../../log/events.js'
import { units } from '../../log/units.js'
import { ofBarrier } from '../subject.js'
import type { Completion } from './access-record.js'
import { doneBy } from './access-record.js'
import { barrierEvent, checkPublished } from './barriers.js'
import { tick, type AgentState } from './context.js'
import * as Digest from './digest.js'
import { singleton, union } from './generation-set.js'
import { allLanes, does } from './activity.js'
import { advance, advanceOrder, advanceWithout, clockOf, copy, type Knowledge } from './knowledge.js'
import { eachActing, othersWith, told } from './strands.js'
import { owe } from './obligations.js'
import type { Issuer, Operation } from './operation.js'
import { doneAt, numbered, owedBy, partOf, placeOf } from './operation.js'
import { actor, agentName, barrierName, draft, file, keyOf } from './report.js'
import { requested } from './responses.js'
import type { Detector } from './state.js'
import { malformed } from './state.js'
import { put, valueAt } from './sparse.js'

// ---------------------------------------------------------------- issue, perform

/** The operation has an effect on the CTA; asked once per part. */
export const effect = (d: Detector, op: Operation, completion: Completion, cta: number): void => {
  const mask = op.ctas[op.part] ?? 0
  const bit = 1 << (cta & 31)
  if ((mask & bit) !== 0) return
  op.ctas[op.part] = mask | bit
  owe(d.context, d.obligations, completion, cta, op.stamp, op.id, op.unit)
}

/** M7: what acts on a pair of CTAs is issued by the even one, while the other lives. */
const forPair = (d: Detector, e: Issue): void => {
  const c = d.context
  const cta = c.header.agents[e.stamp.agent]!.cta
  const peer = cta ^ 1
  const lives = c.header.agents.some((a, x) => a.cta === peer && c.agents[x]!.started && !c.agents[x]!.exited)
  const does = `issues ${e.tensor === undefined || e.tensor === 'mma' ? 'an mma' : `a ${e.tensor}`} for the pair`
  const who = agentName(c.header, e.stamp.agent)
  const told = (text: string): void => {
    file(c.report, keyOf('M7', e.stamp, undefined), () =>
      draft('M7', 'E', text, [], actor(e.stamp, does, e.operation)),
    )
  }
  if (cta % 2 === 1)
    told(`${who} ${does} from CTA ${String(cta)}: the even CTA, ${String(peer)}, is the one that issues`)
  else if (!lives)
    told(`${who} ${does}, and CTA ${String(peer)} does not take part: it is not there, or has exited`)
}

/** So many groups of products are remembered: no wait leaves more pending. */
const mostGroups = 64

const issued = (a: AgentState, group: number, knowledge: Knowledge): void => {
  if (a.issues[a.issues.length - 1]?.group === group) a.issues.pop()
  else if (a.issues.length === mostGroups) a.issues.shift()
  a.issues.push({ group, knowledge })
}

/** What those who issue know, and may tell by it. */
const issuing = (a: AgentState): Knowledge => {
  const k = copy(told(a))
  k.together = a.knowledge.together
  return k
}

/** cp.async copies for each lane what that lane names. */
const issuersOf = (a: AgentState): ReadonlyArray<Issuer> | null => {
  const out: Issuer[] = []
  eachActing(a, () => out.push({ lanes: a.acting, knowledge: issuing(a), ctas: [] }))
  return out.length > 1 ? out : null
}

/** A product or a copy comes into the tensor queue, by these lanes. */
const queued = (a: AgentState, lanes: number, number: number): void => {
  const last = a.queued[a.queued.length - 1]
  a.queued = [...(last?.lanes === lanes ? a.queued.slice(0, -1) : a.queued), { lanes, number }]
}

/**
 * Up to which entry of the queue a commit by these lanes says that they are done. It is for what its own thread has issued: nothing is said from the first entry of another lane on of
 * which its thread does not know that it is done.
 */
const coveredBy = (a: AgentState, x: number, lanes: number, number: number): number => {
  const done = valueAt(a.knowledge.order, clockOf('queue', x))
  a.queued = a.queued.filter((q) => q.number > done)
  const i = a.queued.findIndex((q) => (q.lanes & ~lanes) !== 0)
  return i < 0 || a.rules.anyLaneCommits ? number : i === 0 ? done : a.queued[i - 1]!.number
}

export const issue = (d: Detector, e: Issue): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  d.worked[x] = 1
  if (e.ctaGroup === 2) forPair(d, e)
  const row = units[e.unit]
  const number = numbered(a, row)
  const lanes = e.stamp.lanes ?? allLanes
  const isCommit = e.tensor === 'commit'
  const covers = isCommit ? coveredBy(a, x, lanes, number) : number
  const op: Operation = {
    id: e.operation,
    stamp: e.stamp,
    unit: e.unit,
    row,
    reads: doneAt(row.reads, x, number),
    writes: doneAt(row.writes, x, number),
    knowledge: issuing(a),
    issuers: e.unit === 'cpAsync' ? issuersOf(a) : null,
    others: e.unit === 'cpAsync' ? othersWith(a, a.knowledge, 'copies', a.acting) : 0,
    number,
    covers,
    instance: d.instances[x]!++,
    lastWait: a.lastWait,
    lastObserved: a.lastObserved,
    fences: a.fences,
    place: placeOf(c, a, e, row, number),
    offset: e.unit === 'cpAsync' && a.increment === e.stamp.at,
    parts: [],
    ctas: [],
    part: 0,
    owed: owedBy(c.header, e, row),
  }
  if (e.unit === 'cpAsync') does(a.did.copies, a.acting, number)
  if (e.unit === 'tmaStore') does(a.did.bulk, a.acting, number)
  d.operations.set(e.operation, op)
  if (e.unit === 'wgmma') issued(a, number, op.knowledge)
  if (row.pipeline === 'pairs' && !isCommit) {
    queued(a, lanes, number)
    a.uncommitted = e.stamp
  }
  if (isCommit && covers === number) a.uncommitted = undefined
  if (e.unit === 'clc') requested(c, d.responses, e.stamp, op.knowledge.order)
  a.fences = 0
  Digest.ofAgent(c.digest, x, 2, e.stamp.at, op.instance, Digest.ofName(e.unit))
}

export const perform = (d: Detector, e: Perform): void => {
  const op = d.operations.get(e.operation)
  if (op === undefined)
    malformed(d, `perform of operation ${String(e.operation)}, which was not issued or is over`)
  else op.part = e.part
  // an operation without signals is over with its accesses, which come before the next one's
  if (d.over >= 0) d.operations.delete(d.over)
  d.over = op !== undefined && op.owed <= 0 ? op.id : -1
}

// ---------------------------------------------------------------- signal

/** The part is done with the generation under way: only who has waited for that knows it. */
const joins = (d: Detector, op: Operation, part: number, barrier: number): Completion => {
  const b = d.barriers[barrier]!
  op.part = part
  const done = partOf(op, part)
  done.clock = b.clock
  done.at = b.number + 1
  done.barrier = barrier
  done.generation = b.number
  effect(d, op, done, d.context.header.barriers[barrier]!.cta)
  return done
}

/** Bytes of the operation land: they join the generation under way, and complete this part of the operation. */
const deliver = (d: Detector, op: Operation, part: number, barrier: number, bytes: number): void => {
  const c = d.context
  const b = d.barriers[barrier]!
  const done = joins(d, op, part, barrier)
  checkPublished(c, b, op)
  Digest.ofOperation(c.digest, op.stamp.agent, op.instance, 3, barrier + 64 * part, done.generation)
  barrierEvent(c, b, {
    clock: done.clock,
    at: done.at,
    counted: 0,
    offset: false,
    bytes: -bytes,
    knowledge: op.knowledge,
    firm: true,
    stamp: op.stamp,
    does: `${op.unit} delivers ${String(bytes)} bytes`,
    publish: (m, g) => {
      put(m.visible.acquired, barrier, union(valueAt(m.visible.acquired, barrier), singleton(g)))
      // a generic write is visible to asynchronous units across a fence alone
      if (op.row.proxy === 'async')
        put(m.async.acquired, barrier, union(valueAt(m.async.acquired, barrier), singleton(g)))
    },
  })
}

/**
 * A tensor-core commit, or the arrival that cp.async makes when the copies before it are done. Commits arrive in the order of their
 * queue. The copies being done does not say that the arrival has been made, so it is known by its generation, like bytes.
 */
const arriveFor = (d: Detector, op: Operation, part: number, barrier: number): void => {
  const c = d.context
  const b = d.barriers[barrier]!
  const x = op.stamp.agent
  const isCopy = op.unit === 'cpAsync'
  const clock = clockOf(isCopy ? 'cpAsync' : 'queue', x)
  if (isCopy) advanceWithout(op.knowledge, x, 'cpAsync', op.number, op.others, [])
  else advanceOrder(op.knowledge, clock, op.covers)
  const contract = c.header.barriers[barrier]!
  const done = isCopy ? joins(d, op, part, barrier) : doneBy(clock, op.number)
  if (!isCopy) effect(d, op, done, contract.cta)
  checkPublished(c, b, op)
  Digest.ofOperation(c.digest, x, op.instance, 4, barrier + 64 * part, b.number)
  if (op.unit === 'tcgen05' && contract.contract === 'pallas' && !contract.ordersTensorCore)
    file(c.report, keyOf(`M5|${String(barrier)}`, op.stamp, undefined), () =>
      draft(
        'M5',
        'C',
        `${barrierName(c.header, barrier)} is signalled by the tensor core and does not order it`,
        [ofBarrier(barrier)],
        actor(op.stamp, 'commits', op.id),
      ),
    )
  barrierEvent(c, b, {
    clock: done.clock,
    at: done.at,
    counted: 1,
    offset: op.offset,
    bytes: 0,
    knowledge: op.knowledge,
    firm: true,
    stamp: op.stamp,
    does: isCopy ? 'arrives when the copies before it are done' : 'commits',
    publish: (m) => {
      if (isCopy) advanceWithout(m, x, 'cpAsync', op.number, op.others, ['visible'])
      else advance(m.tensor, clock, op.covers)
    },
  })
}

export const signal = (d: Detector, e: Signal): void => {
  const op = d.operations.get(e.operation)
  if (op === undefined) {
    malformed(d, `signal of operation ${String(e.operation)}, which was not issued or is over`)
    return
  }
  switch (e.to) {
    case 'barrier':
      deliver(d, op, e.part, e.barrier, e.bytes)
      break
    case 'arrive':
      arriveFor(d, op, e.part, e.barrier)
      break
    case 'group':
      break
  }
  op.owed--
  if (op.owed <= 0 || (e.to === 'group' && e.side === 'full')) d.operations.delete(e.operation)
}
