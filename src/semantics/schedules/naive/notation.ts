/**
 * Skeletons as one line of text.
 *
 *     b0@0:1 b1@0:2 | t0@0: arx #0 1; ld > s0.x:#0:1; st s0.x > g.z; bc; bw 0 full | t1@0: wait #0 0; rd s0.x; arr #1 ~
 *
 * Barriers first (name @ cta : count, and `?` if its initialisation is not published to the other CTAs), then the agents. Flags: `~` relaxed, `^` with tensor-core order, `!`
 * predicated off, `<` of the scope of its CTA; `@p` names a peek, and the peek that a wait is after. It is what failing tests print and what goes to other engines.
 *
 * Laws
 * 1. `parse(show(s)) = s` for every skeleton whose names are words, and `readChoice(showChoice(c)) = c`.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../../failure.js'
import { refuse } from '../../../failure.js'
import type { Atom, Atoms, Choice, Op, Skeleton, SkeletonAgent, SkeletonBarrier } from './skeleton.js'
import * as S from './skeleton.js'

export type NotationError = 'naive.notation'

// ---------------------------------------------------------------- show

const list = (atoms: Atoms): string => atoms.map(S.showAtom).join(',')
const flow = (reads: Atoms, writes: Atoms): string => `${list(reads)} > ${list(writes)}`.trim()
const marks = (relaxed: boolean, tensor: boolean, on: boolean, narrow?: true | undefined): string =>
  `${relaxed ? ' ~' : ''}${tensor ? ' ^' : ''}${on ? '' : ' !'}${narrow === true ? ' <' : ''}`
const refs = (barriers: ReadonlyArray<number>): string => barriers.map((b) => `#${String(b)}`).join(',')

export const showOp = (op: Op): string => {
  switch (op._tag) {
    case 'read':
      return `rd ${list(op.atoms)}`
    case 'write':
      return `wr ${list(op.atoms)}`
    case 'arrive':
      return `arr ${refs(op.barriers)}${marks(op.relaxed, op.tensor, op.on, op.narrow)}`
    case 'arriveExpect':
      return `arx #${String(op.barrier)} ${String(op.units)}${marks(op.relaxed, op.tensor, op.on, op.narrow)}`
    case 'expect':
      return `exp #${String(op.barrier)} ${String(op.units)}${marks(false, false, op.on)}`
    case 'wait':
      return `wait #${String(op.barrier)} ${String(op.parity)}${marks(op.relaxed, op.tensor, op.on, op.narrow)}${op.after === undefined ? '' : ` @${op.after}`}`
    case 'peek':
      return `peek #${String(op.barrier)} ${String(op.parity)}${marks(op.relaxed, op.tensor, true, op.narrow)} @${op.name}`
    case 'load':
      return `ld ${list(op.reads)} > ${op.destinations
        .map((d) => `${list(d.atoms)}:#${String(d.barrier)}:${String(d.units)}`)
        .join(' ')}${marks(false, false, op.on)}`.replace('  ', ' ')
    case 'store':
      return `st ${flow(op.reads, op.writes)}${marks(false, false, op.on)}`
    case 'bulkCommit':
      return 'bc'
    case 'bulkWait':
      return `bw ${String(op.pending)} ${op.side}`
    case 'copy':
      return `cp ${flow(op.reads, op.writes)}${marks(false, false, op.on)}`
    case 'copyCommit':
      return 'cc'
    case 'copyWait':
      return `cw ${String(op.pending)}`
    case 'copyArrive':
      return `ca #${String(op.barrier)}`
    case 'wgmma':
      return `wg ${flow(op.reads, op.writes)}`
    case 'wgmmaCommit':
      return 'wc'
    case 'wgmmaWait':
      return `ww ${String(op.pending)}`
    case 'fence':
      return `fen ${op.scope}`
    case 'rendezvous':
      return `rdv ${op.id} ${op.members.join(',')}${marks(op.relaxed, op.tensor, true)}`
    case 'mma':
      return `mma ${flow([...op.reads, ...op.tensorReads], op.writes)}`
    case 'commit':
      return `com ${refs(op.barriers)}`
    case 'tensorLoad':
      return `tld ${list(op.atoms)}`
    case 'tensorStore':
      return `tst ${list(op.atoms)}`
    case 'waitLoads':
      return 'wld'
    case 'waitStores':
      return 'wst'
    case 'fenceBefore':
      return 'bef'
    case 'fenceAfter':
      return 'aft'
    case 'dealloc':
      return `dea ${list(op.atoms)}`
    case 'alloc':
      return `all ${String(op.columns)} ${String(op.ctaGroup)}`
    case 'free':
      return `fre ${String(op.columns)} ${String(op.ctaGroup)}`
    case 'relinquish':
      return `rel ${String(op.ctaGroup)}`
    case 'namedArrive':
      return `bar ${String(op.id)} ${String(op.count)}`
    case 'namedSync':
      return `bas ${String(op.id)} ${String(op.count)}`
    case 'clusterArrive':
      return `cla${marks(op.relaxed, false, true)}`
    case 'clusterWait':
      return 'clw'
    case 'tell':
      return `${op.how === 'store' ? 'tel' : 'add'} ${S.showAtom(op.word)} ${String(op.value)}${marks(!op.releases, false, true, op.wide ? undefined : true)}`
    case 'hear':
      return `hea ${S.showAtom(op.word)} ${op.until} ${String(op.value)}${marks(!op.acquires, false, true, op.wide ? undefined : true)}`
    case 'fenceMemory':
      return `fem${marks(false, false, true, op.wide ? undefined : true)}`
  }
}

export const show = (skeleton: Skeleton): string =>
  [
    skeleton.barriers
      .map((b) => `${b.name}@${String(b.cta)}:${String(b.count)}${b.unpublished === true ? '?' : ''}`)
      .join(' '),
    ...skeleton.agents.map((a) => `${a.name}@${String(a.cta)}: ${a.ops.map(showOp).join('; ')}`.trim()),
  ].join(' | ')

const letters: Readonly<Record<Choice['_tag'], string>> = {
  agent: 'x',
  operation: 'p',
  queue: 'q',
  wgmma: 'w',
}

/** `x0.3` agent and operation, `p0.3.1` operation in flight and part, `q0.3` tcgen05 queue and its head, `w0.3` wgmma queue. */
export const showChoice = (choice: Choice): string =>
  `${letters[choice._tag]}${String(choice.agent)}.${String(choice.op)}${choice._tag === 'operation' ? `.${String(choice.part)}` : ''}`

