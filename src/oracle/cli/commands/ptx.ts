/**
 * `tcspec ptx X.ptx`: what is in a module of PTX. Entries with their parameters, shared memory, barriers, opcodes by family and what of them is not supported,
 * loops that wait, tests that are kept for later, registers in flight. Nothing is run.
 */
import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describePtx, type DescribedFunction, type DescribedPtx } from '../../../dialects/ptx/index.js'
import { shownName } from '../../../dialects/ptx/names/itanium.js'
import { refuse } from '../../../failure.js'
import type { Palette } from '../../../render/palette.js'
import { fields, table, thousands } from '../../../render/table.js'
import { inFile } from '../../launch/beside.js'
import { readPtx } from '../../launch/ptx-text.js'
import { paletteOf } from '../colours.js'
import type { CliCommand } from '../command.js'

const define = (command: Command): Command =>
  command.argument('<module>', 'a text of PTX (.ptx)').option('--json', 'print one JSON document')

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

const most = 12
/** Lines of the text; of many the first. */
const linesText = (lines: ReadonlyArray<number>): string =>
  `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, most).map(String).join(', ')}${lines.length > most ? ` and ${String(lines.length - most)} more` : ''}`

const counted = (lines: ReadonlyArray<number>): string =>
  lines.length === 0 ? 'none' : `${thousands(lines.length)}: ${linesText(lines)}`

/** What a refusal asked for. */
const expected = (why: string): string => /expected .*(?=, found)/.exec(why)?.[0] ?? why

const functionText = (palette: Palette, f: DescribedFunction): string => {
  const touched = f.flights.flatMap((x) => x.touches)
  return [
    palette.bold(`${f.kind === 'entry' ? 'entry' : 'function'} ${shownName(f.name)}`),
    indented(
      fields(palette, 14, [
        ['line', `${String(f.line)}${f.directives.length === 0 ? '' : `; ${f.directives.join('; ')}`}`],
        [
          'instructions',
          `${thousands(f.instructions)}: ${f.families.map((x) => `${x.family} ${thousands(x.count)}`).join(', ')}`,
        ],
        [
          'unsupported',
          f.unsupported.length === 0
            ? 'none'
            : f.unsupported
                .map(
                  (u) =>
                    `${u.opcode} (${String(u.count)}, line ${String(u.line)}${u.why === null ? '' : `: ${expected(u.why)}`})`,
                )
                .join(', '),
        ],
        [
          'barriers',
          f.barriers.length === 0
            ? 'none'
            : f.barriers.map((id) => (id === null ? 'one in a register' : String(id))).join(', '),
        ],
        ['mbarriers', counted(f.mbarriers.map((b) => b.line))],
        ...(f.unsupported.length > 0
          ? []
          : ([
              ['spins', counted(f.spins.map((s) => s.line))],
              ['peeks', counted(f.peeks.map((p) => p.line))],
              ['in flight', counted(f.flights.map((x) => x.line))],
            ] as const)),
        ...(touched.length === 0 ? [] : ([['touched', counted(touched)]] as const)),
      ]),
    ),
    ...(f.parameters.length === 0
      ? []
      : [
          indented(
            table([
              ['parameter', 'offset', 'bytes', 'type'],
              ...f.parameters.map((p) => [
                p.name,
                String(p.offset),
                String(p.bytes),
                `${p.type}${p.pointer === null ? '' : `, a pointer (${p.pointer})`}`,
              ]),
            ]),
          ),
        ]),
  ].join('\n')
}

const moduleText = (palette: Palette, m: DescribedPtx): string =>
  [
    fields(palette, 10, [
      ['target', `${m.target}, PTX ${m.version}`],
      [
        'shared',
        m.shared.length === 0
          ? 'none'
          : m.shared
              .map(
                (s) =>
                  `${s.name} ${s.bytes === null ? 'given by the launch' : `${thousands(s.bytes)} bytes`}, aligned to ${String(s.align)}`,
              )
              .join('; '),
      ],
    ]),
    ...m.functions.map((f) => functionText(palette, f)),
    '',
  ].join('\n')

const run: CliCommand['run'] = (world) => (operands) => {
  const [file] = operands
  if (file === undefined) return TE.fromEither(refuse('usage', 'ptx: expected a module (.ptx), found none'))
  return TE.fromEither(
    pipe(
      readPtx(world.files)(file),
      E.chainW((m) => pipe(describePtx(m), E.mapLeft(inFile(file)))),
      E.map((m) => ({
        good: true,
        text: () => moduleText(paletteOf(world), m),
        json: () => Object.assign({ schema: 'tcspec.ptx/1' }, m),
      })),
    ),
  )
}

export const ptxCommand: CliCommand = { define, run }
