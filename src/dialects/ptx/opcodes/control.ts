/** Warps, barriers, fences, control flow, clusters. */
import { computes, each, fencing, orders, steers } from './acts.js'
import { rowsOf, type Form } from './form.js'

const parallel = 'Parallel Synchronization and Communication Instructions'

export const warp: ReadonlyArray<Form> = rowsOf(
  'warp',
  parallel,
  steers,
)(`
  shfl.sync mode=up|down|bfly|idx type=b32 | d=b32|p=pred? a:b32 b:b32 c:b32 mask:b32 | d = a of another lane, p = is there one?
  vote.sync mode=all|any|uni pred | d=pred a!pred mask:b32 | d = is a true for all lanes, for some, or the same for all?
  vote.sync mode=ballot type=b32 | d=b32 a!pred mask:b32 | d = which lanes say a
  elect.sync | d=b32_|p=pred mask:b32 | p = is this the one lane that is elected? d = which one is
  match mode=any sync type=b32|b64 | d=b32 a:@type mask:b32 | d = which lanes have the same a
  match mode=all sync type=b32|b64 | d=b32|p=pred? a:@type mask:b32 | d = the mask, and p = true, if all lanes have the same a
  match.sync mode=any type=b32|b64 | d=b32 a:@type mask:b32 | d = which lanes have the same a
  match.sync mode=all type=b32|b64 | d=b32|p=pred? a:@type mask:b32 | d = the mask, and p = true, if all lanes have the same a
  redux.sync op=add|min|max type=u32|s32 | d=@type a:@type mask:b32 | d = a of all lanes, combined
  redux.sync op=and|or|xor type=b32 | d=b32 a:b32 mask:b32 | d = a of all lanes, combined
  redux.sync op=min|max abs? nan=NaN? type=f32 | d=@type a:@type mask:b32 | d = a of all lanes, combined
  activemask type=b32 | d=b32 | d = which lanes run
`)

const barriers = (base: string, extra: string): string => `
  ${base}.sync ${extra} | a:b32 b:b32? | waits until b threads have come to barrier a
  ${base}.arrive ${extra} | a:b32 b:b32 | arrives at barrier a and continues
  ${base}.red ${extra} op=popc type=u32 | d=u32 a:b32 c!pred | d = how many threads at barrier a have c
  ${base}.red ${extra} op=popc type=u32 | d=u32 a:b32 b:b32 c!pred | d = how many of the b threads at barrier a have c
  ${base}.red ${extra} op=and|or type=pred | d=pred a:b32 c!pred | d = c of all threads at barrier a, combined
  ${base}.red ${extra} op=and|or type=pred | d=pred a:b32 b:b32 c!pred | d = c of the b threads at barrier a, combined`

const named = (base: string): ReadonlyArray<string> => [`${base}.sync`, `${base}.arrive`, `${base}.red`]

export const barrier: ReadonlyArray<Form> = rowsOf('barrier', parallel, {
  ...each(orders('bar'), ...named('bar'), ...named('bar.cta'), ...named('barrier'), ...named('barrier.cta')),
  'bar.warp.sync': orders('warp barrier'),
  ...each(orders('cluster barrier'), 'barrier.cluster.arrive', 'barrier.cluster.wait'),
})(`
  ${barriers('bar', '')}
  ${barriers('bar.cta', '')}
  ${barriers('barrier', 'aligned?')}
  ${barriers('barrier.cta', 'aligned?')}
  bar.warp.sync | mask:b32 | waits for the lanes of the mask
  barrier.cluster.arrive sem=release|relaxed? aligned? | - | arrives at the cluster barrier
  barrier.cluster.wait sem=acquire? aligned? | - | waits for the barrier of the cluster
`)

export const fence: ReadonlyArray<Form> = rowsOf('fence', parallel, {
  // a fence of memory is one half of an order that releases and acquires: no finding names it alone
  ...each(fencing('fence'), 'membar', 'membar.proxy', 'fence'),
  'fence.mbarrier_init': fencing('fence', 'mbarrierInit'),
  'fence.proxy': fencing('fence', 'shared', 'cluster', 'global', 'mapRelease', 'mapAcquire'),
})(`
  membar level=cta|gl|sys | - | orders accesses before it and after it
  membar.proxy kind=alias | - | orders accesses through different names
  fence sem=sc|acq_rel|acquire|release? scope=$scope | - | orders accesses before it and after it
  fence sem=acquire restrict=sync_restrict::shared::cluster scope=cluster | - | orders accesses after barriers of the cluster
  fence sem=release restrict=sync_restrict::shared::cta scope=cluster | - | orders accesses before barriers of this block
  fence.mbarrier_init sem=release scope=cluster | - | makes barriers that were just initialised visible to the cluster
  fence.proxy kind=alias|async|async.global|async.shared::cta|async.shared::cluster | - | orders plain accesses and asynchronous ones
  fence.proxy kind=tensormap::generic sem=release scope=$scope | - | orders writes of a tensor map
  fence.proxy kind=tensormap::generic sem=acquire scope=$scope | [a] size#128 | orders uses of a tensor map after its writes
  fence.proxy kind=async::generic sem=acquire restrict=sync_restrict::shared::cluster scope=cluster | - | orders plain accesses after asynchronous ones
  fence.proxy kind=async::generic sem=release restrict=sync_restrict::shared::cta scope=cluster | - | orders asynchronous accesses after plain ones
`)

export const control: ReadonlyArray<Form> = [
  ...rowsOf(
    'control',
    'Control Flow Instructions',
    steers,
  )(`
  bra uni? | target&label | continues at a label
  brx.idx uni? | index%u32 &targets | continues at one of a list of labels
  call uni? | results&list? &function arguments&list? prototype&any? | calls a function
  ret uni? | - | goes back to the caller
  exit | - | ends this thread
`),
  ...rowsOf('miscellaneous', 'Miscellaneous Instructions', {
    ...each(steers, 'trap', 'setmaxnreg'),
    ...each(computes, 'brkpt', 'nanosleep', 'pmevent'),
  })(`
  trap | - | stops the grid with an error
  brkpt | - | stops for a debugger
  nanosleep type=u32 | t:u32 | sleeps about so long
  pmevent | a#0..15 | counts an event
  pmevent mask | a#0..65535 | counts events
  setmaxnreg action=inc|dec sync aligned type=u32 | n#24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256 | releases registers or acquires more
`),
  ...rowsOf(
    'control',
    parallel,
    steers,
  )(`
  griddepcontrol action=launch_dependents|wait | - | lets dependent grids begin, or waits for the previous grids
`),
]

export const cluster: ReadonlyArray<Form> = rowsOf(
  'cluster',
  'Data Movement and Conversion Instructions',
  computes,
)(`
  mapa space=shared::cluster? type=u32|u64 | d=@type a:@type b:u32 | d = the address of the same place in another block of the cluster
  getctarank space=shared::cluster? type=u32|u64 | d=u32 a:@type | d = the block of the cluster that owns an address
`)
