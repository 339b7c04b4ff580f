/**
 * `tcspec kernels`: what can be run, a line each. `tcspec kernels NAME`: its tensors, and every setting with its default and what it means.
 * With `--json` the list has the settings as well, what is missed of each kernel when a statement is left out, and the twins of the zoo.
 * `tcspec kernels FILE.ttgir`, `tcspec kernels FILE.ptx`: what the text of a module says of its launch, and a launch to begin with.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import { greatest } from '../../../greatest.js'
import { foreign } from '../../../kernels/broken/foreign/index.js'
import { brokenOf } from '../../../kernels/broken/statements/index.js'
import { laneTwins } from '../../../kernels/broken/zoo/lanes.js'
import { programName, zoo, type Twin } from '../../../kernels/broken/zoo/index.js'
import { kernelNamed, kernels, kernelsOf, type Kernel } from '../../../kernels/catalogue/index.js'
import { isOfZoo } from '../../../kernels/zoo-name.js'
import { fields, table, wrap } from '../../../render/table.js'
import type { Palette } from '../../../render/palette.js'
import type { Asked } from '../../../dialects/ttgir/index.js'
import { described, type DescribedModule } from '../../launch/described.js'
import { shownName } from '../../../dialects/ptx/names/itanium.js'
import { describedPtx, type DescribedEntry } from '../../launch/ptx-described.js'
import { guessMark } from '../../launch/guess-mark.js'
import type { GuessedOfLaunch } from '../../launch/ptx.js'
import { paletteOf } from '../colours.js'
import { calledIn, type CliCommand, type Options, type Report, type World } from '../command.js'
import { wordOf } from '../flags/words.js'
import { languageOfFile, type LanguageName } from '../written-in.js'

const define = (command: Command): Command =>
  command
    .argument(
      '[kernel]',
      'a kernel to list with its settings, defaults and tensors, or a module (.ttgir, .ptx) to list with its arguments',
    )
    .option('--entry <name>', 'kernel to take, if a PTX module has several')
    .option('--json', 'print one JSON document')

const kernelText = (palette: Palette, k: Kernel): string =>
  [
    palette.bold(k.name),
    ...fields(palette, 10, [
      ['', k.summary],
      ['tensors', k.tensors.map((t) => `${t.role} ${t.name} (${t.axes.join(', ')})`).join(', ')],
    ])
      .split('\n')
      .map((line) => `  ${line}`),
    ...(k.parameters.length === 0
      ? ''
      : table([
          ['setting', 'default', 'unit', 'meaning'],
          ...k.parameters.map((p) => [
            p.name,
            String(p.default),
            p.choices === undefined ? p.unit : p.choices.join('|'),
            p.meaning,
          ]),
        ])
    )
      .split('\n')
      .map((line, i) => `  ${i === 0 ? palette.dim(line) : line}`),
  ].join('\n')

const namesText = (palette: Palette, some: ReadonlyArray<Kernel>): string =>
  fields(
    palette,
    greatest(0)(some.map((k) => k.name.length)) + 2,
    some.map((k) => [k.name, k.summary]),
  )

const listText = (palette: Palette): string =>
  [
    namesText(palette, kernels),
    '',
    ...wrap(
      `tcspec kernels NAME lists the settings of a kernel. zoo/ID is a small kernel with the hazard ID, and zoo/ID-fixed is the same kernel without it. foreign/NAME has a bug of a public kernel, and printed/NAME a bug of a published listing. tcspec kernels zoo/, foreign/ and printed/ list these. Try: tcspec check zoo/${zoo[0]?.name ?? ''}`,
      palette.columns,
    ),
    '',
  ].join('\n')

const oneText = (palette: Palette, k: Kernel): string =>
  `${kernelText(palette, k)}\n\n${
    k.parameters.length === 0
      ? 'It takes no settings.'
      : 'Tiles and stages shrink to fit the sizes; what is set with --set is used or refused.'
  }\n`

/** A twin as the list has it. */
interface ListedTwin {
  readonly name: string
  readonly fixed: string
  readonly id: string
  readonly title: string
  readonly fix: string
  readonly verdict: string
}

const listedTwin = (
  t: Pick<Twin, 'id' | 'title' | 'fix' | 'path'> & { readonly shows: Pick<Twin['shows'], 'verdict'> },
): ListedTwin => ({
  name: programName(t, false),
  fixed: programName(t, true),
  id: t.id,
  title: t.title,
  fix: t.fix,
  verdict: t.shows.verdict,
})

