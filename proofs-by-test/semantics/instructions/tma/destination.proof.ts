/**
 * Where a load delivers, in the second of two clusters that run: into its own CTAs, and on their barriers.
 *
 * The table of the module, by hand. (The first cluster runs it in `pairs.proof.ts`.)
 */
import { describe, expect, test } from 'vitest'
import { unit } from '../../../../src/numerics/unit.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import type { ExprNode } from '../../../../src/semantics/language/expression.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { destinations } from '../../../../src/semantics/instructions/tma/destination.js'
import { environment } from '../../../../src/semantics/machine/environment.js'
import { launched } from '../../machine/machine-samples.js'
import { right } from '../../../either.js'

const worldOf = (ctas: number) =>
  launched(
    right(
      B.draft(
        { name: 'd', arch: 'sm100a', grid: [2 * ctas], cluster: [ctas], agents: [B.warp('w', 0)] },
        function* () {
          yield* B.barriers('first', [])
          yield* B.barriers('full', [])
          yield* B.sharedMemory('image', 'u16', [8, 64])
        },
      ),
    ),
    unit,
    { resident: 2 },
  ).world
const tree = (x: X.Expr): ExprNode => x as unknown as ExprNode
const remote = (storage: string, rank: number): ExprNode => ({
  _tag: 'remote',
  of: { _tag: 'storage', storage },
  rank: tree(X.i32(rank)),
})

/** Of each delivery the CTA that is written and the CTA whose barrier hears; ranks in the second cluster. */
const delivered = (
  group: 1 | 2,
  mask: number | null,
  holder: number,
  into: number,
  ctas = 4,
): ReadonlyArray<string> | string => {
  const world = worldOf(ctas)
  const found = destinations(
    environment(world, { agent: ctas, cta: 0, place: 1, cluster: 1 }, []),
    remote('image', into),
    remote('full', holder),
    mask === null ? undefined : tree(X.i32(mask)),
    group,
  )
  if ('_tag' in found) return found.code
  return found.map(({ start, barrier }) => {
    const heard = world.header.barriers[barrier]!
    expect(heard.name).toBe('full')
    expect(start).toMatchObject({ at: world.storages.get('image')!.offset })
    return `${String(world.header.planes[start.plane]!.cta! - ctas)} on ${String(heard.cta - ctas)}`
  })
}

describe('the table', () => {
  test.each<
    readonly [
      group: 1 | 2,
      mask: number | null,
      holder: number,
      into: number,
      found: ReadonlyArray<string> | string,
    ]
  >([
    [1, null, 1, 1, ['1 on 1']],
    [1, null, 0, 1, 'A4'],
    [1, null, 3, 1, 'A4'],
    [1, 0b1011, 0, 0, ['0 on 0', '1 on 1', '3 on 3']],
    // the place counts, not the CTA in which it is given
    [1, 0b1011, 2, 3, ['0 on 0', '1 on 1', '3 on 3']],
    [1, 0b0100, 0, 0, ['2 on 2']],
    [1, 0, 0, 0, []],
    [2, null, 0, 1, ['1 on 0']],
    [2, null, 1, 0, ['0 on 1']],
    [2, null, 0, 0, ['0 on 0']],
    [2, null, 2, 3, ['3 on 2']],
    [2, null, 0, 2, 'A4'],
    [2, null, 2, 1, 'A4'],
    [2, 0b1011, 0, 0, ['0 on 0', '1 on 0', '3 on 2']],
    [2, 0b1011, 3, 0, ['0 on 1', '1 on 1', '3 on 3']],
    [2, 0b1111, 2, 0, ['0 on 0', '1 on 0', '2 on 2', '3 on 2']],
    [1, 0b1_0000, 0, 0, 'I2'],
    [2, 0b1_0001, 0, 0, 'I2'],
    [1, -1, 0, 0, 'I2'],
  ])('group %i, mask %s, barrier in %i, destination in %i', (group, mask, holder, into, found) => {
    expect(delivered(group, mask, holder, into)).toEqual(found)
  })
  test('a cluster of an odd number has no pairs', () => {
    expect(delivered(2, null, 0, 0, 3)).toBe('cta.pair')
    expect(delivered(2, 0b001, 0, 0, 3)).toBe('cta.pair')
    expect(delivered(1, 0b101, 0, 0, 3)).toEqual(['0 on 0', '2 on 2'])
    expect(delivered(2, 0b11, 0, 0, 2)).toEqual(['0 on 0', '1 on 0'])
    expect(delivered(2, null, 0, 0, 1)).toBe('cta.pair')
  })
})
