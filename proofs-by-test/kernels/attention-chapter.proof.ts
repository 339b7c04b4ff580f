/**
 * docs/Attention.md: what it quotes is what the tool prints, and what its tables say of a kernel without one statement is what the kernel is judged.
 *
 * `TCSPEC_REGENERATE` writes the last column of the tables, and the quotations that are question marks.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { without } from '../../src/kernels/broken/without.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import type { Program } from '../../src/semantics/language/program.js'
import { notPrinted, printed, quotations } from '../oracle/quoted.js'
import { idsOf, judged } from './attention/fa4-runs.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const page = new URL('../../docs/Attention.md', import.meta.url).pathname
const text = readFileSync(page, 'utf8')
const regenerate = process.env['TCSPEC_REGENERATE'] !== undefined

// ---------------------------------------------------------------- what it quotes

describe('every quoted command prints what stands below it, in that order', () => {
  const quotes = quotations(text)
  test('there are four', () => {
    expect(quotes.length).toBe(4)
  })
  // by day every second one: the longest are the first and the third
  test.each(quotes.filter((_, i) => nightly || regenerate || i % 2 === 1))(
    '$argv',
    async ({ argv, quoted }) => {
      const ran = await printed(argv)
      expect([ran.status, ran.stderr]).toEqual([1, ''])
      if (regenerate && quoted === '?')
        writeFileSync(
          page,
          readFileSync(page, 'utf8').replace(`${argv}\n?`, `${argv}\n${ran.stdout.trimEnd()}`),
        )
      else expect(notPrinted(quoted, ran.stdout)).toBeNull()
    },
  )
})

// ---------------------------------------------------------------- what it says of the edges

const instance = (name: string, settings: Readonly<Record<string, number | string>>): Program =>
  right(instanceOf(right(kernelNamed(name)), settings, [])).program

/** More tiles than slots, so that every slot is used again. */
const kernels: Readonly<Record<string, Program>> = {
  FA4: instance('fa4-attention', { q: 256, kv: 256, heads: 1, headDim: 64, blockKv: 64, stages: 3 }),
  FA3: instance('fa3-attention', { q: 256, kv: 256, mask: 'causal', heads: 1, headDim: 64 }),
}

/** A deadlock by that name, anything else by the ids of its findings. */
const answer = (program: Program): string => {
  const checked = judged(program, { explore: true })
  const { verdict } = checked.verdict
  if (verdict === 'ok' || verdict === 'invalid' || verdict === 'undecided') return verdict
  return verdict === 'deadlock' ? ['deadlock', ...idsOf(checked)].join(', ') : idsOf(checked).join(', ')
}

describe('every edge of its tables, left out', () => {
  const sections = text.split(/^## /m).map((section) => [section.slice(0, 3), section] as const)
  const rows = sections.flatMap(([name, section]) =>
    [...section.matchAll(/^(\| `([^`]+)` *\|[^|]*\| )([^|]*?) *\|$/gm)].flatMap((m) =>
      kernels[name] === undefined ? [] : [{ name, start: m[1]!, label: m[2]!, said: m[3]! }],
    ),
  )
  const edges = rows.filter(({ label }) => !/^(softmax0|correction|mma|load)$/.test(label))
  test('there are so many', () => {
    expect(edges.length).toBe(39)
  })
  // by day every twelfth of them
  test.each(edges.filter((_, i) => nightly || regenerate || i % 12 === 0))(
    '$name without $label',
    ({ name, start, label, said }) => {
      const found = answer(right(without(label)(kernels[name]!)))
      if (regenerate)
        writeFileSync(page, readFileSync(page, 'utf8').replace(`${start}${said}`, `${start}${found}`))
      else expect(found).toBe(said)
    },
  )
  test.each(Object.entries(kernels))('%s, whole', (_, program) => {
    expect(answer(program)).toBe('ok')
  })
})
