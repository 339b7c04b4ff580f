/**
 * What the arguments of an entry are called, where no launch file names them.
 *
 * | known                                        | called                        |
 * |----------------------------------------------|-------------------------------|
 * | the source beside the text has the kernel    | `x`                           |
 * | the symbol says types of C++                 | `argument 0 (const float*)`   |
 * | neither                                      | its own name, `scale_param_0` |
 *
 * A command line takes an argument by any of these names, and by its number.
 *
 * Laws
 * 1. No two parameters are called alike, and none as a tensor that is named elsewhere.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Elaborated, EntryParameter } from '../../dialects/ptx/elaboration/elaborate.js'
import { cxxName } from '../../dialects/ptx/names/itanium.js'
import { parameterNames } from '../../dialects/ptx/names/source.js'
import { asText, type Files } from '../tensor-files/files.js'
import { beside } from './beside.js'

/** `gem::scale<float, 4>` is written as `scale`. */
const bareName = (symbol: string): string => {
  const name = cxxName(symbol)?.name ?? symbol
  return name.replace(/<[\s\S]*$/u, '').replace(/^.*::/u, '')
}

/** Files in which instructions were written, as `.loc` has them. */
const sourcesOf = ({ program }: Elaborated): ReadonlyArray<string> => [
  ...new Set(program.sites.flatMap(({ loc }) => /^(.*):\d+:\d+$/su.exec(loc ?? '')?.[1] ?? [])),
]

/** By the files that lines name; then by the file that nvcc makes this text of, for lines are written only with `-lineinfo`. */
export const namesInSource = (
  files: Files,
  file: string,
  elaborated: Elaborated,
): ReadonlyArray<string> | null => {
  const kernel = bareName(elaborated.program.name)
  const sources = sourcesOf(elaborated).map((name) => beside(file, name))
  for (const path of [...sources, file.replace(/\.ptx$/u, '.cu')]) {
    const text = pipe(files.read(path)(), E.chainW(asText(path)))
    const names = E.isLeft(text) ? null : parameterNames(text.right, kernel)
    if (names !== null && names.length === elaborated.parameters.length) return names
  }
  return null
}

/** Of each parameter; `taken`: tensors that are named elsewhere. */
export const calledIn = (
  files: Files,
  file: string,
  elaborated: Elaborated,
  taken: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const { program, parameters } = elaborated
  const named = namesInSource(files, file, elaborated)
  const types = cxxName(program.name)?.parameters ?? null
  const called = (p: EntryParameter, i: number): string =>
    named?.[i] ?? (types?.length === parameters.length ? `argument ${String(i)} (${types[i]!})` : p.name)
  return parameters.map((p, i) => {
    const name = called(p, i)
    return taken.has(name) ? p.name : name
  })
}
