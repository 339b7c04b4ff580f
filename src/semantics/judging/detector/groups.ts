/**
 * Groups: an agent's own operations, counted by commits.
 *
 * A commit closes the group that is open. A wait that leaves `pending` of the newest groups open lets the agent know the others, and
 * no other. What it comes to know depends on the family (its row, and that of its unit, in `log/units.ts`):
 *
 * | family      | a wait lets the agent                                                       |
 * |-------------|-----------------------------------------------------------------------------|
 * | bulk, read  | know (order) that the sources have been read                                |
 * | bulk        | know and see the writes                                                     |
 * | wgmma       | know and see the accumulators; know that the operands have been read        |
 * | cpAsync     | know and see the copies, generically; an asynchronous reader still needs a fence |
 * | tcgen05Ld   | use the registers, and let others overwrite the columns                     |
 * | tcgen05Ld, read | use the registers                                                       |
 * | tcgen05St   | pass the columns on, as tensor knowledge                                    |
 *
 *     wgmma s0; commit; wgmma s1; commit; wait pending=1        knows group 1 = {wgmma s0}; slot s1 is still being read
 *
 * A tensor-memory load or store is a group of its own, without a commit.
 *
 * A wait of a warp for products is for the groups of the same numbers of all warps of its warpgroup (`with`): it knows that theirs are done, and
 * so that they were issued: what those warps knew then is ordered, not visible.
 *
 * Names: cp.async.bulk.wait_group (.read), wgmma.wait_group, cp.async.wait_group (PTX); wgmma_wait(n), wait_smem_to_gmem(n) (Pallas).
 *
 * Laws
 * 1. A wait with fewer pending knows all that a wait with more knows.
 * 2. An empty group counts.
 * 3. A wait with other agents knows all that the same wait alone knows.
 *
 * Source: PTX ISA, wait_group and commit_group of each family.
 */
import type { Group } from '../../log/events.js'
import { families, units } from '../../log/units.js'
import type { AgentState, Commit } from './context.js'
import { tick } from './context.js'
import * as Digest from './digest.js'
import type { Knowledge } from './knowledge.js'
import { advance, advanceOrder, advanceWithout, clockOf, joinOrder } from './knowledge.js'
import { othersWith, strandsOf } from './strands.js'
import type { Detector } from './state.js'

export const group = (d: Detector, e: Group): void => {
  const c = d.context
  const a = tick(c, e.stamp)
  const x = e.stamp.agent
  Digest.ofAgent(
    c.digest,
    x,
    7,
    e.stamp.at,
    Digest.ofName(e.family) ^ (e.kind === 'wait' ? 1 : 0),
    e.pending * 2 + (e.read ? 1 : 0),
  )
  if (e.kind === 'commit') {
    const kind = kindOf(e.family)
    const row = units[families[e.family].unit]
    if (row.completes === 'group') a[row.sequence]++
    else if (families[e.family].commits) a.copiesAtCommit.push(a.copies)
    if (kind !== null && e.stamp.lanes !== undefined)
      a.closed[kind] = withCommit(a.closed[kind], {
        lanes: e.stamp.lanes,
        number: kind === 'bulk' ? a.bulkGroups : a.copies,
      })
    return
  }
  if (e.blocked) {
    d.blocked.push({
      stamp: e.stamp,
      barrier: -1,
      parity: 0,
      named: undefined,
      family: e.family,
      behind: (e.with ?? []).filter((y) => c.agents[y]!.wgmmaGroups < coveredBy(a, e.family, e.pending)),
      lacking: undefined,
    })
    return
  }
  for (const s of strandsOf(a)) {
    if ((s.lanes & a.acting) === 0) continue
    awaitGroup(a, s.knowledge, x, e.family, e.pending, e.read, a.acting & s.lanes)
    if (e.with === undefined) continue
    const done = coveredBy(a, e.family, e.pending)
    for (const other of e.with) {
      learn(s.knowledge, other, e.family, done, e.read, 0)
      const issued = c.agents[other]!.issues.filter(({ group }) => group <= done).pop()
      if (issued !== undefined) joinOrder(s.knowledge, issued.knowledge, true)
    }
  }
}

