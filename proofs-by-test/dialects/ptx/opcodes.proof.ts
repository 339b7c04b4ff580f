/** The table of opcodes: every row is written right, every module resolves to rows, and what no row takes is refused where it stands. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  exampleOf,
  forms,
  formsOf,
  parseModule,
  resolveModule,
  type Resolved,
} from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { everyFile, moduleText } from './modules.js'

const declarations = `
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  .reg .f64 %fd<4>;
  .reg .v2 .b32 pair;
  .shared .align 16 .b8 buffer[64];
`
const module = (lines: string) =>
  `.version 8.7\n.target sm_90a\n.address_size 64\n.entry k(.param .u32 n) {${declarations}${lines}\n}`
/** The first line of what is given. */
const first = declarations.split('\n').length + 3

const code = (lines: string) => codeOf(right(parseModule(module(lines))))
const one = (line: string): Resolved => right(code(line))[0]!.instructions[0]!

describe('the table', () => {
  it('every row answers to an opcode of its words', () => {
    for (const form of forms) {
      const answer = formsOf(exampleOf(form))
      expect(answer._tag === 'forms' && answer.matches.some((m) => m.form === form), form.row).toBe(true)
      expect(form.about.length, form.row).toBeGreaterThan(0)
    }
  })
  it('no row stands there twice', () => {
    expect(new Set(forms.map((form) => form.row)).size).toBe(forms.length)
  })
})

describe('modules', () => {
  it('every instruction of every module is one of a row', () => {
    let instructions = 0
    const used = new Set<string>()
    for (const file of sampled(3, everyFile))
      for (const { code, refused } of right(resolveModule(right(parseModule(moduleText(file)))))) {
        expect(refused, file).toEqual([])
        instructions += code.instructions.length
        for (const i of code.instructions) used.add(i.form.row)
      }
    expect([instructions, used.size]).toEqual(
      nightly ? [83_214, 126] : [expect.any(Number), expect.any(Number)],
    )
    expect(used.size).toBeGreaterThan(70)
  })
})

describe('what is resolved', () => {
  it('modifiers by the names of their slots', () => {
    expect(one('ld.acquire.gpu.global.v2.u32 {%r1, %r2}, [%rd1+8];')).toMatchObject({
      modifiers: { sem: 'acquire', scope: 'gpu', space: 'global', vec: 'v2', type: 'u32' },
      operands: {
        d: { _tag: 'vector', items: [{ name: '%r1' }, { name: '%r2' }] },
        a: { _tag: 'address', base: { name: '%rd1' }, offset: 8 },
      },
    })
  })
  it('constants in the bits of their type', () => {
    expect(one('add.s32 %r1, %r2, -1;').operands['b']).toEqual({
      _tag: 'immediate',
      bits: 0xffffffffn,
      type: 's32',
    })
    expect(one('add.f32 %f1, %f2, 1.5;').operands['b']).toMatchObject({ bits: 0x3fc00000n })
    expect(one('add.f64 %fd1, %fd2, 0f3F800000;').operands['b']).toMatchObject({ bits: 0x3ff0000000000000n })
  })
  it('registers by number: equal ones are one, those of two scopes are two', () => {
    const [c] = right(code('{ .reg .b32 x; mov.b32 x, %r1; } { .reg .b32 x; mov.b32 x, %r1; }'))
    const [a, b] = c!.instructions
    expect(a!.reads[0]).toBe(b!.reads[0])
    expect(a!.writes[0]!.index).not.toBe(b!.writes[0]!.index)
  })
  it('labels by the instruction behind them, of the innermost scope', () => {
    const [c] = right(code('again: ret; { again: exit; bra again; } bra again; { bra later; } later: ret;'))
    const targets = c!.instructions.flatMap((i) =>
      i.operands['target']?._tag === 'label' ? [i.operands['target'].target] : [],
    )
    expect(targets).toEqual([1, 0, 5])
  })
  it('what is read and written', () => {
    const i = one('@%p1 atom.shared.cas.b32 %r1, [%r2], %r3, %r4;')
    expect(i.writes.map((r) => r.name)).toEqual(['%r1'])
    expect(i.reads.map((r) => r.name).sort()).toEqual(['%p1', '%r2', '%r3', '%r4'])
  })
  it('parts of a word', () => {
    expect(one('mov.b64 {%r1, %r2}, %rd1;').writes.map((r) => r.name)).toEqual(['%r1', '%r2'])
    expect(one('mov.b32 %r1, {%h1, %h2};').reads).toHaveLength(2)
    expect(one('ld.shared.v2.b32 pair, [buffer];').writes.map((r) => r.name)).toEqual(['pair.x', 'pair.y'])
  })
})

