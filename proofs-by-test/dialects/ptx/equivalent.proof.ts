/**
 * Modules that mean the same get the same verdict. Oracle: the module as its compiler wrote it, and its broken twins; each is written anew, in ways that change no result.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

type Writing = (module: string) => string

/** Declares registers of its own at the beginning of every function's body. */
const declaring: Writing = (module) =>
  module.replace(/^(\s*\.reg \.pred\s+%p<\d+>;)/mu, '$1\n.reg .pred %qp<8>; .reg .b32 %qr<8>;')

const plainly = /^\s*(?:mov|add|sub|shl|shr|selp|setp|cvt|mul|mad|mbarrier\.init|st)\.[\w.:]*\s[^@{}]*;$/u
/** Each simple instruction that stands on a line of its own, under a guard that is always true. */
const guarded =
  (says: string): Writing =>
  (module) =>
    declaring(module)
      .split('\n')
      .map((line) => (plainly.test(line) ? `${says}\n@%qp2 ${line.trim()}` : line))
      .join('\n')

/** Branches by a predicate, as another one says it. */
const told =
  (as: (predicate: string, negated: boolean) => string): Writing =>
  (module) =>
    declaring(module).replace(
      /@(!?)(%p\d+|%?\w*[Dd]one\w*|p)\s+bra(\.uni)?\s/gu,
      (_, not: string, predicate: string) => `${as(predicate, not === '!')} bra `,
    )

const waits =
  /^(\s*)(\$?\w+):\s*\n((?:(?!\$?\w+:)[^\n]*\n)*?)(\s*mbarrier\.try_wait[^\n]*;\s*\n)(\s*@(\w+|%p\d+) bra[^;]*;)[^\n]*\n(\s*bra[^;]*;)/gmu

/** Loops that wait ask so often in a turn. */
const unrolled =
  (times: number): Writing =>
  (module) =>
    module.replace(
      waits,
      (_all, _s, label: string, before: string, ask: string, leave: string, _p, back: string) =>
        [`${label}:`, before, ...Array.from({ length: times }, () => `${ask}${leave}\n`), back].join('\n'),
    )
/** They ask so often before they go round. */
const peeled =
  (times: number): Writing =>
  (module) =>
    module.replace(
      waits,
      (_all, _s, label: string, before: string, ask: string, leave: string, _p, back: string) =>
        [
          before,
          ...Array.from({ length: times }, () => `${ask}${leave}\n`),
          `${label}:`,
          before,
          `${ask}${leave}`,
          back,
        ].join('\n'),
    )

const writings: ReadonlyArray<readonly [name: string, writing: Writing]> = [
  ['a constant comparison', guarded('setp.eq.s32 %qp2, 0, 0;')],
  ['a register that equals itself', guarded('setp.ge.u32 %qp2, %qr1, %qr1;')],
  ['a constant in a register', guarded('mov.u32 %qr2, 5; setp.lt.u32 %qp2, %qr2, 7;')],
  [
    'a constant predicate, negated twice',
    guarded('mov.pred %qp1, 0; not.pred %qp3, %qp1; and.pred %qp2, %qp3, %qp3;'),
  ],
  ['the opposite', told((p, not) => `not.pred %qp1, ${p};\n@${not ? '' : '!'}%qp1`)],
  ['a copy', told((p, not) => `mov.pred %qp1, ${p};\n@${not ? '!' : ''}%qp1`)],
  ['both of one', told((p, not) => `or.pred %qp1, ${p}, ${p};\n@${not ? '!' : ''}%qp1`)],
  [
    'a word',
    told((p, not) => `selp.u32 %qr1, 1, 0, ${p};\nsetp.ne.s32 %qp1, %qr1, 0;\n@${not ? '!' : ''}%qp1`),
  ],
  ['unrolled twice', unrolled(2)],
  ['unrolled three times', unrolled(3)],
  ['peeled', peeled(1)],
  ['peeled twice', peeled(2)],
]

const home = new URL('../../../conformance/hopper/cuda/', import.meta.url)
const filesOf = (kernel: string): ReadonlyMap<string, Uint8Array> => {
  const folder = new URL(`${kernel}/`, home)
  return new Map(
    readdirSync(folder)
      .filter((name) => /\.(?:ptx|json|npy)$/u.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]),
  )
}
const verdictOf = (files: ReadonlyMap<string, Uint8Array>, module: string): string => {
  const there = new Map([...files, ['k.ptx', new TextEncoder().encode(module)]])
  const said = checkPtx(worldOf(inMemory(there)), 'k.ptx', { launch: 'launch.json' })
  const { verdict, findings } = right(said).json() as Verdict
  return [verdict, ...new Set(findings.map(({ id }) => id))].join(' ')
}

describe.each(['carried_peeks', 'cxx_barrier', 'peek_pipeline'])('%s', (kernel) => {
  const files = filesOf(kernel)
  const textOf = (name: string): string => new TextDecoder().decode(files.get(name))
  const modules = [`${kernel}.ptx`, ...(nightly ? [1, 2, 3, 4, 5] : [2]).map((k) => `broken${String(k)}.ptx`)]
  test.each(modules)('%s', (name) => {
    const text = textOf(name)
    const expected = verdictOf(files, text)
    expect(expected === 'ok').toBe(!name.startsWith('broken'))
    for (const [how, writing] of writings) {
      const anew = writing(text)
      expect([how, verdictOf(files, anew)]).toEqual([how, expected])
    }
  })
})
