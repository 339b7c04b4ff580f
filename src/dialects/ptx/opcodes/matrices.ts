/** Matrices: fragments and products of a warp, of a warpgroup, of tensor memory. */
import { computes, copies, each, fencing, groups, orders, reads, updates, writes } from './acts.js'
import { rowsOf, type Form } from './form.js'

/** Half of a stored: the metadata say which elements, and the selector which lanes have them. */
const sparse = (shape: string, types: string, register: string, selectors: string): string =>
  `mma sp=sp|sp::ordered_metadata sync aligned shape=${shape} alayout=row blayout=col ${types} | d={mmaD}${register} a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}${register} metadata%b32 selector#${selectors} | d = a * b + c, half of a stored`

export const matrices: ReadonlyArray<Form> = rowsOf('matrix', 'Warp Level Matrix Instructions', {
  ...each(reads, 'ldmatrix', 'wmma.load'),
  ...each(writes, 'stmatrix', 'wmma.store'),
  ...each(computes, 'movmatrix', 'mma', 'wmma.mma'),
})(`
  ldmatrix sync aligned shape=m8n8 num=x1|x2|x4 trans? space=shared|shared::cta? type=b16 | d={num}b32 [a] | d = rows of matrices of 8 x 8
  ldmatrix sync aligned shape=m16n16 num=x1|x2 trans space=shared|shared::cta? type=b8 | d={num2}b32 [a] | d = rows of matrices of 16 x 16 bytes
  ldmatrix sync aligned shape=m16n16 num=x1|x2 trans space=shared|shared::cta? dst=b8x16 src=b6x16_p32|b4x16_p64 | d={num2}b32 [a] | d = rows of matrices of 16 x 16, widened to bytes
  ldmatrix sync aligned shape=m8n16 num=x1|x2|x4 space=shared|shared::cta? dst=b8x16 src=b6x16_p32|b4x16_p64 | d={num}b32 [a] | d = rows of matrices of 8 x 16, widened to bytes
  stmatrix sync aligned shape=m8n8 num=x1|x2|x4 trans? space=shared|shared::cta? type=b16 | [a] b%{num}b32 | rows of matrices of 8 x 8 = b
  stmatrix sync aligned shape=m16n8 num=x1|x2|x4 trans space=shared|shared::cta? type=b8 | [a] b%{num}b32 | rows of matrices of 16 x 8 bytes = b
  movmatrix sync aligned shape=m8n8 trans type=b16 | d=b32 a%b32 | d = the matrix of 8 x 8 with rows and columns exchanged
  mma sync aligned shape=m16n8k8|m16n8k16 alayout=row blayout=col dtype=f32 atype=f16 btype=f16 ctype=f32 | d={mmaD}f32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}f32 | d = a * b + c
  mma sync aligned shape=m16n8k8|m16n8k16 alayout=row blayout=col dtype=f16 atype=f16 btype=f16 ctype=f16 | d={mmaD}b32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}b32 | d = a * b + c
  mma sync aligned shape=m8n8k4 alayout=row|col blayout=row|col dtype=f32 atype=f16 btype=f16 ctype=f16|f32 | d={mmaD}f32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}packed(ctype) | d = a * b + c
  mma sync aligned shape=m8n8k4 alayout=row|col blayout=row|col dtype=f16 atype=f16 btype=f16 ctype=f16 | d={mmaD}b32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}b32 | d = a * b + c
  mma sync aligned shape=m16n8k8|m16n8k16 alayout=row blayout=col dtype=f32 atype=bf16 btype=bf16 ctype=f32 | d={4}f32 a%{mmaA}b32 b%{mmaB}b32 c%{4}f32 | d = a * b + c
  mma sync aligned shape=m16n8k4|m16n8k8 alayout=row blayout=col dtype=f32 atype=tf32 btype=tf32 ctype=f32 | d={4}f32 a%{mmaA}b32 b%{mmaB}b32 c%{4}f32 | d = a * b + c
  mma sync aligned shape=m16n8k16|m16n8k32 alayout=row blayout=col dtype=f32 atype=e4m3|e5m2 btype=e4m3|e5m2 ctype=f32 | d={mmaD}f32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}f32 | d = a * b + c
  mma sync aligned shape=m16n8k16|m16n8k32 alayout=row blayout=col dtype=f16 atype=e4m3|e5m2 btype=e4m3|e5m2 ctype=f16 | d={mmaD}b32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}b32 | d = a * b + c
  mma sync aligned shape=m8n8k4|m16n8k4|m16n8k8|m16n8k16 alayout=row blayout=col rnd=$rnd? dtype=f64 atype=f64 btype=f64 ctype=f64 | d={mmaD}f64 a%{mmaA}f64 b%{mmaB}f64 c%{mmaC}f64 | d = a * b + c
  mma sync aligned shape=m8n8k16|m16n8k16|m16n8k32 alayout=row blayout=col satfinite? dtype=s32 atype=u8|s8 btype=u8|s8 ctype=s32 | d={mmaD}s32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}s32 | d = a * b + c
  mma sync aligned shape=m8n8k32|m16n8k32|m16n8k64 alayout=row blayout=col satfinite? dtype=s32 atype=u4|s4 btype=u4|s4 ctype=s32 | d={mmaD}s32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}s32 | d = a * b + c
  mma sync aligned shape=m8n8k128|m16n8k128|m16n8k256 alayout=row blayout=col dtype=s32 atype=b1 btype=b1 ctype=s32 op=xor|and popc | d={mmaD}s32 a%{mmaA}b32 b%{mmaB}b32 c%{mmaC}s32 | d = counts of a op b, plus c
  ${sparse('m16n8k16', 'dtype=f32 atype=f16 btype=f16 ctype=f32', 'f32', '0..3')}
  ${sparse('m16n8k32', 'dtype=f32 atype=f16 btype=f16 ctype=f32', 'f32', '0..1')}
  ${sparse('m16n8k16', 'dtype=f16 atype=f16 btype=f16 ctype=f16', 'b32', '0..3')}
  ${sparse('m16n8k32', 'dtype=f16 atype=f16 btype=f16 ctype=f16', 'b32', '0..1')}
  ${sparse('m16n8k16', 'dtype=f32 atype=bf16 btype=bf16 ctype=f32', 'f32', '0..3')}
  ${sparse('m16n8k32', 'dtype=f32 atype=bf16 btype=bf16 ctype=f32', 'f32', '0..1')}
  ${sparse('m16n8k8', 'dtype=f32 atype=tf32 btype=tf32 ctype=f32', 'f32', '0..3')}
  ${sparse('m16n8k16', 'dtype=f32 atype=tf32 btype=tf32 ctype=f32', 'f32', '0..1')}
  ${sparse('m16n8k64', 'dtype=f32 atype=e4m3|e5m2 btype=e4m3|e5m2 ctype=f32', 'f32', '0')}
  ${sparse('m16n8k32', 'satfinite? dtype=s32 atype=u8|s8 btype=u8|s8 ctype=s32', 's32', '0..1')}
  ${sparse('m16n8k64', 'satfinite? dtype=s32 atype=u8|s8 btype=u8|s8 ctype=s32', 's32', '0')}
  ${sparse('m16n8k64', 'satfinite? dtype=s32 atype=u4|s4 btype=u4|s4 ctype=s32', 's32', '0..1')}
  ${sparse('m16n8k128', 'satfinite? dtype=s32 atype=u4|s4 btype=u4|s4 ctype=s32', 's32', '0')}
  wmma.load which=a|b sync aligned layout=row|col shape=$wmma space=$wmmaSpace? type=f16|bf16|u8|s8 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=c sync aligned layout=row|col shape=$wmma space=$wmmaSpace? type=f16|f32|s32 | d={wmmaPart}packed(type) [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=a|b sync aligned layout=row|col shape=m16n16k8 space=$wmmaSpace? type=tf32 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=c sync aligned layout=row|col shape=m16n16k8 space=$wmmaSpace? type=f32 | d={wmmaPart}f32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=a|b|c sync aligned layout=row|col shape=m8n8k4 space=$wmmaSpace? type=f64 | d={wmmaPart}f64 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=a sync aligned layout=row shape=m8n8k32 space=$wmmaSpace? type=u4|s4 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=b sync aligned layout=col shape=m8n8k32 space=$wmmaSpace? type=u4|s4 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=a sync aligned layout=row shape=m8n8k128 space=$wmmaSpace? type=b1 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=b sync aligned layout=col shape=m8n8k128 space=$wmmaSpace? type=b1 | d={wmmaPart}b32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.load which=c sync aligned layout=row|col shape=m8n8k32|m8n8k128 space=$wmmaSpace? type=s32 | d={wmmaPart}s32 [a] stride:u32? | d = a matrix, as its fragment
  wmma.store which=d sync aligned layout=row|col shape=$wmma space=$wmmaSpace? type=f16|f32|s32 | [a] b%{wmmaPart}packed(type) stride:u32? | a matrix = its fragment b
  wmma.store which=d sync aligned layout=row|col shape=m16n16k8 space=$wmmaSpace? type=f32 | [a] b%{wmmaPart}f32 stride:u32? | a matrix = its fragment b
  wmma.store which=d sync aligned layout=row|col shape=m8n8k4 space=$wmmaSpace? type=f64 | [a] b%{wmmaPart}f64 stride:u32? | a matrix = its fragment b
  wmma.store which=d sync aligned layout=row|col shape=m8n8k32|m8n8k128 space=$wmmaSpace? type=s32 | [a] b%{wmmaPart}s32 stride:u32? | a matrix = its fragment b
  wmma.mma sync aligned alayout=row|col blayout=row|col shape=$wmma dtype=f16|f32 ctype=f16|f32 | d={wmmaD}packed(dtype) a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}packed(ctype) | d = a * b + c
  wmma.mma sync aligned alayout=row|col blayout=row|col shape=$wmma dtype=f32 types=bf16.bf16 ctype=f32 | d={wmmaD}f32 a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}f32 | d = a * b + c
  wmma.mma sync aligned alayout=row|col blayout=row|col shape=m16n16k8 dtype=f32 types=tf32.tf32 ctype=f32 | d={wmmaD}f32 a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}f32 | d = a * b + c
  wmma.mma sync aligned alayout=row|col blayout=row|col shape=m8n8k4 rnd=$rnd? dtype=f64 types=f64.f64 ctype=f64 last=rn? | d={wmmaD}f64 a%{wmmaA}f64 b%{wmmaB}f64 c%{wmmaC}f64 | d = a * b + c
  wmma.mma sync aligned alayout=row|col blayout=row|col shape=$wmma dtype=s32 types=u8.u8|s8.s8 ctype=s32 satfinite? | d={wmmaD}s32 a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}s32 | d = a * b + c
  wmma.mma sync aligned alayout=row blayout=col shape=m8n8k32 dtype=s32 types=u4.u4|s4.s4 ctype=s32 satfinite? | d={wmmaD}s32 a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}s32 | d = a * b + c
  wmma.mma op=xor|and popc sync aligned alayout=row blayout=col shape=m8n8k128 dtype=s32 types=b1.b1 ctype=s32 | d={wmmaD}s32 a%{wmmaA}b32 b%{wmmaB}b32 c%{wmmaC}s32 | d = counts of a op b, plus c
`)

