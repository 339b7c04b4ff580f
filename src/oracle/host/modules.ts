/**
 * Modules of a program: PTX in files, read once, and of each entry what it is elaborated to.
 *
 * Law 1. A module is read once, and an entry elaborated once, however often it is launched.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { functionsOf, type Item, type Module, type Statement } from '../../dialects/ptx/index.js'
import { elaborate, type Elaborated } from '../../dialects/ptx/elaboration/elaborate.js'
import type { Variable } from '../../semantics/warps/program.js'
import type { Files } from '../tensor-files/files.js'
import { beside, inFile } from '../launch/beside.js'
import { readPtx } from '../launch/ptx-text.js'
import type { HostProgram } from './file.js'

/** A module, by the file that it is in. */
export interface Loaded {
  readonly path: string
  /** its last part */
  readonly file: string
  readonly module: Module
}

export interface Modules {
  readonly named: (name: string | undefined) => E.Either<Failure, Loaded>
  readonly entry: (l: Loaded, kernel: string | null) => E.Either<Failure, Elaborated>
  /** a variable of some module; of the module in a file as `FILE:NAME` */
  readonly variable: (symbol: string) => { readonly path: string; readonly variable: Variable } | null
}

/** Does a module, or one of its functions, declare a variable of this name? */
const declares = (m: Module, symbol: string): boolean => {
  const isIn = (all: ReadonlyArray<Item | Statement>): boolean =>
    all.some((one) =>
      one._tag === 'variable'
        ? one.name === symbol
        : one._tag === 'function'
          ? isIn(one.body ?? [])
          : one._tag === 'scope' && isIn(one.body),
    )
  return isIn(m.items)
}

export const modulesOf = (
  files: Files,
  programFile: string,
  program: Pick<HostProgram, 'module' | 'modules'>,
): Modules => {
  const read = new Map<string, E.Either<Failure, Loaded>>()
  const elaborated = new Map<string, E.Either<Failure, Elaborated>>()
  const at = (file: string): E.Either<Failure, Loaded> => {
    const path = beside(programFile, file)
    const known = read.get(path)
    if (known !== undefined) return known
    const made = pipe(
      readPtx(files)(path),
      E.map((module): Loaded => ({ path, file: path.split(/[/\\]/u).pop() ?? path, module })),
    )
    read.set(path, made)
    return made
  }
  const entry: Modules['entry'] = (l, kernel) => {
    const key = `${l.path} ${kernel ?? ''}`
    const known = elaborated.get(key)
    if (known !== undefined) return known
    const made = pipe(elaborate(l.module, kernel, l.file), E.mapLeft(inFile(l.path)))
    elaborated.set(key, made)
    return made
  }
  return {
    named: (name) => {
      if (name !== undefined) {
        const file = program.modules?.[name]
        return file === undefined
          ? refuse(
              'host.module',
              `there is no module '${name}'; ${didYouMean(Object.keys(program.modules ?? {}))(name)}`,
            )
          : at(file)
      }
      const names = Object.keys(program.modules ?? {})
      const only = program.module ?? (names.length === 1 ? program.modules?.[names[0]!] : undefined)
      return only === undefined
        ? E.left(
            failure(
              'host.module',
              'a launch names no module, and the program has no `module` for those that name none',
            ),
          )
        : at(only)
    },
    entry,
    variable: (text) => {
      const all = [
        ...(program.module === undefined ? [] : [program.module]),
        ...Object.values(program.modules ?? {}),
      ]
      const only = all.find((file) => text.startsWith(`${file}:`))
      const symbol = only === undefined ? text : text.slice(only.length + 1)
      for (const file of only === undefined ? all : [only]) {
        const loaded = at(file)
        // an entry is dear to elaborate, and a library may have thousands of them
        if (E.isLeft(loaded) || !declares(loaded.right.module, symbol)) continue
        for (const f of functionsOf(loaded.right.module)) {
          if (f.kind !== 'entry') continue
          const made = entry(loaded.right, f.name)
          const variable = E.isRight(made)
            ? made.right.program.variables.find((v) => v.symbol === symbol)
            : undefined
          if (variable !== undefined) return { path: loaded.right.path, variable }
        }
      }
      return null
    },
  }
}
