/**
 * Preparing an instruction: its operands become values, and what can be checked before it executes is checked.
 *
 * One line an instruction; the work is in its family.
 */
import * as Atomic from '../instructions/atomic.js'
import * as Clc from '../instructions/clc.js'
import * as Control from '../instructions/control.js'
import * as CpAsync from '../instructions/cp-async.js'
import * as Generic from '../instructions/generic.js'
import * as Groups from '../instructions/groups.js'
import * as Mbarrier from '../instructions/mbarrier.js'
import * as Rendezvous from '../instructions/rendezvous.js'
import * as Semaphore from '../instructions/semaphore.js'
import * as SetMaxRegisters from '../instructions/set-max-registers.js'
import * as StAsync from '../instructions/st-async.js'
import * as Tcgen05Copy from '../instructions/tcgen05-copy.js'
import * as Tcgen05Data from '../instructions/tcgen05-data.js'
import * as Tcgen05Memory from '../instructions/tcgen05-memory.js'
import * as Tcgen05Mma from '../instructions/tcgen05-mma.js'
import * as Tcgen05Queue from '../instructions/tcgen05-queue.js'
import * as Tma from '../instructions/tma/index.js'
import * as Wgmma from '../instructions/wgmma.js'
import type { Instruction } from '../language/instruction.js'
import type { Environment } from '../machine/environment.js'
import type { Prepared } from '../machine/operation.js'
import type { FaultValue, PeekValue } from '../machine/value.js'

type Fence = Extract<Prepared, { readonly _tag: 'fence' }>
const fence = (kind: Fence['kind'], scope: Fence['scope']): Prepared => ({ _tag: 'fence', kind, scope })

/** `peek`: what a wait or a test has to do with peeks. */
export const prepare = (
  o: Environment,
  i: Instruction,
  peek: 'makes' | PeekValue | null = null,
): Prepared | FaultValue => {
  switch (i._tag) {
    case 'mbarrier.init':
      return Mbarrier.prepareInit(o, i)
    case 'mbarrier.inval':
      return Mbarrier.prepareInval(o, i)
    case 'mbarrier.arrive':
    case 'mbarrier.arriveExpectTx':
    case 'mbarrier.arriveDrop':
      return Mbarrier.prepareArrive(o, i)
    case 'mbarrier.expectTx':
    case 'mbarrier.completeTx':
      return Mbarrier.prepareBytes(o, i)
    case 'mbarrier.wait':
    case 'mbarrier.test':
      return Mbarrier.prepareWait(o, i, peek)
    case 'mbarrier.cpAsyncArrive':
      return CpAsync.prepareArrive(o, i)
    case 'bar.sync':
    case 'bar.arrive':
      return Rendezvous.prepareBar(i)
    case 'cluster.arrive':
      return { _tag: 'cluster.arrive', relaxed: i.relaxed }
    case 'cluster.wait':
      return { _tag: 'cluster.wait' }
    case 'tma.load':
      return Tma.prepareLoad(o, i)
    case 'tma.gather':
      return Tma.prepareGather(o, i)
    case 'tma.store':
      return Tma.prepareStore(o, i)
    case 'tma.scatter':
      return Tma.prepareScatter(o, i)
    case 'tma.reduce':
      return Tma.prepareReduce(o, i)
    case 'tma.prefetch':
      return Tma.preparePrefetch(o, i)
    case 'tensormap.create':
      return Tma.prepareCreate(o, i)
    case 'tensormap.acquire':
      return Tma.prepareAcquire(o, i)
    case 'fence.tensormap':
      return Tma.prepareFence(o, i)
    case 'stAsync.store':
    case 'stAsync.reduce':
      return StAsync.prepare(o, i)
    case 'bulk.commitGroup':
      return Groups.prepareCommit('bulk')
    case 'bulk.waitGroup':
      return Groups.prepareWait('bulk', i.pending, i.read)
    case 'smem.load':
    case 'gmem.load':
    case 'regs.read':
      return Generic.prepareLoad(o, i.source)
    case 'smem.store':
    case 'gmem.store':
    case 'regs.write':
      return Generic.prepareStore(o, i.destination, i.value)
    case 'gmem.loadPtr':
      return Generic.prepareLoadPtr(o, i)
    case 'gmem.storePtr':
      return Generic.prepareStorePtr(o, i)
    case 'smem.atomic':
      return Atomic.prepareShared(o, i)
    case 'gmem.atomicPtr':
      return Atomic.preparePointers(o, i)
    case 'semaphore.signal':
    case 'semaphore.wait':
      return Semaphore.prepare(o, i)
    case 'clc.tryCancel':
      return Clc.prepareTryCancel(o, i)
    case 'clc.query':
      return Clc.prepareQuery(o, i)
    case 'cpAsync.copy':
      return CpAsync.prepareCopy(o, i)
    case 'cpAsync.commitGroup':
      return Groups.prepareCommit('cpAsync')
    case 'cpAsync.waitGroup':
      return Groups.prepareWait('cpAsync', i.pending, false)
    case 'fence.proxyAsync':
      return fence('proxyAsync', i.scope)
    case 'fence.mbarrierInit':
      return fence('mbarrierInit', 'cluster')
    case 'wgmma.fence':
      return fence('wgmma', 'cta')
    case 'wgmma.mma':
      return Wgmma.prepareMma(o, i)
    case 'wgmma.commitGroup':
      return Groups.prepareCommit('wgmma')
    case 'wgmma.waitGroup':
      return Groups.prepareWait('wgmma', i.pending, false)
    case 'tcgen05.alloc':
    case 'tcgen05.dealloc':
    case 'tcgen05.relinquish':
      return Tcgen05Memory.prepare(o, i)
    case 'tcgen05.mma':
      return Tcgen05Mma.prepareMma(o, i)
    case 'tcgen05.commit':
      return Tcgen05Queue.prepareCommit(o, i)
    case 'tcgen05.cp':
      return Tcgen05Copy.prepareCp(o, i)
    case 'tcgen05.shift':
      return Tcgen05Copy.prepareShift(o, i)
    case 'tcgen05.ld':
      return Tcgen05Data.prepareLd(o, i)
    case 'tcgen05.st':
      return Tcgen05Data.prepareSt(o, i)
    case 'tcgen05.waitLd':
      return Groups.prepareWait('tcgen05Ld', 0, false)
    case 'tcgen05.useLd':
      return Groups.prepareWait('tcgen05Ld', 0, true)
    case 'tcgen05.waitSt':
      return Groups.prepareWait('tcgen05St', 0, false)
    case 'tcgen05.fenceBefore':
      return fence('tensorBefore', 'cta')
    case 'tcgen05.fenceAfter':
      return fence('tensorAfter', 'cta')
    case 'elect':
      // an agent speaks with one voice
      return { _tag: 'nothing', results: [true] }
    case 'setMaxRegisters':
      return SetMaxRegisters.prepare(i)
    case 'trap':
      return Control.prepareTrap(o, i)
  }
}
