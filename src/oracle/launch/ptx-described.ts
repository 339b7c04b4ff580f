/**
 * What a module of PTX says of its launch: the entry, the chip, the parameters with their types and offsets, a launch to begin with, and the
 * instructions that do something. It is what a form for a launch is made of. The sizes of the launch come from a run (`ptx-guess.ts`).
 *
 * | bytes of a parameter                        | are                                | to begin with                     |
 * |---------------------------------------------|------------------------------------|-----------------------------------|
 * | 8, and accesses go through them             | a tensor, of the type of these     | `f32[4096]`, with the role of these |
 * | 128 that a copy of tensors takes, or 8 that are their address | a tensor map     | `f16[64,64]` in one block         |
 * | others that are loaded                      | numbers; in a struct each at its byte | 64, and of floats 1             |
 * | not looked at                               | anything                           | 0                                 |
 *
 * Law 1. Every parameter of an entry is described, and the launch to begin with lays them all.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { describePtx, resolveModule, type Module } from '../../dialects/ptx/index.js'
import { elaborate, type Elaborated } from '../../dialects/ptx/elaboration/elaborate.js'
import type { Code } from '../../dialects/ptx/opcodes/resolve.js'
import { entryNamed } from '../../dialects/ptx/names/entries.js'
import { cxxName } from '../../dialects/ptx/names/itanium.js'
import { boundsOf } from '../../dialects/ptx/flow/bounds.js'
import { axesOf, parameterUses, type ParameterUse } from '../../dialects/ptx/flow/parameters.js'
import { mapBytes } from '../../semantics/instructions/tma/object.js'
import type { Files } from '../tensor-files/files.js'
import { inFile } from './beside.js'
import { namesInSource } from './ptx-called.js'
import type { DescribedEntry, DescribedParameterOfPtx } from './ptx-entry.js'
import { guessedExample, type Asks } from './ptx-guess.js'
import { readPtx } from './ptx-text.js'
import type { DescribedOperation } from './described.js'
import { own } from '../../own.js'

// ---------------------------------------------------------------- model

export type { DescribedEntry, DescribedParameterOfPtx } from './ptx-entry.js'

// ---------------------------------------------------------------- guesses

/** The type of a tensor, by those of its accesses: of bits a float as wide, if there is one. */
const elementsOf = (types: ReadonlyArray<string>): string => {
  const bare = types.map((t) => t.replace(/x2$/u, ''))
  const real = bare.find((t) => /^b?f\d/u.test(t)) ?? bare.find((t) => /^[su]\d/u.test(t)) ?? bare[0] ?? 'u8'
  const guessed: Readonly<Record<string, string>> = {
    b16: 'f16',
    b32: 'f32',
    b64: 'u64',
    b128: 'u32',
    b8: 'u8',
    s8: 's8',
  }
  return own(guessed, real) ?? real
}

/** A tensor to begin with has that many elements. */
const elements = 4096

interface Guess {
  readonly kind: DescribedParameterOfPtx['kind']
  readonly dtype: string
  readonly role?: 'in' | 'out' | 'inout'
  readonly word: string
}

const scalar = (type: string, word: string): Guess => ({ kind: 'scalar', dtype: type, word })

const guessOf = (use: ParameterUse, bytes: number): Guess => {
  const role = use.stored ? (use.read.length > 0 ? 'inout' : 'out') : 'in'
  if (use.rank > 0) {
    const extents = [...Array.from({ length: use.rank - 1 }, (_, k) => (k < use.rank - 2 ? 1 : 64)), 64]
    const shape = use.rank === 1 ? [elements] : extents
    return {
      kind: 'map',
      dtype: 'f16',
      role,
      word: `f16[${shape.join()}]:block=${(use.rank === 1 ? [64] : extents).join()}:${role}`,
    }
  }
  const types = [...use.read, ...use.written]
  if (bytes === 8 && types.length > 0) {
    const how = use.written.length === 0 ? 'in' : use.read.length === 0 ? 'out' : 'inout'
    const dtype = elementsOf(types)
    return { kind: 'pointer', dtype, role: how, word: `${dtype}[${String(elements)}]:${how}` }
  }
  const type = use.type ?? 'b8'
  return /^f(32|64)$/u.test(type) ? scalar(type, '1') : scalar(type, '64')
}

