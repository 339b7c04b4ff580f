/** Litmus tests of PTX, read: what each part becomes, and that any other text is refused with its place. */
import * as E from 'fp-ts/lib/Either.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPtxLitmus, readPtxLitmus } from '../../../src/dialects/litmus/index.js'
import {
  barrier,
  branch,
  cas,
  atomic,
  fence,
  jump,
  label,
  load,
  proxyFence,
  set,
  store,
  strong,
  volatile,
  weak,
  type Instruction,
} from '../../../src/semantics/axioms/index.js'
import { left, right } from '../../either.js'
import { anyText, prop } from '../../prop.js'

const one = (instruction: string, question = 'exists (x == 0)', declared = 'x = 0;'): string =>
  `PTX t\n{ ${declared} }\n P0@cta 0,gpu 0 ;\n ${instruction} ;\n${question}\n`
const read = (instruction: string): Instruction =>
  right(readPtxLitmus(one(instruction))).program.threads[0]!.body[0]!

describe('instructions', () => {
  it.each<readonly [string, Instruction]>([
    ['ld.weak r0, x', load('r0', 'x')],
    ['ld r0, x', load('r0', 'x')],
    ['ld.global.u32 r0, [x]', load('r0', 'x')],
    ['ld.acquire.gpu r0, x', load('r0', 'x', strong('acquire', 'gpu'))],
    ['ld.relaxed.cluster.u32 %r0, x', load('r0', 'x', strong('relaxed', 'cluster'))],
    ['ld.volatile r0, x', load('r0', 'x', volatile)],
    ['ld.mmio.relaxed.sys r0, x', load('r0', 'x', strong('relaxed', 'sys'))],
    ['ld r0, 5', set('r0', 'mov', 5, 5)],
    ['st.weak x, 1', store('x', 1)],
    ['st.release.cta x, r1', store('x', 'r1', strong('release', 'cta'))],
    ['st.weak x, -1', store('x', -1)],
    ['sust.weak x, 1', store('x', 1, weak, 'surface')],
    ['tld.weak r0, x', load('r0', 'x', weak, 'texture')],
    ['cold.weak r0, x', load('r0', 'x', weak, 'constant')],
    ['atom.acq_rel.gpu.add r0, x, 1', atomic('r0', 'x', 'add', 1, strong('acq_rel', 'gpu'))],
    ['atom.exch r0, x, 1', atomic('r0', 'x', 'exch', 1, strong('relaxed', 'gpu'))],
    ['atom.relaxed.sys.cas r0, x, 0, r1', cas('r0', 'x', 0, 'r1', strong('relaxed', 'sys'))],
    ['red.relaxed.gpu.add x, 1', atomic(undefined, 'x', 'add', 1, strong('relaxed', 'gpu'))],
    ['fence.sc.gpu', fence('sc', 'gpu')],
    ['fence.gpu', fence('acq_rel', 'gpu')],
    ['membar.gl', fence('sc', 'gpu')],
    ['fence.proxy.alias', proxyFence('alias')],
    ['fence.proxy.surface', proxyFence('surface')],
    ['add r0, r1, 2', set('r0', 'add', 'r1', 2)],
    ['LC00:', label('LC00')],
  ])('%s', (text, instruction) => {
    expect(read(text)).toEqual(instruction)
  })
  it('barriers, with a name, an id and a count', () => {
    const named = { ...barrier(2, 3), name: '1' }
    expect(read('bar.cta.sync 1, 2, 3')).toEqual(named)
    expect(read('bar.sync 1, 2, 3')).toEqual(named)
    expect(read('bar.cta.arrive 1')).toEqual({ ...barrier(0, undefined, 'arrive'), name: '1' })
  })
  it('branches', () => {
    const text = 'PTX t\n{ }\n P0@cta 0,gpu 0 ;\n LC00: ;\n bne r0, 1, LC00 ;\n goto LC00 ;\nforall (0 == 0)'
    expect(right(readPtxLitmus(text)).program.threads[0]!.body).toEqual([
      label('LC00'),
      branch('ne', 'r0', 1, 'LC00'),
      jump('LC00'),
    ])
  })
})

describe('a test', () => {
  const text = [
    'PTX LB+a "not read {"',
    '"a description (of two lines',
    ' and a brace {)"',
    '{ x = 3; P1:r0 = 7; (* a comment *)',
    '  y @ generic aliases x; s @ surface aliases y; }',
    ' P0@cta 0,gpu 0 | P1@cta 1, cluster 0, gpu 1 ; // places',
    ' st.weak x, 1   |                            ;',
    '                | ld.weak r1, y              ;',
    'locations [x; 1:r0]',
    'filter (x != 9)',
    '~exists (1:r1 = 1 /\\ x == 2 \\/ not P1:r0 >= -1)',
  ].join('\n')
  const test = right(readPtxLitmus(text))
  it('has what memory and registers hold, and places', () => {
    expect(isPtxLitmus(text)).toBe(true)
    expect([...test.program.memory]).toEqual([['x', 3]])
    expect(test.program.threads.map(({ name, place, registers }) => [name, place, [...registers]])).toEqual([
      ['P0', { cta: 0, cluster: 0, gpu: 0 }, []],
      ['P1', { cta: 1, cluster: 0, gpu: 1 }, [['r0', 7]]],
    ])
  })
  it('has aliases: another address, or another proxy by the same', () => {
    const reads = right(
      readPtxLitmus(
        one('suld.weak r0, s', 'exists (x == 0)', 'x = 0; y @ generic aliases x; s @ surface aliases y;'),
      ),
    )
    expect(reads.program.threads[0]!.body[0]).toEqual(
      load('r0', { location: 'x', address: 'y' }, weak, 'surface'),
    )
    expect(test.program.threads[1]!.body).toEqual([load('r1', { location: 'x', address: 'y' })])
  })
  it('has a question: `and` binds before `or`', () => {
    const register = (name: string) => ({ _tag: 'register', thread: 'P1', name }) as const
    const number = (value: number) => ({ _tag: 'number', value }) as const
    const x = { _tag: 'memory', location: 'x' } as const
    expect(test.question).toEqual({
      quantifier: 'notExists',
      filter: { _tag: 'compare', is: 'ne', a: x, b: number(9) },
      condition: {
        _tag: 'or',
        a: {
          _tag: 'and',
          a: { _tag: 'compare', is: 'eq', a: register('r1'), b: number(1) },
          b: { _tag: 'compare', is: 'eq', a: x, b: number(2) },
        },
        b: { _tag: 'not', of: { _tag: 'compare', is: 'ge', a: register('r0'), b: number(-1) } },
      },
    })
    expect(test.shown).toEqual([x, register('r0')])
  })
  it('keeps the text and the line of each instruction', () => {
    expect(test.sources).toEqual([[{ text: 'st.weak x, 1', line: 7 }], [{ text: 'ld.weak r1, y', line: 8 }]])
  })
})

