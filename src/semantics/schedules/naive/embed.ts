/**
 * Real programs with the synchronisation of a skeleton.
 *
 * `embed` writes a program of the core language that does to barriers, groups, queues and fences what the skeleton does, and
 * to bytes what the skeleton does to atoms. So the machine and the detector can be asked about a program of which `explore` knows
 * everything.
 *
 *     skeleton                        program
 *     agent x of CTA c                the k-th warpgroup of CTA c, k = how many agents of c stand before x
 *     smem atom                       one buffer; 16 bytes, or a matrix operand when the skeleton has matrix products
 *     tmem atom, regs atom            one storage: an accumulator
 *     gmem atom                       one tensor parameter and a descriptor of it
 *     unit                            the bytes of one smem atom
 *     load without source             a copy from an input that is not written
 *     peek, and a wait after it       mbarrier.test, and a wait that its outcome may spare, in one of the ways in which that is written
 *     rendezvous                      bar.sync, or the cluster barrier when its members are not of one CTA
 *
 * Before the bodies stands a prologue, as in every kernel: one agent of each CTA initialises its barriers and writes every atom
 * once, with the fences that make these writes visible to every proxy; then all agents meet. These edges come first
 * and are common to all, so they decide nothing. Barriers that are not published are initialised behind it, and all meet once more, relaxed.
 *
 * A statement's site is labelled `x.i op`: agent, index in its operations, and the operation.
 *
 * Not every skeleton is a program. Refused: a wait, an access or an operand in another CTA's memory; a load whose parts are not
 * the same atom and barrier name in each CTA; more than one atom where an instruction has one operand; wgmma
 * beside tcgen05; a barrier of which only some arrivals carry tensor-core order.
 *
 * The program is plain data, written without checking every statement: a theorem test asks for many thousands. What such
 * programs share (layouts, storages, conditions) is built once, by the builder. `launch` places it.
 *
 * Laws
 * 1. Every drawn skeleton (`random.ts`) is embedded, and the result can be placed and is valid.
 * 2. The embedded program has, per agent and in order, one effect for each operation that is on (more where one skeleton
 *    operation stands for several instructions), all under the label of that operation.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../../greatest.js'
import { refuse, type Failure } from '../../../failure.js'
import * as B from '../../writing/builder.js'
import * as X from '../../language/expression.js'
import type { Condition, Int } from '../../language/expression.js'
import {
  programSchema,
  region,
  site,
  type Agent,
  type Do,
  type Program,
  type Stmt,
  type Storage,
} from '../../language/program.js'
import { allocates, footprint, type Atoms, type Skeleton, type SkeletonBarrier } from './skeleton.js'
import {
  run,
  localBarrier,
  smemView,
  tmemColumns,
  tmemView,
  regsView,
  never,
  accumulatorsIn,
  statements,
} from './embed-operations.js'
import { registerName, kitOf, storages, parameters, type Plan } from './embed-kit.js'
import { obstacles, sameCta } from './embed-obstacles.js'

// ---------------------------------------------------------------- model

export interface Embedded {
  readonly program: Program
  /** per agent of the skeleton: its agent among all agents of the cluster, CTA after CTA */
  readonly agents: ReadonlyArray<number>
  /** per agent of the skeleton and operation: the program-order indices of its events, empty when it is off */
  readonly events: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
  readonly unitBytes: number
}

/** `embed.` says: legal as a skeleton, but no program has it. */
export type EmbedError = 'naive.embed'

// ---------------------------------------------------------------- programs

const initialised = ({ name, count }: SkeletonBarrier, path: ReadonlyArray<string>): Do =>
  run(`init ${name}`, path, { _tag: 'mbarrier.init', barrier: localBarrier(name), count })

/** What the first agent of a CTA initialises behind the prologue. */
const latecomers = (skeleton: Skeleton, cta: number, path: ReadonlyArray<string>): ReadonlyArray<Do> =>
  skeleton.barriers.flatMap((barrier) =>
    barrier.cta === cta && barrier.unpublished === true ? [initialised(barrier, path)] : [],
  )

