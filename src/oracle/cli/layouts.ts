/**
 * A layout as an argument: a name, a file, or JSON on the spot.
 *
 * | argument                 | layout                                                                    |
 * |--------------------------|---------------------------------------------------------------------------|
 * | `WGMMA`, `MMA_ACC(2)`    | by name                                                                   |
 * | `mine.json`              | a description (see docs/LayoutDescriptions.md)                            |
 * | `mine.csv`               | a table: warp, lane, register, then one column for each dimension             |
 * | `{"kind": ...}`          | a description                                                             |
 * | `#ttg.blocked<{...}>`    | an encoding of Triton, as its modules write it                            |
 * | `((4,8,4),(2,2)):(...)`  | a (thread, value) layout of CuTe, the first dimension fastest             |
 * | `(register 4, ...) -> (dim0 64, ...) ...` | bases, as `tcspec linear` prints them                    |
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { encodingOfText } from '../../dialects/ttgir/elaboration/attribute.js'
import { failure, refuse, type Failure } from '../../failure.js'
import { decodeDescription, ownShape, resolve, type Described } from '../../layouts/description.js'
import { describeEncoding } from '../../layouts/encoding-wire.js'
import { parse as parseLinear } from '../../layouts/linear/print.js'
import type { DistributedSpec, EncodingSpec } from '../../layouts/triton/encoding.js'
import { parseName } from '../../layouts/named.js'
import { listingOf } from '../../layouts/listing.js'
import type { Shape } from '../../transforms/shape.js'
import { asText } from '../tensor-files/files.js'
import type { World } from './command.js'
import { readRows } from './layout-csv.js'

/** A described layout with something to call it by. */
export interface Subject extends Described {
  readonly name: string
}

/** A file that cannot be right says which file it was. */
export const inFile =
  (file: string) =>
  (f: Failure): Failure =>
    f.message.startsWith(`${file}:`) ? f : failure(f.code, `${file}: ${f.message}`)

/** JSON of a file. */
export const readJson = (world: World, file: string): E.Either<Failure, unknown> =>
  pipe(
    world.files.read(file)(),
    E.chainW(asText(file)),
    E.chainW((text) => parseJson(file, text)),
  )

export const parseJson = (what: string, text: string): E.Either<Failure, unknown> =>
  E.tryCatch(
    (): unknown => JSON.parse(text),
    (error) =>
      failure('bad-json', `${what}: expected JSON, found ${error instanceof Error ? error.message : 'none'}`),
  )

const described = (
  what: string,
  json: E.Either<Failure, unknown>,
  shape: Shape | null,
): E.Either<Failure, Subject> =>
  pipe(
    json,
    E.chainW(decodeDescription),
    E.chain((d) => resolve(d, shape)),
    E.mapLeft(inFile(what)),
    E.map((found) => ({ ...found, name: found.name ?? what })),
  )

const registerTags: ReadonlyArray<string> = ['blocked', 'slice', 'nvidia_mma', 'dot_operand', 'linear']
const isOfRegisters = (spec: EncodingSpec): spec is DistributedSpec => registerTags.includes(spec._tag)

const encoded = (word: string, shape: Shape | null): E.Either<Failure, Subject> =>
  pipe(
    encodingOfText(word),
    E.chain((spec) =>
      isOfRegisters(spec)
        ? resolve(describeEncoding(spec), shape)
        : refuse('bad-flag', `expected an encoding of registers, found ${spec._tag}`),
    ),
    E.map((found) => ({ ...found, name: /^\s*#(?:ttg\.)?(\w+)/.exec(word)?.[1] ?? 'encoding' })),
  )

/** The layout that an argument speaks of, on a shape. Without a shape, on the one that it speaks of itself. */
export const layoutArgument = (
  world: World,
  word: string,
  shape: Shape | null,
): E.Either<Failure, Subject> => {
  if (word.trimStart().startsWith('{')) return described('layout', parseJson('layout', word), shape)
  if (word.trimStart().startsWith('#')) return encoded(word, shape)
  if (word.includes('->'))
    return pipe(
      parseLinear(word),
      E.chainW((linear) => resolve(describeEncoding({ _tag: 'linear', layout: linear }), shape)),
      E.map((found) => ({ ...found, name: 'bases' })),
    )
  if (word.trimStart().startsWith('('))
    return pipe(
      resolve({ kind: 'cute_tv', layout: word, positions: 'column-major' }, shape),
      E.map((found) => ({ ...found, name: word })),
    )
  if (/\.json$/i.test(word)) return described(word, readJson(world, word), shape)
  if (/\.csv$/i.test(word))
    return pipe(
      world.files.read(word)(),
      E.chainW(asText(word)),
      E.chainW((text) => readRows(text, shape)),
      E.chain((table) => resolve(table, shape)),
      E.mapLeft(inFile(word)),
      E.map((found) => ({ ...found, name: word })),
    )
  return pipe(
    parseName(word),
    E.chainW((layout) =>
      pipe(
        listingOf(layout, shape ?? ownShape(layout)),
        E.map((listed) => ({ name: word, listing: listed, layout })),
      ),
    ),
  )
}
