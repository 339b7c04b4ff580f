/** A change of one statement: what all operators have in common. */
import { checked } from '../language/index-types.js'
import type { Instruction, InstructionName } from '../language/instruction.js'
import type { Do, Program, Stmt } from '../language/program.js'
import { operandsOf } from '../language/signature.js'
import type { Change, Manner, MutantClass, Operator } from './model.js'
import { isBarriers, storagesIn } from './operands.js'
import { neighbourDo, replace, withBody, type Site } from './sites.js'

/** A site that is an effect. */
export interface DoSite extends Site {
  readonly statement: Do
}

export const isDoSite = (site: Site): site is DoSite => site.statement._tag === 'Do'

/** Storages of the barriers among the operands of an instruction. */
export const barriersOf = (program: Program, i: Instruction): ReadonlyArray<string> => {
  const arrays = new Set(program.storage.filter(isBarriers).map((s) => s.id))
  return operandsOf(i)
    .flatMap((o) => storagesIn(o.expr))
    .filter((id) => arrays.has(id))
}

const change = (
  site: DoSite,
  operator: Operator,
  of: MutantClass,
  text: string,
  manner: Manner,
  statements: ReadonlyArray<Do>,
  barriers: ReadonlyArray<string>,
  apply: (program: Program) => Program,
  passes: ReadonlyArray<Do> = [],
): Change => ({
  operator,
  class: of,
  instruction: site.statement.instruction._tag,
  path: site.statement.site.path,
  label: site.statement.site.label,
  change: text,
  manner,
  statements,
  own: 1,
  passes,
  barriers,
  previous: neighbourDo(site, -1),
  next: neighbourDo(site, 1),
  apply,
})

/** Other statements in place of the site's. */
export const instead = (
  program: Program,
  site: DoSite,
  operator: Operator,
  of: MutantClass,
  text: string,
  by: ReadonlyArray<Stmt>,
  manner: Manner = 'other',
): Change => {
  const after = by.flatMap((s) => (s._tag === 'Do' ? barriersOf(program, s.instruction) : []))
  const barriers = [...new Set([...barriersOf(program, site.statement.instruction), ...after])]
  return change(site, operator, of, text, manner, [site.statement], barriers, (p) => replace(p, site, by))
}

/** Other fields of the site's instruction. */
export const altered = (
  program: Program,
  site: DoSite,
  operator: Operator,
  of: MutantClass,
  text: string,
  fields: object,
  manner: Manner = 'other',
): Change => {
  const instruction = checked<Instruction, unknown>(Object.assign({}, site.statement.instruction, fields))
  return instead(
    program,
    site,
    operator,
    of,
    text,
    [Object.assign({}, site.statement, { instruction })],
    manner,
  )
}

/** Another body for the region of the site. */
export const rearranged = (
  program: Program,
  site: DoSite,
  operator: Operator,
  of: MutantClass,
  text: string,
  manner: Manner,
  others: ReadonlyArray<Do>,
  body: ReadonlyArray<Stmt>,
  passes: ReadonlyArray<Do> = [],
): Change =>
  change(
    site,
    operator,
    of,
    text,
    manner,
    [site.statement, ...others],
    [...new Set([site.statement, ...others].flatMap((s) => barriersOf(program, s.instruction)))],
    (p) => withBody(p, site.address, () => body),
    passes,
  )

export const nameIs =
  (...names: ReadonlyArray<InstructionName>) =>
  (s: Do): boolean =>
    names.includes(s.instruction._tag)
