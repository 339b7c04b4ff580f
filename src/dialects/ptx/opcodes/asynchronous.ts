/** Asynchronous copies, their barriers and tensor maps. */
import * as Act from './acts.js'
import { computes, each, groups, orders } from './acts.js'
import { rowsOf, type Form } from './form.js'

const parallel = 'Parallel Synchronization and Communication Instructions'
const movement = 'Data Movement and Conversion Instructions'

const semScope = 'sem=relaxed|release? scope=cta|cluster?'
const waits = 'sem=acquire|relaxed? scope=cta|cluster?'

const arrives = (base: string, done: string): string => `
  ${base} ${semScope} space=$cta? type=b64 | state=b64_ [a] count:u32? | ${done}, state = the phase before
  ${base} ${semScope} space=shared::cluster type=b64 | _=b64_ [a] count:u32? | ${done}, perhaps of a peer
  ${base} expect_tx ${semScope} space=$cta? type=b64 | state=b64_ [a] tx:u32 | expects bytes, then ${done}
  ${base} expect_tx ${semScope} space=shared::cluster type=b64 | _=b64_ [a] tx:u32 | expects bytes, then ${done}, perhaps of a peer
  ${base} noComplete sem=release? scope=cta? space=$cta? type=b64 | state=b64 [a] count:u32 | ${done}, which completes nothing`

export const mbarrier: ReadonlyArray<Form> = rowsOf('mbarrier', parallel, {
  'mbarrier.init': orders('mbarrier init'),
  'mbarrier.inval': orders('mbarrier inval'),
  ...each(orders('mbarrier expect'), 'mbarrier.expect_tx', 'mbarrier.complete_tx'),
  ...each(orders('mbarrier arrive'), 'mbarrier.arrive', 'mbarrier.arrive_drop'),
  ...each(orders('mbarrier wait'), 'mbarrier.test_wait', 'mbarrier.try_wait'),
  'mbarrier.pending_count': computes,
})(`
  mbarrier.init space=$cta? type=b64 | [a] count:u32 | initialises a barrier with this many arrivals
  mbarrier.inval space=$cta? type=b64 | [a] | the barrier becomes invalid
  mbarrier.expect_tx sem=relaxed? scope=cta|cluster? space=$shared? type=b64 | [a] tx:u32 | expects this many more bytes
  mbarrier.complete_tx sem=relaxed? scope=cta|cluster? space=$shared? type=b64 | [a] tx:u32 | counts this many bytes as delivered
  ${arrives('mbarrier.arrive', 'arrives')}
  ${arrives('mbarrier.arrive_drop', 'arrives for the last time')}
  mbarrier.test_wait ${waits} space=$cta? type=b64 | p=pred [a] state%b64 | p = is that phase over?
  mbarrier.test_wait parity ${waits} space=$cta? type=b64 | p=pred [a] parity:u32 | p = is the phase of that parity over?
  mbarrier.try_wait ${waits} space=$cta? type=b64 | p=pred [a] state%b64 time:u32? | p = is that phase over? possibly after waiting
  mbarrier.try_wait parity ${waits} space=$cta? type=b64 | p=pred [a] parity:u32 time:u32? | p = is the phase of that parity over? possibly after waiting
  mbarrier.pending_count type=b64 | count=u32 state%b64 | count = the pending arrivals of that phase
`)

const redOp = 'op=and|or|xor|add|inc|dec|min|max'
const bulkTypes = 'type=s32|u32|s64|u64|b32|b64|f16|bf16|f32|f64'
const tile = 'mode=tile|tile::gather4|im2col|im2col::w|im2col::w::128?'

