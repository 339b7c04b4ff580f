import * as E from 'fp-ts/lib/Either.js'
import { beforeEach, describe, expect, it } from 'vitest'
import * as Cute from '../../../src/layouts/cute/index.js'
import { decodeDescription, resolve } from '../../../src/layouts/description.js'
import { differences, listingOf } from '../../../src/layouts/listing.js'
import { WGMMA } from '../../../src/layouts/tiled.js'
import { csvText } from '../../../src/oracle/cli/answer.js'
import { parseNumbers, parseShape } from '../../../src/oracle/cli/flags/shape.js'
import { readRows, rowsOf } from '../../../src/oracle/cli/layout-csv.js'
import { all, readSvg } from '../../render/read-svg.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

const disk = new Map<string, Uint8Array>()
const put = (file: string, text: string): void => {
  disk.set(file, new TextEncoder().encode(text))
}
const text = (file: string): string => new TextDecoder().decode(disk.get(file))
const world = worldOf(inMemory(disk))
const run = running(world)
const lines = async (...argv: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const outcome = await run(...argv)
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  return outcome.stdout.trimEnd().split('\n')
}
const json = async (...argv: ReadonlyArray<string>): Promise<unknown> => {
  const [long, short] = await Promise.all([run(...argv, '--format', 'json'), run(...argv, '--json')])
  // Answers, law 1: one flag or the other.
  expect(long).toEqual(short)
  expect(long).toMatchObject({ status: 0, stderr: '' })
  return JSON.parse(long.stdout)
}
/** The picture is well-formed, on standard output as in a file. */
const svg = async (...argv: ReadonlyArray<string>): Promise<number> => {
  const [printed, written] = await Promise.all([
    run(...argv, '--format', 'svg'),
    run(...argv, '-o', 'picture.svg'),
  ])
  const bytes = new TextEncoder().encode(printed.stdout).length.toLocaleString('en')
  expect(written.stdout).toBe(`wrote picture.svg: svg, ${bytes} bytes\n`)
  expect(text('picture.svg')).toBe(printed.stdout)
  return all(readSvg(printed.stdout), 'rect').length
}

beforeEach(() => {
  disk.clear()
})

// ---------------------------------------------------------------- layout

describe('tcspec layout', () => {
  it('table, by hand', async () => {
    expect(await lines('layout', 'WGMMA', '--shape', '64x8', '--window', '0:2,0:4')).toEqual([
      'WGMMA on 64 x 8',
      '64 x 8 elements, 4 warps of 32 lanes, 4 registers a lane, rows 0 to 1 of 64, columns 0 to 3 of 8; a cell is warp/lane/register',
      '',
      'dim 0  0      1      2      3',
      '0      0/0/0  0/0/1  0/1/0  0/1/1',
      '1      0/4/0  0/4/1  0/5/0  0/5/1',
    ])
    // A terminal is not made wider than 16 columns.
    expect((await lines('layout', 'WGMMA', '--shape', '128x64'))[3]).toMatch(/^dim 0 +0 .* 15$/)
    expect((await lines('layout', 'WGMMA', '--shape', '128x64')).length).toBe(4 + 64)
  })
  it('json is a description of the layout; csv lists the same', async () => {
    const found = right(
      resolve(right(decodeDescription(await json('layout', 'WGMMA', '--shape', '64x16'))), null),
    )
    const known = right(listingOf(WGMMA, [64, 16]))
    expect(right(differences(found.listing, known))).toEqual({ count: 0, first: null })
    const rows = await lines('layout', 'WGMMA', '--shape', '64x16', '--format', 'csv')
    expect(rows.slice(0, 4)).toEqual(['warp,lane,register,dim0,dim1', '0,0,0,0,0', '0,0,1,0,1', '0,0,2,8,0'])
    expect(rows.length).toBe(1 + 1024)
    expect(await json('layout', 'WG_SPLAT((4, 4))')).toEqual({
      schema: 'tcspec.layout/1',
      kind: 'splat',
      name: 'WG_SPLAT((4, 4))',
      shape: [4, 4],
    })
  })
  it('svg: a rectangle for each element, the key and the ground', async () => {
    expect(await svg('layout', 'WGMMA', '--shape', '64x8')).toBe(512 + 128 + 1)
    expect(await svg('layout', 'WGMMA', '--shape', '64x8', '--window', '8:16')).toBe(64 + 128 + 1)
  })
  it('check: 0 for equal, 1 with both places for different', async () => {
    put('mine.json', JSON.stringify({ kind: 'named', name: 'WGMMA_TRANSPOSED' }))
    expect(await run('layout', 'check', 'mine.json', '--against', 'WGMMA', '--shape', '64x8')).toEqual({
      status: 1,
      stdout:
        'different: 256 of 512 elements of (64, 8); the first is [0, 1]\n  WGMMA_TRANSPOSED  warp 0 lane 4 register 0\n  WGMMA             warp 0 lane 0 register 1\n',
      stderr: '',
    })
    const document = await run('layout', 'check', 'mine.json', '--against', 'WGMMA', '--json')
    expect(document.status).toBe(1)
    expect(JSON.parse(document.stdout)).toEqual({
      schema: 'tcspec.layout-check/1',
      equal: false,
      shape: [64, 8],
      layout: 'WGMMA_TRANSPOSED',
      against: 'WGMMA',
      different: 256,
      first: {
        index: [0, 1],
        layout: [{ warp: 0, lane: 4, register: 0 }],
        against: [{ warp: 0, lane: 0, register: 1 }],
      },
    })
    expect(await json('layout', 'check', 'WGMMA_ACC_32BIT', '--against', 'WGMMA')).toMatchObject({
      equal: true,
      different: 0,
      first: null,
    })
    expect(await run('layout', 'check', 'mine.json', '--against', 'WGMMA', '--format', 'csv')).toMatchObject({
      status: 1,
      stdout:
        'equal,different,element,layout,against\nfalse,256,"[0, 1]",warp 0 lane 4 register 0,warp 0 lane 0 register 1\n',
    })
    expect((await lines('layout', 'check', 'WGMMA', '--against', 'WGMMA', '--format', 'csv'))[1]).toBe(
      'true,0,,,',
    )
    // An element that nobody holds.
    put('half.csv', 'warp,lane,register,dim0\n0,0,0,0\n')
    put('whole.csv', 'warp,lane,register,dim0\n0,0,0,0\n0,0,1,1\n')
    expect(
      (await run('layout', 'check', 'half.csv', '--against', 'whole.csv', '--shape', '2')).stdout,
    ).toContain('half.csv   no register')
  })
  it('what is dumped is read again', async () => {
    for (const file of ['dump.json', 'dump.csv']) {
      expect((await run('layout', 'WGMMA_ROW', '--shape', '128', '-o', file)).status).toBe(0)
      expect(await run('layout', 'check', file, '--against', 'WGMMA_ROW')).toMatchObject({ status: 0 })
    }
  })
  it('names', async () => {
    expect((await lines('layout', 'names'))[0]).toMatch(/^WGMMA +the accumulator of wgmma/)
    expect(await json('layout', 'names')).toMatchObject({
      schema: 'tcspec.layout-names/1',
      layouts: expect.arrayContaining([expect.objectContaining({ name: 'MMA_ACC', parameters: ['mWarps'] })]),
    })
    expect(await lines('layout', 'names', '--format', 'csv')).toContain(
      'MMA_ACC,mWarps,the accumulator of mma m16n8,MMA_ACC(2)',
    )
  })
})

