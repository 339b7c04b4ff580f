/** The small forms of a kernel, at which all its schedules are followed: made once for all proofs that ask. */
import { followedAt, type Instance, type Kernel } from '../../src/kernels/catalogue/index.js'

const made = new Map<Kernel, ReadonlyArray<Instance>>()

export const followed = (kernel: Kernel): ReadonlyArray<Instance> => {
  const forms = made.get(kernel) ?? followedAt(kernel)
  made.set(kernel, forms)
  return forms
}