const scales = (more: string): string => `scaleD:pred scaleA#-1|1 scaleB#-1|1 ${more}`

/** Half of a stored: the metadata say which elements, and the selector which lanes have them. */
const wgmmaSparse = (types: string, transposes: string, n: string, selectors: string): string => {
  const row = (a: string, more: string, where: string): string =>
    `wgmma.mma_async sp sync aligned ${n} ${types} | d={wgmmaD}packed(dtype) ${a} b%b64 metadata%b32 selector#${selectors} ${more} | d = a * b + d, half of a stored, ${where}, later`
  return `
  ${row('a%b64', scales(transposes), 'both in shared memory')}
  ${row('a%{4}b32', scales(transposes === '' ? '' : 'transB#0..1'), 'a in registers')}`
}
const wgmmaOf = (types: string, kTypes: string, transposes: string, n: string): string => `
  wgmma.mma_async sync aligned ${n} ${types} ${kTypes} | d={wgmmaD}packed(dtype) a%b64 b%b64 ${scales(transposes)} | d = a * b + d, both in shared memory, asynchronously
  wgmma.mma_async sync aligned ${n} ${types} ${kTypes} | d={wgmmaD}packed(dtype) a%{4}b32 b%b64 ${scales(transposes === '' ? '' : 'transB#0..1')} | d = a * b + d, a in registers, later`