describe('layouts as rows', () => {
  it('law 1: written and read back', () => {
    const known = right(listingOf(WGMMA, [64, 16]))
    const table = right(readRows(csvText(rowsOf(known)), null))
    expect(right(differences(right(resolve(table, null)).listing, known)).count).toBe(0)
    const shuffled = csvText(rowsOf(known)).trimEnd().split('\n')
    const reversed = [shuffled[0]!, ...shuffled.slice(1).reverse()].join('\r\n')
    expect(
      right(
        differences(right(resolve(right(readRows(`\ufeff${reversed}\r\n`, [64, 16])), null)).listing, known),
      ).count,
    ).toBe(0)
  })
  it.each([
    ['a,b', /^line 1: expected warp,lane,register,dim0, found 'a,b'$/],
    ['warp,lane,register\n0,0,0', /^line 1: expected warp,lane,register,dim0/],
    ['warp,lane,register,dim0\n0,0,x,0', /^line 2: expected 4 numbers, found '0,0,x,0'$/],
    ['warp,lane,register,dim0\n\n0,0,0', /^line 3: expected 4 numbers/],
    [
      'warp,lane,register,dim0\n0,0,0,0\n0,0,0,1',
      /^line 3: expected each place once, found warp 0 lane 0 register 0 again$/,
    ],
    ['warp,lane,register,dim0\n0,1,0,0', /^expected a row for warp 0, lane 0, register 0, found none$/],
    ['warp,lane,register,dim0\n1,0,0,0', /^expected a row for warp 0, lane 0, register 0, found none$/],
    ['warp,lane,register,dim0\n0,0,1,0', /^expected a row for warp 0, lane 0, register 0, found none$/],
    [
      'warp,lane,register,dim0\n0,0,0,0\n65535,65535,65535,0',
      /^expected a row for warp 0, lane 0, register 1, found none$/,
    ],
    ['warp,lane,register,dim0\n0,999999999,0,0', /^line 2: expected a lane below 65536, found 999999999$/],
  ])('law 2: refuses %j', (csv, message) => {
    expect(readRows(csv, null)).toMatchObject({ left: { message: expect.stringMatching(message) } })
  })
  it('an index of 10^9 makes no array of that size', () => {
    const table = right(readRows('warp,lane,register,dim0\n0,0,0,999999998', null))
    expect(table.shape).toEqual([999999999])
    expect(resolve(table, null)).toMatchObject({
      left: { message: expect.stringMatching(/at most 4194304 elements and places, found 999999999 on/) },
    })
  })
})

describe('shapes as flags', () => {
  it('laws 1 and 2', () => {
    for (const one of ['64x16', '64,16', '(64, 16)', '[64, 16]', '(64, 16,)'])
      expect(parseShape('--s')(one)).toEqual(E.right([64, 16]))
    expect(parseShape('--s')('8')).toEqual(E.right([8]))
    for (const bad of ['', 'x', '64x', '0x4', '-1', '1.5', '64 16', '9999999999'])
      expect(E.isLeft(parseShape('--s')(bad))).toBe(true)
    expect(parseNumbers('--p', 'a permutation')('1,0')).toEqual(E.right([1, 0]))
    expect(parseNumbers('--p', 'a permutation')('a')).toMatchObject({
      left: { message: "--p: expected a permutation, found 'a'" },
    })
  })
})

// ---------------------------------------------------------------- transform

