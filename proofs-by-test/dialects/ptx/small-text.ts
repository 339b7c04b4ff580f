/**
 * Small PTX modules with one entry `k`: the head that each of them has, and what the library reads from them. A proof writes its instructions and says no more of a module.
 *
 *     moduleOf(['y'], 'ld.param.u64 %rd1, [y]; ret;')      for an H100: .version, .target, .address_size, .visible .entry k(.param .u64 y) { ... }
 *
 * What has to be launched as well is in `launched-text.ts`.
 */
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { codeOf, parseModule, type Code } from '../../../src/dialects/ptx/index.js'
import type { WarpProgram } from '../../../src/semantics/warps/program.js'
import { right } from '../../either.js'

export interface Around {
  /** what it is compiled for; `sm_90a` if it is left out */
  readonly target?: string
  /** lines before the entry: variables, functions */
  readonly before?: string
}

/** A parameter of 64 bits has a name alone, any other its type before it: `u32 n`. */
const declared = (parameter: string): string =>
  `.param .${parameter.includes(' ') ? parameter : `u64 ${parameter}`}`

/** The text of a module. */
export const moduleOf = (
  parameters: ReadonlyArray<string>,
  lines: string,
  { target = 'sm_90a', before = '' }: Around = {},
): string => `.version 9.0
.target ${target}
.address_size 64
${before === '' ? '' : `${before}\n`}.visible .entry k(${parameters.map(declared).join(', ')}) {
${lines}
}
`

/** The program of an entry; null: of the only one. */
export const programOf = (text: string, entry: string | null = null): WarpProgram =>
  right(elaborate(right(parseModule(text)), entry, 'k.ptx')).program

/** The line of the text that a site is at. */
export const lineAt = ({ sites }: WarpProgram, site: number): number =>
  Number(/line (\d+)/u.exec(sites[site]!.label)![1])

/** The code of every function of a text, in order. */
export const codesOf = (text: string): ReadonlyArray<Code> => right(codeOf(right(parseModule(text))))