/** The highest number that a wait covers; a group of copies is known by the last copy in it. */
export const coveredBy = (a: AgentState, family: Group['family'], pending: number): number =>
  family === 'cpAsync'
    ? (a.copiesAtCommit[a.copiesAtCommit.length - 1 - pending] ?? 0)
    : a[units[families[family].unit].sequence] - pending

/** What an agent knows after a group wait that leaves `pending` of the newest groups open. */
export const awaitGroup = (
  a: AgentState,
  k: Knowledge,
  x: number,
  family: Group['family'],
  pending: number,
  read: boolean,
  lanes: number = a.acting,
): void => {
  const kind = kindOf(family)
  if (kind === null || k.together === null || a.rules.anyLaneCommits)
    learn(k, x, family, coveredBy(a, family, pending), read, 0)
  else
    for (const c of closedFor(a.closed[kind], lanes, pending))
      learn(k, x, family, c.number, read, othersWith(a, k, kind, c.lanes))
}

// ---------------------------------------------------------------- groups of lanes

/** What lanes of a warp do each for itself. */
const kindOf = (family: Group['family']): 'bulk' | 'copies' | null =>
  family === 'bulk' ? 'bulk' : family === 'cpAsync' ? 'copies' : null

/** No wait leaves more of a lane's groups open. */
const mostOpen = 64

/** Of each lane the newest commits. */
const withCommit = (all: ReadonlyArray<Commit>, one: Commit): ReadonlyArray<Commit> => {
  if (all.length < 32 * mostOpen) return [...all, one]
  const newer = new Int32Array(32)
  const kept: Commit[] = []
  for (const c of [...all, one].reverse()) {
    let isOpen = false
    for (let lane = 0; lane < 32; lane++)
      if (((c.lanes >>> lane) & 1) === 1 && newer[lane]!++ < mostOpen) isOpen = true
    if (isOpen) kept.push(c)
  }
  return kept.reverse()
}

/** Up to which number these lanes have waited, which leave so many of their own groups open: the lanes that have come at least so far, by ascending numbers. */
const closedFor = (all: ReadonlyArray<Commit>, lanes: number, pending: number): ReadonlyArray<Commit> => {
  // by how many commits have been passed over: which lanes
  const left = new Array<number>(pending + 1).fill(0)
  left[0] = lanes
  const out: Commit[] = []
  for (let i = all.length - 1; i >= 0 && left.some((l) => l !== 0); i--) {
    const c = all[i]!
    const done = left[pending]! & c.lanes
    if (done !== 0) out.push({ lanes: done, number: c.number })
    left[pending]! &= ~c.lanes
    for (let j = pending - 1; j >= 0; j--) {
      left[j + 1]! |= left[j]! & c.lanes
      left[j]! &= ~c.lanes
    }
  }
  out.sort((x, y) => x.number - y.number)
  return out.map(({ number }, i) => ({
    lanes: out.slice(i).reduce((m, c) => m | c.lanes, 0),
    number,
  }))
}

/** The groups of agent `x` up to number `done` are done, but for those of lanes that have not waited for them: a wait is for the copies of its own thread. */
const learn = (
  k: Knowledge,
  x: number,
  family: Group['family'],
  done: number,
  read: boolean,
  others: number,
): void => {
  const { unit, early, seen } = families[family]
  const { reads, writes } = units[unit]
  if (read && early === 'writes') {
    const written = clockOf(writes.clock, x)
    advanceOrder(k, written, done)
    advance(k.visible.counters, written, done)
    return
  }
  advanceWithout(k, x, reads.clock, done, others, [])
  if (read && early === 'reads') return
  const whole = reads.or ?? reads.clock
  const through = seen.flatMap((w) =>
    w === 'generic' ? ['visible' as const] : w === 'async' ? ['async' as const] : [],
  )
  advanceWithout(k, x, whole, done, others, through)
  if (seen.some((w) => w === 'tensor')) advance(k.tensor, clockOf(whole, x), done)
}
