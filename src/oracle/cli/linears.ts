/**
 * A linear layout as an argument.
 *
 * | argument                              | layout                                                              |
 * |---------------------------------------|---------------------------------------------------------------------|
 * | `WGMMA` with `--shape`                | a register layout by name                                           |
 * | `DEFAULT(1)` with `--shape`           | a layout of tensor memory by name                                   |
 * | `(4,(2,2)):(2,(1,8))`                 | a CuTe layout, or a swizzle behind one                              |
 * | `(lane 4) -> (dim0 4) ...`            | its own text, also in a file `x.txt`                                |
 * | `#ttg.nvmma_shared<{...}>` with `--shape` | an encoding of Triton for any memory, as its modules write it   |
 * | `x.json`, `{"kind": ...}`             | a description, an encoding of Triton for any memory, its inputs and outputs, or an array in shared memory |
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { encodingOfText } from '../../dialects/ttgir/elaboration/attribute.js'
import { refuse, type Failure } from '../../failure.js'
import {
  linearOfComposed,
  linearOfCute,
  linearOfRef,
  linearOfRegisters,
  linearOfTensorMemory,
} from '../../layouts/conversion/index.js'
import { parseComposed, parseLayout } from '../../layouts/cute/index.js'
import { decodeDescription, resolve } from '../../layouts/description.js'
import { encodingOf, encodingWire, linearSpecOf } from '../../layouts/encoding-wire.js'
import { linearPlainWire } from '../../layouts/layout-wire.js'
import { linearLayout, type LinearLayout } from '../../layouts/linear/linear-layout.js'
import { parse as parseLinear } from '../../layouts/linear/print.js'
import { parseCall } from '../../layouts/name-syntax.js'
import {
  parseTensorMemoryName,
  tensorMemoryFamilies,
} from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { baseTileShape } from '../../layouts/tiled.js'
import { onShape } from '../../layouts/triton/index.js'
import { decodeArray } from '../../transforms/array.js'
import type { Shape } from '../../transforms/shape.js'
import { decode } from '../../wire.js'
import { asText } from '../tensor-files/files.js'
import type { World } from './command.js'
import { inFile, layoutArgument, parseJson, readJson } from './layouts.js'

const kindOf = (json: unknown): string | null =>
  typeof json === 'object' && json !== null && 'kind' in json && typeof json.kind === 'string'
    ? json.kind
    : null

const encodings: ReadonlyArray<string> = [
  'blocked',
  'nvidia_mma',
  'slice',
  'dot_operand',
  'swizzled_shared',
  'nvmma_shared',
  'shared_linear',
  'tensor_memory',
  'tensor_memory_scales',
]

/** Triton's compiler and its tests say `inDims` and `outDims`. */
const renamed = (json: unknown): unknown =>
  typeof json === 'object' && json !== null && 'inDims' in json && 'outDims' in json
    ? { inputs: json.inDims, outputs: json.outDims }
    : json

/** A description, an encoding of Triton for any memory, or inputs and outputs. */
export const linearOfJson = (json: unknown, shape: Shape | null): E.Either<Failure, LinearLayout> => {
  const kind = kindOf(json)
  if (typeof json === 'object' && json !== null && 'transforms' in json)
    return pipe(
      decodeArray(json),
      E.chainW(({ ref }) => linearOfRef(ref)),
    )
  if (kind === null)
    return pipe(decode(linearPlainWire, 'description')(renamed(json)), E.chainW(linearLayout))
  if (kind === 'linear' || encodings.includes(kind))
    return pipe(
      decode(encodingWire, 'description')(json),
      E.chainW((d): E.Either<Failure, LinearLayout> => {
        if (d.kind === 'linear') return linearLayout(linearSpecOf(d))
        const on = shape ?? d.shape ?? null
        return on === null
          ? refuse(
              'description',
              `$.shape: expected the shape of the array, since ${d.kind} is for every shape, found nothing`,
            )
          : pipe(
              encodingOf(d),
              E.chainW((spec) => onShape(spec)(on)),
            )
      }),
    )
  return pipe(
    decodeDescription(json),
    E.chainW((d) => resolve(d, shape)),
    E.chainW(({ layout, listing }): E.Either<Failure, LinearLayout> =>
      layout === null
        ? refuse('description', `$.kind: expected a layout by formula, found ${JSON.stringify(kind)}`)
        : linearOfRegisters(layout, listing.shape),
    ),
  )
}

/** Names of tensor memory's layouts are no names of register layouts. */
const isTensorMemory = (word: string): boolean =>
  pipe(
    parseCall(word),
    E.exists(({ name }) => tensorMemoryFamilies.some((family) => family.name === name)),
  )

export const linearArgument = (
  world: World,
  word: string,
  shape: Shape | null,
): E.Either<Failure, LinearLayout> => {
  const found = (): E.Either<Failure, LinearLayout> => {
    if (word.trimStart().startsWith('{'))
      return pipe(
        parseJson('layout', word),
        E.chain((j) => linearOfJson(j, shape)),
      )
    if (/\.json$/i.test(word))
      return pipe(
        readJson(world, word),
        E.chain((j) => linearOfJson(j, shape)),
      )
    if (/\.txt$/i.test(word))
      return pipe(world.files.read(word)(), E.chainW(asText(word)), E.chainW(parseLinear))
    if (word.trimStart().startsWith('#'))
      return pipe(
        encodingOfText(word),
        E.chain((spec): E.Either<Failure, LinearLayout> => {
          if (spec._tag === 'linear' && shape === null) return E.right(spec.layout)
          return shape === null
            ? refuse(
                'bad-flag',
                `--shape: expected the shape of the array, since ${spec._tag} is for every shape`,
              )
            : onShape(spec)(shape)
        }),
      )
    if (word.includes('->')) return parseLinear(word)
    if (word.includes(' o ')) return pipe(parseComposed(word), E.chainW(linearOfComposed))
    if (word.includes(':')) return pipe(parseLayout(word), E.chainW(linearOfCute))
    if (isTensorMemory(word))
      return pipe(
        parseTensorMemoryName(word),
        E.chainW((l) => linearOfTensorMemory(l, shape ?? baseTileShape(l.tiled))),
      )
    return pipe(
      layoutArgument(world, word, shape),
      E.chain(({ layout, listing }): E.Either<Failure, LinearLayout> =>
        layout === null
          ? refuse('bad-flag', `${word}: expected a layout by formula, found a table`)
          : linearOfRegisters(layout, listing.shape),
      ),
    )
  }
  return /\.(json|txt)$/i.test(word) ? pipe(found(), E.mapLeft(inFile(word))) : found()
}
