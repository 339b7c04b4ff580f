/**
 * Plain code. Oracle of law 1: a machine of a few registers that is written here, which runs the code as it was and as it is given back, from registers that are drawn;
 * of what is found out: every guard and operand by hand, over all truths.
 */
import { describe, expect, test } from 'vitest'
import type { Code } from '../../../src/dialects/ptx/index.js'
import { plain } from '../../../src/dialects/ptx/flow/plain.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../extent.js'
import { codesOf, moduleOf } from './small-text.js'

type Resolved = Code['instructions'][number]
type Value = Resolved['operands'][string]

const code = (lines: string): Code =>
  codesOf(
    moduleOf(
      [],
      `.reg .pred %p<6>; .reg .b32 %r<8>; .reg .b64 %rd<2>;
${lines}
ret;`,
    ),
  )[0]!

// ---------------------------------------------------------------- a machine

const compare = (cmp: string, type: string, a: number, b: number): boolean => {
  const [x, y] = type.startsWith('s') ? [a | 0, b | 0] : [a >>> 0, b >>> 0]
  const order = x < y ? 'lt' : x > y ? 'gt' : 'eq'
  return (
    { eq: ['eq'], ne: ['lt', 'gt'], lt: ['lt'], le: ['lt', 'eq'], gt: ['gt'], ge: ['gt', 'eq'] }[cmp] ?? []
  ).includes(order)
}

/** What the code stores, in order; `start`: of a register what it holds at first. */
const stored = (c: Code, start: (register: number) => number): ReadonlyArray<number> => {
  const held = new Map<number, number>()
  const at = (index: number): number => held.get(index) ?? start(index)
  const of = (v: Value | undefined): number => {
    switch (v?._tag) {
      case 'register':
        return v.type === 'pred' ? at(v.index) & 1 : at(v.index)
      case 'immediate':
        return Number(BigInt.asIntN(32, v.bits))
      case 'predicate':
        return (of(v.of) & 1) ^ (v.negated ? 1 : 0)
      default:
        throw new Error(`no operand of this machine: ${String(v?._tag)}`)
    }
  }
  const out: number[] = []
  for (let pc = 0, steps = 0; pc < c.instructions.length && steps < 200; steps++) {
    const i = c.instructions[pc]!
    const { operands: o, modifiers: m } = i
    pc += 1
    if (i.guard !== null && (at(i.guard.register.index) & 1) === (i.guard.negated ? 1 : 0)) continue
    const put = (v: Value | undefined, word: number): void => {
      if (v?._tag === 'register') held.set(v.index, word)
    }
    switch (i.form.base) {
      case 'mov':
        put(o['d'], of(o['a']))
        break
      case 'not':
        put(o['d'], of(o['a']) ^ 1)
        break
      case 'and':
        put(o['d'], of(o['a']) & of(o['b']))
        break
      case 'or':
        put(o['d'], of(o['a']) | of(o['b']))
        break
      case 'xor':
        put(o['d'], of(o['a']) ^ of(o['b']))
        break
      case 'add':
        put(o['d'], (of(o['a']) + of(o['b'])) | 0)
        break
      case 'selp':
        put(o['d'], of(o['c']) === 0 ? of(o['b']) : of(o['a']))
        break
      case 'setp': {
        const is = compare(m['cmp'] ?? '', m['type'] ?? '', of(o['a']), of(o['b']))
        put(o['p'], is ? 1 : 0)
        put(o['q'], is ? 0 : 1)
        break
      }
      case 'st':
        out.push(of(o['b']))
        break
      case 'bra': {
        const label = o['target']
        if (label?._tag === 'label') pc = label.target
        break
      }
      case 'ret':
        return out
      default:
        throw new Error(`no instruction of this machine: ${i.form.base}`)
    }
  }
  return out
}

// ---------------------------------------------------------------- drawn programs

