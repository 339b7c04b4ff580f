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
 * Columns of tensor memory are those of a history (`allocator.ts`). It is kept whole, so states are told apart that would go on alike.
 *
 * | kind       | found when                                                                            |
 * |------------|---------------------------------------------------------------------------------------|
 * | race       | one state offers two accesses of one atom, one of them a write                        |
 * | visibility | an access whose view lacks the bit is offered; or a use of another CTA's barrier by a view that lacks its initialisation |
 * | fault      | an arrival on a barrier whose pending count is zero                                   |
 * | deadlock   | a state with unfinished agents offers nothing                                         |
 * | refused    | an allocation without room, larger than the one before it or after a promise; columns given back or used that are not there |
 * | unwritten  | a load of an atom that was never written, where the skeleton allocates                |
 * | exit       | columns are left at the end, or the CTAs of a pair have not taken the same steps; or  |
 * |            | a CTA has exited while an operation on its memory or barriers is open (U2), or is arrived on (K1) |
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
import type { Atoms, Choice, Op, Skeleton } from './skeleton.js'
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

type Kind = 'race' | 'visibility' | 'fault' | 'deadlock' | 'exit' | 'refused' | 'unwritten'

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
const barrierWidth = 9

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

const STAGE = 0 // 0 not issued, 1 issued, 2 performed but not signalled, 3 done
const MASK = 1
const OWN = 2
const slotWidth = 3

// ---------------------------------------------------------------- the transition system

const unpublishedIn = (skeleton: Skeleton): ReadonlyArray<number> =>
  skeleton.barriers.flatMap((b, k) => (b.unpublished === true ? [k] : []))

/** More atoms, and initialisations that are not published, than bits in a word. */
const tooManyAtoms = (skeleton: Skeleton): boolean =>
  atomsOf(skeleton).length + unpublishedIn(skeleton).length > 31

const system = (skeleton: Skeleton): System => {
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
  const firstOf = (cta: number): number => agents.findIndex((agent) => agent.cta === cta)
  /** what it sees of initialisations at the start: its own */
  const madeBy = (x: number): number =>
    barriers.reduce((m, b, k) => (firstOf(b.cta) === x ? m | lives[k]! : m), 0)
  const notGlobal = mask(atoms.filter((atom) => atom._tag !== 'gmem'))
  const ctas = [...new Set(agents.map((agent) => agent.cta))].sort((a, b) => a - b)
  const ctaMask = ctas.map((cta) =>
    mask(atoms.filter((atom) => (atom._tag === 'smem' || atom._tag === 'tmem') && atom.cta === cta)),
  )

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
  const width = historyAt(ctas.length) + truthOf.size

  /** Every word that is a view: a write clears its bits in all of them. */
  const masks: number[] = []
  for (let b = 0; b < barriers.length; b++)
    for (let k = CURRENT; k < barrierWidth; k++) masks.push(barrierAt(b) + k)
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
  ): boolean => {
    const at = barrierAt(b)
    if (arrivals > 0 && s[at + PENDING] === 0) return false
    s[at + PENDING]! -= arrivals
    s[at + UNITS]! += units
    s[at + CURRENT]! |= generic
    s[at + CURRENT + 1]! |= async
    s[at + CURRENT + 2]! |= tensor
    if (s[at + PENDING] === 0 && s[at + UNITS] === 0) {
      s[at + PENDING] = barriers[b]!.count
      s[at + PARITY]! ^= 1
      for (let k = 0; k < 3; k++) {
        s[at + DONE + k] = s[at + CURRENT + k]!
        s[at + CURRENT + k] = 0
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

  const expand: System['expand'] = (state, next, move, report) => {
    const offers: Offer[] = []
    const offer = (x: number, i: number, reads: number, writes: number): void => {
      offers.push({ agent: x, index: i, op: steps[x]![i]!.op, reads, writes })
    }
    const name = (x: number, i: number): string => `${String(x)}.${String(i)}`
    const landed = state[landedAt]!
    const landedOther = state[landedAt + 1]!
    let moves = 0
    const emit = (tag: Choice['_tag'], x: number, i: number, part: number): void => {
      moves += 1
      move(tag, x, i, part)
    }
    const stage = (x: number, i: number, part: number = 0): number =>
      state[steps[x]![i]!.slot + part * slotWidth + STAGE]!

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
      if (!step.on) {
        taken(nothing)
        continue
      }
      for (const b of step.barriers)
        if (barriers[b]!.cta !== agents[x]!.cta && (lives[b]! & ~generic) !== 0)
          report('visibility', name(x, i))
      switch (op._tag) {
        case 'read':
          offer(x, i, step.reads, 0)
          if (step.reads & ~generic) report('visibility', name(x, i))
          taken(() => {
            saw(next, step.reads & generic, true)
          })
          break
        case 'write':
          offer(x, i, 0, step.writes)
          if (step.writes & ~generic & ~landed) report('visibility', name(x, i))
          taken(() => {
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
            if (target.cta !== agents[x]!.cta && ctaDone(state, target.cta))
              report('exit', `K1 ${name(x, i)}`)
            const done = signal(
              next,
              b,
              op._tag === 'expect' ? 0 : 1,
              op._tag === 'arrive' ? 0 : op.units,
              releases ? generic : 0,
              releases ? async : 0,
              releases ? carried : 0,
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
          const acquired = (): void => {
            if (op.relaxed) return
            const received = state[view + RECEIVED]! | state[at + DONE + 2]!
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
      }
    }

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
              next.set(state)
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
              if (signal(next, part.barrier, 0, -part.units, own, own, 0)) emit('operation', x, i, j)
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
          if (signal(next, op.barrier, 1, 0, own, 0, 0)) emit('operation', x, i, 0)
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
            const done = signal(next, b, 1, 0, 0, 0, queue)
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
        const frees = gives(a.op) || gives(b.op)
        if (gives(a.op) && gives(b.op)) continue
        if (frees && (a.op._tag === 'tensorLoad' || b.op._tag === 'tensorLoad')) continue
        if (a.writes & (b.reads | b.writes) || a.reads & b.writes)
          report('race', [name(a.agent, a.index), name(b.agent, b.index)].sort().join(' '))
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

/** All schedules. `too large`: more states than allowed, or more atoms than a word has bits. */
export const explore = (skeleton: Skeleton, limits: Limits = defaultLimits): Exploration | 'too large' => {
  if (tooManyAtoms(skeleton)) return 'too large'
  const { width, initial, expand } = system(skeleton)
  const seen = emptySet(width)
  const state = new Int32Array(width)
  const next = new Int32Array(width)
  const found: Readonly<Record<Kind, Set<string>>> = {
    race: new Set(),
    visibility: new Set(),
    fault: new Set(),
    deadlock: new Set(),
    exit: new Set(),
    refused: new Set(),
    unwritten: new Set(),
  }
  let bad = false
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
  return {
    _tag: 'explored',
    clean: !bad,
    race: [...found.race].sort(),
    visibility: [...found.visibility].sort(),
    fault: [...found.fault].sort(),
    deadlock: [...found.deadlock].sort(),
    exit: [...found.exit].sort(),
    refused: [...found.refused].sort(),
    unwritten: [...found.unwritten].sort(),
    states: seen.count(),
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
