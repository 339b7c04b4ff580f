/**
 * `check` and `run` of a module of PTX: it is launched as its launch file says, over the bits that its inputs hold.
 *
 * A kernel of PTX keeps addresses in its registers, so a run without data is none; inputs come from the files of the launch.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { bits } from '../../numerics/bits.js'
import { fields, thousands } from '../../render/table.js'
import { findingBlocks, paintedRows, type VerdictContext } from '../../render/verdict.js'
import { warpSource } from '../../semantics/execution/launch-warps.js'
import { detailed } from '../../semantics/judging/details.js'
import type { Verdict } from '../../semantics/judging/verdict.js'
import { noArguments } from '../../semantics/machine/source.js'
import * as Plane from '../../semantics/machine/plane.js'
import { checkSource, type Checked } from '../../semantics/verdict/check.js'
import { launchedPtx, type LaunchedPtx } from '../launch/ptx.js'
import { encodeNpy, type Descr } from '../tensor-files/npy.js'
import { paletteOf } from './colours.js'
import type { Options, Report, World } from './command.js'
import { outputBindings, parseBindings } from './flags/binding.js'
import { printSchedule, type ScheduleFlag } from './flags/machine.js'
import { switchOf, wordOf, wordsOf } from './flags/words.js'
import {
  fuelAsked,
  goodOf,
  nextStep,
  record,
  replayText,
  scheduleAsked,
  strictnessAsked,
  writtenText,
  type Written,
} from './judging.js'
import { runText } from './launch-rows.js'
import { policyOf } from './schedule.js'

/** Whether a name is that of PTX in a file. */
export const isPtx = (name: string): boolean => name.toLowerCase().endsWith('.ptx')

// ---------------------------------------------------------------- what is asked

/** What is a matter of programs of the core alone. */
const elsewhere: ReadonlyArray<string> = [
  'set',
  'grid',
  'arg',
  'computes',
  'without',
  'mend',
  'timeline',
  'in',
  'trace',
  'arithmetic',
  'threads',
]

interface Asked {
  readonly launched: LaunchedPtx
  readonly schedule: ScheduleFlag
  readonly checked: Checked
  readonly verdict: Verdict
  readonly elapsed: number
}

const asked = (world: World, file: string, options: Options): E.Either<Failure, Asked> => {
  const meaningless = elsewhere.find((name) => options[name] !== undefined)
  if (meaningless !== undefined)
    return refuse('bad-flag', `--${meaningless}: expected a kernel or a program, found PTX '${file}'`)
  const launchFile = wordOf(options, 'launch')
  if (launchFile === null)
    return refuse(
      'bad-flag',
      `--launch: expected a launch file for ${file}: its grid, its block and its arguments`,
    )
  const parsed = pipe(
    E.Do,
    E.bindW('schedule', () => scheduleAsked(options)),
    E.bindW('strictness', () => strictnessAsked(options)),
    E.bindW('fuel', () => fuelAsked(options, 0)),
    E.bindW('launched', () => launchedPtx(world.files)(file, launchFile)),
  )
  if (E.isLeft(parsed)) return parsed
  const { schedule, strictness, fuel, launched } = parsed.right
  const policy = policyOf(world.files)(schedule)()
  if (E.isLeft(policy)) return policy
  const start = world.clock()
  const bar = world.progress('checking')
  const source = warpSource(launched.elaborated.program, launched.arguments)
  const checked = checkSource(source, {
    settings: {},
    algebra: bits(launched.elaborated.program.arch === 'sm100a' ? 'blackwell' : 'hopper'),
    arguments: { ...noArguments, tensorPipe: strictness.tensorPipe },
    policy: policy.right,
    strict: strictness.strict,
    strictProxies: strictness.strictProxies,
    hazards: options['hazards'] !== false,
    provenance: false,
    explore: switchOf(options, 'explore'),
    explain: true,
    fuel,
    progress: bar.update,
  })
  bar.stop()
  return E.map((one: Checked): Asked => {
    const { verdict } = one
    return {
      launched,
      schedule,
      checked: one,
      verdict: detailed({ smem: [], replay: replayText(schedule, verdict) }, verdict),
      elapsed: world.clock() - start,
    }
  })(checked)
}

// ---------------------------------------------------------------- what came of it

const launchText = ({ launch, elaborated: { program } }: LaunchedPtx): string =>
  `${program.name}, grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}, ${thousands(program.code.length)} instructions`

