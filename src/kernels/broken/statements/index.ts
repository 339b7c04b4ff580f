/** Kernels one statement short: the manifests. */
import { brokenAttention } from './attention.js'
import { brokenBlackwell } from './blackwell.js'
import { brokenHopper } from './hopper.js'
import type { Broken } from './model.js'

export { isBad } from './model.js'
export type { Broken, Missing } from './model.js'

/** All of them. */
export const statements: ReadonlyArray<Broken> = [...brokenHopper, ...brokenBlackwell, ...brokenAttention]

/** The manifest of a kernel. */
export const brokenOf = (kernel: string): ReadonlyArray<Broken> =>
  statements.filter((b) => b.kernel === kernel)
