/**
 * Branches whose arms only compute. Oracle: each arm by itself, for either value of the condition; and of whole kernels, by hand, whether what other lanes and warps have
 * loaded comes to anything.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scalarOperation } from '../../../src/numerics/scalar/index.js'
import { mark } from '../../../src/numerics/shadow.js'
import * as Arms from '../../../src/semantics/warps/arms.js'
import type { LinkedInstruction } from '../../../src/semantics/warps/launched.js'
import type { Guard, Instruction, Operation, WarpProgram } from '../../../src/semantics/warps/program.js'
import { ofPredicate } from '../../../src/semantics/warps/program.js'
import { rows, setAll, setLane, setPredicate, wordAt, type Rows } from '../../../src/semantics/warps/rows.js'
import * as Shadows from '../../../src/semantics/warps/shadows.js'
import * as Silent from '../../../src/semantics/warps/silent.js'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

// ---------------------------------------------------------------- one branch

/** An arm: operations, and branches by a predicate that have arms of their own. */
type Arm = ReadonlyArray<Step>
interface Step {
  readonly name: string
  readonly a: number
  readonly b: number
  readonly to: number
  readonly guard: Guard | null
  readonly arms: readonly [Arm, Arm] | null
}

const registers = 5
const guards = fc.record({ predicate: fc.nat(2), negated: fc.boolean() })
const { arm } = fc.letrec<{ arm: Arm; step: Step }>((tie) => ({
  arm: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'arms' }),
  step: fc.record({
    name: fc.constantFrom('add.s32', 'xor.b32', 'mul.lo.s32', 'and.b32'),
    a: fc.nat(registers - 1),
    b: fc.nat(registers - 1),
    to: fc.nat(registers - 1),
    guard: fc.option(guards, { freq: 3 }),
    arms: fc.option(fc.tuple(tie('arm'), tie('arm')), { maxDepth: 2, depthIdentifier: 'arms' }),
  }),
}))

const nothing: Guard = { predicate: 0, negated: false }
const plain = (operation: Operation, guard: Guard | null): Instruction => ({ site: 0, guard, operation })

/** The code of a branch: it goes to its second arm where its guard holds. */
const coded = (
  guard: Guard,
  [first, second]: readonly [Arm, Arm],
  at: number,
): ReadonlyArray<Instruction> => {
  const one = codedArm(first, at + 1)
  const other = codedArm(second, at + 2 + one.length)
  const join = at + 2 + one.length + other.length
  return [
    plain({ _tag: 'branch', target: at + 2 + one.length, join }, guard),
    ...one,
    plain({ _tag: 'branch', target: join, join: null }, null),
    ...other,
  ]
}
const codedArm = (arm: Arm, at: number): ReadonlyArray<Instruction> => {
  const out: Instruction[] = []
  for (const { name, a, b, to, guard, arms } of arm)
    out.push(
      ...(arms === null
        ? [plain({ _tag: 'scalar', name, from: [a, b], to: [to] }, guard)]
        : coded(guard ?? nothing, arms, at + out.length)),
    )
  return out
}

/** What a lane's words become, if its predicates are these. */
const interpreted = (arm: Arm, words: number[], holds: ReadonlyArray<boolean>): void => {
  for (const { name, a, b, to, guard, arms } of arm) {
    const g = guard ?? nothing
    const isSo = holds[g.predicate]! !== g.negated
    if (arms !== null) interpreted(arms[isSo ? 1 : 0], words, holds)
    else if (guard === null || isSo) words[to] = scalarOperation(name)!.compute(words[a]!, words[b]!)
  }
}

const programOf = (code: ReadonlyArray<Instruction>): WarpProgram =>
  ({ code, rows: registers, predicates: 3 }) as unknown as WarpProgram

