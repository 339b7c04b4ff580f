/** Windows. Oracle: the source of a kernel, read by hand, and the lines of its text around each instruction that orders. */
import { expect, test } from 'vitest'
import { sitesOf, type PtxSite } from '../../../../src/dialects/ptx/mutants/sites.js'
import { windowsOf, type Window } from '../../../../src/dialects/ptx/mutants/windows.js'
import { right } from '../../../either.js'
import { sampled } from '../../../extent.js'
import { groundOf, kernels } from './subjects.js'

const sitesIn = (kernel: string): ReadonlyArray<PtxSite> => {
  const g = groundOf(kernel)
  return right(sitesOf(g.module, g.entry, g.name))
}

/** The lines of the source that the window of the n-th instruction of this kind has. */
const linesOf = (
  kernel: string,
  opcode: string,
  n: number,
  isOwn: (label: string) => boolean = () => false,
): { readonly lines: ReadonlyArray<number>; readonly isLast: boolean } => {
  const sites = sitesIn(kernel)
  const site = sites.filter((s) => s.opcode.startsWith(opcode))[n]!
  const { labels, isLast }: Window = windowsOf(sites)(site, isOwn)
  const lines = [...labels].map((label) => Number(/:(\d+) /u.exec(label)![1]))
  return { lines: [...new Set(lines)].sort((a, b) => a - b), isLast }
}

test('a barrier of a cluster ends stores and initialisations, and lets a copy begin; a wait is behind it', () => {
  // 16 initialises, 18 announces, 21 fills the tile; 30 copies it
  expect(linesOf('cluster_copy', 'barrier.cluster.arrive', 0)).toEqual({
    lines: [16, 18, 21, 30],
    isLast: false,
  })
})

test('the last barrier of a cluster comes to the end of the kernel', () => {
  expect(linesOf('cluster_copy', 'barrier.cluster.arrive', 1)).toMatchObject({ isLast: true })
  expect(linesOf('cluster_copy', 'barrier.cluster.wait', 1)).toMatchObject({ isLast: true })
})

test('an arrival lets begin what is behind the waits for its mbarrier', () => {
  const wait = /try_wait/u
  const alone = linesOf('pair_copy', 'mbarrier.arrive.release.cluster', 0)
  const all = linesOf('pair_copy', 'mbarrier.arrive.release.cluster', 0, (label) => wait.test(label))
  expect(alone.lines).not.toContain(46)
  expect(all.lines).toContain(46)
})

test('law 1: an access right beside an instruction is in its window', () => {
  for (const kernel of sampled(8, kernels)) {
    const sites = sitesIn(kernel)
    const windows = windowsOf(sites)
    for (const [k, site] of sites.entries()) {
      const next = sites[k + 1]
      const isBeside =
        next?.kind === 'access' &&
        next.code === site.code &&
        site.code.instructions
          .slice(site.index, next.index)
          .every(({ form }) => !/^(?:bra|brx|ret|exit|call)/u.test(form.base)) &&
        // no other way leads there
        next.index - site.index === 1
      if (site.kind !== 'access' && isBeside)
        expect(windows(site, () => false).labels, site.label).toContain(next.label)
    }
  }
})
