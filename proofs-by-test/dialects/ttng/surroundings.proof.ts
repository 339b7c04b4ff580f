/** What stands around the operations of ttng: their rows, and what they refuse. */
import { describe, expect, test } from 'vitest'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import type { SwizzledShared } from '../../../src/layouts/triton/encoding.js'
import { right } from '../../either.js'

const line: SwizzledShared = { _tag: 'swizzled_shared', vec: 1, perPhase: 1, maxPhase: 1, order: [0] }

describe('laws', () => {
  test('module law 1: warps are dealt without overlap, four and eight from a multiple of four', () => {
    const sizes = [1, 2, 4, 8]
    for (const own of sizes)
      for (const x of sizes)
        for (const y of sizes)
          for (const z of sizes) {
            const m = right(
              Ttng.module({
                numWarps: own,
                target: 'cuda:100',
                partitions: [x, y, z].map((numWarps) => ({ numWarps })),
              }),
            )
            const taken = m.agents.flatMap(({ firstWarp, warps }) =>
              Array.from({ length: warps }, (_, w) => firstWarp + w),
            )
            expect(new Set(taken).size).toBe(own + x + y + z)
            expect(taken).toEqual([...taken].sort((p, q) => p - q))
            for (const { warps, firstWarp } of m.agents) if (warps >= 4) expect(firstWarp % 4).toBe(0)
            expect(m.partitions.map(({ agents }) => agents[0]?.warps)).toEqual([x, y, z])
          }
  })
  test('memdesc law 2: what reuses the bytes of a buffer, or of what reused it, starts where that started', () => {
    const p = right(
      Ttng.func({ numWarps: 1, target: 'cuda:90' }, 'reuse', {}, function* () {
        yield* Ttng.localAlloc('before', [64], 'f32', line)
        const first = yield* Ttng.localAlloc('first', [64], 'f32', line)
        const second = yield* Ttng.localAlloc('second', [32], 'f32', line, {
          reuses: yield* Ttng.localDealloc('free first', first),
        })
        yield* Ttng.localAlloc('third', [2, 1], 'i64', line, {
          reuses: yield* Ttng.localDealloc('free second', second),
        })
        yield* Ttng.localAlloc('after', [64], 'f32', line)
      }),
    )
    expect(p.storage.map(({ id, offset }) => [id, offset])).toEqual([
      ['before', 0],
      ['first', 256],
      ['second', 256],
      ['third', 256],
      ['after', 512],
    ])
  })
})
