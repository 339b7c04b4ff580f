/**
 * Fixes: a missing edge in the words of the language that the kernel is written in.
 *
 * The detector says what is missing in its own terms: a fence, an arrive and a wait for it, a wait for a group. An author of CUDA writes `__syncthreads()`, one of
 * Pallas `plgpu.commit_smem()`. He should not have to translate, and what is one edge here may be several things there: an order between two warps of a CTA is
 * `__syncthreads()`, one between two CTAs of a cluster is `cluster.sync()`, one between two grids' blocks takes a flag.
 *
 * | missing              | CUDA                         | Pallas                          | Gluon                        | Triton              |
 * |----------------------|------------------------------|---------------------------------|------------------------------|---------------------|
 * | order, one CTA       | `__syncthreads()`            | `plgpu.barrier_arrive`, `_wait` | `gl.thread_barrier()`        | `tl.debug_barrier()` |
 * | order, one warp      | `__syncwarp()`               |                                 |                              |                     |
 * | order, two clusters  | `__threadfence()`, a flag    | `pl.semaphore_signal`, `_wait`  | `gl.atomic_*`                | `tl.atomic_*`       |
 * | proxy fence          | `fence.proxy.async`          | `plgpu.commit_smem()`           | `fence_async_shared()`       |                     |
 * | an announcement      | `__threadfence()` on both sides |                              | `sem="acq_rel"`               | `sem="acq_rel"`     |
 * | a phase of a barrier | an mbarrier wait             | `plgpu.barrier_wait`            | `mbarrier.wait`              |                     |
 * | a group              | `wgmma.wait_group` ...       | `plgpu.wgmma_wait` ...          | `warpgroup_mma_wait` ...     |                     |
 *
 * Where a language has no word, the text of the edge stands. A compiler's own synchronisation (`ownership.ts`) has no fix in any language.
 *
 * A register that a wgmma does not see has two causes. There is no `wgmma.fence`, or there is one and the compiler has moved the write after it: the fence of CUDA is an
 * `asm volatile`, and a register that it does not name may be written on either side. The log tells which: its agent has fenced since its last product.
 *
 * Lanes of one warp may race between two lines where warps race, too. What orders the lanes then leaves the kernel wrong, so each finding between these lines says what
 * orders all of them.
 *
 * `__syncthreads()` waits for all threads of a block. Where one of the two statements is in a branch that only some threads take, the fix says which branch to stay out of; where both
 * are, a named barrier of the threads that come by has to do.
 *
 * Laws
 * 1. Every kind of edge with a word says it, and says where: after which statement or before which.
 * 2. Nothing is said of programs of the core: there the edge is named as they name it.
 * 3. What is said of branches is what `spoken.meeting` knows, and nothing where it knows nothing.
 * 4. Findings that lack an order between the same two lines say the same word: that of those who are farthest apart.
 *
 * Source: CUDA C++ Programming Guide (synchronisation functions, memory fences); PTX ISA; documentation of Pallas:MGPU and of Gluon
 */
import type { Family } from '../log/units.js'
import type { Distance, Finding, MissingEdge, Operation } from './finding.js'
import { lineOf } from './lines.js'
import type { FenceName } from './subject.js'

export type Language = 'cuda' | 'pallas' | 'gluon' | 'triton'

/** Where a barrier between two statements meets all threads of the block. */
export type Meeting<Branch> =
  /** between the two, outside the ways of branches that only one of them is on */
  | { readonly _tag: 'between'; readonly outside: ReadonlyArray<Branch> }
  /** on the way of a branch that both are on: only threads that take it come by */
  | { readonly _tag: 'inside'; readonly branch: Branch; readonly outside: ReadonlyArray<Branch> }
  /** nowhere: they are on different ways of one branch */
  | { readonly _tag: 'apart'; readonly branch: Branch }

/** The language of the author, and whether statements are instructions of a text, whose labels have their lines. */
export interface Spoken {
  readonly language: Language
  readonly isText: boolean
  /** where a barrier of the block between two operations can stand, branches by their lines; null or absent: it is not known */
  readonly meeting?: (x: Operation, y: Operation) => Meeting<string> | null
}

// ---------------------------------------------------------------- words

type Words<K extends string> = Readonly<Record<K, string | null>>

/** The word of Triton and of Gluon for both sides of an announcement. */
const announcedBySem = (first: string, second: string): string =>
  `\`sem="acq_rel"\` in the atomic operation that announces ${first}, and in the one before ${second} that reads the announcement`