const drawn = (seed: number): string => {
  const die = dice(seed)
  const p = (): string => `%p${String(die.below(4))}`
  const r = (): string => `%r${String(die.below(4))}`
  const n = (): string => String(die.below(3) - 1)
  const rn = (): string => (die.chance(0.4) ? n() : r())
  const set = (): string =>
    `setp.${die.pick(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])}.${die.pick(['s32', 'u32'])}`
  const last = 10 + die.below(8)
  const line = (k: number): string => {
    const guard = die.chance(0.35) ? `@${die.pick(['', '!'])}${p()} ` : ''
    const does = die.pick([
      () => `${set()} ${p()}, ${rn()}, ${rn()};`,
      () => `${set()} ${p()}, ${n()}, ${n()};`,
      () => {
        const [a, b] = die.pick([
          ['%p0', '%p1'],
          ['%p2', '%p3'],
          ['%p3', '%p0'],
        ] as const)
        return `${set()} ${a}|${b}, ${r()}, ${rn()};`
      },
      () => `mov.pred ${p()}, ${p()};`,
      () => `not.pred ${p()}, ${p()};`,
      () => `${die.pick(['and', 'or', 'xor'])}.pred ${p()}, ${p()}, ${p()};`,
      () => `${die.pick(['and', 'or'])}.pred ${p()}, ${p()}, ${p()};`,
      () => `mov.u32 ${r()}, ${rn()};`,
      () => `mov.u32 ${r()}, ${r()};`,
      () => `add.s32 ${r()}, ${r()}, ${rn()};`,
      () => `selp.b32 ${r()}, ${rn()}, ${rn()}, ${p()};`,
      () => `st.global.u32 [%rd1], ${r()};`,
      () => `bra L${String(Math.min(last, k + 1 + die.below(5)))};`,
    ])()
    return `L${String(k)}: ${guard}${does}`
  }
  return `${Array.from({ length: last }, (_, k) => line(k)).join('\n')}
L${String(last)}: ${[0, 1, 2, 3]
    .map(
      (k) =>
        `st.global.u32 [%rd1], %r${String(k)}; selp.b32 %r7, 1, 0, %p${String(k)}; st.global.u32 [%rd1], %r7;`,
    )
    .join(' ')}`
}

test('law 1: every instruction does what it did', () => {
  let changed = 0
  for (let seed = 0; seed < (nightly ? 20_000 : 120); seed++) {
    const text = drawn(seed)
    const before = code(text)
    const after = plain(before)
    changed += after === before ? 0 : 1
    for (let run = 0; run < 4; run++) {
      const die = dice(1000 * seed + run)
      const words = Array.from({ length: 64 }, () => die.below(4) - 1)
      expect(
        stored(after, (k) => words[k] ?? run),
        text,
      ).toEqual(stored(before, (k) => words[k] ?? 1 - run))
    }
  }
  expect(changed).toBeGreaterThan(100)
})

test('law 2: code that is plain is given back as it is', () => {
  const simple = code('setp.eq.s32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], %r1;')
  expect(plain(simple)).toBe(simple)
})

// ---------------------------------------------------------------- what is found out

/** Of the last store: its guard, `always`, or the name of the register as it was written first. */
const guardOf = (lines: string): string => {
  const i = plain(code(lines))
    .instructions.filter(({ form }) => form.base === 'st')
    .at(-1)!
  return i.guard === null ? 'always' : `${i.guard.negated ? '!' : ''}${i.guard.register.name}`
}
const operandOf = (lines: string, base: string, name: string): string => {
  const v = plain(code(lines))
    .instructions.filter(({ form }) => form.base === base)
    .at(-1)!.operands[name]!
  return v._tag === 'register' ? v.name : v._tag === 'immediate' ? String(v.bits) : v._tag
}
const st = '@%p3 st.global.u32 [%rd1], %r1;'
const constant = (p: string, is: boolean): string => `setp.${is ? 'eq' : 'ne'}.s32 ${p}, 0, 0;`

