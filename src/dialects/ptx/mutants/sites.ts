/**
 * The instructions of a module that order or move data, in the order of the text: those of the entry, then those of the functions that it may call.
 *
 *     matmul.cu:31 bar.sync, line 214       label  `matmul.cu:31 bar.sync (line 214)`
 *
 * Laws
 * 1. A site has the label that findings have. Two of them have one label only where one line of the text has one opcode twice.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { placesOf, readLines, siteLabel, sourceOf, sources } from '../elaboration/sources.js'
import { codeOf, type Code } from '../opcodes/resolve.js'
import { functionsOf, type Module } from '../text/module.js'
import type { PtxError } from '../text/position.js'
import { kindOf, type Kind } from './kinds.js'

export interface PtxSite {
  readonly code: Code
  /** in the code */
  readonly index: number
  readonly kind: Kind
  /** what findings call it */
  readonly label: string
  /** `matmul.cu:31`, or the line of the text where no other is known */
  readonly place: string
  /** those of the calls that were inlined around it, too */
  readonly places: ReadonlyArray<string>
  /** of the text */
  readonly line: number
  readonly opcode: string
}

/** The codes of an entry and of all functions. */
const codesFrom = (m: Module, entry: string): E.Either<Failure<PtxError>, ReadonlyArray<Code>> =>
  E.map((codes: ReadonlyArray<Code>) => [
    ...codes.filter(({ function: f }) => f.name === entry),
    ...codes.filter(({ function: f }) => f.kind === 'func'),
  ])(
    codeOf({
      comments: m.comments,
      version: m.version,
      targets: m.targets,
      addressSize: m.addressSize,
      // what another entry has is refused there
      items: m.items.filter((i) => i._tag !== 'function' || i.kind === 'func' || i.name === entry),
    }),
  )

/** `entry`: the name of one that the module has. */
export const sitesOf = (
  m: Module,
  entry: string,
  file: string,
): E.Either<Failure<PtxError>, ReadonlyArray<PtxSite>> =>
  E.map((codes: ReadonlyArray<Code>) => {
    const lines = sources(m, file)
    return codes.flatMap((code) => {
      readLines(lines, functionsOf(m).find(({ name }) => name === code.function.name)?.body ?? [])
      return code.instructions.flatMap((r, index): ReadonlyArray<PtxSite> => {
        const kind = kindOf(r)
        if (kind === null) return []
        const { at, opcode } = r.instruction
        const place = sourceOf(lines, r.instruction).line
        const places = [...new Set([place, ...placesOf(lines, r.instruction)])]
        const label = siteLabel(place, opcode, at.line)
        return [{ code, index, kind, label, place, places, line: at.line, opcode }]
      })
    })
  })(codesFrom(m, entry))
