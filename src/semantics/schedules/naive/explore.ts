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
 * Source: PTX ISA, memory consistency model, asynchronous operations, mbarrier; checking by explicit state search.
 */
import { after, givenBack, grants, isStep, type Allocator, type Taken } from './allocator.js'
import type { Atom, Atoms, Choice, Op, Skeleton } from './skeleton.js'
import {
  allocates,
  atomColumns,
  atomsOf,
  barriersOf,
  columnOf,
  footprint,
  groups,
  isOn,
  showAtom,
  wordsOf,
} from './skeleton.js'

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

type Kind = 'race' | 'visibility' | 'fault' | 'deadlock' | 'exit' | 'gone' | 'early' | 'refused' | 'unwritten'

/** One operation, with its atoms as masks. `slot` is where its state in flight lies, -1 if it has none. */
interface Step {
  readonly op: Op
  readonly on: boolean
  readonly group: number
  readonly reads: number
  readonly tensorReads: number
  readonly writes: number
  readonly barriers: ReadonlyArray<number>
  readonly parts: ReadonlyArray<{ readonly mask: number; readonly barrier: number; readonly units: number }>
  readonly slot: number
}

/** An access that a state offers. */
interface Offer {
  readonly agent: number
  readonly index: number
  readonly op: Op
  readonly reads: number
  readonly writes: number
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

// Offsets inside a barrier, a view and a slot of an operation in flight.
const PENDING = 0
const UNITS = 1
const PARITY = 2
const CURRENT = 3 // what arrivals of the open generation publish: generic, async, tensor
const DONE = 6 // the same of the last complete one
const FAR = 9 // of the open generation, what arrivals from other CTAs publish, where scopes differ
const FARDONE = 12

const GENERIC = 0
const ASYNC = 1
const TENSOR = 2
const PUBLISHED = 3 // tensor, as of the last fenceBefore
const RECEIVED = 4 // tensor, until the next fenceAfter
const QUEUE = 5 // written by the agent's tcgen05 queue
const STORED = 6 // written by its tensor stores
const BULK = 7 // written by its bulk stores
const COPIED = 8 // written by its copies and waited for
const viewWidth = 9

// Of an agent, where memory is fenced: what it saw at its last fence of its CTA, of the cluster; what it has read and not taken over yet, from
// its own CTA, from others. Generic and async each.
const FENCED = 0
const FENCEDWIDE = 2
const HEARD = 4
const HEARDFAR = 6
const fenceWidth = 8

// Of a word: its value, who wrote it last, and by whose release (a class of writers) what is published.
const VALUE = 0
const WRITER = 1
const TOLD = 2
const wordWidth = 10
/** A class of strong accesses: those of a CTA, at its scope or at the cluster's. */
const classOf = (cta: number, wide: boolean): number => 2 * (cta & 1) + (wide ? 1 : 0)
const isWide = (k: number): boolean => (k & 1) === 1
/** Is each in the scope of the other? */
const morallyStrong = (k: number, l: number): boolean => k >> 1 === l >> 1 || (isWide(k) && isWide(l))
const classes: ReadonlyArray<number> = [0, 1, 2, 3]

// Of a named barrier: who has come, how many are counted, and what they publish.
const CAME = 0
const COUNTED = 1
const MET = 2
const namedWidth = 5

const STAGE = 0 // 0 not issued, 1 issued, 2 performed but not signalled, 3 done
const MASK = 1
const OWN = 2
const slotWidth = 3

// ---------------------------------------------------------------- the transition system

const unpublishedIn = (skeleton: Skeleton): ReadonlyArray<number> =>
  skeleton.barriers.flatMap((b, k) => (b.unpublished === true ? [k] : []))

/** The classes of accesses of words that are not all in one another's scope: `s0.f` and its classes. */
const mixedWords = (skeleton: Skeleton): ReadonlyMap<string, ReadonlyArray<number>> => {
  const found = new Map<string, Set<number>>()
  for (const { cta, ops } of skeleton.agents)
    for (const op of ops)
      if (op._tag === 'tell' || op._tag === 'hear') {
        const name = showAtom(op.word)
        found.set(name, (found.get(name) ?? new Set()).add(classOf(cta, op.wide)))
      }
  return new Map(
    [...found].flatMap(([name, set]) => {
      const all = [...set].sort()
      return all.every((k) => all.every((l) => morallyStrong(k, l))) ? [] : [[name, all] as const]
    }),
  )
}

/** Bits of what is in order, where there are words. */
const orderBits = (skeleton: Skeleton): number => {
  const words = wordsOf(skeleton).length
  return words === 0 ? 0 : skeleton.agents.length * (atomsOf(skeleton).length + 2 + words)
}

/** More atoms, initialisations that are not published, and classes of words, than bits in a word. */
const tooManyAtoms = (skeleton: Skeleton): boolean =>
  atomsOf(skeleton).length +
    unpublishedIn(skeleton).length +
    [...mixedWords(skeleton).values()].reduce((n, all) => n + all.length, 0) >
    31 || orderBits(skeleton) > 31

/** `excused`: the cluster barrier does not wait for agents that will not come to it any more, even if they have not ended. */
const system = (skeleton: Skeleton, excused: boolean = false): System => {
  const { agents, barriers } = skeleton
  const n = agents.length
  const atoms = atomsOf(skeleton)
  const bit = new Map(atoms.map((atom, k) => [showAtom(atom), 1 << k]))
  const mask = (some: Atoms): number => some.reduce((m, atom) => m | bit.get(showAtom(atom))!, 0)
  const all = atoms.length === 31 ? 0x7fffffff : (1 << atoms.length) - 1
  /** the bit of a barrier's initialisation, 0 where every agent sees it */
  const lives = barriers.map(() => 0)
  unpublishedIn(skeleton).forEach((b, k) => {
    lives[b] = 1 << (atoms.length + k)
  })
  /** by word and class, where they differ: the bit of its last write by that class */
  const classBit = new Map<string, number>()
  {
    let at = atoms.length + unpublishedIn(skeleton).length
    for (const [name, all] of mixedWords(skeleton))
      for (const k of all) classBit.set(`${name} ${String(k)}`, 1 << at++)
  }
  const allClasses = [...classBit.values()].reduce((m, b) => m | b, 0)
  const firstOf = (cta: number): number => agents.findIndex((agent) => agent.cta === cta)
  /** what it sees of initialisations at the start: its own */
  const madeBy = (x: number): number =>
    barriers.reduce((m, b, k) => (firstOf(b.cta) === x ? m | lives[k]! : m), 0)
  const notGlobal = mask(atoms.filter((atom) => atom._tag !== 'gmem'))
  const ctas = [...new Set(agents.map((agent) => agent.cta))].sort((a, b) => a - b)
  const ctaMask = ctas.map((cta) =>
    mask(atoms.filter((atom) => (atom._tag === 'smem' || atom._tag === 'tmem') && atom.cta === cta)),
  )

  const isNarrow = (op: Op): boolean => 'narrow' in op && op.narrow === true
  const scoped = agents.some(({ ops }) => ops.some(isNarrow))
  const barrierWidth = scoped ? 15 : 9
  const barrierAt = (b: number): number => n + b * barrierWidth
  const viewAt = (x: number): number => n + barriers.length * barrierWidth + x * viewWidth
  /** landed for a generic writer, landed for another writer, last written through the generic proxy */
  const landedAt = viewAt(n)
  let slots = 0
  const steps: ReadonlyArray<ReadonlyArray<Step>> = agents.map((agent) => {
    const numbers = groups(agent.ops)
    return agent.ops.map((op, i) => {
      const { reads, writes } = footprint(op)
      const parts =
        op._tag === 'load'
          ? op.destinations.map((d) => ({ mask: mask(d.atoms), barrier: d.barrier, units: d.units }))
          : []
      let slot = -1
      switch (op._tag) {
        case 'load':
          slot = slots
          slots += parts.length
          break
        case 'store':
        case 'copy':
        case 'copyArrive':
        case 'wgmma':
        case 'mma':
        case 'commit':
        case 'tensorLoad':
        case 'tensorStore':
          slot = slots
          slots += 1
          break
        default:
          break
      }
      const tensor = op._tag === 'mma' ? mask(op.tensorReads) : 0
      return {
        op,
        on: isOn(op),
        group: numbers[i]!,
        reads: op._tag === 'mma' ? mask(op.reads) : mask(reads),
        tensorReads: tensor,
        writes: mask(writes),
        barriers: barriersOf(op),
        parts,
        slot: slot < 0 ? -1 : landedAt + 3 + slot * slotWidth,
      }
    })
  })
  /** a bit per atom that has been written: all of them, but tensor memory that is to be allocated */
  const writtenAt = landedAt + 3 + slots * slotWidth
  const dynamic = allocates(skeleton)
  const longest = agents.reduce((sum, agent) => sum + agent.ops.filter(isStep).length, 0)
  /** by CTA: the steps of its allocator so far, agent * 1024 + operation + 1 */
  const historyAt = (c: number): number => writtenAt + 1 + c * longest
  /** by operation, of a peek: whether its agent's last one of that name was true */
  const truthOf = new Map<string, number>()
  const names = agents.map((agent, x) =>
    agent.ops.map((op) => {
      const name = op._tag === 'peek' ? op.name : op._tag === 'wait' ? op.after : undefined
      if (name === undefined) return -1
      const key = `${String(x)} ${name}`
      if (!truthOf.has(key)) truthOf.set(key, historyAt(ctas.length) + truthOf.size)
      return truthOf.get(key)!
    }),
  )
  const has = (tag: Op['_tag']): boolean => agents.some(({ ops }) => ops.some((op) => op._tag === tag))
  const fencing = has('fenceMemory')
  const fencedAt = (x: number): number => historyAt(ctas.length) + truthOf.size + x * fenceWidth
  const words = new Map(wordsOf(skeleton).map((word, k) => [showAtom(word), k]))
  const wordsFrom = fencedAt(fencing ? n : 0)
  const wordAt = (word: Atom): number => wordsFrom + words.get(showAtom(word))! * wordWidth
  const named = new Map<string, number>()
  agents.forEach(({ cta, ops }) => {
    for (const op of ops)
      if (op._tag === 'namedArrive' || op._tag === 'namedSync') {
        const key = `${String(cta)} ${String(op.id)}`
        if (!named.has(key)) named.set(key, named.size)
      }
  })
  const namedFrom = wordsFrom + words.size * wordWidth
  const namedAt = (cta: number, id: number): number =>
    namedFrom + named.get(`${String(cta)} ${String(id)}`)! * namedWidth
  /** by agent: it stands at a named barrier, and has arrived */
  const standsAt = namedFrom + named.size * namedWidth
  const meets = has('clusterArrive') || has('clusterWait')
  /** by agent: 1 it has arrived, 2 and all others too */
  const joinedAt = standsAt + (named.size > 0 ? n : 0)
  /** what arrivals at the cluster barrier publish, and those of the last generation */
  const metAt = joinedAt + n
  /** the last generation lacked all agents of some CTA */
  const lackingAt = metAt + 6
  /**
   * What is in order, where words may tell of it less than barriers do. A bit for the last read of an atom by an agent, one for the last effect of an agent on another
   * CTA, and one for its last strong access of a word there.
   */
  const ordering = words.size > 0
  const readBit = (x: number, a: number): number => 1 << (x * atoms.length + a)
  const effectsFrom = n * atoms.length
  const effectBit = (x: number, cta: number): number => 1 << (effectsFrom + 2 * x + (cta & 1))
  const wordBit = (x: number, word: Atom): number =>
    1 << (effectsFrom + 2 * n + x * words.size + words.get(showAtom(word))!)
  const orderFrom = meets ? metAt + 7 : joinedAt
  /** the bits of what has happened, and is not over */
  const happenedAt = orderFrom
  const orderOf = (x: number): number => orderFrom + 1 + x
  const orderOfBarrier = (b: number): number => orderOf(n) + 2 * b
  const orderOfSlot = (slot: number): number =>
    orderOfBarrier(barriers.length) + (slot - (landedAt + 3)) / slotWidth
  const orderOfNamed = orderOfBarrier(barriers.length) + slots
  const orderOfCluster = orderOfNamed + named.size
  const orderOfWord = (at: number, k: number): number =>
    orderOfCluster + 2 + (4 * (at - wordsFrom)) / wordWidth + k
  /** fenced, fenced widely, heard, heard from afar */
  const orderOfFence = (x: number): number => orderOfCluster + 2 + 4 * words.size + 4 * x
  const width = ordering ? orderOfFence(n) : orderFrom
  const orders: ReadonlyArray<number> = ordering
    ? Array.from({ length: width - orderFrom - 1 }, (_, k) => orderFrom + 1 + k)
    : []
  /** The agent has read this, or done it: who knew of the time before knows nothing of it yet. */
  const happens = (s: Int32Array, x: number, bit: number): void => {
    for (const k of orders) s[k]! &= ~bit
    s[happenedAt]! |= bit
    s[orderOf(x)]! |= bit
  }

  /** Every word that is a view: a write clears its bits in all of them. */
  const masks: number[] = []
  for (let b = 0; b < barriers.length; b++)
    for (let k = CURRENT; k < barrierWidth; k++) masks.push(barrierAt(b) + k)
  if (fencing) for (let k = fencedAt(0); k < fencedAt(n); k++) masks.push(k)
  for (let w = 0; w < words.size; w++)
    for (let k = TOLD; k < wordWidth; k++) masks.push(wordsFrom + w * wordWidth + k)
  for (let b = 0; b < named.size; b++)
    for (let k = MET; k < namedWidth; k++) masks.push(namedFrom + b * namedWidth + k)
  if (meets) for (let k = metAt; k < lackingAt; k++) masks.push(k)
  for (let x = 0; x < n; x++) for (let k = 0; k < viewWidth; k++) masks.push(viewAt(x) + k)
  for (let u = 0; u < slots; u++) {
    masks.push(landedAt + 3 + u * slotWidth + MASK)
    masks.push(landedAt + 3 + u * slotWidth + OWN)
  }

  /** The operations in flight of each agent, in program order. */
  const flying = steps.map((of) => of.flatMap((step, i) => (step.slot < 0 || !step.on ? [] : [i])))
  const tensorQueue = steps.map((of, x) =>
    flying[x]!.filter((i) => of[i]!.op._tag === 'mma' || of[i]!.op._tag === 'commit'),
  )
  const matrixQueue = steps.map((of, x) => flying[x]!.filter((i) => of[i]!.op._tag === 'wgmma'))

  const initial = (state: Int32Array): void => {
    state.fill(0)
    for (let b = 0; b < barriers.length; b++) state[barrierAt(b) + PENDING] = barriers[b]!.count
    for (let x = 0; x < n; x++)
      for (const k of [GENERIC, ASYNC, TENSOR, PUBLISHED]) state[viewAt(x) + k] = all
    for (let x = 0; x < n; x++) for (const k of [GENERIC, ASYNC]) state[viewAt(x) + k]! |= madeBy(x)
    for (let x = 0; x < n; x++) state[viewAt(x) + GENERIC]! |= allClasses
    state[writtenAt] = dynamic ? all & ~inTensorMemory : all
  }

  const columns = columnOf(skeleton)
  const inTensorMemory = mask(atoms.filter((atom) => atom._tag === 'tmem'))
  /** The atoms of a CTA, or of both of its pair, in these columns. */
  const atomsIn = (cta: number, both: boolean, start: number, count: number): number =>
    mask(
      atoms.filter(
        (atom) =>
          atom._tag === 'tmem' &&
          (atom.cta === cta || (both && atom.cta === (cta ^ 1))) &&
          start < columns.get(atom.name)! + atomColumns &&
          columns.get(atom.name)! < start + count,
      ),
    )
  const allocatorOf = (state: Int32Array, cta: number): Allocator => {
    const at = historyAt(ctas.indexOf(cta))
    const history: Taken[] = []
    for (let k = at; k < at + longest && state[k] !== 0; k++) {
      const agent = (state[k]! - 1) >> 10
      history.push({ agent, op: agents[agent]!.ops[(state[k]! - 1) & 1023]! })
    }
    return after(history)
  }
  /** Are all columns of these atoms of the CTA held? */
  const there = (state: Int32Array, x: number, m: number): boolean => {
    const { cta } = agents[x]!
    const { held } = allocatorOf(state, cta)
    const all = held.reduce((sum, h) => sum | atomsIn(cta, false, h.start, h.columns), 0)
    return (m & inTensorMemory & ~all) === 0
  }

  const finished = (state: Int32Array, x: number): boolean => state[x]! >= steps[x]!.length
  const ctaDone = (state: Int32Array, cta: number): boolean =>
    agents.every((agent, x) => agent.cta !== cta || finished(state, x))

  /** A barrier event in `s`. False: the barrier had no arrival left. */
  const signal = (
    s: Int32Array,
    b: number,
    arrivals: number,
    units: number,
    generic: number,
    async: number,
    tensor: number,
    inOrder: number,
    far: boolean = false,
  ): boolean => {
    const at = barrierAt(b)
    const open = far && scoped ? FAR : CURRENT
    if (arrivals > 0 && s[at + PENDING] === 0) return false
    s[at + PENDING]! -= arrivals
    s[at + UNITS]! += units
    s[at + open]! |= generic
    s[at + open + 1]! |= async
    s[at + open + 2]! |= tensor
    if (ordering) s[orderOfBarrier(b)]! |= inOrder
    if (s[at + PENDING] === 0 && s[at + UNITS] === 0) {
      s[at + PENDING] = barriers[b]!.count
      s[at + PARITY]! ^= 1
      if (ordering) {
        s[orderOfBarrier(b) + 1] = s[orderOfBarrier(b)]!
        s[orderOfBarrier(b)] = 0
      }
      for (let k = 0; k < 3; k++) {
        s[at + DONE + k] = s[at + CURRENT + k]!
        s[at + CURRENT + k] = 0
        if (!scoped) continue
        s[at + FARDONE + k] = s[at + FAR + k]!
        s[at + FAR + k] = 0
      }
    }
    return true
  }
  const clear = (s: Int32Array, m: number): void => {
    const keep = ~m
    for (const k of masks) s[k]! &= keep
  }
  /** A write of `m`: it has not been read yet. */
  const wrote = (s: Int32Array, m: number, generic: boolean): void => {
    s[writtenAt]! |= m
    s[landedAt]! &= ~m
    s[landedAt + 1]! &= ~m
    if (generic) s[landedAt + 2]! |= m
    else s[landedAt + 2]! &= ~m
  }
  /** A read that saw `m`: it has landed, for every writer if it was not generic, else for those of the reader's proxy. */
  const saw = (s: Int32Array, m: number, generic: boolean): void => {
    const anyone = m & ~s[landedAt + 2]!
    s[landedAt]! |= anyone | (generic ? m : 0)
    s[landedAt + 1]! |= anyone | (generic ? 0 : m)
  }

  const wordNamed = (name: string): Atom => wordsOf(skeleton)[words.get(name)!]!
  const bitOf = (word: Atom, k: number): number => classBit.get(`${showAtom(word)} ${String(k)}`) ?? 0

  /** It arrives no more, and leaves no more what it has arrived at. */
  const comesNoMore = (s: Int32Array, x: number): boolean =>
    steps[x]!.every(
      ({ op }, i) =>
        i < s[x]! || (op._tag !== 'clusterArrive' && (op._tag !== 'clusterWait' || s[joinedAt + x] === 0)),
    )
  /** All agents have arrived at the cluster barrier, or ended. */
  const gather = (s: Int32Array): void => {
    let came = false
    for (let x = 0; x < n; x++)
      if (s[joinedAt + x] === 1) came = true
      else if (!(finished(s, x) || (excused && comesNoMore(s, x)))) return
    if (!came) return
    s[lackingAt] = ctas.every((cta) => agents.some((a, x) => a.cta === cta && s[joinedAt + x] === 1)) ? 0 : 1
    for (let x = 0; x < n; x++) if (s[joinedAt + x] === 1) s[joinedAt + x] = 2
    for (let k = 0; k < 3; k++) {
      s[metAt + 3 + k] = s[metAt + k]!
      s[metAt + k] = 0
    }
    if (!ordering) return
    s[orderOfCluster + 1] = s[orderOfCluster]!
    s[orderOfCluster] = 0
  }

  const expand: System['expand'] = (state, next, move, report) => {
    const offers: Offer[] = []
    const offer = (x: number, i: number, reads: number, writes: number): void => {
      offers.push({ agent: x, index: i, op: steps[x]![i]!.op, reads, writes })
    }
    const name = (x: number, i: number): string => `${String(x)}.${String(i)}`
    const landed = state[landedAt]!
    const landedOther = state[landedAt + 1]!
    /** strong accesses that are offered */
    const told: {
      readonly agent: number
      readonly index: number
      readonly word: number
      readonly own: number
      readonly writes: boolean
    }[] = []
    let moves = 0
    const emit = (tag: Choice['_tag'], x: number, i: number, part: number): void => {
      moves += 1
      if (meets) gather(next)
      move(tag, x, i, part)
    }
    const numbersIn = (m: number): ReadonlyArray<number> => atoms.flatMap((_, a) => ((m >> a) & 1 ? [a] : []))
    const readsOf = (m: number): number =>
      numbersIn(m).reduce((bits, a) => agents.reduce((all, _, y) => all | readBit(y, a), bits), 0)
    /** Do all reads of these atoms by other agents come before, in this order? */
    const afterReads = (m: number, x: number, order: number): boolean =>
      !ordering || (readsOf(m) & state[happenedAt]! & ~order & ~ownReads(x)) === 0
    const ownReads = (x: number): number => atoms.reduce((all, _, a) => all | readBit(x, a), 0)
    const forgetReads = (m: number): void => {
      if (ordering) next[happenedAt]! &= ~readsOf(m)
    }
    const stage = (x: number, i: number, part: number = 0): number =>
      state[steps[x]![i]!.slot + part * slotWidth + STAGE]!
    /** What a word tells to an agent: to one that acquires at once, else at its next fence. */
    const hearAt = (x: number, at: number, own: number, acquires: boolean): void => {
      for (const k of classes) {
        const order = state[orderOfWord(at, k)]!
        const near = k >> 1 === own >> 1
        if (acquires) {
          if (morallyStrong(k, own)) next[orderOf(x)]! |= order
        } else if (fencing && (near || isWide(k)))
          next[orderOfFence(x) + (near ? HEARD : HEARDFAR) / 2]! |= order
      }
      for (const k of classes)
        for (const p of [0, 1]) {
          const message = state[at + TOLD + 2 * k + p]!
          const near = k >> 1 === own >> 1
          if (acquires) {
            if (morallyStrong(k, own)) next[viewAt(x) + (p === 0 ? GENERIC : ASYNC)]! |= message
          } else if (fencing && (near || isWide(k)))
            next[fencedAt(x) + (near ? HEARD : HEARDFAR) + p]! |= message
        }
    }

    // the agents
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
      const nothing = (): void => undefined
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
              report('race', [name(y, k), name(x, i)].sort().join(' '))
          }
      }
      /** The run ends here: no deadlock. */
      const refuse = (): void => {
        moves += 1
        report('refused', name(x, i))
      }
      /** A step of the allocator: the history grows by it. */
      const stepped = (): void => {
        taken(() => {
          let at = historyAt(ctas.indexOf(agents[x]!.cta))
          while (next[at] !== 0) at += 1
          next[at] = x * 1024 + i + 1
        })
      }
      /** An access in the memory of another CTA, which may be gone. */
      const reaches = (touched: Atoms): void => {
        for (const atom of touched)
          if (atom._tag === 'smem' && atom.cta !== agents[x]!.cta && ctaDone(state, atom.cta))
            report('gone', name(x, i))
      }
      const reached = (touched: Atoms): void => {
        if (!ordering) return
        for (const atom of touched)
          if (atom._tag === 'smem' && atom.cta !== agents[x]!.cta) happens(next, x, effectBit(x, atom.cta))
      }
      /** Of a strong access of a word: what of its last writes, by classes that are out of its scope, it does not see. */
      const strong = (word: Atom, k: number): void => {
        reaches([word])
        for (const l of classes)
          if (!morallyStrong(k, l) && (bitOf(word, l) & ~generic) !== 0) report('visibility', name(x, i))
      }
      const isFar = (word: Atom): boolean => word._tag === 'smem' && word.cta !== agents[x]!.cta
      if (!step.on) {
        taken(nothing)
        continue
      }
      for (const b of step.barriers)
        if (barriers[b]!.cta !== agents[x]!.cta && (lives[b]! & ~generic) !== 0)
          report('visibility', name(x, i))
      switch (op._tag) {
        case 'read':
          reaches(op.atoms)
          offer(x, i, step.reads, 0)
          if (step.reads & ~generic) report('visibility', name(x, i))
          taken(() => {
            saw(next, step.reads & generic, true)
            reached(op.atoms)
            if (ordering) for (const a of numbersIn(step.reads)) happens(next, x, readBit(x, a))
          })
          break
        case 'write':
          reaches(op.atoms)
          offer(x, i, 0, step.writes)
          if (step.writes & ~generic & ~landed) report('visibility', name(x, i))
          if (!afterReads(step.writes, x, state[orderOf(x)]!)) report('race', name(x, i))
          taken(() => {
            reached(op.atoms)
            forgetReads(step.writes)
            clear(next, step.writes)
            next[view + GENERIC]! |= step.writes
            wrote(next, step.writes, true)
          })
          break
        case 'arrive':
        case 'arriveExpect':
        case 'expect': {
          const releases = op._tag !== 'expect' && !op.relaxed
          const carried = op._tag !== 'expect' && op.tensor ? tensor : published
          next.set(state)
          next[x] = i + 1
          const good = step.barriers.every((b) => {
            const target = barriers[b]!
            const far = target.cta !== agents[x]!.cta
            if (far && ctaDone(state, target.cta)) report('exit', `K1 ${name(x, i)}`)
            // out of its scope it tells nothing; relaxed, what was fenced
            if (far && ordering) happens(next, x, effectBit(x, target.cta))
            const heard = !(far && isNarrow(op))
            const fenced = heard && op._tag !== 'expect' && !releases && fencing
            const from = fencedAt(x) + (far ? FENCEDWIDE : FENCED)
            const done = signal(
              next,
              b,
              op._tag === 'expect' ? 0 : 1,
              op._tag === 'arrive' ? 0 : op.units,
              releases && heard ? generic : fenced ? state[from]! : 0,
              releases && heard ? async : fenced ? state[from + 1]! : 0,
              releases && heard ? carried : 0,
              ordering ? next[orderOf(x)]! : 0,
              far,
            )
            if (!done) report('fault', `${name(x, i)}#${String(b)}`)
            return done
          })
          if (good) emit('agent', x, i, 0)
          break
        }
        case 'wait':
        case 'peek': {
          const at = barrierAt(op.barrier)
          const passes = state[at + PARITY] !== op.parity
          const truth = names[x]![i]!
          const wide = scoped && !isNarrow(op)
          const acquired = (): void => {
            if (ordering) next[orderOf(x)]! |= state[orderOfBarrier(op.barrier) + 1]!
            if (op.relaxed) {
              if (!fencing) return
              for (const k of [0, 1]) {
                next[fencedAt(x) + HEARD + k]! |= state[at + DONE + k]!
                if (wide) next[fencedAt(x) + HEARDFAR + k]! |= state[at + FARDONE + k]!
              }
              return
            }
            if (wide) {
              next[view + GENERIC]! |= state[at + FARDONE]!
              next[view + ASYNC]! |= state[at + FARDONE + 1]!
            }
            const received =
              state[view + RECEIVED]! | state[at + DONE + 2]! | (wide ? state[at + FARDONE + 2]! : 0)
            next[view + GENERIC]! |= state[at + DONE]!
            next[view + ASYNC]! |= state[at + DONE + 1]!
            next[view + RECEIVED] = received
            if (op.tensor) next[view + TENSOR]! |= received
          }
          if (op._tag === 'peek')
            taken(() => {
              next[truth] = passes ? 1 : 0
              if (passes) acquired()
            })
          else if (op.after !== undefined && state[truth] === 1) taken(nothing)
          else if (passes) taken(acquired)
          break
        }
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
          if (dynamic && !there(state, x, step.reads | step.writes)) refuse()
          else issue(tensor, 0)
          break
        case 'alloc': {
          if (grants(allocatorOf(state, agents[x]!.cta), op.columns)) stepped()
          else refuse()
          break
        }
        case 'relinquish':
          stepped()
          break
        case 'free': {
          const { cta } = agents[x]!
          const gone = givenBack(allocatorOf(state, cta).held, x, op.columns)
          if (gone === undefined) {
            refuse()
            break
          }
          const peer = ctas.includes(cta ^ 1) ? allocatorOf(state, cta ^ 1).pairs : 0
          if (op.ctaGroup === 2 && gone.nth >= peer) report('early', name(x, i))
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
          if (!open('wgmma', step.group, 1)) taken(nothing)
          break
        case 'waitLoads':
          if (!open('tensorLoad', 0, 1)) taken(nothing)
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
          taken(nothing)
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
        case 'rendezvous': {
          if (x !== op.members[0]) break
          const here = op.members.every((y) => {
            const other = steps[y]![state[y]!]?.op
            return other?._tag === 'rendezvous' && other.id === op.id
          })
          if (!here) break
          taken(() => {
            let g = 0
            let a = 0
            let t = 0
            for (const y of op.members) {
              next[y] = state[y]! + 1
              g |= state[viewAt(y) + GENERIC]!
              a |= state[viewAt(y) + ASYNC]!
              t |= state[viewAt(y) + (op.tensor ? TENSOR : PUBLISHED)]!
            }
            if (ordering) {
              const all = op.members.reduce((bits, y) => bits | state[orderOf(y)]!, 0)
              for (const y of op.members) next[orderOf(y)]! |= all
            }
            if (op.relaxed) return
            for (const y of op.members) {
              const at = viewAt(y)
              next[at + GENERIC]! |= g
              next[at + ASYNC]! |= a
              next[at + RECEIVED]! |= t
              if (op.tensor) next[at + TENSOR]! |= next[at + RECEIVED]!
            }
          })
          break
        }
        case 'bulkCommit':
        case 'copyCommit':
        case 'wgmmaCommit':
          taken(nothing)
          break
        case 'namedArrive':
        case 'namedSync': {
          if (state[standsAt + x] === 1) break
          const { cta } = agents[x]!
          const at = namedAt(cta, op.id)
          if (state[at + CAME]! > 0 && state[at + COUNTED] !== op.count) {
            report('fault', name(x, i))
            break
          }
          next.set(state)
          next[at + CAME]! += 1
          next[at + COUNTED] = op.count
          next[at + MET]! |= generic
          next[at + MET + 1]! |= async
          next[at + MET + 2]! |= published
          const meeting = orderOfNamed + (at - namedFrom) / namedWidth
          if (ordering) next[meeting]! |= state[orderOf(x)]!
          if (op._tag === 'namedSync') next[standsAt + x] = 1
          else next[x] = i + 1
          if (next[at + CAME]! >= op.count) {
            for (let y = 0; y < n; y++) {
              const other = steps[y]![state[y]!]?.op
              if (next[standsAt + y] !== 1 || other?._tag !== 'namedSync') continue
              if (other.id !== op.id || agents[y]!.cta !== cta) continue
              next[standsAt + y] = 0
              next[y] = state[y]! + 1
              next[viewAt(y) + GENERIC]! |= next[at + MET]!
              next[viewAt(y) + ASYNC]! |= next[at + MET + 1]!
              next[viewAt(y) + RECEIVED]! |= next[at + MET + 2]!
              if (ordering) next[orderOf(y)]! |= next[meeting]!
            }
            if (ordering) next[meeting] = 0
            for (let k = 0; k < namedWidth; k++) next[at + k] = 0
          }
          emit('agent', x, i, 0)
          break
        }
        case 'clusterArrive': {
          if (state[joinedAt + x] !== 0) {
            report('fault', name(x, i))
            break
          }
          taken(() => {
            next[joinedAt + x] = 1
            if (ordering) next[orderOfCluster]! |= state[orderOf(x)]!
            if (!op.relaxed) {
              next[metAt]! |= generic
              next[metAt + 1]! |= async
              next[metAt + 2]! |= published
            } else if (fencing) {
              next[metAt]! |= state[fencedAt(x) + FENCEDWIDE]!
              next[metAt + 1]! |= state[fencedAt(x) + FENCEDWIDE + 1]!
            }
          })
          break
        }
        case 'clusterWait':
          if (state[joinedAt + x] === 2) {
            if (state[lackingAt] === 1) report('exit', `K2 ${name(x, i)}`)
            taken(() => {
              next[joinedAt + x] = 0
              if (ordering) next[orderOf(x)]! |= state[orderOfCluster + 1]!
              next[view + GENERIC]! |= state[metAt + 3]!
              next[view + ASYNC]! |= state[metAt + 4]!
              next[view + RECEIVED]! |= state[metAt + 5]!
            })
          }
          break
        case 'tell': {
          const at = wordAt(op.word)
          const own = classOf(agents[x]!.cta, op.wide)
          strong(op.word, own)
          told.push({ agent: x, index: i, word: at, own, writes: true })
          taken(() => {
            const bit = bitOf(op.word, own)
            if (bit !== 0) {
              clear(next, bit)
              next[view + GENERIC]! |= bit
            }
            const last = state[at + WRITER]! - 1
            const heard = last >= 0 && morallyStrong(last, own)
            if (op.how === 'add' && heard) hearAt(x, at, own, false)
            if (op.how === 'add' && heard) next[view + GENERIC]! |= bitOf(op.word, last)
            next[at + VALUE] = op.how === 'store' ? op.value : state[at + VALUE]! + op.value
            // what was told goes on through an addition that reads it
            if (op.how === 'store' || !heard) {
              for (let k = TOLD; k < wordWidth; k++) next[at + k] = 0
              for (const k of classes) next[orderOfWord(at, k)] = 0
            }
            if (isFar(op.word)) happens(next, x, wordBit(x, op.word))
            const says = (k: number, g: number, a: number, o: number): void => {
              next[at + TOLD + 2 * k]! |= g
              next[at + TOLD + 2 * k + 1]! |= a
              next[orderOfWord(at, k)]! |= o
            }
            // a release is before what acquires it, itself, too
            if (op.releases) says(own, generic | bitOf(op.word, own), async, next[orderOf(x)]!)
            if (fencing)
              for (const [k, from] of [
                [classOf(agents[x]!.cta, false), FENCED],
                [classOf(agents[x]!.cta, true), FENCEDWIDE],
              ] as const)
                says(
                  k,
                  next[fencedAt(x) + from]!,
                  next[fencedAt(x) + from + 1]!,
                  next[orderOfFence(x) + from / 2]!,
                )
            next[at + WRITER] = own + 1
          })
          break
        }
        case 'hear': {
          const at = wordAt(op.word)
          const own = classOf(agents[x]!.cta, op.wide)
          const value = state[at + VALUE]!
          if (op.until === 'eq' ? value !== op.value : op.until === 'ge' && value < op.value) break
          strong(op.word, own)
          told.push({ agent: x, index: i, word: at, own, writes: false })
          taken(() => {
            const last = state[at + WRITER]! - 1
            if (isFar(op.word)) happens(next, x, wordBit(x, op.word))
            if (last >= 0 && morallyStrong(last, own)) {
              next[view + GENERIC]! |= bitOf(op.word, last)
              hearAt(x, at, own, op.acquires)
            }
            // what it has waited for has come, though it tells nothing
            if (op.until !== 'any')
              for (let y = 0; y < n; y++) next[orderOf(x)]! |= wordBit(y, op.word) & state[happenedAt]!
          })
          break
        }
        case 'fenceMemory':
          taken(() => {
            const at = fencedAt(x)
            const take = (from: number): void => {
              next[view + GENERIC]! |= state[at + from]!
              next[view + ASYNC]! |= state[at + from + 1]!
              next[at + from] = next[at + from + 1] = 0
              if (!ordering) return
              next[orderOf(x)]! |= state[orderOfFence(x) + from / 2]!
              next[orderOfFence(x) + from / 2] = 0
            }
            take(HEARD)
            if (op.wide) take(HEARDFAR)
            for (const from of op.wide ? [FENCED, FENCEDWIDE] : [FENCED]) {
              next[at + from] = next[view + GENERIC]!
              next[at + from + 1] = next[view + ASYNC]!
              if (ordering) next[orderOfFence(x) + from / 2] = next[orderOf(x)]!
            }
          })
          break
      }
    }

