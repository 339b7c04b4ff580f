/** Pairs of CTAs: which barrier hears of which destination. Oracle: a table worked by hand from the wording of PTX. */
import { describe, expect, test } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { expecting, idsOf, inCta, init, judged, meet, program, running, shared, waiting } from './steps.js'

interface Row {
  readonly group: 1 | 2
  readonly issuer: number
  readonly mask?: number
  /** CTA of the destination view and of the barrier, as the instruction names them */
  readonly into: number
  readonly barrier: number
}
const tensor = Float64Array.from({ length: 256 }, (_, i) => i + 1)

/** One load by one CTA of four; nobody waits. */
const one = (r: Row, gathers: boolean): Program =>
  program(
    'one',
    function* () {
      const t = yield* B.tensorParam('tensor', 'u16', [4, 64], { role: 'in' })
      const map = yield* B.descriptorParam('map', t, gathers ? [1, 64] : [4, 64], { swizzle: 128 })
      const image = yield* B.sharedMemory('image', 'u16', [4, 64], [], { align: 1024 })
      const full = yield* B.barriers('full', [])
      yield* init(full)
      yield* meet()
      const common = {
        descriptor: map,
        destination: X.remote(image, X.i32(r.into)),
        barrier: X.remote(full, X.i32(r.barrier)),
        ctaGroup: r.group,
      } as const
      const mask = r.mask === undefined ? {} : { multicast: X.i32(r.mask) }
      yield* B.run(
        'load',
        gathers
          ? { _tag: 'tma.gather', rows: X.iota<1>([4], 0), column: X.i32(0), ...common, ...mask }
          : { _tag: 'tma.load', coords: [X.i32(0), X.i32(0)], ...common, ...mask },
        { when: inCta(r.issuer) },
      )
    },
    { cluster: 4, draft: true },
  )

/** destination CTA -> CTA whose barrier hears of it; or the code of the fault */
const heard = (r: Row, gathers: boolean): string => {
  const ran = running(one(r, gathers), { tensor }, Policy.seeded(r.issuer))
  if (ran.outcome._tag === 'fault') return ran.outcome.fault.code
  const { header } = ran.launched.world
  const parts = new Map<number, number>()
  const out: string[] = []
  let part = 0
  for (const e of ran.result) {
    if (e._tag === 'perform') part = e.part
    if (e._tag === 'access' && e.rw === 'w' && e.operation !== undefined)
      parts.set(part, header.planes[e.footprint.plane]!.cta!)
    if (e._tag === 'signal' && e.to === 'barrier')
      out.push(`${String(parts.get(e.part))}>${String(header.barriers[e.barrier]!.cta)}:${String(e.bytes)}`)
  }
  return out.sort().join(' ')
}

describe('law 1: the table', () => {
  const table: ReadonlyArray<readonly [Row, string]> = [
    [{ group: 1, issuer: 1, into: 1, barrier: 1 }, '1>1:512'],
    [{ group: 1, issuer: 1, into: 1, barrier: 0 }, 'A4'],
    [{ group: 1, issuer: 1, into: 2, barrier: 2 }, '2>2:512'],
    [{ group: 1, issuer: 1, into: 1, barrier: 1, mask: 0b1011 }, '0>0:512 1>1:512 3>3:512'],
    [{ group: 1, issuer: 0, into: 0, barrier: 0, mask: 0b1100 }, '2>2:512 3>3:512'],
    [{ group: 2, issuer: 1, into: 1, barrier: 0 }, '1>0:512'],
    [{ group: 2, issuer: 1, into: 1, barrier: 1 }, '1>1:512'],
    [{ group: 2, issuer: 3, into: 3, barrier: 2 }, '3>2:512'],
    [{ group: 2, issuer: 2, into: 2, barrier: 0 }, 'A4'],
    [{ group: 2, issuer: 0, into: 0, barrier: 0, mask: 0b1011 }, '0>0:512 1>0:512 3>2:512'],
    [{ group: 2, issuer: 3, into: 3, barrier: 3, mask: 0b1011 }, '0>1:512 1>1:512 3>3:512'],
    [{ group: 2, issuer: 1, into: 1, barrier: 2, mask: 0b1111 }, '0>0:512 1>0:512 2>2:512 3>2:512'],
    [{ group: 2, issuer: 1, into: 1, barrier: 1, mask: 0b10000 }, 'I2'],
  ]
  test.each([false, true])('gathers: %s', (gathers) => {
    for (const [row, want] of table) expect(heard(row, gathers), JSON.stringify(row)).toBe(want)
  })
})

