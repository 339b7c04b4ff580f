/**
 * Every single change of a text's synchronisation, instruction by instruction.
 *
 * The operators are those of `semantics/mutation`; a changed text is one that the assembler takes. What a change has to compute stands right before the
 * instruction, in a scope of its own.
 *
 * | operator | in PTX                                                                                                                |
 * |----------|-----------------------------------------------------------------------------------------------------------------------|
 * | DROP     | an instruction left out (`absent.ts`)                                                                                 |
 * | DUP      | an instruction twice; a wait that spins has passed twice                                                              |
 * | RETARGET | the named barrier with the next number; the mbarrier 8 bytes on, 8 bytes before                                       |
 * | COUNT    | arrivals, pending groups, warps of a barrier: one more, one less; 16 bytes more, less                                  |
 * | PRIME    | the other parity; an arrival right behind an initialisation                                                           |
 * | FLAG     | relaxed, weak; a barrier with an arrive in place of a sync, and the other way round; reads only; `noinc`            |
 * | FENCE    | another scope, another kind                                                                                           |
 * | MOVE     | on the other side of the next access, or of the one before it; of a wait that spins, behind it                          |
 * | ORDER    | two neighbours exchanged                                                                                              |
 * | LANES    | a `bar.warp.sync` of fewer lanes, of all lanes; an arrival or a release by the next lane                              |
 *
 *     bar.sync 0;       DROP                                          nothing
 *                       COUNT a warp less      of 128 threads         bar.sync 0, 96;
 *     mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], %r3;
 *                       PRIME the other parity                        { .reg .b32 %changed; xor.b32 %changed, %r3, 1; mbarrier.try_wait ... %changed; }
 *
 * Lanes of a warp are threads (`lanes.ts`).
 *
 * Laws
 * 1. Every changed text is printed and read again as itself.
 */
import type { Manner, Operator } from '../../../semantics/mutation/index.js'
import { graphOf } from '../flow/graph.js'
import { spinsOf, type Spin } from '../flow/spins.js'
import type { Code, Resolved } from '../opcodes/resolve.js'
import type { Instruction, Operand, Statement } from '../text/module.js'
import type { Instead } from '../text/replace.js'
import { leftOut } from './absent.js'
import { kindOf, type Kind } from './kinds.js'
import { byNextLane, masks } from './lanes.js'
import { becomes, fresh, made, placeOf, threadsOf, type Changes, type Extent, type Making } from './making.js'
import type { PtxSite } from './sites.js'
import { instruction, integer, name, scoped, withOpcode, withOperand } from './write.js'

// ---------------------------------------------------------------- operands

/** With another number in the place of one: a constant plus so much, or a register of its own. */
const computed = (m: Making, k: number, opcode: string, by: number): Instead | null => {
  const o = m.i.operands[k]
  if (o?._tag === 'integer') {
    const value = opcode === 'xor.b32' ? o.value ^ BigInt(by) : o.value + BigInt(by)
    return value < 0n ? null : becomes(m, withOperand(m.i, k, integer(value)))
  }
  if (o?._tag !== 'name') return null
  const own = fresh(m)
  return becomes(
    m,
    scoped(m.i, 'b32', own, [
      instruction(m.i, null, opcode, [name(m.i, own), o, integer(by)]),
      withOperand(m.i, k, name(m.i, own)),
    ]),
  )
}

const more = (m: Making, k: number, by: number, least: number): Instead | null => {
  const o = m.i.operands[k]
  return o?._tag === 'integer' && o.value + BigInt(by) < BigInt(least) ? null : computed(m, k, 'add.s32', by)
}

/** One more and one less, where there is a number. */
const counted = (m: Making, operand: string, step: number, called: string, least: number): Changes => {
  const k = placeOf(m.r, operand)
  if (k < 0) return []
  const up = more(m, k, step, least)
  const down = more(m, k, -step, least)
  return [
    ...(up === null ? [] : [made(m, 'COUNT', `${called} more`, up, 'more')]),
    ...(down === null ? [] : [made(m, 'COUNT', `${called} less`, down, 'less')]),
  ]
}