const widths = (k: string): string =>
  `shape=${Array.from({ length: 32 }, (_, i) => `m64n${String(8 * (i + 1))}${k}`).join('|')}`
const widthsInteger = (k: string): string =>
  `shape=${[8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256].map((n) => `m64n${String(n)}${k}`).join('|')}`

export const wgmma: ReadonlyArray<Form> = rowsOf(
  'wgmma',
  'Asynchronous Warpgroup Level Matrix Instructions',
  {
    'wgmma.fence': fencing('fence', 'wgmma'),
    'wgmma.commit_group': groups('commit', 'wgmma'),
    'wgmma.wait_group': groups('group wait', 'wgmma'),
    'wgmma.mma_async': reads,
  },
)(`
  wgmma.fence sync aligned | - | orders accesses of registers before the products after it
  wgmma.commit_group sync aligned | - | puts the products before it into a group
  wgmma.wait_group sync aligned | n#0..255 | waits until at most n groups are pending
  ${wgmmaOf('dtype=f16|f32', 'atype=f16 btype=f16', 'transA#0..1 transB#0..1', widths('k16'))}
  ${wgmmaOf('dtype=f32', 'atype=bf16 btype=bf16', 'transA#0..1 transB#0..1', widths('k16'))}
  ${wgmmaOf('dtype=f32', 'atype=tf32 btype=tf32', '', widths('k8'))}
  ${wgmmaOf('dtype=f16|f32', 'atype=e4m3|e5m2 btype=e4m3|e5m2', '', widths('k32'))}
  wgmma.mma_async sync aligned ${widthsInteger('k32')} dtype=s32 atype=u8|s8 btype=u8|s8 satfinite? | d={wgmmaD}s32 a%b64 b%b64 scaleD:pred | d = a * b + d, both in shared memory, asynchronously
  wgmma.mma_async sync aligned ${widthsInteger('k32')} dtype=s32 atype=u8|s8 btype=u8|s8 satfinite? | d={wgmmaD}s32 a%{4}b32 b%b64 scaleD:pred | d = a * b + d, a in registers, asynchronously
  ${wgmmaSparse('dtype=f16|f32 atype=f16 btype=f16', 'transA#0..1 transB#0..1', widths('k32'), '0..1')}
  ${wgmmaSparse('dtype=f32 atype=bf16 btype=bf16', 'transA#0..1 transB#0..1', widths('k32'), '0..1')}
  ${wgmmaSparse('dtype=f32 atype=tf32 btype=tf32', '', widths('k16'), '0..1')}
  ${wgmmaSparse('dtype=f16|f32 atype=e4m3|e5m2 btype=e4m3|e5m2', '', widths('k64'), '0')}
  wgmma.mma_async sp sync aligned ${widthsInteger('k64')} dtype=s32 atype=u8|s8 btype=u8|s8 satfinite? | d={wgmmaD}s32 a%b64 b%b64 metadata%b32 selector#0 scaleD:pred | d = a * b + d, half of a stored, both in shared memory, asynchronously
  wgmma.mma_async sp sync aligned ${widthsInteger('k64')} dtype=s32 atype=u8|s8 btype=u8|s8 satfinite? | d={wgmmaD}s32 a%{4}b32 b%b64 metadata%b32 selector#0 scaleD:pred | d = a * b + d, half of a stored, a in registers, asynchronously
  wgmma.mma_async sync aligned ${widthsInteger('k256')} dtype=s32 atype=b1 btype=b1 op=and popc | d={wgmmaD}s32 a%b64 b%b64 scaleD:pred | d = counts of a and b, plus d, asynchronously
  wgmma.mma_async sync aligned ${widthsInteger('k256')} dtype=s32 atype=b1 btype=b1 op=and popc | d={wgmmaD}s32 a%{4}b32 b%b64 scaleD:pred | d = counts of a and b, plus d, asynchronously
`)

