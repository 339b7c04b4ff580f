/**
 * Operators on what is no effect: ALLOC (slots of storages), FLAG (storages that order the tensor core; predicates that ask who runs).
 *
 * | operator | applies to                                        | becomes                                                            |
 * |----------|---------------------------------------------------|--------------------------------------------------------------------|
 * | ALLOC    | storages with slots that the program picks from   | a slot more, behind everything else; a slot less, in its place     |
 * | FLAG     | barriers that order the tensor core               | that do not                                                        |
 * | FLAG     | an `If` without else that asks for agent or CTA   | its statements, for all agents                                      |
 */
import * as E from 'fp-ts/lib/Either.js'
import { batch, slotShape } from '../../transforms/ref.js'
import { children, type ExprNode } from '../language/expression.js'
import { checked } from '../language/index-types.js'
import { effectsOf, type Contents, type Do, type Program, type Storage } from '../language/program.js'
import { operandsOf } from '../language/signature.js'
import { barriersOf } from './change.js'
import type { Change, Manner, Operator } from './model.js'
import { slotsOf, storagesIn } from './operands.js'
import { asksWho, replace, sitesOf, type Site } from './sites.js'

// ---------------------------------------------------------------- storages

const declared = (
  program: Program,
  s: Storage,
  operator: Operator,
  text: string,
  manner: Manner,
  by: Storage,
): Change => ({
  operator,
  class: 'synchronisation',
  instruction: 'declaration',
  path: [],
  label: s.id,
  change: text,
  manner,
  passes: [],
  own: 1,
  statements: effectsOf(program.entry.body).filter((d) =>
    operandsOf(d.instruction).some((o) => storagesIn(o.expr).includes(s.id)),
  ),
  barriers: s.contents._tag === 'barriers' ? [s.id] : [],
  previous: null,
  next: null,
  apply: (p) =>
    Object.assign({}, p, {
      storage: p.storage.map((x) => (x.id === s.id ? by : x)),
    }),
})

const picksFrom =
  (id: string) =>
  (e: ExprNode): boolean =>
    (e._tag === 'slot' && storagesIn(e)[0] === id) || children(e).some(picksFrom(id))

/** The contents with another number of slots. */
const resized = (c: Contents, slots: number): Contents | null => {
  if (c._tag === 'barriers')
    return {
      _tag: 'barriers',
      contract: c.contract,
      ordersTensorCore: c.ordersTensorCore,
      shape: [slots, ...c.shape.slice(1)],
    }
  const one = slotShape(c.layout)
  if (E.isLeft(one)) return null
  const all = batch(slots)(one.right)
  return E.isLeft(all) ? null : { _tag: 'elements', dtype: c.dtype, layout: all.right }
}

/** A smaller storage keeps its place; a larger one gets another. */
const withSlots = (s: Storage, slots: number): Storage | null => {
  const contents = resized(s.contents, slots)
  if (contents === null) return null
  const bits = (s.bits / slotsOf(s)) * slots
  const base = { id: s.id, space: s.space, owner: s.owner, contents, bits, align: s.align }
  return slots < slotsOf(s) && s.offset !== undefined
    ? Object.assign({ offset: s.offset }, base, s.alias === undefined ? {} : { alias: s.alias })
    : base
}

const allocations = (program: Program): ReadonlyArray<Change> =>
  program.storage.flatMap((s): ReadonlyArray<Change> => {
    const n = slotsOf(s)
    const picked = effectsOf(program.entry.body).some((d) =>
      operandsOf(d.instruction).some((o) => picksFrom(s.id)(o.expr)),
    )
    if (!picked || (s.space !== 'smem' && s.space !== 'tmem')) return []
    return [[1, 'a slot more', 'more'] as const, [-1, 'a slot less', 'less'] as const].flatMap(
      ([by, text, manner]) => {
        const other = n + by < 1 ? null : withSlots(s, n + by)
        return other === null ? [] : [declared(program, s, 'ALLOC', text, manner, other)]
      },
    )
  })

const orders = (program: Program): ReadonlyArray<Change> =>
  program.storage.flatMap((s) =>
    s.contents._tag === 'barriers' && s.contents.ordersTensorCore
      ? [
          declared(
            program,
            s,
            'FLAG',
            'without order of the tensor core',
            'other',
            Object.assign({}, s, { contents: Object.assign({}, s.contents, { ordersTensorCore: false }) }),
          ),
        ]
      : [],
  )

// ---------------------------------------------------------------- predicates

const guarded = (program: Program, site: Site): ReadonlyArray<Change> => {
  const s = site.statement
  if (s._tag !== 'If' || s.else.body.length > 0 || s.results.length > 0 || !asksWho(s.cond)) return []
  const inside: ReadonlyArray<Do> = effectsOf(s.then.body)
  if (inside.length === 0) return []
  const cond = checked<typeof s.cond, unknown>({ _tag: 'const', dtype: 'i1', value: 1 })
  return [
    {
      operator: 'FLAG',
      class: 'synchronisation',
      instruction: 'predicate',
      path: s.site.path,
      label: s.site.label,
      change: 'executed by every agent',
      manner: 'other',
      passes: [],
      own: 1,
      statements: inside,
      barriers: [...new Set(inside.flatMap((d) => barriersOf(program, d.instruction)))],
      previous: null,
      next: null,
      apply: (p) => replace(p, site, [Object.assign({}, s, { cond })]),
    },
  ]
}

export const declarations = (program: Program): ReadonlyArray<Change> => [
  ...allocations(program),
  ...orders(program),
  ...sitesOf(program).flatMap((site) => guarded(program, site)),
]