// ---------------------------------------------------------------- parse

const atomOf = (text: string): Atom | null => {
  const m = /^(?:([str])(\d+)|g)\.(\S+)$/.exec(text)
  if (m === null) return null
  const [, space, where, name] = m
  switch (space) {
    case 's':
      return S.smem(Number(where), name!)
    case 't':
      return S.tmem(Number(where), name!)
    case 'r':
      return S.regs(Number(where), name!)
    default:
      return S.gmem(name!)
  }
}
const words = (text: string, separator: string | RegExp): ReadonlyArray<string> =>
  text.trim() === '' ? [] : text.trim().split(separator)
const atomsIn = (text: string): Atoms | null => {
  const found = words(text, ',').map(atomOf)
  const good = found.filter((atom) => atom !== null)
  return good.length === found.length ? good : null
}
const barrierIn = (text: string | undefined): number => (text?.startsWith('#') ? Number(text.slice(1)) : NaN)

const opOf = (text: string): Op | null => {
  const [head, ...all] = text.trim().split(/\s+/)
  const relaxed = all.includes('~')
  const tensor = all.includes('^')
  const on = !all.includes('!')
  const near = all.includes('<')
  const scoped = (op: Op | null): Op | null => (op !== null && near ? S.narrow(op) : op)
  const name = all.find((word) => word.startsWith('@'))?.slice(1)
  const rest = all.filter((word) => !['~', '^', '!', '<'].includes(word) && !word.startsWith('@'))
  const arrow = rest.indexOf('>')
  const atoms = atomsIn(rest[0] ?? '')
  const before = arrow < 0 ? null : atomsIn(rest.slice(0, arrow).join(' '))
  const after = arrow < 0 ? null : atomsIn(rest.slice(arrow + 1).join(' '))
  const barriers = (rest[0] ?? '').split(',').map(barrierIn)
  const barrier = barriers[0]!
  const count = Number(rest[1])
  const pending = Number(rest[0])
  const named = barriers.every((b) => Number.isInteger(b))
  const nth = Number.isInteger(pending)
  switch (head) {
    case 'rd':
      return atoms && S.read(atoms)
    case 'wr':
      return atoms && S.write(atoms)
    case 'arr':
      return scoped(named ? S.arrive(barriers, relaxed, tensor, on) : null)
    case 'arx':
      return scoped(
        named && Number.isInteger(count) ? S.arriveExpect(barrier, count, relaxed, tensor, on) : null,
      )
    case 'exp':
      return named && Number.isInteger(count) ? S.expect(barrier, count, on) : null
    case 'wait':
      return scoped(
        !named || (count !== 0 && count !== 1)
          ? null
          : name === undefined
            ? S.wait(barrier, count, relaxed, tensor, on)
            : on
              ? S.waitAfter(name, barrier, count, relaxed, tensor)
              : null,
      )
    case 'peek':
      return scoped(
        named && name !== undefined && (count === 0 || count === 1)
          ? S.peek(name, barrier, count, relaxed, tensor)
          : null,
      )
    case 'bar':
      return nth && Number.isInteger(count) ? S.namedArrive(pending, count) : null
    case 'bas':
      return nth && Number.isInteger(count) ? S.namedSync(pending, count) : null
    case 'cla':
      return S.clusterArrive(relaxed)
    case 'clw':
      return S.clusterWait
    case 'tel':
    case 'add':
      return atoms?.length === 1 && Number.isInteger(count)
        ? S.tell(atoms[0]!, head === 'tel' ? 'store' : 'add', count, !relaxed, !near)
        : null
    case 'hea': {
      const until = rest[1]
      const value = Number(rest[2])
      return atoms?.length === 1 &&
        (until === 'eq' || until === 'ge' || until === 'any') &&
        Number.isInteger(value)
        ? S.hear(atoms[0]!, until, value, !relaxed, !near)
        : null
    }
    case 'fem':
      return S.fenceMemory(!near)
    case 'ld': {
      const parts = rest.slice(arrow + 1).map((word) => word.split(':'))
      const destinations = parts.map(([where, b, units]) => ({
        atoms: atomsIn(where ?? '') ?? [],
        barrier: barrierIn(b),
        units: Number(units),
      }))
      const good =
        arrow >= 0 && destinations.every((d) => Number.isInteger(d.barrier) && Number.isInteger(d.units))
      return good && before ? S.load(before, destinations, on) : null
    }
    case 'st':
      return before && after && S.store(before, after, on)
    case 'bc':
      return S.bulkCommit
    case 'bw':
      return nth && (rest[1] === 'read' || rest[1] === 'full') ? S.bulkWait(pending, rest[1]) : null
    case 'cp':
      return before && after && S.copy(before, after, on)
    case 'cc':
      return S.copyCommit
    case 'cw':
      return nth ? S.copyWait(pending) : null
    case 'ca':
      return named ? S.copyArrive(barrier) : null
    case 'wg':
      return before && after && S.wgmma(before, after)
    case 'wc':
      return S.wgmmaCommit
    case 'ww':
      return nth ? S.wgmmaWait(pending) : null
    case 'fen':
      return rest[0] === 'cta' || rest[0] === 'global' ? S.fence(rest[0]) : null
    case 'rdv':
      return rest.length === 2
        ? S.rendezvous(rest[0]!, rest[1]!.split(',').map(Number), relaxed, tensor)
        : null
    case 'mma':
      return (
        before &&
        after &&
        S.mma(
          before.filter((atom) => atom._tag !== 'tmem'),
          before.filter((atom) => atom._tag === 'tmem'),
          after,
        )
      )
    case 'com':
      return named ? S.commit(barriers) : null
    case 'tld':
      return atoms && S.tensorLoad(atoms)
    case 'tst':
      return atoms && S.tensorStore(atoms)
    case 'wld':
      return S.waitLoads
    case 'wst':
      return S.waitStores
    case 'bef':
      return S.fenceBefore
    case 'aft':
      return S.fenceAfter
    case 'dea':
      return atoms && S.dealloc(atoms)
    case 'all':
      return nth && (count === 1 || count === 2) ? S.alloc(pending, count) : null
    case 'fre':
      return nth && (count === 1 || count === 2) ? S.free(pending, count) : null
    case 'rel':
      return pending === 1 || pending === 2 ? S.relinquish(pending) : null
    default:
      return null
  }
}