describe('a leader that hears of both halves', () => {
  const leading = (expected: number, waitsInPeer: boolean): Program =>
    program(
      'leader',
      function* () {
        const t = yield* B.tensorParam('tensor', 'u16', [4, 64], { role: 'in' })
        const map = yield* B.descriptorParam('map', t, [2, 64], { swizzle: 128 })
        const image = yield* B.sharedMemory('image', 'u16', [2, 64], [], { align: 1024 })
        const full = yield* B.barriers('full', [])
        const leader = inCta(0)
        yield* init(full)
        yield* meet()
        yield* expecting(full, expected, leader)
        yield* B.run('load', {
          _tag: 'tma.load',
          descriptor: map,
          coords: [X.mul(X.place('ctaRank'), X.i32(2)), X.i32(0)],
          destination: image,
          barrier: X.remote(full, X.i32(0)),
          ctaGroup: 2,
        })
        yield* waiting(full, 0, leader)
        if (waitsInPeer) yield* meet()
        yield* B.smemLoad('read', image)
        if (!waitsInPeer) yield* meet()
      },
      { cluster: 2 },
    )
  test('each CTA has its half when the leader has heard of twice the bytes', () => {
    for (let seed = 0; seed < 10; seed++) {
      const r = running(leading(512, true), { tensor }, Policy.seeded(seed))
      expect(r.outcome).toEqual({ _tag: 'completed' })
      expect(r.machine.barriers.map((b) => b!.completed)).toEqual([1, 0])
      for (const cta of [0, 1])
        expect(
          [...shared(r, 'image', 'u16', [0, 2, 128 + (16 ^ 0)], cta)].map((x) => x - 128 * cta),
          String(seed),
        ).toEqual([1, 2, 65])
    }
  })
  test('verdicts: right; half the bytes; the peer reads without having heard', () => {
    expect(judged(leading(512, true), { tensor }).verdict).toBe('ok')
    // the other half belongs to a generation that nobody waits for
    expect(idsOf(judged(leading(256, true), { tensor }))).toEqual(expect.arrayContaining(['P4', 'K1']))
    expect(idsOf(judged(leading(512, false), { tensor }))).toEqual(['P4'])
  })
})

test('what validation knows: an architecture, an even cluster', () => {
  const with2 = (cluster: number, arch: 'sm90a' | 'sm100a'): string => {
    try {
      const p = program(
        'p',
        function* () {
          const t = yield* B.tensorParam('tensor', 'u16', [4, 64], { role: 'in' })
          const map = yield* B.descriptorParam('map', t, [4, 64], { swizzle: 128 })
          const image = yield* B.sharedMemory('image', 'u16', [4, 64], [], { align: 1024 })
          const full = yield* B.barriers('full', [])
          yield* B.run('load', {
            _tag: 'tma.load',
            descriptor: map,
            coords: [X.i32(0), X.i32(0)],
            destination: image,
            barrier: full,
            ctaGroup: 2,
          })
        },
        { cluster, arch },
      )
      return p.name
    } catch (e) {
      return String(e)
    }
  }
  expect(with2(2, 'sm100a')).toBe('p')
  expect(with2(2, 'sm90a')).toMatch(/arch/)
  expect(with2(1, 'sm100a')).toMatch(/launch.grid/)
})