describe('tcspec transform', () => {
  const question = ['transform', 'tile=8x64', 'swizzle=128', '--shape', '16x128', '--dtype', 'f16']
  it('table', async () => {
    const found = await lines(...question, '--window', '0:2,0:10', '--lines', '2')
    expect(found.slice(0, 11)).toEqual([
      '(16, 128) of 16 bits, Tile(8, 64), Swizzle(128)',
      'physical shape  (2, 2, 8, 64)',
      'tiled shape     (2, 2, 8, 64) of tiling (8, 64)',
      'strides         (1024, 512, 64, 1) elements',
      'swizzle         128 bytes',
      'bytes           4,096 from 0',
      '',
      'the byte of each element: rows 0 to 1 of 16, columns 0 to 9 of 128',
      'dim 0  0    1    2    3    4    5    6    7    8    9',
      '0      0    2    4    6    8    10   12   14   16   18',
      '1      144  146  148  150  152  154  156  158  128  130',
    ])
    expect(found[12]).toBe(
      'lines of 128 bytes, chunks of 16: chunk before the swizzle, elements (2 of 32 lines)',
    )
    expect(found[15]).toMatch(/^128 +1: 1, 8..15 +0: 1, 0..7 /)
  })
  it('json and csv: the address of every element', async () => {
    const document = await json(...question, '--base', '1024')
    expect(document).toMatchObject({
      schema: 'tcspec.transform/1',
      shape: [16, 128],
      bits: 16,
      transforms: ['Tile(8, 64)', 'Swizzle(128)'],
      physicalShape: [2, 2, 8, 64],
      strides: [1024, 512, 64, 1],
      swizzle: 128,
      bytes: 4096,
      base: 1024,
    })
    const rows = await lines(...question, '--format', 'csv')
    // The documented image: tile, then row, then chunk xor row.
    const address = (i: number, j: number): number =>
      2048 * Math.floor(i / 8) +
      1024 * Math.floor(j / 64) +
      128 * (i % 8) +
      16 * (Math.floor((j % 64) / 8) ^ (i % 8)) +
      2 * (j % 8)
    expect(rows[0]).toBe('dim0,dim1,byte')
    for (let i = 0; i < 16; i++)
      for (let j = 0; j < 128; j += 7)
        expect(rows[1 + 128 * i + j]).toBe(`${String(i)},${String(j)},${String(address(i, j))}`)
    expect(document).toMatchObject({ addresses: expect.arrayContaining([1024 + address(3, 70)]) })
    expect((await lines('transform', '--shape', '2x4', '--dtype', 'e2m1', '--format', 'csv'))[2]).toBe(
      '0,1,0,4',
    )
    expect(await json('transform', '--shape', '4', '--bits', '4')).toMatchObject({
      addresses: [0, 0, 1, 1],
      bitOffsets: [0, 4, 0, 4],
    })
    expect(await json('transform', 'tile=4x4/2x2', 'transpose=1,0,2,3,4,5', '--shape', '8x8')).toMatchObject({
      transforms: ['Tile(4, 4)(2, 2)', 'Transpose(1, 0, 2, 3, 4, 5)'],
    })
  })
  it('svg: eight chunks a line', async () => {
    expect(await svg(...question, '--lines', '3')).toBe(24 + 1)
    expect(await svg(...question)).toBe(8 * 32 + 1)
  })
})

// ---------------------------------------------------------------- linear

describe('tcspec linear', () => {
  it('in every language', async () => {
    const text64 = '(register 4, lane 32, warp 4) -> (dim0 64, dim1 8)'
    expect(await lines('linear', 'WGMMA')).toEqual([
      'WGMMA',
      'inputs  register 4, lane 32, warp 4',
      'outputs dim0 64, dim1 8',
      'rank    9, a bijection',
      '',
      text64,
      'register 1 -> (0, 1)',
      'register 2 -> (8, 0)',
      'lane 1 -> (0, 2)',
      'lane 2 -> (0, 4)',
      'lane 4 -> (1, 0)',
      'lane 8 -> (2, 0)',
      'lane 16 -> (4, 0)',
      'warp 1 -> (16, 0)',
      'warp 2 -> (32, 0)',
    ])
    expect(await lines('linear', '(4,2):(1,4)')).toContain('(index 8) -> (offset 8)')
    expect(await lines('linear', 'S<1,0,3> o 0 o 16:1')).toContain('index 8 -> (9)')
    expect(await lines('linear', 'DEFAULT(2)', '--shape', '128x4')).toContain('rank    9, a bijection')
    expect(await lines('linear', 'swizzle=32', '--shape', '8x16')).toContain('outputs offset 128')
    const cases: ReadonlyArray<readonly [string, string]> = [
      [
        '{"kind":"swizzled_shared","vec":1,"perPhase":1,"maxPhase":2,"order":[1,0],"shape":[2,2]}',
        'offset 2 -> (1, 1)',
      ],
      ['{"kind":"linear","bases":{"x":[[1]]},"outputs":[{"name":"y","size":2}]}', 'x 1 -> (1)'],
      ['{"inputs":[{"name":"x","bases":[[1]]}],"outputs":[{"name":"y","size":2}]}', 'x 1 -> (1)'],
      ['{"inDims":[{"name":"x","bases":[[1]]}],"outDims":[{"name":"y","size":2}]}', 'x 1 -> (1)'],
      ['{"kind":"named","name":"WGMMA"}', 'register 2 -> (8, 0)'],
      ['(x 2) -> (y 2)\nx 1 -> (1)', 'x 1 -> (1)'],
    ]
    for (const [word, line] of cases) {
      expect(await lines('linear', word)).toContain(line)
      const file = word.startsWith('{') ? 'l.json' : 'l.txt'
      put(file, word)
      expect(await lines('linear', file)).toContain(line)
    }
  })
  it('operations', async () => {
    expect(await lines('linear', '(4,2):(2,1)', '--invert')).toContain('offset 1 -> (4)')
    put('a.json', '{"inputs":[{"name":"x","bases":[[1],[2]]}],"outputs":[{"name":"y","size":4}]}')
    put('b.json', '{"inputs":[{"name":"y","bases":[[2],[1]]}],"outputs":[{"name":"z","size":4}]}')
    put('one.json', '{"inputs":[{"name":"x","bases":[[1]]}],"outputs":[{"name":"y","size":2}]}')
    expect(await lines('linear', 'a.json', '--compose', 'b.json')).toContain('x 1 -> (2)')
    expect(await lines('linear', 'a.json', '--product', 'one.json')).toContain('x 4 -> (4)')
    expect(await lines('linear', 'a.json', '--divide-left', 'one.json')).toContain('(x 2) -> (y 2)')
    expect(await lines('linear', 'a.json', '--divide-right', 'one.json')).toContain('(x 2) -> (y 2)')
    put('c.json', '{"inputs":[{"name":"w","bases":[[2],[1]]}],"outputs":[{"name":"y","size":4}]}')
    expect(await lines('linear', 'a.json', '--invert-and-compose', 'c.json')).toContain('x 1 -> (2)')
    expect((await lines('linear', 'WGMMA', '--flatten')).slice(1, 3)).toEqual([
      'inputs  register 512',
      'outputs dim0 512',
    ])
    expect(await lines('linear', 'WGMMA_ROW', '--pseudoinvert')).toContain(
      'outputs register 2, lane 32, warp 4',
    )
    expect((await lines('linear', 'WGMMA_ROW'))[3]).toBe('rank    6, onto')
    expect((await lines('linear', 'WGMMA_ROW'))[4]).toBe('free    lane 0b11')
  })
  it('json has a description, csv the bases, svg a cell for each pair of bits', async () => {
    const document = await json('linear', 'WGMMA')
    expect(document).toMatchObject({
      schema: 'tcspec.linear/1',
      rank: 9,
      surjective: true,
      injective: true,
      freeVariableMasks: { register: 0, lane: 0, warp: 0 },
    })
    const layout =
      typeof document === 'object' && document !== null && 'layout' in document ? document.layout : null
    put('l.json', JSON.stringify(layout))
    expect(await run('layout', 'check', 'l.json', '--against', 'WGMMA')).toMatchObject({ status: 0 })
    expect((await lines('linear', 'WGMMA', '--format', 'csv')).slice(0, 3)).toEqual([
      'input,value,dim0,dim1',
      'register,1,0,1',
      'register,2,8,0',
    ])
    expect(await svg('linear', 'WGMMA')).toBe(81 + 1)
  })
})