const inserted = (operands: ReadonlyArray<Operand>, k: number, o: Operand): ReadonlyArray<Operand> => [
  ...operands.slice(0, k),
  o,
  ...operands.slice(k),
]

// ---------------------------------------------------------------- opcodes

const words = (opcode: string): ReadonlyArray<string> => opcode.split('.')
const without = (opcode: string, word: string): string =>
  words(opcode)
    .filter((w) => w !== word)
    .join('.')
const instead = (opcode: string, word: string, by: string): string =>
  words(opcode)
    .map((w) => (w === word ? by : w))
    .join('.')
/** Words before the first that names a space or a type of 64 bits. */
const withOrder = (opcode: string, order: ReadonlyArray<string>): string => {
  const all = words(opcode)
  const at = all.findIndex((w) => w.startsWith('shared') || w === 'b64')
  return at < 0 ? opcode : [...all.slice(0, at), ...order, ...all.slice(at)].join('.')
}

const recoded = (
  m: Making,
  operator: Operator,
  change: string,
  opcode: string,
  manner: Manner = 'other',
): Changes =>
  opcode === m.i.opcode ? [] : [made(m, operator, change, becomes(m, withOpcode(m.i, opcode)), manner)]

/** A narrower, and a wider scope. */
const scopes = (m: Making, operator: Operator): Changes => {
  const { opcode } = m.i
  const all = words(opcode)
  return [
    ...(all.includes('cluster') || all.includes('gpu') || all.includes('sys') || all.includes('gl')
      ? recoded(
          m,
          operator,
          'of CTA scope',
          ['cluster', 'gpu', 'sys', 'gl'].reduce((text, w) => instead(text, w, 'cta'), opcode),
        )
      : []),
    ...(operator === 'FENCE' && all.includes('cta')
      ? recoded(
          m,
          operator,
          'of a wider scope',
          instead(opcode, 'cta', all[0] === 'membar' ? 'gl' : 'gpu'),
          'wider',
        )
      : []),
  ]
}

// ---------------------------------------------------------------- a wait that spins

/** The labels before the loop: what is put there is done once. */
const beforeLoop = (m: Making, spin: Spin): ReadonlyArray<Statement> =>
  m.labelsBefore.get(m.site.code.instructions[m.graph.blocks[spin.header]!.first]!.instruction) ?? []

/** A wait like this one, that spins in a loop of its own. */
const spinLike = (m: Making, test: Instruction): Statement => {
  const own = fresh(m)
  const label = '$changed'
  return {
    _tag: 'scope',
    at: m.i.at,
    body: [
      { _tag: 'registers', at: m.i.at, type: 'pred', vector: 1, name: own, count: null },
      { _tag: 'label', at: m.i.at, name: label },
      withOperand(test, 0, name(m.i, own)),
      instruction(m.i, { at: m.i.at, name: own, negated: true }, 'bra', [name(m.i, label)]),
    ],
  }
}

// ---------------------------------------------------------------- presence

const dropped = (m: Making): Changes => {
  const by = leftOut(m.site.code, m.site.index)
  return by === null ? [] : [made(m, 'DROP', 'left out', by, 'absent')]
}

const doubled = (m: Making): Changes => {
  const { spin } = m
  if (spin === null) return [made(m, 'DUP', 'twice', becomes(m, m.i, m.i))]
  const [first] = beforeLoop(m, spin)
  return spin.kind === 'semaphore' || first === undefined
    ? []
    : [made(m, 'DUP', 'waits twice', new Map([[first, [spinLike(m, m.i), first]]]))]
}

// ---------------------------------------------------------------- places

