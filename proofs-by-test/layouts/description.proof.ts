import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  decodeDescription,
  ownShape,
  resolve,
  tableOf,
  type Described,
} from '../../src/layouts/description.js'
import { encodingOf, encodingWire } from '../../src/layouts/encoding-wire.js'
import { linearPlainWire, registerLayoutWire } from '../../src/layouts/layout-wire.js'
import { differences, listingOf } from '../../src/layouts/listing.js'
import type { RegisterLayout } from '../../src/layouts/register-layout.js'
import { splatLayout } from '../../src/layouts/splat.js'
import { stridedLayout } from '../../src/layouts/strided.js'
import { TCGEN05, WGMMA, WGMMA_ROW } from '../../src/layouts/tiled.js'
import { linearLayout } from '../../src/layouts/linear/linear-layout.js'
import { decode } from '../../src/wire.js'
import { right } from '../either.js'

const described = (
  json: unknown,
  shape: ReadonlyArray<number> | null = null,
): E.Either<{ readonly message: string }, Described> => {
  const d = decodeDescription(json)
  return E.isLeft(d) ? d : resolve(d.right, shape)
}
const refusal = (json: unknown, shape: ReadonlyArray<number> | null = null): string => {
  const found = described(json, shape)
  return E.isLeft(found) ? found.left.message : 'accepted'
}

const bases = {
  register: [
    [0, 1],
    [8, 0],
  ],
  lane: [
    [0, 2],
    [0, 4],
    [1, 0],
    [2, 0],
    [4, 0],
  ],
  warp: [
    [16, 0],
    [32, 0],
  ],
}
const outputs = [
  { name: 'dim0', size: 64 },
  { name: 'dim1', size: 8 },
]
const wgmmaBase = { kind: 'linear', bases, outputs }
const mosaic = {
  kind: 'tiled',
  tiling: [[64, 8], [16, 8], [8, 8], [2]],
  warpDims: [-7],
  laneDims: [-3, -2],
  vectorDim: -1,
}
const mma = { kind: 'nvidia_mma', versionMajor: 3, instrShape: [16, 8, 16], warpsPerCTA: [4, 1] }
const tv = { kind: 'cute_tv', layout: '((4,8,4),(2,2)):((128,1,16),(64,8))', positions: 'column-major' }