// ---------------------------------------------------------------- cute

describe('tcspec cute', () => {
  it.each([
    [['coalesce', '(2,(1,6)):(1,(6,2))'], '12:1'],
    [['flatten', '(4,(2,2)):(1,(4,8))'], '(4,2,2):(1,4,8)'],
    [['complement', '4:2', '24'], '(2,3):(1,8)'],
    [['composition', '20:2', '(5,4):(4,1)'], '(5,4):(8,2)'],
    [['right_inverse', '(4,8):(8,1)'], '(8,4):(4,1)'],
    [['left_inverse', '(4,8):(8,1)'], '(8,4):(4,1)'],
    [['logical_divide', '(4,2,3):(2,1,8)', '4:2'], '((2,2),(2,3)):((4,1),(2,8))'],
    [['zipped_divide', '(4,6):(1,4)', '(2,3)'], '((2,3),(2,2)):((1,4),(2,12))'],
    [['logical_product', '(2,2):(4,1)', '6:1'], '((2,2),(2,3)):((4,1),(2,8))'],
    [['blocked_product', '(2,5):(5,1)', '(3,4):(1,3)'], '((2,3),(5,4)):((5,10),(1,30))'],
    [['raked_product', '(2,5):(5,1)', '(3,4):(1,3)'], '((3,2),(4,5)):((10,5),(30,1))'],
    [['upcast', '8:1', '4'], '2:1'],
    [['composition', 'S<3,4,3>', '(8,128):(128,1)'], 'S<3,4,3> o 0 o (8,128):(128,1)'],
    [['(2,3)'], '(2,3):(1,2)'],
    [['size', '(2,3):(3,1)'], '6'],
    [['cosize', '(2,3):(3,4)'], '12'],
    [['at', '(4,(2,2)):(2,(1,8))', '(1,(0,1))'], '10'],
    [['at', 'S<1,4,3> o 0 o 1024:1', '129'], '145'],
    [['max_common_vector', '8:1', '(4,2):(1,8)'], '4'],
  ])('%j is %s', async (words, result) => {
    expect((await lines('cute', ...words))[0]).toBe(result)
    expect(await json('cute', ...words)).toMatchObject({
      schema: 'tcspec.cute/1',
      question: words.join(' '),
      result: { text: result },
    })
  })
  it('values in every form', async () => {
    expect(await lines('cute', '(4,2):(2,1)')).toEqual([
      '(4,2):(2,1)',
      'size 8, cosize 8, 2 modes',
      '',
      '   0  1',
      '0  0  1',
      '1  2  3',
      '2  4  5',
      '3  6  7',
    ])
    expect(await json('cute', '(4,2):(2,1)')).toMatchObject({
      result: {
        kind: 'layout',
        shape: [4, 2],
        stride: '(2,1)',
        size: 8,
        cosize: 8,
        values: [0, 2, 4, 6, 1, 3, 5, 7],
      },
    })
    expect(await lines('cute', '3:5', '--format', 'csv')).toEqual(['index,value', '0,0', '1,5', '2,10'])
    expect((await lines('cute', '(2,2):(1@0,1@1)', '--format', 'csv'))[4]).toBe('3,"(1,1)"')
    expect(await svg('cute', '(4,2):(2,1)')).toBe(8 + 1)
    expect(await lines('cute', 'size', '4:1', '--format', 'csv')).toEqual(['value', '4'])
  })
})

// ---------------------------------------------------------------- tmem

describe('tcspec tmem', () => {
  it('a layout', async () => {
    expect(await lines('tmem', 'HALF_LANE(16, 1)', '--window', '15:18,0:2')).toEqual([
      'HALF_LANE(16, 1) on 64 x 16 of 32 bits',
      'columns     8 of 512',
      'in a column 1 element',
      'copies      1',
      'registers   WGMMA, by tcgen05.ld 16x256b',
      '',
      '8 of 512 columns; lanes 15 to 17, columns 0 to 1',
      'lane  0     1',
      '15    15,0  15,1',
      '16    0,8   0,9',
      '17    1,8   1,9',
    ])
    expect(await json('tmem', 'DEFAULT(2)', '--shape', '128x4')).toMatchObject({
      schema: 'tcspec.tmem/1',
      layout: 'DEFAULT(2)',
      bits: 16,
      columns: 2,
      elementsPerColumn: 2,
      copies: 1,
    })
    const rows = await lines('tmem', 'DEFAULT(2)', '--shape', '128x4', '--format', 'csv')
    expect([rows[0], rows[4], rows[512]]).toEqual([
      'dim0,dim1,lane,column,part,address',
      '0,3,0,1,1,1',
      `127,3,127,1,1,${String(127 * 65536 + 1)}`,
    ])
    expect(
      (await lines('tmem', 'SCALES', '--shape', '128x4', '--dtype', 'e8m0', '--format', 'csv')).length,
    ).toBe(1 + 4 * 512)
    expect(await svg('tmem', 'DEFAULT(1)', '--shape', '128x8')).toBe(128 * 8 + 1)
  })
  it('arrays', async () => {
    const arrays = ['tmem', 'acc=DEFAULT(1):128x128', 'p=DEFAULT(2):128x128:bf16', 'scales=SCALES:128x4:e8m0']
    expect((await lines(...arrays)).slice(0, 3)).toEqual([
      '200 columns in use, 256 of 512 allocated',
      `0 ${'A'.repeat(16)}${'B'.repeat(8)}C${'-'.repeat(7)}${'.'.repeat(32)} 512`,
      'A acc: DEFAULT(1) on 128 x 128 of 32 bits, columns 0 to 127',
    ])
    expect(await json(...arrays)).toMatchObject({
      schema: 'tcspec.tmem-map/1',
      used: 200,
      allocated: 256,
      arrays: [
        { name: 'acc', start: 0, columns: 128 },
        { name: 'p', start: 128, columns: 64 },
        { name: 'scales', start: 192, columns: 4 },
      ],
    })
    expect((await lines(...arrays, '--format', 'csv'))[2]).toBe('p,DEFAULT(2),128x128,16,128,64')
    expect(await svg(...arrays)).toBe(3 + 3 + 3)
  })
})

