/**
 * The laws of `mutants.ts`. The counts are held against another reading of the program: its listing.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { encodeProgram } from '../../../src/semantics/files/codec.js'
import { mutantsOf, operators, type Mutant, type Operator } from '../../../src/semantics/mutation/index.js'
import { print } from '../../../src/semantics/language/print.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { validate } from '../../../src/semantics/language/validate.js'
import { programOf } from './settings.js'
import { nightly, sampled } from '../../extent.js'

const tiles = { n: 16, k: 80, tileN: 16, tileK: 16, stages: 2 } as const
const programs: ReadonlyArray<readonly [string, Program]> = [
  ['queue, stores', programOf('queue', { m: 5, n: 8, rows: 1, buffering: 2 })],
  ['queue, copies', programOf('queue', { m: 5, n: 64, rows: 1, buffering: 2, produce: 'copies' })],
  ['hopper-matmul', programOf('hopper-matmul', { m: 64, tileM: 64, ...tiles })],
  ['wgmma-loop', programOf('wgmma-loop', { m: 64, tileM: 64, ...tiles })],
  ['matmul0', programOf('matmul0', { m: 128, tileM: 128, ...tiles })],
]

const text = (p: Program): string => JSON.stringify(encodeProgram(p))

/** Where each of them takes a program made anew: by day every fourth, by night all. */
const some = (all: ReadonlyArray<Mutant>): ReadonlyArray<Mutant> =>
  all.filter((_, i) => nightly || i % 4 === 1)

/** Lines of the listing that are effects of these kinds, whoever's. */
const orders =
  /^ *(?:.*: .* = )?(mbarrier\.|bar\.|cluster\.|bulk\.|fence\.|wgmma\.(fence|commitGroup|waitGroup)|tcgen05\.(alloc|dealloc|relinquish|commit|waitLd|useLd|waitSt|fence))/
const moves =
  /^ *(?:[^#]*: [^#]* = )?(tma\.|smem\.|gmem\.|regs\.(read|write)|wgmma\.mma|tcgen05\.(mma|ld|st) )/
const linesOf = (p: Program): ReadonlyArray<string> =>
  print(p).split('\n').slice(print(p).split('\n').indexOf('entry'))
const matching = (p: Program, what: RegExp): number => linesOf(p).filter((l) => what.test(l)).length

describe.each(programs)('%s', (_, program) => {
  const mutants = mutantsOf(program)
  const of = (operator: Operator, change?: string): ReadonlyArray<Mutant> =>
    mutants.filter((m) => m.operator === operator && (change === undefined || m.change.startsWith(change)))
  const leftOut = mutants.filter((m) => m.change === 'left out')

  test('law 1: all differ from the program and from each other, and so do their keys', () => {
    const texts = [program, ...mutants.map((m) => m.program)].map(text)
    expect(new Set(texts).size).toBe(texts.length)
    expect(new Set(mutants.map((m) => m.key)).size).toBe(mutants.length)
  })
  test('law 2: every statement of the two classes is left out once and doubled once', () => {
    const sites = matching(program, orders) + matching(program, moves)
    expect(sites).toBeGreaterThan(10)
    expect(leftOut).toHaveLength(sites)
    expect(of('DUP')).toHaveLength(sites)
    expect(of('DUP').filter((m) => m.class === 'data')).toHaveLength(matching(program, moves))
  })
  test('law 2: the numbers and flags of the listing are changed as often as they stand there', () => {
    const relaxable = matching(program, /(mbarrier\.arrive|mbarrier\.arriveExpectTx) .*release=true/)
    expect(of('FLAG', 'relaxed')).toHaveLength(relaxable + matching(program, /mbarrier\.wait .*acquire=true/))
    expect(of('COUNT', '16 bytes')).toHaveLength(2 * matching(program, / bytes=/))
    expect(of('COUNT', 'one warp more')).toHaveLength(matching(program, /bar\.sync/))
    expect(of('PRIME', 'the other parity')).toHaveLength(matching(program, /mbarrier\.wait/))
    expect(of('PRIME', 'and an arrive')).toHaveLength(matching(program, /mbarrier\.init/))
    expect(of('FENCE', 'of ')).toHaveLength(2 * matching(program, /fence\.proxyAsync/))
    expect(of('ALLOC', 'twice')).toHaveLength(matching(program, /columns=/))
    const coordinates =
      linesOf(program)
        .join('\n')
        .match(/coords\[\d\]=/g) ?? []
    expect(of('SLICE', 'the next tile')).toHaveLength(coordinates.length)
    expect(of('FLAG', 'even if its predicate is false')).toHaveLength(matching(program, / when /))
  })
  test('law 3: dropping one half of a doubling gives the program back', () => {
    for (const m of some(of('DUP').filter((x) => x.statements[0]!.results.length === 0))) {
      const again = mutantsOf(m.program).filter((d) => d.site === m.site && d.change === 'left out')
      expect(again.map((d) => text(d.program))).toContain(text(program))
    }
  })
  test('law 3: exchanging two neighbours twice gives the effects of the program back, in their order', () => {
    const effects = (p: Program): string =>
      linesOf(p)
        .filter((l) => !/^ *let /.test(l))
        .join('\n')
    for (const m of some(of('ORDER'))) {
      const [, second] = m.statements
      const back = mutantsOf(m.program, ['ORDER']).filter((x) => x.label === second!.site.label)
      expect(back.map((x) => effects(x.program))).toContain(effects(program))
    }
  })
  test('a drop takes one line out of the listing, a doubling adds one, an altered field changes one', () => {
    const lines = linesOf(program)
    const looked = mutants.filter((x) => x.class === 'synchronisation' && x.instruction !== 'declaration')
    for (const m of sampled(5, looked)) {
      const other = linesOf(m.program)
      const grows =
        m.operator === 'DUP' || m.change === 'and an arrive' ? 1 : m.change === 'left out' ? -1 : 0
      expect([m.key, other.length - lines.length]).toEqual([m.key, grows])
      if (['RETARGET', 'COUNT', 'SLOT'].includes(m.operator))
        expect([m.key, other.filter((line, i) => line !== lines[i]).length]).toEqual([m.key, 1])
    }
  })
  test('what is moved stays in scope: no mutant is refused for a name or a type', () => {
    for (const m of some(mutants)) {
      const valid = validate(m.program)
      expect([m.key, E.isLeft(valid) && /^(name|type)\./.test(valid.left.code)]).toEqual([m.key, false])
    }
  })
})

describe('keys', () => {
  test('law 4: the mutants of a loop are found again where it has other sizes', () => {
    const keys = (p: Program): ReadonlySet<string> => new Set(mutantsOf(p).map((m) => m.key))
    const small = keys(programOf('hopper-matmul', { m: 64, tileM: 64, ...tiles, k: 48 }))
    const large = keys(programOf('hopper-matmul', { m: 128, tileM: 64, ...tiles, n: 32, tileN: 16, k: 112 }))
    expect([...small].filter((k) => !large.has(k))).toEqual([])
  })
  test('every operator has a site in some kernel of the house, but for those of clusters, and of lanes, which PTX alone has', () => {
    const used = new Set(programs.flatMap(([, p]) => mutantsOf(p).map((m) => m.operator)))
    expect(operators.filter((o) => !used.has(o))).toEqual(['LANES'])
  })
})
