/**
 * Twins in PTX: the hazards of threads of one warp, of strong accesses of single words, and of barriers whose fences are written by hand. Programs of the core have none of
 * these, so these kernels are PTX, of one or two warps and one tensor.
 *
 * Both of a pair are one text, of which the mended one has a line more, or another instruction in one line (V3):
 *
 *     st.shared.u32 [%r4], %r1;         s[t] = t
 *     bar.warp.sync -1;                 the mended one alone (of two warps: bar.sync 0)
 *     ld.shared.u32 %r6, [%r5];         s[31 - t]
 *
 * They are launched as any PTX is: `tcspec check zoo/D5` reads the text and the launch below in place of files. `lane-source.ts` is the same launch without files.
 *
 * Laws
 * 1. The bad one gets its verdict, with a finding of its id between the two instructions; the mended one is `ok`, without a finding.
 * 2. The mended text is the bad one and the line that mends it, or that line in place of another.
 *
 * Source: PTX ISA, memory consistency model: program order; bar.warp.sync.
 */
import type { HazardId } from '../../../semantics/judging/finding.js'
import { programName } from './twin.js'

// ---------------------------------------------------------------- model

export interface LaneTwin {
  /** the id */
  readonly name: HazardId
  /** the name of the bad one; the mended one's has `-fixed` behind it */
  readonly path: string
  readonly id: HazardId
  /** what went wrong, in one sentence */
  readonly title: string
  /** what mends it */
  readonly fix: string
  /** the two instructions of the finding, as findings name them */
  readonly shows: { readonly verdict: 'hazard'; readonly a: string; readonly b: string }
  readonly threads: number
  readonly text: (fixed: boolean) => string
}

// ---------------------------------------------------------------- constructors

/** A line that the two have otherwise; '': the bad one does not have it. */
interface Mend {
  readonly bad: string
  readonly fixed: string
}
type Line = string | Mend

const missingSync: Mend = { bad: '', fixed: 'bar.warp.sync -1;' }
const missingBarrier: Mend = { bad: '', fixed: 'bar.sync 0;' }

/** %r4 is the address of the thread's own word of `s`. */
const textOf = (entry: string, threads: number, body: ReadonlyArray<Line>, fixed: boolean): string =>
  [
    '.version 8.3',
    '.target sm_90a',
    '.address_size 64',
    '',
    `.visible .entry ${entry}(.param .u64 out)`,
    '{',
    '    .reg .pred %p1;',
    '    .reg .b32 %r<8>;',
    '    .reg .b64 %rd<4>;',
    `    .shared .align 128 .b8 s[${String(4 * threads)}];`,
    '    ld.param.u64 %rd1, [out];',
    '    mov.u32 %r1, %tid.x;',
    '    mov.u32 %r2, s;',
    '    shl.b32 %r3, %r1, 2;',
    '    add.u32 %r4, %r2, %r3;',
    ...body
      .map((line) => (typeof line === 'string' ? line : fixed ? line.fixed : line.bad))
      .flatMap((line) => (line === '' ? [] : [`    ${line}`])),
    '    ret;',
    '}',
    '',
  ].join('\n')

/** An instruction as findings name it: `D5.ptx:16 st.shared.u32 (line 16)`. */
const labelOf = (entry: string, text: string, opcode: string): string => {
  const line = String(1 + text.split('\n').findIndex((l) => l.trim().startsWith(opcode)))
  return `${entry}.ptx:${line} ${opcode} (line ${line})`
}

const laneTwin = (
  id: HazardId,
  title: string,
  fix: string,
  [a, b]: readonly [opcode: string, opcode: string],
  body: ReadonlyArray<Line>,
  threads: number = 32,
): LaneTwin => {
  const text = (fixed: boolean): string => textOf(id, threads, body, fixed)
  const bad = text(false)
  return {
    name: id,
    path: `zoo/${id}`,
    id,
    title,
    fix,
    shows: { verdict: 'hazard', a: labelOf(id, bad, a), b: labelOf(id, bad, b) },
    threads,
    text,
  }
}

// ---------------------------------------------------------------- the kernels

const mirrored = laneTwin(
  'D5',
  'each lane stores a word, and reads that of another lane',
  'a `bar.warp.sync` (`__syncwarp()`) between the two: lanes that run together are not ordered by that',
  ['st.shared.u32', 'ld.shared.u32'],
  [
    'st.shared.u32 [%r4], %r1;',
    missingSync,
    'sub.u32 %r5, 31, %r1;',
    'shl.b32 %r5, %r5, 2;',
    'add.u32 %r5, %r2, %r5;',
    'ld.shared.u32 %r6, [%r5];',
    'cvt.u64.u32 %rd2, %r3;',
    'add.u64 %rd3, %rd1, %rd2;',
    'st.global.u32 [%rd3], %r6;',
  ],
)