const twins = (): ReadonlyArray<ListedTwin> => [...zoo, ...laneTwins, ...foreign].map(listedTwin)

const documentOf = (some: ReadonlyArray<Kernel>, listed: ReadonlyArray<ListedTwin>): unknown => ({
  schema: 'tcspec.kernels/1',
  kernels: some.map(({ name, summary, parameters, tensors }) => ({
    name,
    summary,
    parameters,
    tensors,
    broken: brokenOf(name).map(({ without, verdict, shows, asksOthers }) => ({
      without,
      verdict,
      shows,
      explore: asksOthers,
    })),
  })),
  twins: listed,
})

const typeText = (p: Asked): string =>
  p._tag === 'pointer'
    ? `tensor of ${p.dtype}`
    : p._tag === 'descriptor'
      ? `tensor of ${p.dtype} in blocks of ${p.block.join(' x ')}`
      : `${p.dtype}${p.divisor === 1 ? '' : `, a multiple of ${String(p.divisor)}`}`

const moduleText = (palette: Palette, called: string, file: string, m: DescribedModule): string =>
  [
    palette.bold(m.name),
    ...fields(palette, 10, [
      [
        '',
        `a module${m.target === null ? '' : ` for ${m.target}`}: ${String(m.warps)} warps${m.ctas === 1 ? '' : `, ${String(m.ctas)} CTAs`}, a grid of ${['one axis', 'two axes', 'three axes'][m.axes - 1] ?? ''}`,
      ],
    ])
      .split('\n')
      .map((line) => `  ${line}`),
    ...(m.parameters.length === 0
      ? ''
      : table([
          ['argument', 'role', 'type'],
          ...m.parameters.map((p) => [p.name, p._tag === 'scalar' ? '' : p.role, typeText(p)]),
        ])
    )
      .split('\n')
      .map((line, i) => `  ${i === 0 ? palette.dim(line) : line}`),
    '',
    ...guessSaid('made from the text'),
    '',
    `${called} check ${file} --grid ${m.example.grid.join(',')}${m.example.args.length === 0 ? '' : ` --arg ${m.example.args.map(([name, word]) => `${name}=${word}`).join(' ')}`}`,
    '',
  ].join('\n')

/** What a guess is, and what to do with it. */
const guessSaid = (how: string): ReadonlyArray<string> => [
  `A launch to begin with. Its sizes and values are a guess, ${how}; \`:guess\` says so in the verdict. Replace`,
  'the values that you know and leave out `:guess` there:',
]

/** What a form for a launch is made of. */
const signatureOf = ({ parameters, example, ...m }: DescribedModule): unknown => ({
  schema: 'tcspec.signature/1',
  ...m,
  parameters: parameters.map(({ _tag, ...p }) => ({ kind: _tag, ...p })),
  example: { grid: example.grid, arg: Object.fromEntries(example.args) },
})

/** An argument by its number, and by a byte of it in a struct. */
const keyOf = (p: DescribedEntry['parameters'][number]): string =>
  `${String(p.number)}${/\+\d+$/u.exec(p.name)?.[0] ?? ''}`

/** What a command line calls a parameter: as its source does; where the symbol is no name, that of a parameter is none either. */
const wordKey = (e: DescribedEntry, p: DescribedEntry['parameters'][number]): string =>
  p.called ?? (shownName(e.name) === e.name ? p.name : keyOf(p))

/** A part of a launch in words, with its mark where it is a guess. */
const launchWord = ({ example }: DescribedEntry, what: GuessedOfLaunch): string =>
  example[what] === undefined
    ? ''
    : ` --${what} ${[example[what]].flat().join(',')}${example.guessed.includes(what) ? guessMark : ''}`

/** What a reader has to say first: no run can find it. */
const blockSaid = ({ example }: DescribedEntry): ReadonlyArray<string> =>
  example.guessed.includes('block')
    ? [
        '',
        `The PTX does not say how many threads a block has: \`--block ${example.block.join(',')}\` is a guess. Put your own block there`,
        'first, because another one may hide a race, or show one that your launch does not have.',
      ]
    : []

/** What would give the parameters their names. */
const namesSaid = (e: DescribedEntry): ReadonlyArray<string> =>
  e.parameters.length === 0 || e.parameters.some((p) => p.called !== undefined)
    ? []
    : [
        '',
        'PTX numbers its parameters. Keep the `.cu` next to the `.ptx` to see the names of the source here.',
      ]

