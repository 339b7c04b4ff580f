/**
 * Where everything lies in a state.
 *
 * A state of the naive engine is one vector of numbers. This module lays it out for a skeleton: program counters, barriers, views, what has landed, operations in
 * flight, allocations, truths of peeks, fences, words, named barriers, the cluster barrier, and last, where there are words, what is in order. It says where each of
 * them begins and what a bit means, and nothing of how it changes: that is in `views.ts` and in the modules of moves.
 *
 *     pc of each agent | barriers | views | landed (3) | slots | written | histories | truths | fences | words | named | stands | cluster | order
 *
 * A part that a skeleton has no use for has no room in it, so that small skeletons have small states.
 *
 * Laws
 * 1. No two parts share a number.
 * 2. `masks` has the place of every number that is a view, and of nothing else: a write clears its bits there.
 */
import { isStep } from './allocator.js'
import type { Atom, Atoms, Op, Skeleton } from './skeleton.js'
import { allocates, atomsOf, barriersOf, footprint, groups, isOn, showAtom, wordsOf } from './skeleton.js'

// ---------------------------------------------------------------- parts of a state

// Offsets inside a barrier, a view and a slot of an operation in flight.
export const PENDING = 0
export const UNITS = 1
export const PARITY = 2
export const CURRENT = 3 // what arrivals of the open generation publish: generic, async, tensor
export const DONE = 6 // the same of the last complete one
export const FAR = 9 // of the open generation, what arrivals from other CTAs publish, where scopes differ
export const FARDONE = 12

export const GENERIC = 0
export const ASYNC = 1
export const TENSOR = 2
export const PUBLISHED = 3 // tensor, as of the last fenceBefore
export const RECEIVED = 4 // tensor, until the next fenceAfter
export const QUEUE = 5 // written by the agent's tcgen05 queue
export const STORED = 6 // written by its tensor stores
export const BULK = 7 // written by its bulk stores
export const COPIED = 8 // written by its copies and waited for
export const viewWidth = 9

// Of an agent, where memory is fenced: what it saw at its last fence of its CTA, of the cluster; what it has read and not taken over yet, from
// its own CTA, from others. Generic and async each.
export const FENCED = 0
export const FENCEDWIDE = 2
export const HEARD = 4
export const HEARDFAR = 6
export const fenceWidth = 8

// Of a word: its value, who wrote it last, and by whose release (a class of writers) what is published.
export const VALUE = 0
export const WRITER = 1
export const TOLD = 2
export const wordWidth = 10
/** A class of strong accesses: those of a CTA, at its scope or at the cluster's. */
export const classOf = (cta: number, wide: boolean): number => 2 * (cta & 1) + (wide ? 1 : 0)
export const isWide = (k: number): boolean => (k & 1) === 1
/** Is each in the scope of the other? */
export const morallyStrong = (k: number, l: number): boolean => k >> 1 === l >> 1 || (isWide(k) && isWide(l))
export const classes: ReadonlyArray<number> = [0, 1, 2, 3]

// Of a named barrier: who has come, how many are counted, and what they publish.
export const CAME = 0
export const COUNTED = 1
export const MET = 2
export const namedWidth = 5

export const STAGE = 0 // 0 not issued, 1 issued, 2 performed but not signalled, 3 done
export const MASK = 1
export const OWN = 2
export const slotWidth = 3

// ---------------------------------------------------------------- model

/** One operation, with its atoms as masks. `slot` is where its state in flight lies, -1 if it has none. */
export interface Step {
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
/** Where things lie, by agent `x`, barrier `b`, slot or word; and the skeleton itself, with its atoms as bits. */
export interface Layout {
  readonly skeleton: Skeleton
  readonly agents: Skeleton['agents']
  readonly barriers: Skeleton['barriers']
  readonly ctas: ReadonlyArray<number>
  readonly atoms: Atoms
  readonly steps: ReadonlyArray<ReadonlyArray<Step>>
  /** the operations in flight of each agent, in program order, and those of its queues */
  readonly flying: ReadonlyArray<ReadonlyArray<number>>
  readonly tensorQueue: ReadonlyArray<ReadonlyArray<number>>
  readonly matrixQueue: ReadonlyArray<ReadonlyArray<number>>

  /** the bits of some atoms, and those of sets that are asked for often */
  readonly mask: (some: Atoms) => number
  readonly notGlobal: number
  readonly inTensorMemory: number
  /** of the shared and tensor memory of a CTA */
  readonly ownOf: (cta: number) => number
  /** the bit of a barrier's initialisation, 0 where every agent sees it */
  readonly lives: ReadonlyArray<number>
  /** the bit of the last write of a word by a class, 0 where classes do not differ */
  readonly classBit: (word: Atom, k: number) => number

  /** are there narrow accesses, allocations, fences of memory, a cluster barrier, words? */
  readonly scoped: boolean
  readonly dynamic: boolean
  readonly fencing: boolean
  readonly meets: boolean
  readonly ordering: boolean

