/** What moves and converts: registers, addresses, formats; and memory, plain and atomic. */
import { computes, each, reads, updates, writes } from './acts.js'
import { rowsOf, type Form } from './form.js'

const movement = 'Data Movement and Conversion Instructions'

export const conversion: ReadonlyArray<Form> = rowsOf(
  'conversion',
  movement,
  computes,
)(`
  mov type=pred|$bits|$int|f32|f64|b128 | d=@type a:@type | d = a, a special register, or the address of a symbol
  mov type=b16|b32|b64|b128 | d={halves}@type a:@type | d = the parts of a, the lowest first
  mov type=b16|b32|b64|b128 | d=@type a:{halves}@type | d = its parts, the lowest first
  cvt sat? dtype=$int8 atype=$int8 | d=@dtype~ a:@atype~ | d = a in another width, with sat clamped to its range
  cvt rnd=$irnd ftz? sat? dtype=$int8 atype=f32 | d=@dtype~ a:@atype | d = a rounded to an integer, clamped to its range
  cvt rnd=$irnd sat? dtype=$int8 atype=f64|f16|bf16 | d=@dtype~ a:@atype | d = a rounded to an integer, clamped to its range
  cvt rnd=$rnd ftz? sat? dtype=f32 atype=$int8 | d=@dtype a:@atype~ | d = a as a floating number
  cvt rnd=$rnd sat? dtype=f64|f16|bf16 atype=$int8 | d=@dtype a:@atype~ | d = a as a floating number
  cvt rnd=$irnd ftz? sat? dtype=f32 atype=f32 | d=@dtype a:@atype | d = a rounded to an integer
  cvt rnd=$irnd ftz? sat? dtype=f16 atype=f16 | d=@dtype a:@atype | d = a rounded to an integer
  cvt rnd=$irnd sat? dtype=f64 atype=f64 | d=@dtype a:@atype | d = a rounded to an integer
  cvt rnd=$irnd sat? dtype=bf16 atype=bf16 | d=@dtype a:@atype | d = a rounded to an integer
  cvt ftz? sat? dtype=f32 atype=f32|f16|bf16 | d=@dtype a:@atype | d = a, exactly
  cvt sat? dtype=f64 atype=f64|f32|f16|bf16 | d=@dtype a:@atype | d = a, exactly
  cvt ftz sat? dtype=f64 atype=f32 | d=@dtype a:@atype | d = a, a subnormal one as 0
  cvt ftz? sat? dtype=f16 atype=f16 | d=@dtype a:@atype | d = a, with sat between 0 and 1
  cvt rnd=$rnd ftz? sat? dtype=f32 atype=f64 | d=@dtype a:@atype | d = a rounded
  cvt rnd=$rnd ftz? sat? dtype=f16|bf16 atype=f32 | d=@dtype a:@atype | d = a rounded
  cvt rnd=$rnd sat? dtype=f16|bf16 atype=f64 | d=@dtype a:@atype | d = a rounded
  cvt rnd=$rnd sat? dtype=f16 atype=bf16 | d=@dtype a:@atype | d = a rounded
  cvt rnd=$rnd sat? dtype=bf16 atype=f16|bf16 | d=@dtype a:@atype | d = a rounded
  cvt dtype=bf16 atype=f16 | d=@dtype a:@atype | d = a rounded to nearest
  cvt rnd=$rnd ftz? dtype=f32 atype=bf16 | d=@dtype a:@atype | d = a, exactly
  cvt rnd=$rnd dtype=f64 atype=bf16 | d=@dtype a:@atype | d = a, exactly
  cvt rnd=rn|rz relu? satfinite? dtype=f16|bf16 atype=f32 | d=@dtype a:@atype | d = a rounded, with relu at least 0
  cvt rnd=rn|rz relu? satfinite? dtype=f16x2|bf16x2 atype=f32 | d=@dtype a:f32 b:f32 | d = a in the upper half and b in the lower, rounded
  cvt rnd=rna satfinite? dtype=tf32 atype=f32 | d=b32 a:f32 | d = a rounded to 10 bits of mantissa, ties away
  cvt rnd=rn|rz relu? satfinite? dtype=tf32 atype=f32 | d=b32 a:f32 | d = a rounded to 10 bits of mantissa
  cvt rnd=rn satfinite relu? dtype=e4m3x2|e5m2x2 atype=f32 | d=b16 a:f32 b:f32 | d = a in the upper byte and b in the lower, rounded
  cvt rnd=rn satfinite relu? dtype=e4m3x2|e5m2x2 atype=f16x2 | d=b16 a:f16x2 | d = both halves as bytes, rounded
  cvt rnd=rn relu? dtype=f16x2 atype=e4m3x2|e5m2x2 | d=f16x2 a:b16 | d = both bytes as halves, exactly
  cvt rnd=rn satfinite relu? dtype=e2m3x2|e3m2x2 atype=f32 | d=b16 a:f32 b:f32 | d = a in the upper byte and b in the lower, rounded to 6 bits
  cvt rnd=rn relu? dtype=f16x2 atype=e2m3x2|e3m2x2 | d=f16x2 a:b16 | d = both as halves, exactly
  cvt rnd=rn satfinite relu? dtype=e2m1x2 atype=f32 | d=b8 a:f32 b:f32 | d = a in the upper four bits and b in the lower, rounded
  cvt rnd=rn relu? dtype=f16x2 atype=e2m1x2 | d=f16x2 a:b8 | d = both as halves, exactly
  cvt rnd=rz|rp satfinite dtype=ue8m0x2 atype=f32 | d=b16 a:f32 b:f32 | d = the powers of two of a and b, as bytes
  cvt rnd=rz|rp dtype=ue8m0x2 atype=f32 | d=b16 a:f32 b:f32 | d = the powers of two of a and b, as bytes
  cvt rnd=rz|rp satfinite? dtype=ue8m0x2 atype=bf16x2 | d=b16 a:bf16x2 | d = the powers of two of both halves, as bytes
  cvt rnd=rn dtype=bf16x2 atype=ue8m0x2 | d=bf16x2 a:b16 | d = both powers of two
  cvt.pack sat dtype=u16|s16 atype=s32 | d=u32 a:@atype b:@atype | d = a above b, each clamped to its half
  cvt.pack sat dtype=u2|s2|u4|s4|u8|s8 atype=s32 ctype=b32 | d=u32 a:@atype b:@atype c:@ctype | d = a and b, clamped, below what c has
  cvta space=$space|const|local|param|param::entry type=u64 | d=@type a:@type | d = the generic address for an address in a space
  cvta.to space=$space|const|local|param|param::entry type=u64 | d=@type a:@type | d = the address in a space for a generic address
  isspacep space=$space|const|local|param|param::entry | p=pred a%u64 | p = is a generic address in this space?
`)

