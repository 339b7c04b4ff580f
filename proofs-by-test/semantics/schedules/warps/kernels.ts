/**
 * Skeletons as kernels of PTX: each agent is a warp, and each of its operations is done by some of its lanes, in one of several ways.
 *
 *     arrive #0      by one lane, behind a branch or elected; or, where the barrier counts lanes, by all of them, or by one for all
 *     wait #0 0      a loop of try_wait by all lanes, by a half, by one
 *     peek, wait     a flag in a register, and a branch around the loop
 *     rendezvous     bar.sync with the count of its members
 *
 * So what nvcc makes of a kernel (spins, peeks, parts of a warp that meet again) stands between a skeleton and its verdict.
 */
import type { Atom, Op, Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { dice } from '../../../../src/semantics/schedules/naive/random.js'

export interface Kernel {
  readonly text: string
  readonly threads: number
  /** bytes of the tensor that stands for global memory */
  readonly bytes: number
}

const unit = 16

type Way = 'all' | 'one' | 'half' | 'elected'

/** Can the lanes of warps say it? */
const isSaid = (op: Op): boolean => {
  switch (op._tag) {
    case 'read':
    case 'write':
    case 'wait':
    case 'peek':
    case 'expect':
    case 'arriveExpect':
    case 'bulkCommit':
    case 'bulkWait':
    case 'copyCommit':
    case 'copyWait':
    case 'copyArrive':
    case 'fence':
      return true
    case 'arrive':
      return op.barriers.length === 1
    case 'load':
      return (
        op.destinations.length === 1 &&
        op.destinations[0]!.atoms.length === 1 &&
        op.destinations[0]!.units === 1 &&
        op.reads.length <= 1
      )
    case 'store':
      return op.reads.length === 1 && op.writes.length <= 1
    case 'copy':
      return op.reads.length <= 1 && op.writes.length === 1
    case 'rendezvous':
      return !op.relaxed
    default:
      return false
  }
}

const atomsOf = (op: Op): ReadonlyArray<Atom> => [
  ...('atoms' in op ? op.atoms : []),
  ...('reads' in op ? op.reads : []),
  ...('writes' in op ? op.writes : []),
  ...('destinations' in op ? op.destinations.flatMap((d) => d.atoms) : []),
]

/** Null: some operation of it is none of a warp's. */
export const kernelOf = (s: Skeleton, seed: number): Kernel | null => {
  const ops = s.agents.flatMap((a) => a.ops)
  if (!ops.every(isSaid) || s.agents.some((a) => a.cta !== 0) || s.barriers.some((b) => b.cta !== 0))
    return null
  if (ops.some((op) => atomsOf(op).some((a) => a._tag !== 'smem' && a._tag !== 'gmem'))) return null
  const die = dice(seed ^ 0x1f2e3d)
  const shared = new Map<string, number>()
  const global = new Map<string, number>()
  const at = (map: Map<string, number>, name: string): number => {
    const known = map.get(name)
    if (known !== undefined) return known
    map.set(name, map.size * unit)
    return (map.size - 1) * unit
  }
  // what nothing else names: where a copy from nowhere comes from
  at(global, ' ')
  const place = (a: Atom): string =>
    a._tag === 'gmem'
      ? `[%g+${String(at(global, a.name))}]`
      : `[mem+${String(at(shared, a._tag === 'smem' ? a.name : ''))}]`
  const space = (a: Atom): string => (a._tag === 'gmem' ? 'global' : 'shared')
  const bar = (b: number): string => `[bars+${String(8 * b)}]`
  // a barrier that arrivals alone reach may count lanes
  const wide = s.barriers.map(
    (_, b) =>
      die.chance(0.5) &&
      !ops.some(
        (op) =>
          (op._tag === 'arriveExpect' && op.barrier === b) || (op._tag === 'copyArrive' && op.barrier === b),
      ),
  )
  const rendezvous = new Map<string, number>()
  let labels = 0
  const lines: string[] = []
  let flags = 0
  /** a predicate of its own, as a compiler gives each value one */
  const flag = (): string => `%f${String(flags++)}`
  const label = (): string => `L${String(labels++)}`
  /** Some lanes do it, and meet the others again. */
  const by = (way: Way, body: (guard: string) => ReadonlyArray<string>): ReadonlyArray<string> => {
    if (way === 'all') return body('')
    const lane = die.below(32)
    const ask =
      way === 'elected'
        ? ['elect.sync _|%q, -1;']
        : way === 'one'
          ? [`setp.eq.u32 %q, %lane, ${String(lane)};`]
          : [`setp.lt.u32 %q, %lane, 16;`]
    const over = label()
    const inside = body('')
    // one instruction may be guarded in place of a branch
    return inside.length === 1 && !inside[0]!.includes(':') && die.chance(0.5)
      ? [...ask, `@%q ${inside[0]!}`]
      : [...ask, `@!%q bra ${over};`, ...inside, `${over}:`]
  }
  const some = (): Way => die.pick(['all', 'one', 'half', 'elected'])
  const one = (): Way => die.pick(['one', 'elected'])
  const sem = (relaxed: boolean): string => (relaxed ? '.relaxed.cta' : '')
  const spin = (b: number, parity: number, relaxed: boolean): ReadonlyArray<string> => {
    const again = label()
    return [
      `${again}:`,
      `mbarrier.try_wait.parity${sem(relaxed)}.shared::cta.b64 %p, ${bar(b)}, ${String(parity)};`,
      `@!%p bra ${again};`,
    ]
  }
  const off = (on: boolean, body: () => ReadonlyArray<string>): ReadonlyArray<string> => (on ? body() : [])
  const said = (op: Op): ReadonlyArray<string> => {
    switch (op._tag) {
      case 'read':
        return op.atoms.flatMap((a) =>
          by(some(), () => [`ld.${space(a)}.v4.b32 {%a, %b, %c, %d}, ${place(a)};`]),
        )
      case 'write':
        return op.atoms.flatMap((a) =>
          by(some(), () => [`st.${space(a)}.v4.b32 ${place(a)}, {%z, %z, %z, %z};`]),
        )
      case 'arrive':
        return off(op.on, () => {
          const b = op.barriers[0]!
          const name = `mbarrier.arrive${sem(op.relaxed)}.shared::cta.b64 _, ${bar(b)}`
          if (!wide[b]!) return by(one(), () => [`${name};`])
          return die.chance(0.5) ? by('all', () => [`${name};`]) : by(one(), () => [`${name}, 32;`])
        })
      case 'arriveExpect':
        return off(op.on, () =>
          by(one(), () => [
            `mbarrier.arrive.expect_tx${sem(op.relaxed)}.shared::cta.b64 _, ${bar(op.barrier)}, ${String(unit * op.units)};`,
          ]),
        )
      case 'expect':
        return off(op.on, () =>
          by(one(), () => [
            `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 ${bar(op.barrier)}, ${String(unit * op.units)};`,
          ]),
        )
      case 'wait': {
        if (!op.on) return []
        if (op.after === undefined) return by(some(), () => spin(op.barrier, op.parity, op.relaxed))
        const over = label()
        const spared = flag()
        return [
          `setp.ne.s32 ${spared}, %peek_${op.after}, 0;`,
          `@${spared} bra ${over};`,
          ...spin(op.barrier, op.parity, op.relaxed),
          `${over}:`,
        ]
      }
      case 'peek': {
        const done = flag()
        return [
          `mbarrier.try_wait.parity${sem(op.relaxed)}.shared::cta.b64 ${done}, ${bar(op.barrier)}, ${String(op.parity)};`,
          `selp.b32 %peek_${op.name}, 1, 0, ${done};`,
        ]
      }
      case 'load': {
        const [to] = op.destinations
        const from = op.reads[0] === undefined ? '[%g]' : place(op.reads[0])
        return off(op.on, () =>
          by(one(), () => [
            `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ${place(to!.atoms[0]!)}, ${from}, ${String(unit)}, ${bar(to!.barrier)};`,
          ]),
        )
      }
      case 'store': {
        const to = op.writes[0] === undefined ? `[%g+${String(at(global, ' nowhere'))}]` : place(op.writes[0])
        return off(op.on, () =>
          by(one(), () => [
            `cp.async.bulk.global.shared::cta.bulk_group ${to}, ${place(op.reads[0]!)}, ${String(unit)};`,
          ]),
        )
      }
      case 'bulkCommit':
        return by(some(), () => ['cp.async.bulk.commit_group;'])
      case 'bulkWait':
        return by(some(), () => [
          `cp.async.bulk.wait_group${op.side === 'read' ? '.read' : ''} ${String(op.pending)};`,
        ])
      case 'copy': {
        const from = op.reads[0] === undefined ? '[%g]' : place(op.reads[0])
        return off(op.on, () =>
          by(one(), () => [`cp.async.cg.shared.global ${place(op.writes[0]!)}, ${from}, 16;`]),
        )
      }
      case 'copyCommit':
        return by(some(), () => ['cp.async.commit_group;'])
      case 'copyWait':
        return by(some(), () => [`cp.async.wait_group ${String(op.pending)};`])
      case 'copyArrive':
        return by(one(), () => [`cp.async.mbarrier.arrive.noinc.shared::cta.b64 ${bar(op.barrier)};`])
      case 'fence':
        return by(some(), () => [`fence.proxy.async.${op.scope === 'global' ? 'global' : 'shared::cta'};`])
      case 'rendezvous': {
        const id = rendezvous.get(op.id) ?? rendezvous.size + 1
        rendezvous.set(op.id, id)
        return [`bar.sync ${String(id)}, ${String(32 * op.members.length)};`]
      }
      default:
        return []
    }
  }
  const peeks = new Set(
    ops.flatMap((op) => (op._tag === 'peek' ? [op.name] : op._tag === 'wait' ? (op.after ?? []) : [])),
  )
  for (const name of peeks) lines.push(`mov.u32 %peek_${name}, 0;`)
  s.agents.forEach((_, x) => {
    if (x === 0) return
    lines.push(`setp.eq.u32 %p, %warp, ${String(x)};`, `@%p bra W${String(x)};`)
  })
  s.agents.forEach((agent, x) => {
    if (x > 0) lines.push(`W${String(x)}:`)
    for (const op of agent.ops) for (const line of said(op)) lines.push(line)
    lines.push('ret;')
  })
  const head = [
    '.version 9.0',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 k_g)',
    '{',
    '.reg .pred %p, %q, %first;',
    `.reg .pred %f<${String(flags + 1)}>;`,
    '.reg .b32 %a, %b, %c, %d, %z, %lane, %warp, %t;',
    ...[...peeks].map((name) => `.reg .b32 %peek_${name};`),
    '.reg .b64 %g;',
    `.shared .align 128 .b8 mem[${String(Math.max(unit, shared.size * unit))}];`,
    `.shared .align 8 .b8 bars[${String(8 * Math.max(1, s.barriers.length))}];`,
    'ld.param.u64 %g, [k_g];',
    'mov.u32 %t, %tid.x;',
    'mov.u32 %z, 0;',
    'and.b32 %lane, %t, 31;',
    'shr.u32 %warp, %t, 5;',
    'setp.eq.u32 %first, %t, 0;',
    // memory is there from the start, for every proxy
    ...[...shared.values()].map(
      (byte) => `@%first st.shared.v4.b32 [mem+${String(byte)}], {%z, %z, %z, %z};`,
    ),
    ...s.barriers.map(
      (b, k) =>
        `@%first mbarrier.init.shared::cta.b64 ${bar(k)}, ${String(wide[k]! ? 32 * b.count : b.count)};`,
    ),
    '@%first fence.proxy.async.shared::cta;',
    'bar.sync 0;',
  ]
  return {
    text: [...head, ...lines, '}', ''].join('\n'),
    threads: 32 * s.agents.length,
    bytes: global.size * unit,
  }
}