describe('law 1: any other text is refused with its place', () => {
  it.each([
    ['C t\n{}', 'litmus.syntax', "line 1, column 1: expected 'PTX'"],
    [
      'PTX t\nP0@cta 0 ;',
      'litmus.syntax',
      "line 2, column 11: expected '{', then what memory holds, found the end",
    ],
    [one('frob r0, x'), 'litmus.unsupported', "line 4, column 2: the instruction 'frob' is not supported"],
    [
      one('ld.weak r0, r1'),
      'litmus.unsupported',
      'line 4, column 14: an address in a register is not supported',
    ],
    [one('ld.weak.foo r0, x'), 'litmus.unsupported', "line 4, column 10: '.foo' is not supported here"],
    [one('ld.release.gpu r0, x'), 'litmus.syntax', 'line 4, column 5: expected weak, relaxed, acquire'],
    [
      one('ld.relaxed r0, x'),
      'litmus.syntax',
      "line 4, column 2: expected a scope (cta, cluster, gpu, sys) after '.relaxed'",
    ],
    [one('st.acquire.gpu x, 1'), 'litmus.syntax', 'line 4, column 5: expected weak, relaxed, release'],
    [one('st.weak x'), 'litmus.syntax', "line 4, column 2: 'st' takes 2 operands, found 1"],
    [
      one('st.weak x, y'),
      'litmus.unsupported',
      "line 4, column 13: 'y' as a value (an address) is not supported",
    ],
    [
      one('atom.relaxed.gpu.frob r0, x, 1'),
      'litmus.syntax',
      'line 4, column 19: expected an operation (add, ',
    ],
    [one('bar.cta.wait 1'), 'litmus.syntax', 'line 4, column 10: expected sync or arrive'],
    [one('fence.proxy.foo'), 'litmus.syntax', 'line 4, column 14: expected a kind of proxy fence'],
    [one('goto LC00'), 'litmus.syntax', "line 4: P0 has no label 'LC00'"],
    [one('st.weak x, 1 | st.weak x, 2'), 'litmus.syntax', 'line 4, column 17: expected at most 1 columns'],
    [
      one('st.weak x, 1', 'exists (z == 1)'),
      'litmus.syntax',
      "line 5, column 9: expected a location (x), found 'z'",
    ],
    [one('st.weak x, 1', 'exists (P3:r0 == 1)'), 'litmus.syntax', 'line 5, column 9: expected a thread (P0)'],
    [one('st.weak x, 1', 'exists (x == 1'), 'litmus.syntax', "line 5, column 15: expected ')'"],
    [
      one('st.weak x, 1', 'final (x == 1)'),
      'litmus.unsupported',
      "line 5, column 1: 'final' is not supported",
    ],
    [one('st.weak x, 1', 'exists (x == 1) more'), 'litmus.syntax', 'line 5, column 17: expected the end'],
    [
      one('st.weak x, 1', 'exists (x ? 1)'),
      'litmus.syntax',
      "line 5, column 11: '?' is not part of a litmus test",
    ],
    [
      one('st.weak x, 1', 'exists (x == 0)', 'P0:r0 = x;'),
      'litmus.unsupported',
      'line 2, column 11: a register that holds an address',
    ],
    [
      one('st.weak x, 1', 'exists (x == 0)', 'x[2];'),
      'litmus.unsupported',
      'line 2, column 4: an array is not supported',
    ],
    [
      one('st.weak x, 1', 'exists (x == 0)', 's @ glossy aliases x;'),
      'litmus.syntax',
      'line 2, column 7: expected one of generic',
    ],
    [
      one('st.weak x, 1', `exists ${'('.repeat(9000)}`),
      'litmus.unsupported',
      'a question of more than 400 words',
    ],
  ])('%#', (text, code, message) => {
    const failure = left(readPtxLitmus(text))
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(message)
  })
  prop([anyText], { numRuns: 200 })('any text at all', (text) => {
    const answer = readPtxLitmus(`PTX ${text}`)
    return E.isRight(answer) || /^line \d+/.test(answer.left.message)
  })
  prop([fc.array(fc.constantFrom(...one('ld.acquire.gpu r0, x').split(/\b/)), { maxLength: 60 })], {
    numRuns: 300,
  })('any words of a test', (parts) => {
    const answer = readPtxLitmus(`PTX t\n${parts.join(' ')}`)
    return E.isRight(answer) || /^line \d+/.test(answer.left.message)
  })
})