const volatiles = 'vec=v2|v4? type=$memory'
const hinted = (ops: string): string => `${ops} hint=L2::cache_hint`

/** A row as it is, and with a cache policy behind its operands. */
const policies = (
  modifiers: string,
  hints: string,
  rest: string,
  operands: string,
  about: string,
): string => `
  ${modifiers} ${hints} ${rest} | ${operands} | ${about}
  ${hinted(`${modifiers}`)} ${hints.includes('prefetch') ? 'prefetch=$prefetch?' : ''} ${rest} | ${operands} policy:b64 | ${about}, with a cache policy`

export const memory: ReadonlyArray<Form> = rowsOf('memory', movement, {
  ...each(reads, 'ld', 'ldu'),
  ...each(writes, 'st', 'st.async', 'st.bulk'),
  // advice to a cache, whose addresses move nothing
  ...each(computes, 'prefetch', 'prefetchu', 'discard', 'applypriority'),
  ...each(computes, 'createpolicy.fractional', 'createpolicy.range', 'createpolicy.cvt'),
  ...each(computes, 'alloca', 'stacksave', 'stackrestore'),
})(`
  ${policies('ld weak? space=$space|const|local|param|param::entry|param::func? l1=$l1? l2=$l2?', 'prefetch=$prefetch?', 'vec=v2|v4|v8? type=$memory', 'd={vec}@type~ [a]', 'd = the word at a')}
  ${policies('ld weak? space=$space|const|local|param|param::entry|param::func? cop=$cop', 'prefetch=$prefetch?', volatiles, 'd={vec}@type~ [a]', 'd = the word at a, cached as stated')}
  ${policies('ld sem=relaxed|acquire scope=$scope space=$space? l1=$l1? l2=$l2?', 'prefetch=$prefetch?', 'vec=v2|v4? type=$memory', 'd={vec}@type~ [a]', 'd = the word at a, as a strong operation')}
  ld sem=volatile space=$space|const|local|param? prefetch=$prefetch? ${volatiles} | d={vec}@type~ [a] | d = the word at a, now
  ld mmio sem=relaxed scope=sys space=global? type=$memory | d=@type~ [a] | d = what a device says at a
  ld space=$space|const|local? type=b128 | d=b128 [a] | d = the 16 bytes at a
  ld sem=relaxed|acquire scope=$scope space=$space? type=b128 | d=b128 [a] | d = the 16 bytes at a, as a strong operation
  ld space=global nc l1=$l1? type=b128 | d=b128 [a] | d = the 16 bytes at a, which nothing writes
  ${policies('ld space=global cop=ca|cg|cs? nc l1=$l1? l2=$l2?', 'prefetch=$prefetch?', 'vec=v2|v4|v8? type=$memory', 'd={vec}@type~ [a]', 'd = the word at a, which nothing writes')}
  ldu space=global? ${volatiles} | d={vec}@type~ [a] | d = the word at a, the same for all threads
  ${policies('st weak? space=$space|local|param|param::func? l1=$l1? l2=$l2?', '', 'vec=v2|v4|v8? type=$memory', '[a] b:{vec}@type~', 'the word at a = b')}
  ${policies('st weak? space=$space|local|param|param::func? cop=$copSt', '', volatiles, '[a] b:{vec}@type~', 'the word at a = b, cached as stated')}
  ${policies('st sem=relaxed|release scope=$scope space=$space? l1=$l1? l2=$l2?', '', volatiles, '[a] b:{vec}@type~', 'the word at a = b, as a strong operation')}
  st sem=volatile space=$space|local|param? ${volatiles} | [a] b:{vec}@type~ | the word at a = b, now
  st mmio sem=relaxed scope=sys space=global? type=$memory | [a] b:@type~ | b goes to a device at a
  st space=$space|local? type=b128 | [a] b%b128 | the 16 bytes at a = b
  st sem=relaxed|release scope=$scope space=$space? type=b128 | [a] b%b128 | the 16 bytes at a = b, as a strong operation
  st.async sem=weak? space=shared::cluster completion=mbarrier::complete_tx::bytes vec=v2|v4? type=b32|b64|u32|u64|s32|s64|f32|f64 | [a] b:{vec}@type [mbar] | the word at a in a peer = b, told to a barrier there
  st.async scope=cluster space=shared::cluster completion=mbarrier::complete_tx::bytes vec=v2|v4? type=b32|b64|u32|u64|s32|s64|f32|f64 | [a] b:{vec}@type [mbar] | the word at a in a peer = b, told to a barrier there
  st.async sem=release scope=gpu|sys space=global? type=b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64 | [a] b:@type~ | the word at a = b, asynchronously
  st.bulk weak? space=shared::cta? | [a] size:u64 initval#0 | size bytes at a = 0
  prefetch space=global|local? level=L1|L2 | [a] | brings a line into a cache
  prefetch space=global? level=L2::evict_last|L2::evict_normal | [a] | prefetches a line into L2
  prefetch space=const|param? tensormap | [a] | prefetches a tensor map
  prefetchu level=L1 | [a] | prefetches a uniform line
  discard space=global? level=L2 | [a] size#128 | drops a line that nothing reads
  applypriority space=global? level=L2::evict_normal | [a] size#128 | sets how long a line is kept
  createpolicy.fractional primary=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged secondary=L2::evict_first|L2::evict_unchanged? type=b64 | d=b64 fraction:f32? | d = a cache policy of a share of lines
  createpolicy.range space=global? primary=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged secondary=L2::evict_first|L2::evict_unchanged? type=b64 | d=b64 [a] primarySize:u32 totalSize:u32 | d = a cache policy of a window
  createpolicy.cvt level=L2 type=b64 | d=b64 a:b64 | d = a cache policy from a property
  alloca type=u32|u64 | d=@type size:@type align#1..1024? | d = the address of this many bytes on the stack
  stacksave type=u32|u64 | d=@type | d = where the stack stands
  stackrestore type=u32|u64 | a%@type | resets the stack to a
`)

