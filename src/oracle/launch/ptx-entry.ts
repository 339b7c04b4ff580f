/** What is said of an entry of PTX: its parameters, and a launch to begin with (`ptx-described.ts`, `ptx-guess.ts`). */
import type { DescribedOperation } from './described.js'
import type { GuessedOfLaunch } from './ptx.js'

export interface DescribedParameterOfPtx {
  readonly name: string
  readonly kind: 'pointer' | 'map' | 'scalar'
  readonly dtype: string
  readonly role?: 'in' | 'out' | 'inout'
  /** where it begins in the bytes of the parameters, and how many it has */
  readonly at: number
  readonly bytes: number
  /** its number among the parameters, its name in the source beside the text, and its type in C++ where the symbol of the entry says it */
  readonly number: number
  readonly called?: string
  readonly type?: string
}

export interface DescribedEntry {
  readonly name: string
  readonly target: string | null
  readonly warps: number
  readonly ctas: number
  readonly axes: number
  readonly parameters: ReadonlyArray<DescribedParameterOfPtx>
  readonly example: {
    readonly grid: ReadonlyArray<number>
    readonly block: ReadonlyArray<number>
    /** the text does not ask for them */
    readonly guessed: ReadonlyArray<GuessedOfLaunch>
    readonly shared?: number
    readonly entry?: string
    readonly arg: Readonly<Record<string, string>>
  }
  readonly operations: ReadonlyArray<DescribedOperation>
}