/** The prologue of one CTA, run by its first agent. */
const prologue = (p: Plan, cta: number, path: ReadonlyArray<string>): ReadonlyArray<Do> => {
  const { kit: k, skeleton } = p
  const stored = [...p.storage.values()]
  const smem = stored.filter((s) => s.space === 'smem' && s.contents._tag === 'elements')
  // a CTA allocates what its agents use: it has a dealloc of its own then
  const uses =
    !allocates(skeleton) &&
    skeleton.agents.some(
      (agent) =>
        agent.cta === cta &&
        agent.ops.some((op) => {
          const { reads, writes } = footprint(op)
          return [...reads, ...writes].some((atom) => atom._tag === 'tmem')
        }),
    )
  const tmem = uses ? stored.filter((s) => s.space === 'tmem') : []
  const named = ({ id }: Storage): Atoms => [{ _tag: 'gmem', name: id }]
  return [
    ...skeleton.barriers
      .filter((barrier) => barrier.cta === cta && barrier.unpublished !== true)
      .map((barrier) => initialised(barrier, path)),
    ...smem.map((s) =>
      run(`init ${s.id}`, path, { _tag: 'smem.store', destination: smemView(named(s)), value: k.zeros }),
    ),
    run('init fence', path, { _tag: 'fence.proxyAsync', scope: 'cta' }),
    run('init barriers', path, { _tag: 'fence.mbarrierInit' }),
    ...(tmem.length === 0
      ? []
      : [
          run('alloc', path, { _tag: 'tcgen05.alloc', columns: tmemColumns(p), ctaGroup: 1 }),
          run('relinquish', path, { _tag: 'tcgen05.relinquish', ctaGroup: 1 }),
          ...tmem.map((s) =>
            run(`init ${s.id}`, path, {
              _tag: 'tcgen05.st',
              destination: tmemView(named(s)),
              value: k.zeroAccumulator,
            }),
          ),
          run('init wait', path, { _tag: 'tcgen05.waitSt' }),
          run('init before', path, { _tag: 'tcgen05.fenceBefore' }),
        ]),
  ]
}

/** An accumulator that is read generically is first written: its reader may come before any product. */
const accumulators = (p: Plan, x: number, path: ReadonlyArray<string>): ReadonlyArray<Do> => {
  const read = new Set<string>()
  for (const op of p.skeleton.agents[x]!.ops)
    for (const atom of op._tag === 'read' ? footprint(op).reads : [])
      if (atom._tag === 'regs') read.add(registerName(atom.agent, atom.name))
  if (read.size === 0) return []
  return [
    ...[...read].map((id) =>
      run(`init ${id}`, path, {
        _tag: 'regs.write',
        destination: regsView(id),
        value: p.kit.zeroAccumulator,
      }),
    ),
    run('init registers', path, { _tag: 'wgmma.fence' }),
    run('init registers', path, { _tag: 'fence.proxyAsync', scope: 'cta' }),
  ]
}

/** Events of a statement: a bar.sync arrives and leaves, a statement that is off has none, a wait that may be spared has one. */
const eventsOf = (stmt: Stmt): number =>
  stmt._tag === 'If'
    ? 1
    : stmt._tag !== 'Do' || stmt.when === never
      ? 0
      : stmt.instruction._tag === 'bar.sync'
        ? 2
        : 1
const eventsOfAll = (stmts: ReadonlyArray<Stmt>): number => stmts.reduce((n, stmt) => n + eventsOf(stmt), 0)

const warpgroups: ReadonlyArray<Agent> = Array.from({ length: 16 }, (_, k) =>
  B.warpgroup(`wg${String(k)}`, k),
)
const emptyRegion = region([])
const conditions = (of: Int, count: number): ReadonlyArray<Condition> =>
  Array.from({ length: count }, (_, k) => X.eq(of, X.i32(k)))
const isAgent = conditions(X.place('agent'), warpgroups.length)

const ifThen = (label: string, cond: Condition, body: ReadonlyArray<Stmt>): Stmt => ({
  _tag: 'If',
  cond,
  then: region(body),
  else: emptyRegion,
  results: [],
  site: site(label),
})