    for (const a of told)
      for (const b of told)
        if (a.agent < b.agent && a.word === b.word && (a.writes || b.writes) && !morallyStrong(a.own, b.own))
          report('race', [name(a.agent, a.index), name(b.agent, b.index)].sort().join(' '))

    // the operations in flight
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
              if (((part.mask & ~landedOther) | reads) & ~seen) report('visibility', name(x, i))
              if (ordering && !afterReads(part.mask, x, state[orderOfSlot(at)]!)) report('race', name(x, i))
              next.set(state)
              forgetReads(part.mask)
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
          if (step.reads & ~seen) report('visibility', name(x, i))
          next.set(state)
          advance(2)
          saw(next, step.reads & seen, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'store' && now === 2) {
          offer(x, i, 0, step.writes)
          if (step.writes & ~seen & ~landedOther) report('visibility', `${name(x, i)}w`)
          next.set(state)
          advance(3)
          clear(next, step.writes)
          next[view + BULK]! |= step.writes
          wrote(next, step.writes, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'copy' && now === 1) {
          offer(x, i, step.reads, step.writes)
          if ((step.reads | (step.writes & ~landed)) & ~seen) report('visibility', name(x, i))
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
          else report('fault', `${name(x, i)}#${String(op.barrier)}`)
        } else if (op._tag === 'tensorLoad' && now === 1) {
          offer(x, i, step.reads, 0)
          if (step.reads & ~state[writtenAt]!) report('unwritten', name(x, i))
          else if (step.reads & ~seen) report('visibility', name(x, i))
          next.set(state)
          advance(3)
          saw(next, step.reads & seen, false)
          emit('operation', x, i, 0)
        } else if (op._tag === 'tensorStore' && now === 1) {
          offer(x, i, 0, step.writes)
          if (step.writes & ~seen & ~landedOther) report('visibility', name(x, i))
          next.set(state)
          advance(3)
          clear(next, step.writes)
          next[view + STORED]! |= step.writes
          wrote(next, step.writes, false)
          emit('operation', x, i, 0)
        }
      }

