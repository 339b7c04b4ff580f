/**
 * Gathered spins in a text. Oracle: the form that the essay of the module gives, line by line; and one change after the other, of which G1 to G8 say by hand what it makes of the loop.
 */
import { describe, expect, test } from 'vitest'
import type { Instruction, Operation, WarpProgram } from '../../../src/semantics/warps/program.js'
import * as Small from '../../dialects/ptx/small-text.js'

type Lines = ReadonlyArray<string>

const head: Lines = [
  '.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;',
  '.shared .align 8 .b64 bar;',
  'ld.param.u64 %rd1, [c];',
]
const lead = Small.moduleOf(['c', 'u32 n'], head.join('\n')).split('\n').length - 2
const programOf = (lines: Lines): WarpProgram => {
  const before = lines.some((line) => line.startsWith('call')) ? '.func f() { ret; }' : ''
  return Small.programOf(Small.moduleOf(['c', 'u32 n'], [...head, ...lines, 'exit;'].join('\n'), { before }))
}
const lineAt = (p: WarpProgram, lines: Lines, { site }: Instruction): number =>
  Small.lineAt(p, site) - lead - (lines.some((line) => line.startsWith('call')) ? 1 : 0)

type Load = Extract<Operation, { readonly _tag: 'load' }>
/** The loads that wait, and those that are fetches, by their lines; `-` where the loop stays one. */
const found = (lines: Lines): string => {
  const p = programOf(lines)
  const loads = p.code.flatMap((i) => (i.operation._tag === 'load' ? [[i, i.operation] as const] : []))
  const say = (word: string, is: (o: Load) => boolean): ReadonlyArray<string> =>
    loads.flatMap(([i, o]) => (is(o) ? [`${word} ${String(lineAt(p, lines, i))}`] : []))
  const waits = loads.flatMap(([i, o]) =>
    o.until === undefined ? [] : [`waits ${String(lineAt(p, lines, i))} ${o.until.comparison}`],
  )
  return [...waits, ...say('fetches', (o) => o.until === undefined && o.to[0] === null)].join(', ') || '-'
}

// all go on where one says no; thread 0 asks, once before the loop
const all: Lines = [
  'mov.u32 %r1, %tid.x;',
  'setp.ne.u32 %p1, %r1, 0;',
  'mov.u32 %r5, %ctaid.x;',
  '@%p1 bra FROM;',
  'ld.acquire.gpu.global.u32 %r10, [%rd1];',
  'FROM:',
  'bra CHECK;',
  'TOP:',
  '@%p1 bra CHECK;',
  'ld.acquire.gpu.global.u32 %r10, [%rd1];',
  'CHECK:',
  'setp.ne.u32 %p2, %r10, %r5;',
  'barrier.sync.red.and.pred %p3, 0, %p2;'.replace('sync.red', 'red'),
  '@%p3 bra TOP;',
  'st.global.u32 [%rd1+64], %r5;',
]
// all go on until none says no
const any: Lines = all.map((line) => line.replace('.and.', '.or.'))
const allFound = 'waits 10 eq, fetches 5'

const but = (lines: Lines, at: number, ...by: Lines): Lines => [
  ...lines.slice(0, at - 1),
  ...by,
  ...lines.slice(at),
]
const before = (lines: Lines, at: number, ...more: Lines): Lines => but(lines, at, ...more, lines[at - 1]!)

