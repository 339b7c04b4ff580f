/**
 * What becomes of one instruction that orders, of every kind and with every modifier that matters: each change with its operator, its manner, and the statement that it
 * leaves; and the rule by which it changes nothing, if there is one. Oracle: the PTX ISA, read by hand for each row; and ptxas 13.0, which takes every text of this table, as it was and changed.
 */
import { expect, test } from 'vitest'
import { parseModule, printModule } from '../../../../src/dialects/ptx/index.js'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { ruleFor } from '../../../../src/dialects/ptx/mutants/certificate.js'
import { changesOf } from '../../../../src/dialects/ptx/mutants/changes.js'
import { sitesOf } from '../../../../src/dialects/ptx/mutants/sites.js'
import { withInstead } from '../../../../src/dialects/ptx/text/replace.js'
import type { WarpProgram } from '../../../../src/semantics/warps/program.js'
import { right } from '../../../either.js'
import { moduleOf } from '../small-text.js'

/** Instructions of a CTA of 128 threads; below each its changes: operator, words, manner and rule, and what stands there then. */
const table = `
bar.sync 0;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.sync 0;
  RETARGET the barrier with the next number (other, renamed barrier): bar.sync 1;
  COUNT a warp less (less): bar.sync 0, 96;
  COUNT a warp more (more): bar.sync 0, 160;
  FLAG arrives and does not wait (other): bar.arrive 0, 128;
bar.sync 15, 64;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.sync 15, 64;
  COUNT a warp more (more): bar.sync 15, 96;
  COUNT a warp less (less): bar.sync 15, 32;
  FLAG arrives and does not wait (other): bar.arrive 15, 64;
bar.sync %r1;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.sync %r1;
  RETARGET the barrier with the next number (other): { .reg .b32 %changed; add.s32 %changed, %r1, 1; bar.sync %changed; }
  COUNT a warp less (less): bar.sync %r1, 96;
  COUNT a warp more (more): bar.sync %r1, 160;
  FLAG arrives and does not wait (other): bar.arrive %r1, 128;
bar.sync 1, %r2;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.sync 1, %r2;
  RETARGET the barrier with the next number (other): bar.sync 2, %r2;
  COUNT a warp more (more): { .reg .b32 %changed; add.s32 %changed, %r2, 32; bar.sync 1, %changed; }
  COUNT a warp less (less): { .reg .b32 %changed; add.s32 %changed, %r2, -32; bar.sync 1, %changed; }
  FLAG arrives and does not wait (other): bar.arrive 1, %r2;
bar.arrive 2, 64;
  DROP left out (absent)
  DUP twice (other): bar.arrive 2, 64;
  RETARGET the barrier with the next number (other): bar.arrive 3, 64;
  COUNT a warp more (more): bar.arrive 2, 96;
  COUNT a warp less (less): bar.arrive 2, 32;
  FLAG waits, too (stronger): bar.sync 2, 64;
bar.red.popc.u32 %r3, 0, %p1;
  DROP left out (absent): mov.b32 %r3, 0;
  DUP twice (other, idempotent barrier): bar.red.popc.u32 %r3, 0, %p1;
  RETARGET the barrier with the next number (other, renamed barrier): bar.red.popc.u32 %r3, 1, %p1;
  COUNT a warp less (less): bar.red.popc.u32 %r3, 0, 96, %p1;
  COUNT a warp more (more): bar.red.popc.u32 %r3, 0, 160, %p1;
barrier.sync.aligned 0;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): barrier.sync.aligned 0;
  RETARGET the barrier with the next number (other, renamed barrier): barrier.sync.aligned 1;
  COUNT a warp less (less): barrier.sync.aligned 0, 96;
  COUNT a warp more (more): barrier.sync.aligned 0, 160;
  FLAG arrives and does not wait (other): barrier.arrive.aligned 0, 128;
barrier.cta.sync.aligned 0, 64;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): barrier.cta.sync.aligned 0, 64;
  RETARGET the barrier with the next number (other): barrier.cta.sync.aligned 1, 64;
  COUNT a warp more (more): barrier.cta.sync.aligned 0, 96;
  COUNT a warp less (less): barrier.cta.sync.aligned 0, 32;
  FLAG arrives and does not wait (other): barrier.cta.arrive.aligned 0, 64;
barrier.cluster.arrive;
  DROP left out (absent)
  DUP twice (other): barrier.cluster.arrive;
  FLAG relaxed (other): barrier.cluster.arrive.relaxed;
barrier.cluster.arrive.relaxed;
  DROP left out (absent)
  DUP twice (other): barrier.cluster.arrive.relaxed;
barrier.cluster.arrive.release;
  DROP left out (absent)
  DUP twice (other): barrier.cluster.arrive.release;
  FLAG relaxed (other): barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
  DROP left out (absent)
  DUP twice (other): barrier.cluster.wait;
barrier.cluster.wait.acquire;
  DROP left out (absent)
  DUP twice (other): barrier.cluster.wait.acquire;
bar.warp.sync -1;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.warp.sync -1;
  LANES the same without the lowest lane of its mask (less): { .reg .b32 %changed; .reg .pred %changed2; mov.u32 %changed, %lanemask_eq; and.b32 %changed, %changed, -2; setp.ne.u32 %changed2, %changed, 0; @%changed2 bar.warp.sync -2; }
  LANES the lower half of its lanes alone (less): { .reg .b32 %changed; .reg .pred %changed2; mov.u32 %changed, %lanemask_eq; and.b32 %changed, %changed, 65535; setp.ne.u32 %changed2, %changed, 0; @%changed2 bar.warp.sync 65535; }
bar.warp.sync %r1;
  DROP left out (absent)
  DUP twice (other, idempotent barrier): bar.warp.sync %r1;
  LANES the same without the lowest lane of its mask (less): { .reg .b32 %changed; .reg .b32 %changed2; .reg .pred %changed3; add.s32 %changed2, %r1, -1; and.b32 %changed2, %changed2, %r1; mov.u32 %changed, %lanemask_eq; and.b32 %changed, %changed, %changed2; setp.ne.u32 %changed3, %changed, 0; @%changed3 bar.warp.sync %changed2; }
  LANES all lanes of the warp (wider, wider mask): bar.warp.sync -1;
membar.gl;
  DROP left out (absent)
  DUP twice (other, idempotent fence): membar.gl;
  FENCE of CTA scope (other): membar.cta;
membar.cta;
  DROP left out (absent)
  DUP twice (other, idempotent fence): membar.cta;
  FENCE of a wider scope (wider, wider fence): membar.gl;
membar.sys;
  DROP left out (absent)
  DUP twice (other, idempotent fence): membar.sys;
  FENCE of CTA scope (other): membar.cta;
fence.acq_rel.gpu;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.acq_rel.gpu;
  FENCE of CTA scope (other): fence.acq_rel.cta;
fence.sc.cluster;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.sc.cluster;
  FENCE of CTA scope (other): fence.sc.cta;
  FLAG of acquire and release (other): fence.acq_rel.cluster;
fence.acq_rel.cta;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.acq_rel.cta;
  FENCE of a wider scope (wider, wider fence): fence.acq_rel.gpu;
fence.proxy.async;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.proxy.async;
  FENCE of shared memory alone (other): fence.proxy.async.shared::cta;
  FENCE of global memory alone (other): fence.proxy.async.global;
fence.proxy.async.shared::cta;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.proxy.async.shared::cta;
  FENCE of global memory alone (other): fence.proxy.async.global;
  FENCE of all memory (wider, wider fence): fence.proxy.async;
fence.proxy.async.global;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.proxy.async.global;
  FENCE of shared memory alone (other): fence.proxy.async.shared::cta;
  FENCE of all memory (wider, wider fence): fence.proxy.async;
fence.mbarrier_init.release.cluster;
  DROP left out (absent)
  DUP twice (other, idempotent fence): fence.mbarrier_init.release.cluster;
mbarrier.init.shared::cta.b64 [%r1], 1;
  DROP left out (absent)
  DUP twice (other): mbarrier.init.shared::cta.b64 [%r1], 1;
  RETARGET the mbarrier after it (other): mbarrier.init.shared::cta.b64 [%r1+8], 1;
  RETARGET the mbarrier before it (other): mbarrier.init.shared::cta.b64 [%r1+-8], 1;
  COUNT one more (more): mbarrier.init.shared::cta.b64 [%r1], 2;
  PRIME an arrival after it (other): mbarrier.arrive.shared::cta.b64 _, [%r1];
mbarrier.init.shared.b64 [%r1], %r2;
  DROP left out (absent)
  DUP twice (other): mbarrier.init.shared.b64 [%r1], %r2;
  RETARGET the mbarrier after it (other): mbarrier.init.shared.b64 [%r1+8], %r2;
  RETARGET the mbarrier before it (other): mbarrier.init.shared.b64 [%r1+-8], %r2;
  COUNT one more (more): { .reg .b32 %changed; add.s32 %changed, %r2, 1; mbarrier.init.shared.b64 [%r1], %changed; }
  COUNT one less (less): { .reg .b32 %changed; add.s32 %changed, %r2, -1; mbarrier.init.shared.b64 [%r1], %changed; }
  PRIME an arrival after it (other): mbarrier.arrive.shared.b64 _, [%r1];
mbarrier.inval.shared::cta.b64 [%r1];
  DROP left out (absent)
  DUP twice (other): mbarrier.inval.shared::cta.b64 [%r1];
  RETARGET the mbarrier after it (other): mbarrier.inval.shared::cta.b64 [%r1+8];
  RETARGET the mbarrier before it (other): mbarrier.inval.shared::cta.b64 [%r1+-8];
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;
  DROP left out (absent)
  DUP twice (other): mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;
  RETARGET the mbarrier after it (other): mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1+8], 16;
  RETARGET the mbarrier before it (other): mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1+-8], 16;
  COUNT 16 bytes more (more): mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 32;
  COUNT 16 bytes less (less): mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 0;
mbarrier.arrive.shared::cta.b64 %rd1, [%r1];
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1];
  RETARGET the mbarrier after it (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1+8];
  RETARGET the mbarrier before it (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1+-8];
  COUNT one more (more): mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 2;
  FLAG relaxed (other): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1];
mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 2;
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 2;
  RETARGET the mbarrier after it (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1+8], 2;
  RETARGET the mbarrier before it (other): mbarrier.arrive.shared::cta.b64 %rd1, [%r1+-8], 2;
  COUNT one more (more): mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 3;
  COUNT one less (less): mbarrier.arrive.shared::cta.b64 %rd1, [%r1], 1;
  FLAG relaxed (other): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1], 2;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], 32;
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], 32;
  RETARGET the mbarrier after it (other): mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1+8], 32;
  RETARGET the mbarrier before it (other): mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1+-8], 32;
  COUNT 16 bytes more (more): mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], 48;
  COUNT 16 bytes less (less): mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], 16;
  FLAG relaxed (other): mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 %rd1, [%r1], 32;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
  DROP left out (absent)
  DUP twice (other): mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
  RETARGET the mbarrier after it (other): mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1+8];
  RETARGET the mbarrier before it (other): mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1+-8];
  COUNT one more (more): mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 2;
  FLAG relaxed (other): mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r1];
  FLAG of CTA scope (other): mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r1];
mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1];
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1];
  RETARGET the mbarrier after it (other): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1+8];
  RETARGET the mbarrier before it (other): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1+-8];
  COUNT one more (more): mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1, [%r1], 2;
mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1];
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1];
  RETARGET the mbarrier after it (other): mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1+8];
  RETARGET the mbarrier before it (other): mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1+-8];
  COUNT one more (more): mbarrier.arrive_drop.shared::cta.b64 %rd1, [%r1], 2;
  FLAG relaxed (other): mbarrier.arrive_drop.relaxed.cta.shared::cta.b64 %rd1, [%r1];
mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%r1], 1;
  DROP left out (absent): mov.b64 %rd1, 0;
  DUP twice (other): mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%r1], 1;
  RETARGET the mbarrier after it (other): mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%r1+8], 1;
  RETARGET the mbarrier before it (other): mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%r1+-8], 1;
  COUNT one more (more): mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [%r1], 2;
cp.async.mbarrier.arrive.shared::cta.b64 [%r1];
  DROP left out (absent)
  DUP twice (other): cp.async.mbarrier.arrive.shared::cta.b64 [%r1];
  RETARGET the mbarrier after it (other): cp.async.mbarrier.arrive.shared::cta.b64 [%r1+8];
  RETARGET the mbarrier before it (other): cp.async.mbarrier.arrive.shared::cta.b64 [%r1+-8];
  FLAG without its increment (other): cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];
  DROP left out (absent)
  DUP twice (other): cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];
  RETARGET the mbarrier after it (other): cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1+8];
  RETARGET the mbarrier before it (other): cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1+-8];
  FLAG with an increment (other): cp.async.mbarrier.arrive.shared::cta.b64 [%r1];
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  DROP left out (absent): setp.eq.u32 %p1, 0, 0;
  DUP twice (other, repeated wait): mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  RETARGET the mbarrier after it (other): mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+8], 0;
  RETARGET the mbarrier before it (other): mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+-8], 0;
  PRIME the other parity (other): mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 1;
  FLAG relaxed (other): mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1], 0;
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2;
  DROP left out (absent): setp.eq.u32 %p1, 0, 0;
  DUP twice (other, repeated wait): mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2;
  RETARGET the mbarrier after it (other): mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1+8], %r2;
  RETARGET the mbarrier before it (other): mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1+-8], %r2;
  PRIME the other parity (other): { .reg .b32 %changed; xor.b32 %changed, %r2, 1; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %changed; }
  FLAG relaxed (other): mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p1, [%r1], %r2;
  FLAG of CTA scope (other): mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], %r2;
mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd1;
  DROP left out (absent): setp.eq.u32 %p1, 0, 0;
  DUP twice (other, repeated wait): mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd1;
  RETARGET the mbarrier after it (other): mbarrier.test_wait.shared::cta.b64 %p1, [%r1+8], %rd1;
  RETARGET the mbarrier before it (other): mbarrier.test_wait.shared::cta.b64 %p1, [%r1+-8], %rd1;
  FLAG relaxed (other): mbarrier.test_wait.relaxed.cta.shared::cta.b64 %p1, [%r1], %rd1;
mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1], 1;
  DROP left out (absent): setp.eq.u32 %p1, 0, 0;
  DUP twice (other, repeated wait): mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1], 1;
  RETARGET the mbarrier after it (other): mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1+8], 1;
  RETARGET the mbarrier before it (other): mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1+-8], 1;
  PRIME the other parity (other): mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [%r1], 0;
cp.async.wait_all;
  DROP left out (absent)
  DUP twice (other, idempotent wait): cp.async.wait_all;
  COUNT one more (more): cp.async.wait_group 1;
cp.async.wait_group 0;
  DROP left out (absent)
  DUP twice (other, idempotent wait): cp.async.wait_group 0;
  COUNT one more (more): cp.async.wait_group 1;
cp.async.wait_group 2;
  DROP left out (absent)
  DUP twice (other, idempotent wait): cp.async.wait_group 2;
  COUNT one more (more): cp.async.wait_group 3;
  COUNT one less (less, stronger wait): cp.async.wait_group 1;
cp.async.bulk.wait_group 0;
  DROP left out (absent)
  DUP twice (other, idempotent wait): cp.async.bulk.wait_group 0;
  COUNT one more (more): cp.async.bulk.wait_group 1;
  FLAG of reads alone (other): cp.async.bulk.wait_group.read 0;
cp.async.bulk.wait_group.read 1;
  DROP left out (absent)
  DUP twice (other, idempotent wait): cp.async.bulk.wait_group.read 1;
  COUNT one more (more): cp.async.bulk.wait_group.read 2;
  COUNT one less (less, stronger wait): cp.async.bulk.wait_group.read 0;
  FLAG of writes, too (stronger, stronger wait): cp.async.bulk.wait_group 1;
cp.async.commit_group;
  DROP left out (absent)
  DUP twice (other, empty group): cp.async.commit_group;
cp.async.bulk.commit_group;
  DROP left out (absent)
  DUP twice (other, empty group): cp.async.bulk.commit_group;
wgmma.wait_group.sync.aligned 0;
  DROP left out (absent)
  DUP twice (other, idempotent wait): wgmma.wait_group.sync.aligned 0;
  COUNT one more (more): wgmma.wait_group.sync.aligned 1;
wgmma.commit_group.sync.aligned;
  DROP left out (absent)
  DUP twice (other, empty group): wgmma.commit_group.sync.aligned;
wgmma.fence.sync.aligned;
  DROP left out (absent)
  DUP twice (other, idempotent fence): wgmma.fence.sync.aligned;
ld.acquire.gpu.global.u32 %r1, [%rd1];
  FLAG relaxed (other): ld.relaxed.gpu.global.u32 %r1, [%rd1];
  FLAG of CTA scope (other): ld.acquire.cta.global.u32 %r1, [%rd1];
ld.relaxed.gpu.global.u32 %r1, [%rd1];
  FLAG of CTA scope (other): ld.relaxed.cta.global.u32 %r1, [%rd1];
  FLAG weak (other): ld.global.u32 %r1, [%rd1];
ld.relaxed.cta.shared.u32 %r1, [%r2];
  FLAG weak (other): ld.shared.u32 %r1, [%r2];
ld.volatile.global.u32 %r1, [%rd1];
  FLAG weak (other): ld.global.u32 %r1, [%rd1];
ld.global.u32 %r1, [%rd1];
st.release.cluster.global.u32 [%rd1], %r1;
  FLAG relaxed (other): st.relaxed.cluster.global.u32 [%rd1], %r1;
  FLAG of CTA scope (other): st.release.cta.global.u32 [%rd1], %r1;
st.relaxed.sys.global.u32 [%rd1], %r1;
  FLAG of CTA scope (other): st.relaxed.cta.global.u32 [%rd1], %r1;
  FLAG weak (other): st.global.u32 [%rd1], %r1;
st.volatile.shared.u32 [%r1], %r2;
  FLAG weak (other): st.shared.u32 [%r1], %r2;
atom.global.add.u32 %r1, [%rd1], 1;
atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG relaxed (other): atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG acquires alone (other): atom.acquire.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG releases alone (other): atom.release.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG of CTA scope (other): atom.acq_rel.cta.global.add.u32 %r1, [%rd1], 1;
atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG of CTA scope (other): atom.relaxed.cta.global.add.u32 %r1, [%rd1], 1;
atom.acquire.sys.global.cas.b32 %r1, [%rd1], 0, 1;
  FLAG relaxed (other): atom.relaxed.sys.global.cas.b32 %r1, [%rd1], 0, 1;
  FLAG of CTA scope (other): atom.acquire.cta.global.cas.b32 %r1, [%rd1], 0, 1;
atom.release.gpu.global.exch.b32 %r1, [%rd1], 0;
  FLAG relaxed (other): atom.relaxed.gpu.global.exch.b32 %r1, [%rd1], 0;
  FLAG of CTA scope (other): atom.release.cta.global.exch.b32 %r1, [%rd1], 0;
red.release.gpu.global.add.u32 [%rd1], 1;
  FLAG relaxed (other): red.relaxed.gpu.global.add.u32 [%rd1], 1;
  FLAG of CTA scope (other): red.release.cta.global.add.u32 [%rd1], 1;
red.relaxed.cluster.shared::cluster.add.u32 [%r1], 1;
  FLAG of CTA scope (other): red.relaxed.cta.shared::cluster.add.u32 [%r1], 1;
red.gpu.global.add.u32 [%rd1], 1;
  FLAG of CTA scope (other): red.cta.global.add.u32 [%rd1], 1;
atom.gpu.global.add.u32 %r1, [%rd1], 1;
  FLAG of CTA scope (other): atom.cta.global.add.u32 %r1, [%rd1], 1;
`

