/**
 * Every schedule of a skeleton, one state at a time.
 *
 * This is the oracle: the plainest reading of the machine that can be searched to the end. It has no happens-before relation,
 * no vector clocks, no generations and no reduction, and shares no code with the machine and the detector. A barrier is a
 * pending count, a balance of units and one parity bit. Visibility is *operational*: every view (of an agent
 * through each proxy, of a barrier, of a queue, of an operation in flight) has one bit per atom, "my view shows the last
 * write". A write clears the bit everywhere and sets it where it is published; an access through a view without
 * the bit may see an older value, and that is a visibility hazard. Two conflicting accesses offered in one state
 * are a race: that state can go on with either first.
 *
 *     t0: write x; arrive b (count 1)          t1: wait b 0; read x
 *
 *     state (pc0, pc1, bit of x in t1's view, message in b):
 *     (0, 0, 1, 0) -> (1, 0, 0, 0) -> (2, 0, 0, 1) -> (2, 1, 1, 1) -> (2, 2, 1, 1)
 *     with the arrive relaxed the message stays 0, and the read in the fourth state is a visibility hazard
 *
 * A write may also go over bits that its view lacks where the old value has *landed*: an agent that sees it has read it since, and
 * it was not written through the generic proxy or is overwritten through the proxy of that read.
 *
 * A peek takes its turn whatever the barrier is at; whether it was true is a bit of the state.
 *
 * A strong write of a word leaves a value and who wrote it, and per class of writers (its CTA, its scope) what they have published through it, as far as the chain of
 * additions from them goes through pairs of accesses that are in one another's scope. Two strong accesses of which one is out of the other's scope are like ordinary
 * ones: a race, and what is in order must be seen; who reads a write in its scope sees it of this word. A fence hands on what was read before it, and what is written after it publishes what was seen at it.
 *
 * Barriers keep order even where they are relaxed; words do with what they publish alone. So where there are words a read stays open until a write that comes after it,
 * and an effect on another CTA until that ends: a bit in every view, like those of visibility.
 *
 * Columns of tensor memory are those of a history (`allocator.ts`). It is kept whole, so states are told apart that would go on alike.
 *
 * | kind       | found when                                                                            |
 * |------------|---------------------------------------------------------------------------------------|
 * | race       | one state offers two accesses of one atom, one of them a write                        |
 * | visibility | an access whose view lacks the bit is offered; or a use of another CTA's barrier by a view that lacks its initialisation |
 * | fault      | an arrival on a barrier whose pending count is zero; at a named barrier that others count otherwise; a second at the |
 * |            | cluster barrier without a wait between                                                |
 * | deadlock   | a state with unfinished agents offers nothing                                         |
 * | refused    | an allocation without room, larger than the one before it or after a promise; columns given back or used that are not there |
 * | unwritten  | a load of an atom that was never written, where the skeleton allocates                |
 * | exit       | columns are left at the end, or the CTAs of a pair have not taken the same steps; or  |
 * |            | a CTA has exited while an operation on its memory or barriers is open (U2), or is arrived on (K1); or the cluster |
 * |            | met without any agent of a CTA (K2)                                                   |
 * | early      | columns given back for the pair that the other CTA has not allocated yet (K4); that it has started is known from the prologue |
 * | gone       | an access of shared memory of a CTA that has exited (K1)                              |
 *
 * Laws
 * 1. The result does not depend on the order of the search: with `stop: false` neither do the sets and `states`.
 * 2. It agrees, state for state, with an independent engine on recorded programs (conformance/prototype).
 * 3. A predicated-off operation is as if it were not there.
 * 4. Renaming atoms, barriers and agents changes nothing.
 *
 * | module        | what it says                                                     |
 * |---------------|------------------------------------------------------------------|
 * | `layout.ts`   | where everything lies in a state                                 |
 * | `views.ts`    | who sees what, and how a write, a read or a signal changes it    |
 * | `columns.ts`  | columns of tensor memory                                         |
 * | `agents.ts`   | the next step of each agent                                      |
 * | `meetings.ts` | the same, where agents meet                                      |
 * | `flight.ts`   | operations in flight                                             |
 * | `wrong.ts`    | what is wrong with a state as a whole                            |
 *
 * Source: PTX ISA, memory consistency model, asynchronous operations, mbarrier; checking by explicit state search.
 */