describe('the form', () => {
  test('as the essay has it', () => {
    const p = programOf(all)
    const names = new Map<number, string>()
    const letters = ['fetched', 'done', 'more', 'told']
    // the new predicates come in this order
    const first = Math.min(...p.code.flatMap(({ operation: o }) => (o._tag === 'setPredicate' ? [o.to] : [])))
    const nameOf = (k: number): string => {
      const name = k >= first ? letters[k - first]! : `p${String(k)}`
      names.set(k, name)
      return name
    }
    const guardOf = (g: { predicate: number; negated: boolean }): string =>
      `${g.negated ? '!' : ''}${nameOf(g.predicate)}`
    const lines = p.code.map(({ operation: o, guard }) => {
      const under = guard === null ? '' : `@${guardOf(guard)} `
      switch (o._tag) {
        case 'setPredicate':
          return `${under}${nameOf(o.to)} = ${String(o.value)}`
        case 'predicate':
          return `${under}${nameOf(o.to)} = ${o.from.map(guardOf).join(` ${o.op} `)}`
        case 'load':
          return o.from.space === 'param'
            ? 'param'
            : `${under}load ${o.ordering} ${o.to[0] === null ? 'dropped' : 'kept'}${o.until === undefined ? '' : ` until ${o.until.comparison}`}`
        case 'barReduce':
          return `${under}bar ${o.op} ${guardOf(o.by)}`
        case 'branch':
          return `${under}branch`
        default:
          return `${under}${o._tag}`
      }
    })
    expect(lines.filter((line) => line !== 'turn')).toEqual([
      'fetched = false',
      'done = false',
      // the address, and who asks, are written
      'param',
      'fetched = false',
      'move',
      'scalar',
      'fetched = false',
      'move',
      '@p0 branch',
      'load relaxed dropped',
      'move',
      'fetched = true',
      'branch',
      '@p0 branch',
      'load acquire dropped until eq',
      'move',
      'fetched = false',
      'done = true',
      'scalar',
      'more = p1 or fetched',
      'told = more and !done',
      'bar and told',
      'done = false',
      '@p2 branch',
      'store',
      'exit',
      'exit',
    ])
    expect(lines.filter((line) => line === 'turn')).toHaveLength(1)
    expect([...new Set(names.values())].filter((name) => letters.includes(name)).sort()).toEqual(
      [...letters].sort(),
    )
  })
  test('of both barriers', () => {
    expect(found(all)).toBe(allFound)
    expect(found(any)).toBe(allFound)
  })
})

describe('the same by other words', () => {
  test.each([
    [
      'the load under a guard',
      but(but(all, 9, 'mov.u32 %r8, 0;'), 10, '@!%p1 ld.acquire.gpu.global.u32 %r10, [%rd1];'),
      allFound,
    ],
    [
      'the fetch under a guard',
      but(but(all, 4, 'mov.u32 %r8, 0;'), 5, '@!%p1 ld.acquire.gpu.global.u32 %r10, [%rd1];'),
      allFound,
    ],
    ['what computes before the fetch', before(all, 5, 'mov.u32 %r31, 4;'), 'waits 11 eq, fetches 6'],
    ['without a fetch', but(all, 5, 'mov.u32 %r10, 0;'), 'waits 10 eq'],
    ['all threads ask', but(but(all, 9, 'mov.u32 %r8, 0;'), 4, 'mov.u32 %r9, 0;'), allFound],
    ['a fetch by all, where all ask, and not where some do', but(all, 4, 'mov.u32 %r9, 0;'), 'waits 10 eq'],
    [
      'the negated answer',
      but(but(all, 14, '@!%p4 bra TOP;'), 13, 'barrier.red.and.pred %p3, 0, %p2;', 'not.pred %p4, %p3;'),
      allFound,
    ],
    ['left by the branch', but(all, 14, '@!%p3 bra OUT;', 'bra TOP;', 'OUT:'), allFound],
    [
      'the answer as a word',
      but(
        all,
        13,
        'barrier.red.and.pred %p4, 0, %p2;',
        'selp.u32 %r20, 1, 0, %p4;',
        'setp.ne.u32 %p3, %r20, 0;',
      ),
      allFound,
    ],
    [
      'told by a negated predicate',
      but(but(all, 12, 'setp.eq.u32 %p2, %r10, %r5;'), 13, 'barrier.red.and.pred %p3, 0, !%p2;'),
      allFound,
    ],
    ['another comparison', but(all, 12, 'setp.lt.u32 %p2, %r10, %r5;'), 'waits 10 hs, fetches 5'],
    ['with a sign', but(all, 12, 'setp.lt.s32 %p2, %r10, %r5;'), 'waits 10 ge, fetches 5'],
    ['the row first', but(all, 12, 'setp.ne.u32 %p2, %r5, %r10;'), allFound],
    ['with a constant', but(all, 12, 'setp.ne.u32 %p2, %r10, 7;'), allFound],
    ['a barrier with a number of threads', but(all, 13, 'barrier.red.and.pred %p3, 1, 64, %p2;'), allFound],
    [
      'a weaker load',
      but(
        but(all, 10, 'ld.relaxed.gpu.global.u32 %r10, [%rd1];'),
        5,
        'ld.relaxed.gpu.global.u32 %r10, [%rd1];',
      ),
      allFound,
    ],
    ['what computes in the loop', before(all, 12, 'add.u32 %r20, %r5, 1;'), allFound],
    ['a way around', but(all, 7, 'mov.u32 %r9, 0;', 'bra CHECK;'), 'waits 11 eq, fetches 5'],
    [
      'an entry before the load, where none may say no',
      but(any, 7, 'mov.u32 %r9, 0;', 'bra TOP;'),
      'waits 11 eq, fetches 5',
    ],
  ] as ReadonlyArray<[string, Lines, string]>)('%s', (_, lines, gate) => {
    expect(found(lines)).toBe(gate)
  })
})

