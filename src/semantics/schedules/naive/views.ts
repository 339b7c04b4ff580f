/**
 * Who sees what: how a state changes where something is written, read, published or received.
 *
 * A view has a bit per atom, "my view shows the last write". A write clears the bit in every view (law 2 of `layout.ts` names them all). An agent that publishes hands
 * its bits on, and an agent that receives adds them to its own. No function here knows an instruction: the moves (`agents.ts`, `meetings.ts`, `flight.ts`) say which of
 * these happen, and in which order.
 *
 *     clear x         bit of x in every view: 0
 *     signal b        pending arrivals and units go down; at zero both, the parity turns and what was published is what waiters receive
 *
 * Laws
 * 1. `clear` then a bit in one view: that view alone shows the write.
 * 2. `signal` publishes to the open generation alone; what is published later comes with the next one.
 * 3. A read lands what it saw for writers of its own proxy, and for all where it was not written through the generic proxy.
 */
import {
  ASYNC,
  CURRENT,
  DONE,
  FAR,
  FARDONE,
  GENERIC,
  HEARD,
  HEARDFAR,
  PARITY,
  PENDING,
  TOLD,
  UNITS,
  classes,
  isWide,
  morallyStrong,
  type Layout,
} from './layout.js'

/** Every function changes the state that it is given, or asks it. Atoms come as masks. */
export interface Views {
  /** The agent has read this, or done it: who knew of the time before knows nothing of it yet. */
  readonly happens: (s: Int32Array, x: number, bit: number) => void
  /** A barrier event. False: the barrier had no arrival left. */
  readonly signal: (
    s: Int32Array,
    b: number,
    arrivals: number,
    units: number,
    generic: number,
    async: number,
    tensor: number,
    inOrder: number,
    far?: boolean,
  ) => boolean
  readonly clear: (s: Int32Array, m: number) => void
  /** A write of `m`: it has not been read yet. */
  readonly wrote: (s: Int32Array, m: number, generic: boolean) => void
  /** A read that saw `m`: it has landed, for every writer if it was not generic, else for those of the reader's proxy. */
  readonly saw: (s: Int32Array, m: number, generic: boolean) => void
  /** The cluster barrier, where all have come who will. */
  readonly gather: (s: Int32Array) => void
  readonly numbersIn: (m: number) => ReadonlyArray<number>
  /** Do all reads of these atoms by other agents come before, in this order? */
  readonly afterReads: (s: Int32Array, m: number, x: number, order: number) => boolean
  readonly forgetReads: (s: Int32Array, m: number) => void
  /** What a word tells in `s` to an agent, in `next`: to one that acquires at once, else at its next fence. */
  readonly hearAt: (
    s: Int32Array,
    next: Int32Array,
    x: number,
    at: number,
    own: number,
    acquires: boolean,
  ) => void
  readonly finished: (s: Int32Array, x: number) => boolean
  readonly ctaDone: (s: Int32Array, cta: number) => boolean
}

/** `excused`: the cluster barrier does not wait for agents that will not come to it any more, even if they have not ended. */
export const viewsOf = (layout: Layout, excused: boolean): Views => {
  const { agents, barriers, ctas, atoms, steps, scoped, fencing, ordering, barrierAt, landedAt } = layout
  const { viewAt, writtenAt, fencedAt, joinedAt, metAt, lackingAt, masks } = layout
  const { happenedAt, orders, orderOf, orderOfBarrier, orderOfCluster, orderOfWord, orderOfFence, readBit } =
    layout
  const n = agents.length

  const finished = (state: Int32Array, x: number): boolean => state[x]! >= steps[x]!.length
  const ctaDone = (state: Int32Array, cta: number): boolean =>
    agents.every((agent, x) => agent.cta !== cta || finished(state, x))
  /** The agent has read this, or done it: who knew of the time before knows nothing of it yet. */
  const happens = (s: Int32Array, x: number, bit: number): void => {
    for (const k of orders) s[k]! &= ~bit
    s[happenedAt]! |= bit
    s[orderOf(x)]! |= bit
  }
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
  /** It arrives no more, and leaves no more what it has arrived at. */
  const comesNoMore = (s: Int32Array, x: number): boolean =>
    steps[x]!.every(
      ({ op }, i) =>
        i < s[x]! || (op._tag !== 'clusterArrive' && (op._tag !== 'clusterWait' || s[joinedAt(x)] === 0)),
    )
  /** All agents have arrived at the cluster barrier, or ended. */
  const gather = (s: Int32Array): void => {
    let came = false
    for (let x = 0; x < n; x++)
      if (s[joinedAt(x)] === 1) came = true
      else if (!(finished(s, x) || (excused && comesNoMore(s, x)))) return
    if (!came) return
    s[lackingAt] = ctas.every((cta) => agents.some((a, x) => a.cta === cta && s[joinedAt(x)] === 1)) ? 0 : 1
    for (let x = 0; x < n; x++) if (s[joinedAt(x)] === 1) s[joinedAt(x)] = 2
    for (let k = 0; k < 3; k++) {
      s[metAt + 3 + k] = s[metAt + k]!
      s[metAt + k] = 0
    }
    if (!ordering) return
    s[orderOfCluster + 1] = s[orderOfCluster]!
    s[orderOfCluster] = 0
  }
  const numbersIn = (m: number): ReadonlyArray<number> => atoms.flatMap((_, a) => ((m >> a) & 1 ? [a] : []))
  const readsOf = (m: number): number =>
    numbersIn(m).reduce((bits, a) => agents.reduce((all, _, y) => all | readBit(y, a), bits), 0)
  /** Do all reads of these atoms by other agents come before, in this order? */
  const afterReads = (s: Int32Array, m: number, x: number, order: number): boolean =>
    !ordering || (readsOf(m) & s[happenedAt]! & ~order & ~ownReads(x)) === 0
  const ownReads = (x: number): number => atoms.reduce((all, _, a) => all | readBit(x, a), 0)
  const forgetReads = (s: Int32Array, m: number): void => {
    if (ordering) s[happenedAt]! &= ~readsOf(m)
  } /** What a word tells to an agent: to one that acquires at once, else at its next fence. */
  const hearAt = (
    s: Int32Array,
    next: Int32Array,
    x: number,
    at: number,
    own: number,
    acquires: boolean,
  ): void => {
    for (const k of classes) {
      const order = s[orderOfWord(at, k)]!
      const near = k >> 1 === own >> 1
      if (acquires) {
        if (morallyStrong(k, own)) next[orderOf(x)]! |= order
      } else if (fencing && (near || isWide(k)))
        next[orderOfFence(x) + (near ? HEARD : HEARDFAR) / 2]! |= order
    }
    for (const k of classes)
      for (const p of [0, 1]) {
        const message = s[at + TOLD + 2 * k + p]!
        const near = k >> 1 === own >> 1
        if (acquires) {
          if (morallyStrong(k, own)) next[viewAt(x) + (p === 0 ? GENERIC : ASYNC)]! |= message
        } else if (fencing && (near || isWide(k)))
          next[fencedAt(x) + (near ? HEARD : HEARDFAR) + p]! |= message
      }
  }

  return {
    happens,
    signal,
    clear,
    wrote,
    saw,
    gather,
    numbersIn,
    afterReads,
    forgetReads,
    hearAt,
    finished,
    ctaDone,
  }
}