// ---------------------------------------------------------------- banks

describe('tcspec banks', () => {
  it('a layout: with the swizzle no conflict, without it eight rows in four banks', async () => {
    const swizzled = ['banks', 'WGMMA', 'tile=8x64', 'swizzle=128', '--shape', '64x64', '--dtype', 'f16']
    expect((await lines(...swizzled)).slice(0, 9)).toEqual([
      'WGMMA on 64 x 64 of 16 bits, Tile(8, 64), Swizzle(128)',
      'instruction   ld.shared.b32',
      'instructions  64, 16 in each warp',
      'wavefronts    64, 1 an instruction; 64 without conflicts',
      'conflicts     0',
      '',
      'every warp alike:',
      'registers  wavefronts  conflicts  phases',
      '0 1        1           0          1',
    ])
    expect(await json('banks', 'WGMMA', '--shape', '64x64')).toMatchObject({
      schema: 'tcspec.banks/1',
      access: 'ld.shared.b32',
      wavefronts: 512,
      conflicts: 448,
      idealWavefronts: 64,
    })
    expect((await lines(...swizzled, '--store', '--format', 'csv')).slice(0, 2)).toEqual([
      'warp,registers,wavefronts,conflicts,phases',
      '0,0 1,1,0,1',
    ])
    expect(await json(...swizzled, '--store')).toMatchObject({ access: 'st.shared.b32' })
    expect(await svg(...swizzled)).toBe(32 * 32 + 1)
    expect(await svg(...swizzled, '--instruction', '63')).toBe(32 * 32 + 1)
  })
  it('addresses', async () => {
    const rows = Array.from({ length: 8 }, (_, i) => 128 * i).join()
    expect(await lines('banks', '--access', 'ldmatrix.x1', '--addresses', rows)).toEqual([
      'access      ldmatrix.x1',
      'wavefronts  8; 1 if all lanes differ and none conflict',
      'conflicts   7',
      'phases      8',
    ])
    expect(
      await json('banks', '--access', 'ldmatrix.x1', '--addresses', `-,-,${rows.split(',').slice(2).join()}`),
    ).toMatchObject({ wavefronts: 6, conflicts: 5, phases: [6] })
    expect((await lines('banks', '--access', 'ldmatrix.x1', '--addresses', rows, '--format', 'csv'))[1]).toBe(
      'ldmatrix.x1,8,7,1,8',
    )
    expect(await svg('banks', '--access', 'ldmatrix.x1', '--addresses', rows)).toBe(8 * 32 + 1)
    const pairs = Array.from({ length: 32 }, (_, i) => 8 * Math.floor(i / 2)).join()
    expect(await lines('banks', '--access', 'ld.shared.b64', '--addresses', pairs)).toContain(
      'pairing     lanes 1 apart',
    )
  })
})

describe('the turns of one instruction, in the document', () => {
  it('without a swizzle, eight rows want eight words of one bank: one after the other', async () => {
    const found = await json('banks', 'WGMMA', 'tile=8x64', '--shape', '64x64')
    expect(found).toMatchObject({ instruction: 0 })
    const { turns } = found as {
      turns: ReadonlyArray<{ words: ReadonlyArray<{ bank: number; byte: number; lanes: number[] }> }>
    }
    expect(turns.map(({ words }) => words[0])).toEqual(
      Array.from({ length: 8 }, (_, row) => ({ bank: 0, byte: 128 * row, lanes: [4 * row] })),
    )
    expect(await json('banks', 'WGMMA', 'tile=8x64', 'swizzle=128', '--shape', '64x64')).toMatchObject({
      turns: { length: 1 },
    })
    expect(
      await json('banks', '--access', 'ld.shared.b32', '--addresses', Array(32).fill(4).join()),
    ).toMatchObject({
      turns: [{ phase: 0, words: [{ bank: 1, byte: 4, lanes: Array.from({ length: 32 }, (_, k) => k) }] }],
    })
  })
})

describe('the bytes without the swizzle', () => {
  it('are those of the same array without one', async () => {
    const with128 = (await json('transform', 'tile=8x64', 'swizzle=128', '--shape', '16x64')) as {
      unswizzled: unknown
    }
    const without = (await json('transform', 'tile=8x64', '--shape', '16x64')) as { addresses: unknown }
    expect(with128.unswizzled).toEqual(without.addresses)
    const image = (await json('image', '--box', '8x64', '--swizzle', '128')) as { unswizzled: unknown }
    const plain = (await json('image', '--box', '8x64')) as { addresses: unknown }
    expect(image.unswizzled).toEqual(plain.addresses)
  })
})

