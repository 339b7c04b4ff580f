/**
 * The zoo, mended: of every finding what is added and where, and the verdict of the mended program; or why nothing is.
 *
 * Law 1 is judged here again, by the options of the question. Law 2: without what was added, the program is there again.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { foreign, zoo, type Twin } from '../../../src/kernels/broken/index.js'
import type { Finding } from '../../../src/semantics/judging/finding.js'
import { mended, type Mending } from '../../../src/semantics/mending/index.js'
import { mapRegions, type Program, type Region } from '../../../src/semantics/language/program.js'
import {
  check,
  standardOptions,
  type CheckOptions,
  type Checked,
} from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { rows } from './rows.js'

const optionsOf = ({ shows }: Twin): CheckOptions => ({
  ...standardOptions,
  strict: shows.strict ?? false,
  strictProxies: shows.strictProxies ?? false,
})

interface Asked {
  readonly name: string
  readonly program: Program
  readonly before: Checked
  readonly finding: Finding
  readonly options: CheckOptions
  readonly mending: E.Either<{ readonly code: string; readonly message: string }, Mending>
}

const askedOf = (t: Twin): ReadonlyArray<Asked> => {
  const made = t.program(false)
  if (E.isLeft(made)) return []
  const program = made.right
  const options = optionsOf(t)
  const before = right(check(program, options))
  return before.reasons.findings.map((finding, i) => ({
    name: `${t.path} ${String(i + 1)} ${finding.id}`,
    program,
    before,
    finding,
    options,
    mending: mended(program, before, finding, (p) => check(p, { ...options, explain: false })),
  }))
}

const all = [...zoo, ...foreign].flatMap(askedOf)

const told = ({ mending }: Asked): string =>
  E.isLeft(mending)
    ? mending.left.code
    : `${mending.right.checked.verdict.verdict}: ${mending.right.added.map((a) => `${a.statement} ${a.where}`).join('; ')}`

const nameOf = (f: Finding): string =>
  [f.id, f.a.agent, f.a.site, f.b?.agent, f.b?.site].map(String).join('|')
const namesIn = ({ verdict }: Checked): ReadonlyArray<string> =>
  [...verdict.findings, ...verdict.notes].map(nameOf)

/** The program less all that is called added. */
const less = (r: Region): Region => ({
  ...r,
  body: r.body
    .filter((s) => !s.site.label.startsWith('added '))
    .map((s) => mapRegions(s, (inner) => less(inner))),
})

describe('the zoo, mended', () => {
  it('the table', () => {
    expect(Object.fromEntries(all.map((asked) => [asked.name, told(asked)]))).toEqual(rows)
  })

  it('law 1: the mended program is ok, or the finding is gone and no other is there', () => {
    const wrong = all.flatMap(({ name, program, before, finding, options, mending }) => {
      if (E.isLeft(mending)) return []
      expect(mending.right.program).not.toEqual(program)
      const after = right(check(mending.right.program, options))
      const left = namesIn(after)
      const good =
        after.verdict.verdict === 'ok' ||
        (!left.includes(nameOf(finding)) && left.every((n) => namesIn(before).includes(n)))
      return good ? [] : [`${name}: ${after.verdict.verdict} ${left.join()}`]
    })
    expect(wrong).toEqual([])
  })

  it('law 2: without what was added the program is what it was', () => {
    let looked = 0
    for (const { program, mending } of all) {
      if (E.isLeft(mending) || mending.right.added.some((a) => a.where.startsWith('in place of'))) continue
      looked++
      expect({
        ...mending.right.program,
        storage: mending.right.program.storage.filter((s) => program.storage.some((x) => x.id === s.id)),
        entry: less(mending.right.program.entry),
      }).toEqual(program)
    }
    expect(looked).toBeGreaterThan(30)
  })

  it('a refusal is one line, with a code of the list', () => {
    for (const { mending } of all) {
      if (E.isRight(mending)) continue
      expect(['mend.unknown', 'mend.statement', 'mend.no-edge', 'mend.not-found']).toContain(
        mending.left.code,
      )
      expect(mending.left.message).not.toMatch(/\n|\b(nobody|somebody|whoever)\b/i)
    }
  })

  it('where one finding is all that is wrong and one edge all that is missing, the program is ok', () => {
    const ok = all.filter(
      ({ mending }) => E.isRight(mending) && mending.right.checked.verdict.verdict === 'ok',
    )
    expect(ok.length).toBeGreaterThan(45)
  })
})
