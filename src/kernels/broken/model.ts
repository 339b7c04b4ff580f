/**
 * What a manifest of broken kernels says of one of them: which statement of which kernel is left out, and what must come of it.
 *
 * Laws
 * 1. The verdict is bad (`isBad`) whatever schedule it starts from; from the eager one it is the verdict written here, with these ids.
 * 2. One run is enough, unless the line says that others must be asked.
 */
import type { HazardId } from '../../semantics/finding.js'
import type { VerdictName } from '../../semantics/verdict.js'

export interface Broken {
  /** the kernel's name in the catalogue */
  readonly kernel: string
  /** label of what is left out: see `without.ts` */
  readonly without: string
  readonly verdict: VerdictName
  /** ids that the verdict must name */
  readonly shows: ReadonlyArray<HazardId>
  /** one run leaves it open under some schedule, and others must be asked (`check` with `explore`) */
  readonly asksOthers: boolean
}

/** Is somebody told that the kernel must not be used? */
export const isBad = (v: VerdictName): boolean =>
  v === 'hazard' || v === 'deadlock' || v === 'invalid' || v === 'wrong-result'

type Line = (without: string, verdict: VerdictName, ...shows: ReadonlyArray<HazardId>) => Broken

/** Lines of the manifest of a kernel: what one run shows, and what it takes others to show. */
export const breaking = (kernel: string): { readonly broken: Line; readonly brokenElsewhere: Line } => {
  const line =
    (asksOthers: boolean): Line =>
    (without, verdict, ...shows) => ({ kernel, without, verdict, shows, asksOthers })
  return { broken: line(false), brokenElsewhere: line(true) }
}
