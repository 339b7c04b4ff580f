/**
 * Small texts of PTX on tensor memory: 128 threads bring an image of shared memory, one warp allocates, one thread asks for something, and the lanes of a part of
 * tensor memory go out word by word.
 */
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { bits } from '../../../../src/numerics/bits.js'
import { launchWarps, usualSharedBase } from '../../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../../src/semantics/execution/run.js'
import { copyOut } from '../../../../src/semantics/machine/plane.js'
import { right } from '../../../either.js'

/** Bytes of the image in shared memory; what lies behind it is the kernel's own. */
export const imageBytes = 32768
/** Where the image begins in shared memory, as a descriptor counts. */
export const imageAt: number = usualSharedBase

export const registers = (first: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `%${first}${String(i)}`).join(', ')

interface Text {
  /** absent: sm_100a */
  readonly target?: string
  /** what every thread does before the one: `%d` is the first column, `%t` the thread, `%lanes` the address of the lanes of its warp */
  readonly all?: string
  /** what one thread asks for; `%bar` is a barrier of one arrival, which it must commit to */
  readonly one?: string
  /** what every thread does then, before the words go out */
  readonly then?: string
  /** words of each thread that go out, in registers `%o0` and on */
  readonly out: number
}

/**
 * The words that each of the 128 threads leaves, and how the run ended. A pair of CTAs has an image each, one behind the other, and leaves the words of the even one
 * first; the one thread is the even one's.
 */
export const left = (
  t: Text,
  image: Uint8Array,
  group: 1 | 2 = 1,
): { readonly words: Uint32Array; readonly ended: string } => {
  const together = group === 1 ? '' : 'barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;'
  const text = `.version 8.8
${t.target === undefined ? '.target sm_100a' : `.target ${t.target}`}
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y) .reqnctapercluster ${String(group)}, 1, 1 {
.reg .pred %p, %q, %on, %off, %done;
.reg .b32 %rank, %d, %t, %lanes, %warp, %i, %w, %bar, %smem, %idesc, %z, %m<16>, %v<512>, %o<128>;
.reg .b64 %x, %y, %a, %at, %da, %db, %ds<8>, %from;
.reg .b16 %h<4>;
.shared .align 1024 .b8 memory[${String(imageBytes)}];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 columns;
ld.param.u64 %x, [x];
ld.param.u64 %y, [y];
mov.u32 %t, %tid.x;
mov.u32 %rank, %cluster_ctarank;
mul.wide.u32 %from, %rank, ${String(imageBytes)};
add.s64 %x, %x, %from;
mul.wide.u32 %from, %rank, ${String(512 * t.out)};
add.s64 %y, %y, %from;
mov.u32 %smem, memory;
mov.u32 %bar, bar;
setp.ne.u32 %on, %t, 1000;
setp.eq.u32 %off, %t, 1000;
mov.u32 %z, 0;
shr.u32 %warp, %t, 5;
shl.b32 %i, %t, 2;
FILL:
cvt.u64.u32 %a, %i;
add.s64 %from, %x, %a;
ld.global.u32 %w, [%from];
add.s32 %m0, %smem, %i;
st.shared.u32 [%m0], %w;
add.s32 %i, %i, 512;
setp.lt.u32 %p, %i, ${String(imageBytes)};
@%p bra FILL;
fence.proxy.async.shared::cta;
setp.ne.u32 %p, %warp, 0;
@%p bra HAVE;
tcgen05.alloc.cta_group::${String(group)}.sync.aligned.shared::cta.b32 [columns], 512;
HAVE:
setp.eq.u32 %q, %t, 32;
@%q mbarrier.init.shared::cta.b64 [bar], 1;
@%q fence.mbarrier_init.release.cluster;
bar.sync 0;
${together}
tcgen05.fence::after_thread_sync;
ld.shared.u32 %d, [columns];
shl.b32 %lanes, %warp, 21;
add.s32 %lanes, %lanes, %d;
${t.all ?? ''}
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
${together}
tcgen05.fence::after_thread_sync;
or.b32 %i, %t, %rank;
setp.ne.u32 %p, %i, 0;
@%p bra ASKED;
${t.one ?? 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%bar];'}
ASKED:
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;
@!%done bra AGAIN;
tcgen05.fence::after_thread_sync;
${t.then ?? ''}
tcgen05.wait::ld.sync.aligned;
mul.wide.u32 %at, %t, ${String(4 * t.out)};
add.s64 %y, %y, %at;
${Array.from({ length: t.out }, (_, i) => `st.global.u32 [%y+${String(4 * i)}], %o${String(i)};`).join('\n')}
tcgen05.fence::before_thread_sync;
bar.sync 0;
${together}
setp.ne.u32 %p, %warp, 0;
@%p bra END;
tcgen05.fence::after_thread_sync;
tcgen05.dealloc.cta_group::${String(group)}.sync.aligned.b32 %d, 512;
END:
ret;
}
`
  const { program } = right(elaborate(right(parseModule(text)), null, 'k.ptx'))
  const bytes = 128 * 4 * t.out * group
  const plain = { elements: null, symbol: null } as const
  const started = right(
    launchWarps(
      program,
      {
        grid: [group],
        block: [128],
        cluster: group === 1 ? null : [group],
        dynamicBytes: 0,
        parameters: new Uint8Array(16),
        pointers: [
          { offset: 0, tensor: 'x' },
          { offset: 8, tensor: 'y' },
        ],
        tensors: [
          { name: 'x', role: 'in', contents: image, bytes: image.length, ...plain },
          { name: 'y', role: 'out', contents: null, bytes, ...plain },
        ],
        sharedBase: usualSharedBase,
      },
      bits('blackwell'),
    ),
  )
  const ran = run(started.world, started.machine, settings(eager), ignore)
  const out = new Uint8Array(bytes)
  copyOut(ran.machine.planes[started.planeOf.get('y')!]!, 0, bytes, out)
  return {
    words: new Uint32Array(out.buffer),
    ended: ran.outcome._tag === 'completed' ? 'completed' : JSON.stringify(ran.outcome),
  }
}
