/**
 * Skeletons as kernels of PTX: each agent is a warp, and each of its operations is done by some of its lanes, in one of several ways.
 *
 *     arrive #0      by one lane, behind a branch or elected; or, where the barrier counts lanes, by all of them, or by one for all
 *     wait #0 0      a loop of try_wait by all lanes, by a half, by one
 *     peek, wait     a flag in a register, and a branch around the loop
 *     rendezvous     bar.sync with the count of its members; of a cluster, barrier.cluster by all
 *     bas 1 2        bar.sync 1, 64 by the whole warp, or barrier.sync by each half of it
 *     cla, clw       barrier.cluster.arrive and wait
 *     arrive at a peer    mapa, and mbarrier.arrive.shared::cluster
 *     read s1.x      by an agent of CTA 0: mapa, and ld.shared::cluster
 *     tel g.f 1      st.release by one lane; `add` is red
 *     hea g.f ge 1   a loop of ld.acquire by one lane
 *
 * Behind each operation the lanes meet (bar.warp.sync): an agent of a skeleton is one thread, and lanes that nothing orders are many. Groups are those of a thread: one lane
 * of each agent starts what is waited for by them, and is among those that commit and wait.
 *
 * In a cluster both CTAs run one text, and lie alike: what has one name in both has one offset.
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
  /** of the one cluster */
  readonly ctas: 1 | 2
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
    case 'rendezvous':
    case 'namedArrive':
    case 'namedSync':
    case 'clusterArrive':
    case 'clusterWait':
    case 'tell':
    case 'hear':
    case 'fenceMemory':
      return true
    case 'arrive':
      return op.barriers.length === 1
    case 'load':
      return op.destinations.every((d) => d.atoms.length === 1 && d.units === 1) && op.reads.length <= 1
    case 'store':
      return op.reads.length === 1 && op.writes.length <= 1
    case 'copy':
      return op.reads.length <= 1 && op.writes.length === 1
    default:
      return false
  }
}

/** Do all parts of a load go to the same place, in the CTAs of their barriers? */
const isMulticast = (s: Skeleton, op: Op): boolean =>
  op._tag !== 'load' ||
  (new Set(op.destinations.map((d) => s.barriers[d.barrier]!.name)).size === 1 &&
    op.destinations.every((d) => {
      const [atom] = d.atoms
      return (
        atom?._tag === 'smem' &&
        atom.name === (op.destinations[0]!.atoms[0] as { readonly name: string }).name &&
        atom.cta === s.barriers[d.barrier]!.cta
      )
    }))

const atomsOf = (op: Op): ReadonlyArray<Atom> => [
  ...('atoms' in op ? op.atoms : []),
  ...('reads' in op ? op.reads : []),
  ...('writes' in op ? op.writes : []),
  ...('destinations' in op ? op.destinations.flatMap((d) => d.atoms) : []),
  ...('word' in op ? [op.word] : []),
]

