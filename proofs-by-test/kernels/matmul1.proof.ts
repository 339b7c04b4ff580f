/** matmul1: one warp fetches, one multiplies; the edges of its table, each left out; what is refused. */
import { matmul1 } from '../../src/kernels/blackwell/matmul1.js'
import { edges, printedLoads, refused, rightFor } from './blackwell-steps.js'

const one = { m: 128, n: 16 }

rightFor(matmul1, [
  { k: 16 },
  { k: 32, dtype: 'bf16' },
  { k: 80, stages: 3 },
  { m: 128, n: 64, tileN: 64, tileK: 32, k: 224, stages: 1 },
])
edges(matmul1, one, [
  ['wait load', 'deadlock', ['R1', 'W1', 'B1']],
  ['wait consumed', 'deadlock', ['W1', 'B1']],
  ['tcgen05_mma', 'deadlock', ['B5']],
  ['commit mma_done', 'deadlock', ['B6']],
  ['wait mma_done', 'hazard', ['M2']],
  ['commit_smem', 'hazard', ['P1']],
  ['wait out', 'hazard', ['U2']],
])
printedLoads(matmul1, one)
refused('matmul1', matmul1, [
  [{ tileM: 64 }, 'tileM is 64: expected 128, the lanes of tensor memory'],
  [{ tileN: 24 }, 'tileN is 24: expected a multiple of 16 up to 256, or 512'],
  [{ tileN: 272 }, 'tileN is 272: expected a multiple of 16 up to 256, or 512'],
  [{ tileK: 8 }, 'tileK is 8: expected a multiple of 16, the k of one MMA'],
  [{ stages: 0 }, 'stages is 0: expected a positive integer'],
  [{ stages: 33 }, 'stages is 33: expected 1 to 32, the parities of a thread'],
  [{ m: 192 }, 'm is 192: expected a multiple of tileM, which is 128'],
  [{ n: 24 }, 'n is 24: expected a multiple of tileN, which is 16'],
  [{ k: 24 }, 'k is 24: expected a multiple of tileK, which is 16'],
])
