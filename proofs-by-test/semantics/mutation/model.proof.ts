/** Which statements are changed as synchronisation and which as data: off the table of roles, and here by hand. */
import { expect, test } from 'vitest'
import { dataMovement, synchronisation } from '../../../src/semantics/mutation/roles.js'

const namesIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const orders = namesIn(`
  mbarrier.init mbarrier.inval mbarrier.arrive mbarrier.expectTx mbarrier.completeTx mbarrier.arriveExpectTx mbarrier.arriveDrop mbarrier.wait mbarrier.cpAsyncArrive
  bar.sync bar.arrive
  cluster.arrive cluster.wait
  bulk.commitGroup bulk.waitGroup
  cpAsync.commitGroup cpAsync.waitGroup
  fence.proxyAsync fence.tensormap fence.mbarrierInit
  wgmma.fence wgmma.commitGroup wgmma.waitGroup
  tcgen05.alloc tcgen05.dealloc tcgen05.relinquish tcgen05.commit tcgen05.waitLd tcgen05.useLd tcgen05.waitSt tcgen05.fenceBefore tcgen05.fenceAfter
  semaphore.signal semaphore.wait
`)
const moves = namesIn(`
  tma.load tma.gather tma.store tma.scatter tma.reduce
  tensormap.create
  smem.load smem.store
  gmem.load gmem.store gmem.loadPtr gmem.storePtr
  smem.atomic
  gmem.atomicPtr
  regs.read regs.write
  cpAsync.copy
  stAsync.store stAsync.reduce
  wgmma.mma
  tcgen05.mma tcgen05.cp tcgen05.shift tcgen05.ld tcgen05.st
  clc.tryCancel
`)

test('what orders, and what moves data', () => {
  expect(new Set(synchronisation)).toEqual(orders)
  expect(new Set(dataMovement)).toEqual(moves)
})