const where = 'sem=relaxed|acquire|release|acq_rel? scope=$scope? space=$space?'
const whereRed = 'sem=relaxed|release? scope=$scope? space=$space?'

const atomics = (base: string, at: string, result: string): string => {
  const row = (op: string, type: string, operands: string, about: string): string => `
  ${base} ${at} ${op} type=${type} | ${result} [a] ${operands} | ${about}
  ${base} ${at} ${op} hint=L2::cache_hint type=${type} | ${result} [a] ${operands} policy:b64 | ${about}, with a cache policy`
  return `
  ${row('op=and|or|xor', 'b32|b64', 'b:@type', 'the word at a = itself op b, atomically, without a result')}
  ${row('op=add', 'u32|s32|u64|f32|f64', 'b:@type', 'the word at a = itself + b, atomically, without a result')}
  ${row('op=inc|dec', 'u32', 'b:@type', 'the word at a goes one up or down and wraps at b, atomically, without a result')}
  ${row('op=min|max', 'u32|s32|u64|s64', 'b:@type', 'the word at a = the smaller or larger of itself and b, atomically, without a result')}
  ${row('op=add noftz', 'f16|f16x2|bf16|bf16x2', 'b:@type', 'the word at a = itself + b, atomically, one half after the other')}`
}

export const atomic: ReadonlyArray<Form> = rowsOf(
  'memory',
  'Parallel Synchronization and Communication Instructions',
  {
    ...each(updates, 'atom', 'red', 'red.async', 'multimem.red'),
    'multimem.ld_reduce': reads,
    'multimem.st': writes,
  },
)(`
  ${atomics('atom', where, 'd=@type_')}
  ${atomics('red', whereRed, '')}
  atom ${where} op=exch type=b32|b64|b128 | d=@type_ [a] b:@type | d = the word at a, then replaced by b, atomically
  atom ${where} op=exch hint=L2::cache_hint type=b32|b64|b128 | d=@type_ [a] b:@type policy:b64 | d = the word at a, then replaced by b, with a cache policy
  atom ${where} op=cas type=b16|b32|b64|b128 | d=@type_ [a] b:@type c:@type | d = the word at a, then replaced by c if it was b, atomically
  atom ${where} op=cas hint=L2::cache_hint type=b16|b32|b64|b128 | d=@type_ [a] b:@type c:@type policy:b64 | d = the word at a, then replaced by c if it was b, with a cache policy
  atom sem=relaxed|acquire|release|acq_rel? scope=$scope? space=global? op=add vec=v2|v4 type=f32 | d={vec}@type_ [a] b:{vec}@type | each of several words at a = itself + b
  atom sem=relaxed|acquire|release|acq_rel? scope=$scope? space=global? op=add|min|max noftz vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2 | d={vec}@type_ [a] b%{vec}@type | each of the words at a = itself op b
  atom sem=relaxed|acquire|release|acq_rel? scope=$scope? space=global? op=add hint=L2::cache_hint vec=v2|v4 type=f32 | d={vec}@type_ [a] b:{vec}@type policy:b64 | each of several words at a = itself + b, with a cache policy
  red sem=relaxed|release? scope=$scope? space=global? op=add hint=L2::cache_hint vec=v2|v4 type=f32 | [a] b:{vec}@type policy:b64 | each of several words at a = itself + b, with a cache policy
  red sem=relaxed|release? scope=$scope? space=global? op=add noftz hint=L2::cache_hint vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2 | [a] b%{vec}@type policy:b64 | each of several words at a = itself + b, with a cache policy
  red ${whereRed} op=add vec=v2|v4 type=f32 | [a] b:{vec}@type | each of several words at a = itself + b
  red ${whereRed} op=add|min|max noftz vec=v2|v4|v8 type=f16|bf16|f16x2|bf16x2 | [a] b%{vec}@type | each of the words at a = itself op b
  red.async sem=relaxed scope=cluster space=shared::cluster? completion=mbarrier::complete_tx::bytes op=inc|dec|min|max|add type=u32 | [a] b:@type [mbar] | the word at a in a peer = it op b, told to a barrier there
  red.async sem=relaxed scope=cluster space=shared::cluster? completion=mbarrier::complete_tx::bytes op=min|max|add type=s32 | [a] b:@type [mbar] | the word at a in a peer = it op b, told to a barrier there
  red.async sem=relaxed scope=cluster space=shared::cluster? completion=mbarrier::complete_tx::bytes op=and|or|xor type=b32 | [a] b:b32 [mbar] | the word at a in a peer = it op b, told to a barrier there
  red.async sem=relaxed scope=cluster space=shared::cluster? completion=mbarrier::complete_tx::bytes op=add type=u64 | [a] b:@type [mbar] | the word at a in a peer = itself + b, signalled to a barrier there
  multimem.ld_reduce sem=weak|relaxed|acquire? scope=$scope? space=global? op=min|max|add|and|or|xor acc=acc::f32|acc::f16? vec=v2|v4|v8? type=b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64 | d={vec}@type [a] | d = the word at all places of a multicast address, combined
  multimem.st sem=weak|relaxed|release? scope=$scope? space=global? vec=v2|v4|v8? type=b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64 | [a] b:{vec}@type | the word at all places of a multicast address = b
  multimem.red sem=relaxed|release? scope=$scope? space=global? op=min|max|add|and|or|xor vec=v2|v4|v8? type=b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64 | [a] b:{vec}@type | the word at all places of a multicast address = it op b
`)