const widthOf = (type: string): number => Math.max(1, Number(/\d+$/u.exec(type)?.[0] ?? 8) / 8)

// ---------------------------------------------------------------- the whole

/** Families of instructions that name, move or compute. */
const silent = new Set([
  'integer',
  'extended precision',
  'floating point',
  'comparison',
  'logic',
  'conversion',
  'control',
])

const operationsOf = (
  { program, positions }: Elaborated,
  acts: ReadonlyMap<number, string>,
): ReadonlyArray<DescribedOperation> =>
  program.sites.flatMap(({ label, loc }, i) => {
    const line = positions[i]?.line ?? 0
    const opcode = acts.get(line)
    return opcode !== undefined
      ? [
          {
            without: label,
            name: opcode,
            line,
            place: loc?.replace(/^(.*:\d+):\d+$/su, '$1') ?? null,
          },
        ]
      : []
  })

/** Parameters, and fields of structs, by the names of the source beside the text, where it has the kernel. */
const withNames =
  (files: Files, file: string, elaborated: Elaborated | null) =>
  (e: DescribedEntry): DescribedEntry => {
    const names = elaborated === null ? null : namesInSource(files, file, elaborated)
    return names === null
      ? e
      : Object.assign({}, e, {
          parameters: e.parameters.map((p) =>
            Object.assign({}, p, { called: `${names[p.number]!}${/\+\d+$/u.exec(p.name)?.[0] ?? ''}` }),
          ),
        })
  }

/** The threads of a CTA that directives of an entry ask for; null: they do not. */
const threadsAsked = (directives: ReadonlyArray<string>, name: string): ReadonlyArray<number> | null => {
  const said = directives.find((d) => d.split(' ')[0] === name)
  const numbers = said?.match(/\d+/gu)?.map(Number) ?? []
  return numbers.length === 0 ? null : numbers
}

/** An entry with what its text asks of a launch, from which the launch is guessed (`ptx-guess.ts`). */
interface Read {
  readonly entry: DescribedEntry
  readonly elaborated: Elaborated | null
  readonly asks: Asks
}

/** Axes along which a thread, or a CTA, asks for its number. */
const askedAxes = (code: Code, special: string): ReadonlyArray<boolean> =>
  ['x', 'y', 'z'].map((axis) =>
    code.instructions.some((i) =>
      Object.values(i.operands).some((v) => v._tag === 'special' && v.name === `${special}.${axis}`),
    ),
  )

/** An entry by name, or the first of the module; Left is one line. */
export const describeEntry = (
  m: Module,
  entry: string | null,
  file: string,
): E.Either<Failure, DescribedEntry> =>
  pipe(
    readEntry(m, entry, file),
    E.map((read) => read.entry),
  )