describe('of what is constant', () => {
  const both = [true, false]
  for (const a of both)
    for (const b of both)
      test.each([
        ['and', a && b],
        ['or', a || b],
      ] as const)(`${String(a)} %s ${String(b)}`, (op, is) => {
        const lines = `${constant('%p1', a)} ${constant('%p2', b)} ${op}.pred %p3, %p1, %p2;`
        expect(guardOf(`${lines} ${st}`)).toBe(is ? 'always' : '%p3')
        expect(guardOf(`${lines} ${st.replace('@', '@!')}`)).toBe(is ? '!%p3' : 'always')
      })
  test.each([
    // the predicate %p0 is not known
    ['and', true, '%p0'],
    ['and', false, '%p3'],
    ['or', true, 'always'],
    ['or', false, '%p0'],
  ] as const)('what is not known %s %s', (op, is, guard) => {
    for (const operands of ['%p0, %p1', '%p1, %p0'])
      expect(guardOf(`${constant('%p1', is)} ${op}.pred %p3, ${operands}; ${st}`)).toBe(guard)
  })
  test.each([
    ['and.pred %p3, %p0, %p0;', '%p0'],
    ['or.pred %p3, %p0, %p0;', '%p0'],
    ['not.pred %p1, %p0; or.pred %p3, %p0, %p1;', 'always'],
    ['not.pred %p1, %p0; and.pred %p3, %p1, %p0;', '%p3'],
    ['not.pred %p3, %p0;', '!%p0'],
    ['not.pred %p1, %p0; not.pred %p3, %p1;', '%p0'],
    ['mov.pred %p3, %p0;', '%p0'],
    ['setp.eq.s32 %p3, %r1, %r1;', 'always'],
    ['setp.lt.s32 %p3, %r1, %r1;', '%p3'],
    ['setp.ne.s32 %p1|%p3, %r1, %r1;', 'always'],
    ['setp.eq.s32 %p1|%p3, 1, 2;', 'always'],
    ['mov.u32 %r2, 3; setp.eq.s32 %p3, %r2, 3;', 'always'],
    ['setp.lt.s32 %p3, -1, 0;', 'always'],
    ['setp.gt.u32 %p3, -1, 0;', 'always'],
    ['setp.lt.u32 %p3, -1, 0;', '%p3'],
    // what was said is forgotten where its source is written anew, and kept on both ways
    ['mov.pred %p3, %p0; setp.eq.s32 %p0, %r1, 0;', '%p3'],
    [`@%p0 bra A; ${constant('%p3', true)} bra B; A: ${constant('%p3', true)} B:`, 'always'],
    [`@%p0 bra A; ${constant('%p3', true)} bra B; A: ${constant('%p3', false)} B:`, '%p3'],
    [`@%p0 ${constant('%p3', true)}`, '%p3'],
  ])('%s', (lines, guard) => {
    expect(guardOf(`${lines} ${st}`)).toBe(guard)
  })
})

test('what asks names a constant, and what was copied', () => {
  expect(operandOf('mov.b32 %r7, 0; selp.b32 %r1, 1, %r7, %p0;', 'selp', 'b')).toBe('0')
  expect(operandOf('mov.b32 %r7, %r2; setp.eq.s32 %p1, %r7, 5;', 'setp', 'a')).toBe('%r2')
  expect(operandOf('mov.b32 %r7, %r2; mov.b32 %r2, 1; setp.eq.s32 %p1, %r7, 5;', 'setp', 'a')).toBe('%r7')
  const test = 'mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r6;'
  const waits = plain(code(`mov.b32 %r7, %r2; mov.b32 %r6, 1; ${test}`)).instructions[2]!
  const at = waits.operands['a']!
  expect(at._tag === 'address' && at.base?._tag === 'register' && at.base.name).toBe('%r2')
  expect(waits.operands['parity']).toMatchObject({ _tag: 'immediate', bits: 1n })
  expect(waits.reads.map(({ name }) => name)).toEqual(['%r2'])
})

test('registers that are used again are told apart, but not those of what meets or runs on', () => {
  const registersOf = (lines: string, name: string): number =>
    new Set(
      plain(code(lines))
        .instructions.flatMap(({ writes }) => writes)
        .filter((r) => r.name === name),
    ).size
  const twice = (between: string): string =>
    `setp.eq.s32 %p1, %r1, 1; ${between} @%p1 st.global.u32 [%rd1], %r1; setp.eq.s32 %p1, %r1, 2; @%p1 st.global.u32 [%rd1], %r2;`
  expect(registersOf(twice(''), '%p1')).toBe(2)
  expect(registersOf(`${twice('')} bar.red.and.pred %p2, 0, %p1;`, '%p1')).toBe(1)
  // both are read by one
  expect(
    registersOf(
      '@%p0 bra A; setp.eq.s32 %p1, %r1, 1; bra B; A: setp.eq.s32 %p1, %r1, 2; B: @%p1 ret;',
      '%p1',
    ),
  ).toBe(1)
  const moved = 'mov.u32 %r3, 1; st.global.u32 [%rd1], %r3; mov.u32 %r3, 2; st.global.u32 [%rd1], %r3;'
  expect(registersOf(moved, '%r3')).toBe(2)
  expect(registersOf(moved.replace('mov.u32 %r3, 2', 'add.u32 %r3, %r1, 2'), '%r3')).toBe(1)
})
