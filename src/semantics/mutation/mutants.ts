/**
 * Mutants: a program, and every way to change one of its synchronisation operations.
 *
 * A program is data, so a mutant is another program: one statement dropped, doubled, aimed at another barrier, or with one of its numbers
 * or flags changed. Every operator is applied to every statement of the classes that it names; nobody chooses.
 *
 * | operator | applies to                                     | becomes                                                          |
 * |----------|------------------------------------------------|------------------------------------------------------------------|
 * | DROP     | every synchronisation statement                | nothing                                                          |
 * | DUP      | every synchronisation statement                | the statement twice                                              |
 * | RETARGET | statements that name a barrier                 | the next slot of it, or another array of the same kind and size  |
 * | COUNT    | inits, arrives, byte counts, group waits       | one more, one less (16 bytes)                                    |
 * | PARITY   | waits                                          | the other parity                                                 |
 * | FLAG     | arrives, waits, group waits                    | relaxed; reads only, or in full                                  |
 *
 * A group's `commit` is synchronisation; a copy, a store or an mma is not.
 *
 * Laws
 * 1. every mutant differs from the program, and from every other mutant of it.
 * 2. the number of mutants of an operator is the number of its sites, times its variants there.
 * 3. dropping one half of a DUP gives the program back.
 */
import type { ExprNode } from '../expression.js'
import { checked } from '../index-types.js'
import type { Instruction, InstructionName } from '../instruction.js'
import { effectsOf, type Do, type Program, type Region, type Stmt, type Storage } from '../program.js'
import { add, i32, mod, slot, storage, sub, xor, type Expr, type Int } from '../expression.js'
import type { BarrierIndex, Contract } from '../types.js'

// ---------------------------------------------------------------- model

export type Operator = 'DROP' | 'DUP' | 'RETARGET' | 'COUNT' | 'PARITY' | 'FLAG'

export interface Mutant {
  readonly operator: Operator
  /** path and label of the changed statement */
  readonly site: string
  readonly label: string
  readonly instruction: InstructionName
  /** the statement as it was, and the effects that stand before and after it in the listing */
  readonly statement: Do
  readonly previous: Do | null
  readonly next: Do | null
  /** what was done, in words */
  readonly change: string
  readonly program: Program
}

/** The statements that order, and do nothing else. */
export const synchronisation: ReadonlySet<InstructionName> = new Set<InstructionName>([
  'mbarrier.init',
  'mbarrier.arrive',
  'mbarrier.expectTx',
  'mbarrier.arriveExpectTx',
  'mbarrier.arriveDrop',
  'mbarrier.wait',
  'mbarrier.cpAsyncArrive',
  'bar.sync',
  'bar.arrive',
  'cluster.arrive',
  'cluster.wait',
  'bulk.commitGroup',
  'bulk.waitGroup',
  'cpAsync.commitGroup',
  'cpAsync.waitGroup',
  'fence.proxyAsync',
  'wgmma.fence',
  'wgmma.commitGroup',
  'wgmma.waitGroup',
  'tcgen05.commit',
  'tcgen05.waitLd',
  'tcgen05.useLd',
  'tcgen05.waitSt',
  'tcgen05.fenceBefore',
  'tcgen05.fenceAfter',
])

// ---------------------------------------------------------------- walking

/** Replace the statement at a place: `place` counts the `Do`s of the program in order. */
const replaceAt = (program: Program, place: number, by: (s: Do) => ReadonlyArray<Stmt>): Program => {
  let seen = 0
  const region = (r: Region): Region => ({
    params: r.params,
    body: r.body.flatMap(statement),
    yields: r.yields,
  })
  const statement = (s: Stmt): ReadonlyArray<Stmt> => {
    switch (s._tag) {
      case 'Let':
        return [s]
      case 'Do':
        return seen++ === place ? by(s) : [s]
      case 'For':
        return [Object.assign({}, s, { body: region(s.body) })]
      case 'While':
        return [Object.assign({}, s, { before: region(s.before), after: region(s.after) })]
      case 'If':
        return [Object.assign({}, s, { then: region(s.then), else: region(s.else) })]
      case 'Fork':
        return [
          Object.assign({}, s, {
            branches: s.branches.map((b) => ({ agent: b.agent, captures: b.captures, body: region(b.body) })),
          }),
        ]
    }
  }
  return Object.assign({}, program, { entry: region(program.entry) })
}

const statements = (program: Program): ReadonlyArray<Do> => effectsOf(program.entry.body)

// ---------------------------------------------------------------- operators

/** A changed instruction, and the change in words. */
interface Variant {
  readonly operator: Operator
  readonly change: string
  readonly instruction: Instruction
}

const variant = (operator: Operator, change: string, from: Instruction, fields: object): Variant => ({
  operator,
  change,
  instruction: checked<Instruction, unknown>(Object.assign({}, from, fields)),
})

type Barriers = Storage & { readonly contents: Extract<Storage['contents'], { readonly _tag: 'barriers' }> }

const isBarriers = (s: Storage): s is Barriers => s.contents._tag === 'barriers'

type AnyBarriers = BarrierIndex<Contract, boolean, number>
type OneBarrier = BarrierIndex<Contract, boolean>