describe('a fetch that is none', () => {
  const none = 'waits 10 eq'
  test.each([
    ['of another word', but(all, 5, 'ld.acquire.gpu.global.u32 %r10, [%rd1+8];'), none],
    ['by another order', but(all, 5, 'ld.relaxed.gpu.global.u32 %r10, [%rd1];'), none],
    ['of another scope', but(all, 5, 'ld.acquire.sys.global.u32 %r10, [%rd1];'), none],
    ['a weak one', but(all, 5, 'ld.global.u32 %r10, [%rd1];'), none],
    [
      'by the other threads, under a guard',
      but(but(all, 4, 'mov.u32 %r9, 0;'), 5, '@%p1 ld.acquire.gpu.global.u32 %r10, [%rd1];'),
      none,
    ],
    [
      'by some, under a guard',
      but(but(all, 4, 'mov.u32 %r9, 0;'), 5, '@!%p5 ld.acquire.gpu.global.u32 %r10, [%rd1];'),
      none,
    ],
    ['by the other threads', but(all, 4, '@!%p1 bra FROM;'), none],
    ['under another predicate', but(all, 4, '@%p5 bra FROM;'), none],
    ['behind another act', before(all, 5, 'st.global.u32 [%rd1+68], %r5;'), 'waits 11 eq'],
    ['behind what writes the predicate', before(all, 5, 'setp.ne.u32 %p1, %r1, 1;'), 'waits 11 eq'],
    ['behind a label that others jump to', before(all, 5, '@%p5 bra IN;', 'IN:'), 'waits 12 eq'],
  ] as ReadonlyArray<[string, Lines, string]>)('%s', (_, lines, gate) => {
    // another strong load of the word hears of other CTAs, and then no fetch may be (G8); without one it is no matter
    expect(found(lines)).toBe(gate)
  })
})