/** Refuses text that is not a skeleton, naming the piece. */
export const parse = (text: string): E.Either<Failure<NotationError>, Skeleton> => {
  const refused = (what: string, piece: string): E.Either<Failure<NotationError>, never> =>
    refuse('naive.notation', `Expected ${what}, found ${JSON.stringify(piece)}`)
  const [first, ...rest] = text.split('|')
  const barriers: SkeletonBarrier[] = []
  for (const word of words(first!, /\s+/)) {
    const m = /^(\S+)@(\d+):(\d+)(\??)$/.exec(word)
    if (m === null) return refused('a barrier name@cta:count', word)
    const barrier = { name: m[1]!, cta: Number(m[2]), count: Number(m[3]) }
    barriers.push(m[4] === '' ? barrier : S.unpublished(barrier))
  }
  const agents: SkeletonAgent[] = []
  for (const piece of rest) {
    const m = /^\s*(\S+)@(\d+):(.*)$/s.exec(piece)
    if (m === null) return refused('an agent name@cta: operations', piece)
    const ops: Op[] = []
    for (const word of words(m[3]!, ';')) {
      const op = opOf(word)
      if (op === null) return refused('an operation', word)
      if (S.barriersOf(op).some((b) => b >= barriers.length)) return refused('a declared barrier', word)
      ops.push(op)
    }
    agents.push({ name: m[1]!, cta: Number(m[2]), ops })
  }
  return E.right({ agents, barriers })
}

/** A choice, or null where the text is none. */
export const readChoice = (text: string): Choice | null => {
  const m = /^([xpqw])(\d+)\.(\d+)(?:\.(\d+))?$/.exec(text)
  if (m === null) return null
  const tags = { x: 'agent', p: 'operation', q: 'queue', w: 'wgmma' } as const
  const letter = m[1]
  return letter === 'x' || letter === 'p' || letter === 'q' || letter === 'w'
    ? { _tag: tags[letter], agent: Number(m[2]), op: Number(m[3]), part: Number(m[4] ?? 0) }
    : null
}
