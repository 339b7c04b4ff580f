/**
 * A change that was made in another language, in terms of the program.
 *
 * A frontend changes its own text and elaborates it again. What it changed is said here by labels: the statements that came of it are those whose label
 * begins with the label of what was changed, and the first of them that has just this label is the site.
 *
 *     label  acc_37       statements  acc_37.fence, acc_37, acc_37.group       site  acc_37
 */
import type { Do, Program } from '../language/program.js'
import { isDoSite, type DoSite } from './change.js'
import { barriersIn, storagesOf } from './inline.js'
import type { Described, Manner, MutantClass, Operator } from './model.js'
import { operandsOf } from '../language/signature.js'
import { neighbourDo, sitesOf } from './sites.js'

export interface Elsewhere {
  readonly operator: Operator
  readonly class: MutantClass
  readonly change: string
  readonly manner: Manner
  /** is it the declaration of a storage that is called so? */
  readonly declares: boolean
  readonly label: string
  /** labels of all that can be changed, so that each statement belongs to one */
  readonly labels: ReadonlyArray<string>
  /** labels of what was changed, of what it changed places with, and of what stands inside that */
  readonly of: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
  readonly passes: ReadonlyArray<string>
}

/** The longest of the labels that a label begins with, up to one of its dots. */
const belongsTo = (labels: ReadonlySet<string>, label: string): string | null => {
  for (let end = label.length; end > 0; end = label.lastIndexOf('.', end - 1)) {
    const head = label.slice(0, end)
    if (labels.has(head)) return head
  }
  return null
}

/** The effects that came of some labels, those of just this label first. */
const effectsOfLabels = (
  program: Program,
  labels: ReadonlySet<string>,
  of: ReadonlyArray<string>,
): ReadonlyArray<DoSite> => {
  const sites = sitesOf(program).filter(isDoSite)
  const mine = sites.filter((s) => {
    const owner = belongsTo(labels, s.statement.site.label)
    return owner !== null && of.includes(owner)
  })
  const isExact = (s: DoSite): boolean => of.includes(s.statement.site.label)
  return [...mine.filter(isExact), ...mine.filter((s) => !isExact(s))]
}

export const describe = (before: Program, after: Program, e: Elsewhere): Described => {
  const labels = new Set(e.labels)
  const statementsOf = (p: Program, of: ReadonlyArray<string>): ReadonlyArray<Do> =>
    effectsOfLabels(p, labels, of).map((s) => s.statement)
  const mine = effectsOfLabels(before, labels, e.of)
  const [site] = mine
  const storage = before.storage.find((s) => s.id === e.label)
  const storages = storagesOf(before)
  const [barriersBefore, barriersAfter] = [barriersIn(before), barriersIn(after)]
  const statements = e.declares
    ? sitesOf(before)
        .filter(isDoSite)
        .map((s) => s.statement)
        .filter((d) => operandsOf(d.instruction).some((o) => storages(o.expr).includes(e.label)))
    : [...mine.map((s) => s.statement), ...statementsOf(before, e.others)]
  const barriers = e.declares
    ? storage?.contents._tag === 'barriers'
      ? [storage.id]
      : []
    : [
        ...statements.flatMap(barriersBefore),
        ...statementsOf(after, [...e.of, ...e.others]).flatMap(barriersAfter),
      ]
  return {
    operator: e.operator,
    class: e.class,
    instruction: e.declares || site === undefined ? 'declaration' : site.statement.instruction._tag,
    path: e.declares || site === undefined ? [] : site.statement.site.path,
    label: e.declares || site === undefined ? e.label : site.statement.site.label,
    change: e.change,
    manner: e.manner,
    statements,
    own: e.declares ? 1 : mine.length,
    passes: statementsOf(before, e.passes),
    barriers: [...new Set(barriers)],
    previous: e.declares || site === undefined ? null : neighbourDo(site, -1),
    next: e.declares || site === undefined ? null : neighbourDo(site, 1),
  }
}