/** Where one side announces by an atomic operation what it did, and the other reads the announcement: what makes it one. */
const announcements: Readonly<Record<Language, ((first: string, second: string) => string) | null>> = {
  cuda: (first, second) =>
    `\`__threadfence()\` after ${first}, before the atomic operation that announces it; and \`__threadfence()\` before ${second}, after the one that reads the announcement`,
  pallas: null,
  gluon: announcedBySem,
  triton: announcedBySem,
}
const fences: Readonly<Record<Language, Words<FenceName>>> = {
  cuda: {
    shared: '`fence.proxy.async.shared::cta` (cuda::ptx::fence_proxy_async)',
    cluster: '`fence.proxy.async.shared::cluster` (cuda::ptx::fence_proxy_async)',
    global: '`fence.proxy.async.global`',
    wgmma: '`wgmma.fence.sync.aligned`',
    tensorBefore: '`tcgen05.fence::before_thread_sync`',
    tensorAfter: '`tcgen05.fence::after_thread_sync`',
    mapRelease: '`fence.proxy.tensormap::generic.release`',
    mapAcquire: '`fence.proxy.tensormap::generic.acquire`',
    mbarrierInit: '`fence.mbarrier_init.release.cluster` (cuda::ptx::fence_mbarrier_init)',
  },
  pallas: {
    shared: '`plgpu.commit_smem()`',
    cluster: null,
    global: null,
    wgmma: null,
    tensorBefore: null,
    tensorAfter: null,
    mapRelease: null,
    mapAcquire: null,
    mbarrierInit: null,
  },
  gluon: {
    shared: '`fence_async_shared()`',
    cluster: '`fence_async_shared(cluster=True)`',
    global: null,
    wgmma: null,
    tensorBefore: null,
    tensorAfter: null,
    mapRelease: null,
    mapAcquire: null,
    mbarrierInit: null,
  },
  triton: {
    shared: null,
    cluster: null,
    global: null,
    wgmma: null,
    tensorBefore: null,
    tensorAfter: null,
    mapRelease: null,
    mapAcquire: null,
    mbarrierInit: null,
  },
}

const groups: Readonly<Record<Language, Words<Family>>> = {
  cuda: {
    bulk: '`cp.async.bulk.wait_group.read 0`',
    wgmma: '`wgmma.wait_group.sync.aligned 0`',
    cpAsync: '`cp.async.wait_group 0` (__pipeline_wait_prior(0))',
    tcgen05Ld: '`tcgen05.wait::ld.sync.aligned`',
    tcgen05St: '`tcgen05.wait::st.sync.aligned`',
  },
  pallas: {
    bulk: '`plgpu.wait_smem_to_gmem(0)`',
    wgmma: '`plgpu.wgmma_wait(0)`',
    cpAsync: null,
    tcgen05Ld: '`plgpu.wait_load_tmem()`',
    tcgen05St: '`plgpu.commit_tmem()`',
  },
  gluon: {
    bulk: '`tma.store_wait(0)`',
    wgmma: '`warpgroup_mma_wait(0, ...)`',
    cpAsync: '`async_copy.wait_group(0)`',
    tcgen05Ld: null,
    tcgen05St: null,
  },
  triton: { bulk: null, wgmma: null, cpAsync: null, tcgen05Ld: null, tcgen05St: null },
}

/** What closes a group; null: the operation itself, or what waits for it, does. */
const closes: Readonly<Record<Language, Words<Family>>> = {
  cuda: {
    bulk: '`cp.async.bulk.commit_group`',
    wgmma: '`wgmma.commit_group.sync.aligned`',
    cpAsync: '`cp.async.commit_group` (__pipeline_commit())',
    tcgen05Ld: null,
    tcgen05St: null,
  },
  pallas: {
    bulk: '`plgpu.commit_smem_to_gmem_group()`',
    wgmma: null,
    cpAsync: null,
    tcgen05Ld: null,
    tcgen05St: null,
  },
  gluon: {
    bulk: null,
    wgmma: null,
    cpAsync: '`async_copy.commit_group()`',
    tcgen05Ld: null,
    tcgen05St: null,
  },
  triton: { bulk: null, wgmma: null, cpAsync: null, tcgen05Ld: null, tcgen05St: null },
}