import { agentsOf } from './agents.js'
import { columnsOf } from './columns.js'
import { flightOf } from './flight.js'
import { layoutOf, tooManyAtoms } from './layout.js'
import type { Choice, Skeleton } from './skeleton.js'
import { named, type Expansion, type Kind, type Offer, type Told } from './turn.js'
import { viewsOf } from './views.js'
import { wrongOf } from './wrong.js'

// ---------------------------------------------------------------- model

/** Each list names its witnesses, sorted: operations as `agent.op`, deadlocks by program counters. */
export interface Exploration {
  readonly _tag: 'explored'
  readonly clean: boolean
  readonly race: ReadonlyArray<string>
  readonly visibility: ReadonlyArray<string>
  readonly fault: ReadonlyArray<string>
  readonly deadlock: ReadonlyArray<string>
  readonly exit: ReadonlyArray<string>
  readonly gone: ReadonlyArray<string>
  readonly early: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  readonly unwritten: ReadonlyArray<string>
  readonly states: number
}

export interface Limits {
  /** most states held; beyond it the answer is `too large` */
  readonly states: number
  /** end at the first finding; what else there is stays unknown */
  readonly stop: boolean
}
export const defaultLimits: Limits = { states: 200_000, stop: true }

/** What ended one walk through the schedules. */
export interface Walk {
  readonly schedule: ReadonlyArray<Choice>
  readonly outcome: 'finished' | 'deadlock' | 'fault'
}

/** The states of a skeleton are vectors of `width` numbers. */
interface System {
  readonly width: number
  readonly initial: (state: Int32Array) => void
  /** Reports every successor of `state` (in `next`, valid during the call) and everything wrong in it. */
  readonly expand: (
    state: Int32Array,
    next: Int32Array,
    move: (tag: Choice['_tag'], agent: number, op: number, part: number) => void,
    report: (kind: Kind, what: string) => void,
  ) => void
}

// ---------------------------------------------------------------- the transition system

/** `excused`: the cluster barrier does not wait for agents that will not come to it any more, even if they have not ended. */
const system = (skeleton: Skeleton, excused: boolean = false): System => {
  const layout = layoutOf(skeleton)
  const views = viewsOf(layout, excused)
  const columns = columnsOf(layout)
  const agentsMove = agentsOf(layout, views, columns)
  const flight = flightOf(layout, views)
  const wrong = wrongOf(layout, views, columns)

  const expand: System['expand'] = (state, next, move, report) => {
    const offers: Offer[] = []
    const told: Told[] = []
    let moves = 0
    const now: Expansion = {
      state,
      next,
      report,
      offer: (x, i, reads, writes) => {
        offers.push({ agent: x, index: i, op: layout.steps[x]![i]!.op, reads, writes })
      },
      tell: (access) => {
        told.push(access)
      },
      emit: (tag, x, i, part) => {
        moves += 1
        if (layout.meets) views.gather(next)
        move(tag, x, i, part)
      },
      refuse: (x, i) => {
        moves += 1
        report('refused', named(x, i))
      },
    }
    agentsMove(now)
    flight.inFlight(now)
    flight.queues(now)
    wrong.races(now, offers, told)
    wrong.gone(now)
    wrong.acting(now)
    if (moves === 0) wrong.ends(now)
  }

  return { width: layout.width, initial: layout.initial, expand }
}

// ---------------------------------------------------------------- the search

