/** Which encodings are legal: every rule of the fields, kept at its bounds and broken next to them. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type {
  Blocked,
  DotOperand,
  EncodingSpec,
  NvidiaMma,
  SwizzledShared,
} from '../../../src/layouts/triton/encoding.js'
import { encoding, isEncoding, rankOf } from '../../../src/layouts/triton/encoding.js'
import { linearOf, blocked, mmaV2, mmaV3, nvmma, tmem } from './readers.js'

const swizzled = (more: Partial<SwizzledShared> = {}): SwizzledShared => ({
  _tag: 'swizzled_shared',
  vec: 8,
  perPhase: 1,
  maxPhase: 8,
  order: [1, 0],
  ...more,
})
const dot = (parent: NvidiaMma | Blocked, opIdx: 0 | 1, kWidth?: number): DotOperand => ({
  _tag: 'dot_operand',
  parent,
  opIdx,
  ...(kWidth === undefined ? {} : { kWidth }),
})
const v2 = (more: Partial<NvidiaMma>): NvidiaMma => ({ ...mmaV2([2, 2]), ...more })
const v3 = (more: Partial<NvidiaMma>): NvidiaMma => ({ ...mmaV3(64), ...more })
const plain = blocked([1, 2], [4, 8], [2, 2], [1, 0])
const line = blocked([1], [32], [4], [0])
const written = linearOf(plain, [8, 32])

describe('law 1: legal', () => {
  const legal: ReadonlyArray<readonly [string, EncodingSpec]> = [
    ['blocked', plain],
    ['blocked of rank 1', line],
    ['blocked of rank 4', blocked([1, 1, 1, 1], [1, 4, 1, 8], [1, 1, 1, 4], [3, 0, 2, 1])],
    [
      'blocked over 4 blocks',
      {
        ...plain,
        cgaBases: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    ['slice', { _tag: 'slice', dim: 1, parent: plain }],
    [
      'slice of a slice',
      { _tag: 'slice', dim: 0, parent: { _tag: 'slice', dim: 2, parent: mmaV2([1, 2, 2]) } },
    ],
    ['mma v2', mmaV2([4, 1])],
    ['mma v2 with a batch', mmaV2([2, 2, 1])],
    ...[8, 16, 32, 64, 128, 256].map((n) => [`mma v3 of ${String(n)} columns`, mmaV3(n)] as const),
    ['mma v3 of two warpgroups', mmaV3(64, [8, 2])],
    ['operand 0 of v2', dot(mmaV2([2, 2]), 0, 1)],
    ['operand 1 of v2', dot(mmaV2([2, 2]), 1, 8)],
    ['operand 0 of v3', dot(mmaV3(64), 0, 2)],
    ['operand of blocked', dot(plain, 1)],
    ['operand of blocked, said to have none', dot(plain, 1, 0)],
    ['linear', { _tag: 'linear', layout: written }],
    ['swizzled', swizzled()],
    ['swizzled of rank 1', swizzled({ order: [0] })],
    ...[0, 32, 64, 128].flatMap((w) =>
      [8, 16, 32, 64].map((b) => [`nvmma ${String(w)} ${String(b)}`, nvmma(w, b)] as const),
    ),
    ['nvmma, padded', nvmma(128, 8, false, true)],
    ['shared linear', { _tag: 'shared_linear', offsetBases: [[1]], blockBases: [[2]], alignment: 128 }],
    ...[1, 2, 4].map((colStride) => [`tmem ${String(colStride)}`, tmem(64, 512, { colStride })] as const),
    ['tmem of one column', tmem(128, 1)],
    ['tmem, padded', tmem(128, 64, { fp4Padded: true })],
    [
      'tmem of a pair',
      tmem(64, 64, {
        twoCTAs: true,
        cgaBases: [
          [1, 0],
          [0, 1],
        ],
      }),
    ],
    ['tmem of a pair that is not split', tmem(64, 64, { twoCTAs: true, cgaBases: [] })],
    ['tmem split otherwise without a pair', tmem(64, 64, { cgaBases: [[0, 1]] })],
    ['scales', { _tag: 'tensor_memory_scales', blockRepOrder: 'kThenMn', cgaBases: [[1, 0]] }],
  ]
  test.each(legal)('%s', (_, spec) => {
    expect(isEncoding(spec)).toBe(true)
    expect(encoding(spec)).toEqual(E.right(spec))
  })
})

describe('law 1: refused', () => {
  const illegal: ReadonlyArray<readonly [EncodingSpec, string, string]> = [
    [
      blocked([1], [4, 8], [2, 2], [1, 0]),
      'triton.rank',
      'sizePerThread must have 2 entries, one per dimension, found 1',
    ],
    [
      blocked([1, 1], [4, 8, 1], [2, 2], [1, 0]),
      'triton.rank',
      'threadsPerWarp must have 2 entries, one per dimension, found 3',
    ],
    [
      blocked([1, 1], [4, 8], [2], [1, 0]),
      'triton.rank',
      'warpsPerCTA must have 2 entries, one per dimension, found 1',
    ],
    [
      blocked([1, 3], [4, 8], [2, 2], [1, 0]),
      'triton.power-of-two',
      'sizePerThread must be powers of two, found 3 in dimension 1 of (1, 3)',
    ],
    [
      blocked([1, 1], [0, 8], [2, 2], [1, 0]),
      'triton.power-of-two',
      'threadsPerWarp must be powers of two, found 0 in dimension 0 of (0, 8)',
    ],
    [
      blocked([1, 1], [4, 8], [2, 6], [1, 0]),
      'triton.power-of-two',
      'warpsPerCTA must be powers of two, found 6 in dimension 1 of (2, 6)',
    ],
    [
      blocked([1, 1], [4, 8], [2, 2], [1, 1]),
      'triton.order',
      'order must list every dimension once, found (1, 1)',
    ],
    [blocked([], [], [], []), 'triton.order', 'order must list every dimension once, found ()'],
    [
      { ...plain, cgaBases: [[1, 0], [1]] },
      'triton.rank',
      'cgaBases row 1 must have 2 entries, one per dimension, found 1',
    ],
    [{ _tag: 'slice', dim: 2, parent: plain }, 'triton.choice', 'slice dim must be 0, 1, found 2'],
    [{ _tag: 'slice', dim: -1, parent: plain }, 'triton.choice', 'slice dim must be 0, 1, found -1'],
    [
      { _tag: 'slice', dim: 0, parent: line },
      'triton.parent',
      'A slice needs a parent of rank 2 or more, found rank 1',
    ],
    [
      { _tag: 'slice', dim: 0, parent: mmaV3(12) },
      'triton.power-of-two',
      'instrShape must be powers of two, found 12 in dimension 1 of (16, 12, 16)',
    ],
    [v3({ versionMajor: 5 as 3 }), 'triton.choice', 'nvidia_mma versionMajor must be 2, 3, found 5'],
    [v3({ warpsPerCTA: [4] }), 'triton.choice', 'The rank of an nvidia_mma of version 3 must be 2, found 1'],
    [
      v3({ warpsPerCTA: [1, 4, 1] }),
      'triton.choice',
      'The rank of an nvidia_mma of version 3 must be 2, found 3',
    ],
    [
      v2({ warpsPerCTA: [1, 1, 2, 2] }),
      'triton.choice',
      'The rank of an nvidia_mma of version 2 must be 2, 3, found 4',
    ],
    [
      v3({ instrShape: [16, 64] }),
      'triton.rank',
      'instrShape must have 3 entries, one per dimension, found 2',
    ],
    [
      v2({ instrShape: [1, 16, 8] }),
      'triton.rank',
      'instrShape must have 2 entries, one per dimension, found 3',
    ],
    [
      v3({ instrShape: [16, 64, 24] }),
      'triton.power-of-two',
      'instrShape must be powers of two, found 24 in dimension 2 of (16, 64, 24)',
    ],
    [
      v3({ warpsPerCTA: [4, 3] }),
      'triton.power-of-two',
      'warpsPerCTA must be powers of two, found 3 in dimension 1 of (4, 3)',
    ],
    [v3({ instrShape: [64, 64, 16] }), 'triton.choice', 'instrShape rows must be 16, found 64'],
    [v2({ instrShape: [8, 8] }), 'triton.choice', 'instrShape rows must be 16, found 8'],
    [
      v3({ instrShape: [16, 4, 16] }),
      'triton.choice',
      'instrShape columns must be 8, 16, 32, 64, 128, 256, found 4',
    ],
    [v2({ instrShape: [16, 16] }), 'triton.choice', 'instrShape columns must be 8, found 16'],
    [{ ...mmaV2([1, 2, 2]), instrShape: [2, 16, 8] }, 'triton.choice', 'instrShape batch must be 1, found 2'],
    [
      v3({ cgaBases: [[1]] }),
      'triton.rank',
      'cgaBases row 0 must have 2 entries, one per dimension, found 1',
    ],
    [
      dot(v3({ instrShape: [16, 64] }), 0, 2),
      'triton.rank',
      'instrShape must have 3 entries, one per dimension, found 2',
    ],
    [dot(mmaV2([1, 1]), 2 as 1, 2), 'triton.choice', 'dot_operand opIdx must be 0, 1, found 2'],
    [
      dot(mmaV3(64), 1, 2),
      'triton.parent',
      'Version 3 takes operand 1 from shared memory, not from registers',
    ],
    [dot(line, 0, 0), 'triton.parent', 'A dot operand needs a parent of rank 2 or more, found rank 1'],
    [dot(plain, 0, 2), 'triton.choice', 'A blocked parent has no kWidth: expected none or 0, found 2'],
    [dot(plain, 1, 1), 'triton.choice', 'A blocked parent has no kWidth: expected none or 0, found 1'],
    [dot(mmaV2([1, 1]), 0), 'triton.choice', 'Under an nvidia_mma parent kWidth must be given, found none'],
    [dot(mmaV3(64), 0), 'triton.choice', 'Under an nvidia_mma parent kWidth must be given, found none'],
    [dot(mmaV3(64), 0, 0), 'triton.choice', 'Under an nvidia_mma parent kWidth must be given, found 0'],
    [
      dot(mmaV2([1, 1]), 0, 3),
      'triton.power-of-two',
      'kWidth must be powers of two, found 3 in dimension 0 of (3,)',
    ],
    [swizzled({ order: [0, 2] }), 'triton.order', 'order must list every dimension once, found (0, 2)'],
    ...(['vec', 'perPhase', 'maxPhase'] as const).map(
      (field, d) =>
        [
          swizzled({ vec: 1, perPhase: 1, maxPhase: 1, [field]: 3 }),
          'triton.power-of-two',
          `vec, perPhase and maxPhase must be powers of two, found 3 in dimension ${String(d)} of (${[1, 1, 1].map((one, k) => (k === d ? 3 : one)).join(', ')})`,
        ] as const,
    ),
    [
      swizzled({ cgaBases: [[1]] }),
      'triton.rank',
      'cgaBases row 0 must have 2 entries, one per dimension, found 1',
    ],
    [nvmma(16, 16), 'triton.choice', 'swizzlingByteWidth must be 0, 32, 64, 128, found 16'],
    [nvmma(128, 4), 'triton.choice', 'elementBitWidth must be 8, 16, 32, 64, found 4'],
    [nvmma(64, 8, false, true), 'triton.choice', 'swizzlingByteWidth, fp4Padded, must be 128, found 64'],
    [nvmma(128, 16, false, true), 'triton.choice', 'elementBitWidth, fp4Padded, must be 8, found 16'],
    [{ _tag: 'shared_linear', offsetBases: [] }, 'triton.rank', 'offsetBases must have a row, found none'],
    [{ _tag: 'shared_linear', offsetBases: [[]] }, 'triton.rank', 'offsetBases must have a row, found none'],
    [
      { _tag: 'shared_linear', offsetBases: [[1, 0], [2]] },
      'triton.rank',
      'A basis must have 2 entries, one per dimension, found 1',
    ],
    [
      { _tag: 'shared_linear', offsetBases: [[1, 0]], blockBases: [[2]] },
      'triton.rank',
      'A basis must have 2 entries, one per dimension, found 1',
    ],
    [
      { _tag: 'shared_linear', offsetBases: [[1]], alignment: 24 },
      'triton.power-of-two',
      'alignment must be powers of two, found 24 in dimension 0 of (24,)',
    ],
    [tmem(32, 64), 'triton.choice', 'blockM must be 64, 128, found 32'],
    [tmem(128, 1024), 'triton.choice', 'blockN must be 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, found 1024'],
    [tmem(128, 64, { colStride: 8 }), 'triton.choice', 'colStride must be 1, 2, 4, found 8'],
    [tmem(128, 64, { colStride: 2, fp4Padded: true }), 'triton.choice', 'colStride must be 1, found 2'],
    [
      tmem(128, 64, { cgaBases: [[1, 0, 0]] }),
      'triton.rank',
      'cgaBases row 0 must have 2 entries, one per dimension, found 3',
    ],
    [
      tmem(128, 64, {
        twoCTAs: true,
        cgaBases: [
          [0, 1],
          [1, 0],
        ],
      }),
      'triton.choice',
      'The first row of cgaBases must be (1, 0) for a pair of blocks, found (0, 1)',
    ],
    [
      { _tag: 'tensor_memory_scales', cgaBases: [[1]] },
      'triton.rank',
      'cgaBases row 0 must have 2 entries, one per dimension, found 1',
    ],
  ]
  test.each(illegal.map((row) => [row[2], ...row] as const))('%s', (_, spec, code, message) => {
    expect(isEncoding(spec)).toBe(false)
    expect(encoding(spec)).toEqual(E.left({ code, message }))
  })
})

test('ranks', () => {
  expect(
    [
      plain,
      { _tag: 'slice', dim: 0, parent: mmaV2([1, 2, 2]) },
      dot(mmaV3(64), 0, 2),
      { _tag: 'linear', layout: written },
      swizzled({ order: [2, 1, 0] }),
      nvmma(128, 16),
      { _tag: 'shared_linear', offsetBases: [[1, 0, 0]] },
      tmem(128, 64),
      { _tag: 'tensor_memory_scales' },
    ].map((spec) => rankOf(spec as EncodingSpec)),
  ).toEqual([2, 2, 2, 2, 3, null, 3, 2, 2])
})