describe('law 1: a description has the listing of its layout', () => {
  const listed = right(listingOf(WGMMA, [64, 8]))
  it.each([
    ['named', { kind: 'named', name: 'WGMMA' }, null],
    ['named, of a shape', { kind: 'named', name: 'WGMMA', shape: [64, 8] }, null],
    ['tiled', mosaic, null],
    ['linear', wgmmaBase, null],
    ['linear, with a block that decides nothing', { ...wgmmaBase, bases: { ...bases, block: [] } }, null],
    ['nvidia_mma', mma, [64, 8]],
    ['nvidia_mma of a shape', { ...mma, shape: [64, 8] }, null],
    ['cute_tv', tv, [64, 8]],
    [
      'cute_tv, row-major',
      { ...tv, layout: '((4,8,4),(2,2)):((2,8,128),(1,64))', positions: 'row-major' },
      [64, 8],
    ],
    ['table', tableOf(listed, 'x'), null],
  ])('%s: WGMMA on (64, 8)', (_, json, shape) => {
    const found = right(described(JSON.parse(JSON.stringify(json)), shape))
    expect(right(differences(found.listing, listed))).toEqual({ count: 0, first: null })
  })
  it('on more than the base tile, and other layouts', () => {
    const same = (json: unknown, shape: ReadonlyArray<number>, layout: RegisterLayout): void => {
      const found = right(described(json, shape))
      expect(right(differences(found.listing, right(listingOf(layout, shape))))).toEqual({
        count: 0,
        first: null,
      })
    }
    same(mosaic, [128, 24], WGMMA)
    same({ kind: 'named', name: 'TCGEN05' }, [128, 16], TCGEN05)
    same({ kind: 'slice', dim: 1, parent: mma }, [64], WGMMA_ROW)
    same({ kind: 'strided', shape: [4, 128], vectorLength: 2 }, [4, 128], right(stridedLayout([4, 128], 2)))
    same({ kind: 'splat', shape: [1, 8] }, [16, 8], splatLayout([1, 8]))
    const blocked = {
      kind: 'blocked',
      sizePerThread: [1, 2],
      threadsPerWarp: [8, 4],
      warpsPerCTA: [4, 1],
      order: [1, 0],
    }
    const rows = right(described(blocked, [32, 8]))
    expect(Array.from(rows.listing.positions.slice(0, 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const operand = {
      kind: 'dot_operand',
      opIdx: 0,
      kWidth: 2,
      parent: { ...mma, versionMajor: 2, instrShape: [16, 8] },
    }
    expect(Array.from(right(described(operand, [64, 16])).listing.positions.slice(0, 8))).toEqual([
      0, 1, 128, 129, 8, 9, 136, 137,
    ])
    const inBlocked = right(described({ kind: 'dot_operand', opIdx: 0, kWidth: 0, parent: blocked }, [32, 8]))
    expect(inBlocked.listing.registers).toBe(8)
    expect(right(described({ kind: 'dot_operand', opIdx: 0, parent: blocked }, [32, 8]))).toEqual(inBlocked)
    expect(described({ kind: 'dot_operand', opIdx: 0, parent: mma }, [64, 16])).toMatchObject({
      left: { message: expect.stringContaining('kWidth must be given') as unknown },
    })
    const linearParent = { kind: 'slice', dim: 1, parent: wgmmaBase }
    expect(Array.from(right(described(linearParent, [64])).listing.positions.slice(0, 2))).toEqual([0, 8])
  })
  it('names, and layouts where they are known', () => {
    const name = (json: object): string | null => right(described({ ...json, name: 'n' }, [64, 8])).name
    for (const json of [mosaic, wgmmaBase, mma, tv, { kind: 'splat', shape: [1] }])
      expect(name(json)).toBe('n')
    expect(right(described({ kind: 'named', name: 'WGMMA' })).name).toBe('WGMMA')
    expect(right(described(mosaic)).name).toBeNull()
    expect(right(described(mosaic)).layout).toEqual(WGMMA)
    expect(right(described({ ...tv, shape: [64, 8] })).layout).toBeNull()
    expect(right(described(mma, [64, 8])).layout).toMatchObject({
      _tag: 'linear',
      inputs: [{ name: 'register' }, { name: 'lane' }, { name: 'warp' }],
    })
    // Only what the modes say is read: one value, however long its stride.
    const one = { kind: 'cute_tv', layout: '(32,1):(1,32)', positions: 'row-major', shape: [32] }
    expect(right(described(one)).listing.registers).toBe(1)
    expect(ownShape(WGMMA)).toEqual([64, 8])
    expect(ownShape(splatLayout([3]))).toEqual([3])
    expect(ownShape(right(stridedLayout([256], 2)))).toEqual([256])
    expect(ownShape(right(linearLayout({ inputs: [], outputs })))).toEqual([64, 8])
  })
  it('law 3: a table of what is not a formula', () => {
    const odd = {
      kind: 'table',
      schema: 'tcspec.layout/1',
      name: 'odd',
      shape: [3],
      elements: [[[[2], [0]]], [[[1], [1]]]],
    }
    const found = right(described(odd))
    expect(found.listing).toMatchObject({ warps: 2, lanes: 1, registers: 2, shape: [3], splat: false })
    expect(Array.from(found.listing.positions)).toEqual([2, 0, 1, 1])
    expect(tableOf(found.listing, 'odd')).toEqual(odd)
    const square = {
      schema: 'tcspec.layout/1',
      kind: 'table',
      name: 'square',
      shape: [8],
      elements: [
        [
          [[0], [1]],
          [[2], [3]],
        ],
        [
          [[4], [5]],
          [[6], [7]],
        ],
      ],
    }
    expect(tableOf(right(described(square)).listing, 'square')).toEqual(square)
  })
})

describe('law 2: what is no description says where', () => {
  const lane = [[0], [1]]
  const table = (elements: unknown): object => ({ kind: 'table', shape: [2], elements })
  it.each([
    [5, null, '$: expected a layout description, found 5'],
    [
      { kind: 'tile' },
      null,
      /^\$\.kind: expected a layout description: one of named, tiled, .*, found "tile"$/,
    ],
    [{ ...mosaic, tiling: [[64, 'x']] }, null, '$.tiling[0][1]: expected an integer of 0 or more, found "x"'],
    [{ ...mosaic, warpDim: [1] }, null, /^\$\.warpDim: expected no such key in a tiled layout/],
    [{ kind: 'tiled' }, null, '$.tiling: expected an array, found nothing'],
    [{ ...mosaic, laneDims: [-3] }, null, /lane dimensions must multiply to 32/],
    [{ kind: 'strided', shape: [5], vectorLength: 1 }, null, /does not divide the 5 elements/],
    [{ kind: 'named', name: 'WGMA' }, null, /no layout named WGMA/],
    [{ kind: 'named', name: 'WGMMA' }, [60, 8], /does not divide the array shape/],
    [
      mma,
      null,
      '$.shape: expected the shape of the array, since nvidia_mma is for every shape, found nothing',
    ],
    [tv, null, '$.shape: expected the shape of the array, since cute_tv is for every shape, found nothing'],
    [{ ...mosaic, shape: [64, 8] }, [64, 16], '$.shape: expected (64, 16), found (64, 8)'],
    [{ ...mosaic, shape: [64, 0] }, null, '$.shape: expected positive extents, found 0'],
    [{ kind: 'splat', shape: [2, 8] }, [16, 8], /does not broadcast/],
    [
      { ...wgmmaBase, bases: { ...bases, block: [[0, 0]] } },
      null,
      '$: expected a layout of register, lane and warp, found one that depends on "block"',
    ],
    [{ ...wgmmaBase, bases: { thread: [[0, 1]] } }, null, /depends on "thread"$/],
    [
      { ...wgmmaBase, outputs: [outputs[1], outputs[0]] },
      null,
      '$: expected the outputs dim0, dim1, ... in their order, found dim1, dim0',
    ],
    [{ ...wgmmaBase, bases: { ...bases, warp: [[64, 0]] } }, null, /leaves output dim0/],
    [{ ...tv, layout: '(128,4)' }, [64, 8], /^Expected a layout/],
    [
      { ...tv, layout: '(2,2,2):(1,2,4)' },
      [64, 8],
      '$.layout: expected two modes, threads and values, found 3',
    ],
    [{ ...tv, layout: '32:1' }, [64, 8], '$.layout: expected two modes, threads and values, found 1'],
    [
      { ...tv, layout: '(48,2):(1,48)' },
      [64, 8],
      '$.layout: expected whole warps of 32 threads in mode 0, found 48 threads',
    ],
    [{ ...tv, layout: '(1048576,8):(0,0)' }, [64, 8], /^A layout is written out for at most/],
    [
      { ...tv, layout: '(128,4):(1,129)' },
      [64, 8],
      '$.layout: expected positions below the 512 elements of (64, 8), found 512 for thread 125, value 3',
    ],
    [
      { ...tv, layout: '(128,4):(1,-1)' },
      [64, 8],
      '$.layout: expected positions below the 512 elements of (64, 8), found -1 for thread 0, value 1',
    ],
    [{ ...tv, layout: '(128,4):(1@0,1@1)' }, [64, 8], /^\$\.layout: expected positions below/],
    [
      { ...tv, positions: 'diagonal' },
      [64, 8],
      '$.positions: expected one of "column-major", "row-major", found "diagonal"',
    ],
    [table([]), null, '$.elements: expected an element in every lane, found none in the first'],
    [table([[]]), null, '$.elements: expected an element in every lane, found none in the first'],
    [table([[[]]]), null, '$.elements: expected an element in every lane, found none in the first'],
    [table([[lane, lane], [lane]]), null, '$.elements[1]: expected 2 lanes, as in the first warp, found 1'],
    [table([[lane, [[0]]]]), null, '$.elements[0][1]: expected 2 registers, as in the first lane, found 1'],
    [table([[[[0], [2]]]]), null, '$.elements[0][0][1]: expected an index of (2,), found [2]'],
    [table([[[[0], [0, 0]]]]), null, '$.elements[0][0][1]: expected an index of (2,), found [0, 0]'],
    [
      { kind: 'table', shape: [2, 2], elements: [[[[0, 2]]]] },
      null,
      '$.elements[0][0][0]: expected an index of (2, 2), found [0, 2]',
    ],
    [table([[[[0], [-1]]]]), null, '$.elements[0][0][1][0]: expected an integer of 0 or more, found -1'],
    [table([[lane]]), [3], '$.shape: expected (3,), found (2,)'],
    [
      { kind: 'slice', dim: 0, parent: { kind: 'nvmma_shared' } },
      [64],
      /^\$\.parent\.kind: expected an encoding of registers: one of/,
    ],
    [
      { kind: 'slice', dim: 0, parent: { ...wgmmaBase, bases: { lane: [[64, 0]] } } },
      [64],
      /leaves output dim0/,
    ],
  ])('%j on %j', (json, shape, message) => {
    if (typeof message === 'string') expect(refusal(json, shape)).toBe(message)
    else expect(refusal(json, shape)).toMatch(message)
  })
})

describe('encodings in JSON', () => {
  const file: { readonly cases: ReadonlyArray<{ readonly inputs: { readonly encoding?: unknown } }> } =
    JSON.parse(readFileSync(new URL('../../conformance/layouts/linear.json', import.meta.url), 'utf8'))
  const encodings = file.cases.flatMap(({ inputs }) =>
    inputs.encoding === undefined ? [] : [inputs.encoding],
  )
  /** The same with `_tag` for `kind`, at every depth. */
  const tagged = (json: unknown): unknown =>
    Array.isArray(json)
      ? json
      : typeof json === 'object' && json !== null
        ? Object.fromEntries(
            Object.entries(json).flatMap(([key, value]) =>
              key === 'kind'
                ? [
                    ['kind', value],
                    ['_tag', value],
                  ]
                : [[key, tagged(value)]],
            ),
          )
        : json
  /** Without `kind`, at every depth. */
  const bare = (json: unknown): unknown =>
    JSON.parse(JSON.stringify(json, (key, value: unknown) => (key === 'kind' ? undefined : value)))
  it('law 1: every captured encoding is the encoding of its fields', () => {
    expect(encodings.length).toBeGreaterThan(30)
    for (const json of encodings) {
      const spec = right(encodingOf(right(decode(encodingWire, 'encoding')(json))))
      expect(bare(spec)).toEqual(bare(tagged(json)))
    }
  })
  it('law 1: those of which none was captured', () => {
    const shared = { kind: 'shared_linear', offsetBases: [[0, 1]], blockBases: [[1, 0]], alignment: 128 }
    expect(right(encodingOf(right(decode(encodingWire, 'encoding')(shared))))).toMatchObject({
      _tag: 'shared_linear',
      alignment: 128,
    })
    expect(right(encodingOf(right(decode(encodingWire, 'encoding')(wgmmaBase))))).toMatchObject({
      _tag: 'linear',
      layout: { inputs: [{ name: 'register' }, { name: 'lane' }, { name: 'warp' }] },
    })
  })
  it('law 2: a field that is missing or misspelt', () => {
    const message = (json: unknown): string => {
      const found = decode(encodingWire, 'encoding')(json)
      return E.isLeft(found) ? found.left.message : 'accepted'
    }
    expect(message({ kind: 'blocked' })).toBe('$.sizePerThread: expected an array, found nothing')
    expect(message({ ...mma, versionMajor: 4 })).toBe('$.versionMajor: expected one of 2, 3, found 4')
    expect(message({ ...mma, instShape: [1] })).toMatch(/^\$\.instShape: expected no such key/)
    expect(message({ kind: 'dot_operand', opIdx: 0, kWidth: 2, parent: { kind: 'slice' } })).toMatch(
      /^\$\.parent\.kind: expected a parent of a dot operand: one of blocked, nvidia_mma/,
    )
    expect(message({ kind: 'nvmma_shared', swizzlingByteWidth: 32 })).toMatch(
      /^\$\.transposed: expected true or false/,
    )
  })
})

describe('layouts in programs', () => {
  const layouts: ReadonlyArray<RegisterLayout> = [
    WGMMA,
    WGMMA_ROW,
    right(stridedLayout([4, 128], 2)),
    splatLayout([3]),
    right(linearLayout({ inputs: [{ name: 'lane', bases: [[1, 0]] }], outputs })),
  ]
  const read = decode(registerLayoutWire, 'layout')
  it('law 1: data of a layout is the layout', () => {
    for (const layout of layouts) expect(right(read(JSON.parse(JSON.stringify(layout))))).toEqual(layout)
    const plain = { inputs: [{ name: 'a', bases: [[1]] }], outputs: [{ name: 'b', size: 2 }] }
    expect(right(decode(linearPlainWire, 'layout')(plain))).toEqual(plain)
  })
  it('law 2: what is no layout is refused with the constructor’s reason', () => {
    const message = (json: unknown): string => {
      const found = read(json)
      return E.isLeft(found) ? found.left.message : 'accepted'
    }
    expect(message({ ...JSON.parse(JSON.stringify(WGMMA)), laneDims: [-3] })).toMatch(
      /^\$: expected a legal tiled layout in canonical form \(The lane dimensions must multiply to 32/,
    )
    expect(message({ _tag: 'strided', shape: [5], vectorLength: 1 })).toMatch(
      /^\$: expected a legal strided layout \(.*does not divide the 5 elements/,
    )
    expect(message({ _tag: 'linear', inputs: [], outputs: [{ name: 'x', size: 3 }] })).toMatch(
      /^\$: expected a legal linear layout \(.*power of two/,
    )
    expect(message({ _tag: 'splat' })).toBe('$.shape: expected an array, found nothing')
  })
})
