/** What mbarriers of PTX are called. What kernels call theirs: `oracle/cli/ptx-drawn.proof.ts`. */
import { describe, expect, it } from 'vitest'
import { mbarrierNames } from '../../../src/semantics/execution/mbarrier-names.js'
import type { SharedVariable } from '../../../src/semantics/warps/program.js'

const variable = (
  name: string,
  start: number,
  bytes: number,
  elementBytes: number,
  ...extents: ReadonlyArray<number>
): SharedVariable => ({ name, start, end: start + bytes, elementBytes, extents })

const named = (variables: ReadonlyArray<SharedVariable>, ...bytes: ReadonlyArray<number>) => {
  const names = mbarrierNames(variables, bytes)
  return bytes.map((at) => names.get(at))
}

describe('names', () => {
  it('of words of 64 bits are those of C, whichever of them are mbarriers', () => {
    expect(named([variable('full', 16, 24, 8, 3), variable('one', 40, 8, 8)], 16, 32, 40)).toEqual([
      'full[0]',
      'full[2]',
      'one',
    ])
    // int64 b[2][3]: b[i][j] is the word 3 i + j
    const both = [0, 1].flatMap((i) =>
      [0, 1, 2].map((j) => [8 * (3 * i + j), `b[${String(i)}][${String(j)}]`]),
    )
    const b = variable('b', 0, 48, 8, 2, 3)
    expect(both.map(([at]) => named([b], Number(at))[0])).toEqual(both.map(([, name]) => name))
  })
  it('of bytes are elements only where all of them are mbarriers', () => {
    const all = variable('all', 0, 24, 1, 24)
    expect(named([all], 0, 8, 16)).toEqual(['all[0]', 'all[1]', 'all[2]'])
    expect(named([all], 0, 16)).toEqual(['all', 'all+16'])
  })
  it('of no variable are bytes; of two that are called alike, both', () => {
    expect(named([variable('x', 0, 8, 8)], 8)).toEqual(['mbarrier at 8'])
    expect(named([variable('x', 0, 8, 8), variable('x', 32, 8, 8)], 0, 32)).toEqual(['x at 0', 'x at 32'])
  })
})
