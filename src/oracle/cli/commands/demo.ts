/**
 * `tcspec demo`: what this project is for, shown in a few seconds: a swizzle, a kernel that is right, a kernel that only looks right.
 *
 * Every number is computed here and now; nothing is quoted. Exit status 1 if the clean kernel is not clean or the broken one is.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { Input } from '../../../kernels/catalogue/index.js'
import { referenceOf } from '../../../kernels/reference.js'
import type { Algebra } from '../../../numerics/algebra.js'
import * as fast from '../../../fast/index.js'
import { unit } from '../../../numerics/unit.js'
import { findingBlock } from '../../../render/finding.js'
import type { Palette } from '../../../render/palette.js'
import { beside, drawSwizzle, swizzlePicture } from '../../../render/swizzle.js'
import { fields, thousands } from '../../../render/table.js'
import { paintedRows, type VerdictContext } from '../../../render/verdict.js'
import { check, standardOptions, type Checked } from '../../../semantics/verdict/check.js'
import { readTensor as readOutput } from '../../../semantics/execution/launch.js'
import { compare, type Comparison } from '../../compare.js'
import { readTensor } from '../../tensor-files/tensor-file.js'
import type { Tensor } from '../../tensor-files/tensor.js'
import { paletteOf } from '../colours.js'
import { calledIn, type CliCommand, type Report, type World } from '../command.js'
import { detailedFinding } from '../../../semantics/judging/details.js'
import { launchRows, smemOf } from '../launch-rows.js'
import { kernelSubject, type Subject } from '../subject.js'
import { inputsOf, outputOf } from '../tensors.js'

const define = (command: Command): Command => command

const kernel = 'hopper-matmul'
const dropped = 'wait consumed'
const sizes = { m: 256, n: 256, k: 256, stages: 2 }

// ---------------------------------------------------------------- captured data

interface Data {
  readonly brought: ReadonlyMap<string, Tensor>
  readonly inputs: ReadonlyArray<Input>
  /** the output of the chip, where it was captured */
  readonly captured: Tensor | null
}

const noData: Data = { brought: new Map(), inputs: [], captured: null }

const readData = (world: World): E.Either<Failure, Data> => {
  if (world.conformance === null) return E.right(noData)
  const file = (name: string): string =>
    `${world.conformance ?? ''}/kernels/matmul_f16_256x256x256_${name}.npy`
  const read = (name: string): E.Either<Failure, Tensor> => readTensor(world.files)(file(name), undefined)()
  return pipe(
    E.Do,
    E.bind('a', () => read('a')),
    E.bind('b', () => read('b')),
    E.bind('out', () => read('out')),
    E.map(({ a, b, out }) => {
      const brought = new Map([
        ['a', a],
        ['b', b],
      ])
      return {
        brought,
        inputs: [...brought].map(([name, t]) => ({
          name,
          source: file(name),
          dtype: t.dtype,
          shape: t.shape,
        })),
        captured: out,
      }
    }),
  )
}

// ---------------------------------------------------------------- runs

const over = { _tag: 'bits' } as const

const checked = (
  subject: Subject,
  algebra: Algebra,
  tensors: ReadonlyMap<string, Float64Array>,
  judge: 'compute' | 'judge' | 'explore',
): E.Either<Failure, Checked> =>
  check(subject.program, {
    ...standardOptions,
    settings: subject.settings,
    algebra,
    arguments: { scalars: new Map(), tensors },
    hazards: judge !== 'compute',
    provenance: judge === 'judge',
    explore: judge === 'explore',
  })

/** The output of one eager run, bit for bit, beside what it should be. */
const compared = (subject: Subject, data: Data): E.Either<Failure, Comparison> => {
  const hopper = fast.bits('hopper')
  return pipe(
    E.Do,
    E.bindW('inputs', () => inputsOf(subject.program, hopper, over, data.brought)),
    E.bindW('ran', ({ inputs }) => checked(subject, hopper, inputs, 'compute')),
    E.bindW('got', ({ ran }) =>
      outputOf(subject.program, over, 'out', readOutput(ran.world, ran.machine, 'out')),
    ),
    E.bindW('expected', ({ inputs }) =>
      data.captured !== null
        ? E.right(data.captured)
        : pipe(
            referenceOf(subject.program, hopper, inputs),
            E.chainW((r) => outputOf(subject.program, over, r.tensor, r.values)),
          ),
    ),
    E.chainW(({ got, expected }) => compare(got, expected)),
  )
}

const differText = (c: Comparison): string =>
  `${thousands(c.different)} of ${thousands(c.elements)} elements differ`

// ---------------------------------------------------------------- the three scenes

const heading = (palette: Palette, text: string): string => palette.bold(text)

const swizzleScene = (palette: Palette): E.Either<Failure, string> =>
  pipe(
    E.Do,
    E.bind('none', () => swizzlePicture(16)),
    E.bind('full', () => swizzlePicture(128)),
    E.map(({ none, full }) =>
      [
        heading(palette, '1. Where does an element live?'),
        'Eight rows of 128 bytes in shared memory, as eight 16-byte chunks each. A tensor core reads chunk 2 of every row.',
        '',
        beside(
          ['as written', ...drawSwizzle(palette, none, 2).split('\n')].map((l) => `  ${l}`),
          ['with a 128-byte swizzle', ...drawSwizzle(palette, full, 2).split('\n')],
          60,
        ),
        '',
        `Without it, they share four banks: ${String(none.turns(2))} turns. With it, no two share a bank: ${String(full.turns(2))} turn.`,
        "The layouts equal an H100's memory images byte for byte, and a kernel that reads through the wrong one reads wrong data.",
      ].join('\n'),
    ),
  )