/** Only computes: anything may change places with it, as far as registers go. */
const isPure = (r: Resolved): boolean => kindOf(r) === null && r.form.act._tag !== 'steers'

const writesInto = (a: Resolved, b: Resolved): boolean =>
  a.writes.some((x) => b.reads.some((y) => y.index === x.index) || b.writes.some((y) => y.index === x.index))

/** May two instructions stand the other way round? */
const mayPass = (a: Resolved, b: Resolved): boolean => !writesInto(a, b) && !writesInto(b, a)

type Found = { readonly index: number; readonly kind: Kind } | null

/** The next instruction that does something, in the same block, if all between may be passed. */
const nextIn = (m: Making, step: 1 | -1): Found => {
  const { code, index } = m.site
  const block = m.graph.blocks[m.graph.blockOf[index]!]!
  for (let k = index + step; k >= block.first && k < block.end; k += step) {
    const r = code.instructions[k]!
    if (!mayPass(m.r, r)) return null
    const kind = kindOf(r)
    if (kind !== null) return { index: k, kind }
    if (!isPure(r)) return null
  }
  return null
}

/** On the other side of all accesses that follow one another there. */
const beyond = (m: Making, step: 1 | -1): { readonly index: number } | null => {
  const found = nextIn(m, step)
  return found?.kind === 'access' ? found : null
}

const moved = (m: Making): Changes => {
  if (m.r.writes.length > 0 || m.spin !== null) return movedSpin(m)
  const { code } = m.site
  return ([1, -1] as const).flatMap((step): Changes => {
    const found = beyond(m, step)
    if (found === null) return []
    const at = code.instructions[found.index]!.instruction
    const other = m.siteOf(code, found.index)
    const placed: ReadonlyArray<Statement> = step === 1 ? [at, m.i] : [m.i, at]
    return [
      made(
        m,
        'MOVE',
        step === 1 ? 'after the next access' : 'before the preceding access',
        new Map<Statement, ReadonlyArray<Statement>>([
          [m.i, []],
          [at, placed],
        ]),
        step === 1 ? 'later' : 'earlier',
        other,
      ),
    ]
  })
}

/** A wait that spins, behind the access that it lets begin. */
const movedSpin = (m: Making): Changes => {
  const { spin, graph } = m
  const { code, index } = m.site
  if (spin === null || spin.kind === 'semaphore') return []
  const gone = leftOut(code, index)
  const last = Math.max(
    -1,
    Array.from(spin.blocks).reduce((n, b) => Math.max(n, graph.blocks[b]!.end), -1),
  )
  if (gone === null || last < 0 || last >= code.instructions.length) return []
  const block = graph.blocks[graph.blockOf[last]!]!
  for (let k = last; k < block.end; k++) {
    const r = code.instructions[k]!
    const kind = kindOf(r)
    if (r.writes.some((x) => m.r.reads.some((y) => y.index === x.index))) return []
    if (kind === null) {
      if (!isPure(r) && r.form.base !== 'bra') return []
      if (r.form.base === 'bra') return []
      continue
    }
    if (kind !== 'access') return []
    return [
      made(
        m,
        'MOVE',
        'after the next access',
        new Map<Statement, ReadonlyArray<Statement>>([
          ...gone,
          [r.instruction, [r.instruction, spinLike(m, m.i)]],
        ]),
        'later',
        m.siteOf(code, k),
      ),
    ]
  }
  return []
}

/** Exchanged with the next instruction that orders. */
const exchanged = (m: Making): Changes => {
  if (m.spin !== null) return []
  const found = nextIn(m, 1)
  if (found === null || found.kind === 'access') return []
  const { code } = m.site
  const other = code.instructions[found.index]!
  if (spinsOf(code).some(({ test }) => test === found.index) || other.instruction.opcode === m.i.opcode)
    return []
  return [
    made(
      m,
      'ORDER',
      'exchanged with the next ordering statement',
      new Map<Statement, ReadonlyArray<Statement>>([
        [m.i, []],
        [other.instruction, [other.instruction, m.i]],
      ]),
      'other',
      m.siteOf(code, found.index),
    ),
  ]
}

