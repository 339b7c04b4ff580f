/** What a kernel of the catalogue is: its settings, its tensors, and how an instance is made of what is given. */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Program } from '../../semantics/language/program.js'
import type { Tolerance } from '../attention/tolerance.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- model

export type SettingValue = number | boolean | string
/** Settings by name. */
export type Settings = Readonly<Record<string, SettingValue>>

export interface Parameter {
  readonly name: string
  /** used when nothing is given; a tile or a number of stages may be chosen smaller to fit */
  readonly default: SettingValue
  /** `elements`, `slots`; a word's legal values stand in `choices` */
  readonly unit: string
  readonly meaning: string
  readonly choices?: ReadonlyArray<string>
}

/** A tensor parameter of the program; axis d has the size of the setting `axes[d]`. */
export interface TensorRole {
  readonly name: string
  readonly role: 'in' | 'out'
  readonly axes: ReadonlyArray<string>
}

/** An input from outside: its source (a file name), and its contents. */
export interface Input {
  readonly name: string
  readonly source: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}

/** An output and what it is about: real values, and how far from them it may be. `size` scales an absolute bound. */
export interface Near {
  readonly tensor: string
  readonly values: Float64Array
  readonly tolerance: Tolerance
  readonly size: number
}

/** What the outputs are compared with where no two ways to compute them give the same bits. */
export type Expects = (
  algebra: Algebra,
  inputs: ReadonlyMap<string, Float64Array>,
) => E.Either<Failure, { readonly name: string; readonly outputs: ReadonlyArray<Near> }>

/** A program and the settings that it was made with, all of them. */
export interface Instance {
  readonly kernel: string
  readonly settings: Settings
  readonly program: Program
  /** the reference of a program that does not say what it computes */
  readonly expects?: Expects
  /** how much that is */
  readonly multiplyAdds?: number
}

export interface Kernel {
  readonly name: string
  /** one line */
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly tensors: ReadonlyArray<TensorRole>
  /** the setting that says the element type of the inputs */
  readonly dtype: string
  /** a cluster computes several tiles, one after another */
  readonly persistent?: true
  /** chooses missing settings, and builds the program; given settings have the right kind */
  readonly make: (given: Settings) => E.Either<Failure, Instance>
}

// ---------------------------------------------------------------- parameters

export const size = (name: string, value: number, meaning: string): Parameter => ({
  name,
  default: value,
  unit: 'elements',
  meaning,
})
export const count = (name: string, value: number, unit: string, meaning: string): Parameter => ({
  name,
  default: value,
  unit,
  meaning,
})
export const word = (name: string, choices: readonly [string, ...string[]], meaning: string): Parameter => ({
  name,
  default: choices[0],
  unit: 'word',
  meaning,
  choices,
})

export const flag = (name: string, value: boolean, meaning: string): Parameter => ({
  name,
  default: value,
  unit: 'true|false',
  meaning,
})

export const integerOr = (given: Settings, name: string, otherwise: number): number => {
  const v = own(given, name)
  return typeof v === 'number' ? v : otherwise
}

export const bad = (kernel: string, text: string): E.Either<Failure<'kernel.settings'>, never> =>
  refuse('kernel.settings', `${kernel}: ${text}`)