/** The program of a skeleton, or why there is none. */
export const embed = (skeleton: Skeleton): E.Either<Failure, Embedded> => {
  const chosen = kitOf(skeleton)
  if (E.isLeft(chosen)) return chosen
  const k = chosen.right
  const named = new Map<string, number>()
  for (const agent of skeleton.agents)
    for (const op of agent.ops)
      if (op._tag === 'rendezvous' && !named.has(op.id)) named.set(op.id, named.size + 1)
  const reason = obstacles(skeleton, named)
  if (reason !== null) return refuse('naive.embed', reason)

  const ctas = greatest(0)(skeleton.agents.map((agent) => agent.cta)) + 1
  const members = Array.from({ length: ctas }, (_, cta) =>
    skeleton.agents.flatMap((agent, x) => (agent.cta === cta ? [x] : [])),
  )
  const perCta = greatest(1)(members.map((of) => of.length))
  if (perCta > warpgroups.length)
    return refuse('naive.embed', `a CTA has ${String(warpgroups.length)} warpgroups, found ${String(perCta)}`)
  const placeOf = (x: number): number => members[skeleton.agents[x]!.cta]!.indexOf(x)
  const p: Plan = {
    skeleton,
    kit: k,
    scope: ctas > 1 ? 'cluster' : 'cta',
    unitBytes: 2 * k.shape.reduce((n, extent) => n * extent, 1),
    named,
    storage: storages(skeleton, k, (x) => warpgroups[placeOf(x)]!.name),
    params: parameters(skeleton, k),
  }
  const only = (cta: number, agent: number): Condition =>
    X.and(ctas === 1 ? X.i1(true) : X.eq(X.place('ctaRank'), X.i32(cta)), isAgent[agent]!)

  const prologues = members.map((_, cta) => prologue(p, cta, [`prologue of CTA ${String(cta)}`]))
  const meeting = [
    ...(perCta > 1 ? [run('meet', [], { _tag: 'bar.sync', id: 0, count: 128 * perCta })] : []),
    ...(ctas > 1
      ? [
          run('meet', [], { _tag: 'cluster.arrive', relaxed: false }),
          run('meet', [], { _tag: 'cluster.wait' }),
        ]
      : []),
    ...(accumulatorsIn(p) > 0 ? [run('meet', [], { _tag: 'tcgen05.fenceAfter' })] : []),
  ]
  const late = members.map((_, cta) => latecomers(skeleton, cta, [`late barriers of CTA ${String(cta)}`]))
  const again = late.every((body) => body.length === 0)
    ? []
    : [
        run('meet again', [], { _tag: 'cluster.arrive', relaxed: true }),
        run('meet again', [], { _tag: 'cluster.wait' }),
      ]
  const events: ReadonlyArray<number>[][] = []
  const bodies = skeleton.agents.map((agent, x): Stmt => {
    const path = [`agent ${String(x)}`]
    const body: Stmt[] = [...accumulators(p, x, path)]
    let at =
      (placeOf(x) === 0 ? eventsOfAll(prologues[agent.cta]!) + eventsOfAll(late[agent.cta]!) : 0) +
      eventsOfAll(meeting) +
      eventsOfAll(again) +
      eventsOfAll(body)
    events.push(
      agent.ops.map((_, i) => {
        const stmts = statements(p, x, i, path)
        for (const stmt of stmts) body.push(stmt)
        return Array.from({ length: eventsOfAll(stmts) }, () => ++at)
      }),
    )
    return ifThen(path[0]!, only(agent.cta, placeOf(x)), body)
  })
  // an agent that the skeleton does not have still belongs to the cluster barrier
  const idle = members.flatMap((of, cta) =>
    Array.from({ length: perCta - of.length }, (_, j): Stmt => {
      const label = `idle ${String(of.length + j)}@${String(cta)}`
      const body = (skeleton.agents[0]?.ops ?? []).flatMap((op) =>
        op._tag === 'rendezvous' && !sameCta(skeleton, op.members)
          ? [
              run('idle', [label], { _tag: 'cluster.arrive', relaxed: op.relaxed }),
              run('idle', [label], { _tag: 'cluster.wait' }),
            ]
          : [],
      )
      return ifThen(label, only(cta, of.length + j), body)
    }),
  )
  const program: Program = {
    schema: programSchema,
    name: 'skeleton',
    arch: k.arch,
    params: [...p.params.values()],
    launch: { grid: [X.i32(ctas)], cluster: [ctas], agents: warpgroups.slice(0, perCta) },
    storage: [...p.storage.values()],
    entry: region([
      ...prologues.map((body, cta) => ifThen(`prologue of CTA ${String(cta)}`, only(cta, 0), body)),
      ...meeting,
      ...late.flatMap((body, cta) =>
        body.length === 0 ? [] : [ifThen(`late barriers of CTA ${String(cta)}`, only(cta, 0), body)],
      ),
      ...again,
      ...bodies,
      ...idle,
    ]),
  }
  return E.right({
    program,
    agents: skeleton.agents.map((agent, x) => agent.cta * perCta + placeOf(x)),
    events,
    unitBytes: p.unitBytes,
  })
}