// ---------------------------------------------------------------- by kind

const bars = (m: Making): Changes => {
  const { r, i } = m
  const threads = threadsOf(m.block)
  const mode = r.form.base.split('.').pop()!
  const id = placeOf(r, 'a')
  const count = placeOf(r, 'b')
  const next = computed(m, id, 'add.s32', 1)
  // 15 is the last
  const o = i.operands[id]
  const isLast = o?._tag === 'integer' && o.value >= 15n
  const own = (by: number): Changes =>
    threads + by < 32
      ? []
      : [
          made(
            m,
            'COUNT',
            `a warp ${by < 0 ? 'less' : 'more'}`,
            becomes(
              m,
              instruction(i, i.guard, i.opcode, inserted(i.operands, id + 1, integer(threads + by))),
            ),
            by < 0 ? 'less' : 'more',
          ),
        ]
  const whole = count < 0 ? inserted(i.operands, id + 1, integer(threads)) : i.operands
  const other = mode === 'sync' ? 'arrive' : 'sync'
  return [
    ...(next === null || isLast ? [] : [made(m, 'RETARGET', 'the barrier with the next number', next)]),
    ...(count < 0 ? [...own(-32), ...own(32)] : counted(m, 'b', 32, 'a warp', 32)),
    ...(mode === 'red'
      ? []
      : [
          made(
            m,
            'FLAG',
            mode === 'sync' ? 'arrives and does not wait' : 'waits, too',
            becomes(m, instruction(i, i.guard, instead(i.opcode, mode, other), whole)),
            mode === 'sync' ? 'other' : 'stronger',
          ),
        ]),
  ]
}

/** Another mbarrier: the one 8 bytes on, and the one before. */
const retargeted = (m: Making, operand: string): Changes => {
  const k = placeOf(m.r, operand)
  const o = m.i.operands[k]
  if (o?._tag !== 'address') return []
  return ([8, -8] as const).map((by) =>
    made(
      m,
      'RETARGET',
      by > 0 ? 'the mbarrier after it' : 'the mbarrier before it',
      becomes(
        m,
        withOperand(m.i, k, { _tag: 'address', at: o.at, base: o.base, offset: o.offset + by, more: o.more }),
      ),
    ),
  )
}

const relaxed = (m: Making): Changes => {
  const { sem, noComplete } = m.r.modifiers
  const { opcode } = m.i
  // an arrival that completes no phase has no semantics to choose
  return noComplete !== undefined
    ? []
    : recoded(
        m,
        'FLAG',
        'relaxed',
        sem === undefined ? withOrder(opcode, ['relaxed', 'cta']) : instead(opcode, sem, 'relaxed'),
      )
}

const arrivals = (m: Making): Changes => {
  const { r, i } = m
  switch (r.form.base) {
    case 'mbarrier.arrive':
    case 'mbarrier.arrive_drop': {
      const hasCount = placeOf(r, 'count') >= 0
      const isExpecting = placeOf(r, 'tx') >= 0
      return [
        ...retargeted(m, 'a'),
        ...counted(m, 'count', 1, 'one', 1),
        ...(hasCount || isExpecting
          ? []
          : [
              made(
                m,
                'COUNT',
                'one more',
                becomes(m, instruction(i, i.guard, i.opcode, [...i.operands, integer(2)])),
                'more',
              ),
            ]),
        ...counted(m, 'tx', 16, '16 bytes', 0),
        ...relaxed(m),
        ...scopes(m, 'FLAG'),
      ]
    }
    case 'cp.async.mbarrier.arrive':
      return [
        ...retargeted(m, 'a'),
        ...recoded(
          m,
          'FLAG',
          r.modifiers['noinc'] === undefined ? 'without its increment' : 'with an increment',
          r.modifiers['noinc'] === undefined
            ? instead(i.opcode, 'arrive', 'arrive.noinc')
            : without(i.opcode, 'noinc'),
        ),
      ]
    default:
      return retargeted(m, 'mbar')
  }
}

