/**
 * Operators on the fields of a statement: RETARGET, SLOT, SLICE, COUNT, FLAG, FENCE (kind and scope), PRIME (parity, one arrive too many), ALLOC.
 *
 * | operator | applies to                                        | becomes                                                            |
 * |----------|---------------------------------------------------|--------------------------------------------------------------------|
 * | RETARGET | barriers of statements, copies and completions    | the next slot, another array, its own CTA's; a mask with one CTA less |
 * | SLOT     | the same, and slots of every operand in a ring    | the next slot (data), always slot 0                                |
 * | COUNT    | inits, arrives, bytes, groups left open, threads, semaphores | one more, one less; 16 bytes; a warp                    |
 * | PRIME    | waits; inits                                      | the other parity; an arrive behind the init                        |
 * | FLAG     | release, acquire, scope; reads or in full; relaxed rendezvous; half of an arrive that expects; completions; pairs of CTAs; accumulate; predicates | the other value; always |
 * | FENCE    | fences between proxies or threads                 | the other scopes; the other side's fence                           |
 * | ALLOC    | columns of tensor memory                          | twice as many, half as many                                        |
 * | SLICE    | coordinates of copies, slices of operands         | the neighbouring tile along each axis                              |
 */
import type { ExprNode } from '../language/expression.js'
import { checked } from '../language/index-types.js'
import type { Instruction } from '../language/instruction.js'
import type { Do, Program } from '../language/program.js'
import { mapOperands, operandsOf, type Operand } from '../language/signature.js'
import { altered, instead, type DoSite } from './change.js'
import type { Change, Manner, MutantClass, Operator } from './model.js'
import { otherBarriers, otherSlices, otherSlots, plus } from './operands.js'
import { classOf, roles, type Count, type Flag } from './roles.js'

/** The statement with other fields. */
type Alter = (operator: Operator, text: string, fields: object, of?: MutantClass, manner?: Manner) => Change

const replaced = (i: Instruction, field: string, by: ExprNode): Instruction =>
  mapOperands((e, at): ExprNode => (at === field ? by : e))(i)

// ---------------------------------------------------------------- operands

/** Where an operand stands, if there are several like it. */
const within = ({ field, index }: Operand): string => (index === null ? '' : ` of ${field}`)

const barriers = (program: Program, i: Instruction, alter: Alter): ReadonlyArray<Change> =>
  operandsOf(i).flatMap((o) =>
    o.role === 'barrier' && i._tag !== 'mbarrier.init'
      ? otherBarriers(program, o.expr, i._tag === 'tcgen05.commit' || i._tag === 'tcgen05.mma').map(
          ({ text, expr, zero }) =>
            alter(
              zero ? 'SLOT' : 'RETARGET',
              text + within(o),
              replaced(i, o.field, expr),
              'synchronisation',
            ),
        )
      : [],
  )

const slots = (program: Program, i: Instruction, alter: Alter): ReadonlyArray<Change> =>
  classOf(i._tag) !== 'data'
    ? []
    : operandsOf(i).flatMap(({ field, expr, kind }) =>
        kind._tag === 'view'
          ? otherSlots(program, expr).map((o) =>
              alter('SLOT', `${o.text} of ${field}`, replaced(i, field, o.expr)),
            )
          : [],
      )

/** The box of the tensor map that a copy goes by; 1 along each axis where the map is made by the program. */
const boxOf = (program: Program, i: Instruction): ReadonlyArray<number> => {
  const by = 'descriptor' in i && i.descriptor._tag === 'descriptor' ? i.descriptor.param : null
  const map = program.params.find((p) => p.name === by)
  return map?._tag === 'descriptor' ? map.box : []
}

const slices = (program: Program, i: Instruction, alter: Alter): ReadonlyArray<Change> => {
  if (classOf(i._tag) !== 'data') return []
  const box = boxOf(program, i)
  return operandsOf(i).flatMap(({ field, role, index, expr, kind }) => {
    if (role === 'coords' && index !== null)
      return [
        alter(
          'SLICE',
          `the next tile along axis ${String(index)}`,
          replaced(i, field, plus(expr, box[index] ?? 1)),
        ),
      ]
    return kind._tag === 'view'
      ? otherSlices(expr).map((o) => alter('SLICE', `${o.text} of ${field}`, replaced(i, field, o.expr)))
      : []
  })
}

