/** Threads as agents of their own. Oracle: the same launch with warps as agents, and for what is refused, what PTX says that a thread does with others of its warp. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { noArguments } from '../../../src/semantics/machine/source.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { agentsIn, byItself, lanesIn, warpIn } from '../../../src/semantics/warps/lone-threads.js'
import { right } from '../../either.js'
import { sourceOfText, written, type TextLaunch } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const alone = { ...noArguments, alone: 140 }
const textOf = (lines: string, ...parameters: ReadonlyArray<string>): string =>
  moduleOf(
    parameters,
    `.reg .pred %p<4>;
.reg .b32 %r<20>;
.reg .b64 %rd<9>;
.local .align 4 .b8 own[8];
.shared .align 8 .b8 m[64];
${lines}
ret;`,
  )

test('they have the numbers of their threads, each of them once', () => {
  for (const threads of [1, 31, 32, 33, 70]) {
    const numbers = (l: { threads: number; alone: boolean }): ReadonlyArray<number> =>
      Array.from({ length: agentsIn(l) }, (_, place) =>
        Array.from({ length: 32 }, (__, lane) => lane)
          .filter((lane) => (lanesIn(l, place) & (1 << lane)) !== 0)
          .map((lane) => warpIn(l, place) * 32 + lane),
      ).flat()
    const all = Array.from({ length: threads }, (_, thread) => thread)
    expect(numbers({ threads, alone: true })).toEqual(all)
    expect(numbers({ threads, alone: false })).toEqual(all)
  }
})

test('what a thread is told of itself, and keeps for itself, is the same', () => {
  const told = ['%tid.x', '%laneid', '%warpid', '%lanemask_lt', '%ntid.x', '%ctaid.x']
  const lines = `
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r1, %r2, 70, %r1;
mul.wide.u32 %rd2, %r1, 32;
add.u64 %rd1, %rd1, %rd2;
${told.map((name, i) => `mov.u32 %r3, ${name};\nst.global.u32 [%rd1+${String(4 * i)}], %r3;`).join('\n')}
st.local.u32 [own+4], %r1;
ld.local.u32 %r4, [own+4];
st.global.u32 [%rd1+24], %r4;
st.global.u32 [%rd1+28], %r2;`
  const launch: TextLaunch = { grid: 2, threads: 70, buffers: written(2 * 70 * 8, 'a'), outputs: ['a'] }
  const source = sourceOfText(textOf(lines, 'a'), launch)
  const ran = (given: typeof noArguments): readonly [Verdict, ReadonlyArray<string>] => {
    const how = { ...standardOptions, algebra: bits('hopper'), arguments: given, everyCluster: true }
    const { verdict, world, machine } = right(checkSource(source, how))
    const plane = machine.planes[world.header.planes.findIndex(({ name }) => name === 'a')]!
    return [verdict, Array.from({ length: 2 * 70 * 8 }, (_, k) => Plane.wordAt(plane, 4 * k, 4))]
  }
  const [warps, words] = ran(noArguments)
  const [threads, others] = ran(alone)
  expect([warps.verdict, threads.verdict]).toEqual(['ok', 'ok'])
  expect(others).toEqual(words)
  expect([warps.counts.agents, threads.counts.agents]).toEqual([3, 70])
  // the number of the last thread, and its lane
  expect(words.slice(-8, -6)).toEqual(['45000000', '05000000'])
})

const launches = (lines: string, threads: number = 2): string => {
  const launched = sourceOfText(textOf(lines), { threads }).launch(bits('hopper'), alone)
  return E.isLeft(launched) ? launched.left.code : 'launched'
}
test.each([
  ['shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;', 'launch.alone'],
  ['vote.sync.any.pred %p1, %p2, -1;', 'launch.alone'],
  ['redux.sync.add.u32 %r1, %r2, -1;', 'launch.alone'],
  ['activemask.b32 %r1;', 'launch.alone'],
  ['bar.warp.sync -1;', 'launch.alone'],
  ['bar.sync 0;', 'launch.alone'],
  ['barrier.cluster.arrive;', 'launch.alone'],
  ['cp.async.wait_all;', 'launch.alone'],
  ['fence.acq_rel.gpu;', 'launched'],
  ['st.shared.u32 [m], 1;', 'launched'],
  ['mbarrier.init.shared.b64 [m], 2;', 'launched'],
])('%s: %s', (line, how) => {
  expect(launches(line)).toBe(how)
})
/** What PTX says of one thread, and the machine does for each lane. */
const ofOneThread = `
  scalar move part pack predicate setPredicate branch branchIndexed call return exit trap turn nothing
  load store atomic fence mbarrierInit mbarrierInval mbarrierArrive mbarrierWait mbarrierPending`
test('no other operation is by itself', () => {
  const found = Object.entries(byItself).flatMap(([tag, is]) => (is ? [tag] : []))
  expect(found.sort()).toEqual(ofOneThread.trim().split(/\s+/u).sort())
})

test('so many threads, and no more', () => {
  expect([140, 141].map((threads) => launches('', threads))).toEqual(['launched', 'launch.alone'])
})