const waits = (m: Making): Changes => {
  const parity = placeOf(m.r, 'parity')
  const other = parity < 0 ? null : computed(m, parity, 'xor.b32', 1)
  return [
    ...retargeted(m, 'a'),
    ...(other === null ? [] : [made(m, 'PRIME', 'the other parity', other)]),
    ...relaxed(m),
    ...scopes(m, 'FLAG'),
  ]
}

const inits = (m: Making): Changes => {
  const at = m.i.operands[placeOf(m.r, 'a')]
  const space = m.r.modifiers['space'] ?? 'shared'
  return [
    ...retargeted(m, 'a'),
    ...counted(m, 'count', 1, 'one', 1),
    ...(at === undefined
      ? []
      : [
          made(
            m,
            'PRIME',
            'an arrival after it',
            becomes(
              m,
              m.i,
              instruction(m.i, m.i.guard, `mbarrier.arrive.${space}.b64`, [{ _tag: 'sink' }, at]),
            ),
          ),
        ]),
  ]
}

const groupWaits = (m: Making): Changes => {
  const { r, i } = m
  switch (r.form.base) {
    case 'cp.async.wait_all':
      return [
        made(
          m,
          'COUNT',
          'one more',
          becomes(m, instruction(i, i.guard, 'cp.async.wait_group', [integer(1)])),
          'more',
        ),
      ]
    case 'cp.async.bulk.wait_group':
      return [
        ...counted(m, 'n', 1, 'one', 0),
        ...(r.modifiers['read'] === undefined
          ? recoded(m, 'FLAG', 'of reads alone', `${i.opcode}.read`)
          : recoded(m, 'FLAG', 'of writes, too', without(i.opcode, 'read'), 'stronger')),
      ]
    default:
      return counted(m, 'n', 1, 'one', 0)
  }
}

const fences = (m: Making): Changes => {
  const { kind, sem } = m.r.modifiers
  const { opcode } = m.i
  if (m.r.form.base === 'fence.proxy')
    return [
      ...(kind === 'async' || kind === 'async.global'
        ? recoded(m, 'FENCE', 'of shared memory alone', 'fence.proxy.async.shared::cta')
        : []),
      ...(kind === 'async' || kind?.startsWith('async.shared') === true
        ? recoded(m, 'FENCE', 'of global memory alone', 'fence.proxy.async.global')
        : []),
      ...(kind?.startsWith('async.') === true
        ? recoded(m, 'FENCE', 'of all memory', 'fence.proxy.async', 'wider')
        : []),
      ...(kind?.startsWith('tensormap') === true ? scopes(m, 'FENCE') : []),
    ]
  if (m.r.form.base !== 'fence' && m.r.form.base !== 'membar') return []
  return [
    ...scopes(m, 'FENCE'),
    ...(sem === 'sc' ? recoded(m, 'FLAG', 'of acquire and release', instead(opcode, 'sc', 'acq_rel')) : []),
  ]
}

/** Of an access with an order its order. */
const ordered = (m: Making): Changes => {
  const { sem } = m.r.modifiers
  const { opcode } = m.i
  switch (sem) {
    case 'acquire':
    case 'release':
      return [...recoded(m, 'FLAG', 'relaxed', instead(opcode, sem, 'relaxed')), ...scopes(m, 'FLAG')]
    case 'acq_rel':
      return [
        ...recoded(m, 'FLAG', 'relaxed', instead(opcode, sem, 'relaxed')),
        ...recoded(m, 'FLAG', 'acquires alone', instead(opcode, sem, 'acquire')),
        ...recoded(m, 'FLAG', 'releases alone', instead(opcode, sem, 'release')),
        ...scopes(m, 'FLAG'),
      ]
    case 'volatile':
      return recoded(m, 'FLAG', 'weak', without(opcode, 'volatile'))
    case 'relaxed':
      return [
        ...scopes(m, 'FLAG'),
        ...(m.r.form.base === 'ld' || m.r.form.base === 'st'
          ? recoded(m, 'FLAG', 'weak', ['relaxed', 'cta', 'cluster', 'gpu', 'sys'].reduce(without, opcode))
          : []),
      ]
    default:
      return m.r.form.base === 'atom' || m.r.form.base === 'red' ? scopes(m, 'FLAG') : []
  }
}