const cleared = (mask: ExprNode): ExprNode => ({
  _tag: 'binary',
  op: 'and',
  x: mask,
  y: { _tag: 'binary', op: 'sub', x: mask, y: { _tag: 'const', dtype: 'i32', value: 1 } },
})
const lowest = (mask: ExprNode): ExprNode => ({
  _tag: 'binary',
  op: 'sub',
  x: mask,
  y: cleared(mask),
})

/** A mask of CTAs with its first CTA alone, and without it. */
const masks = (i: Instruction, alter: Alter): ReadonlyArray<Change> =>
  operandsOf(i).flatMap(({ field, role, expr }) =>
    role === 'multicast'
      ? [
          alter(
            'RETARGET',
            'the first CTA of the mask alone',
            replaced(i, field, lowest(expr)),
            'synchronisation',
          ),
          alter(
            'RETARGET',
            'the mask without its first CTA',
            replaced(i, field, cleared(expr)),
            'synchronisation',
          ),
        ]
      : [],
  )

// ---------------------------------------------------------------- numbers

const counted = (i: Instruction, count: Count, alter: Alter): ReadonlyArray<Change> => {
  if (count._tag === 'columns')
    return 'columns' in i
      ? [
          alter('ALLOC', 'twice the columns', { columns: i.columns * 2 }, undefined, 'more'),
          alter('ALLOC', 'half the columns', { columns: i.columns / 2 }, undefined, 'less'),
        ]
      : []
  const { field, least, step, called } = count
  const value = countIn(i, field)
  const by = (steps: number): number | ExprNode =>
    typeof value === 'number' ? value + steps : plus(value!, steps)
  if (value === null) return []
  return [
    alter('COUNT', `${called} more`, { [field]: by(step) }, undefined, 'more'),
    ...(typeof value !== 'number' || value - step >= least
      ? [alter('COUNT', `${called} less`, { [field]: by(-step) }, undefined, 'less')]
      : []),
  ]
}

const countIn = (
  i: Instruction,
  field: Extract<Count, { readonly _tag: 'steps' }>['field'],
): number | ExprNode | null => {
  switch (field) {
    case 'count':
      return 'count' in i ? i.count : null
    case 'pending':
      return 'pending' in i ? i.pending : null
    case 'bytes':
      return 'bytes' in i ? i.bytes : null
    case 'value':
      return 'value' in i ? i.value : null
  }
}

// ---------------------------------------------------------------- flags

const truth = (value: boolean): ExprNode => ({ _tag: 'const', dtype: 'i1', value: value ? 1 : 0 })
const isTruth = (e: ExprNode, value: boolean): boolean =>
  e._tag === 'const' && Number(e.value) === (value ? 1 : 0)

const accumulation = (field: string, e: ExprNode, alter: Alter): ReadonlyArray<Change> =>
  [true, false].flatMap((value) =>
    isTruth(e, value)
      ? []
      : [alter('FLAG', value ? 'accumulates always' : 'never accumulates', { [field]: truth(value) })],
  )

const scoped = (program: Program, scope: string, alter: Alter): ReadonlyArray<Change> =>
  scope !== 'cta' && program.launch.cluster.some((n) => n > 1)
    ? [alter('FLAG', 'of CTA scope', { scope: 'cta' })]
    : []

const relaxed = (is: boolean, field: 'release' | 'acquire', alter: Alter): ReadonlyArray<Change> =>
  is ? [alter('FLAG', 'relaxed', { [field]: false })] : []

