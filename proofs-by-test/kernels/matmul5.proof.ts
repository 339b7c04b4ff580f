/** matmul5: the epilogue in a warpgroup of its own; what orders it with the products of two tiles later. The printed form: `printed-matmul.proof.ts`. */
import { describe, expect, test } from 'vitest'
import { matmul5 } from '../../src/kernels/blackwell/matmul5.js'
import { without } from '../../src/kernels/broken/index.js'
import { checked } from '../dialects/pallas/programs.js'
import { base, edges, pairNotes, refused, rightFor } from './blackwell-steps.js'
import { right } from '../either.js'

rightFor(
  matmul5,
  [
    { m: 1024, k: 16 },
    { m: 768, k: 48, dtype: 'bf16', stages: 3 },
    { m: 1280, k: 32, clusters: 2, stages: 1 },
    // one piece a tile, so that one buffer is used by every tile
    { m: 768, k: 48, epilogueTileN: 32 },
  ],
  pairNotes,
)
edges(matmul5, { m: 1024 }, [
  ['wait store_done', 'deadlock', ['M3', 'B1']],
  ['wait_load_tmem', 'hazard', ['M3']],
  ['arrive store_done', 'deadlock', ['B5']],
  ['arrive store_done.1', 'deadlock', ['B5']],
  ['wait mma_done', 'deadlock', ['M2', 'B1']],
  ['wait out', 'hazard', ['U2']],
])

describe('the wait before the first piece', () => {
  const left = (epilogueTileN: number): ReadonlyArray<string> => {
    const p = right(without('wait out before')(right(matmul5({ ...base, m: 768, epilogueTileN }))))
    return checked(p, { strict: false, explain: false }).verdict.findings.map((f) => f.id)
  }
  test('two pieces a tile take turns at the buffers anyway; one piece a tile would write where it is read', () => {
    expect(left(16)).toEqual([])
    expect(left(32)).toContain('W4')
  })
})

refused('matmul5', matmul5, [
  [
    { tileN: 256 },
    'tileN is 256: expected a multiple of 16 up to 128, since two blocks multiply 256 columns at most',
  ],
  [{ clusters: 0 }, 'clusters is 0: expected a positive integer'],
])