export const copies: ReadonlyArray<Form> = rowsOf('asynchronous copy', movement, {
  ...each(Act.copies, 'cp.async', 'cp.async.bulk', 'cp.async.bulk.tensor'),
  ...each(Act.combines, 'cp.reduce.async.bulk', 'cp.reduce.async.bulk.tensor'),
  // advice to a cache
  ...each(computes, 'cp.async.bulk.prefetch', 'cp.async.bulk.prefetch.tensor'),
  'cp.async.commit_group': groups('commit', 'cpAsync'),
  ...each(groups('group wait', 'cpAsync'), 'cp.async.wait_group', 'cp.async.wait_all'),
  'cp.async.mbarrier.arrive': orders('mbarrier arrive'),
  'cp.async.bulk.commit_group': groups('commit', 'bulk'),
  'cp.async.bulk.wait_group': groups('group wait', 'bulk'),
})(`
  cp.async mode=ca dst=$cta src=global prefetch=$prefetch? | [d] [s] size#4|8|16 src:u32? | copies some bytes and fills with zeros
  cp.async mode=cg dst=$cta src=global prefetch=$prefetch? | [d] [s] size#16 src:u32? | copies 16 bytes, not through L1, and fills with zeros
  cp.async mode=ca dst=$cta src=global hint=L2::cache_hint prefetch=$prefetch? | [d] [s] size#4|8|16 src:u32? policy:b64 | copies some bytes, with a cache policy
  cp.async mode=cg dst=$cta src=global hint=L2::cache_hint prefetch=$prefetch? | [d] [s] size#16 src:u32? policy:b64 | copies 16 bytes, with a cache policy
  cp.async mode=ca dst=$cta src=global prefetch=$prefetch? | [d] [s] size#4|8|16 ignore!pred | copies some bytes, zeros for the ignored bytes
  cp.async mode=cg dst=$cta src=global prefetch=$prefetch? | [d] [s] size#16 ignore!pred | copies 16 bytes, zeros for the ignored bytes
  cp.async mode=ca dst=$cta src=global hint=L2::cache_hint prefetch=$prefetch? | [d] [s] size#4|8|16 ignore!pred policy:b64 | copies some bytes, zeros for the ignored bytes, with a cache policy
  cp.async mode=cg dst=$cta src=global hint=L2::cache_hint prefetch=$prefetch? | [d] [s] size#16 ignore!pred policy:b64 | copies 16 bytes, zeros for the ignored bytes, with a cache policy
  cp.async.commit_group | - | puts the copies before it into a group
  cp.async.wait_group | n#0..4294967295 | waits until at most n groups are pending
  cp.async.wait_all | - | waits for all copies
  cp.async.mbarrier.arrive noinc? space=$cta? type=b64 | [a] | arrives when the copies before it are done
  cp.async.bulk dst=shared::cluster|shared::cta src=global completion=mbarrier::complete_tx::bytes | [d] [s] size:u32 [mbar] | copies a row of bytes, and signals a barrier
  cp.async.bulk dst=shared::cluster|shared::cta src=global completion=mbarrier::complete_tx::bytes hint=L2::cache_hint | [d] [s] size:u32 [mbar] policy:b64 | copies a row of bytes, with a cache policy
  cp.async.bulk dst=shared::cluster src=global completion=mbarrier::complete_tx::bytes multicast=multicast::cluster | [d] [s] size:u32 [mbar] mask:u16 | copies a row of bytes to several blocks
  cp.async.bulk dst=shared::cluster src=global completion=mbarrier::complete_tx::bytes multicast=multicast::cluster hint=L2::cache_hint | [d] [s] size:u32 [mbar] mask:u16 policy:b64 | copies a row of bytes to several blocks, with a cache policy
  cp.async.bulk dst=shared::cluster src=shared::cta completion=mbarrier::complete_tx::bytes | [d] [s] size:u32 [mbar] | copies a row of bytes to a peer
  cp.async.bulk dst=global src=shared::cta completion=bulk_group | [d] [s] size:u32 | copies a row of bytes out
  cp.async.bulk dst=global src=shared::cta completion=bulk_group hint=L2::cache_hint | [d] [s] size:u32 policy:b64 | copies a row of bytes out, with a cache policy
  cp.async.bulk dst=global src=shared::cta completion=bulk_group cp_mask | [d] [s] size:u32 mask:u16 | copies the selected bytes of each 16 out
  cp.async.bulk dst=global src=shared::cta completion=bulk_group hint=L2::cache_hint cp_mask | [d] [s] size:u32 policy:b64 mask:u16 | copies the selected bytes of each 16 out
  cp.async.bulk.prefetch level=L2 src=global | [s] size:u32 | prefetches a row of bytes into L2
  cp.async.bulk.prefetch level=L2 src=global hint=L2::cache_hint | [s] size:u32 policy:b64 | prefetches a row of bytes into L2
  cp.async.bulk.commit_group | - | puts the bulk copies before it into a group
  cp.async.bulk.wait_group read? | n#0..4294967295 | waits until at most n bulk groups are pending, or still have to read
  cp.reduce.async.bulk dst=shared::cluster src=shared::cta completion=mbarrier::complete_tx::bytes ${redOp} ${bulkTypes} | [d] [s] size:u32 [mbar] | combines a row with one of a peer
  cp.reduce.async.bulk dst=global src=shared::cta completion=bulk_group ${redOp} noftz? ${bulkTypes} | [d] [s] size:u32 | combines a row with one in memory
  cp.reduce.async.bulk dst=global src=shared::cta completion=bulk_group hint=L2::cache_hint ${redOp} noftz? ${bulkTypes} | [d] [s] size:u32 policy:b64 | combines a row with one in memory, with a cache policy
  cp.async.bulk.tensor dim=$dim dst=shared::cluster|shared::cta src=global ${tile} completion=mbarrier::complete_tx::bytes group=cta_group::1|cta_group::2? | [d] [map,{box}] [mbar] offsets%{im2col}u16? | copies a box of a tensor in, and signals a barrier
  cp.async.bulk.tensor dim=$dim dst=shared::cluster|shared::cta src=global ${tile} completion=mbarrier::complete_tx::bytes group=cta_group::1|cta_group::2? hint=L2::cache_hint | [d] [map,{box}] [mbar] offsets%{im2col}u16? policy:b64 | copies a box of a tensor in, with a cache policy
  cp.async.bulk.tensor dim=$dim dst=shared::cluster src=global ${tile} completion=mbarrier::complete_tx::bytes multicast=multicast::cluster group=cta_group::1|cta_group::2? | [d] [map,{box}] [mbar] offsets%{im2col}u16? mask:u16 | copies a box of a tensor to several blocks
  cp.async.bulk.tensor dim=$dim dst=shared::cluster src=global ${tile} completion=mbarrier::complete_tx::bytes multicast=multicast::cluster group=cta_group::1|cta_group::2? hint=L2::cache_hint | [d] [map,{box}] [mbar] offsets%{im2col}u16? mask:u16 policy:b64 | copies a box of a tensor to several blocks, with a cache policy
  cp.async.bulk.tensor dim=$dim dst=global src=shared::cta mode=tile|tile::scatter4|im2col_no_offs? completion=bulk_group | [map,{box}] [s] | copies a box of a tensor out
  cp.async.bulk.tensor dim=$dim dst=global src=shared::cta mode=tile|tile::scatter4|im2col_no_offs? completion=bulk_group hint=L2::cache_hint | [map,{box}] [s] policy:b64 | copies a box of a tensor out, with a cache policy
  cp.reduce.async.bulk.tensor dim=$dim dst=global src=shared::cta ${redOp} mode=tile|im2col_no_offs? completion=bulk_group | [map,{box}] [s] | combines a box with one of a tensor
  cp.reduce.async.bulk.tensor dim=$dim dst=global src=shared::cta ${redOp} mode=tile|im2col_no_offs? completion=bulk_group hint=L2::cache_hint | [map,{box}] [s] policy:b64 | combines a box with one of a tensor, with a cache policy
  cp.async.bulk.prefetch.tensor dim=$dim level=L2 src=global ${tile} | [map,{box}] offsets%{im2col}u16? | prefetches a box of a tensor into L2
  cp.async.bulk.prefetch.tensor dim=$dim level=L2 src=global ${tile} hint=L2::cache_hint | [map,{box}] offsets%{im2col}u16? policy:b64 | prefetches a box of a tensor into L2
`)

