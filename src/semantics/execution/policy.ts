/**
 * Policies: who goes next.
 *
 * A policy is a Mealy machine: a state, and a choice from the events on offer. It sees the events' units and sizes, so a timed
 * semantics is one more policy. Randomness is a pure generator in the state; the same seed is the same schedule everywhere.
 *
 *     eager        operations before agents: every asynchronous effect as early as it can be; of agents first those whose wait for a word is over, so that it passes
 *                  on no more than it needs; who asks in vain again and again lets others go first
 *     lazy         agents before operations: every asynchronous effect as late as it can be
 *                  both: an agent that would do no more than read strongly once more the word that it has just read goes after all others
 *     roundRobin   agents and operations in turn
 *     seeded n     uniformly at random
 *     recorded ks  the schedule ks; refuses where an event of it is not on offer
 *     recordedOnly the same, and refuses at its end; `recorded` goes on eagerly
 *     loosely      so much of the schedule ks as is possible; of one agent up to places of its program, however many events that is
 *     detouring    as another chooses, but at some steps another event; refuses where that is not on offer
 *     starving     one goes last: an agent, or the operations of one statement; among the others uniformly at random
 *
 * Where others are on offer, `eager`, `lazy`, `starving` and the end of `recorded` leave out who is known to ask in vain (`livelock.ts`).
 *
 * | name                               | policy                                                   |
 * |------------------------------------|----------------------------------------------------------|
 * | `eager`, `lazy`, `roundrobin`      |                                                          |
 * | `seeded:SEED`                      | `seeded`                                                 |
 * | `starving:AGENT,seeded:SEED`       | `starvingAgent`                                          |
 * | `starving:AGENT:EVENT,seeded:SEED` | `starvingOperation`: of the statement that is this event |
 * | any of these, ` STEP=KEY`, ...     | `detouring`: at step STEP, counted from 0, the event KEY; steps ascend |
 * | `recorded`                         | a name for people: it does not say what is recorded      |
 *
 * Laws
 * 1. `named(name of p)` chooses as p does, for every policy p of this module but a recorded one; of every other text it is null.
 * 2. Under `eager` and `lazy` a loop that asks for a word does not keep others from going on.
 */
import { doesOf } from '../instructions/families.js'
import { readName, showDetour, type Detour, type PolicyName } from './policy-name.js'
import { sameKey, type EventKey, type Offered } from './step.js'

export { readDetour, showDetour, type Detour } from './policy-name.js'

// ---------------------------------------------------------------- model

export interface Policy<S> {
  readonly name: string
  readonly init: S
  /**
   * index of the chosen event in `offered` (never empty), or how it is to happen, or a refusal: the event that is asked for and not among them, if it is one; and the
   * next state
   */
  readonly choose: (
    state: S,
    offered: ReadonlyArray<Offered>,
  ) => readonly [number | Reading | EventKey | null, S]
  /** it says what happens up to this step, which a run must have: the last of its detours */
  readonly last?: Detour
}

/** An event of those on offer that takes, or keeps, other writes than the last. */
export interface Reading {
  readonly event: number
  readonly key: EventKey
}

/** A policy whose state need not be known: opened by continuation. */
export type AnyPolicy = <R>(k: <S>(policy: Policy<S>) => R) => R
const pack =
  <S>(policy: Policy<S>): AnyPolicy =>
  (k) =>
    k(policy)

// ---------------------------------------------------------------- randomness