const flagged = (program: Program, i: Instruction, flag: Flag, alter: Alter): ReadonlyArray<Change> => {
  switch (flag) {
    case 'release':
      return relaxed('release' in i && i.release, flag, alter)
    case 'acquire':
      return relaxed('acquire' in i && i.acquire, flag, alter)
    case 'scope':
      return 'scope' in i ? scoped(program, i.scope, alter) : []
    case 'halves':
      return [
        alter('FLAG', 'expects without arriving', { _tag: 'mbarrier.expectTx' }),
        alter('FLAG', 'arrives without expecting', { _tag: 'mbarrier.arrive', count: 1 }),
      ]
    case 'parity':
      return 'parity' in i
        ? [
            alter('PRIME', 'the other parity', {
              parity: {
                _tag: 'binary',
                op: 'xor',
                x: i.parity,
                y: { _tag: 'const', dtype: 'i32', value: 1 },
              },
            }),
          ]
        : []
    case 'relaxed':
      return 'relaxed' in i && i.relaxed
        ? [alter('FLAG', 'not relaxed', { relaxed: false }, undefined, 'stronger')]
        : [alter('FLAG', 'relaxed', { relaxed: true })]
    case 'read':
      return 'read' in i && i.read
        ? [alter('FLAG', 'in full', { read: false }, undefined, 'stronger')]
        : [alter('FLAG', 'reads only', { read: true })]
    case 'decrement':
      return 'decrement' in i
        ? [
            alter('FLAG', i.decrement ? 'takes nothing' : 'takes what it waits for', {
              decrement: !i.decrement,
            }),
          ]
        : []
    case 'proxies':
      return 'scope' in i
        ? (['cta', 'cluster', 'global'] as const)
            .filter((scope) => scope !== i.scope)
            .map((scope) =>
              alter(
                'FENCE',
                `of ${scope} scope`,
                { scope },
                undefined,
                i.scope === 'cta' && scope === 'cluster' ? 'wider' : 'other',
              ),
            )
        : []
    case 'side': {
      const other = i._tag === 'tcgen05.fenceBefore' ? 'tcgen05.fenceAfter' : 'tcgen05.fenceBefore'
      return [alter('FENCE', 'the fence of the other side', { _tag: other })]
    }
    case 'scaleD':
      return 'scaleD' in i ? accumulation(flag, i.scaleD, alter) : []
    case 'accumulate':
      return 'accumulate' in i ? accumulation(flag, i.accumulate, alter) : []
    case 'completions':
      return 'completions' in i
        ? i.completions.map((c, k) =>
            alter(
              'FLAG',
              isTruth(c.when, true) ? `completion ${String(k)} never` : `completion ${String(k)} always`,
              replaced(i, `completions[${String(k)}].when`, truth(!isTruth(c.when, true))),
              'synchronisation',
            ),
          )
        : []
  }
}

/** What two CTAs do together, done by one. */
const collective = (i: Instruction, alter: Alter): ReadonlyArray<Change> =>
  'ctaGroup' in i && i.ctaGroup === 2
    ? [alter('FLAG', 'not collective', { ctaGroup: 1 }, 'synchronisation')]
    : []

const without = (s: Do): Do => ({
  _tag: 'Do',
  results: s.results,
  instruction: s.instruction,
  site: s.site,
})

const always = (program: Program, site: DoSite, of: MutantClass): ReadonlyArray<Change> =>
  site.statement.when === undefined
    ? []
    : [instead(program, site, 'FLAG', of, 'even if its predicate is false', [without(site.statement)])]

/** An arrive too many, before anything has happened. */
const primed = (program: Program, site: DoSite): ReadonlyArray<Change> => {
  const s = site.statement
  if (s.instruction._tag !== 'mbarrier.init') return []
  const arrive: Instruction = checked<Instruction, unknown>({
    _tag: 'mbarrier.arrive',
    barrier: s.instruction.barrier,
    count: 1,
    release: true,
    scope: 'cta',
  })
  const second: Do = {
    _tag: 'Do',
    results: [],
    instruction: arrive,
    site: { label: `${s.site.label}.primed`, path: s.site.path },
  }
  return [instead(program, site, 'PRIME', 'synchronisation', 'and an arrive', [s, second])]
}

// ---------------------------------------------------------------- all

export const fields =
  (program: Program) =>
  (site: DoSite): ReadonlyArray<Change> => {
    const i = site.statement.instruction
    const own = classOf(i._tag)
    if (own === null) return []
    const alter: Alter = (operator, text, by, of = own, manner = 'other') =>
      altered(program, site, operator, of, text, by, manner)
    return [
      ...barriers(program, i, alter),
      ...masks(i, alter),
      ...slots(program, i, alter),
      ...slices(program, i, alter),
      ...roles[i._tag].counts.flatMap((count) => counted(i, count, alter)),
      ...roles[i._tag].flags.flatMap((flag) => flagged(program, i, flag, alter)),
      ...collective(i, alter),
      ...always(program, site, own),
      ...primed(program, site),
    ]
  }