/** States seen, each once: vectors side by side in one array, found again through a table of hashes. */
const emptySet = (
  width: number,
): {
  readonly count: () => number
  readonly add: (state: Int32Array) => boolean
  readonly get: (k: number, into: Int32Array) => void
} => {
  let data = new Int32Array(width * 256)
  let table = new Int32Array(1024).fill(-1)
  let count = 0
  const hash = (from: Int32Array, at: number): number => {
    let h = 0x811c9dc5
    for (let k = 0; k < width; k++) {
      h = Math.imul(h ^ from[at + k]!, 0x01000193)
      h ^= h >>> 15
    }
    return h >>> 0
  }
  const place = (h: number, fits: (k: number) => boolean): number => {
    let at = h & (table.length - 1)
    while (table[at]! >= 0 && !fits(table[at]!)) at = (at + 1) & (table.length - 1)
    return at
  }
  const add = (state: Int32Array): boolean => {
    const at = place(hash(state, 0), (k) => {
      for (let j = 0; j < width; j++) if (data[k * width + j] !== state[j]) return false
      return true
    })
    if (table[at]! >= 0) return false
    if ((count + 1) * width > data.length) {
      const wider = new Int32Array(data.length * 2)
      wider.set(data)
      data = wider
    }
    data.set(state, count * width)
    table[at] = count
    count += 1
    if (count * 2 > table.length) {
      table = new Int32Array(table.length * 2).fill(-1)
      for (let k = 0; k < count; k++) table[place(hash(data, k * width), () => false)] = k
    }
    return true
  }
  return {
    count: () => count,
    add,
    get: (k, into) => {
      into.set(data.subarray(k * width, (k + 1) * width))
    },
  }
}

/** Do some agents come to the cluster barrier more often than others, so that it goes on without them once they have ended? */
const endsBefore = (skeleton: Skeleton): boolean =>
  new Set(skeleton.agents.map(({ ops }) => ops.filter((op) => op._tag === 'clusterArrive').length)).size > 1

/**
 * All schedules. `too large`: more states than allowed, or more atoms than a word has bits. Who has ended is not waited for at the cluster barrier, and nothing is
 * heard from it: what it did last is as if it were still to come, and so it is searched, too.
 */
export const explore = (skeleton: Skeleton, limits: Limits = defaultLimits): Exploration | 'too large' => {
  if (tooManyAtoms(skeleton)) return 'too large'
  const found: Readonly<Record<Kind, Set<string>>> = {
    race: new Set(),
    visibility: new Set(),
    fault: new Set(),
    deadlock: new Set(),
    exit: new Set(),
    gone: new Set(),
    early: new Set(),
    refused: new Set(),
    unwritten: new Set(),
  }
  let bad = false
  let states = 0
  for (const excused of endsBefore(skeleton) ? [false, true] : [false]) {
    const { width, initial, expand } = system(skeleton, excused)
    const seen = emptySet(width)
    const state = new Int32Array(width)
    const next = new Int32Array(width)
    initial(state)
    seen.add(state)
    for (let k = 0; k < seen.count(); k++) {
      seen.get(k, state)
      expand(
        state,
        next,
        () => {
          seen.add(next)
        },
        (kind, what) => {
          bad = true
          found[kind].add(what)
        },
      )
      if (bad && limits.stop) break
      if (seen.count() > limits.states) return 'too large'
    }
    states += seen.count()
    if (bad && limits.stop) break
  }
  return {
    _tag: 'explored',
    clean: !bad,
    race: [...found.race].sort(),
    visibility: [...found.visibility].sort(),
    fault: [...found.fault].sort(),
    deadlock: [...found.deadlock].sort(),
    exit: [...found.exit].sort(),
    gone: [...found.gone].sort(),
    early: [...found.early].sort(),
    refused: [...found.refused].sort(),
    unwritten: [...found.unwritten].sort(),
    states,
  }
}

/** One schedule: `pick(n)` chooses among n offered moves. It ends where nothing is offered, or at a fault. */
export const walk = (skeleton: Skeleton, pick: (offered: number) => number): Walk => {
  const { width, initial, expand } = system(skeleton)
  let state: Int32Array = new Int32Array(width)
  const next = new Int32Array(width)
  const schedule: Choice[] = []
  initial(state)
  for (;;) {
    const moves: { readonly choice: Choice; readonly state: Int32Array }[] = []
    const ends: Walk['outcome'][] = []
    expand(
      state,
      next,
      (tag, agent, op, part) => {
        moves.push({ choice: { _tag: tag, agent, op, part }, state: next.slice() })
      },
      (kind) => {
        if (kind === 'fault' || kind === 'deadlock') ends.push(kind)
        if (kind === 'refused') ends.push('fault')
      },
    )
    const taken = moves[pick(moves.length)]
    if (taken === undefined || ends.includes('fault')) return { schedule, outcome: ends[0] ?? 'finished' }
    schedule.push(taken.choice)
    state = taken.state
  }
}
