/**
 * A tcgen05.commit is for what its own thread has issued: of products of another lane it says nothing, though both are of one warp. Oracle: the ISA (a commit makes the barrier
 * track the operations "initiated by the executing thread").
 */
import { describe, expect, it } from 'vitest'
import { verdictOfText } from '../../schedules/weak/sweep.js'
import { moduleOf } from '../../../dialects/ptx/small-text.js'

const product = `tcgen05.mma.cta_group::1.kind::f16 [%d], %da, %db, %idesc, %off;`
const commit = (barrier: string): string =>
  `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [${barrier}];`
const wait = (barrier: string, parity: number): string => `W${barrier}${String(parity)}:
mbarrier.try_wait.parity.shared::cta.b64 %done, [${barrier}], ${String(parity)};
@!%done bra W${barrier}${String(parity)};
tcgen05.fence::after_thread_sync;`

let labels = 0
/** What one lane of the first warp does. */
const lane = (t: number, ...does: ReadonlyArray<string>): string => {
  const end = `L${String(labels++)}`
  return [
    `setp.ne.u32 %p, %t, ${String(t)};`,
    `@%p bra ${end};`,
    ...does,
    `${end}:`,
    'bar.warp.sync -1;',
  ].join('\n')
}

/** Operands in shared memory, an accumulator; then this, and the accumulator goes out. */
const kernel = (...does: ReadonlyArray<string>): string =>
  moduleOf(
    ['words', 'out'],
    `.reg .pred %p, %off, %done, %first;
.reg .b32 %d, %t, %lanes, %warp, %i, %w, %idesc, %o;
.reg .b64 %y, %a, %da, %db;
.shared .align 1024 .b8 memory[8192];
.shared .align 8 .b64 b;
.shared .align 8 .b64 c;
.shared .align 4 .b32 columns;
ld.param.u64 %y, [out];
mov.u32 %t, %tid.x;
shr.u32 %warp, %t, 5;
setp.eq.u32 %first, %warp, 0;
setp.eq.u32 %off, %t, 1000;
shl.b32 %i, %t, 2;
mov.u32 %w, memory;
add.u32 %i, %i, %w;
mov.u32 %o, 0;
FILL:
st.shared.u32 [%i], %t;
add.u32 %i, %i, 512;
add.u32 %o, %o, 512;
setp.lt.u32 %p, %o, 8192;
@%p bra FILL;
fence.proxy.async.shared::cta;
setp.ne.u32 %p, %t, 0;
@%p bra MADE;
mbarrier.init.shared::cta.b64 [b], 1;
mbarrier.init.shared::cta.b64 [c], 1;
fence.mbarrier_init.release.cluster;
MADE:
bar.warp.sync -1;
@!%first bra HELD;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 32;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
HELD:
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.u32 %d, [columns];
shl.b32 %lanes, %warp, 21;
add.u32 %lanes, %lanes, %d;
mov.u32 %i, memory;
shr.u32 %i, %i, 4;
cvt.u64.u32 %da, %i;
or.b64 %da, %da, ${String((8n << 16n) | (16n << 32n) | (1n << 46n))};
add.s64 %db, %da, 256;
mov.u32 %idesc, ${String((1 << 4) | (1 << 17) | (8 << 24))};
${does.join('\n')}
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%o}, [%lanes];
tcgen05.wait::ld.sync.aligned;
cvt.u64.u32 %a, %t;
shl.b64 %a, %a, 2;
add.s64 %a, %y, %a;
st.global.u32 [%a], %o;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@!%first bra OVER;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 32;
OVER:
ret;`,
    { target: 'sm_100a' },
  )
const found = (...does: ReadonlyArray<string>): ReadonlyArray<string> => {
  const v = verdictOfText(kernel(...does), 'k', { ctas: 1, threads: 128, words: 16, out: 512 })
  return [v.verdict, ...new Set(v.findings.map(({ id }) => id))]
}
const between = 'tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;'

describe('a commit', () => {
  it.each([0, 7])('of the lane whose products these are tells of them: lane %i', (t) => {
    expect(found(lane(t, product, commit('b')), wait('b', 0))).toEqual(['ok'])
  })
  it.each([
    [0, 1],
    [7, 0],
  ])('of another lane does not: lane %i multiplies, lane %i commits', (t, other) => {
    expect(found(lane(t, product), lane(other, commit('b')), wait('b', 0))).toContain('M2')
  })
  it('of the right lane tells of them, whatever another has committed', () => {
    expect(
      found(lane(0, product), lane(1, commit('b')), lane(0, commit('c')), wait('c', 0), wait('b', 0)),
    ).toEqual(['ok'])
  })
  it('may be of another lane for the next products, once those before are known to be done', () => {
    const twice = [
      lane(0, product, commit('b')),
      wait('b', 0),
      between,
      lane(1, product, commit('b')),
      wait('b', 1),
    ]
    expect(found(...twice)).toEqual(['ok'])
  })
})
