/**
 * Subjects are held against the words that they stand beside, and a verdict is published without them: in the zoo, and in the mutants of a queue and of a
 * pipeline.
 */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { foreign, zoo } from '../../../src/kernels/broken/index.js'
import { judgedAt, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check, standardOptions, type Checked } from '../../../src/semantics/verdict/check.js'
import { barrierName, planeName } from '../../../src/semantics/judging/detector/report.js'
import type { Subject } from '../../../src/semantics/judging/subject.js'
import type { Program } from '../../../src/semantics/language/program.js'
import type { Header } from '../../../src/semantics/log/events.js'
import { families } from '../../../src/semantics/log/units.js'
import { mutantsOf } from '../../../src/semantics/mutation/index.js'
import { nightly } from '../../extent.js'
import { right } from '../../either.js'

/** What stands between backticks is the name of a statement. */
const withoutLabels = (text: string): string => text.replaceAll(/`[^`]*`/g, '')

/** The word for it that stands in a text; null where there is none. */
const wordOf = (header: Header, s: Subject): RegExp | string | null => {
  switch (s._tag) {
    case 'barrier':
      return barrierName(header, s.barrier)
    case 'rendezvous':
      return s.id === 'cluster' ? 'cluster barrier' : `named barrier ${String(s.id)}@`
    case 'columns':
      return /alloc|freed|relinquish|columns/
    case 'group':
      return new RegExp(`${families[s.family].wait}|its ${s.family} group`)
    case 'fence':
      return /fence|acquire/
    case 'plane':
      return planeName(header, s.plane)
    case 'unit':
      return null
  }
}

const says = (text: string, word: RegExp | string): boolean =>
  typeof word === 'string' ? text.includes(word) : word.test(text)

/** Barriers whose names stand in a text, each as a whole. */
const barriersIn = (header: Header, text: string): ReadonlyArray<number> =>
  header.barriers.flatMap((_, i) => {
    const name = barrierName(header, i)
    const at = text.indexOf(name)
    return at >= 0 && !/[\w.\]]/.test(text.charAt(at - 1)) ? [i] : []
  })

const barriersOf = (about: ReadonlyArray<Subject>): ReadonlyArray<number> =>
  about.flatMap((s) => (s._tag === 'barrier' ? [s.barrier] : []))

const holds = (kinds: Set<string>, { verdict, reasons, world: { header } }: Checked): void => {
  expect(JSON.stringify(verdict)).not.toContain('"about"')
  expect(reasons.findings.map(({ id, text }) => [id, text])).toEqual(
    verdict.findings.map(({ id, text }) => [id, text]),
  )
  expect(reasons.blocked.length).toBe(verdict.waitFor.length)
  const agree = (text: string, about: ReadonlyArray<Subject>): void => {
    for (const s of about) {
      kinds.add(s._tag)
      const word = wordOf(header, s)
      // the bytes of a plane stand beside the text
      if (word !== null && s._tag !== 'plane')
        expect([text, word, says(text, word)]).toEqual([text, word, true])
    }
  }
  for (const f of reasons.findings) {
    agree(f.text, f.about)
    if (f.place !== undefined && f.id !== 'B7')
      expect(f.about.map((s) => wordOf(header, s))).toContain(f.place.plane)
    if (f.missing === undefined) continue
    agree(
      f.missing.text,
      f.missing.about.filter((s) => s._tag !== 'unit' && s._tag !== 'plane'),
    )
    // an answer by the id repeats the text of the finding, labels and all
    if (!f.missing.text.includes(f.text))
      expect([f.missing.text, barriersOf(f.missing.about)]).toEqual([
        f.missing.text,
        barriersIn(header, withoutLabels(f.missing.text)),
      ])
  }
  reasons.blocked.forEach((b) => {
    agree(b.waitsFor, b.about)
    expect([b.waitsFor, barriersOf(b.about)]).toEqual([b.waitsFor, barriersIn(header, b.waitsFor)])
  })
}

const options = { ...standardOptions, fuel: 1_000_000 }

test('what is about something says it, and a verdict is published without', () => {
  const kinds = new Set<string>()
  const programs: ReadonlyArray<Program> = [...zoo, ...foreign].flatMap((t) => {
    const made = t.program(false)
    return E.isLeft(made) ? [] : [made.right]
  })
  const mutants = ['queue', 'kv-pipeline'].flatMap((name) =>
    mutantsOf(right(judgedAt(right(kernelNamed(name)))).program, ['DROP', 'PRIME', 'EXIT', 'ALLOC'])
      .filter((_, i) => nightly || i % 12 === 0)
      .map((m) => m.program),
  )
  for (const program of [...programs, ...mutants]) {
    const checked = check(program, options)
    if (E.isRight(checked)) holds(kinds, checked.right)
  }
  expect([...kinds].sort()).toEqual(['barrier', 'columns', 'fence', 'group', 'plane', 'rendezvous', 'unit'])
})