describe('tcspec layout words', () => {
  it('a text of Triton in, the others out', async () => {
    const mma =
      '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>'
    const found = await json('layout', 'words', mma, '--shape', '64x64')
    expect(found).toMatchObject({
      schema: 'tcspec.layout-words/1',
      layout: 'nvidia_mma',
      shape: [64, 64],
      names: expect.arrayContaining(['WGMMA']) as unknown,
      cute: '((4,8,4),(2,2,8)):((128,1,16),(64,8,512))',
      triton: expect.arrayContaining([mma]) as unknown,
    })
    expect(await lines('layout', 'words', 'WGMMA_ROW', '--shape', '64')).toContain('Pallas  WGMMA_ROW')
  })
  it('a text of any of them is a layout as a name is one', async () => {
    const asked = (layout: string) => json('layout', 'check', layout, '--against', 'WGMMA', '--shape', '64x8')
    for (const layout of [
      '((4,8,4),(2,2)):((128,1,16),(64,8))',
      '#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>',
      '#mma = #ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>',
      (await lines('linear', 'WGMMA', '--shape', '64x8')).slice(5).join('\n'),
    ])
      expect([layout, await asked(layout)]).toMatchObject([layout, { equal: true }])
    expect(
      await json(
        'linear',
        '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>',
        '--shape',
        '8x64',
      ),
    ).toMatchObject({ layout: { outputs: [{ name: 'dim0' }, { name: 'dim1' }] } })
  })
  it('what is none is refused in a line', async () => {
    for (const argv of [
      ['layout', 'words'],
      ['layout', 'words', 'WGMMA', '--against', 'WGMMA'],
      ['layout', '#ttg.blocked<{order = [0]}>'],
      ['layout', '#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>'],
      [
        'layout',
        '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>',
        '--shape',
        '8x64',
      ],
      ['layout', '(4,8):(1', '--shape', '64'],
      ['linear', '#a = #a', '--shape', '64'],
    ]) {
      const outcome = await run(...argv)
      expect([argv, outcome.status, outcome.stderr.trimEnd().split('\n').length]).toEqual([argv, 2, 1])
    }
  })
})

// ---------------------------------------------------------------- image

describe('tcspec image', () => {
  const question = ['image', '--box', '4x64', '--swizzle', '128', '--tensor', '100x256', '--at', '98,224']
  it('origins, fill and bytes', async () => {
    const found = await lines(...question)
    expect(found.slice(0, 5)).toEqual([
      'Box 4 x 64 of 16 bits at (98, 224) of 100 x 256, swizzle 128',
      'copied      (4, 64) elements',
      'bytes       512 on the barrier, a load',
      'image       from 0 to 512',
      'outside     192 elements, filled',
    ])
    expect(found[8]).toMatch(/^0 +0: 98, 224..231 .* 4: fill /)
    expect(found[9]).toMatch(/^128 +1: 99, 232..239 +0: 99, 224..231 /)
    expect(await json(...question)).toMatchObject({
      schema: 'tcspec.image/1',
      transactionBytes: 512,
      outside: 192,
      copied: [4, 64],
    })
    const rows = await lines(...question, '--format', 'csv')
    expect([rows[0], rows[1], rows[33], rows[65]]).toEqual([
      'byte,box0,box1,dim0,dim1',
      '0,0,0,98,224',
      '64,0,32,,',
      '144,1,0,99,224',
    ])
    expect(await svg(...question)).toBe(32 + 1)
  })
  it('element strides thin the box out; a store leaves out', async () => {
    expect(
      await json('image', '--box', '5x16', '--element-strides', '2,1', '--tensor', '5x16'),
    ).toMatchObject({ copied: [3, 16], transactionBytes: 96, outside: 0 })
    expect(await lines('image', '--box', '5x16', '--tensor', '3x16', '--store')).toContain(
      'outside     32 elements, left out',
    )
    expect(await lines('image', '--box', '2x16', '--at', '-1,0', '--base', '256')).toContain(
      'image       from 256 to 320',
    )
  })
})

// ---------------------------------------------------------------- wrong usage