/** One step of a 32-bit generator: [a number in 0 .. 2^32 - 1, the next state]. */
export const random = (state: number): readonly [number, number] => {
  const next = (state + 0x6d2b79f5) | 0
  let t = Math.imul(next ^ (next >>> 15), next | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return [(t ^ (t >>> 14)) >>> 0, next]
}

// ---------------------------------------------------------------- policies

/** The first event of an operation, or of an agent; the first of all if there is none. */
const first = (offered: ReadonlyArray<Offered>, ofOperation: boolean): number => {
  for (let i = 0; i < offered.length; i++) if ((offered[i]!.operation !== null) === ofOperation) return i
  return 0
}

/** The same among those of which this holds; null: there are none. */
const firstWhere = (
  offered: ReadonlyArray<Offered>,
  holds: (o: Offered) => boolean,
  ofOperation: boolean,
): number | null => {
  const those = offered.flatMap((o, k) => (holds(o) ? [k] : []))
  if (those.length === 0) return null
  const among = those.map((k) => offered[k]!)
  return those[first(among, ofOperation)]!
}

/**
 * Who goes round in polls: an agent asks again and again, and does nothing else in between. `fruitless` are those that have asked often enough since
 * another has done something else than ask: the others go first.
 */
interface Polling {
  readonly agent: number
  readonly times: number
  readonly fruitless: ReadonlySet<number>
}
const often = 64
const calm: Polling = { agent: -1, times: 0, fruitless: new Set() }

const asks = ({ ready }: Offered): boolean => ready?._tag === 'do' && doesOf(ready.prepared) === 'asks'

/** The first that does not ask in vain, of an operation or of an agent; where all do, the first of all. */
const unlessInVain = (offered: ReadonlyArray<Offered>, ofOperation: boolean): number => {
  const plain = first(offered, ofOperation)
  if (offered[plain]!.inVain !== true) return plain
  return firstWhere(offered, (o) => o.inVain !== true, ofOperation) ?? plain
}

/** A wait for a word of memory that is over. */
const isOver = ({ operation, ready }: Offered): boolean =>
  operation === null &&
  ready?._tag === 'do' &&
  ready.prepared._tag === 'semaphore' &&
  ready.prepared.unheeded === true

/** Of agents first one whose wait for a word is over. */
const waitsFirst = (offered: ReadonlyArray<Offered>, plain: number): number => {
  if (offered[plain]!.operation !== null) return plain
  const over = offered.findIndex(isOver)
  return over < 0 ? plain : over
}

/** What goes on after the end of `recorded`: schedules are written down without it (`files/schedule.ts`). */
export const eagerly = (offered: ReadonlyArray<Offered>): number => unlessInVain(offered, true)

/** A loop that asks what another has still to do would be gone round for ever. */
const unlessFruitless = (offered: ReadonlyArray<Offered>, { fruitless }: Polling): number => {
  const plain = eagerly(offered)
  if (fruitless.size === 0 || !fruitless.has(offered[plain]!.key.agent)) return plain
  const other = offered.findIndex((o) => o.operation !== null || !fruitless.has(o.key.agent))
  return other < 0 ? plain : other
}

const polled = (p: Polling, chosen: Offered): Polling => {
  if (!asks(chosen)) return calm
  const { agent } = chosen.key
  const times = p.agent === agent ? p.times + 1 : 1
  return { agent, times, fruitless: times < often ? p.fruitless : new Set([...p.fruitless, agent]) }
}

/** Of agents, in the order in which they have last read a word strongly: which one. */
type Asked = ReadonlyMap<number, number>
const noneAsked: Asked = new Map()

/** The word that an agent would read strongly, and no more; -1: it would do something else. */
const wordAsked = ({ operation, ready }: Offered): number =>
  operation === null &&
  ready?._tag === 'do' &&
  ready.prepared._tag === 'load' &&
  ready.prepared.strong !== undefined
    ? ready.prepared.source.footprint.id
    : -1

/** Would it read once more the word that it has read last? */
const readsAgain = (asked: Asked, o: Offered): boolean => {
  const word = wordAsked(o)
  return word >= 0 && asked.get(o.key.agent) === word
}

/** What is not read once more, as it would be chosen among such; where there is none, who has not asked for longest. */
const unlessAgain = (
  asked: Asked,
  offered: ReadonlyArray<Offered>,
  plain: number,
  ofOperation: boolean,
): number => {
  if (asked.size === 0 || !readsAgain(asked, offered[plain]!)) return plain
  const other = firstWhere(offered, (o) => !readsAgain(asked, o), ofOperation)
  if (other !== null) return other
  for (const agent of asked.keys()) {
    const k = offered.findIndex((o) => o.operation === null && o.key.agent === agent)
    if (k >= 0) return k
  }
  return plain
}

/** Who has done something else since may find something else. */
const withAsked = (asked: Asked, chosen: Offered): Asked => {
  const word = wordAsked(chosen)
  const { agent } = chosen.key
  if (word < 0 && (chosen.operation !== null || !asked.has(agent))) return asked
  const next = new Map(asked)
  next.delete(agent)
  return word < 0 ? next : next.set(agent, word)
}

export const eager: AnyPolicy = pack<{ readonly polling: Polling; readonly asked: Asked }>({
  name: 'eager',
  init: { polling: calm, asked: noneAsked },
  choose: ({ polling, asked }, offered) => {
    const at = waitsFirst(offered, unlessAgain(asked, offered, unlessFruitless(offered, polling), true))
    const chosen = offered[at]!
    return [at, { polling: polled(polling, chosen), asked: withAsked(asked, chosen) }]
  },
})

export const lazy: AnyPolicy = pack<Asked>({
  name: 'lazy',
  init: noneAsked,
  choose: (asked, offered) => {
    const at = unlessAgain(asked, offered, unlessInVain(offered, false), false)
    return [at, withAsked(asked, offered[at]!)]
  },
})

export const roundRobin: AnyPolicy = pack<number>({
  name: 'roundrobin',
  init: 0,
  choose: (state, offered) => [state % offered.length, state + 1],
})

/**
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { check, policy, standardOptions } from 'tensorcore-spec/semantics'
 *
 * const kernel = kernelNamed('zoo/R1')
 * const made = kernel._tag === 'Right' ? instanceOf(kernel.right, {}, []) : kernel
 * const checked = made._tag === 'Right' ? check(made.right.program, { ...standardOptions, policy: policy.seeded(1) }) : made
 * console.log(checked._tag === 'Right' ? checked.right.verdict.findings[0]?.id : checked.left.message) // R1
 * ```
 */
export const seeded = (seed: number): AnyPolicy =>
  pack<number>({
    name: `seeded:${String(seed)}`,
    init: Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0,
    choose: (state, offered) => {
      const [r, next] = random(state)
      return [r % offered.length, next]
    },
  })

/** The event with this key, as the key asks for it, or the key: it is not on offer. */
const found = (offered: ReadonlyArray<Offered>, key: EventKey): number | Reading | EventKey => {
  const event = offered.findIndex((o) => sameKey(o.key, key))
  return event < 0 ? key : key.older === undefined && key.below === undefined ? event : { event, key }
}

/** Replays a schedule; after its end, eager. */
export const recorded = (keys: ReadonlyArray<EventKey>): AnyPolicy =>
  pack<number>({
    name: 'recorded',
    init: 0,
    choose: (at, offered) => {
      const key = keys[at]
      if (key === undefined) return [eagerly(offered), at]
      return [found(offered, key), at + 1]
    },
  })

/** Where an event of an agent is made. */
export interface Place {
  readonly site: number
  readonly iteration: ReadonlyArray<number>
}

/** Does the first come behind the second in their program? */
const isBehind = (one: Place, other: Place): boolean => {
  const k = one.iteration.findIndex((turn, i) => i >= other.iteration.length || turn !== other.iteration[i])
  return k >= 0 && k < other.iteration.length
    ? one.iteration[k]! > other.iteration[k]!
    : one.site > other.site
}
/** Are both the same place of a program, in the same turns of its loops? */
export const isSame = (one: Place, other: Place): boolean =>
  one.site === other.site && one.iteration.join() === other.iteration.join()

/**
 * So much of a schedule as is possible, in its order: what is not on offer in its turn is left out. After its end, eager. `places`: keys of events that are told by their place, for an agent
 * that does more before it, or less, than it did where the schedule was made; it goes on up to there.
 */
export const loosely = (
  keys: ReadonlyArray<EventKey>,
  places: ReadonlyMap<EventKey, Place> = new Map(),
): AnyPolicy =>
  pack<number>({
    name: 'recorded',
    init: 0,
    choose: (from, offered) => {
      for (let at = from; at < keys.length; at++) {
        const key = keys[at]!
        const place = places.get(key)
        if (place === undefined) {
          const choice = found(offered, key)
          if (choice !== key) return [choice, at + 1]
          continue
        }
        const event = offered.findIndex(({ key: k }) => k.agent === key.agent && k.stage === 'agent')
        const ready = offered[event]?.ready
        if (ready == null || isBehind(ready, place)) continue
        return [event, isSame(ready, place) ? at + 1 : at]
      }
      return [eagerly(offered), keys.length]
    },
  })

/** The schedule, and nothing behind it: a run that was stopped is made again as far as it went. */
export const recordedOnly = (keys: ReadonlyArray<EventKey>): AnyPolicy =>
  pack<number>({
    name: 'recorded',
    init: 0,
    choose: (at, offered) => {
      const key = keys[at]
      return [key === undefined ? null : found(offered, key), at + 1]
    },
  })

/**
 * As the policy chooses, but for some steps. The policy is asked at these, too, and goes on as if it had had its way: a generator gives the same numbers
 * with a detour as without.
 */
export const detouring = (policy: AnyPolicy, detours: ReadonlyArray<Detour>): AnyPolicy => {
  const last = detours.at(-1)
  if (last === undefined) return policy
  const keys = new Map(detours.map(({ step, key }) => [step, key]))
  return (k) =>
    policy((p) =>
      k({
        name: [p.name, ...detours.map(showDetour)].join(' '),
        init: { step: 0, inner: p.init },
        choose: ({ step, inner }, offered) => {
          const [own, next] = p.choose(inner, offered)
          const key = keys.get(step)
          return [key === undefined ? own : found(offered, key), { step: step + 1, inner: next }]
        },
        last,
      }),
    )
}

/** Random among the others, as long as there are others. */
const starving = (name: string, starved: (o: Offered) => boolean, seed: number): AnyPolicy =>
  pack<number>({
    name,
    init: seed,
    choose: (state, offered) => {
      const [r, next] = random(state)
      const hopeful = offered.flatMap((o, i) => (o.inVain === true ? [] : [i]))
      const others = hopeful.filter((i) => !starved(offered[i]!))
      const among = others.length > 0 ? others : hopeful
      return [among.length === 0 ? r % offered.length : among[r % among.length]!, next]
    },
  })

export const starvingAgent = (agent: number, seed: number): AnyPolicy =>
  starving(
    `starving:${String(agent)},seeded:${String(seed)}`,
    (o) => o.operation === null && o.key.agent === agent,
    seed,
  )

/** Starve one operation, named by the statement that issued it. */
export const starvingOperation = (agent: number, at: number, seed: number): AnyPolicy =>
  starving(
    `starving:${String(agent)}:${String(at)},seeded:${String(seed)}`,
    (o) => o.operation !== null && o.key.agent === agent && o.key.at === at,
    seed,
  )

// ---------------------------------------------------------------- names

const simply = (n: PolicyName): AnyPolicy => {
  switch (n._tag) {
    case 'eager':
      return eager
    case 'lazy':
      return lazy
    case 'roundrobin':
      return roundRobin
    case 'seeded':
      return seeded(n.seed)
    case 'starvingAgent':
      return starvingAgent(n.agent, n.seed)
    case 'starvingOperation':
      return starvingOperation(n.agent, n.at, n.seed)
  }
}

/** The policy with this name, if there is one. */
export const named = (name: string): AnyPolicy | null => {
  const read = readName(name)
  return read === null ? null : detouring(simply(read.name), read.detours)
}
