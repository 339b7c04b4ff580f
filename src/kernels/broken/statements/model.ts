/**
 * A manifest of broken kernels: which statement of which kernel is left out, and what must come of it.
 *
 * Kernels have much in common, and so have the ways to break them: a manifest is put together from groups of lines (the way out through
 * shared memory, the products, the ring), each with what is particular to a kernel.
 *
 * Laws
 * 1. The verdict is bad (`isBad`) whatever schedule it starts from; from the eager one it is the verdict written here, with these ids.
 * 2. One run is enough, unless the line says that others must be asked.
 */
import type { HazardId } from '../../../semantics/judging/finding.js'
import type { VerdictName } from '../../../semantics/judging/verdict.js'

/** One statement that is missing. */
export interface Missing {
  /** label of what is left out: see `without.ts` */
  readonly without: string
  readonly verdict: VerdictName
  /** ids that the verdict must name */
  readonly shows: ReadonlyArray<HazardId>
  /** one run may leave it open, and then others must be asked (`check` with `explore`) */
  readonly asksOthers: boolean
}

export interface Broken extends Missing {
  /** the kernel's name in the catalogue */
  readonly kernel: string
}

/** Is it told that the kernel must not be used? */
export const isBad = (v: VerdictName): boolean =>
  v === 'hazard' || v === 'deadlock' || v === 'invalid' || v === 'wrong-result'

type Line = (without: string, verdict: VerdictName, ...shows: ReadonlyArray<HazardId>) => Missing

const line =
  (asksOthers: boolean): Line =>
  (without, verdict, ...shows) => ({ without, verdict, shows, asksOthers })

/** What any run shows. */
export const broken: Line = line(false)
/** What it takes several schedules to show. */
export const brokenElsewhere: Line = line(true)

/** The manifest of a kernel; of two lines about one statement the later one stands. */
export const manifest = (
  kernel: string,
  ...groups: ReadonlyArray<ReadonlyArray<Missing>>
): ReadonlyArray<Broken> => [
  ...new Map(groups.flat().map((m) => [m.without, { kernel, ...m }] as const)).values(),
]