    // the heads of the queues
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
            report('visibility', name(x, head))
          saw(next, (step.reads & async) | (step.tensorReads & tensor), false)
          clear(next, step.writes)
          next[view + QUEUE]! |= step.writes
          wrote(next, step.writes, false)
          emit('queue', x, head, 0)
        } else {
          const good = step.barriers.every((b) => {
            const done = signal(next, b, 1, 0, 0, 0, queue, 0)
            if (!done) report('fault', `${name(x, head)}#${String(b)}`)
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
        if (step.reads & ~async) report('visibility', name(x, first))
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

    // races
    for (let u = 0; u < offers.length; u++)
      for (let v = 0; v < u; v++) {
        const a = offers[u]!
        const b = offers[v]!
        const gives = (op: Op): boolean => op._tag === 'dealloc' || op._tag === 'free'
        if (gives(a.op) && gives(b.op)) continue
        if (a.writes & (b.reads | b.writes) || a.reads & b.writes)
          report('race', [name(a.agent, a.index), name(b.agent, b.index)].sort().join(' '))
      }

    // a CTA that is gone, and what others did to it none of its agents knew of
    if (ordering)
      for (const cta of ctas) {
        if (!ctaDone(state, cta)) continue
        const known = agents.reduce((all, a, x) => (a.cta === cta ? all | state[orderOf(x)]! : all), 0)
        for (let y = 0; y < n; y++) {
          if (agents[y]!.cta === cta) continue
          const bits = [...words.keys()].reduce(
            (all, word) => (word.startsWith(`s${String(cta)}.`) ? all | wordBit(y, wordNamed(word)) : all),
            effectBit(y, cta),
          )
          if ((bits & state[happenedAt]! & ~known) !== 0) report('gone', `${String(y)}@${String(cta)}`)
        }
      }

    // a CTA that is gone while something still acts on it
    ctas.forEach((cta, c) => {
      if (!ctaDone(state, cta)) return
      const own = ctaMask[c]!
      const late = (x: number, i: number): void => {
        report('exit', `U2 ${name(x, i)}@${String(cta)}`)
      }
      for (let x = 0; x < n; x++) {
        for (const i of flying[x]!) {
          const step = steps[x]![i]!
          const now = state[step.slot + STAGE]!
          if (step.op._tag === 'load')
            step.parts.forEach((part, j) => {
              const at = state[step.slot + j * slotWidth + STAGE]!
              if ((at === 1 || at === 2) && (part.mask & own || barriers[part.barrier]!.cta === cta))
                late(x, i)
            })
          else if (now !== 1) continue
          else if (step.op._tag === 'store' && step.reads & own) late(x, i)
          else if (step.op._tag === 'copy' && step.writes & own) late(x, i)
          else if (step.op._tag === 'copyArrive' && barriers[step.op.barrier]!.cta === cta) late(x, i)
          else if (
            (step.op._tag === 'mma' || step.op._tag === 'commit') &&
            ((step.reads | step.tensorReads | step.writes) & own ||
              step.barriers.some((b) => barriers[b]!.cta === cta))
          )
            late(x, i)
        }
        const first = matrixQueue[x]!.find((i) => stage(x, i) === 1)
        if (first !== undefined && agents[x]!.cta === cta) late(x, first)
      }
    })

    // what is left at the end
    if (dynamic && moves === 0 && agents.every((_, x) => finished(state, x)))
      for (const cta of ctas) {
        const { held, steps: own } = allocatorOf(state, cta)
        if (held.length > 0) report('exit', `T1 ${String(cta)}`)
        const theirs = ctas.includes(cta ^ 1) ? allocatorOf(state, cta ^ 1).steps : []
        if (own.join(' ') !== theirs.join(' ')) report('exit', `T4 ${String(cta)}`)
      }

    if (moves === 0 && agents.some((_, x) => !finished(state, x)))
      report('deadlock', agents.map((_, x) => String(state[x]!)).join(','))
  }

  return { width, initial, expand }
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