const computing = (r: Rows, code: ReadonlyArray<Instruction>): Arms.Computing => ({
  rows: r,
  program: programOf(code),
  code: code.map((instruction): LinkedInstruction => ({
    instruction,
    scalar: instruction.operation._tag === 'scalar' ? scalarOperation(instruction.operation.name)! : null,
    product: null,
  })),
  act: ({ instruction: { operation: o }, scalar }, mask) => {
    if (o._tag !== 'scalar') throw new Error(o._tag)
    Shadows.follow(r, o, scalar, mask)
    Silent.scalar(r, o.name, scalar!, o.from, o.to, mask, mask === -1)
    return null
  },
})

describe('laws 1 and 2', () => {
  test('what is known is so for all values of what is not, and the rest is of the arm that is chosen', () => {
    fc.assert(
      fc.property(
        guards,
        fc.tuple(arm, arm),
        fc.array(fc.integer(), { minLength: registers, maxLength: registers }),
        fc.array(fc.nat(7), { minLength: 3, maxLength: 3 }),
        // predicates that are not known: the branch's own is one of them
        fc.nat(7),
        (by, arms, words, predicates, hidden) => {
          const isOpen = (p: number): boolean => p === by.predicate || ((hidden >>> p) & 1) === 1
          const r = rows(registers, 3, null, null, Shadows.shadow(registers, 3), null, null, null)
          // three lanes, whose words and predicates differ
          const wordsOf = (lane: number): number[] => words.map((w) => (w + lane) | 0)
          words.forEach((w, row) => {
            setAll(r, row, w)
            for (const lane of [1, 2]) setLane(r, row, lane, (w + lane) | 0)
          })
          predicates.forEach((holds, p) => {
            setPredicate(r, p, -1, holds, 0)
            if (isOpen(p))
              for (const lane of [0, 1, 2]) Shadows.markAs(r.shadow!, ofPredicate(p), lane, mark(1, 7))
          })
          const code = coded(by, arms, 0)
          expect(Arms.compute(computing(r, code), 0, by, 0b111)).toBe(true)
          for (const lane of [0, 1, 2]) {
            const actual = predicates.map((holds) => ((holds >>> lane) & 1) === 1)
            const all = Array.from({ length: 8 }, (_, n) =>
              actual.map((holds, p) => (isOpen(p) ? ((n >>> p) & 1) === 1 : holds)),
            ).map((holds) => {
              const now = wordsOf(lane)
              interpreted(arms[holds[by.predicate]! !== by.negated ? 1 : 0], now, holds)
              return now
            })
            const now = wordsOf(lane)
            interpreted(arms[actual[by.predicate]! !== by.negated ? 1 : 0], now, actual)
            for (let row = 0; row < registers; row++) {
              expect(wordAt(r, row, lane)).toBe(now[row])
              if (Shadows.markIn(r.shadow!, row, lane) === 0)
                expect(new Set(all.map((one) => one[row])).size).toBe(1)
            }
          }
          // lanes that are not asked are as they were
          for (let row = 0; row < registers; row++) expect(wordAt(r, row, 3)).toBe(words[row]! | 0)
        },
      ),
    )
  })
  test('a word that no arm writes stays known, and one that both leave alike', () => {
    const arms = [
      [{ name: 'add.s32', a: 0, b: 0, to: 1, guard: null, arms: null }],
      [{ name: 'add.s32', a: 0, b: 0, to: 1, guard: null, arms: null }],
    ] as const
    const r = rows(registers, 3, null, null, Shadows.shadow(registers, 3), null, null, null)
    for (let row = 0; row < registers; row++) setAll(r, row, 5)
    setPredicate(r, 0, -1, -1, 0)
    Shadows.markAs(r.shadow!, ofPredicate(0), 0, mark(1, 7))
    expect(Arms.compute(computing(r, coded(nothing, arms, 0)), 0, nothing, 1)).toBe(true)
    expect([0, 1].map((row) => [wordAt(r, row, 0), Shadows.markIn(r.shadow!, row, 0)])).toEqual([
      [5, 0],
      [10, 0],
    ])
  })
})

