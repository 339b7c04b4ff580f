/**
 * Why two accesses have no order, in words: what the later one's agent had synchronised with, and what it had not.
 *
 * An access of an agent is an event of its program, and to have synchronised with the agent up to that event is to be after it. What a unit does for an agent has two
 * moments: the issue is an event of the program, the completion is signalled later, through a barrier or a group. Most mistakes confuse the two: the reader has seen the issue and
 * not the completion. So both are said, each with its number.
 *
 *     consumer@0 has synchronised with producer@0 only up to event 2, before the copy was issued (event 4), and has not waited for full@0, which signals its completion
 *
 * Numbers are those of the rows `first` and `second`, so that a reader can find them.
 *
 * Law 1. It is said that an agent has waited for a completion exactly if its knowledge has it.
 */
import type { Unit } from '../../log/units.js'
import type { AccessRecord } from './access-record.js'
import type { Context } from './context.js'
import { programOf, type Knowledge } from './knowledge.js'
import { agentName, barrierName } from './report.js'
import { valueAt } from './sparse.js'

/** An operation of a unit. */
const nouns: Readonly<Record<Unit, string>> = {
  tmaLoad: 'the copy',
  tmaStore: 'the store',
  cpAsync: 'the copy',
  wgmma: 'the wgmma',
  tcgen05: 'the operation',
  tcgen05Ld: 'the load',
  tcgen05St: 'the store',
  stAsync: 'the store',
  clc: 'the request',
}

/** How far its agent's program is known: up to this event. */
const issueText = (name: string, upTo: number, at: number, what: string): string => {
  if (upTo === 0) return `has not synchronised with ${name}`
  return upTo < at
    ? `has synchronised with ${name} only up to event ${String(upTo)}, before ${what} (event ${String(at)})`
    : `has synchronised with ${name} up to event ${String(upTo)}, after ${what} (event ${String(at)})`
}

/** How far the completion is known. */
const completionText = (c: Context, earlier: AccessRecord, k: Pick<Knowledge, 'order'>): string => {
  const { clock, barrier, generation, at } = earlier.completion
  if (clock < 0) return 'nothing has signalled its completion yet'
  if (barrier >= 0) {
    const name = barrierName(c.header, barrier)
    const last = valueAt(k.order, clock) - 1
    if (last < 0) return `has not waited for ${name}, which signals its completion`
    return last < generation
      ? `has waited for ${name} only up to generation ${String(last)}, and generation ${String(generation)} signals its completion`
      : `has waited for ${name}, which signals its completion`
  }
  const last = valueAt(k.order, clock)
  if (last < 1) return 'has not waited for its completion'
  return last < at
    ? `has waited for operations of this kind only up to number ${String(last)}, and this one is number ${String(at)}`
    : 'has waited for its completion'
}

/** What the later agent had synchronised with, and what it had not. */
export const whyOf = (
  c: Context,
  earlier: AccessRecord,
  agent: number,
  k: Pick<Knowledge, 'order'>,
): string => {
  const { agent: other, at } = earlier.stamp
  const later = agentName(c.header, agent)
  const isOperation = earlier.operation >= 0 && earlier.unit !== 'agent'
  const noun = earlier.unit === 'agent' ? 'the first access' : nouns[earlier.unit]
  if (other === agent)
    return isOperation
      ? `${later} issued ${noun} itself (event ${String(at)}) and ${completionText(c, earlier, k)}`
      : `${later} made both accesses itself`
  const first = `${later} ${issueText(agentName(c.header, other), valueAt(k.order, programOf(other)), at, isOperation ? `${noun} was issued` : 'the first access')}`
  return isOperation ? `${first}, and ${completionText(c, earlier, k)}` : first
}
