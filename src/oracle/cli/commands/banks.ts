/**
 * `tcspec banks WGMMA tile=8x64 swizzle=128 --shape 64x64 --dtype f16`: the instructions that move a register layout to or from
 * shared memory, and their bank conflicts.
 * `tcspec banks --access ldmatrix.x1 --addresses 0,128,256,...`: those of one instruction with the addresses given.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { greatest } from '../../../greatest.js'
import { refuse, type Failure } from '../../../failure.js'
import type {
  AccessBytes,
  BankAccess,
  BankVerdict,
  LaneAddresses,
  Turn,
} from '../../../layouts/shared-memory/banks.js'
import {
  accessNamed,
  idealWavefronts,
  showAccess,
  turns,
  wavefronts,
} from '../../../layouts/shared-memory/banks.js'
import { accessOf, type RegisterAccess } from '../../../layouts/shared-memory/register-access.js'
import { banksSvg } from '../../../render/banks.js'
import { fields, table, thousands } from '../../../render/table.js'
import { showTransform } from '../../../transforms/transform.js'
import { outputAsked, reportAnswer, withFormats, type Answer } from '../answer.js'
import type { CliCommand, Options, Report, World } from '../command.js'
import { refuseFlag } from '../flags/choice.js'
import { switchOf, wordOf } from '../flags/words.js'
import { layoutArgument, type Subject } from '../layouts.js'
import { numberOption } from '../flags/number.js'
import { shapeOption } from '../flags/shape.js'
import type { SharedArray } from '../../../transforms/array.js'
import { refArguments, withElements } from '../refs.js'

const define = (command: Command): Command =>
  withFormats(
    withElements(command.argument('[words...]', 'a layout, then transforms: WGMMA tile=8x64 swizzle=128'))
      .option('--store', 'from registers to shared memory instead of the other way')
      .option('--max-bytes <n>', 'the widest access of a lane: 2, 4, 8 or 16')
      .option('--base <address>', 'byte address of the array')
      .option('--instruction <n>', 'the instruction to draw; default: the first one with the most wavefronts')
      .option('--access <name>', 'one instruction, such as ld.shared.v4.b32 or ldmatrix.x4')
      .option('--addresses <bytes>', 'its byte addresses, by lane or row; - for an inactive lane'),
  )

// ---------------------------------------------------------------- one instruction

const parseAddresses = (text: string): E.Either<Failure, LaneAddresses> => {
  const parts = text.split(',').map((part) => part.trim())
  return parts.every((part) => part === '-' || /^\d{1,9}$/.test(part))
    ? E.right(parts.map((part) => (part === '-' ? null : Number(part))))
    : refuseFlag('--addresses', 'numbers with commas between them, - for an inactive lane', text.slice(0, 60))
}

const verdictText = (v: BankVerdict): string =>
  `${String(v.wavefronts)} ${v.wavefronts === 1 ? 'wavefront' : 'wavefronts'}, ${String(v.conflicts)} ${v.conflicts === 1 ? 'conflict' : 'conflicts'}`

const single = (
  access: BankAccess,
  addresses: LaneAddresses,
  v: BankVerdict,
  each: ReadonlyArray<Turn>,
): Answer => ({
  what: 'an access',
  good: true,
  table: (palette) =>
    fields(palette, 12, [
      ['access', showAccess(access)],
      [
        'wavefronts',
        `${String(v.wavefronts)}; ${String(idealWavefronts(access))} if all lanes differ and none conflict`,
      ],
      ['conflicts', String(v.conflicts)],
      ['phases', v.phases.join(' ')],
      ...(v.pairing === null ? [] : [['pairing', `lanes ${String(v.pairing)} apart`] as const]),
    ]),
  json: () => ({
    schema: 'tcspec.banks/1',
    access: showAccess(access),
    wavefronts: v.wavefronts,
    conflicts: v.conflicts,
    idealWavefronts: idealWavefronts(access),
    phases: v.phases,
    pairing: v.pairing,
    turns: each,
  }),
  csv: () => [
    ['access', 'wavefronts', 'conflicts', 'ideal', 'phases'],
    [showAccess(access), v.wavefronts, v.conflicts, idealWavefronts(access), v.phases.join(' ')],
  ],
  svg: () => banksSvg({ title: showAccess(access), subtitle: verdictText(v), access, addresses, verdict: v }),
})

const ofAddresses = (name: string, text: string): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    E.bindW('access', () => accessNamed(name)),
    E.bindW('addresses', () => parseAddresses(text)),
    E.bindW('verdict', ({ access, addresses }) => wavefronts(access)(addresses)),
    E.bindW('each', ({ access, addresses }) => turns(access)(addresses)),
    E.map(({ access, addresses, verdict, each }) => single(access, addresses, verdict, each)),
  )

// ---------------------------------------------------------------- a layout

const widths: ReadonlyArray<AccessBytes> = [2, 4, 8, 16]

const maxBytes = (options: Options): E.Either<Failure, AccessBytes> => {
  const text = wordOf(options, 'maxBytes') ?? '16'
  const bytes = widths.find((b) => String(b) === text)
  return bytes === undefined ? refuseFlag('--max-bytes', widths.join('|'), text) : E.right(bytes)
}

const layoutAnswer = (
  subject: Subject,
  r: SharedArray,
  found: RegisterAccess,
  drawn: number,
  each: ReadonlyArray<Turn>,
): Answer => {
  const title = `${subject.name} on ${r.shape.join(' x ')} of ${String(r.bits)} bits${r.transforms.length === 0 ? '' : `, ${r.transforms.map(showTransform).join(', ')}`}`
  const worst = found.instructions[drawn]!
  const perWarp = found.instructions.filter(({ warp }) => warp === 0)
  // Warps mostly do the same; where they do, one stands for all.
  const alike = found.instructions.every((i, k) => {
    const other = perWarp[k % perWarp.length]!
    return (
      i.verdict.wavefronts === other.verdict.wavefronts && i.verdict.conflicts === other.verdict.conflicts
    )
  })
  const rows = alike ? perWarp : found.instructions
  return {
    what: 'an access',
    good: true,
    table: (palette) =>
      [
        palette.bold(title),
        fields(palette, 14, [
          ['instruction', showAccess(found.access)],
          ['instructions', `${thousands(found.instructions.length)}, ${String(perWarp.length)} in each warp`],
          [
            'wavefronts',
            `${thousands(found.wavefronts)}, ${String(found.wavefronts / found.instructions.length)} an instruction; ${thousands(found.idealWavefronts)} without conflicts`,
          ],
          ['conflicts', thousands(found.conflicts)],
        ]),
        '',
        ...(alike ? ['every warp alike:'] : []),
        ...table([
          [...(alike ? [] : ['warp']), 'registers', 'wavefronts', 'conflicts', 'phases'],
          ...rows.map((i) => [
            ...(alike ? [] : [String(i.warp)]),
            i.registers.join(' '),
            String(i.verdict.wavefronts),
            String(i.verdict.conflicts),
            i.verdict.phases.join(' '),
          ]),
        ])
          .split('\n')
          .map((text, k) => (k === 0 ? palette.dim(text) : text)),
      ].join('\n'),
    json: () => ({
      schema: 'tcspec.banks/1',
      layout: subject.name,
      shape: r.shape,
      bits: r.bits,
      transforms: r.transforms.map(showTransform),
      access: showAccess(found.access),
      wavefronts: found.wavefronts,
      conflicts: found.conflicts,
      idealWavefronts: found.idealWavefronts,
      instructions: found.instructions.map((i) => ({
        warp: i.warp,
        registers: i.registers,
        addresses: i.addresses,
        wavefronts: i.verdict.wavefronts,
        conflicts: i.verdict.conflicts,
        phases: i.verdict.phases,
      })),
      instruction: drawn,
      turns: each,
    }),
    csv: () => [
      ['warp', 'registers', 'wavefronts', 'conflicts', 'phases'],
      ...found.instructions.map((i) => [
        i.warp,
        i.registers.join(' '),
        i.verdict.wavefronts,
        i.verdict.conflicts,
        i.verdict.phases.join(' '),
      ]),
    ],
    svg: () =>
      banksSvg({
        title,
        subtitle: `${showAccess(found.access)} number ${String(drawn)}, warp ${String(worst.warp)}, registers ${worst.registers.join(' ')}: ${verdictText(worst.verdict)}`,
        access: found.access,
        addresses: worst.addresses,
        verdict: worst.verdict,
      }),
  }
}

const worstOf = (found: RegisterAccess): number => {
  const most = greatest(0)(found.instructions.map((i) => i.verdict.wavefronts))
  return found.instructions.findIndex((i) => i.verdict.wavefronts === most)
}

const ofLayout = (
  world: World,
  [word = '', ...transforms]: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Answer> =>
  pipe(
    E.Do,
    // The layout says the shape where --shape does not.
    E.bindW('shape', () => shapeOption(options)),
    E.bindW('subject', ({ shape }) => layoutArgument(world, word, shape)),
    E.bindW('r', ({ subject }) => refArguments(world, transforms, options, subject.listing.shape)),
    E.bindW('base', () => numberOption(options, 'base', 0)),
    E.bindW('bytes', () => maxBytes(options)),
    E.bindW('found', ({ subject, r, base, bytes }): E.Either<Failure, RegisterAccess> =>
      subject.layout === null
        ? refuse('bad-flag', `banks: expected a layout by name or by formula, found the table ${word}`)
        : accessOf({
            direction: switchOf(options, 'store') ? 'store' : 'load',
            baseAddress: base,
            maxBytes: bytes,
          })(subject.layout, r.ref),
    ),
    E.bindW('drawn', ({ found }) => numberOption(options, 'instruction', worstOf(found))),
    E.chainW(({ subject, r, found, drawn }): E.Either<Failure, Answer> => {
      const instruction = found.instructions[drawn]
      return instruction === undefined
        ? refuseFlag('--instruction', `a number below ${String(found.instructions.length)}`, String(drawn))
        : pipe(
            turns(found.access)(instruction.addresses),
            E.map((each) => layoutAnswer(subject, r, found, drawn, each)),
          )
    }),
  )

const answerOf = (
  world: World,
  words: ReadonlyArray<string>,
  options: Options,
): E.Either<Failure, Answer> => {
  const [access, addresses] = [wordOf(options, 'access'), wordOf(options, 'addresses')]
  if (access === null && addresses === null)
    return words.length === 0
      ? refuse(
          'bad-flag',
          'banks: expected a layout and transforms, or --access and --addresses; found neither',
        )
      : ofLayout(world, words, options)
  if (words.length > 0)
    return refuse('bad-flag', `banks: expected no layout with --access, found '${words[0]!}'`)
  return access === null || addresses === null
    ? refuse(
        'bad-flag',
        `banks: expected --access and --addresses, found only ${access === null ? '--addresses' : '--access'}`,
      )
    : ofAddresses(access, addresses)
}

const run: CliCommand['run'] = (world) => (operands, options) =>
  TE.fromIOEither((): E.Either<Failure, Report> =>
    pipe(answerOf(world, operands, options), E.chain(reportAnswer(world, options))),
  )

export const banksCommand: CliCommand = { define, outputs: outputAsked, run }