const textOf = (
  world: World,
  { launched, schedule, checked, verdict, elapsed }: Asked,
  more: ReadonlyArray<readonly [string, string]>,
  files: ReadonlyArray<Written>,
): string => {
  const palette = paletteOf(world)
  const context: VerdictContext = { palette, judged: true, most: 4 }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ['launch', launchText(launched)],
    [
      'run',
      `schedule ${printSchedule(schedule)}: ${runText(verdict.counts.steps, verdict.counts.events, elapsed)}`,
    ],
    ...more,
    ...paintedRows(context, verdict),
    ['outside', verdict.scope.join('; ')],
    ...(files.length === 0 ? [] : [['written', writtenText(files)] as const]),
    ...nextStep(checked.outcome),
  ]
  return `${[fields(palette, 12, rows), ...findingBlocks(context, verdict)].join('\n\n')}\n`
}

export const checkPtx = (world: World, file: string, options: Options): E.Either<Failure, Report> =>
  pipe(
    asked(world, file, options),
    E.map((found): Report => {
      const files = record(options, found.checked)
      return {
        good: goodOf(found.verdict),
        files,
        json: () => found.verdict,
        text: () => textOf(world, found, [], files),
      }
    }),
  )

/** How an element type is written in an `.npy`. */
const descrOf = (dtype: string, bytes: number): Descr | null => {
  const kind = /^(f16|f32|f64)$/u.test(dtype) ? 'f' : /^[si]\d/u.test(dtype) ? 'i' : 'u'
  const name = `${kind}${String(bytes)}`
  const all: ReadonlyArray<Descr> = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8']
  return all.find((d) => d === name) ?? null
}

interface Compared {
  readonly tensor: string
  readonly bytes: Uint8Array
  readonly differ: number | null
  readonly elements: number
}

export const runPtx = (world: World, file: string, options: Options): E.Either<Failure, Report> => {
  const found = pipe(
    E.Do,
    E.bindW('outs', () => parseBindings('--out')(wordsOf(options, 'out'))),
    E.bindW('one', () => asked(world, file, options)),
  )
  if (E.isLeft(found)) return found
  const { outs, one } = found.right
  const { launched, checked, verdict } = one
  const ended = checked.outcome._tag === 'completed'
  const planeOf = (tensor: string): number =>
    checked.world.header.planes.findIndex(({ space, name }) => space === 'gmem' && name === tensor)
  const compared: Compared[] = []
  if (ended)
    for (const [tensor, { shape, expected }] of launched.outputs) {
      const given = launched.arguments.tensors.find(({ name }) => name === tensor)!
      const bytes = new Uint8Array(given.bytes)
      Plane.copyOut(checked.machine.planes[planeOf(tensor)]!, 0, bytes.length, bytes)
      const elements = shape.reduce((n, d) => n * d, 1)
      const size = bytes.length / elements
      let differ = 0
      if (expected !== null)
        for (let i = 0; i < elements; i++)
          for (let b = 0; b < size; b++)
            if (bytes[i * size + b] !== expected.data[i * size + b]) {
              differ++
              break
            }
      compared.push({ tensor, bytes, differ: expected === null ? null : differ, elements })
    }
  const files: Written[] = [...record(options, checked)]
  const bound = outputBindings(outs, [...launched.outputs.keys()])
  if (E.isLeft(bound)) return bound
  for (const b of bound.right) {
    const c = compared.find(({ tensor }) => tensor === b.name)
    if (c === undefined) {
      if (!ended) continue
      return refuse(
        'bad-flag',
        `--out: expected an output of ${file}, ${[...launched.outputs.keys()].join(', ')}, found '${b.name}'`,
      )
    }
    const { dtype, shape } = launched.outputs.get(c.tensor)!
    const descr = descrOf(dtype, c.bytes.length / c.elements)
    if (descr === null) return refuse('bad-flag', `--out ${b.name}: an .npy has no elements of ${dtype}`)
    const encoded = encodeNpy({ descr, shape, data: c.bytes })
    if (E.isLeft(encoded)) return encoded
    files.push({ what: b.name, file: b.file, bytes: encoded.right })
  }
  const wrong = compared.filter(({ differ }) => differ !== null && differ > 0)
  const judged: Verdict =
    wrong.length > 0 && (verdict.verdict === 'ok' || verdict.verdict === 'undecided')
      ? {
          ...verdict,
          verdict: 'wrong-result',
          reason: `${wrong[0]!.tensor}: ${thousands(wrong[0]!.differ!)} of ${thousands(wrong[0]!.elements)} elements differ from what its file expects`,
        }
      : verdict
  const rows = compared.flatMap(({ tensor, differ, elements }): ReadonlyArray<readonly [string, string]> =>
    differ === null
      ? []
      : [
          [
            'compared',
            `${tensor}: ${thousands(differ)} of ${thousands(elements)} elements differ from what its file expects`,
          ],
        ],
  )
  return E.right({
    good: goodOf(judged),
    files,
    json: () => judged,
    text: () => textOf(world, { ...one, verdict: judged }, rows, files),
  })
}
