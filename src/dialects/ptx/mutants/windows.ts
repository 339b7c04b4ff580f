/**
 * Windows: what an instruction that orders lets begin, and what it ends, along the flow of a text.
 *
 *     st.shared            ends
 *     bar.sync 0           the changed instruction
 *     fence.proxy.async
 *     elect ... bra        one lane
 *     cp.async.bulk        lets begin
 *     mbarrier.try_wait    a wait: the window is closed
 *     ld.shared
 *
 * A window goes over fences, commits, peeks and the other half of a barrier of a cluster; that of anything but a barrier of threads over barriers of threads,
 * too: one thread waits, and the others hear of it there. To a barrier of threads an operation on an mbarrier is something to begin, or to end, for it is how
 * the others know that it is initialised. It is closed by what waits: for an mbarrier, behind it for a
 * group, and of a barrier of threads by the next one.
 *
 * An arrival ends what is before it and lets begin what is behind the waits for its mbarrier; a wait lets begin what is behind it and ends what is before the
 * arrivals.
 *
 * Laws
 * 1. What stands right behind an instruction, and right before it, is in its window, where it is an access.
 */
import { graphOf } from '../flow/graph.js'
import { peeksOf } from '../flow/peeks.js'
import type { Kind } from './kinds.js'
import type { PtxSite } from './sites.js'

export interface Window {
  /** labels of what is in it */
  readonly labels: ReadonlySet<string>
  /** does it come to the end of the kernel? */
  readonly isLast: boolean
}

type Step = 'in it' | 'over it' | 'closed'

const isMeeting = (kind: Kind): boolean => kind === 'bar' || kind === 'cluster barrier'

const halves = ({ opcode }: PtxSite): 'arrive' | 'wait' =>
  opcode.startsWith('barrier.cluster.wait') ? 'wait' : 'arrive'

/** What a window of one instruction does at another. */
const stepAt = (from: PtxSite, at: PtxSite, isPeek: boolean, back: boolean): Step => {
  switch (at.kind) {
    case 'access':
      return 'in it'
    case 'fence':
    case 'tensor fence':
    case 'warp barrier':
    case 'commit':
      return 'over it'
    case 'tensor allocation':
      return isMeeting(from.kind) ? 'in it' : 'over it'
    case 'mbarrier init':
    case 'mbarrier inval':
    case 'mbarrier expect':
    case 'mbarrier arrive':
      return isMeeting(from.kind) ? 'in it' : 'over it'
    case 'mbarrier wait':
      return isPeek ? 'over it' : 'closed'
    case 'group wait':
      // what was waited for is before the instruction, too
      return back ? 'over it' : 'closed'
    case 'bar':
      return isMeeting(from.kind) ? 'closed' : 'over it'
    case 'cluster barrier':
      return !isMeeting(from.kind) ||
        (from.kind === 'cluster barrier' &&
          halves(at) === (back ? 'arrive' : 'wait') &&
          halves(from) !== halves(at))
        ? 'over it'
        : 'closed'
  }
}

/** One side of the window of an instruction. */
const side = (from: PtxSite, siteAt: (index: number) => PtxSite | undefined, back: boolean): Window => {
  const { code } = from
  const { blocks, blockOf } = graphOf(code)
  const peeks = new Set(peeksOf(code).map(({ test }) => test))
  const labels = new Set<string>()
  const seen = new Set<number>()
  const pending: number[] = []
  let isLast = false
  const goOn = (index: number): void => {
    const block = blocks[blockOf[index]!]!
    if (back ? index > block.first : index + 1 < block.end) {
      pending.push(back ? index - 1 : index + 1)
      return
    }
    for (const k of back ? block.predecessors : block.successors)
      if (k >= blocks.length) isLast = true
      else pending.push(back ? blocks[k]!.end - 1 : blocks[k]!.first)
  }
  goOn(from.index)
  while (pending.length > 0) {
    const index = pending.pop()!
    if (seen.has(index)) continue
    seen.add(index)
    const at = siteAt(index)
    const step = at === undefined ? 'over it' : stepAt(from, at, peeks.has(index), back)
    if (step === 'closed') continue
    if (step === 'in it') labels.add(at!.label)
    goOn(index)
  }
  return { labels, isLast }
}

const joined = (all: ReadonlyArray<Window>): Window => ({
  labels: new Set(all.flatMap(({ labels }) => [...labels])),
  isLast: all.some(({ isLast }) => isLast),
})

/** The window of each instruction; `isOwn`: does an instruction touch a barrier of the one that is asked for? */
export const windowsOf = (
  sites: ReadonlyArray<PtxSite>,
): ((site: PtxSite, isOwn: (label: string) => boolean) => Window) => {
  const at = new Map(sites.map((s) => [`${s.code.function.name} ${String(s.index)}`, s]))
  const siteAt =
    (of: PtxSite) =>
    (index: number): PtxSite | undefined =>
      at.get(`${of.code.function.name} ${String(index)}`)
  const own = (of: PtxSite, back: boolean): Window => side(of, siteAt(of), back)
  return (site, isOwn) => {
    const others = (kind: Kind): ReadonlyArray<PtxSite> =>
      sites.filter((s) => s.kind === kind && s !== site && isOwn(s.label))
    const [behind, before] = [own(site, false), own(site, true)]
    // the beginning of the kernel is no end of it
    const both: ReadonlyArray<Window> = [behind, { labels: before.labels, isLast: false }]
    switch (site.kind) {
      case 'mbarrier arrive':
        return joined([...both, ...others('mbarrier wait').map((s) => own(s, false))])
      case 'mbarrier wait':
        return joined([
          ...both,
          ...others('mbarrier arrive').map((s): Window => ({ labels: own(s, true).labels, isLast: false })),
        ])
      default:
        return joined(both)
    }
  }
}
