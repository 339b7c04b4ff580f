/** matmul2: the epilogue in pieces, through two buffers in turn: the waits for them are needed from the third piece on. */
import { expect, test } from 'vitest'
import { labelsOf } from '../../src/kernels/broken/index.js'
import { matmul2 } from '../../src/kernels/blackwell/matmul2.js'
import { base, edges, printedLoads, refused, rightFor } from './blackwell-steps.js'
import { right } from '../either.js'

const four = { m: 128, n: 64, tileN: 64 }

rightFor(matmul2, [
  { epilogueTileN: 16 },
  { n: 96, tileN: 48, epilogueTileN: 16, dtype: 'bf16' },
  { n: 64, tileN: 64, epilogueTileN: 32, k: 16 },
])
edges(matmul2, four, [
  // the first two pieces find their buffers empty
  ['wait out 0', 'ok', []],
  ['wait out 1', 'ok', []],
  ['wait out 2', 'hazard', ['W4']],
  ['wait out 3', 'hazard', ['W4']],
  // a copy in no group of its own shifts the count by one
  ['copy out 0.group', 'hazard', ['W4']],
  ['commit_smem 2', 'hazard', ['P1']],
  ['wait out', 'hazard', ['U2']],
])
printedLoads(matmul2, four)
test('one piece for each epilogueTileN columns', () => {
  for (const [epilogueTileN, pieces] of [
    [16, 4],
    [32, 2],
    [64, 1],
  ] as const) {
    const copies = labelsOf(right(matmul2({ ...base, ...four, epilogueTileN }))).filter((l) =>
      /^copy out \d+$/.test(l),
    )
    expect(copies).toEqual(Array.from({ length: pieces }, (_, i) => `copy out ${String(i)}`))
  }
})
refused('matmul2', matmul2, [
  [{ epilogueTileN: 0 }, 'epilogueTileN is 0: expected a positive integer'],
  [
    { epilogueTileN: 8 },
    'epilogueTileN is 8: expected a multiple of 16 that divides the 16 columns of a block',
  ],
  [
    { n: 64, tileN: 64, epilogueTileN: 48 },
    'epilogueTileN is 48: expected a multiple of 16 that divides the 64 columns of a block',
  ],
])
