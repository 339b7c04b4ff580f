/**
 * A module of PTX without some of its instructions, on its text (`dialects/ptx/mutants/absent.ts`): a wait is gone, a register that was loaded is zero.
 *
 * | named by                          | means                                                           |
 * |-----------------------------------|-----------------------------------------------------------------|
 * | `214`                             | the instruction in that line of the PTX                          |
 * | `ring.cu:57`                      | that of a line of the source, or of a call there that was inlined; all of them, where it is one operation that the compiler has unrolled or inlined |
 * | `bar.sync 214`, `bar.sync ring.cu:57` | one whose opcode begins so                                    |
 * | `ring.cu:57 bar.sync (line 214)`  | what findings call it                                            |
 *
 * Laws
 * 1. What is left out orders or moves data; an instruction that only computes is no answer to a line.
 * 2. Several instructions of one text are copies of one: of one opcode in one line of the source. Else it is refused with their lines, and one that names none
 *    with the nearest.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { leftOut } from '../../dialects/ptx/mutants/absent.js'
import { sitesOf, type PtxSite } from '../../dialects/ptx/mutants/sites.js'
import type { Module, Statement } from '../../dialects/ptx/index.js'
import { withInstead } from '../../dialects/ptx/text/replace.js'

/** An instruction of this text, and its place in the source; a place in the text itself is its line, which is said already. */
const shownIn =
  (file: string) =>
  ({ opcode, line, place }: PtxSite): string =>
    place === `${file}:${String(line)}`
      ? `'${opcode} ${String(line)}'`
      : `'${opcode} ${String(line)}' (${place})`

/** An opcode, perhaps, and a line: of the text, or of a source that is named. */
interface Meant {
  readonly opcode: string
  readonly place: string | null
  readonly line: number
}

const meant = (text: string): Meant | null => {
  const [, opcode = '', place = null, line = ''] = /^(?:(\S+)\s+)?(?:(\S+):)?(\d+)$/u.exec(text.trim()) ?? []
  return line === '' ? null : { opcode, place, line: Number(line) }
}

/** Its lines in the file that is meant: of the text one, of the source that of a call that was inlined around it, too. */
const linesIn = (m: Meant, s: PtxSite): ReadonlyArray<number> =>
  m.place === null
    ? [s.line]
    : s.places.flatMap((place) => {
        const [, file = '', line = ''] = /^(.*):(\d+)$/u.exec(place) ?? []
        return file === m.place ? [Number(line)] : []
      })

const isMeant = (text: string, s: PtxSite): boolean => {
  if (s.label === text) return true
  const m = meant(text)
  return m !== null && linesIn(m, s).includes(m.line) && s.opcode.startsWith(m.opcode)
}

/** Those whose lines are nearest to the one that is asked for. */
const nearest = (text: string, sites: ReadonlyArray<PtxSite>, file: string): string => {
  const m = meant(text)
  const far = (s: PtxSite): number => {
    if (m === null) return Infinity
    return linesIn(m, s).reduce((least, line) => Math.min(least, Math.abs(line - m.line)), Infinity)
  }
  const near = [...sites].sort((x, y) => far(x) - far(y) || x.line - y.line).slice(0, 3)
  return near.length === 0 ? 'there is none' : `the nearest are ${near.map(shownIn(file)).join(', ')}`
}

/** Most that are named. */
const mostNamed = 6

const several = (sites: ReadonlyArray<PtxSite>, file: string): string => {
  const more = sites.length - mostNamed
  return `${sites.slice(0, mostNamed).map(shownIn(file)).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
}

const one =
  (entry: string, file: string) =>
  (text: string) =>
  (m: Module): E.Either<Failure, Module> =>
    pipe(
      sitesOf(m, entry, file),
      E.chainW((sites): E.Either<Failure, Module> => {
        const [found, ...others] = sites.filter((s) => isMeant(text, s))
        if (found === undefined)
          return refuse(
            'broken.label',
            `--without: expected an instruction that orders or moves data, found '${text}'; ${nearest(text, sites, file)}`,
          )
        if (others.some((s) => s.opcode !== found.opcode || s.place !== found.place))
          return refuse(
            'broken.label',
            `--without: expected one operation, found ${String(others.length + 1)} by '${text}': ${several([found, ...others], file)}`,
          )
        const all = new Map<Statement, ReadonlyArray<Statement>>()
        for (const s of [found, ...others]) {
          const instead = leftOut(s.code, s.index)
          if (instead === null)
            return refuse(
              'broken.result',
              `--without: expected an instruction whose results can be zero, found ${shownIn(file)(s)}`,
            )
          for (const [of, by] of instead) all.set(of, by)
        }
        return E.right(withInstead(m, all))
      }),
    )

/** Without the instructions that these texts name, one after the other. */
export const withoutInstructions =
  (texts: ReadonlyArray<string>) =>
  (entry: string, file: string) =>
  (m: Module): E.Either<Failure, Module> =>
    texts.reduce<E.Either<Failure, Module>>(
      (made, text) => pipe(made, E.chain(one(entry, file)(text))),
      E.right(m),
    )