const rows = table
  .trim()
  .split(/\n(?! )/u)
  .map((row): readonly [string, ReadonlyArray<string>] => {
    const [line = '', ...changes] = row.split('\n')
    return [line, changes.map((change) => change.trim())]
  })

const lines = (text: string): ReadonlyArray<string> => text.split('\n').map((line) => line.trim())

/** Lines that a text has more often than another. */
const added = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): string => {
  const left = [...before]
  return after
    .filter((line) => {
      const at = left.indexOf(line)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
    .join(' ')
    .replaceAll(/\s+/gu, ' ')
}

const textOf = (line: string): string =>
  moduleOf(
    [],
    `.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;
${line}
ret;`,
  )

test.each(rows)('%s', (line, changes) => {
  const module = right(parseModule(textOf(line)))
  const before = lines(printModule(module))
  const sites = right(sitesOf(module, 'k', 'k.ptx'))
  const programOf = (m: typeof module): WarpProgram => right(elaborate(m, 'k', 'k.ptx')).program
  const numbers = sites.flatMap(({ kind, code, index }) => {
    const { a } = code.instructions[index]!.operands
    return kind === 'bar' ? [a?._tag === 'immediate' ? a.bits : null] : []
  })
  expect(
    changesOf(sites, [128, 1, 1]).map((c) => {
      const after = withInstead(module, c.instead)
      const by = added(before, lines(printModule(after)))
      const rule = ruleFor(programOf(module), programOf(after), c, numbers)
      return `${c.operator} ${c.change} (${c.manner}${rule === null ? '' : `, ${rule}`})${by === '' ? '' : `: ${by}`}`
    }),
  ).toEqual(changes)
})

test('nothing is exchanged over what it writes', () => {
  const changes = (line: string): ReadonlyArray<string> =>
    changesOf(right(sitesOf(right(parseModule(textOf(line))), 'k', 'k.ptx')), [128, 1, 1]).map(
      ({ operator, site }) => `${operator} ${site.opcode}`,
    )
  const arrives = (between: string): string =>
    `mbarrier.arrive.shared::cta.b64 %rd1, [%r1]; ${between} bar.sync 0;`
  const exchanged = 'ORDER mbarrier.arrive.shared::cta.b64'
  expect(changes(arrives(''))).toContain(exchanged)
  expect(changes(arrives('mov.b64 %rd2, 0;'))).toContain(exchanged)
  // what it writes is written anew, or read; what it reads is written
  for (const between of ['mov.b64 %rd1, 0;', 'mov.b64 %rd2, %rd1;', 'mov.b32 %r1, 0;'])
    expect(changes(arrives(between)), between).not.toContain(exchanged)
})