  /** numbers in a state */
  readonly width: number
  readonly barrierAt: (b: number) => number
  readonly viewAt: (x: number) => number
  /** landed for a generic writer, landed for another writer, last written through the generic proxy */
  readonly landedAt: number
  /** a bit per atom that has been written: all of them, but tensor memory that is to be allocated */
  readonly writtenAt: number
  /** by CTA: the steps of its allocator so far, agent * 1024 + operation + 1; at most `longest` */
  readonly historyAt: (cta: number) => number
  readonly longest: number
  /** by operation, of a peek or of a wait after one: whether its agent's last peek of that name was true */
  readonly truthAt: (x: number, i: number) => number
  readonly fencedAt: (x: number) => number
  readonly wordAt: (word: Atom) => number
  readonly namedAt: (cta: number, id: number) => number
  /** by agent: it stands at a named barrier, and has arrived */
  readonly standsAt: (x: number) => number
  /** by agent: 1 it has arrived at the cluster barrier, 2 and all others too */
  readonly joinedAt: (x: number) => number
  /** what arrivals at the cluster barrier publish, and those of the last generation */
  readonly metAt: number
  /** the last generation lacked all agents of some CTA */
  readonly lackingAt: number
  /** every number that is a view */
  readonly masks: ReadonlyArray<number>

  /** What is in order, where words may tell of it less than barriers do: bits of what has happened and is not over, and who knows of it. */
  readonly happenedAt: number
  readonly orders: ReadonlyArray<number>
  readonly orderOf: (x: number) => number
  readonly orderOfBarrier: (b: number) => number
  readonly orderOfSlot: (slot: number) => number
  readonly orderOfNamed: (at: number) => number
  readonly orderOfCluster: number
  readonly orderOfWord: (at: number, k: number) => number
  /** fenced, fenced widely, heard, heard from afar */
  readonly orderOfFence: (x: number) => number
  /** the bit of the last read of an atom by an agent, of its last effect on another CTA, of its last strong access of a word there */
  readonly readBit: (x: number, a: number) => number
  readonly effectBit: (x: number, cta: number) => number
  readonly wordBit: (x: number, word: Atom) => number
  /** the words of shared memory of a CTA */
  readonly wordsIn: (cta: number) => Atoms

  readonly initial: (state: Int32Array) => void
}

// ---------------------------------------------------------------- what does not fit

/** Does it act in the scope of its CTA alone? */
export const isNarrow = (op: Op): boolean => 'narrow' in op && op.narrow === true

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
export const tooManyAtoms = (skeleton: Skeleton): boolean =>
  atomsOf(skeleton).length +
    unpublishedIn(skeleton).length +
    [...mixedWords(skeleton).values()].reduce((n, all) => n + all.length, 0) >
    31 || orderBits(skeleton) > 31

// ---------------------------------------------------------------- the layout

export const layoutOf = (skeleton: Skeleton): Layout => {
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
  const inTensorMemory = mask(atoms.filter((atom) => atom._tag === 'tmem'))
  const ctas = [...new Set(agents.map((agent) => agent.cta))].sort((a, b) => a - b)
  const ctaMask = ctas.map((cta) =>
    mask(atoms.filter((atom) => (atom._tag === 'smem' || atom._tag === 'tmem') && atom.cta === cta)),
  )

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
  const historyAt = (cta: number): number => writtenAt + 1 + ctas.indexOf(cta) * longest
  const truthsFrom = writtenAt + 1 + ctas.length * longest
  /** by operation, of a peek: whether its agent's last one of that name was true */
  const truthOf = new Map<string, number>()
  const names = agents.map((agent, x) =>
    agent.ops.map((op) => {
      const name = op._tag === 'peek' ? op.name : op._tag === 'wait' ? op.after : undefined
      if (name === undefined) return -1
      const key = `${String(x)} ${name}`
      if (!truthOf.has(key)) truthOf.set(key, truthsFrom + truthOf.size)
      return truthOf.get(key)!
    }),
  )
  const has = (tag: Op['_tag']): boolean => agents.some(({ ops }) => ops.some((op) => op._tag === tag))
  const fencing = has('fenceMemory')
  const fencedAt = (x: number): number => truthsFrom + truthOf.size + x * fenceWidth
  const allWords = wordsOf(skeleton)
  const words = new Map(allWords.map((word, k) => [showAtom(word), k]))
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

  return {
    skeleton,
    agents,
    barriers,
    ctas,
    atoms,
    steps,
    flying,
    tensorQueue,
    matrixQueue,
    mask,
    notGlobal,
    inTensorMemory,
    ownOf: (cta) => ctaMask[ctas.indexOf(cta)]!,
    lives,
    classBit: (word, k) => classBit.get(`${showAtom(word)} ${String(k)}`) ?? 0,
    scoped,
    dynamic,
    fencing,
    meets,
    ordering,
    width,
    barrierAt,
    viewAt,
    landedAt,
    writtenAt,
    historyAt,
    longest,
    truthAt: (x, i) => names[x]![i]!,
    fencedAt,
    wordAt,
    namedAt,
    standsAt: (x) => standsAt + x,
    joinedAt: (x) => joinedAt + x,
    metAt,
    lackingAt,
    masks,
    happenedAt,
    orders,
    orderOf,
    orderOfBarrier,
    orderOfSlot,
    orderOfNamed: (at) => orderOfNamed + (at - namedFrom) / namedWidth,
    orderOfCluster,
    orderOfWord,
    orderOfFence,
    readBit,
    effectBit,
    wordBit,
    wordsIn: (cta) => allWords.filter((word) => word._tag === 'smem' && word.cta === cta),
    initial,
  }
}
