/**
 * Skeletons that no program has, and why.
 *
 * A skeleton may say what no instruction does: a wait for a barrier of another CTA, an operation on two atoms where the instruction has one operand. To embed one anyway as
 * something near it would compare two different things, so it is refused with its reason.
 *
 * Law 1. What has no obstacle is embedded and can be placed.
 */
import { showOp } from './notation.js'
import { showAtom, type Atom, type Atoms, type Op, type Skeleton } from './skeleton.js'
import { orderOf, nameOf } from './embed-kit.js'

export const sameCta = (skeleton: Skeleton, agents: ReadonlyArray<number>): boolean =>
  agents.every((x) => skeleton.agents[x]!.cta === skeleton.agents[agents[0]!]!.cta)

/** Why no program has this operation, or null. */
const obstacle = (skeleton: Skeleton, x: number, op: Op): string | null => {
  const { cta } = skeleton.agents[x]!
  const counted = (what: string, list: ReadonlyArray<unknown>): string | null =>
    list.length === 1 ? null : `${what}: expected one, found ${String(list.length)}`
  const within = (atom: Atom): string | null =>
    (atom._tag === 'smem' || atom._tag === 'tmem') && atom.cta !== cta
      ? `${showAtom(atom)} is in another CTA`
      : null
  const single = (atoms: Atoms, tag: Atom['_tag'], where: string): string | null => {
    const atom = atoms[0]
    return (
      counted('operands', atoms) ??
      within(atom!) ??
      (atom?._tag === tag ? null : `${showAtom(atom!)} is not in ${where}`)
    )
  }
  const smem = (atoms: Atoms): string | null => single(atoms, 'smem', 'shared memory')
  const tmem = (atoms: Atoms): string | null => single(atoms, 'tmem', 'tensor memory')
  const gmem = (atoms: Atoms): string | null =>
    atoms.length === 0 ? null : single(atoms, 'gmem', 'global memory')
  const own = (b: number): string | null =>
    skeleton.barriers[b]!.cta === cta ? null : 'the barrier is in another CTA'
  const regs = (atom: Atom): string | null =>
    atom._tag === 'regs' && atom.agent === x ? null : `${showAtom(atom)} is not a register of this agent`
  const first = (reasons: ReadonlyArray<string | null>): string | null =>
    reasons.find((reason) => reason !== null) ?? null
  switch (op._tag) {
    case 'read':
      return first(
        op.atoms.map((atom) =>
          atom._tag === 'regs'
            ? regs(atom)
            : atom._tag === 'tmem'
              ? 'tensor memory has no generic accesses'
              : within(atom),
        ),
      )
    case 'write':
      return first(
        op.atoms.map((atom) =>
          atom._tag === 'regs' || atom._tag === 'tmem'
            ? 'an accumulator is not written through the generic proxy'
            : within(atom),
        ),
      )
    case 'wait':
    case 'peek':
    case 'copyArrive':
      return own(op.barrier)
    case 'load': {
      const parts = op.destinations.map((part): string | null => {
        const atom = part.atoms[0]
        return (
          counted('atoms of a part', part.atoms) ??
          (atom?._tag !== 'smem' || atom.cta !== skeleton.barriers[part.barrier]!.cta
            ? 'a load signals in the CTA that it writes'
            : part.units === 1
              ? null
              : `one unit per atom, found ${String(part.units)}`)
        )
      })
      return (
        gmem(op.reads) ??
        first(parts) ??
        (new Set(op.destinations.map((part) => part.atoms[0]!.name)).size === 1 &&
        new Set(op.destinations.map((part) => skeleton.barriers[part.barrier]!.name)).size === 1
          ? null
          : 'the parts must be the same place in each CTA')
      )
    }
    case 'store':
      return gmem(op.writes) ?? smem(op.reads)
    case 'copy':
      return gmem(op.reads) ?? smem(op.writes)
    case 'wgmma':
      return smem(op.reads) ?? counted('accumulators', op.writes) ?? regs(op.writes[0]!)
    case 'rendezvous':
      if (op.tensor) return 'a rendezvous carries no tensor-core order by itself'
      if (sameCta(skeleton, op.members)) return op.relaxed ? 'bar.sync is not relaxed' : null
      return op.members.length === skeleton.agents.length ? null : 'the cluster barrier is one of all agents'
    case 'mma':
      return op.tensorReads.length > 0
        ? 'the left operand is in shared memory'
        : (smem(op.reads) ?? tmem(op.writes))
    case 'commit':
      return new Set(op.barriers.map((b) => skeleton.barriers[b]!.name)).size === 1
        ? null
        : 'a commit arrives on one barrier, in each CTA of a mask'
    case 'tensorLoad':
    case 'tensorStore':
      return tmem(op.atoms)
    case 'namedArrive':
    case 'namedSync':
    case 'clusterArrive':
    case 'clusterWait':
    case 'tell':
    case 'hear':
    case 'fenceMemory':
      return 'only the PTX says it'
    case 'arrive':
    case 'arriveExpect':
    case 'expect':
    case 'bulkCommit':
    case 'bulkWait':
    case 'copyCommit':
    case 'copyWait':
    case 'wgmmaCommit':
    case 'wgmmaWait':
    case 'fence':
    case 'waitLoads':
    case 'waitStores':
    case 'fenceBefore':
    case 'fenceAfter':
    case 'dealloc':
    case 'alloc':
    case 'free':
    case 'relinquish':
      return null
  }
}

/** The same of a whole skeleton. */
export const obstacles = (skeleton: Skeleton, named: ReadonlyMap<string, number>): string | null => {
  for (const { name } of skeleton.barriers) {
    const flags = orderOf(skeleton, name)
    if (flags.includes(true) && flags.includes(false))
      return `only some arrivals on ${nameOf(name)} carry tensor-core order`
  }
  if (named.size > 15) return `there are 15 named barriers for ${String(named.size)} kinds of rendezvous`
  for (const [x, agent] of skeleton.agents.entries())
    for (const [i, op] of agent.ops.entries()) {
      const reason = obstacle(skeleton, x, op)
      if (reason !== null) return `${labelOf(x, i, op)}: ${reason}`
    }
  return null
}

export const labelOf = (x: number, i: number, op: Op): string => `${String(x)}.${String(i)} ${showOp(op)}`
