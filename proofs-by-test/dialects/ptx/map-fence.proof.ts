/**
 * `fence.proxy.tensormap::generic.acquire` takes the map at its address, and no other. The kernel is one of the conformance suite with room for six maps where it
 * makes three; twins acquire elsewhere. The oracle is the sentence of the ISA: the ordering is for the bytes from the address on, 128 of them.
 *
 * `tensormap.cp_fenceproxy.sync.aligned` reads the map that one lane has changed. Oracle: `.sync` orders no memory, and `bar.warp.sync` does; that the instruction itself
 * waits for all lanes is what compilers rely on.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

const at = new URL('../../../conformance/hopper/cuda/device_tensormap/', import.meta.url)
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, at)))
const text = readFileSync(new URL('device_tensormap.ptx', at), 'utf8')
const fence = (address: string): string => `fence.proxy.tensormap::generic.acquire.gpu [${address}], 128;`

const replaced = (of: string, what: string, by: string): string => {
  expect(of.split(what).length).toBe(2)
  return of.replace(what, by)
}

/** The kernel with these acquires, and lines before them. */
const judged = (addresses: ReadonlyArray<string>, before = ''): Verdict => {
  const roomier = replaced(text, 'made[384]', 'made[768]')
  return verdictOf(replaced(roomier, fence('%rd2'), `${before}${addresses.map(fence).join('\n')}`))
}
const verdictOf = (module: string, strict = false): Verdict => {
  const files = new Map([
    ['kernel.ptx', new TextEncoder().encode(module)],
    ...['launch.json', 'given.npy', 'x.npy', 'y.npy'].map((f) => [f, bytesOf(f)] as const),
  ])
  return right(
    checkPtx(worldOf(inMemory(files)), 'kernel.ptx', { launch: 'launch.json', strict }),
  ).json() as Verdict
}
const found = (
  addresses: ReadonlyArray<string>,
  before = '',
): readonly [string, ...ReadonlyArray<string>] => {
  const { verdict, findings } = judged(addresses, before)
  return [verdict, ...findings.map(({ id }) => id)]
}

describe('an acquire of a tensor map', () => {
  test.each<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['at its address', ['%rd2'], ['ok']],
    ['at another one', ['%rd2+384'], ['hazard', 'P5']],
    ['that begins in its middle', ['%rd2+64'], ['hazard', 'P5']],
    ['at another one, then at its own', ['%rd2+384', '%rd2'], ['ok']],
    ['at its own, then at another one', ['%rd2', '%rd2+384'], ['ok']],
    ['nowhere', [], ['hazard', 'P5']],
  ])('%s', (_, addresses, expected) => {
    expect(found(addresses)).toEqual(expected)
  })

  test('in shared memory is refused at its line', () => {
    const { verdict, reason } = judged(['%rd2'], `cvt.u64.u32 %rd2, %r24; cvta.shared.u64 %rd2, %rd2;\n`)
    expect(verdict).toBe('invalid')
    expect(reason).toContain('an acquired tensor map must be in global memory, found shared memory')
  })
})

/** CTA 0 makes the map of all three, and tells them by a flag. */
describe('a map that another CTA has made', () => {
  const gpu = { release: 'generic.release.gpu', acquire: 'generic.acquire.gpu' }
  const edits: ReadonlyArray<readonly [string, string]> = [
    ['.global .align 128 .b8 made[384];', '.global .align 128 .b8 made[384];\n.global .align 4 .b32 flag;'],
    ['mul.wide.u32 \t%rd6, %r1, 128;', 'mul.wide.u32 \t%rd6, %r1, 0;'],
    [
      'setp.gt.s32 \t%p2, %r106, 31;',
      `setp.gt.s32 %p2, %r106, 31;
.reg .pred %q<4>; .reg .b32 %s<4>;
setp.ne.u32 %q0, %r1, 0;
or.pred %p2, %p2, %q0;`,
    ],
    ['[%rd2], [%r24], 128;', '[%rd2], [%r24], 128;\nbar.warp.sync -1;'],
    [
      '.loc\t1 32 3\n\tbar.sync \t0;',
      `.loc 1 32 3
@%p1 bra MET; @%q0 bra POLL;
st.release.gpu.global.u32 [flag], 1; bra MET;
POLL: ld.acquire.gpu.global.u32 %s1, [flag]; setp.eq.u32 %q1, %s1, 0; @%q1 bra POLL;
MET: bar.sync 0;`,
    ],
  ]
  const shared = edits.reduce((all, [what, by]) => replaced(all, what, by), text)
  const scoped = (module: string, release: string, acquire: string): Verdict =>
    verdictOf(
      replaced(
        replaced(module, gpu.release, `generic.release.${release}`),
        gpu.acquire,
        `generic.acquire.${acquire}`,
      ),
    )
  test.each([
    ['gpu', 'gpu', ['ok']],
    ['sys', 'gpu', ['ok']],
    ['cta', 'gpu', ['hazard', 'P5']],
    ['gpu', 'cta', ['hazard', 'P5']],
    ['cluster', 'gpu', ['hazard', 'P5']],
    ['gpu', 'cluster', ['hazard', 'P5']],
  ])('released .%s, acquired .%s', (release, acquire, expected) => {
    const { verdict, findings } = scoped(shared, release, acquire)
    expect([verdict, ...new Set(findings.map(({ id }) => id))]).toEqual(expected)
  })
  test.each([
    ['cta', 'cta'],
    ['cta', 'gpu'],
    ['gpu', 'cluster'],
  ])('and in its own CTA .%s and .%s are enough', (release, acquire) => {
    expect(scoped(text, release, acquire).verdict).toBe('ok')
  })
})

describe('a map that one lane changes, and its warp copies', () => {
  const met = 'bar.warp.sync \t-1;'
  const [before, between, after] = text.split(met)
  test.each<readonly [string, string, ReadonlyArray<string>]>([
    ['after both have met', `${before!}${met}${between!}${met}${after!}`, []],
    // the copy waits for the lanes of its warp, and compilers rely on it: a note
    ['after they met before the change alone', `${before!}${met}${between!}${after!}`, ['D5']],
  ])('%s', (_, module, ids) => {
    const { verdict, findings, notes } = verdictOf(module)
    expect([verdict, findings.length, ...new Set(notes.map(({ id }) => id))]).toEqual(['ok', 0, ...ids])
    for (const { a, b, silicon } of notes) {
      expect([a, b].map((o) => /tensormap\.(?:replace|cp_fenceproxy)/u.exec(o?.site ?? '')?.[0])).toEqual([
        'tensormap.replace',
        'tensormap.cp_fenceproxy',
      ])
      // what a chip did with D5 it did with other kernels
      expect(silicon).toBeUndefined()
    }
  })
  test.each<readonly [string, string, ReadonlyArray<string>]>([
    ['after both have met', `${before!}${met}${between!}${met}${after!}`, ['ok']],
    ['after they met before the change alone', `${before!}${met}${between!}${after!}`, ['hazard', 'D5']],
  ])('%s, by what the manual says alone', (_, module, ids) => {
    const { verdict, findings } = verdictOf(module, true)
    expect([verdict, ...new Set(findings.map(({ id }) => id))]).toEqual(ids)
  })
  test('what lanes store and one of them changes, without a meeting, is a race', () => {
    const { verdict, findings } = verdictOf(`${before!}${between!}${met}${after!}`)
    expect([verdict, ...new Set(findings.map(({ id }) => id))]).toEqual(['hazard', 'D5'])
  })
})
