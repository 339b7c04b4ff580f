/**
 * Where agents meet: barriers of memory, rendezvous, named barriers, the cluster barrier, and words.
 *
 * | meeting        | goes on                                     | is told                                                    |
 * |----------------|---------------------------------------------|------------------------------------------------------------|
 * | mbarrier       | when the phase of the other parity is over  | what arrivals of that phase published                      |
 * | rendezvous     | when all members stand at it                | what each of them sees                                     |
 * | named barrier  | when as many have come as are counted       | what those who came saw                                    |
 * | cluster        | when all have come or ended                 | what those who came saw                                    |
 * | word           | when its value is the one that is waited for| what writers in whose scope the reader is have published   |
 *
 * Each function is the turn of one agent: it reports what is wrong, and gives at most one successor away.
 *
 * Source: PTX ISA, mbarrier, barrier.cluster, bar, memory consistency model (scopes, morally strong, release patterns).
 */
import {
  ASYNC,
  CAME,
  classes,
  classOf,
  COUNTED,
  DONE,
  FARDONE,
  FENCED,
  FENCEDWIDE,
  GENERIC,
  HEARD,
  HEARDFAR,
  isNarrow,
  MET,
  morallyStrong,
  namedWidth,
  PARITY,
  PUBLISHED,
  RECEIVED,
  TENSOR,
  TOLD,
  VALUE,
  wordWidth,
  WRITER,
  type Layout,
} from './layout.js'
import type {
  Arrive,
  ArriveExpect,
  Atom,
  ClusterArrive,
  Expect,
  FenceMemory,
  Hear,
  NamedArrive,
  NamedSync,
  Peek,
  Rendezvous,
  Tell,
  Wait,
} from './skeleton.js'
import { named, type Turn } from './turn.js'
import type { Reach } from './reach.js'
import type { Views } from './views.js'

export interface Meetings {
  readonly arrives: (turn: Turn, op: Arrive | ArriveExpect | Expect) => void
  readonly waits: (turn: Turn, op: Wait | Peek) => void
  readonly rendezvous: (turn: Turn, op: Rendezvous) => void
  readonly namedBarrier: (turn: Turn, op: NamedArrive | NamedSync) => void
  readonly clusterArrives: (turn: Turn, op: ClusterArrive) => void
  readonly clusterWaits: (turn: Turn) => void
  readonly tells: (turn: Turn, op: Tell) => void
  readonly hears: (turn: Turn, op: Hear) => void
  readonly fencesMemory: (turn: Turn, op: FenceMemory) => void
}