describe('what are no such arms', () => {
  const code = (...all: ReadonlyArray<readonly [Operation, Guard | null]>): ReadonlyArray<Instruction> =>
    all.map(([operation, guard]) => plain(operation, guard))
  const add: Operation = { _tag: 'scalar', name: 'add.s32', from: [0, 1], to: [2] }
  const branch = (target: number, join: number | null): Operation => ({ _tag: 'branch', target, join })
  const written = (all: ReadonlyArray<Instruction>) => Arms.writtenByArms(programOf(all), 0)
  test('one that computes is one, wherever its text stands', () => {
    expect(written(code([branch(2, 2), nothing], [add, null]))).toEqual([2])
    // the arm lies behind the join and comes back
    expect(
      written(code([branch(2, 1), nothing], [{ _tag: 'exit' }, null], [add, null], [branch(1, null), null])),
    ).toEqual([2])
  })
  test.each([
    ['arms that do not meet', code([branch(2, null), nothing], [add, null], [add, null])],
    ['a loop', code([branch(3, 3), nothing], [add, null], [branch(1, 3), { predicate: 1, negated: false }])],
    ['the branch again', code([branch(2, 2), nothing], [branch(0, null), null], [add, null])],
    ['an end', code([branch(2, 2), nothing], [{ _tag: 'exit' }, null], [add, null])],
    [
      'lanes that look at one another',
      code([branch(2, 2), nothing], [{ _tag: 'activeLanes', to: 2 }, null], [add, null]),
    ],
  ])('%s', (_, all) => {
    expect(written(all)).toBeNull()
  })
})

// ---------------------------------------------------------------- kernels

/** All lanes of two warps load word 0 of x; %c1: it is negative. Thread 0 is %c2. */
const told = (body: string): string => {
  const { verdict, findings } = verdictOfText(
    moduleOf(
      ['px', 'py'],
      `.reg .b32 %t, %v, %r<8>; .reg .b64 %x, %y, %a; .reg .pred %c<8>;
ld.param.u64 %x, [px]; ld.param.u64 %y, [py]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.s64 %y, %y, %a;
setp.eq.u32 %c2, %t, 0; mov.u32 %r1, 1; ld.global.b32 %v, [%x]; setp.lt.s32 %c1, %v, 0;
${body}
ret;`,
    ),
    { threads: 64, buffers: ofZeros(64, 'x', 'y'), outputs: [] },
    { provenance: false, explore: false },
  )
  return [verdict, ...[...new Set(findings.map(({ id }) => id))].sort()].join(' ')
}

describe('a word that all load and one thread overwrites', () => {
  const rare = '@%c1 bra J; add.s32 %r1, %v, 7; J: add.s32 %r1, %r1, %v;'
  test.each([
    ['one thread alone stores what its arm has made', `${rare} @%c2 st.global.b32 [%x], %r1;`, 'ok'],
    ['a predicate in place of the branch', '@!%c1 add.s32 %r1, %v, 7; @%c2 st.global.b32 [%x], %r1;', 'ok'],
    [
      'an arm that lies behind the end',
      '@%c1 bra A; J: @%c2 st.global.b32 [%x], %r1; ret; A: add.s32 %r1, %v, 7; bra J;',
      'ok',
    ],
    [
      'a branch in an arm',
      '@%c1 bra J; setp.gt.s32 %c3, %v, 9; @%c3 bra I; add.s32 %r1, %v, 7; I: add.s32 %r1, %r1, 1; J: @%c2 st.global.b32 [%x], %r1;',
      'ok',
    ],
    [
      'others store what their arms have made: they may load what was stored',
      `${rare} st.global.b32 [%y], %r1; @%c2 st.global.b32 [%x], %r1;`,
      'hazard D2 D5',
    ],
    [
      'an arm stores: what others load decides where',
      '@%c1 bra J; st.global.b32 [%y], %t; J: @%c2 st.global.b32 [%x], %r1;',
      'hazard D2 D5',
    ],
  ])('%s', (_, body, expected) => {
    expect(told(body)).toBe(expected)
  })
})