describe('it stays a loop', () => {
  test.each([
    // G1
    ['G1: no barrier that reduces', but(all, 13, 'setp.ne.u32 %p3, %r10, %r5;')],
    [
      'G1: the barrier counts',
      but(
        but(all, 13, 'barrier.red.popc.u32 %r20, 0, %p2;', 'setp.ne.u32 %p3, %r20, 0;'),
        12,
        'setp.ne.u32 %p2, %r10, %r5;',
      ),
    ],
    ['G1: the barrier under a guard', but(all, 13, '@%p5 barrier.red.and.pred %p3, 0, %p2;')],
    ['G1: a weak load', but(all, 10, 'ld.global.u32 %r10, [%rd1];')],
    [
      'G1: of 64 bits',
      but(
        but(
          but(all, 10, 'ld.acquire.gpu.global.u64 %rd5, [%rd1];', 'cvt.u32.u64 %r10, %rd5;'),
          5,
          'mov.u32 %r10, 0;',
        ),
        4,
        'mov.u32 %r9, 0;',
      ),
    ],
    ['G1: two loads', before(all, 10, 'ld.acquire.gpu.global.u32 %r11, [%rd1+4];')],
    ['G1: a store', before(all, 12, 'st.global.u32 [%rd1+72], %r5;')],
    ['G1: a fence', before(all, 12, 'fence.acq_rel.gpu;')],
    [
      'G1: two ways out',
      before(all, 12, '@%p5 bra OUT;').map((line, k, own) => (k === own.length - 1 ? `OUT: ${line}` : line)),
    ],
    ['G1: what it leaves is read', [...all, 'st.global.u32 [%rd1+80], %r10;']],
    ['G1: so is what is made of it', [...all, '@%p2 st.global.u32 [%rd1+80], %r5;']],
    ['G1: it is left whatever the barrier says', but(all, 14, '@%p5 bra TOP;')],
    ['G1: no load', but(all, 10, 'mov.u32 %r10, 3;')],
    [
      'G1: two loads, the other one behind it',
      but(all, 10, 'ld.acquire.gpu.global.u32 %r10, [%rd1];', 'ld.acquire.gpu.global.u32 %r11, [%rd1+4];'),
    ],
    [
      'G1: of two words',
      but(but(all, 10, 'ld.acquire.gpu.global.v2.u32 {%r10, %r11}, [%rd1];'), 5, 'mov.u32 %r10, 0;'),
    ],
    [
      'G2: it writes the number of threads',
      but(before(all, 12, 'mov.u32 %r32, %r5;'), 14, 'barrier.red.and.pred %p3, 1, %r32, %p2;'),
    ],
    // G2
    ['G2: it writes who asks', before(all, 12, 'setp.ne.u32 %p1, %r1, 1;')],
    ['G2: it writes the address', before(all, 12, 'add.u64 %rd1, %rd1, 0;')],
    ['G2: two branches go around the load', before(all, 10, '@%p5 bra CHECK;')],
    ['G2: a branch, and a guard', but(all, 10, '@%p5 ld.acquire.gpu.global.u32 %r10, [%rd1];')],
    [
      'G2: both ways load',
      but(all, 9, '@%p1 bra TWO;').flatMap((line) =>
        line === 'CHECK:'
          ? ['bra CHECK;', 'TWO:', 'ld.acquire.gpu.global.u32 %r10, [%rd1];', 'CHECK:']
          : [line],
      ),
    ],
    // G3
    ['G3: it compares with what it writes', before(all, 12, 'add.u32 %r5, %r5, 1;')],
    ['G3: it tells something else', but(all, 12, 'setp.ne.u32 %p2, %r1, %r5;')],
    ['G3: a sum of the word', but(all, 12, 'add.u32 %r20, %r10, 1;', 'setp.ne.u32 %p2, %r20, %r5;')],
    ['G3: under a guard', but(all, 12, '@!%p1 setp.ne.u32 %p2, %r10, %r5;')],
    // G4
    ['G4: the word is read before it', before(all, 7, 'st.global.u32 [%rd1+80], %r10;')],
    // G5
    [
      'G5: who comes in passes by a part of the comparison',
      but(all, 7, 'bra IN;').flatMap((line) =>
        line.startsWith('setp.ne.u32 %p2') ? [line, 'IN:', 'mov.u32 %r21, 0;'] : [line],
      ),
    ],
    ['G5: and by a load, where all say so', but(all, 7, 'bra TOP;')],
    // G6
    ['G6: another row in each thread', but(all, 3, 'mov.u32 %r5, %tid.x;')],
    [
      'G6: another address in each thread',
      [...all.slice(0, 3), 'mul.wide.u32 %rd4, %r1, 4;', 'add.u64 %rd3, %rd1, %rd4;', ...all.slice(3)].map(
        (line) => line.replace('%r10, [%rd1]', '%r10, [%rd3]'),
      ),
    ],
    ['G6: a row that is written twice', before(all, 4, '@%p5 mov.u32 %r5, 3;')],
    ['G6: a row that memory holds', but(all, 3, 'ld.global.u32 %r5, [%rd1+96];')],
    ['G6: a row that some threads write', but(all, 3, '@%p5 mov.u32 %r5, %ctaid.x;')],
    // G8
    ['G8: a strong load elsewhere', before(all, 4, 'ld.acquire.gpu.global.u32 %r12, [%rd1+32];')],
    ['G8: the result of an atomic', before(all, 4, 'atom.relaxed.gpu.global.add.u32 %r12, [%rd1+32], 1;')],
    [
      'G8: another wait',
      before(
        all,
        4,
        'mbarrier.try_wait.parity.shared::cta.b64 %p6, [bar], 0;',
        'W: mbarrier.try_wait.parity.shared::cta.b64 %p6, [bar], 0;',
        '@!%p6 bra W;',
      ),
    ],
    ['functions are called', [...all, 'call f;']],
  ] as ReadonlyArray<[string, Lines]>)('%s', (_, lines) => {
    expect(found(lines)).not.toMatch(/waits/u)
  })
  test('but for what hears nothing, or only of its own CTA (G8), and what may differ from thread to thread where one says so (G6)', () => {
    for (const line of [
      'ld.global.u32 %r12, [%rd1+32];',
      'red.relaxed.gpu.global.add.u32 [%rd1+32], 1;',
      'bar.sync 0;',
      'cp.async.wait_all;',
      'cp.async.bulk.wait_group 0;',
    ])
      expect(found(before(all, 4, line)), line).toBe('waits 11 eq, fetches 6')
    expect(found(but(any, 3, 'mov.u32 %r5, %tid.x;'))).toBe(allFound)
    expect(found(but(all, 3, 'ld.param.u32 %r6, [n];', 'add.u32 %r5, %r6, 1;'))).toBe(
      'waits 11 eq, fetches 6',
    )
    // without a fetch nothing is asked of others
    expect(
      found(before(but(all, 5, 'mov.u32 %r10, 0;'), 4, 'ld.acquire.gpu.global.u32 %r12, [%rd1+32];')),
    ).toBe('waits 11 eq')
  })
})