const storedByOne = laneTwin(
  'D6',
  'all lanes store and fence, and lane 0 starts the copy of their words',
  'a `bar.warp.sync` (`__syncwarp()`) before the copy: a fence covers only what its own thread has stored',
  ['st.shared.u32', 'cp.async.bulk.global.shared::cta.bulk_group'],
  [
    'st.shared.u32 [%r4], %r1;',
    'fence.proxy.async.shared::cta;',
    missingSync,
    'setp.ne.u32 %p1, %r1, 0;',
    '@%p1 bra over;',
    'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 128;',
    'cp.async.bulk.commit_group;',
    'cp.async.bulk.wait_group 0;',
    'over:',
  ],
)

const foundByLuck = laneTwin(
  'V2',
  'each thread stores a word and reads one of another warp. Both accesses are strong, so there is no race, and the read finds the old or the new value',
  'a `bar.sync` (`__syncthreads()`) between the two: strong accesses order nothing by themselves',
  ['st.volatile.shared.u32', 'ld.volatile.shared.u32'],
  [
    'st.shared.u32 [%r4], 0;',
    'bar.sync 0;',
    'st.volatile.shared.u32 [%r4], %r1;',
    missingBarrier,
    'sub.u32 %r5, 63, %r1;',
    'shl.b32 %r5, %r5, 2;',
    'add.u32 %r5, %r2, %r5;',
    'ld.volatile.shared.u32 %r6, [%r5];',
    'cvt.u64.u32 %rd2, %r3;',
    'add.u64 %rd3, %rd1, %rd2;',
    'st.global.u32 [%rd3], %r6;',
  ],
  64,
)

const readOnly = laneTwin(
  'V3',
  'each lane stores a word of global memory, and loads that of another lane by `ld.global.nc`, which is for memory that the kernel does not write',
  'an ordinary load: no `__ldg()`, and no `const` and `__restrict__` on a pointer whose memory the kernel writes',
  ['st.global.u32', 'ld.global.nc.u32'],
  [
    'cvt.u64.u32 %rd2, %r3;',
    'add.u64 %rd2, %rd1, %rd2;',
    'st.global.u32 [%rd2], %r1;',
    'bar.warp.sync -1;',
    'xor.b32 %r5, %r3, 124;',
    'cvt.u64.u32 %rd3, %r5;',
    'add.u64 %rd3, %rd1, %rd3;',
    { bad: 'ld.global.nc.u32 %r6, [%rd3];', fixed: 'ld.global.u32 %r6, [%rd3];' },
    'bar.warp.sync -1;',
    'st.global.u32 [%rd2], %r6;',
  ],
)

const givenToCopy = laneTwin(
  'P6',
  'a thread initialises a barrier, and starts a bulk copy that completes on it, with no fence between the two',
  'a fence.mbarrier_init after the initialisation, by the same thread: the copy reaches the barrier through the asynchronous proxy',
  ['mbarrier.init.shared::cta.b64', 'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes'],
  [
    '.shared .align 128 .b8 d[128];',
    '.shared .align 8 .b64 full;',
    'st.shared.u32 [%r4], %r1;',
    'fence.proxy.async.shared::cta;',
    'bar.warp.sync -1;',
    'mov.u32 %r5, full;',
    'mov.u32 %r6, d;',
    'setp.ne.u32 %p1, %r1, 0;',
    '@%p1 bra over;',
    'mbarrier.init.shared::cta.b64 [%r5], 1;',
    { bad: '', fixed: 'fence.mbarrier_init.release.cluster;' },
    'mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 128;',
    'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r2], 128, [%r5];',
    'over:',
    'bar.warp.sync -1;',
    'wait:',
    'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 0;',
    '@!%p1 bra wait;',
    'add.u32 %r6, %r6, %r3;',
    'ld.shared.u32 %r7, [%r6];',
    'cvt.u64.u32 %rd2, %r3;',
    'add.u64 %rd3, %rd1, %rd2;',
    'st.global.u32 [%rd3], %r7;',
  ],
)

export const laneTwins: ReadonlyArray<LaneTwin> = [mirrored, storedByOne, givenToCopy, foundByLuck, readOnly]

// ---------------------------------------------------------------- destructors

/** The twin of this name, and whether it is the mended one. */
export const laneTwinNamed = (
  name: string,
): { readonly twin: LaneTwin; readonly fixed: boolean } | undefined =>
  laneTwins
    .flatMap((twin) => [false, true].map((fixed) => ({ twin, fixed })))
    .find(({ twin, fixed }) => name === programName(twin, fixed))

/** Its launch, as a launch file says it. */
export const laneLaunch = ({ name, threads }: LaneTwin): unknown => ({
  schema: 'tcspec.launch/1',
  kernel: name,
  grid: [1],
  block: [threads],
  args: [{ kind: 'pointer', tensor: 'out', dtype: 'u32', shape: [threads], role: 'out' }],
  outputs: ['out'],
})