const contextOf = (palette: Palette): VerdictContext => ({ palette, judged: true, most: 1 })

interface Scene {
  readonly text: string
  readonly good: boolean
}

const cleanScene = (palette: Palette, data: Data): E.Either<Failure, Scene> =>
  pipe(
    E.Do,
    E.bindW('subject', () => kernelSubject(kernel, sizes, data.inputs, [])),
    E.bindW('comparison', ({ subject }) => compared(subject, data)),
    E.bindW('judged', ({ subject }) => checked(subject, unit, new Map(), 'judge')),
    E.map(({ subject, comparison, judged }) => ({
      good: comparison.equal && judged.verdict.verdict === 'ok',
      text: [
        heading(palette, '2. What does a kernel compute, and is it right?'),
        'A matmul for Hopper: one warpgroup copies tiles into a ring of slots, another multiplies them on the tensor core.',
        '',
        fields(palette, 12, [
          ...launchRows(subject, judged.world),
          [
            'result',
            `${(comparison.equal ? palette.good : palette.bad)(differText(comparison))} from ${
              data.captured === null
                ? 'naive matmul in the same arithmetic'
                : "the output of JAX's Hopper kernel on an H100"
            }`,
          ],
          ...paintedRows(contextOf(palette), judged.verdict),
        ]),
        '',
        'The proof and the verdict hold for all inputs and all schedules: conditions C1 to C6 hold, so one run is enough.',
      ].join('\n'),
    })),
  )

const brokenScene = (palette: Palette, data: Data): E.Either<Failure, Scene> =>
  pipe(
    E.Do,
    E.bindW('subject', () => kernelSubject(kernel, sizes, data.inputs, [dropped])),
    E.bindW('comparison', ({ subject }) => compared(subject, data)),
    E.bindW('judged', ({ subject }) => checked(subject, unit, new Map(), 'judge')),
    E.bindW('explored', ({ subject }) => checked(subject, unit, new Map(), 'explore')),
    E.map(({ subject, comparison, judged, explored }) => {
      const { verdict } = explored
      // Of bytes, between the two agents, and with what is missing: the finding that a reader can act on.
      const telling =
        judged.verdict.findings.find(
          (f) => f.missing?.kind === 'wait' && f.place !== undefined && f.b?.index !== f.a.index,
        ) ?? judged.verdict.findings[0]
      return {
        good: verdict.verdict !== 'ok',
        text: [
          heading(palette, `3. And if it is wrong? The same kernel without its \`${dropped}\``),
          'The copying warpgroup no longer waits for the multiplication of a slot before it refills the slot.',
          '',
          fields(palette, 12, [
            [
              'a test says',
              `${palette.good(differText(comparison))} in one run: this time the copies came late enough`,
            ],
            [
              'tcspec says',
              `${palette.bad(palette.bold(verdict.verdict))}, after ${String(verdict.counts.runs)} schedules: ${verdict.reason}`,
            ],
          ]),
          '',
          ...(telling === undefined
            ? []
            : [
                findingBlock(palette, {
                  ...detailedFinding({ smem: smemOf(subject.program), replay: () => '' }, telling),
                  replay: `tcspec check ${kernel} --set k=256 stages=2 --without '${dropped}'`,
                }),
              ]),
        ].join('\n'),
      }
    }),
  )

const intro = (palette: Palette): string =>
  [
    `${palette.bold('tensorcore-spec')} is an executable specification of GPU kernels that copy and multiply asynchronously (TMA, mbarriers, wgmma).`,
    'It says what such a kernel computes, bit for bit, and whether its synchronisation is right in every schedule: without a GPU.',
  ].join('\n')

const outro = (world: World, palette: Palette, milliseconds: number): string =>
  palette.dim(
    `${(milliseconds / 1000).toFixed(1)} s${world.conformance === null ? '; the captured H100 data are in the repository' : ''}. Next: ${calledIn(world)} kernels; ${calledIn(world)} check hopper-matmul --without 'commit_smem'; ${calledIn(world)} run hopper-matmul --over tiles`,
  )

const run: CliCommand['run'] = (world) => () =>
  TE.fromIOEither((): E.Either<Failure, Report> => {
    const palette = paletteOf(world)
    const start = world.clock()
    return pipe(
      E.Do,
      E.bindW('data', () => readData(world)),
      E.bindW('swizzle', () => swizzleScene(palette)),
      E.bindW('clean', ({ data }) => cleanScene(palette, data)),
      E.bindW('broken', ({ data }) => brokenScene(palette, data)),
      E.map(({ swizzle, clean, broken }) => {
        const text = `${[intro(palette), swizzle, clean.text, broken.text, outro(world, palette, world.clock() - start)].join('\n\n')}\n`
        return { good: clean.good && broken.good, text: () => text, json: () => ({ text }) }
      }),
    )
  })

export const demoCommand: CliCommand = { define, run }
