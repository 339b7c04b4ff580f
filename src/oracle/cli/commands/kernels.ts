/**
 * `tcspec kernels [--json]`: what can be run, with every setting, its default and what it means.
 */
import type { Command } from 'commander'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { zoo } from '../../../kernels/broken/zoo/index.js'
import { kernels, type Kernel } from '../../../kernels/catalogue/index.js'
import { fields } from '../../../render/table.js'
import { table } from '../../../render/table.js'
import type { Palette } from '../../../render/palette.js'
import { paletteOf } from '../colours.js'
import type { CliCommand } from '../command.js'

const define = (command: Command): Command => command.option('--json', 'print one JSON document')

const kernelText = (palette: Palette, k: Kernel): string =>
  [
    palette.bold(k.name),
    ...fields(palette, 10, [
      ['', k.summary],
      ['tensors', k.tensors.map((t) => `${t.role} ${t.name} (${t.axes.join(', ')})`).join(', ')],
    ])
      .split('\n')
      .map((line) => `  ${line}`),
    ...table([
      ['setting', 'default', 'unit', 'meaning'],
      ...k.parameters.map((p) => [
        p.name,
        String(p.default),
        p.choices === undefined ? p.unit : p.choices.join('|'),
        p.meaning,
      ]),
    ])
      .split('\n')
      .map((line, i) => `  ${i === 0 ? palette.dim(line) : line}`),
  ].join('\n')

const run: CliCommand['run'] = (world) => () =>
  TE.right({
    good: true,
    text: () => {
      const palette = paletteOf(world.colours)
      return `${kernels.map((k) => kernelText(palette, k)).join('\n\n')}\n\nTiles and stages shrink to fit the sizes; what is set with --set is used or refused.\n\nzoo/ID is a kernel of a few lines with the hazard ID, zoo/ID-fixed the same kernel mended; foreign/NAME is a bug that a public kernel had: tcspec check zoo/${zoo[0]?.name ?? ''}\n`
    },
    json: () =>
      kernels.map(({ name, summary, parameters, tensors }) => ({ name, summary, parameters, tensors })),
  })

export const kernelsCommand: CliCommand = { define, run }