const orders: Readonly<Record<Language, Readonly<Record<Distance, string | null>>>> = {
  cuda: {
    warp: '`__syncwarp()`',
    cta: '`__syncthreads()`',
    cluster: '`cluster.sync()`',
    grid: null,
  },
  pallas: {
    warp: null,
    cta: '`plgpu.barrier_arrive(b)` and `plgpu.barrier_wait(b)`',
    cluster: '`plgpu.barrier_arrive(b)` and `plgpu.barrier_wait(b)` on a cluster barrier',
    grid: '`pl.semaphore_signal(s)` and `pl.semaphore_wait(s)`',
  },
  gluon: {
    warp: '`gl.thread_barrier()`',
    cta: '`gl.thread_barrier()`',
    cluster: null,
    grid: 'an atomic flag, released with `sem="release"` and read with `sem="acquire"`,',
  },
  triton: {
    warp: '`tl.debug_barrier()`',
    cta: '`tl.debug_barrier()`',
    cluster: null,
    grid: 'an atomic flag, released with `sem="release"` and read with `sem="acquire"`,',
  },
}

const barrierWaits: Readonly<Record<Language, ((barrier: string, phase: number | null) => string) | null>> = {
  cuda: (barrier, phase) =>
    `an mbarrier wait for \`${barrier}\`${phase === null ? '' : ` (phase parity ${String(phase)})`}`,
  pallas: (barrier) => `\`plgpu.barrier_wait(${barrier})\``,
  gluon: (barrier, phase) => `\`mbarrier.wait(${barrier}${phase === null ? '' : `, ${String(phase)}`})\``,
  triton: null,
}

// ---------------------------------------------------------------- places

/** A statement as findings call it, with its line; the label of an instruction of PTX has it already. */
const at = ({ isText }: Spoken, { site, loc }: Operation): string =>
  isText || loc === undefined ? `\`${site}\`` : `\`${site}\` (${loc})`

/** The sides in the order that the edge demands, or in that of the program. */
export const sidesOf = ({ a, b, missing }: Finding): readonly [Operation, Operation] | null => {
  if (b === undefined) return null
  if (missing?.after !== undefined) return missing.after === 'a' ? [a, b] : [b, a]
  if (missing?.before !== undefined) return missing.before === 'b' ? [a, b] : [b, a]
  return missing?.reversed === true ? [b, a] : [a, b]
}

/** Between the two where one agent does both, or both are known; else at the one that is known. */
const placed = (spoken: Spoken, f: Finding): string => {
  const sides = sidesOf(f)
  if (sides === null) return `at ${at(spoken, f.a)}`
  const [x, y] = [at(spoken, sides[0]), at(spoken, sides[1])]
  const { after, before } = f.missing ?? {}
  const isOfOne = f.a.index === f.b?.index
  if (isOfOne || (after === undefined) === (before === undefined)) return `between ${x} and ${y}`
  return after === undefined ? `before ${y}` : `after ${x}`
}

// ---------------------------------------------------------------- how far

const farther: ReadonlyArray<Distance> = ['warp', 'cta', 'cluster', 'grid']

/** How far apart the two are that an order is missing between; null: it is no order that is missing, or one of a barrier that is there. */
const distanceOf = ({ missing, b }: Finding): Distance | null =>
  b === undefined || missing === undefined
    ? null
    : missing.kind === 'warp-sync'
      ? 'warp'
      : missing.kind === 'arrive-wait' && missing.barrier === undefined
        ? (missing.distance ?? null)
        : null

const linesOf = ({ a, b }: Finding): string =>
  [a, b]
    .map((o) => lineOf(o) ?? o?.site ?? '')
    .sort()
    .join('\n')

/** The same of two that a wait for an mbarrier would order, which a barrier orders as well. */
const awaitedDistance = ({ missing }: Finding): Distance | null =>
  missing?.kind === 'wait' ? (missing.distance ?? null) : null

/** The word that orders all that race between the two lines, where there is one. */
const orderIn = (language: Language, f: Finding, beside: ReadonlyArray<Finding>): string | null => {
  const between = linesOf(f)
  const near = beside.filter((g) => linesOf(g) === between)
  const isOrdered = near.some((g) => distanceOf(g) !== null)
  const own = distanceOf(f) ?? (isOrdered ? awaitedDistance(f) : null)
  if (own === null) return null
  const apart = near.map((g) => distanceOf(g) ?? awaitedDistance(g))
  const words = farther
    .slice(farther.indexOf(own))
    .flatMap((d) => (d === own || apart.includes(d) ? [orders[language][d]] : []))
  return words.filter((word) => word !== null).at(-1) ?? null
}

// ---------------------------------------------------------------- fixes

