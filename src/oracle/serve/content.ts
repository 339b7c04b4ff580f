/**
 * What a request brings in the place of files, and what an answer gives back in the place of files.
 *
 * | in a request                                        | is                                                          |
 * |-----------------------------------------------------|-------------------------------------------------------------|
 * | `"zoo/R1"`, `"k.ttgir"`                              | a word: a name, or a file of the request's `files`          |
 * | `{"dtype": ..., "shape": ..., "base64": ...}`       | a tensor (`tensor-files/inline.ts`)                         |
 * | `{"ttgir": "module { ... }"}`                        | a text, under the ending that says what it is               |
 * | `{"safetensors": "CAAA..."}`                         | a file of tensors, in base64                                |
 * | any other object                                    | JSON: a program, a kernel that JAX traced, a launch, a layout |
 *
 * An answer has the same three: tensors, texts, and files of tensors under their ending. Nothing is on a disk: the files of a request are those that it brings, and behind them those of one folder where the
 * process was started with one.
 *
 * Laws
 *  1. no file is written; a file that is read is one that the request brought, or one inside of that folder
 *  2. a tensor keeps its element type: it is no bytes on the way
 */
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'
import {
  anything,
  define,
  described,
  dictionary,
  either,
  record,
  text,
  type Json,
  type Wire,
} from '../../wire.js'
import type { Files, OutputFile } from '../tensor-files/files.js'
import { base64OfBytes, bytesOfBase64 } from '../tensor-files/base64.js'
import {
  inlineOfTensor,
  inlineWire,
  isInline,
  tensorOfInline,
  type InlineTensor,
} from '../tensor-files/inline.js'
import { placeOf } from '../tensor-files/place.js'
import { encodeNpy } from '../tensor-files/npy.js'
import { npyOfTensor, type Tensor } from '../tensor-files/tensor.js'

// ---------------------------------------------------------------- what is brought

export type Brought =
  | { readonly _tag: 'tensor'; readonly tensor: Tensor }
  | { readonly _tag: 'text'; readonly text: string; readonly ending: string }
  | { readonly _tag: 'bytes'; readonly bytes: Uint8Array; readonly ending: string }

/** Files that are not JSON, under their endings. */
interface Texts {
  readonly ttgir?: string
  readonly ptx?: string
  readonly jsonl?: string
  readonly csv?: string
  readonly txt?: string
  readonly npy?: string
  readonly npz?: string
  readonly safetensors?: string
}

const textWire: Wire<Texts> = define('Text', () =>
  record<Texts>()(
    'a file under its ending',
    {},
    {
      ttgir: described(text, "a module of Triton's"),
      ptx: described(text, 'a module of PTX'),
      jsonl: described(text, 'a trace'),
      csv: described(text, 'a table'),
      txt: described(text, 'any other text, such as a schedule'),
      npy: described(text, 'a tensor as NumPy keeps it, in base64'),
      npz: described(text, 'arrays by name, in base64'),
      safetensors: described(text, 'tensors by name, in base64'),
    },
  ),
)

/** JSON of any form: what it is not is said by what reads it. */
const json: Wire<Readonly<Record<string, Json>>> = dictionary('JSON', anything)

export type Content = InlineTensor | Texts | Readonly<Record<string, Json>>

const contentWire: Wire<Content> = define('Content', () =>
  either<Content, Readonly<Record<string, Json>>>(
    'a tensor, a text under its ending, or JSON',
    either<InlineTensor, Texts>('a tensor or a text', inlineWire, textWire),
    json,
  ),
)

/** A word, or what stands in its place. */
export const wordOrContent: Wire<string | Content> = define('WordOrContent', () =>
  either<string, Content>('a name, or an inline object', text, contentWire),
)

/** A file of a request: its text, or what it holds. */
export const fileWire: Wire<string | Content> = define('File', () =>
  either<string, Content>('a text, or an object', text, contentWire),
)

const endings: ReadonlyArray<string> = ['ttgir', 'ptx', 'jsonl', 'csv', 'txt']
const ofTensors: ReadonlyArray<string> = ['npy', 'npz', 'safetensors']

/** What an object of a request is. */
export const broughtBy = (content: unknown): E.Either<Failure, Brought> => {
  if (isInline(content))
    return pipe(
      tensorOfInline(content),
      E.map((tensor): Brought => ({ _tag: 'tensor', tensor })),
    )
  const entries = Object.entries(content ?? {})
  const [ending, said]: readonly [string?, unknown?] = entries.length === 1 ? (entries[0] ?? []) : []
  if (ending !== undefined && typeof said === 'string') {
    if (endings.includes(ending)) return E.right({ _tag: 'text', text: said, ending })
    if (ofTensors.includes(ending)) {
      const bytes = bytesOfBase64(said)
      return bytes === null
        ? refuse(
            'tensor-form',
            `expected a file of tensors in base64, found ${String(said.length)} characters`,
          )
        : E.right({ _tag: 'bytes', bytes, ending })
    }
  }
  return E.right({ _tag: 'text', text: JSON.stringify(content), ending: 'json' })
}

/** The ending of a file that holds it. */
export const endingOf = (b: Brought): string => (b._tag === 'tensor' ? 'npy' : b.ending)

// ---------------------------------------------------------------- the files of a request

/** Those that were brought, and behind them those that may be read. */
export const filesOf = (brought: ReadonlyMap<string, Brought>, behind: Files['read'] | null): Files => ({
  tensor: (file) => {
    const there = brought.get(file)
    return there?._tag === 'tensor' ? there.tensor : null
  },
  read: (file) => () => {
    const there = brought.get(file)
    if (there?._tag === 'text') return E.right(new TextEncoder().encode(there.text))
    if (there?._tag === 'bytes') return E.right(there.bytes)
    if (there?._tag === 'tensor')
      return pipe(
        encodeNpy(npyOfTensor(there.tensor)),
        E.mapLeft(({ message }) => failure('file-unreadable', `${file}: ${message}`)),
      )
    if (behind !== null) return behind(file)()
    const known = brought.size === 0 ? 'which has none' : `which has ${[...brought.keys()].join(', ')}`
    return refuse('file-missing', `${file}: expected a file of the request, ${known}; found none`)
  },
  // a name is what an answer calls it
  destination: (file) => () => E.right(file),
  write: () => TE.right(undefined),
})

// ---------------------------------------------------------------- the files of an answer

const heldBy = ({ file, bytes, tensor }: OutputFile): unknown => {
  if (tensor !== undefined) return inlineOfTensor(tensor)
  const { format } = placeOf(file)
  return format === 'npy' ? new TextDecoder().decode(bytes) : { [format]: base64OfBytes(bytes) }
}

/** What would have been written, by the names that were asked for. */
export const givenBack = (files: ReadonlyArray<OutputFile>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(files.map((output) => [output.file, heldBy(output)]))
