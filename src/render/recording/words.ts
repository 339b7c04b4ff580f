/**
 * The words for what has not happened yet: what an agent stands ready to do, and what an operation in flight does next.
 *
 * They are those of `event.ts` for the event that it will be, without what is known only then: the number of an operation that is issued, the outcome of
 * a wait.
 *
 * Law 1. What a step does begins with what it was offered as, but for the number of an operation that it issues. A statement that counts for nothing
 * is offered as `nothing`.
 */
import { partOf, stageOf } from '../../semantics/execution/step.js'
import type { InFlight, Prepared } from '../../semantics/machine/operation.js'
import type { Ready } from '../../semantics/machine/state.js'

const bytes = (n: number): string => (n === 0 ? '' : ` ${String(n)} B`)
const issue = (unit: string, n: number): string => `issue ${unit}${bytes(n)}`

const ofPrepared = (p: Prepared): string => {
  switch (p._tag) {
    case 'mbarrier.init':
      return `init ${String(p.count)}`
    case 'mbarrier.inval':
      return 'inval'
    case 'mbarrier.arrive':
      return `${p.kind}${p.kind === 'expect' ? '' : ` ${String(p.count)}`}${p.bytes === 0 ? '' : `, expects ${String(p.bytes)} B`}`
    case 'mbarrier.wait':
      return `wait parity ${String(p.parity)}`
    case 'mbarrier.cpAsyncArrive':
      return issue('cpAsync', 0)
    case 'bar':
      return `bar ${String(p.id)} arrive`
    case 'bar.leave':
      return `bar ${String(p.id)} leave`
    case 'cluster.arrive':
      return 'cluster arrive'
    case 'cluster.wait':
      return 'cluster leave'
    case 'load':
      return 'read source'
    case 'store':
      return 'write destination'
    case 'atomic':
    case 'atomic.words':
      return 'atomic read'
    case 'semaphore':
      return `semaphore ${p.kind} ${String(p.value)}`
    case 'clc.tryCancel':
      return issue('clc', 0)
    case 'clc.query':
      return 'read response'
    case 'setMaxRegisters':
      return `registers ${String(p.count)}`
    case 'tma.load':
      return issue('tmaLoad', p.bytes)
    case 'tma.store':
      return issue('tmaStore', p.bytes)
    case 'tensormap.create':
      return 'write map'
    case 'tensormap.through':
      return 'issue through a map'
    case 'tensormap.replace':
      return 'write a field of a map'
    case 'tensormap.publish':
      return 'publish a map'
    case 'tensormap.acquire':
      return 'fence tensormapAcquire'
    case 'stAsync':
      return issue('stAsync', p.bytes)
    case 'group.commit':
      return `commit ${p.family} group`
    case 'group.wait':
      return `wait ${p.family}${p.read ? ' read' : ''}, ${String(p.pending)} pending`
    case 'cpAsync.copy':
      return issue('cpAsync', p.bytes)
    case 'fence':
      return `fence ${p.kind} ${p.scope}`
    case 'wgmma.mma':
      return issue('wgmma', 0)
    case 'tcgen05.alloc':
      return 'alloc'
    case 'tcgen05.dealloc':
      return 'dealloc'
    case 'tcgen05.relinquish':
      return 'relinquish'
    case 'tcgen05.mma':
      return issue('tcgen05', 0)
    case 'tcgen05.commit':
      return issue('tcgen05 commit', 0)
    case 'tcgen05.copy':
      return issue(`tcgen05 ${p.entry}`, p.bytes)
    case 'tcgen05.ld':
      return issue('tcgen05Ld', 0)
    case 'tcgen05.st':
      return issue('tcgen05St', 0)
    case 'nothing':
      return 'nothing'
    case 'trap':
      return 'trap'
  }
}

/** What an agent stands before. */
export const wordsOfReady = (r: Ready): string => {
  switch (r._tag) {
    case 'do':
      return ofPrepared(r.prepared)
    case 'fork':
    case 'join':
      return `${r._tag} of ${String(r.children.length)}`
    case 'fault':
      return r.fault.message
  }
}

/** The barrier that it is about; -1: none. */
export const barrierOfReady = (r: Ready): number => {
  if (r._tag !== 'do') return -1
  const p = r.prepared
  if ('barrier' in p) return p.barrier
  return p._tag === 'tma.load'
    ? (p.parts[0]?.barrier ?? -1)
    : p._tag === 'tcgen05.commit'
      ? (p.barriers[0] ?? -1)
      : -1
}

/** What an operation does next. */
export const wordsOfFlight = (f: InFlight): string => {
  const number = `#${String(f.id)}`
  const [stage, part] = [stageOf(f), partOf(f)]
  if (f._tag === 'tcgen05Commit') return `signal ${number} arrive`
  if (stage === 'signal') return `signal ${number}${'bytes' in f ? ` ${String(f.bytes)} B` : ' arrive'}`
  return `perform ${number} ${stage}${part === 0 ? '' : ` part ${String(part)}`}`
}
