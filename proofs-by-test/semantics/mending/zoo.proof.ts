/**
 * The zoo, mended: of every finding what is added and where, and the verdict of the mended program; or why nothing is.
 *
 * Law 1 is judged here again, by the options of the question. Law 2: without what was added, the program is there again.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { foreign, zoo, type Twin } from '../../../src/kernels/broken/index.js'
import type { Diagnosis, Finding } from '../../../src/semantics/judging/finding.js'
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
  readonly finding: Diagnosis
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

describe('the search', () => {
  const known = all.filter(({ finding }) => finding.missing !== undefined)
  /** A judgement that says nothing but its verdict, and the findings that are there. */
  const judged = (verdict: string, findings: ReadonlyArray<Finding> = []): Checked =>
    ({ verdict: { verdict, findings, notes: [] } }) as unknown as Checked
  /** The edges that are judged if each judgement is as said. */
  const tries = (
    { program, finding }: Asked,
    before: Checked,
    said: (n: number) => Checked | null,
  ): { readonly programs: ReadonlyArray<Program>; readonly mending: Asked['mending'] } => {
    const programs: Program[] = []
    const checked = known.find((asked) => asked.program === program)!.before
    const mending = mended(
      program,
      Object.assign({}, checked, { verdict: before.verdict }),
      finding,
      (made) => {
        programs.push(made)
        const answer = said(programs.length)
        return answer === null ? E.left({ code: 'x', message: 'refused' }) : E.right(answer)
      },
    )
    return { programs, mending }
  }
  const codeOf = (mending: Asked['mending']): string =>
    E.isLeft(mending) ? mending.left.code : mending.right.checked.verdict.verdict

  it('tries every edge if no judgement takes one, and says how many', () => {
    let most = 0
    for (const asked of known) {
      const same = judged('hazard', [asked.finding])
      const { programs, mending } = tries(asked, same, () => same)
      expect(codeOf(mending)).toBe(programs.length === 0 ? 'mend.no-edge' : 'mend.not-found')
      if (programs.length > 0 && E.isLeft(mending))
        expect(mending.left.message).toContain(
          programs.length === 1 ? ': one edge was tried' : `: ${String(programs.length)} edges were tried`,
        )
      most = Math.max(most, programs.length)
    }
    expect(most).toBeGreaterThan(15)
  })

  const long = known.find(({ name }) => name.startsWith('zoo/R2 '))!
  const bad = judged('hazard', [long.finding])
  const ofLong = (
    said: (n: number) => Checked | null,
    before: Checked = bad,
  ): readonly [number, string, number] => {
    const { programs, mending } = tries(long, before, said)
    return [programs.length, codeOf(mending), E.isRight(mending) ? mending.right.tried : 0]
  }
  it('ends with the first that is ok, or eight behind the first that is better', () => {
    expect(ofLong(() => bad)).toEqual([16, 'mend.not-found', 0])
    expect(ofLong((n) => (n === 3 ? judged('ok') : bad))).toEqual([3, 'ok', 3])
    expect(ofLong((n) => (n === 2 ? judged('deadlock') : bad))).toEqual([10, 'deadlock', 2])
    expect(ofLong((n) => (n === 2 ? judged('deadlock') : n === 10 ? judged('ok') : bad))).toEqual([
      10,
      'ok',
      10,
    ])
    expect(ofLong((n) => (n === 2 ? judged('deadlock') : n === 11 ? judged('ok') : bad))).toEqual([
      10,
      'deadlock',
      2,
    ])
    // the first of those that are better
    expect(ofLong((n) => (n === 2 ? judged('deadlock') : n === 4 ? judged('wrong-result') : bad))).toEqual([
      10,
      'deadlock',
      2,
    ])
  })
  it('counts no program that is refused', () => {
    expect(ofLong((n) => (n < 3 ? null : n === 3 ? judged('ok') : bad))).toEqual([3, 'ok', 1])
    expect(ofLong(() => null)).toEqual([16, 'mend.no-edge', 0])
  })
  it('prefers what is decided where nothing was', () => {
    const open = judged('undecided', [long.finding])
    const left = judged('undecided')
    expect(ofLong((n) => (n === 1 ? left : open), open)).toEqual([16, 'undecided', 1])
    expect(ofLong((n) => (n === 1 ? left : n === 3 ? judged('deadlock') : open), open)).toEqual([
      11,
      'deadlock',
      3,
    ])
    expect(ofLong((n) => (n === 1 || n === 2 ? left : open), open)).toEqual([16, 'undecided', 1])
  })
  it('refuses a finding of what is no statement, by its name, and one whose edge was not looked for', () => {
    const { program, before, finding } = long
    const refusal = (changed: object): string => {
      const other = Object.assign({}, finding, changed) as Diagnosis
      const made = mended(program, before, other, () => E.right(before))
      return E.isLeft(made) ? `${made.left.code}: ${made.left.message}` : 'mended'
    }
    const [a, b] = [
      Object.assign({}, finding.a, { site: 'one' }),
      Object.assign({}, finding.b, { site: 'other' }),
    ]
    expect(refusal({ a })).toMatch(/^mend.statement: .*`one`/)
    expect(refusal({ b })).toMatch(/^mend.statement: .*`other`/)
    expect(refusal({ a, b })).toMatch(/^mend.statement: .*`one`/)
    expect(refusal({ missing: undefined })).toMatch(/^mend.unknown: /)
  })
})
