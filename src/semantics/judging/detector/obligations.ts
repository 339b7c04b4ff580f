/**
 * What must be over before a CTA may go away.
 *
 * Every effect on a CTA (its shared memory, tensor memory, barriers) by an asynchronous operation or by another CTA has to be
 * known to some agent of that CTA when it exits: U2 for its own operations, K1 for others'. Knowledge only grows, so an obligation
 * that is met can be forgotten at any time; sweeping whenever the list doubles keeps it short.
 *
 * Law 1. Sweeping changes nothing in the outcome.
 */
import type { Stamp, Unit } from '../../log/events.js'
import { other } from '../deed.js'
import type { Subject } from '../subject.js'
import type { Completion } from './access-record.js'
import { doneBy, known } from './access-record.js'
import type { Context } from './context.js'
import { isAmong, knowsSome, lanesDone } from './lanes.js'
import { programOf } from './knowledge.js'
import { valueAt } from './sparse.js'
import { actor, draft, filed, keyOf, noteManual, restsOn, type Actor } from './report.js'
import { strandsOf } from './strands.js'

// ---------------------------------------------------------------- model

interface Obligation {
  readonly completion: Completion
  readonly cta: number
  readonly stamp: Stamp
  readonly operation: number
  readonly does: string
  /** what it is an operation of */
  readonly unit: Actor['unit']
  readonly about: ReadonlyArray<Subject>
  /** who knows this wait knows it, too */
  also: Stamp | undefined
}

export interface Obligations {
  pending: Array<Obligation>
  limit: number
  /** per agent and CTA, the latest effect of each of its lanes on another CTA */
  readonly remote: Map<number, ReadonlyArray<Obligation>>
  /** per agent and word in another CTA's memory, the latest strong access of each of its lanes: those of one word come in the order of its program */
  readonly words: Map<string, ReadonlyArray<Obligation>>
}

export const obligations = (): Obligations => ({
  pending: [],
  limit: 64,
  remote: new Map(),
  words: new Map(),
})

// ---------------------------------------------------------------- combinators

const actorOf = (o: Obligation): Actor => actor(o.stamp, o.does, o.operation, other, o.unit)

/** Does some agent of the CTA know it, in this vector? */
const isKnown = (c: Context, o: Obligation, vector: 'firm' | 'order'): boolean => {
  // what lanes of a warp have started each for itself may be known by different threads
  let left = o.stamp.lanes ?? 1
  const { clock, alternative, at } = o.completion
  for (let x = 0; x < c.agents.length; x++) {
    if (c.header.agents[x]!.cta !== o.cta) continue
    for (const { knowledge, lanes } of strandsOf(c.agents[x]!)) {
      if (
        o.also !== undefined &&
        valueAt(knowledge[vector], programOf(o.also.agent)) >= o.also.at &&
        knowsSome(knowledge, o.also, { agent: x, lanes })
      )
        return true
      if (!known(knowledge[vector], o.completion)) continue
      if (o.stamp.lanes === undefined || c.options.rules.warpExit) return true
      for (const done of [clock, alternative])
        left &= ~lanesDone(knowledge, o.stamp, done, at, { agent: x, lanes })
      if (left === 0) return true
    }
  }
  return false
}

const met = (c: Context, o: Obligation): boolean => {
  if (isKnown(c, o, 'firm')) return true
  if (c.options.strict || !isKnown(c, o, 'order')) return false
  // an exit behind a relaxed cluster barrier: another agent may still come to know it firmly, but then another obligation rests on it
  restsOn(c.report, 'N2', (id) =>
    draft(
      id,
      'L',
      `CTA ${String(o.cta)} exits after this only by a relaxed arrive or wait: the verdict relies on it, although PTX does not let it order ordinary accesses (--strict reports it): ${o.does}`,
      o.about,
      actorOf(o),
    ),
  )
  return true
}

/** The operation has an effect on this CTA. */
export const owe = (
  c: Context,
  all: Obligations,
  completion: Completion,
  cta: number,
  stamp: Stamp,
  operation: number,
  unit: Unit,
): void => {
  all.pending.push({ completion, cta, stamp, operation, does: unit, unit, about: [], also: undefined })
  if (all.pending.length < all.limit) return
  all.pending = all.pending.filter((o) => !met(c, o))
  all.limit = Math.max(64, 2 * all.pending.length)
}

/** The agent itself has an effect on another CTA. Later ones of a lane subsume earlier ones. */
export const oweRemote = (
  c: Context,
  all: Obligations,
  cta: number,
  stamp: Stamp,
  does: string,
  about: ReadonlyArray<Subject>,
): void => {
  oweLatest(all.remote, stamp.agent * c.header.ctas + cta, own(stamp, cta, does, about))
}

/** One lane knows nothing of what another has done: only its own earlier debt is forgotten. */
const oweLatest = <K>(all: Map<K, ReadonlyArray<Obligation>>, key: K, one: Obligation): void => {
  all.set(key, [...(all.get(key) ?? []).filter((o) => !isAmong(o.stamp, one.stamp)), one])
}

const own = (stamp: Stamp, cta: number, does: string, about: ReadonlyArray<Subject>): Obligation => ({
  completion: doneBy(programOf(stamp.agent), stamp.at),
  cta,
  stamp,
  operation: -1,
  does,
  unit: 'agent',
  about,
  also: undefined,
})

const keyOfWord = (agent: number, plane: number, byte: number): string =>
  `${String(agent)} ${String(plane)} ${String(byte)}`

/** The same of a strong access of a word: who has waited for what it writes knows that it has come. */
export const oweWord = (
  all: Obligations,
  cta: number,
  stamp: Stamp,
  does: string,
  plane: number,
  byte: number,
): void => {
  oweLatest(all.words, keyOfWord(stamp.agent, plane, byte), own(stamp, cta, does, []))
}

/** A wait for a word has found this write: what its lanes have written there before has come, too. */
export const heardOf = (all: Obligations, write: Stamp, plane: number, byte: number, by: Stamp): void => {
  for (const o of all.words.get(keyOfWord(write.agent, plane, byte)) ?? [])
    if (o.stamp.at <= write.at && isAmong(o.stamp, write)) o.also = by
}

/** U2 and K1. */
export const atExit = (c: Context, all: Obligations): void => {
  const check = (o: Obligation): void => {
    if (met(c, o)) return
    const own = c.header.agents[o.stamp.agent]?.cta === o.cta
    const found = filed(c.report, keyOf(`exit|${String(o.cta)}`, o.stamp, undefined), () =>
      own
        ? draft('U2', 'E', `CTA ${String(o.cta)} can exit before this ${o.does} is done`, o.about, actorOf(o))
        : draft(
            'K1',
            'E',
            `CTA ${String(o.cta)} can exit before this reaches it: ${o.does}`,
            o.about,
            actorOf(o),
          ),
    )
    noteManual(c.report, found, isKnown(c, o, 'order'))
  }
  all.pending.forEach(check)
  for (const own of [...all.remote.values(), ...all.words.values()]) own.forEach(check)
  all.pending = []
  all.remote.clear()
  all.words.clear()
}
