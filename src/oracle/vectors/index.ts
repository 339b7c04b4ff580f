/** Every suite, in the order in which they are listed, and the module that each is loaded from when it is asked for. */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import type { Suite } from './suite.js'

/** A suite as the list knows it. */
export interface ListedSuite {
  readonly name: string
  readonly load: () => Promise<Suite>
}

export const suites: ReadonlyArray<ListedSuite> = [
  { name: 'swizzle', load: async () => (await import('./swizzle.js')).swizzleSuite },
  { name: 'tma-box', load: async () => (await import('./tma-box.js')).tmaBoxSuite },
  { name: 'fragments', load: async () => (await import('./fragments.js')).fragmentsSuite },
  { name: 'descriptors', load: async () => (await import('./descriptors.js')).descriptorsSuite },
  { name: 'tmem', load: async () => (await import('./tmem.js')).tmemSuite },
  { name: 'linear', load: async () => (await import('./linear.js')).linearSuite },
  { name: 'cute', load: async () => (await import('./cute.js')).cuteSuite },
  { name: 'banks', load: async () => (await import('./banks.js')).banksSuite },
  { name: 'mbarrier', load: async () => (await import('./mbarrier.js')).mbarrierSuite },
  { name: 'litmus', load: async () => (await import('./litmus.js')).litmusSuite },
  { name: 'kernels', load: async () => (await import('./kernels.js')).kernelsSuite },
  { name: 'ptx', load: async () => (await import('./ptx.js')).ptxSuite },
  { name: 'functions', load: async () => (await import('./functions.js')).functionsSuite },
  { name: 'conversions', load: async () => (await import('./conversions.js')).conversionsSuite },
  { name: 'dot', load: async () => (await import('./dot.js')).dotSuite },
  { name: 'dot-tcgen05', load: async () => (await import('./dot.js')).dotTcgen05Suite },
  { name: 'dot-scaled', load: async () => (await import('./dot-scaled.js')).dotScaledSuite },
]

/** The suite of this name, or what there is. */
export const suiteNamed = (name: string): TE.TaskEither<Failure<'no-such-suite'>, Suite> => {
  const names = suites.map((listed) => listed.name)
  const found = suites.find((listed) => listed.name === name)
  return found === undefined
    ? TE.fromEither(
        refuse(
          'no-such-suite',
          `expected a suite (${names.join(', ')}), found '${name}'; ${didYouMean(names)(name)}`,
        ),
      )
    : async () => E.right(await found.load())
}

export type { Arch, Case, Definition, Feature, Fidelity, Profile, Rule, Suite, Tensor } from './suite.js'
