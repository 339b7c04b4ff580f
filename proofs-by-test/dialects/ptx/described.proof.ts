/** What is said of a module before anything runs. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { describePtx, parseModule } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { everyFile, moduleText } from './modules.js'

const of = (text: string) => right(describePtx(right(parseModule(text))))
const head = '.version 8.7\n.target sm_90a\n.address_size 64\n'

it('parameters lie where the alignment of each puts them', () => {
  const [f] = of(
    `${head}.entry k(.param .u64 a, .param .u32 n, .param .align 64 .b8 map[128], .param .u8 c, .param .u64 b) { ret; }`,
  ).functions
  expect(f!.parameters.map((p) => [p.name, p.offset, p.bytes])).toEqual([
    ['a', 0, 8],
    ['n', 8, 4],
    ['map', 64, 128],
    ['c', 192, 1],
    ['b', 200, 8],
  ])
})

it('a module of a compiler', () => {
  const m = of(moduleText('cuda/own_ring.ptx'))
  expect(m).toMatchObject({ target: 'sm_90a', version: '9.0' })
  expect(m.functions[0]!.spins.length).toBeGreaterThan(0)
  expect(m.functions[0]!.flights.length).toBeGreaterThan(0)
})

it('an opcode that is not supported is listed, a wrong operand is refused', () => {
  const [f] = of(
    `${head}.entry k() {\n tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [t, {%r5}];\n ret;\n}`,
  ).functions
  expect(f!.unsupported).toEqual([{ opcode: 'tex.1d.v4.s32.s32', count: 1, line: 5, why: null }])
  expect(f!.instructions).toBe(2)
  expect(E.isLeft(describePtx(right(parseModule(`${head}.entry k() { add.s32 %r1, 1, 2; }`))))).toBe(true)
})

it('an opcode that has a row and does not run is listed with the reason, and is of no family', () => {
  const [f] = of(
    `${head}.entry k(.param .u64 a) {\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\nstacksave.u64 %rd2;\nstacksave.u64 %rd2;\nret;\n}`,
  ).functions
  expect(f!.unsupported).toEqual([
    {
      opcode: 'stacksave.u64',
      count: 2,
      line: 7,
      why: '7:1: expected an instruction that is supported, found stacksave.u64',
    },
  ])
  expect(f!.families.reduce((n, x) => n + x.count, 0)).toBe(2)
  expect(f!.instructions).toBe(4)
})

it('opcodes that are not supported, in the order of the text, each at its first line', () => {
  const [f] = of(
    `${head}.entry k() {\n tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [t, {%r5}];\n tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];\n tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];\n ret;\n}`,
  ).functions
  expect(f!.unsupported).toEqual([
    { opcode: 'tex.1d.v4.s32.s32', count: 1, line: 5, why: null },
    { opcode: 'tld4.r.2d.v4.f32.f32', count: 2, line: 6, why: null },
  ])
})

it('every instruction of every module is counted', () => {
  for (const file of sampled(20, everyFile))
    for (const f of of(moduleText(file)).functions) {
      expect(
        f.families.reduce((n, x) => n + x.count, 0),
        file,
      ).toBe(f.instructions)
      expect(f.unsupported).toEqual([])
    }
})
