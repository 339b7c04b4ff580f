/**
 * Operators on the presence and the place of a statement: DROP, DUP, MOVE, FENCE (the side of a fence), ORDER, EXIT, PRIME (a priming arrive).
 *
 * | operator | applies to                                             | becomes                                                       |
 * |----------|--------------------------------------------------------|---------------------------------------------------------------|
 * | DROP     | every statement of both classes                        | nothing; what a load would have brought is zero               |
 * | PRIME    | an arrive outside all loops (it is not dropped twice)  | nothing                                                       |
 * | EXIT     | a wait behind which its agent has no access any more   | nothing                                                       |
 * |          | an arrive at the cluster barrier and the wait behind it | neither                                                      |
 * | DUP      | every statement of both classes                        | the statement twice                                           |
 * | MOVE     | a synchronisation statement beside an access, or beside a statement that has statements inside | the other side of it  |
 * | FENCE    | the same for fences                                    | the other side of it                                          |
 * | ORDER    | two neighbours of one class                            | exchanged                                                     |
 *
 * Worked: `wait full; read; arrive empty` has two MOVEs (the wait behind the read, the arrive before it) and no ORDER; `copy a; copy b` one ORDER.
 */
import { checked } from '../language/index-types.js'
import type { Instruction, InstructionName } from '../language/instruction.js'
import type { Expr } from '../language/expression.js'
import { effectsOf, type Binder, type Do, type Program, type Stmt } from '../language/program.js'
import { instead, nameIs, rearranged, type DoSite } from './change.js'
import type { Change, MutantClass, Operator } from './model.js'
import { classOf, dataMovement, isFence } from './roles.js'
import { boundIn, effectsBehind, exchanged, isInLoop, neighbour } from './sites.js'

// ---------------------------------------------------------------- left out

const isArrive = nameIs('mbarrier.arrive')
const isWait: (s: Do) => boolean = nameIs(
  'mbarrier.wait',
  'bar.sync',
  'cluster.wait',
  'bulk.waitGroup',
  'cpAsync.waitGroup',
  'wgmma.waitGroup',
  'tcgen05.waitLd',
  'tcgen05.waitSt',
  'semaphore.wait',
)
const isAccess = (s: Do): boolean => dataMovement.has(s.instruction._tag)

/** What leaving it out is called. */
const absence = (site: DoSite): Operator => {
  if (isInLoop(site)) return 'DROP'
  if (isArrive(site.statement)) return 'PRIME'
  return isWait(site.statement) && !effectsBehind(site).some(isAccess) ? 'EXIT' : 'DROP'
}

/** Zeros in place of what a statement gives back; null where it gives back something else than tiles of numbers. */
const zeros = (b: Binder, site: Do['site']): Stmt | null => {
  const { type } = b
  if (type._tag !== 'tile' || type.element._tag !== 'scalar') return null
  const { dtype } = type.element
  return {
    _tag: 'Let',
    binder: b,
    expr: checked<Expr, unknown>({
      _tag: 'splat',
      x: { _tag: 'const', dtype, value: 0 },
      shape: type.shape,
      layout: type.layout,
    }),
    site,
  }
}

const never = checked<Exclude<Do['when'], undefined>, unknown>({ _tag: 'const', dtype: 'i1', value: 0 })

const leftOut = (program: Program, site: DoSite, of: MutantClass): Change => {
  const s = site.statement
  const instead_ = s.results.map((b) => zeros(b, s.site))
  const by = instead_.some((z) => z === null)
    ? [Object.assign({}, s, { when: never })]
    : instead_.flatMap((z) => (z === null ? [] : [z]))
  return instead(program, site, absence(site), of, 'left out', by, 'absent')
}

// ---------------------------------------------------------------- twice

const twice = (program: Program, site: DoSite, of: MutantClass, bound: ReadonlySet<string>): Change => {
  const s = site.statement
  const again = (b: Binder): Binder => {
    let { name } = b
    do name = `${name}.again`
    while (bound.has(name))
    return { name, type: b.type }
  }
  const second = s.results.length === 0 ? s : Object.assign({}, s, { results: s.results.map(again) })
  return instead(program, site, 'DUP', of, 'twice', [s, second])
}

// ---------------------------------------------------------------- elsewhere

const calls = (s: Stmt): string => (s._tag === 'Do' ? s.site.label : `all of ${s.site.label}`)

const moved = (program: Program, site: DoSite, of: MutantClass): ReadonlyArray<Change> => {
  const name: InstructionName = site.statement.instruction._tag
  const operator = isFence(name) ? 'FENCE' : 'MOVE'
  return ([-1, 1] as const).flatMap((step): ReadonlyArray<Change> => {
    const i = neighbour(site, step)
    if (i === null) return []
    const s = site.body[i]!
    const inside = effectsOf([s])
    if (s._tag === 'Do' ? !isAccess(s) : inside.length === 0) return []
    const body = step < 0 ? exchanged(site.body, i, site.index) : exchanged(site.body, site.index, i)
    const text = step < 0 ? `before ${calls(s)}` : `behind ${calls(s)}`
    return body === null
      ? []
      : [
          rearranged(
            program,
            site,
            operator,
            of,
            text,
            step < 0 ? 'earlier' : 'later',
            s._tag === 'Do' ? [s] : [],
            body,
            s._tag === 'If' ? inside : [],
          ),
        ]
  })
}

const inOtherOrder = (program: Program, site: DoSite, of: MutantClass): ReadonlyArray<Change> => {
  const i = neighbour(site, 1)
  const s = i === null ? undefined : site.body[i]
  if (i === null || s?._tag !== 'Do' || classOf(s.instruction._tag) !== of) return []
  const body = exchanged(site.body, site.index, i)
  return body === null
    ? []
    : [rearranged(program, site, 'ORDER', of, `behind ${s.site.label}`, 'later', [s], body)]
}

/** An arrive at the cluster barrier and its wait, both left out. */
const wholeRendezvous = (program: Program, site: DoSite): ReadonlyArray<Change> => {
  const i = neighbour(site, 1)
  const s = i === null ? undefined : site.body[i]
  if (!nameIs('cluster.arrive')(site.statement) || s?._tag !== 'Do' || !nameIs('cluster.wait')(s)) return []
  const body = site.body.filter((x) => x !== site.statement && x !== s)
  return [rearranged(program, site, 'EXIT', 'synchronisation', 'left out with its wait', 'absent', [s], body)]
}

// ---------------------------------------------------------------- all

export const presence = (program: Program): ((site: DoSite) => ReadonlyArray<Change>) => {
  const bound = boundIn(program.entry)
  return (site) => {
    const i: Instruction = site.statement.instruction
    const of = classOf(i._tag)
    if (of === null) return []
    return [
      leftOut(program, site, of),
      twice(program, site, of, bound),
      ...(of === 'synchronisation' ? moved(program, site, of) : []),
      ...inOtherOrder(program, site, of),
      ...wholeRendezvous(program, site),
    ]
  }
}