/** A barrier operand as an array and an index in it; null when it is neither a slot nor a single barrier of a storage. */
const targetOf = (e: ExprNode): { readonly id: string; readonly index: ExprNode | null } | null =>
  e._tag === 'storage'
    ? { id: e.storage, index: null }
    : e._tag === 'slot' && e.of._tag === 'storage'
      ? { id: e.of.storage, index: e.index }
      : null

const retargets = (program: Program, i: Instruction, operand: ExprNode): ReadonlyArray<Variant> => {
  const target = targetOf(operand)
  const arrays = program.storage.filter(isBarriers)
  const own = arrays.find((s) => s.id === target?.id)
  if (target === null || own === undefined) return []
  const size = own.contents.shape.reduce((n, d) => n * d, 1)
  const next: ReadonlyArray<Variant> =
    target.index === null || size < 2
      ? []
      : [
          variant('RETARGET', `the next slot of ${own.id}`, i, {
            barrier: slot(
              storage<AnyBarriers>(own.id),
              mod(add(checked<Int, ExprNode>(target.index), i32(1)), i32(size)),
            ),
          }),
        ]
  const others = arrays.filter(
    (s) =>
      s.id !== own.id &&
      s.contents.contract === own.contents.contract &&
      s.contents.ordersTensorCore === own.contents.ordersTensorCore &&
      s.contents.shape.join() === own.contents.shape.join(),
  )
  return [
    ...next,
    ...others.map((s) => {
      const of = storage<AnyBarriers>(s.id)
      const barrier: Expr =
        target.index === null ? storage<OneBarrier>(s.id) : slot(of, checked<Int, ExprNode>(target.index))
      return variant('RETARGET', `${s.id} in place of ${own.id}`, i, { barrier })
    }),
  ]
}

const variantsOf = (program: Program, i: Instruction): ReadonlyArray<Variant> => {
  switch (i._tag) {
    case 'mbarrier.init':
      return [
        variant('COUNT', `count ${String(i.count + 1)}`, i, { count: i.count + 1 }),
        ...(i.count > 1 ? [variant('COUNT', `count ${String(i.count - 1)}`, i, { count: i.count - 1 })] : []),
      ]
    case 'mbarrier.arrive':
      return [
        ...retargets(program, i, i.barrier),
        variant('COUNT', `count ${String(i.count + 1)}`, i, { count: i.count + 1 }),
        ...(i.release ? [variant('FLAG', 'relaxed', i, { release: false })] : []),
      ]
    case 'mbarrier.arriveExpectTx':
      return [
        ...retargets(program, i, i.barrier),
        variant('COUNT', '16 bytes more', i, { bytes: add(i.bytes, i32(16)) }),
        variant('COUNT', '16 bytes fewer', i, { bytes: sub(i.bytes, i32(16)) }),
      ]
    case 'mbarrier.expectTx':
      return [
        ...retargets(program, i, i.barrier),
        variant('COUNT', '16 bytes more', i, { bytes: add(i.bytes, i32(16)) }),
        variant('COUNT', '16 bytes fewer', i, { bytes: sub(i.bytes, i32(16)) }),
      ]
    case 'mbarrier.arriveDrop':
    case 'mbarrier.cpAsyncArrive':
    case 'tcgen05.commit':
      return retargets(program, i, i.barrier)
    case 'mbarrier.wait':
      return [
        ...retargets(program, i, i.barrier),
        variant('PARITY', 'the other parity', i, { parity: xor(i.parity, i32(1)) }),
        ...(i.acquire ? [variant('FLAG', 'relaxed', i, { acquire: false })] : []),
      ]
    case 'bulk.waitGroup':
      return [
        variant('COUNT', `at most ${String(i.pending + 1)} pending`, i, { pending: i.pending + 1 }),
        variant('FLAG', i.read ? 'in full' : 'reads only', i, { read: !i.read }),
      ]
    case 'cpAsync.waitGroup':
    case 'wgmma.waitGroup':
      return [variant('COUNT', `at most ${String(i.pending + 1)} pending`, i, { pending: i.pending + 1 })]
    default:
      return []
  }
}

const withInstruction = (s: Do, instruction: Instruction): Do => Object.assign({}, s, { instruction })

/** Every mutant of a program by these operators, in program order. */
export const mutantsOf = (
  program: Program,
  operators: ReadonlyArray<Operator> = ['DROP', 'DUP', 'RETARGET', 'COUNT', 'PARITY', 'FLAG'],
): ReadonlyArray<Mutant> =>
  statements(program).flatMap((s, place, all): ReadonlyArray<Mutant> => {
    const i = s.instruction
    if (!synchronisation.has(i._tag) || s.results.length > 0) return []
    const site = [...s.site.path, s.site.label].join(' / ')
    const mutant = (operator: Operator, change: string, by: (d: Do) => ReadonlyArray<Stmt>): Mutant => ({
      operator,
      site,
      label: s.site.label,
      instruction: i._tag,
      statement: s,
      previous: all[place - 1] ?? null,
      next: all[place + 1] ?? null,
      change,
      program: replaceAt(program, place, by),
    })
    return [
      mutant('DROP', 'left out', () => []),
      mutant('DUP', 'twice', (d) => [d, d]),
      ...variantsOf(program, i).map((v) =>
        mutant(v.operator, v.change, (d) => [withInstruction(d, v.instruction)]),
      ),
    ].filter((m) => operators.includes(m.operator))
  })