const own = (m: Making): Changes => {
  switch (m.site.kind) {
    case 'bar':
      return bars(m)
    case 'cluster barrier':
      return m.r.form.base === 'barrier.cluster.arrive' ? clusterOrder(m) : []
    case 'warp barrier':
      return masks(m)
    case 'fence':
      return fences(m)
    case 'mbarrier init':
      return inits(m)
    case 'mbarrier inval':
      return retargeted(m, 'a')
    case 'mbarrier expect':
      return [...retargeted(m, 'a'), ...counted(m, 'tx', 16, '16 bytes', 0)]
    case 'mbarrier arrive':
      return arrivals(m)
    case 'mbarrier wait':
      return waits(m)
    case 'commit':
    case 'tensor fence':
    case 'tensor allocation':
      return []
    case 'group wait':
      return groupWaits(m)
    case 'access':
      return ordered(m)
  }
}

const clusterOrder = (m: Making): Changes => {
  const { sem } = m.r.modifiers
  const { opcode } = m.i
  return recoded(
    m,
    'FLAG',
    'relaxed',
    sem === undefined ? instead(opcode, 'arrive', 'arrive.relaxed') : instead(opcode, 'release', 'relaxed'),
  )
}

// ---------------------------------------------------------------- all

/** By the instruction behind them: labels of all scopes. */
const labelled = (
  body: ReadonlyArray<Statement>,
  into: Map<Instruction, ReadonlyArray<Statement>>,
  pending: Statement[],
): void => {
  for (const s of body)
    if (s._tag === 'label') pending.push(s)
    else if (s._tag === 'scope') labelled(s.body, into, pending)
    else if (s._tag === 'instruction') {
      if (pending.length > 0) into.set(s, pending.splice(0))
    }
}

/** Every change of the synchronisation at these sites; `block`: the threads of a CTA. */
export const changesOf = (sites: ReadonlyArray<PtxSite>, block: Extent): Changes => {
  const bySite = new Map<Code, Map<number, PtxSite>>()
  for (const s of sites) {
    const of = bySite.get(s.code) ?? new Map<number, PtxSite>()
    of.set(s.index, s)
    bySite.set(s.code, of)
  }
  const labelsBefore = new Map<Instruction, ReadonlyArray<Statement>>()
  for (const code of bySite.keys()) labelled(code.function.body ?? [], labelsBefore, [])
  const siteOf: Making['siteOf'] = (of, k) => bySite.get(of)?.get(k) ?? null
  const makingOf = (site: PtxSite): Making => {
    const { code, index } = site
    const r = code.instructions[index]!
    return {
      site,
      r,
      i: r.instruction,
      spin: spinsOf(code).find(({ test }) => test === index) ?? null,
      graph: graphOf(code),
      block,
      siteOf,
      labelsBefore,
    }
  }
  return sites.flatMap((site): Changes => {
    const m = makingOf(site)
    const handed = byNextLane(m, (k) => {
      const other = siteOf(site.code, k)
      return other === null ? null : makingOf(other)
    })
    return site.kind === 'access'
      ? [...own(m), ...handed]
      : [...dropped(m), ...doubled(m), ...own(m), ...moved(m), ...exchanged(m), ...handed]
  })
}