const group = 'group=cta_group::1|cta_group::2'
const num = 'num=x1|x2|x4|x8|x16|x32|x64|x128'
const several = 'num=x2|x4|x8|x16|x32|x64|x128'
const kinds = 'kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8'
const scaled = 'kind=kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4'
const vector = 'scale=scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32?'
const collector =
  'collector=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?'

/** Of the weight-stationary form: which of four buffers keeps B. */
const buffer = `buffer=${[0, 1, 2, 3].flatMap((b) => ['fill', 'use', 'lastuse', 'discard'].map((op) => `collector::b${String(b)}::${op}`)).join('|')}?`

export const tcgen05: ReadonlyArray<Form> = rowsOf(
  'tcgen05',
  'TensorCore 5th Generation Family Instructions',
  {
    ...each(
      orders('tensor allocation'),
      'tcgen05.alloc',
      'tcgen05.dealloc',
      'tcgen05.relinquish_alloc_permit',
    ),
    ...each(reads, 'tcgen05.ld', 'tcgen05.ld.red'),
    'tcgen05.st': writes,
    'tcgen05.cp': copies,
    'tcgen05.shift': updates,
    ...each(updates, 'tcgen05.mma', 'tcgen05.mma.sp', 'tcgen05.mma.ws', 'tcgen05.mma.ws.sp'),
    'tcgen05.wait::ld': groups('group wait', 'tcgen05Ld'),
    'tcgen05.wait::st': groups('group wait', 'tcgen05St'),
    ...each(
      fencing('tensor fence', 'tensorBefore', 'tensorAfter'),
      'tcgen05.fence::before_thread_sync',
      'tcgen05.fence::after_thread_sync',
    ),
    'tcgen05.commit': orders('mbarrier arrive'),
  },
)(`
  tcgen05.alloc ${group} sync aligned space=shared::cta? type=b32 | [d] columns:u32 | allocates this many columns of tensor memory, and stores their address at d
  tcgen05.dealloc ${group} sync aligned type=b32 | a:b32 columns:u32 | frees columns
  tcgen05.relinquish_alloc_permit ${group} sync aligned | - | allocates no more columns
  tcgen05.ld sync aligned shape=16x64b|16x128b|16x256b|32x32b ${num} pack=pack::16b? type=b32 | d={tmem}b32 [a] | d = the word in tensor memory
  tcgen05.ld sync aligned shape=16x32bx2 ${num} pack=pack::16b? type=b32 | d={tmem}b32 [a] split#0..65535 | d = the word at two places of tensor memory
  tcgen05.ld.red sync aligned shape=32x32b ${several} op=min|max abs? nan=NaN? type=f32 | d={tmem}b32 r=b32 [a] | d = the word in tensor memory, r = the least or greatest of a lane
  tcgen05.ld.red sync aligned shape=32x32b ${several} op=min|max type=s32|u32 | d={tmem}b32 r=b32 [a] | d = the word in tensor memory, r = the least or greatest of a lane
  tcgen05.ld.red sync aligned shape=16x32bx2 ${several} op=min|max abs? nan=NaN? type=f32 | d={tmem}b32 r=b32 [a] split#0..65535 | d = the word at two places of tensor memory, r = the least or greatest of a lane
  tcgen05.ld.red sync aligned shape=16x32bx2 ${several} op=min|max type=s32|u32 | d={tmem}b32 r=b32 [a] split#0..65535 | d = the word at two places of tensor memory, r = the least or greatest of a lane
  tcgen05.st sync aligned shape=16x64b|16x128b|16x256b|32x32b ${num} unpack=unpack::16b? type=b32 | [a] b%{tmem}b32 | the word in tensor memory = b
  tcgen05.st sync aligned shape=16x32bx2 ${num} unpack=unpack::16b? type=b32 | [a] split#0..65535 b%{tmem}b32 | the word at two places of tensor memory = b
  tcgen05.wait::ld sync aligned | - | waits for the loads of this thread
  tcgen05.wait::st sync aligned | - | waits for the stores of this thread
  tcgen05.fence::before_thread_sync | - | orders earlier operations before a barrier
  tcgen05.fence::after_thread_sync | - | orders later operations after a barrier
  tcgen05.cp ${group} shape=128x256b|4x256b|128x128b multicast=warpx2::02_13|warpx2::01_23? fmt=b8x16? src=b6x16_p32|b4x16_p64? | [d] s%b64 | copies from shared to tensor memory
  tcgen05.cp ${group} shape=64x128b multicast=warpx2::02_13|warpx2::01_23 fmt=b8x16? src=b6x16_p32|b4x16_p64? | [d] s%b64 | copies from shared to tensor memory, to two warps each
  tcgen05.cp ${group} shape=32x128b multicast=warpx4 fmt=b8x16? src=b6x16_p32|b4x16_p64? | [d] s%b64 | copies from shared to tensor memory, to four warps
  tcgen05.shift ${group} down | [a] | moves rows down by one
  tcgen05.mma ${group} ${kinds} ${collector} | [d] a%b64 b%b64 idesc:b32 enable:pred | d = a * b + d, asynchronously
  tcgen05.mma ${group} ${kinds} ${collector} | [d] [a] b%b64 idesc:b32 enable:pred | d = a * b + d, a in tensor memory, asynchronously
  tcgen05.mma ${group} ${kinds} ${collector} | [d] a%b64 b%b64 idesc:b32 disable%{lanes}b32 enable:pred scale#0..15? | d = a * b + d, some lanes off, asynchronously
  tcgen05.mma ${group} ${kinds} ${collector} | [d] [a] b%b64 idesc:b32 disable%{lanes}b32 enable:pred scale#0..15? | d = a * b + d, a in tensor memory, some lanes off, asynchronously
  tcgen05.mma ${group} ${kinds} ${collector} | [d] a%b64 b%b64 idesc:b32 enable:pred scale#0..15 | d = a * b + d scaled down, asynchronously
  tcgen05.mma ${group} ${kinds} ${collector} | [d] [a] b%b64 idesc:b32 enable:pred scale#0..15 | d = a * b + d scaled down, a in tensor memory, asynchronously
  tcgen05.mma ${group} ${scaled} block_scale ${vector} ${collector} | [d] a%b64 b%b64 idesc:b32 [scaleA] [scaleB] enable:pred | d = a * b + d with scales of blocks, asynchronously
  tcgen05.mma ${group} ${scaled} block_scale ${vector} ${collector} | [d] [a] b%b64 idesc:b32 [scaleA] [scaleB] enable:pred | d = a * b + d with scales of blocks, a in tensor memory, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] a%b64 b%b64 [sparsity] idesc:b32 enable:pred | d = a * b + d, half of a stored, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] [a] b%b64 [sparsity] idesc:b32 enable:pred | d = a * b + d, half of a stored in tensor memory, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] a%b64 b%b64 [sparsity] idesc:b32 disable%{lanes}b32 enable:pred scale#0..15? | d = a * b + d, half of a stored, some lanes off, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] [a] b%b64 [sparsity] idesc:b32 disable%{lanes}b32 enable:pred scale#0..15? | d = a * b + d, half of a stored in tensor memory, some lanes off, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] a%b64 b%b64 [sparsity] idesc:b32 enable:pred scale#0..15 | d = a * b + d scaled down, half of a stored, asynchronously
  tcgen05.mma.sp ${group} ${kinds} ${collector} | [d] [a] b%b64 [sparsity] idesc:b32 enable:pred scale#0..15 | d = a * b + d scaled down, half of a stored in tensor memory, asynchronously
  tcgen05.mma.sp ${group} ${scaled} block_scale ${vector} ${collector} | [d] a%b64 b%b64 [sparsity] idesc:b32 [scaleA] [scaleB] enable:pred | d = a * b + d with scales of blocks, half of a stored, asynchronously
  tcgen05.mma.sp ${group} ${scaled} block_scale ${vector} ${collector} | [d] [a] b%b64 [sparsity] idesc:b32 [scaleA] [scaleB] enable:pred | d = a * b + d with scales of blocks, half of a stored in tensor memory, asynchronously
  tcgen05.mma.ws group=cta_group::1 ${kinds} ${buffer} | [d] a%b64 b%b64 idesc:b32 enable:pred mask:b64? | d = a * b + d, b kept, asynchronously
  tcgen05.mma.ws group=cta_group::1 ${kinds} ${buffer} | [d] [a] b%b64 idesc:b32 enable:pred mask:b64? | d = a * b + d, b kept, a in tensor memory, asynchronously
  tcgen05.mma.ws.sp group=cta_group::1 ${kinds} ${buffer} | [d] a%b64 b%b64 [sparsity] idesc:b32 enable:pred mask:b64? | d = a * b + d, b kept, half of a stored, asynchronously
  tcgen05.mma.ws.sp group=cta_group::1 ${kinds} ${buffer} | [d] [a] b%b64 [sparsity] idesc:b32 enable:pred mask:b64? | d = a * b + d, b kept, half of a stored in tensor memory, asynchronously
  tcgen05.commit ${group} completion=mbarrier::arrive::one space=shared::cluster? type=b64 | [mbar] | an arrival when the earlier operations are done
  tcgen05.commit ${group} completion=mbarrier::arrive::one space=shared::cluster? multicast=multicast::cluster type=b64 | [mbar] mask:u16 | arrivals in several blocks when the earlier operations are done
`)