export const meetingsOf = (layout: Layout, views: Views, reach: Reach): Meetings => {
  const { agents, barriers, steps, classBit, scoped, fencing, ordering, barrierAt, viewAt, truthAt } = layout
  const { fencedAt, wordAt, namedAt, standsAt, joinedAt, metAt, lackingAt, happenedAt, orderOf } = layout
  const { orderOfBarrier, orderOfNamed, orderOfCluster, orderOfWord, orderOfFence, effectBit, wordBit } =
    layout
  const { happens, signal, clear, hearAt, ctaDone } = views
  const { reaches } = reach
  const n = agents.length
  const isFar = (x: number, word: Atom): boolean => word._tag === 'smem' && word.cta !== agents[x]!.cta
  /** Of a strong access of a word: what of its last writes, by classes that are out of its scope, it does not see. */
  const strong = (turn: Turn, word: Atom, k: number): void => {
    const { report, generic, x, i } = turn
    reaches(turn, [word])
    for (const l of classes)
      if (!morallyStrong(k, l) && (classBit(word, l) & ~generic) !== 0) report('visibility', named(x, i))
  }

  /** An arrival, with or without units, or units alone. */
  const arrives = (turn: Turn, op: Arrive | ArriveExpect | Expect): void => {
    const { state, next, report, emit, x, i, step, generic, async, tensor, published } = turn
    const releases = op._tag !== 'expect' && !op.relaxed
    const carried = op._tag !== 'expect' && op.tensor ? tensor : published
    next.set(state)
    next[x] = i + 1
    const good = step.barriers.every((b) => {
      const target = barriers[b]!
      const far = target.cta !== agents[x]!.cta
      if (far && ctaDone(state, target.cta)) report('exit', `K1 ${named(x, i)}`)
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
      if (!done) report('fault', `${named(x, i)}#${String(b)}`)
      return done
    })
    if (good) emit('agent', x, i, 0)
  }

  /** A wait goes on where the phase is over; a peek takes its turn whatever the barrier is at. */
  const waits = (turn: Turn, op: Wait | Peek): void => {
    const { state, next, x, i, view, taken } = turn
    const at = barrierAt(op.barrier)
    const passes = state[at + PARITY] !== op.parity
    const truth = truthAt(x, i)
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
      const received = state[view + RECEIVED]! | state[at + DONE + 2]! | (wide ? state[at + FARDONE + 2]! : 0)
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
    else if (op.after !== undefined && state[truth] === 1) taken(() => undefined)
    else if (passes) taken(acquired)
  }

  /** All members go on at once, moved by the first of them. */
  const rendezvous = (turn: Turn, op: Rendezvous): void => {
    const { state, next, x, taken } = turn
    if (x !== op.members[0]) return
    const here = op.members.every((y) => {
      const other = steps[y]![state[y]!]?.op
      return other?._tag === 'rendezvous' && other.id === op.id
    })
    if (!here) return
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
  }

  /** A barrier by count: the last who comes lets all go. */
  const namedBarrier = (turn: Turn, op: NamedArrive | NamedSync): void => {
    const { state, next, report, emit, x, i, generic, async, published } = turn
    if (state[standsAt(x)] === 1) return
    const { cta } = agents[x]!
    const at = namedAt(cta, op.id)
    if (state[at + CAME]! > 0 && state[at + COUNTED] !== op.count) {
      report('fault', named(x, i))
      return
    }
    next.set(state)
    next[at + CAME]! += 1
    next[at + COUNTED] = op.count
    next[at + MET]! |= generic
    next[at + MET + 1]! |= async
    next[at + MET + 2]! |= published
    const meeting = orderOfNamed(at)
    if (ordering) next[meeting]! |= state[orderOf(x)]!
    if (op._tag === 'namedSync') next[standsAt(x)] = 1
    else next[x] = i + 1
    if (next[at + CAME]! >= op.count) {
      for (let y = 0; y < n; y++) {
        const other = steps[y]![state[y]!]?.op
        if (next[standsAt(y)] !== 1 || other?._tag !== 'namedSync') continue
        if (other.id !== op.id || agents[y]!.cta !== cta) continue
        next[standsAt(y)] = 0
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
  }

  /** The first half of the cluster barrier. */
  const clusterArrives = (turn: Turn, op: ClusterArrive): void => {
    const { state, next, report, x, i, generic, async, published, taken } = turn
    if (state[joinedAt(x)] !== 0) {
      report('fault', named(x, i))
      return
    }
    taken(() => {
      next[joinedAt(x)] = 1
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
  }

  /** The second half of the cluster barrier. */
  const clusterWaits = (turn: Turn): void => {
    const { state, next, report, x, i, view, taken } = turn
    if (state[joinedAt(x)] === 2) {
      if (state[lackingAt] === 1) report('exit', `K2 ${named(x, i)}`)
      taken(() => {
        next[joinedAt(x)] = 0
        if (ordering) next[orderOf(x)]! |= state[orderOfCluster + 1]!
        next[view + GENERIC]! |= state[metAt + 3]!
        next[view + ASYNC]! |= state[metAt + 4]!
        next[view + RECEIVED]! |= state[metAt + 5]!
      })
    }
  }

  /** A strong write of a word. */
  const tells = (turn: Turn, op: Tell): void => {
    const { state, next, x, i, view, generic, async, taken, tell } = turn
    const at = wordAt(op.word)
    const own = classOf(agents[x]!.cta, op.wide)
    strong(turn, op.word, own)
    tell({ agent: x, index: i, word: at, own, writes: true })
    taken(() => {
      const bit = classBit(op.word, own)
      if (bit !== 0) {
        clear(next, bit)
        next[view + GENERIC]! |= bit
      }
      const last = state[at + WRITER]! - 1
      const heard = last >= 0 && morallyStrong(last, own)
      if (op.how === 'add' && heard) hearAt(state, next, x, at, own, false)
      if (op.how === 'add' && heard) next[view + GENERIC]! |= classBit(op.word, last)
      next[at + VALUE] = op.how === 'store' ? op.value : state[at + VALUE]! + op.value
      // what was told goes on through an addition that reads it
      if (op.how === 'store' || !heard) {
        for (let k = TOLD; k < wordWidth; k++) next[at + k] = 0
        for (const k of classes) next[orderOfWord(at, k)] = 0
      }
      if (isFar(x, op.word)) happens(next, x, wordBit(x, op.word))
      const says = (k: number, g: number, a: number, o: number): void => {
        next[at + TOLD + 2 * k]! |= g
        next[at + TOLD + 2 * k + 1]! |= a
        next[orderOfWord(at, k)]! |= o
      }
      // a release is before what acquires it, itself, too
      if (op.releases) says(own, generic | classBit(op.word, own), async, next[orderOf(x)]!)
      if (fencing)
        for (const [k, from] of [
          [classOf(agents[x]!.cta, false), FENCED],
          [classOf(agents[x]!.cta, true), FENCEDWIDE],
        ] as const)
          says(k, next[fencedAt(x) + from]!, next[fencedAt(x) + from + 1]!, next[orderOfFence(x) + from / 2]!)
      next[at + WRITER] = own + 1
    })
  }

  /** A strong read of a word, that waits for its value. */
  const hears = (turn: Turn, op: Hear): void => {
    const { state, next, x, i, view, taken, tell } = turn
    const at = wordAt(op.word)
    const own = classOf(agents[x]!.cta, op.wide)
    const value = state[at + VALUE]!
    if (op.until === 'eq' ? value !== op.value : op.until === 'ge' && value < op.value) return
    strong(turn, op.word, own)
    tell({ agent: x, index: i, word: at, own, writes: false })
    taken(() => {
      const last = state[at + WRITER]! - 1
      if (isFar(x, op.word)) happens(next, x, wordBit(x, op.word))
      if (last >= 0 && morallyStrong(last, own)) {
        next[view + GENERIC]! |= classBit(op.word, last)
        hearAt(state, next, x, at, own, op.acquires)
      }
      // what it has waited for has come, though it tells nothing
      if (op.until !== 'any')
        for (let y = 0; y < n; y++) next[orderOf(x)]! |= wordBit(y, op.word) & state[happenedAt]!
    })
  }

  /** A fence of memory: takes over what was heard, publishes what is seen. */
  const fencesMemory = (turn: Turn, op: FenceMemory): void => {
    const { state, next, x, view, taken } = turn
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
  }

  return {
    arrives,
    waits,
    rendezvous,
    namedBarrier,
    clusterArrives,
    clusterWaits,
    tells,
    hears,
    fencesMemory,
  }
}
