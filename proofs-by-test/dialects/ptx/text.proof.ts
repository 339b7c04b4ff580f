/** Texts of PTX as trees, and back: all modules that compilers wrote, one with every form in it, and what is no PTX. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  functionsOf,
  parseModule,
  printModule,
  type Module,
  type Statement,
} from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { captureFiles, cudaFiles, everyFile, everyForm, moduleText, tritonFiles } from './modules.js'

/** A tree without where its parts stand. */
const bare = (tree: unknown): string =>
  JSON.stringify(tree, (key, value: unknown) =>
    key === 'at' && typeof value === 'object' && value !== null && 'column' in value && !('file' in value)
      ? undefined
      : typeof value === 'bigint'
        ? `${String(value)}n`
        : value,
  )

const all = (body: ReadonlyArray<Statement>): ReadonlyArray<Statement> =>
  body.flatMap((s) => (s._tag === 'scope' ? [s, ...all(s.body)] : [s]))
const statementsOf = (m: Module): ReadonlyArray<Statement> => functionsOf(m).flatMap((f) => all(f.body ?? []))

describe('modules that compilers wrote', () => {
  it('there are so many', () => {
    expect([tritonFiles.length, captureFiles.length, cudaFiles.length]).toEqual([45, 21, 8])
  })
  it('every one is read, printed, and what is printed is read as the same tree', () => {
    const compared = new Set(sampled(6, everyFile))
    const printed = new Set(sampled(3, everyFile))
    let instructions = 0
    for (const file of everyFile) {
      const parsed = right(parseModule(moduleText(file)))
      instructions += statementsOf(parsed).filter((s) => s._tag === 'instruction').length
      if (!printed.has(file)) continue
      const again = right(parseModule(printModule(parsed)))
      if (compared.has(file)) expect(bare(again) === bare(parsed), file).toBe(true)
      expect(printModule(again)).toBe(printModule(parsed))
    }
    expect(instructions).toBe(83_214)
  })
})

describe('every form', () => {
  const m = right(parseModule(everyForm))
  const body = statementsOf(m)
  const instruction = (opcode: string) => {
    const found = body.find((s) => s._tag === 'instruction' && s.opcode === opcode)
    if (found?._tag !== 'instruction') throw new Error(opcode)
    return found
  }
  it('stands where it stands, and was written for what .loc said', () => {
    const { at, location } = instruction('mov.u32')
    expect(everyForm.split('\n')[at.line - 1]?.slice(at.column - 1)).toMatch(/^mov\.u32/)
    expect(location).toEqual({ file: 1, line: 40, column: 5, inlined: null })
    expect(instruction('cvta.to.global.u64').location).toEqual({
      file: 2,
      line: 11,
      column: 4,
      inlined: { label: '$L__info_string0', offset: 0, at: { file: 1, line: 40, column: 5 } },
    })
  })
  it('constants have their values', () => {
    const values = m.items.flatMap((item) =>
      item._tag === 'variable' && item.name === 'numbers' && item.initial?._tag === 'braced'
        ? item.initial.items.map((i) => (i._tag === 'integer' ? i.value : null))
        : [],
    )
    expect(values).toEqual([1n, -1n, 31n, 15n, 5n, 8n, 19n, 3n, -1n, 1n])
  })
  it('opcodes lose their blanks, scopes keep their names apart', () => {
    expect(instruction('add.s32').operands[2]).toMatchObject({ value: 14n })
    expect(body.filter((s) => s._tag === 'label' && s.name === 'again')).toHaveLength(2)
    expect(body.filter((s) => s._tag === 'scope')).toHaveLength(4)
  })
  it('operands are trees', () => {
    expect(instruction('ld.global.v4.u32')).toMatchObject({
      guard: { name: '%p1', negated: false },
      operands: [
        { _tag: 'vector', items: [{ name: '%r6' }, { name: '%r7' }, { name: '%r8' }, { name: '%r9' }] },
        { _tag: 'address', base: { name: '%rd4' }, offset: 16, more: [] },
      ],
    })
    expect(instruction('st.global.f32')).toMatchObject({
      guard: { negated: true },
      operands: [{ offset: -4 }, { _tag: 'float', width: 32, bits: 0x3f800000n }],
    })
    expect(instruction('call.uni').operands.map((o) => o._tag)).toEqual(['list', 'name', 'list'])
  })
})

describe('what is no PTX', () => {
  const head = '.version 8.7\n.target sm_90a\n.address_size 64\n'
  const inside = (line: string) => `${head}.entry k() {\n${line}\n}`
  it.each([
    ['', '1:1', "'.version'"],
    ['.version 8\n', '1:10', "a version, such as '8.7'"],
    [`${head}.entry k( {`, '4:11', "'.param'"],
    [inside('add.s32 %r1, %r2'), '6:1', "',' or ';'"],
    [inside('add.s32 %r1, ;'), '5:14', 'an operand'],
    [inside('ld.global.u32 %r1, [%rd1;'), '5:25', "']'"],
    [inside('mov.u32 %r1, 0x1FFFFFFFFFFFFFFFFF;'), '5:14', 'a number of 64 bits'],
    [inside('mov.u32 %r1, 09;'), '5:14', 'octal digits'],
    [inside('mov.u32 %r1, 12abc;'), '5:14', 'a number'],
    [inside('mov.u32 %r1, 1/0;'), '5:15', 'a divisor other than 0'],
    [inside('ld.global.u32 %r1, [%rd1+0x100000000];'), '5:25', 'an offset of 32 bits'],
    [inside('.reg .q32 %r1;'), '5:6', 'a type'],
    [inside('.reg .b32 %r<0>;'), '5:14', 'how many names'],
    [inside('.shared .align 3 .b8 x[4];'), '5:16', 'a power of two'],
    [inside('.frob 3;'), '5:1', 'a statement'],
    [inside('{ { ret;'), '6:2', "a statement or '}'"],
    [inside('{'.repeat(300)), '5:201', 'at most 200 brackets'],
    [inside(`mov.u32 %r1, ${'('.repeat(300)}1;`), '5:215', 'at most 200 brackets'],
    [`${head}.entry k() .frob 3 {}`, '4:12', 'a directive of functions'],
    [`${head}.file 1 "x`, '4:9', 'a string'],
    [`${head}/* `, '4:1', "a comment that ends in '*/'"],
    [`${head}§`, '4:1', 'a token'],
    [`${head}#define x`, '4:1', 'a token'],
  ])('%j is refused at %s', (text, place, expected) => {
    const refused = parseModule(text)
    const message = E.isLeft(refused) ? refused.left.message : 'no refusal'
    expect(message.startsWith(`${place}: expected `), message).toBe(true)
    expect(message).toContain(expected)
  })
})
