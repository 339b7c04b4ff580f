/** Scratch that a module's text allocates. Oracle: what Triton's compiler said of the same modules, in the launches that were captured. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { scratchOf } from '../../../src/oracle/launch/lowered.js'
import { right } from '../../either.js'

const captures = new URL('../../../conformance/triton/captures/', import.meta.url)
const rows = readdirSync(captures).flatMap((name) => {
  const { extra } = JSON.parse(readFileSync(new URL(`${name}/launch.json`, captures), 'utf8')) as {
    readonly extra?: { readonly global_scratch_size?: number }
  }
  return extra?.global_scratch_size === undefined ? [] : [[name, extra.global_scratch_size] as const]
})

test('there are modules with scratch, and without', () => {
  expect(new Set(rows.map(([, size]) => size))).toEqual(new Set([0, 384, 512]))
})
test.each(rows)('%s: %i bytes', (name, size) => {
  const text = readFileSync(new URL(`${name}/${name}.ttgir`, captures), 'utf8')
  expect(scratchOf(right(readModule(text)))).toBe(size)
})

test('scratch ends at the greatest alignment, and each allocation begins at its own', () => {
  const text = (...allocations: ReadonlyArray<readonly [bytes: number, alignment: number | null]>): string =>
    `module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
${allocations
  .map(
    ([bytes, alignment], k) =>
      `    %${String(k)} = ttg.global_scratch_alloc {${alignment === null ? '' : `alignment = ${String(alignment)} : i32, `}nbytes = ${String(bytes)} : i32} : !tt.ptr<i8>`,
  )
  .join('\n')}
    tt.return
  }
}
`
  for (const [allocations, bytes] of [
    [[], 0],
    [[[5, 1]], 5],
    [[[5, null]], 5],
    [[[4, 128]], 128],
    [
      [
        [4, 128],
        [8, 4],
      ],
      128,
    ],
    [
      [
        [8, 4],
        [4, 128],
      ],
      256,
    ],
    [
      [
        [5, 1],
        [8, 8],
      ],
      16,
    ],
    [
      [
        [5, 1],
        [8, 8],
        [1, 1],
      ],
      24,
    ],
  ] as ReadonlyArray<readonly [ReadonlyArray<readonly [number, number | null]>, number]>)
    expect([allocations, scratchOf(right(readModule(text(...allocations))))]).toEqual([allocations, bytes])
})