const readEntry = (m: Module, entry: string | null, file: string): E.Either<Failure, Read> =>
  pipe(
    describePtx(m),
    E.bindTo('module'),
    E.bindW('resolved', () => resolveModule(m)),
    E.chainW(({ module, resolved }) => {
      const entries = module.functions.filter(({ kind }) => kind === 'entry')
      const meant =
        entry === null
          ? null
          : entryNamed(
              entries.map(({ name }) => name),
              entry,
            )
      if (meant !== null && E.isLeft(meant)) return meant
      const found = entries.find(({ name }) => meant === null || name === meant.right)
      const code = resolved.find(({ code: c }) => c.function.name === found?.name)?.code
      if (found === undefined || code === undefined)
        return refuse('ptx.entry', 'expected an entry, found none')
      const uses = parameterUses(code)
      const types = cxxName(found.name)?.parameters ?? []
      const guesses = found.parameters.flatMap(
        (p, i): ReadonlyArray<readonly [DescribedParameterOfPtx, string]> => {
          const own = uses.filter((u) => u.parameter === i)
          const isBytes = p.type === 'b8' && p.bytes !== mapBytes
          const whole = own.find((u) => u.type === null && u.rank > 0 && u.offset === 0)
          const row = (name: string, g: Guess, at: number, bytes: number, typed: boolean) =>
            [
              {
                name,
                kind: g.kind,
                dtype: g.dtype,
                ...(g.role === undefined ? {} : { role: g.role }),
                at: p.offset + at,
                bytes,
                number: i,
                ...(types[i] === undefined ? {} : { type: types[i] }),
              },
              typed && g.kind === 'scalar' ? `${g.word}:${g.dtype}` : g.word,
            ] as const
          if (p.bytes === mapBytes && p.type === 'b8')
            return [
              row(
                p.name,
                guessOf(
                  whole ?? {
                    parameter: i,
                    offset: 0,
                    type: null,
                    read: [],
                    written: [],
                    rank: 2,
                    stored: false,
                  },
                  mapBytes,
                ),
                0,
                mapBytes,
                false,
              ),
            ]
          if (!isBytes) {
            const use = own.find((u) => u.type !== null) ?? null
            const g = use === null ? scalar(p.type, '0') : guessOf(use, p.bytes)
            return [
              row(
                p.name,
                g.kind === 'scalar' ? scalar(p.type, /^f(32|64)$/u.test(p.type) ? '1' : g.word) : g,
                0,
                p.bytes,
                false,
              ),
            ]
          }
          const fields = own.filter((u) => u.type !== null || u.rank > 0)
          return fields.length === 0
            ? [row(`${p.name}+0`, scalar('u8', '0'), 0, 1, true)]
            : fields.map((u) => {
                const bytes = u.type === null ? mapBytes : widthOf(u.type)
                return row(`${p.name}+${String(u.offset)}`, guessOf(u, bytes), u.offset, bytes, true)
              })
        },
      )
      const said = threadsAsked(found.directives, 'reqntid') ?? threadsAsked(found.directives, 'maxntid')
      const threads = said ?? [128]
      const block = threads.reduce((n, x) => n * x, 1) > 1024 ? [1024] : threads
      const cluster = threadsAsked(found.directives, 'reqnctapercluster') ?? [1]
      const axes = axesOf(code)
      const dynamic = module.shared.some(({ bytes }) => bytes === null)
      const acts = new Map(
        code.instructions
          .filter(({ form }) => !silent.has(form.family) && !/^(mov|cvta|ld\.param)/u.test(form.base))
          .map(({ instruction }) => [instruction.at.line, instruction.opcode] as const),
      )
      const made = elaborate(m, found.name, file)
      const elaborated = E.isLeft(made) ? null : made.right
      const described: DescribedEntry = {
        name: found.name,
        target: /sm_\d+\w?/u.exec(module.target)?.[0] ?? null,
        warps: Math.ceil(block.reduce((n, x) => n * x, 1) / 32),
        ctas: cluster.reduce((n, x) => n * x, 1),
        axes,
        parameters: guesses.map(([p]) => p),
        example: {
          grid: Array.from({ length: axes }, (_, k) => cluster[k] ?? 1),
          block,
          guessed: [
            'grid',
            ...(said === null ? (['block'] as const) : []),
            ...(dynamic ? (['shared'] as const) : []),
          ],
          ...(dynamic ? { shared: 65536 } : {}),
          ...(entries.length > 1 ? { entry: found.name } : {}),
          arg: Object.fromEntries(guesses.map(([p, word]) => [p.name, word])),
        },
        operations: elaborated === null ? [] : operationsOf(elaborated, acts),
      }
      return E.right({
        entry: described,
        elaborated,
        asks: {
          block: said === null ? null : block,
          threadAxes: askedAxes(code, '%tid').lastIndexOf(true) + 1,
          cluster,
          ctaAxes: askedAxes(code, '%ctaid'),
          bounds: boundsOf(code),
        },
      })
    }),
  )

/** The entry of a module in a file; Left is one line that names it. */
export const describedPtx =
  (files: Files) =>
  (file: string, entry: string | null): E.Either<Failure, DescribedEntry> =>
    pipe(
      readPtx(files)(file),
      E.chainW((m) => pipe(readEntry(m, entry, file.split(/[/\\]/u).pop() ?? file), E.mapLeft(inFile(file)))),
      E.map(({ entry: e, elaborated, asks }): DescribedEntry => {
        const example = guessedExample(files, file, e, asks)
        return Object.assign({}, withNames(files, file, elaborated)(e), {
          example,
          warps: Math.ceil(example.block.reduce((n, x) => n * x, 1) / 32),
        })
      }),
    )