/** Null: some operation of it is none of a warp's. */
export const kernelOf = (s: Skeleton, seed: number): Kernel | null => {
  const ops = s.agents.flatMap((a) => a.ops)
  if (!ops.every((op) => isSaid(op) && isMulticast(s, op))) return null
  const ctas = s.agents.some((a) => a.cta !== 0) || s.barriers.some((b) => b.cta !== 0) ? 2 : 1
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
  const offset = (a: Atom): number => at(shared, a._tag === 'smem' ? a.name : '')
  const place = (a: Atom): string =>
    a._tag === 'gmem' ? `[%g+${String(at(global, a.name))}]` : `[mem+${String(offset(a))}]`
  const space = (a: Atom): string => (a._tag === 'gmem' ? 'global' : 'shared')
  // what has one name in both CTAs lies at one place
  const names = [...new Set(s.barriers.map((b) => b.name))]
  const slot = (b: number): number => 8 * names.indexOf(s.barriers[b]!.name)
  const bar = (b: number): string => `[bars+${String(slot(b))}]`
  /** The address, in the cluster's window, of a byte of a CTA's variable. */
  const mapped = (variable: string, byte: number, cta: number): ReadonlyArray<string> => [
    `mov.u32 %ra, ${variable};`,
    ...(byte === 0 ? [] : [`add.u32 %ra, %ra, ${String(byte)};`]),
    `mapa.shared::cluster.u32 %ra, %ra, ${String(cta)};`,
  ]
  /** How an agent of a CTA gets at memory: what comes before, the window, and the place. */
  const reach = (
    a: Atom,
    cta: number,
  ): { readonly before: ReadonlyArray<string>; readonly window: string; readonly to: string } =>
    a._tag !== 'smem' || a.cta === cta
      ? { before: [], window: space(a), to: place(a) }
      : { before: mapped('mem', offset(a), a.cta), window: 'shared::cluster', to: '[%ra]' }
  /** The same of a barrier that is arrived at. */
  const reachBar = (
    b: number,
    cta: number,
  ): { readonly before: ReadonlyArray<string>; readonly window: string; readonly to: string } =>
    s.barriers[b]!.cta === cta
      ? { before: [], window: 'shared::cta', to: bar(b) }
      : { before: mapped('bars', slot(b), s.barriers[b]!.cta), window: 'shared::cluster', to: '[%ra]' }
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
  const by = (
    way: Way,
    body: (guard: string) => ReadonlyArray<string>,
    lane = die.below(32),
  ): ReadonlyArray<string> => {
    if (way === 'all') return body('')
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
  /** The lane that starts what a thread waits for by groups: cp.async, and bulk stores. A group is one of its thread. */
  let starter = 0
  const byStarter = (body: () => ReadonlyArray<string>): ReadonlyArray<string> =>
    by(starter === 0 ? one() : 'one', body, starter)
  /** Lanes that it is among. */
  const withStarter = (body: () => ReadonlyArray<string>): ReadonlyArray<string> => {
    const way = die.pick<Way>(['all', starter < 16 ? 'half' : 'all', 'one'])
    return way === 'one' ? byStarter(body) : by(way, body)
  }
  const sem = (op: { readonly relaxed: boolean; readonly narrow?: true }, strongly: string): string =>
    ctas === 1
      ? op.relaxed
        ? '.relaxed.cta'
        : ''
      : op.narrow !== true
        ? `.${op.relaxed ? 'relaxed' : strongly}.cluster`
        : op.relaxed
          ? '.relaxed.cta'
          : die.pick(['', `.${strongly}.cta`])
  const spin = (
    b: number,
    parity: number,
    op: { readonly relaxed: boolean; readonly narrow?: true },
  ): ReadonlyArray<string> => {
    const again = label()
    return [
      `${again}:`,
      `mbarrier.try_wait.parity${sem(op, 'acquire')}.shared::cta.b64 %p, ${bar(b)}, ${String(parity)};`,
      `@!%p bra ${again};`,
    ]
  }
  const scopeOf = (isWide: boolean): string => (isWide ? die.pick(['cluster', 'gpu']) : 'cta')
  const clusterArrive = (relaxed: boolean): ReadonlyArray<string> => [
    `barrier.cluster.arrive${relaxed ? '.relaxed' : die.pick(['', '.release'])}${die.pick(['', '.aligned'])};`,
  ]
  const clusterWait = (): string =>
    `barrier.cluster.wait${die.pick(['', '.acquire'])}${die.pick(['', '.aligned'])};`
  const apart = die.chance(0.15)
  const off = (on: boolean, body: () => ReadonlyArray<string>): ReadonlyArray<string> => (on ? body() : [])
  const said = (op: Op, cta: number): ReadonlyArray<string> => {
    switch (op._tag) {
      case 'read':
        return op.atoms.flatMap((a) => {
          const { before, window, to } = reach(a, cta)
          return by(some(), () => [...before, `ld.${window}.v4.b32 {%a, %b, %c, %d}, ${to};`])
        })
      case 'write':
        return op.atoms.flatMap((a) => {
          const { before, window, to } = reach(a, cta)
          return by(some(), () => [...before, `st.${window}.v4.b32 ${to}, {%z, %z, %z, %z};`])
        })
      case 'arrive':
        return off(op.on, () => {
          const b = op.barriers[0]!
          const { before, window, to } = reachBar(b, cta)
          const name = `mbarrier.arrive${sem(op, 'release')}.${window}.b64 _, ${to}`
          if (!wide[b]!) return by(one(), () => [...before, `${name};`])
          return die.chance(0.5)
            ? by('all', () => [...before, `${name};`])
            : by(one(), () => [...before, `${name}, 32;`])
        })
      case 'arriveExpect':
        return off(op.on, () => {
          const { before, window, to } = reachBar(op.barrier, cta)
          return by(one(), () => [
            ...before,
            `mbarrier.arrive.expect_tx${sem(op, 'release')}.${window}.b64 _, ${to}, ${String(unit * op.units)};`,
          ])
        })
      case 'expect':
        return off(op.on, () => {
          const { before, window, to } = reachBar(op.barrier, cta)
          const scope = before.length === 0 ? 'cta' : 'cluster'
          return by(one(), () => [
            ...before,
            `mbarrier.expect_tx.relaxed.${scope}.${window}.b64 ${to}, ${String(unit * op.units)};`,
          ])
        })
      case 'wait': {
        if (!op.on) return []
        if (op.after === undefined) return by(some(), () => spin(op.barrier, op.parity, op))
        const over = label()
        const spared = flag()
        return [
          `setp.ne.s32 ${spared}, %peek_${op.after}, 0;`,
          `@${spared} bra ${over};`,
          ...spin(op.barrier, op.parity, op),
          `${over}:`,
        ]
      }
      case 'peek': {
        const done = flag()
        return [
          `mbarrier.try_wait.parity${sem(op, 'acquire')}.shared::cta.b64 ${done}, ${bar(op.barrier)}, ${String(op.parity)};`,
          `selp.b32 %peek_${op.name}, 1, 0, ${done};`,
        ]
      }
      case 'load': {
        const [first] = op.destinations
        const from = op.reads[0] === undefined ? '[%g]' : place(op.reads[0])
        const copy = 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
        const mask = op.destinations.reduce((m, d) => m | (1 << s.barriers[d.barrier]!.cta), 0)
        const own = mask === 1 << cta
        const alone = op.destinations.length === 1
        return off(op.on, () => {
          if (own && (ctas === 1 || die.chance(0.5)))
            return by(one(), () => [
              `${copy} ${place(first!.atoms[0]!)}, ${from}, ${String(unit)}, ${bar(first!.barrier)};`,
            ])
          if (!alone || die.chance(0.5))
            return by(one(), () => [
              `${copy}.multicast::cluster ${place(first!.atoms[0]!)}, ${from}, ${String(unit)}, ${bar(first!.barrier)}, ${String(mask)};`,
            ])
          const there = s.barriers[first!.barrier]!.cta
          return by(one(), () => [
            ...mapped('bars', slot(first!.barrier), there),
            'mov.u32 %rb, %ra;',
            ...mapped('mem', offset(first!.atoms[0]!), there),
            `${copy} [%ra], ${from}, ${String(unit)}, [%rb];`,
          ])
        })
      }
      case 'store': {
        const to = op.writes[0] === undefined ? `[%g+${String(at(global, ' nowhere'))}]` : place(op.writes[0])
        return off(op.on, () =>
          byStarter(() => [
            `cp.async.bulk.global.shared::cta.bulk_group ${to}, ${place(op.reads[0]!)}, ${String(unit)};`,
          ]),
        )
      }
      case 'bulkCommit':
        return withStarter(() => ['cp.async.bulk.commit_group;'])
      case 'bulkWait':
        return withStarter(() => [
          `cp.async.bulk.wait_group${op.side === 'read' ? '.read' : ''} ${String(op.pending)};`,
        ])
      case 'copy': {
        const from = op.reads[0] === undefined ? '[%g]' : place(op.reads[0])
        return off(op.on, () =>
          byStarter(() => [`cp.async.cg.shared.global ${place(op.writes[0]!)}, ${from}, 16;`]),
        )
      }
      case 'copyCommit':
        return withStarter(() => ['cp.async.commit_group;'])
      case 'copyWait':
        return withStarter(() => [`cp.async.wait_group ${String(op.pending)};`])
      case 'copyArrive':
        return byStarter(() => [`cp.async.mbarrier.arrive.noinc.shared::cta.b64 ${bar(op.barrier)};`])
      case 'fence':
        return by(some(), () => [`fence.proxy.async.${op.scope === 'global' ? 'global' : 'shared::cta'};`])
      case 'rendezvous': {
        if (op.members.some((x) => s.agents[x]!.cta !== cta))
          return [...clusterArrive(op.relaxed), clusterWait()]
        const id = rendezvous.get(op.id) ?? rendezvous.size + 8
        rendezvous.set(op.id, id)
        return [`bar.sync ${String(id)}, ${String(32 * op.members.length)};`]
      }
      case 'namedArrive':
      case 'namedSync': {
        const does = op._tag === 'namedArrive' ? 'arrive' : 'sync'
        const operands = `${String(op.id)}, ${String(32 * op.count)};`
        if (!apart) return [`${die.pick(['bar', 'barrier'])}.${does} ${operands}`]
        // each half by itself
        const other = label()
        const met = label()
        return [
          'setp.lt.u32 %q, %lane, 16;',
          `@%q bra ${other};`,
          `barrier.${does} ${operands}`,
          `bra ${met};`,
          `${other}:`,
          `barrier.${does} ${operands}`,
          `${met}:`,
        ]
      }
      case 'clusterArrive':
        return clusterArrive(op.relaxed)
      case 'clusterWait':
        return [clusterWait()]
      case 'tell': {
        const { before, window, to } = reach(op.word, cta)
        const how = `${op.releases ? 'release' : 'relaxed'}.${scopeOf(op.wide)}`
        return by(one(), () => [
          ...before,
          op.how === 'store'
            ? `st.${how}.${window}.u32 ${to}, ${String(op.value)};`
            : `red.${how}.${window}.add.u32 ${to}, ${String(op.value)};`,
        ])
      }
      case 'hear': {
        const { before, window, to } = reach(op.word, cta)
        const load = `ld.${op.acquires ? 'acquire' : 'relaxed'}.${scopeOf(op.wide)}.${window}.u32 %v, ${to};`
        if (op.until === 'any') return by(one(), () => [...before, load])
        return by(one(), () => {
          const again = label()
          return [
            ...before,
            `${again}:`,
            load,
            `setp.${op.until === 'eq' ? 'ne' : 'lt'}.u32 %p, %v, ${String(op.value)};`,
            `@%p bra ${again};`,
          ]
        })
      }
      case 'fenceMemory':
        return [`fence.acq_rel.${scopeOf(op.wide)};`]
      default:
        return []
    }
  }
  const peeks = new Set(
    ops.flatMap((op) => (op._tag === 'peek' ? [op.name] : op._tag === 'wait' ? (op.after ?? []) : [])),
  )
  for (const name of peeks) lines.push(`mov.u32 %peek_${name}, 0;`)
  const places = s.agents.map((a, x) => s.agents.slice(0, x).filter((b) => b.cta === a.cta).length)
  const warps = 1 + Math.max(0, ...places)
  s.agents.forEach((a, x) => {
    lines.push(`setp.eq.u32 %p, %agent, ${String(16 * a.cta + places[x]!)};`, `@%p bra W${String(x)};`)
  })
  lines.push('ret;')
  s.agents.forEach((agent, x) => {
    lines.push(`W${String(x)}:`)
    starter = die.chance(0.5) ? 0 : die.below(32)
    for (const op of agent.ops) {
      const here = said(op, agent.cta)
      for (const line of here) lines.push(line)
      if (here.length > 0) lines.push('bar.warp.sync -1;')
    }
    lines.push('ret;')
  })
  const zeros = [...shared.values()].map(
    (byte) => `@%first st.shared.v4.b32 [mem+${String(byte)}], {%z, %z, %z, %z};`,
  )
  const inits = (which: (k: number) => boolean): ReadonlyArray<string> =>
    s.barriers.flatMap((b, k) => {
      if (!which(k)) return []
      const init = `mbarrier.init.shared::cta.b64 ${bar(k)}, ${String(wide[k]! ? 32 * b.count : b.count)};`
      return ctas === 1 ? [`@%first ${init}`] : [`@%first${String(b.cta)} ${init}`]
    })
  const isLate = (k: number): boolean => s.barriers[k]!.unpublished === true
  const late = s.barriers.some((_, k) => isLate(k))
  const meet = (relaxed: boolean): ReadonlyArray<string> =>
    ctas === 1
      ? ['bar.sync 0;']
      : relaxed
        ? ['bar.sync 0;', 'barrier.cluster.arrive.relaxed;', 'barrier.cluster.wait;']
        : ['barrier.cluster.arrive;', 'barrier.cluster.wait;']
  // initialisations are published by the meeting, or by their own fence before a relaxed one
  const fenced = ctas === 2 && (late || die.chance(0.3))
  const prologue = fenced
    ? [
        ...zeros,
        '@%first fence.proxy.async.shared::cta;',
        ...meet(false),
        ...inits((k) => !isLate(k)),
        '@%first fence.mbarrier_init.release.cluster;',
        ...inits(isLate),
        ...meet(true),
      ]
    : [...zeros, ...inits(() => true), '@%first fence.proxy.async.shared::cta;', ...meet(false)]
  const head = [
    '.version 9.0',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 k_g)',
    '{',
    '.reg .pred %p, %q, %first, %first0, %first1;',
    `.reg .pred %f<${String(flags + 1)}>;`,
    '.reg .b32 %a, %b, %c, %d, %z, %lane, %agent, %t, %v, %ra, %rb, %rank;',
    ...[...peeks].map((name) => `.reg .b32 %peek_${name};`),
    '.reg .b64 %g;',
    `.shared .align 128 .b8 mem[${String(Math.max(unit, shared.size * unit))}];`,
    `.shared .align 8 .b8 bars[${String(8 * Math.max(1, names.length))}];`,
    'ld.param.u64 %g, [k_g];',
    'mov.u32 %t, %tid.x;',
    'mov.u32 %z, 0;',
    'and.b32 %lane, %t, 31;',
    'shr.u32 %agent, %t, 5;',
    'setp.eq.u32 %first, %t, 0;',
    ...(ctas === 1
      ? []
      : [
          'mov.u32 %rank, %cluster_ctarank;',
          'shl.b32 %rb, %rank, 4;',
          'add.u32 %agent, %agent, %rb;',
          'setp.eq.and.u32 %first0, %rank, 0, %first;',
          'setp.eq.and.u32 %first1, %rank, 1, %first;',
        ]),
    ...prologue,
  ]
  return {
    text: [...head, ...lines, '}', ''].join('\n'),
    threads: 32 * warps,
    bytes: global.size * unit,
    ctas,
  }
}
