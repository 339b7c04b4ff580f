/**
 * PTX that a kernel writes itself, in a block of `inline_mgpu`: instructions that order and hand nothing back.
 *
 * | text                                                                    | becomes                                            |
 * |-------------------------------------------------------------------------|----------------------------------------------------|
 * | `bar.sync`, `bar.arrive`, `barrier{.cta}.sync`, `.arrive{.aligned}`       | the named barrier; without a count, all threads     |
 * | `fence.proxy.async{.shared::cta, .shared::cluster, .global}`              | the proxy fence; without a space, of both memories  |
 * | the fences around an answer of cluster launch control                    | the proxy fence                                     |
 * | `tcgen05.wait::ld`, `::st`; `tcgen05.fence::before_thread_sync`, `::after` | the wait, the fence                                 |
 *
 * Why these: `plgpu` has primitives for what computes and copies, and none for a barrier of some warpgroups or for a fence without a barrier. Kernels that
 * want one write it as text. Anything that gives a value is refused, since its registers are not known here.
 *
 * A barrier's number is in the instruction. Where it is a value of the run, there is one instruction for each of the sixteen, and only that one runs; a
 * number that no barrier has ends the run with a fault.
 *
 * The two fences of cluster launch control order one way, and only accesses to shared memory; `fence.proxyAsync` orders both ways. So a kernel that is
 * clean by the wider half alone is not told from one that is clean.
 *
 * Laws
 * 1. The text of each row alone, and several with `;` between them, are the instructions of the rows in that order.
 * 2. A barrier whose number is a value acts as the one with that number.
 *
 * Source: PTX ISA 9, `bar`, `fence.proxy`, `tcgen05.wait`, `tcgen05.fence`; JAX, lowering of Mosaic GPU.
 */
import { run, type Steps } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Int } from '../../../semantics/language/expression.js'
import type { Instruction } from '../../../semantics/language/instruction.js'
import * as Pallas from '../../pallas/index.js'
import type { Eqn } from '../document.js'
import { refusedAt, type Here, type Rows } from '../here.js'
import { intOperand, word } from '../operands.js'

// ---------------------------------------------------------------- texts without operands

const plain: ReadonlyMap<string, ReadonlyArray<Instruction>> = new Map<string, ReadonlyArray<Instruction>>([
  [
    'fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster',
    [{ _tag: 'fence.proxyAsync', scope: 'cluster' }],
  ],
  [
    'fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster',
    [{ _tag: 'fence.proxyAsync', scope: 'cluster' }],
  ],
  ['fence.proxy.async.shared::cta', [{ _tag: 'fence.proxyAsync', scope: 'cta' }]],
  ['fence.proxy.async.shared::cluster', [{ _tag: 'fence.proxyAsync', scope: 'cluster' }]],
  ['fence.proxy.async.global', [{ _tag: 'fence.proxyAsync', scope: 'global' }]],
  [
    'fence.proxy.async',
    [
      { _tag: 'fence.proxyAsync', scope: 'cluster' },
      { _tag: 'fence.proxyAsync', scope: 'global' },
    ],
  ],
  ['tcgen05.wait::ld.sync.aligned', [{ _tag: 'tcgen05.waitLd' }]],
  ['tcgen05.wait::st.sync.aligned', [{ _tag: 'tcgen05.waitSt' }]],
  ['tcgen05.fence::before_thread_sync', [{ _tag: 'tcgen05.fenceBefore' }]],
  ['tcgen05.fence::after_thread_sync', [{ _tag: 'tcgen05.fenceAfter' }]],
])

// ---------------------------------------------------------------- barriers

const meeting =
  /^(?:bar(?:\.cta)?|barrier(?:\.cta)?)\.(sync|arrive)(?:\.aligned)?\s+(\$?\d+)(?:\s*,\s*(\d+))?$/
const barriersOfBlock = 16

interface Meeting {
  readonly kind: 'sync' | 'arrive'
  /** a number, or the operand that has it */
  readonly id: string
  /** null: all threads of the block */
  readonly count: number | null
}

const meetingOf = (text: string): Meeting | null => {
  const [, kind, id, count] = meeting.exec(text) ?? []
  if (id === undefined) return null
  if (kind === 'sync') return { kind, id, count: count === undefined ? null : Number(count) }
  return count === undefined ? null : { kind: 'arrive', id, count: Number(count) }
}

const meets = (kind: Meeting['kind'], id: number, count: number): Instruction => ({
  _tag: kind === 'sync' ? 'bar.sync' : 'bar.arrive',
  id,
  count,
})

const meet = function* (h: Here, eqn: Eqn, label: string, { kind, id, count }: Meeting): Steps<void> {
  const { numThreads } = yield* Pallas.contextHere
  const threads = count ?? 128 * numThreads
  if (!id.startsWith('$')) return yield* run(label, meets(kind, Number(id), threads))
  const which: Int = yield* intOperand(h, eqn, Number(id.slice(1)))
  for (let k = 0; k < barriersOfBlock; k++)
    yield* run(`${label}.${String(k)}`, meets(kind, k, threads), { when: X.eq(which, X.i32(k)) })
  yield* run(`${label}.none`, { _tag: 'trap' }, { when: X.not(X.ltU(which, X.i32(barriersOfBlock))) })
}

// ---------------------------------------------------------------- the row

const statements = (text: string): ReadonlyArray<string> =>
  text
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '')

export const inlinePtxRows: Rows = {
  *inline_ptx(h, eqn, label) {
    const all = statements(yield* word(h, eqn, 'text'))
    for (const [k, text] of all.entries()) {
      const here = all.length === 1 ? label : `${label}.${String(k)}`
      const barrier = meetingOf(text)
      if (barrier !== null) {
        yield* meet(h, eqn, here, barrier)
        continue
      }
      const instructions = plain.get(text)
      if (instructions === undefined)
        return yield* refusedAt(
          h,
          eqn,
          'jaxpr.operation',
          'PTX that orders (bar.sync, bar.arrive, fence.proxy.async, tcgen05.wait, tcgen05.fence)',
          text,
        )
      for (const [n, instruction] of instructions.entries())
        yield* run(instructions.length === 1 ? here : `${here}.${String(n)}`, instruction)
    }
    return []
  },
}