describe('what ends a fetch (G7)', () => {
  /** Lines behind which the fetch is none any more. */
  const ended = (lines: Lines): ReadonlyArray<number> => {
    const p = programOf(lines)
    const falses = p.code.flatMap((i) =>
      i.operation._tag === 'setPredicate' && !i.operation.value ? [i] : [],
    )
    const fetched = falses.flatMap(({ operation: o }) => (o._tag === 'setPredicate' ? [o.to] : []))[0]
    return falses
      .slice(1)
      .filter(({ operation: o }) => o._tag === 'setPredicate' && o.to === fetched)
      .map((i) => lineAt(p, lines, i))
  }
  test('the word, the address, or who asks is written behind it; the wait of the loop itself', () => {
    expect(ended(all)).toEqual([0, 2, 10])
    expect(ended(before(all, 7, 'mov.u32 %r10, 9;'))).toEqual([0, 2, 7, 11])
    expect(ended(before(all, 7, 'add.u64 %rd1, %rd1, 0;'))).toEqual([])
    expect(ended(before(any, 7, 'add.u64 %rd1, %rd1, 0;'))).toEqual([0, 2, 7, 11])
    // the new predicate has a name of its own, so the load before it is no fetch, and writes the word
    expect(ended(before(all, 7, 'setp.ne.u32 %p1, %r1, 0;'))).toEqual([0, 5, 7, 11])
    expect(ended(before(all, 7, 'mov.u32 %r30, 9;'))).toEqual([0, 2, 11])
  })
})

test('two of them; a wait for another word hears of other CTAs, so there is no fetch of the first (G8)', () => {
  const second = all
    .slice(6)
    .map((line) => line.replaceAll(/TOP|CHECK/gu, (name) => `${name}2`).replaceAll('%r10', '%r11'))
  expect(found([...all, 'mov.u32 %r11, 0;', ...second])).toBe('waits 20 eq')
  expect(found([...but(all, 5, 'mov.u32 %r10, 0;'), 'mov.u32 %r11, 0;', ...second])).toBe(
    'waits 10 eq, waits 20 eq',
  )
})