const fenceText = (spoken: Spoken, f: Finding, { fence, moved }: MissingEdge): string | null => {
  const { language } = spoken
  if (fence === undefined) return null
  const sides = sidesOf(f)
  if (fence === 'wgmma' && language === 'cuda' && moved === true)
    return `the compiler moved ${at(spoken, f.a)} after the fence: pass the register through the fence, as in \`asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[i]) :: "memory")\``
  if (fence === 'threads') {
    const announced = announcements[language]
    return announced === null || sides === null ? null : announced(at(spoken, sides[0]), at(spoken, sides[1]))
  }
  const word = fences[language][fence]
  return word === null ? null : `${word} ${placed(spoken, f)}`
}

const orderText = (spoken: Spoken, f: Finding, beside: ReadonlyArray<Finding>): string | null => {
  const word = orderIn(spoken.language, f, beside)
  if (word === null) return null
  const { warp, cta } = orders[spoken.language]
  const ahead = word === warp ? f.missing?.ahead : undefined
  if (ahead !== undefined) return `${word} before ${ahead}`
  return word === cta ? blockText(spoken, f, word) : `${word} ${placed(spoken, f)}`
}

/** A wait for a group, or what closes the group, or both, one after the other. */
const groupText = (
  spoken: Spoken,
  f: Finding,
  { lacks, ahead }: MissingEdge,
  family: Family,
): string | null => {
  const { language } = spoken
  const [close, wait] = [closes[language][family], groups[language][family]]
  if (lacks === 'commit')
    return close === null
      ? null
      : `${close} after ${at(spoken, f.a)}: the wait for groups that is there covers committed ones only`
  if (wait === null) return null
  const word = lacks === 'both' && close !== null ? `${close} and ${wait}` : wait
  if (ahead !== undefined) return `${word} after ${at(spoken, f.a)}, before ${ahead}`
  return f.b === undefined
    ? `${word} after ${at(spoken, f.a)}, before the kernel ends`
    : `${word} ${placed(spoken, f)}`
}

const outsideText = (branches: ReadonlyArray<string>): string =>
  branches.length === 0
    ? ''
    : `, outside the branch${branches.length === 1 ? '' : 'es'} at ${branches.map((line) => `\`${line}\``).join(' and ')}`

/** A barrier of the block stands where all of its threads come by; another one has to do where they do not. */
const blockText = (spoken: Spoken, f: Finding, word: string): string => {
  const sides = sidesOf(f)
  const meeting = sides === null ? null : (spoken.meeting?.(...sides) ?? null)
  if (sides === null || meeting === null) return `${word} ${placed(spoken, f)}`
  const [x, y] = [at(spoken, sides[0]), at(spoken, sides[1])]
  switch (meeting._tag) {
    case 'between':
      return meeting.outside.length === 0
        ? `${word} ${placed(spoken, f)}`
        : `${word} between ${x} and ${y}${outsideText(meeting.outside)}: all threads of the block must reach it`
    case 'inside':
      return `\`bar.sync 1, n\` between ${x} and ${y}${outsideText(meeting.outside)}, for the n threads that take the branch at \`${meeting.branch}\`: ${word} would wait for the others, too`
    case 'apart':
      return `\`bar.arrive 1, n\` after ${x} and \`bar.sync 1, n\` before ${y}, for n threads in all: they are on different sides of the branch at \`${meeting.branch}\`, so ${word} fits on neither`
  }
}

/** What to write, and where, of a finding among others; null where the language has no word for it. */
export const fixOf = (spoken: Spoken, f: Finding, beside: ReadonlyArray<Finding>): string | null => {
  const { language } = spoken
  const { missing, whose } = f
  if (missing === undefined || whose !== undefined) return null
  switch (missing.kind) {
    case 'fence':
      return fenceText(spoken, f, missing)
    case 'group-wait':
      return missing.family === undefined ? null : groupText(spoken, f, missing, missing.family)
    case 'wait': {
      const order = orderText(spoken, f, beside)
      if (order !== null) return order
      const says = barrierWaits[language]
      const sides = sidesOf(f)
      return says === null || missing.barrier === undefined || missing.before === undefined || sides === null
        ? null
        : `${says(missing.barrier.name, missing.barrier.phase ?? null)} before ${at(spoken, sides[1])}`
    }
    case 'warp-sync':
    case 'arrive-wait':
      return orderText(spoken, f, beside)
    case 'arrive':
    case 'bytes':
    case 'none-found':
      return null
  }
}