/** Its example is a launch as `check` takes it; which parts of it are guesses stands beside. */
const entryDocument = ({ example, ...entry }: DescribedEntry): unknown => {
  const { guessed, ...launch } = example
  return { schema: 'tcspec.signature/1', ...entry, example: launch, guessed }
}

/** An entry of PTX. */
const entryText = (palette: Palette, called: string, file: string, e: DescribedEntry): string =>
  [
    palette.bold(shownName(e.name)),
    ...fields(palette, 10, [
      ...(shownName(e.name) === e.name ? [] : [['', `symbol ${e.name}`] as const]),
      [
        '',
        `PTX${e.target === null ? '' : ` for ${e.target}`}: ${String(e.warps)} warps${e.ctas === 1 ? '' : `, ${String(e.ctas)} CTAs`}, a grid of ${['one axis', 'two axes', 'three axes'][e.axes - 1] ?? ''}`,
      ],
    ])
      .split('\n')
      .map((line) => `  ${line}`),
    ...(e.parameters.length === 0
      ? ''
      : table([
          ['argument', 'offset', 'bytes', 'role', 'type, as the text uses it'],
          ...e.parameters.map((p) => [
            p.type === undefined ? (p.called ?? p.name) : `${p.called ?? keyOf(p)}: ${p.type}`,
            String(p.at),
            String(p.bytes),
            p.role ?? '',
            p.kind === 'pointer' ? `tensor of ${p.dtype}` : p.kind === 'map' ? 'tensor map' : p.dtype,
          ]),
        ])
    )
      .split('\n')
      .map((line, i) => `  ${i === 0 ? palette.dim(line) : line}`),
    ...namesSaid(e),
    ...blockSaid(e),
    '',
    ...guessSaid('made by a run'),
    '',
    `${called} check ${file}${launchWord(e, 'grid')}${launchWord(e, 'block')}${launchWord(e, 'shared')}${e.example.entry === undefined ? '' : ` --entry ${e.example.entry}`}${
      e.parameters.length === 0
        ? ''
        : ` --arg ${e.parameters.map((p) => `${wordKey(e, p)}=${e.example.arg[p.name] ?? '0'}`).join(' ')}`
    }`,
    '',
  ].join('\n')

type Described = (world: World, file: string, options: Options) => E.Either<Failure, Report>

/** What a file says that it is launched with; null: kernels of the language have parameters that the catalogue knows, or none. */
const describedIn: Readonly<Record<LanguageName, Described | null>> = {
  ptx: (world, file, options) =>
    pipe(
      describedPtx(world.files)(file, wordOf(options, 'entry')),
      E.map((entry) => ({
        good: true,
        text: () => entryText(paletteOf(world), calledIn(world), file, entry),
        json: () => entryDocument(entry),
      })),
    ),
  ttgir: (world, file) =>
    pipe(
      described(world.files)(file),
      E.map((module) => ({
        good: true,
        text: () => moduleText(paletteOf(world), calledIn(world), file, module),
        json: () => signatureOf(module),
      })),
    ),
  core: null,
}

const run: CliCommand['run'] = (world) => (operands, options) => {
  const [name] = operands
  const palette = paletteOf(world)
  const asFile = name === undefined ? null : describedIn[languageOfFile(name).name]
  if (name !== undefined && asFile !== null) return TE.fromEither(asFile(world, name, options))
  const folder = kernelsOf(name?.replace(/\/$/u, '') ?? '')
  if (folder.length > 0)
    return TE.right({
      good: true,
      text: () => `${namesText(palette, folder)}\n`,
      json: () =>
        documentOf(
          folder,
          twins().filter((t) => folder.some((k) => k.name === t.name)),
        ),
    })
  return TE.fromEither(
    name === undefined
      ? E.right({
          good: true,
          text: () => listText(palette),
          json: () => documentOf(kernels, twins()),
        })
      : pipe(
          kernelNamed(name),
          E.mapLeft((f) =>
            /\.\w+$/u.test(name) && !isOfZoo(name)
              ? failure(
                  f.code,
                  `no kernel named '${name}', and no module: the name of a module ends in .ttgir or .ptx`,
                )
              : f,
          ),
          E.map((kernel) => ({
            good: true,
            text: () => oneText(palette, kernel),
            json: () =>
              documentOf(
                [kernel],
                twins().filter((t) => t.name === name || t.fixed === name),
              ),
          })),
        ),
  )
}

export const kernelsCommand: CliCommand = { define, run }