export const tensorMaps: ReadonlyArray<Form> = rowsOf('tensor map', movement, {
  'tensormap.replace': Act.updates,
  'tensormap.cp_fenceproxy': Act.copies,
})(`
  tensormap.replace mode=tile field=global_address space=global|shared::cta? b1024 type=b64 | [map] value:b64 | the tensor begins elsewhere
  tensormap.replace mode=tile field=rank space=global|shared::cta? b1024 type=b32 | [map] value:b32 | the tensor has another rank
  tensormap.replace mode=tile field=box_dim|global_dim|element_stride space=global|shared::cta? b1024 type=b32 | [map] ordinal#0..4 value:b32 | an extent or a step is another
  tensormap.replace mode=tile field=global_stride space=global|shared::cta? b1024 type=b64 | [map] ordinal#0..4 value:b64 | a stride is another
  tensormap.replace mode=tile field=elemtype|interleave_layout|swizzle_mode|fill_mode|swizzle_atomicity space=global|shared::cta? b1024 type=b32 | [map] value#0..15 | a kind is another
  tensormap.cp_fenceproxy dst=global src=shared::cta kind=tensormap::generic sem=release scope=cta|cluster|gpu|sys sync aligned | [d] [s] size#128 | copies a tensor map out and orders its uses
`)