describe('wrong usage is one line, status 2, nothing written', () => {
  const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string | RegExp]> = [
    [['layout'], /^missing required argument 'layout'; usage: tcspec layout <layout> \[file\] /],
    [['layout', 'WGMA'], /^no layout named WGMA; did you mean WGMMA/],
    [['layout', 'WGMMA', '--shape', '64x'], "--shape: expected positive extents such as 64x16, found '64x'"],
    [['layout', 'WGMMA', '--shape', '60x8'], /^The base tile \(64, 8\) does not divide .* dimension 0 /],
    [
      ['layout', 'WGMMA', '--window', '0:99'],
      "--window: expected rows as FROM:TO with 0 <= FROM < TO <= 64, found '0:99'",
    ],
    [
      ['layout', 'WGMMA', '--shape', '1024x128', '--window', ':'],
      "--window: expected at most 65,536 cells, found '131,072 cells'",
    ],
    [['layout', 'WGMMA', '--format', 'png'], "--format: expected table|json|csv|svg, found 'png'"],
    [['layout', 'WGMMA', '--format', 'csv', '--json'], "--format: expected json with --json, found 'csv'"],
    [['layout', 'WGMMA', '--against', 'WGMMA'], "layout WGMMA: expected no --against, found 'WGMMA'"],
    [['layout', 'WGMMA', 'TCGEN05'], "layout: expected one layout, found 'WGMMA' and 'TCGEN05'"],
    [['layout', 'names', '--shape', '8'], "layout names: expected no --shape, found '8'"],
    [['layout', 'check'], 'layout check: expected a layout and --against, found no layout'],
    [['layout', 'check', 'WGMMA'], 'layout check: expected a layout and --against, found no --against'],
    [
      ['layout', 'check', 'WGMMA', '--against', 'WGMMA', '--window', ':'],
      "layout check: expected no --window, found ':'",
    ],
    [
      ['layout', 'check', 'WGMMA', '--against', 'WGMMA', '--format', 'svg'],
      "--format: expected table|json|csv, found 'svg': there is no picture of a check",
    ],
    [['layout', 'check', 'none.json', '--against', 'WGMMA'], 'none.json: no such file'],
    [['layout', '{"kind":'], /^layout: expected JSON, found /],
    [['layout', '{"kind":"tiled"}'], 'layout: $.tiling: expected an array, found nothing'],
    [
      ['layout', 'WGMMA', '-o', 'locked/a.svg'],
      'locked/a.svg: expected a place to write, found no write permission',
    ],
    [['transform'], '--shape: expected a shape such as 128x128, found nothing'],
    [
      ['transform', 'tile', '--shape', '8'],
      "transform: expected tile=8x64, swizzle=128 or transpose=1,0, found 'tile'",
    ],
    [['transform', 'swizzle=x', '--shape', '8'], "swizzle: expected 16, 32, 64 or 128, found 'x'"],
    [['transform', 'swizzle=24', '--shape', '8'], 'A swizzle spans 16, 32, 64 or 128 bytes, found 24'],
    [['transform', 'tile=8x65', '--shape', '16x128'], /dimension 1 is 128, not divisible by 65/],
    [
      ['transform', 'transpose=a', '--shape', '8'],
      "transpose: expected a permutation such as 1,0, found 'a'",
    ],
    [['transform', '--shape', '8', '--dtype', 'half'], /^--dtype: expected f32\|.*, found 'half'$/],
    [['transform', '--shape', '8', '--bits', '0'], "--bits: expected a positive number of bits, found '0'"],
    [
      ['transform', '--shape', '8', '--bits', '8', '--dtype', 'f16'],
      "--bits: expected no --dtype with it, found 'f16'",
    ],
    [['transform', '--shape', '8', '--base', '-1'], "--base: expected a number, found '-1'"],
    [['transform', '--shape', '8', '--window', '9'], /^--window: expected rows as FROM:TO/],
    [
      ['transform', '--shape', '4096x4096'],
      "--shape: expected at most 4,194,304 elements, found '4096x4096'",
    ],
    [['linear', 'WGMMA', 'x'], "linear: expected one layout, found 'x' after 'WGMMA'"],
    [
      ['linear', 'WGMMA', '--invert', '--flatten'],
      'linear: expected one operation, found invert and flatten',
    ],
    [['linear', 'WGMMA_ROW', '--invert'], /bijection/],
    [
      ['linear', '4:1', '--divide-left', '(index 2) -> (other 2)\nindex 1 -> (1)'],
      'The second layout is no left factor of the first',
    ],
    [['linear', '{"kind":"blocked"}'], '$.sizePerThread: expected an array, found nothing'],
    [
      ['linear', '{"kind":"swizzled_shared","vec":1,"perPhase":1,"maxPhase":1,"order":[0]}'],
      '$.shape: expected the shape of the array, since swizzled_shared is for every shape, found nothing',
    ],
    [
      ['linear', '{"kind":"cute_tv","layout":"(32,2):(1,32)","positions":"row-major","shape":[64]}'],
      '$.kind: expected a layout by formula, found "cute_tv"',
    ],
    [['linear', 'WG_SPLAT((4, 4))'], /splat/],
    [['linear', '3:1'], /power of two/],
    [
      ['cute', 'coalse', '4:1'],
      /^cute: expected a layout such as \(4,2\):\(1,4\), or one of coalesce, .*; found 'coalse'; did you mean coalesce\?$/,
    ],
    [['cute', 'complement', '4:2'], 'cute: expected complement <layout> <size>, found 1 operand'],
    [['cute', 'coalesce', '(4,2:1'], 'Expected a layout, such as (4,2):(1,4); found "(4,2:1"'],
    [['cute', 'upcast', '4:1', 'x'], "cute: expected a number, found 'x'"],
    [
      ['cute', 'size', '4:1', '--format', 'svg'],
      "--format: expected table|json|csv, found 'svg': there is no picture of a number",
    ],
    [['cute', 'S<3,4,3> o 0 o (2,2):(1@0,1@1)'], /^A swizzle takes an integer offset/],
    [['tmem', 'DEFALT(1)'], /^There is no layout of tensor memory named DEFALT; did you mean DEFAULT/],
    [
      ['tmem', 'DEFAULT(1)', 'SCALES'],
      "tmem: expected one layout, or arrays name=LAYOUT:SHAPE; found 'SCALES' after 'DEFAULT(1)'",
    ],
    [['tmem', 'DEFAULT(1)', '--shape', '64x8'], /does not divide/],
    [['tmem', 'DEFAULT(2)', '--shape', '128x8', '--dtype', 'f32'], /found elements of 32 bits$/],
    [['tmem', 'DEFAULT(1)', '--window', '0:129'], /^--window: expected rows as FROM:TO/],
    [
      ['tmem', 'a=DEFAULT(1)'],
      "tmem: expected name=LAYOUT:SHAPE[:DTYPE], such as acc=DEFAULT(1):128x256, found 'a=DEFAULT(1)'",
    ],
    [
      ['tmem', 'a=DEFAULT(1):128x512', 'b=DEFAULT(1):128x8'],
      'Tensor memory has 512 columns, the refs take 520',
    ],
    [['tmem', 'a=DEFAULT(1):128x8:half'], /^a: expected f32\|.*, found 'half'$/],
    [
      ['tmem', 'a=DEFAULT(1):128x8', '--shape', '8'],
      "tmem: expected no --shape with arrays, which have their own, found '8'",
    ],
    [['banks'], 'banks: expected a layout and transforms, or --access and --addresses; found neither'],
    [['banks', 'WGMMA', '--max-bytes', '3'], "--max-bytes: expected 2|4|8|16, found '3'"],
    [['banks', 'WGMMA', '--instruction', '99'], "--instruction: expected a number below 8, found '99'"],
    [['banks', 'WGMMA', 'tile=3x3'], /not divisible by 3/],
    [['banks', 'WG_SPLAT((128, 8))'], /splat|WG_SPLAT/],
    [
      ['banks', 'WGMMA', '--access', 'ldmatrix.x1', '--addresses', '0'],
      "banks: expected no layout with --access, found 'WGMMA'",
    ],
    [['banks', '--access', 'ldmatrix.x1'], 'banks: expected --access and --addresses, found only --access'],
    [['banks', '--addresses', '0'], 'banks: expected --access and --addresses, found only --addresses'],
    [
      ['banks', '--access', 'ldmatrix.x1', '--addresses', '0,a'],
      "--addresses: expected numbers with commas between them, - for an inactive lane, found '0,a'",
    ],
    [['banks', '--access', 'ldmatrix.x1', '--addresses', '0,16'], 'ldmatrix.x1 takes 8 addresses, found 2'],
    [['banks', '--access', 'ldmatrix.x3', '--addresses', '0'], /^Unknown shared memory access ldmatrix\.x3/],
    [['image'], '--box: expected extents such as 64x64, found nothing'],
    [['image', '--box', '8x64', '--swizzle', '64'], /must fit in the swizzle of 64 bytes/],
    [['image', '--box', '8x64', '--swizzle', 'on'], "--swizzle: expected 16|32|64|128, found 'on'"],
    [
      ['image', '--box', '8x64', '--at', '0'],
      "--at: expected 2 numbers, one for each dimension of the box, found '0'",
    ],
    [['image', '--box', '8x64', '--at', 'a,b'], "--at: expected coordinates such as 0,-8, found 'a,b'"],
    [
      ['image', '--box', '8x64', '--tensor', '8'],
      "--tensor: expected 2 numbers, one for each dimension of the box, found '8'",
    ],
    [['image', '--box', '8x64', '--element-strides', '1,1,1'], /^--element-strides: expected 2 numbers/],
    [
      ['image', '--box', '256x256x64'],
      "--box: expected at most the 232,448 bytes of shared memory, found '8,388,608'",
    ],
    [['image', '--box', '8x64', '--base', '64'], /128/],
    [['image', '--box', '8x64', 'extra'], /^too many arguments/],
  ]
  it.each(refusals)('%j', async (argv, message) => {
    const plain = await run(...argv)
    expect(plain.status).toBe(2)
    if (!argv.includes('--json')) expect(plain.stdout).toBe('')
    expect(plain.stderr.split('\n').length).toBe(2)
    const said = plain.stderr.replace(/^tcspec: /, '').trimEnd()
    if (typeof message === 'string') expect(said).toBe(message)
    else expect(said).toMatch(message)
    expect(disk.size).toBe(0)
    if (argv.includes('--format') || argv.includes('-o')) return
    const document: unknown = JSON.parse((await run(...argv, '--json')).stdout)
    expect(document).toMatchObject({ error: { message: expect.any(String) } })
  })
  it.each([
    [['size', '(99999999,99999999):(0,0)'], '9999999800000001'],
    [['size', '(94906267,94906267):(1,94906267)'], '9007199515875289'],
    [['cosize', '(99999999,99999999):(99999999,99999999)'], '19999999400000005'],
    [['cosize', '(4503599627370497,3):(1@0,4503599627370496@1)'], '40564819207303354358693384683521'],
    [['size', '9007199254740993:1'], '9007199254740993'],
    [['size', '(1,9007199254740992):(1,1)'], '9007199254740992'],
    [['size', `${'9'.repeat(60)}:1`], '9'.repeat(60)],
    [['size', `${'9'.repeat(61)}:1`], 'one of 61 digits'],
    [['at', '(3,4):(1,3)', '9007199254740993'], '9007199254740993'],
    [['at', '(3,4503599627370497):(1,3)', '(0,4503599627370496)'], 'a larger one'],
    [['(94906267,94906267)'], '9007199515875289'],
    [['logical_product', '94906267:1', '94906267:1'], '9007199515875289'],
  ])('cute %j: a number beyond 2^53 is refused, and shown as it is: %s', async (words, found) => {
    expect(await run('cute', ...words)).toEqual({
      status: 2,
      stdout: '',
      stderr: `tcspec: cute: expected numbers below 2^53, found ${found}\n`,
    })
  })
  it.each([
    '(4,(2,3)):(1,(4,8))',
    '(4,3):(1@0,5@1)',
    '((2,2),(3,2)):((1@0,2@1),(2@0,7@1))',
    '(3,2):(0,5)',
    '7:-2',
  ])('size and cosize of %s are those of the algebra', async (text) => {
    const l = right(Cute.parseLayout(text))
    expect((await run('cute', 'size', text)).stdout).toBe(`${String(Cute.size(l))}\n`)
    expect((await run('cute', 'cosize', text)).stdout).toBe(`${String(Cute.cosize(l))}\n`)
  })
  it('cute size up to 2^53 - 1', async () => {
    expect((await run('cute', 'size', '(6361,69431,20394401):(1,1,1)')).stdout).toBe('9007199254740991\n')
  })
  it.each(['a.png', 'a.json.gz', 'A.PDF'])('-o %s: no format has that ending', async (file) => {
    expect(await run('layout', 'WGMMA', '-o', file)).toEqual({
      status: 2,
      stdout: '',
      stderr: `tcspec: --output: expected a file that ends in .txt, .json, .csv, .svg (or --format), found '${file}'\n`,
    })
    expect(disk.size).toBe(0)
  })
  it('-o - is standard output', async () => {
    for (const more of [[], ['--json'], ['--format', 'svg'], ['--format', 'csv']])
      expect(await run('layout', 'WGMMA', '-o', '-', ...more)).toEqual(await run('layout', 'WGMMA', ...more))
    expect(disk.size).toBe(0)
  })
  it('--json with -o says what was written', async () => {
    const outcome = await run('layout', 'WGMMA', '-o', 'x.csv', '--json')
    expect(JSON.parse(outcome.stdout)).toEqual({
      schema: 'tcspec.written/1',
      output: 'x.csv',
      format: 'csv',
      bytes: disk.get('x.csv')!.length,
    })
    for (const name of ['x.txt', 'x', 'a.b/x', '.x']) {
      await run('layout', 'WGMMA', '-o', name)
      expect(text(name)).toMatch(/^WGMMA on 64 x 8\n/)
    }
    await run('layout', 'WGMMA', '-o', 'y', '--json')
    expect(JSON.parse(text('y'))).toMatchObject({ kind: 'table' })
    await run('layout', 'WGMMA', '-o', 'a.dat', '--format', 'csv')
    expect(text('a.dat')).toMatch(/^warp,lane/)
    await run('layout', 'WGMMA', '-o', 'z.svg', '--format', 'csv')
    expect(text('z.svg')).toMatch(/^warp,lane/)
  })
})