describe('what is refused', () => {
  it.each([
    ['ad.s32 %r1, %r2, %r3;', 1, 'ptx.opcode', 'did you mean add'],
    ['add.s8 %r1, %r2, %r3;', 1, 'ptx.opcode', "a form of 'add'"],
    ['tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f0}, [buffer, {%r1, %r2}];', 1, 'ptx.opcode', 'supported'],
    ['add.s32 %r1, %r2;', 1, 'ptx.operand', 'the operand b'],
    ['add.s32 %r1, %r2, %r3, %r4;', 24, 'ptx.operand', "';'"],
    ['add.s32 %r1, %rd2, %r3;', 14, 'ptx.operand', "'%rd2', which is .b64"],
    ['add.s32 %r1, %q2, %r3;', 14, 'ptx.name', 'declared'],
    ['add.s32 %r1, %r8, %r3;', 14, 'ptx.name', 'declared'],
    ['add.f32 %f1, %r2, 1;', 1, 'ptx.operand', "a constant of .f32, found '1'"],
    ['add.s32 1, %r2, 1;', 1, 'ptx.operand', 'd, a register of .s32'],
    ['add.s32 _, %r2, 1;', 1, 'ptx.operand', "found '_'"],
    ['@%r1 bra over; over:', 2, 'ptx.operand', 'a predicate'],
    ['bra nowhere;', 5, 'ptx.name', 'a label'],
    ['lop3.b32 %r1, %r2, %r3, %r4, 256;', 1, 'ptx.operand', 'from 0 to 255'],
    ['cp.async.cg.shared.global [%r1], [%rd1], 8;', 1, 'ptx.operand', 'size, 16'],
    ['ld.shared.v4.b32 {%r1, %r2}, [buffer];', 19, 'ptx.operand', '4 in braces'],
    ['ld.shared.b32 %r1, [nobuffer];', 21, 'ptx.name', 'declared'],
    ['ld.shared.b32 %r1, [%p1];', 21, 'ptx.operand', 'an address'],
    ['mapa.shared::cluster.u32 %r1, %r2;', 1, 'ptx.operand', 'the operand b'],
  ])('%s', (line, column, refusedAs, says) => {
    const refused = code(line)
    const { code: found, message } = E.isLeft(refused) ? refused.left : { code: '', message: 'no refusal' }
    expect(found, message).toBe(refusedAs)
    expect(message).toContain(says)
    expect(
      message.startsWith(`${String(first)}:${String(column)}: `) ||
        message.startsWith(`${String(first - 1)}:`),
      message,
    ).toBe(true)
  })
  it.each([
    ['.reg .b32 %r<3>;', '%r'],
    ['here: ret; here: ret;', 'here'],
    ['.shared .b8 buffer[4];', 'buffer'],
  ])('%s again', (lines, name) => {
    const refused = code(lines)
    expect(E.isLeft(refused) && refused.left.code).toBe('ptx.name')
    expect(E.isLeft(refused) && refused.left.message).toContain(`'${name}' again`)
  })
})

describe('modifiers that the assembler takes in any order', () => {
  const formOf = (line: string): string => {
    const i = right(code(line))[0]!.instructions[0]!
    return `${i.form.base} ${JSON.stringify(i.modifiers)}`
  }
  it.each([
    'tcgen05.cp.cta_group::1.warpx4.32x128b [%r1], %rd1;',
    'tcgen05.cp.warpx4.cta_group::1.32x128b [%r1], %rd1;',
  ])('%s', (line) => {
    expect(formOf(line)).toBe(formOf('tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd1;'))
  })
})

/** Each line as ptxas takes it for sm_100a; with any of its addresses in 64 bits it takes none. */
describe('an address of tensor memory has 32 bits', () => {
  it.each([
    'tcgen05.ld.sync.aligned.32x32b.x1.b32 %r1, [%r2];',
    'tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], %r1;',
    'tcgen05.shift.cta_group::1.down [%r1];',
    'tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r4, %p1;',
    'tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r3], %r4, %p1;',
    'tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r4, %p1;',
    'tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r3], %r4, %p1;',
  ])('%s', (line) => {
    expect(E.isRight(code(line))).toBe(true)
    const addresses = line.match(/\[%r\d\]/g)!
    for (const address of addresses) {
      const refused = code(line.replace(address, '[%rd5]'))
      expect(E.isLeft(refused) && refused.left.message).toContain('an address of 32 bits')
    }
  })
  it('the place where the address of allocated columns is left has as many as there are', () => {
    const line = 'tcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1], 32;'
    expect(E.isRight(code(line)) && E.isRight(code(line.replace('%rd1', '%r1')))).toBe(true)
  })
})
