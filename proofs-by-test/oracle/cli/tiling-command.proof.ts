/** `tcspec tiling`: what it prints, draws and refuses; and the page docs/GridTiling.md, which quotes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { all, groupOf, readSvg, textOf, tipOf, type Node } from '../../render/read-svg.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const written = { get: (file: string): string => new TextDecoder().decode(disk.get(file)) }
const world = worldOf(inMemory(disk))
const run = (...argv: ReadonlyArray<string>): Promise<Outcome> =>
  tcspec(commands, world)(['tiling', ...argv])()
const small = [
  ...['--m-tiles', '4', '--n-tiles', '4', '--clusters', '4', '--width', '2'],
  ...['--tile', '8x4x2', '--k', '2', '--dtype', 'e4m3'],
]

describe('the page', () => {
  const root = new URL('../../../docs/', import.meta.url).pathname
  const quoted = /```\n\$ tcspec tiling (.*)\n[^`]*```/g
  it('every quoted command prints what stands below it', async () => {
    let text = readFileSync(`${root}GridTiling.md`, 'utf8')
    const quotes = [...text.matchAll(quoted)]
    expect(quotes.length).toBe(3)
    // by day the first
    for (const [quote, argv] of nightly || process.env['TCSPEC_REGENERATE'] !== undefined
      ? quotes
      : quotes.slice(0, 1)) {
      const ran = await run(...argv!.split(' '))
      expect(ran).toMatchObject({ status: 0, stderr: '' })
      const said = `\`\`\`\n$ tcspec tiling ${argv!}\n${ran.stdout}\`\`\``
      if (process.env['TCSPEC_REGENERATE'] === undefined) expect(quote).toBe(said)
      text = text.replace(quote, () => said)
    }
    if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(`${root}GridTiling.md`, text)
  })
  it('its picture is that of its first command', async () => {
    const [first] = [...readFileSync(`${root}GridTiling.md`, 'utf8').matchAll(quoted)]
    await run(...first![1]!.split(' '), '--svg', 'page.svg')
    if (process.env['TCSPEC_REGENERATE'] !== undefined)
      writeFileSync(`${root}grid-tiling.svg`, written.get('page.svg'))
    expect(readFileSync(`${root}grid-tiling.svg`, 'utf8')).toBe(written.get('page.svg'))
  })
})

describe('forms', () => {
  it('a table, by hand: 4 x 4 tiles, 4 clusters; 16 bytes of a, 8 of b', async () => {
    expect(await run(...small, '--l2-bytes', '1', '48', '1000')).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        'tiles       4 x 4 of 8 x 4, in 1 step of 2 of e4m3',
        'clusters    4: 4 waves',
        'panels      16 B of a, 8 B of b; both operands 96 B, asked for 384 B',
        '',
        'order                    wave 0     footprint  kept  L2 of 1 B  L2 of 48 B  L2 of 1000 B',
        'rows                     1 + 4 = 5  48 B       32 B  384 B      168 B       96 B',
        'columns                  4 + 1 = 5  72 B       64 B  384 B      288 B       96 B',
        'bands, minor 0, width 2  2 + 2 = 4  48 B       21 B  384 B      128 B       96 B',
        'snake, minor 0, width 2  2 + 2 = 4  48 B       27 B  384 B      120 B       96 B',
        '',
      ].join('\n'),
    })
  })
  it('JSON and CSV tell the same', async () => {
    const json: unknown = JSON.parse((await run(...small, '--l2-bytes', '48', '--json')).stdout)
    expect(json).toMatchObject({
      schema: 'tcspec.tiling/1',
      grid: [4, 4],
      panelBytes: { a: 16, b: 8 },
      askedBytes: 384,
      orders: [
        { order: 'rows', missBytes: [168] },
        { order: 'columns', missBytes: [288] },
        { order: 'bands, minor 0, width 2', missBytes: [128] },
        { order: 'snake, minor 0, width 2', missBytes: [120] },
      ],
    })
    expect(
      (await run(...small, '--l2-bytes', '48', '--format', 'csv')).stdout.split('\n').slice(0, 3),
    ).toEqual(['order,rows,columns,footprint,kept,l2_48', 'rows,1,4,48,32,168', 'columns,4,1,72,64,288'])
  })
  it('a picture with the table, or instead of it', async () => {
    expect((await run(...small, '--svg', 'x.svg')).stdout).toContain('snake, minor 0, width 2')
    expect((await run(...small, '-o', 'y.svg')).stdout).toMatch(/^wrote y\.svg: svg/)
    expect((await run(...small, '--format', 'svg')).stdout).toBe(written.get('x.svg'))
    expect(written.get('y.svg')).toBe(written.get('x.svg'))
  })
})

describe('the picture', () => {
  const orders = (text: string): ReadonlyArray<Node> =>
    all(readSvg(text), 'g').filter((g) => g.attributes['class'] === 'order')
  it('laws 1 and 2: a cell for each tile, the bars of the first wave', async () => {
    await run(...small, '--svg', 'small.svg')
    const drawn = orders(written.get('small.svg'))
    expect(drawn).toHaveLength(4)
    // the essay of visiting-order.ts
    const tables = [
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
      [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
      [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15],
      [0, 2, 4, 6, 1, 3, 5, 7, 14, 12, 10, 8, 15, 13, 11, 9],
    ]
    drawn.forEach((order, k) => {
      const cells = all(groupOf(order, 'cells'), 'rect')
      expect(cells).toHaveLength(16)
      const sites = new Map(
        cells.map((cell) => {
          const [, visit, m, n, wave, cluster] = /visit (\d+): tile \((\d), (\d)\), wave (\d), cluster (\d)/
            .exec(tipOf(cell))!
            .map(Number)
          expect(visit).toBe(wave! * 4 + cluster!)
          // where it stands and what it says agree
          expect(Number(cell.attributes['x']) * m!).toBe(Number(cell.attributes['y']) * n!)
          return [4 * m! + n!, visit!] as const
        }),
      )
      expect(Array.from({ length: 16 }, (_, at) => sites.get(at))).toEqual(tables[k])
      // a wave has a colour of its own
      expect(new Set(cells.map((cell) => cell.attributes['fill'])).size).toBe(4)
      expect(all(groupOf(order, 'numbers'), 'text').map(textOf)).toEqual(
        Array.from({ length: 16 }, (_, step) => String(step)),
      )
      expect(all(groupOf(order, 'bars'), 'rect').map(tipOf)).toHaveLength([5, 5, 4, 4][k]!)
    })
    expect(all(groupOf(drawn[3]!, 'bars'), 'rect').map(tipOf)).toEqual([
      'wave 0 reads row panel 0 of a',
      'wave 0 reads row panel 1 of a',
      'wave 0 reads column panel 0 of b',
      'wave 0 reads column panel 1 of b',
    ])
  })
  it('law 3: without numbers and lines where there is no room; one tile has no way', async () => {
    const side = nightly ? '64' : '40'
    await run(...['--m-tiles', side, '--n-tiles', side, '--k', '64', '--svg', 'large.svg'])
    for (const order of orders(written.get('large.svg'))) {
      expect(all(groupOf(order, 'cells'), 'rect')).toHaveLength(Number(side) ** 2)
      expect(all(order, 'path')).toEqual([])
      expect(all(groupOf(order, 'numbers'), 'text')).toEqual([])
    }
    await run(...['--m-tiles', '1', '--n-tiles', '1', '--svg', 'one.svg'])
    expect(all(readSvg(written.get('one.svg')), 'path')).toEqual([])
    await run(...['--m-tiles', '1', '--n-tiles', '2', '--svg', 'two.svg'])
    // one step to a neighbour: a line and a head, nothing dashed
    expect(all(orders(written.get('two.svg'))[0]!, 'path')).toHaveLength(2)
  })
})

describe('refusals: status 2, one line, nothing written', () => {
  const table: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [['--m-tiles', '0'], "--m-tiles: expected an integer from 1 to 1,024, found '0'"],
    [['--n-tiles', 'many'], "--n-tiles: expected an integer from 1 to 1,024, found 'many'"],
    [['--clusters', '1.5'], "--clusters: expected an integer from 1 to 65,536, found '1.5'"],
    [['--width', '4', '0'], "--width: expected an integer from 1 to 1,024, found '0'"],
    [['--minor', '2'], "--minor: expected 0|1, found '2'"],
    [['--tile', '8x8'], "--tile: expected three extents such as 256x256x64, found '8x8'"],
    [['--tile', '8x0x8'], "--tile: expected positive extents such as 64x16, found '8x0x8'"],
    [['--k', '100'], "--k: expected a multiple of 64, the depth of a step, found '100'"],
    [['--dtype', 'f99'], "--dtype: expected f32|f16|bf16|e4m3|e5m2, found 'f99'"],
    [['--l2-bytes', '-5'], "--l2-bytes: expected an integer from 1 to 1,099,511,627,776, found '-5'"],
    [
      ['--m-tiles', '1024', '--n-tiles', '1024'],
      "--k: expected a study of at most 40,000,000 requests, in fewer and deeper steps (--tile), found '1,610,612,736 requests'",
    ],
    [['--format', 'png'], "--format: expected table|json|csv|svg, found 'png'"],
    [['--svg', '/nowhere/x.svg'], '/nowhere/x.svg: expected a place to write, found no write permission'],
  ]
  it.each(table)('%j', async (argv, message) => {
    expect(await run(...argv)).toEqual({ status: 2, stdout: '', stderr: `tcspec: ${message}\n` })
  })
  it('what commander refuses', async () => {
    expect(await run('--nothing')).toMatchObject({ status: 2, stdout: '' })
    expect(await run('16')).toMatchObject({ status: 2, stdout: '' })
  })
})
