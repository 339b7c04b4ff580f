/**
 * Words of memory that release and acquire, in a search of states, which keeps nothing of what they tell. Oracle: the memory model has one thread hear of another only if the one
 * releases and the other acquires; where a single warp does either, nobody is told anything, and its accesses are like relaxed ones.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { noArguments } from '../../../src/semantics/machine/source.js'
import { exploreLaunched } from '../../../src/semantics/schedules/explore/index.js'
import { right } from '../../either.js'
import { groundOfText } from './mutants/subjects.js'
import { textOf } from './mutants/warps.js'

/** What a search says of lane 0 of some warps of two, in so many CTAs, that do this. */
const searched = (body: ReadonlyArray<string>, blocks = 1, cluster = 1): string => {
  const { program, given } = groundOfText(textOf(['@%p1 bra over;', ...body, 'over:']), 64)
  const all = exploreLaunched(
    right(
      launchWarps(
        program,
        Object.assign({}, given, { grid: [blocks, 1, 1], cluster: [cluster, 1, 1] }),
        bits('hopper'),
      ),
    ),
    { arguments: noArguments, states: 1000, depth: 1000, reduced: true, stop: true },
  )
  return all._tag === 'Left' ? all.left.code : `${String(all.right.complete)} ${String(all.right.clean)}`
}

const onlyFirst = '@!%p2 bra over;'
const turn = ['ld.acquire.gpu.global.u32 %r14, [%rd1];', 'st.release.gpu.global.u32 [%rd1], 1;']
const relaxed = turn.map((line) => line.replace(/acquire|release/u, 'relaxed'))

describe('who releases and acquires by words', () => {
  test.each<readonly [string, ReadonlyArray<string>, number, string]>([
    ['one warp', [onlyFirst, ...turn], 1, searched([onlyFirst, ...relaxed])],
    ['two warps', turn, 1, 'explore.words'],
    [
      'one that releases, and one that acquires',
      ['@%p2 ' + turn[0]!, '@!%p2 ' + turn[1]!],
      1,
      'explore.words',
    ],
    ['a warp in each of two CTAs', [onlyFirst, ...turn], 2, 'explore.words'],
    ['one warp, which fences', [onlyFirst, 'fence.acq_rel.gpu;', ...relaxed], 1, 'explore.words'],
  ])('%s', (_, body, blocks, said) => {
    expect(searched(body, blocks)).toBe(said)
    expect(searched([onlyFirst, ...relaxed])).toBe('true true')
  })
  test.each([
    ['gpu', 2, 'true true'],
    ['cluster', 2, 'true true'],
    ['cta', 1, 'true true'],
    // bits do not say whose release it was
    ['cta', 2, 'explore.words'],
  ])('a fence of tensor maps .%s in a cluster of %d', (scope, ctas, said) => {
    for (const fence of [`release.${scope};`, `acquire.${scope} [%rd1], 128;`])
      expect([fence, searched([onlyFirst, `fence.proxy.tensormap::generic.${fence}`], ctas, ctas)]).toEqual([
        fence,
        said,
      ])
  })
})
