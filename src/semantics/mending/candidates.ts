/**
 * Candidates: what an edge of a kind can be in a program, the likeliest first.
 *
 * A finding says which kind of edge is missing and what it is about (a fence of this name, a wait for this barrier). It is about one run; a program has
 * loops. So a wait names a slot and a parity that depend on the step, and what these are in words of the program is tried: what is said beside it, then the
 * step itself (`slot(@free, mod(k, 2))`, `and(quo(k, 2), 1)`), the other parity, a constant. Which of them is right, is asked of the verdict (`mend.ts`).
 *
 * | missing     | is added                                                                                                   |
 * |-------------|------------------------------------------------------------------------------------------------------------|
 * | fence       | behind the first, before a release behind it, before the second, or both                                      |
 * | group-wait  | before the second, before a release behind the first, or where its agent ends; with a commit                  |
 * | wait        | before the second; before the announcement in front of it; where its round begins; the wait that is there with the other parity |
 * | arrive      | the arrive as a commit, as a release, behind the first; one more, behind a statement of another agent or where the barrier is made |
 * | arrive-wait | a wait for a barrier that is arrived on and not waited for; a release for a relaxed meeting; a barrier of its own (an mbarrier, a named one, the cluster's) |
 * | bytes       | the bytes of the copies in place of those that are announced                                                  |
 * | none-found  | T1: the columns given back where the agent ends; B7: the initialisation that the other barriers of the ring have |
 */
import { bitsOf } from '../../numerics/dtype.js'
import type { Diagnosis } from '../judging/finding.js'
import type { FenceName, Subject } from '../judging/subject.js'
import type { Family } from '../log/units.js'
import { children, type ExprNode } from '../language/expression.js'
import type { Program, Stmt, Storage } from '../language/program.js'
import { barriersIn } from '../mutation/inline.js'
import type { Addition, Edge, Insertion } from './edge.js'
import { edge } from './edge.js'
import {
  behind,
  inScope,
  isKnown,
  isLooped,
  isOfAll,
  isOfOneAgent,
  lastOfItsAgent,
  number,
  otherParity,
  parityAt,
  saidAround,
  show,
  showAgent,
  slotAt,
  stepOf,
  type DoSite,
  type Places,
} from './where.js'

// ---------------------------------------------------------------- model

/** A barrier of the log: the storage that it is of, and which of them it is. */
export interface NamedBarrier {
  readonly storage: string
  readonly index: number
}

/** A finding by its statements in the program. */
export interface Sides {
  readonly finding: Diagnosis
  readonly places: Places
  /** each is one statement, unless the program says the same thing twice */
  readonly a: ReadonlyArray<DoSite>
  readonly b: ReadonlyArray<DoSite>
  readonly barrier: (number: number) => NamedBarrier | null
  /** agents that run the entry */
  readonly starting: ReadonlyArray<string>
}

type Kind = (sides: Sides) => Iterable<Edge>

// ---------------------------------------------------------------- places

const before = (sites: ReadonlyArray<DoSite>, add: ReadonlyArray<Addition>): ReadonlyArray<Insertion> =>
  sites.map((s) => ({ anchor: s.statement, place: 'before', add, where: `before ${show(s)}` }))
const after = (sites: ReadonlyArray<DoSite>, add: ReadonlyArray<Addition>): ReadonlyArray<Insertion> =>
  sites.map((s) => ({ anchor: s.statement, place: 'behind', add, where: `after ${show(s)}` }))

const named = (name: string, instruction: object, when?: ExprNode): Addition =>
  when === undefined ? { name, instruction } : { name, instruction, when }

const isNamed =
  (...names: ReadonlyArray<string>) =>
  (s: DoSite): boolean =>
    names.includes(s.statement.instruction._tag)
const isRelease = isNamed(
  'mbarrier.arrive',
  'mbarrier.arriveExpectTx',
  'mbarrier.arriveDrop',
  'bar.arrive',
  'bar.sync',
  'cluster.arrive',
  'tcgen05.commit',
)
const isWaiting = isNamed(
  'mbarrier.wait',
  'bulk.waitGroup',
  'cpAsync.waitGroup',
  'wgmma.waitGroup',
  'tcgen05.waitLd',
  'tcgen05.waitSt',
  'bar.sync',
)

const firstOf = (sites: ReadonlyArray<DoSite>): ReadonlyArray<DoSite> => sites.slice(0, 1)

/** Where what its agent tells others of `a` is told: before each release behind it, the first few. */
const releasesOf = ({ places, a }: Sides): ReadonlyArray<DoSite> =>
  firstOf(a).flatMap((s) => behind(places, s).filter(isRelease).slice(0, 4))

/** Where the agent of a site ends. */
const atEnd = (places: Places, s: DoSite, add: ReadonlyArray<Addition>): ReadonlyArray<Insertion> => {
  const last = lastOfItsAgent(places, s)
  return last === undefined
    ? []
    : [
        {
          anchor: last,
          place: 'behind',
          add,
          where: `after \`${last.site.label}\`, at the end${showAgent(s)}`,
        },
      ]
}

const isCluster = ({ launch }: Program): boolean => launch.cluster.some((n) => n > 1)
const scopeOf = (program: Program): 'cta' | 'cluster' => (isCluster(program) ? 'cluster' : 'cta')

// ---------------------------------------------------------------- fences

const fenceOf = (fence: FenceName, scope: 'cta' | 'cluster', at: ExprNode | null): Addition | null => {
  switch (fence) {
    case 'shared':
      return named('proxy fence', { _tag: 'fence.proxyAsync', scope })
    case 'cluster':
      return named('proxy fence', { _tag: 'fence.proxyAsync', scope: 'cluster' })
    case 'global':
      return named('proxy fence', { _tag: 'fence.proxyAsync', scope: 'global' })
    case 'wgmma':
      return named('wgmma fence', { _tag: 'wgmma.fence' })
    case 'tensorBefore':
      return named('before_thread_sync', { _tag: 'tcgen05.fenceBefore' })
    case 'tensorAfter':
      return named('after_thread_sync', { _tag: 'tcgen05.fenceAfter' })
    case 'mbarrierInit':
      return named('fence of barriers', { _tag: 'fence.mbarrierInit' })
    case 'mapRelease':
      return at === null ? null : named('tensor-map fence', { _tag: 'fence.tensormap', at })
    case 'mapAcquire':
      // its result is the descriptor that the copy has to be made with: no statement beside those that are there
      return null
  }
}

const fences: Kind = function* (sides) {
  const { finding, places, a, b } = sides
  const asked = (finding.missing?.about ?? []).flatMap((s) => (s._tag === 'fence' ? [s.fence] : []))
  const maps = a.map((s) => s.statement.instruction).find((i) => i._tag === 'tensormap.create')
  for (const scope of isCluster(places.program) ? (['cta', 'cluster'] as const) : (['cta'] as const)) {
    const made = asked.flatMap((f) => {
      const one = fenceOf(f, scope, maps === undefined ? null : maps.at)
      return one === null ? [] : [one]
    })
    if (made.length !== asked.length) return
    const [front, back] = made
    if (front === undefined) return
    const fronts = [a, ...releasesOf(sides).map((s) => [s])]
    const ahead = (k: number, add: Addition): ReadonlyArray<Insertion> =>
      k === 0 ? after(a, [add]) : before(fronts[k] ?? [], [add])
    if (back !== undefined) {
      for (const k of fronts.keys()) yield edge(...ahead(k, front), ...before(b, [back]))
      continue
    }
    if (asked[0] === 'tensorAfter') {
      yield edge(...before(b, [front]))
      continue
    }
    for (const k of fronts.keys()) yield edge(...ahead(k, front))
    yield edge(...before(b, [front]))
  }
}

// ---------------------------------------------------------------- groups

const waitForStores = (read: boolean): Addition =>
  named('wait for stores', { _tag: 'bulk.waitGroup', pending: 0, read })
/** Until all of a family is done. */
const waitOf = (family: Family): Addition => {
  switch (family) {
    case 'bulk':
      return waitForStores(false)
    case 'cpAsync':
      return named('wait for copies', { _tag: 'cpAsync.waitGroup', pending: 0 })
    case 'wgmma':
      return named('wait for wgmma', { _tag: 'wgmma.waitGroup', pending: 0 })
    case 'tcgen05Ld':
      return named('wait for loads', { _tag: 'tcgen05.waitLd' })
    case 'tcgen05St':
      return named('wait for stores', { _tag: 'tcgen05.waitSt' })
  }
}
/** The weakest first: a store has read its source before it is done. */
const waitsOf = (family: Family): ReadonlyArray<Addition> =>
  family === 'bulk' ? [waitForStores(true), waitOf(family)] : [waitOf(family)]
const commitOf = (family: Family): ReadonlyArray<Addition> => {
  switch (family) {
    case 'bulk':
      return [named('commit stores', { _tag: 'bulk.commitGroup' })]
    case 'cpAsync':
      return [named('commit copies', { _tag: 'cpAsync.commitGroup' })]
    case 'wgmma':
      return [named('commit wgmma', { _tag: 'wgmma.commitGroup' })]
    case 'tcgen05Ld':
    case 'tcgen05St':
      return []
  }
}

const groupWaits: Kind = function* (sides) {
  const { finding, places, a, b } = sides
  const about = (finding.missing?.about ?? []).find((s) => s._tag === 'group')
  const [first] = a
  const [second] = b
  if (about?._tag !== 'group' || first === undefined) return
  const { family } = about
  const isOwn = second !== undefined && isOfOneAgent(first, second)
  const later = behind(places, first)
  const fencesBehind = later.filter(isNamed('fence.proxyAsync', 'tcgen05.fenceBefore'))
  const committed = later.find((s) => commitOf(family).some((c) => isNamed(tagOf(c))(s)))
  for (const wait of waitsOf(family)) {
    for (const add of [[wait], [...commitOf(family), wait]]) {
      if (isOwn) {
        yield edge(...before(b, add))
        for (const f of fencesBehind.slice(-1)) yield edge(...before([f], add))
      } else if (second !== undefined)
        for (const r of [...fencesBehind.slice(0, 1), ...releasesOf(sides)]) yield edge(...before([r], add))
      else yield edge(...atEnd(places, first, add))
      yield edge(...after(add.length === 1 && committed !== undefined ? [committed] : a, add))
    }
  }
}
const tagOf = ({ instruction }: Addition): string =>
  '_tag' in instruction && typeof instruction._tag === 'string' ? instruction._tag : ''

// ---------------------------------------------------------------- barriers

const barrierStorage = (program: Program, id: string): Storage | undefined =>
  program.storage.find((s) => s.id === id && s.contents._tag === 'barriers')
const slotsIn = ({ contents }: Storage): number | null =>
  contents._tag !== 'barriers' || contents.shape.length > 1 ? null : (contents.shape[0] ?? 1)

const unique = (es: ReadonlyArray<ExprNode>): ReadonlyArray<ExprNode> => {
  const known = new Set<string>()
  return es.filter((e) => {
    const text = JSON.stringify(e)
    return known.has(text) ? false : (known.add(text), true)
  })
}

/** Numbers that rings are indexed with where a statement stands, then those of its step, then the one that the finding names. */
const indicesAt = (
  { places }: Sides,
  site: DoSite,
  slots: number,
  index: number,
): ReadonlyArray<ExprNode> => {
  const known = isKnown(places.program, site)
  const said = saidAround(places, site).flatMap((e) => (e._tag === 'slot' ? [e.index] : []))
  const varying = unique(said.filter((e) => e._tag !== 'const' && known(e))).slice(0, 3)
  const step = isLooped(site) ? stepOf(site) : null
  const own = number(index)
  return unique(
    step === null ? [...(isLooped(site) ? varying : []), own] : [...varying, slotAt(step, slots), own],
  )
}

/** Parities: those that its agent waits with, what it carries, those of its step; and of each the other. */
const paritiesAt = ({ places }: Sides, site: DoSite, slots: number): ReadonlyArray<ExprNode> => {
  const known = isKnown(places.program, site)
  const constants = [number(0), number(1)]
  if (!isLooped(site)) return constants
  const waits = places.effects
    .filter((s) => isOfOneAgent(s, site))
    .flatMap(({ statement: { instruction: i } }) =>
      i._tag === 'mbarrier.wait' || i._tag === 'mbarrier.test' ? [i.parity] : [],
    )
  const indices = new Set(site.within.flatMap(({ statement: s }) => (s._tag === 'For' ? [s.index.name] : [])))
  const carried = inScope(site)
    .filter(({ name, type }) => type._tag === 'scalar' && type.dtype === 'i32' && !indices.has(name))
    .map(({ name }): ExprNode => ({ _tag: 'name', name }))
    .reverse()
  const step = stepOf(site)
  const own = [
    ...waits.filter((e) => e._tag !== 'const' && known(e)),
    ...(step === null ? [] : [parityAt(step, slots)]),
  ]
  return unique([...[...own, ...carried.slice(0, 4)].flatMap((e) => [e, otherParity(e)]), ...constants])
}

const barrierAt = (storage: Storage, slots: number, index: ExprNode): ExprNode => {
  const of: ExprNode = { _tag: 'storage', storage: storage.id }
  return storage.contents._tag === 'barriers' && storage.contents.shape.length === 0
    ? of
    : { _tag: 'slot', of, index: slots === 1 ? number(0) : index }
}

const waitOn = (
  program: Program,
  name: string,
  barrier: ExprNode,
  parity: ExprNode,
  when?: ExprNode,
): Addition =>
  named(
    `wait ${name}`,
    { _tag: 'mbarrier.wait', barrier, parity, acquire: true, scope: scopeOf(program) },
    when,
  )
const arriveOn = (program: Program, name: string, barrier: ExprNode, when?: ExprNode): Addition =>
  named(
    `arrive ${name}`,
    { _tag: 'mbarrier.arrive', barrier, count: 1, release: true, scope: scopeOf(program) },
    when,
  )

const isExpect = isNamed('mbarrier.arriveExpectTx', 'mbarrier.expectTx')

/** Before a statement; before what it announces; where its round begins. */
const frontsOf = ({ places }: Sides, s: DoSite): ReadonlyArray<DoSite> => {
  const own = places.effects.filter((x) => x.body === s.body && x.index < s.index && isOfOneAgent(x, s))
  const announced = own.filter(isExpect).slice(-1)
  const fronts = [s, ...announced, ...own.slice(0, 1)]
  return fronts.filter((x, k) => fronts.findIndex((y) => y.statement === x.statement) === k)
}

const barriersNamed = (
  subjects: ReadonlyArray<Subject>,
  barrier: Sides['barrier'],
): ReadonlyArray<NamedBarrier> =>
  subjects.flatMap((s) => {
    const found = s._tag === 'barrier' ? barrier(s.barrier) : null
    return found === null ? [] : [found]
  })

/** Waits for a barrier before a statement, whatever the slot and the parity. */
const waitsBefore = function* (
  sides: Sides,
  sites: ReadonlyArray<DoSite>,
  named: NamedBarrier,
): Iterable<Edge> {
  const { program } = sides.places
  const storage = barrierStorage(program, named.storage)
  const slots = storage === undefined ? null : slotsIn(storage)
  const [site] = sites
  if (storage === undefined || slots === null || site === undefined) return
  const fronts = frontsOf(sides, site)
  const parities = paritiesAt(sides, site, slots)
  const indices = slots === 1 ? [number(0)] : indicesAt(sides, site, slots, named.index)
  const whens = site.statement.when === undefined ? [undefined] : [undefined, site.statement.when]
  // a front that was tried with the likeliest parities is followed by the next front, and so on
  for (const some of [parities.slice(0, 4), parities.slice(4)])
    for (const front of fronts)
      for (const when of whens)
        for (const index of indices)
          for (const parity of some)
            if (isKnown(program, front)(index) && isKnown(program, front)(parity))
              yield edge(
                ...before(front === site ? sites : [front], [
                  waitOn(program, named.storage, barrierAt(storage, slots, index), parity, when),
                ]),
              )
}

/** One of each in turn, as long as there are any. */
const inTurn = function* (...all: ReadonlyArray<Iterable<Edge>>): Iterable<Edge> {
  let left = all.map((edges) => edges[Symbol.iterator]())
  while (left.length > 0) {
    const next = left.map((edges) => ({ edges, result: edges.next() }))
    for (const { result } of next) if (result.done !== true) yield result.value
    left = next.flatMap(({ edges, result }) => (result.done === true ? [] : [edges]))
  }
}

/** The wait that is there, with the other parity: it passes at the phase before the one that is meant. */
const otherWaits = function* ({ places, a, b }: Sides, one: NamedBarrier): Iterable<Edge> {
  const of = barriersIn(places.program)
  for (const s of places.effects) {
    const { instruction: i, when } = s.statement
    if (i._tag !== 'mbarrier.wait' || !of(s.statement).includes(one.storage)) continue
    if (![...a, ...b].some((x) => isOfOneAgent(x, s))) continue
    yield edge({
      anchor: s.statement,
      place: 'instead',
      add: [waitOn(places.program, one.storage, i.barrier, otherParity(i.parity), when)],
      where: `in place of ${show(s)}`,
    })
  }
}

const waits: Kind = function* (sides) {
  const { finding, a, b, barrier, places } = sides
  const asked = barriersNamed([...(finding.missing?.about ?? []), ...finding.about], barrier).slice(0, 1)
  for (const one of asked) {
    // what the run shows may come of a wait for another barrier that is not there
    const others = unheard(places).filter((id) => id !== one.storage)
    yield* inTurn(
      ...[one, ...others.slice(0, 2).map((storage) => ({ storage, index: one.index }))].flatMap((each) => [
        waitsBefore(sides, b, each),
        waitsBefore(sides, a, each),
      ]),
    )
    // what is left over is observed behind what completes it, or where its agent ends
    const storage = barrierStorage(places.program, one.storage)
    const slots = storage === undefined ? null : slotsIn(storage)
    const [first] = a
    if (storage === undefined || slots === null || first === undefined) continue
    const of = barriersIn(places.program)
    const arrivals = places.effects.filter(
      (s) => isRelease(s) && isOfOneAgent(s, first) && of(s.statement).includes(one.storage),
    )
    for (const parity of [number(0), number(1)]) {
      const add = [waitOn(places.program, one.storage, barrierAt(storage, slots, number(one.index)), parity)]
      for (const s of arrivals.slice(0, 4)) yield edge(...after([s], add))
      yield edge(...atEnd(places, first, add))
    }
    yield* otherWaits(sides, one)
  }
}

// ---------------------------------------------------------------- arrivals

/** The arrive that comes too early: as a commit, as a release, behind what it tells of. */
const otherArrives: Kind = function* (sides) {
  const { finding, places, a } = sides
  const [first] = a
  if (first === undefined) return
  const asked = barriersNamed(finding.missing?.about ?? [], sides.barrier).map((n) => n.storage)
  const of = barriersIn(places.program)
  const arrives = places.effects.filter(
    (s) =>
      isNamed('mbarrier.arrive')(s) &&
      isOfOneAgent(s, first) &&
      of(s.statement).some((id) => asked.includes(id)),
  )
  for (const s of arrives) {
    const { instruction: i, when, site } = s.statement
    if (i._tag !== 'mbarrier.arrive') continue
    const instead = (instruction: object, name: string): Insertion => ({
      anchor: s.statement,
      place: 'instead',
      add: [named(name, instruction, when)],
      where: `in place of ${show(s)}`,
    })
    const ctaGroup = 'ctaGroup' in first.statement.instruction ? first.statement.instruction.ctaGroup : 1
    if (first.statement.instruction._tag.startsWith('tcgen05.'))
      yield edge(instead({ _tag: 'tcgen05.commit', barrier: i.barrier, ctaGroup }, 'commit'))
    if (!i.release) yield edge(instead(Object.assign({}, i, { release: true }), `${site.label} as a release`))
    const targets = [first, ...behind(places, first).filter(isWaiting)].filter(
      (t) => t.statement !== s.statement,
    )
    for (const target of targets.slice(0, 4))
      if (isKnown(places.program, target)(i.barrier))
        yield edge(
          { anchor: s.statement, place: 'instead', add: [], where: '' },
          ...after([target], [named(`${site.label}, moved`, i, when)]),
        )
  }
}

const initOf = ({ places }: Sides, storage: string): ReadonlyArray<DoSite> => {
  const of = barriersIn(places.program)
  return places.effects.filter((s) => isNamed('mbarrier.init')(s) && of(s.statement).includes(storage))
}

/** One arrival more on the barrier that is waited for in vain. */
const moreArrivals: Kind = function* (sides) {
  const { finding, places, a } = sides
  const [waiting] = a
  const { program } = places
  if (waiting === undefined) return
  for (const { storage: id, index } of barriersNamed(
    [...(finding.missing?.about ?? []), ...finding.about],
    sides.barrier,
  ).slice(0, 1)) {
    const storage = barrierStorage(program, id)
    const slots = storage === undefined ? null : slotsIn(storage)
    if (storage === undefined || slots === null || storage.contents._tag !== 'barriers') continue
    // a copy whose bytes are not announced, by its own barrier
    const of = barriersIn(program)
    const copies = places.effects.filter((x) => isNamed('tma.load')(x) && of(x.statement).includes(id))
    for (const s of copies.slice(0, 12)) {
      const { instruction: i, when } = s.statement
      const box = bytesOf(program, s)
      if (i._tag !== 'tma.load' || box === 0) continue
      for (const bytes of i.ctaGroup === 2 ? [box, 2 * box] : [box]) {
        const instruction = {
          _tag: 'mbarrier.arriveExpectTx',
          barrier: i.barrier,
          bytes: number(bytes),
          release: true,
          scope: scopeOf(program),
        }
        yield edge(...before([s], [named(`expect ${id}`, instruction, when)]))
      }
    }
    const others = places.effects.filter((s) => !isOfOneAgent(s, waiting) && !isOfAll(s)).reverse()
    const [looped, once] = [others.filter(isLooped), others.filter((s) => !isLooped(s))]
    for (const s of [...looped.slice(0, 6), ...once.slice(0, 6)])
      for (const slot of slots === 1 ? [number(0)] : indicesAt(sides, s, slots, index).slice(0, 2)) {
        const barrier = barrierAt(storage, slots, slot)
        yield edge(...after([s], [arriveOn(program, id, barrier)]))
        // what is read by a product is free when the product is done
        if (s.body.some((x) => x._tag === 'Do' && x.instruction._tag === 'wgmma.mma'))
          yield edge(...after([s], [waitOf('wgmma'), arriveOn(program, id, barrier)]))
        if (storage.contents.ordersTensorCore)
          yield edge(...after([s], [named(`commit ${id}`, { _tag: 'tcgen05.commit', barrier, ctaGroup: 1 })]))
      }
    // before anything else: all slots are free at the start
    for (const s of initOf(sides, id).slice(0, 1)) {
      const i = s.statement.instruction
      if (i._tag === 'mbarrier.init') yield edge(...after([s], [arriveOn(program, id, i.barrier)]))
    }
  }
}

/** The other CTAs come to the meeting, too. */
const everyCta: Kind = function* ({ a }) {
  const [first] = a
  if (first === undefined) return
  const enclosing = first.within
    .map(({ statement }) => statement)
    .filter((s) => s._tag === 'If')
    .at(-1)
  if (enclosing === undefined) return
  const others: ExprNode = { _tag: 'select', cond: enclosing.cond, x: truth(false), y: truth(true) }
  const where = `after \`${enclosing.site.label}\``
  const arrive = named('arrive at the cluster', { _tag: 'cluster.arrive', relaxed: false }, others)
  const wait = named('wait for the cluster', { _tag: 'cluster.wait' }, others)
  yield edge({ anchor: enclosing, place: 'behind', add: [arrive], where })
  yield edge({ anchor: enclosing, place: 'behind', add: [arrive, wait], where })
}
const truth = (value: boolean): ExprNode => ({ _tag: 'const', dtype: 'i1', value: value ? 1 : 0 })

const arrives: Kind = function* (sides) {
  if (sides.finding.id === 'K2') yield* everyCta(sides)
  else if (sides.finding.id === 'B5' || sides.finding.id === 'B6') yield* moreArrivals(sides)
  else yield* otherArrives(sides)
}

// ---------------------------------------------------------------- a pair

/** What tells others that an operation is done, by its kind: statements behind it, the last of them the arrival. */
const doneBy = (
  program: Program,
  s: DoSite,
  barrier: ExprNode,
  fenced: boolean,
): ReadonlyArray<Addition> | null => {
  const { instruction: i, when } = s.statement
  const arrive = arriveOn(program, 'order', barrier, when)
  const front = named('before_thread_sync', { _tag: 'tcgen05.fenceBefore' })
  switch (i._tag) {
    case 'tma.load':
    case 'tma.gather':
    case 'stAsync.store':
    case 'stAsync.reduce':
    case 'clc.tryCancel':
      return null
    case 'tma.store':
    case 'tma.scatter':
    case 'tma.reduce':
      return [...commitOf('bulk'), waitOf('bulk'), arrive]
    case 'cpAsync.copy':
      return [...commitOf('cpAsync'), waitOf('cpAsync'), arrive]
    case 'wgmma.mma':
      return [...commitOf('wgmma'), waitOf('wgmma'), arrive]
    case 'tcgen05.mma':
    case 'tcgen05.cp':
    case 'tcgen05.shift':
      return [named('commit order', { _tag: 'tcgen05.commit', barrier, ctaGroup: i.ctaGroup }, when)]
    case 'tcgen05.ld':
      return [waitOf('tcgen05Ld'), front, arrive]
    case 'tcgen05.st':
      return [waitOf('tcgen05St'), front, arrive]
    default:
      return fenced
        ? [named('proxy fence', { _tag: 'fence.proxyAsync', scope: scopeOf(program) }), arrive]
        : [arrive]
  }
}

const isTensor = (s: DoSite): boolean => s.statement.instruction._tag.startsWith('tcgen05.')

/** A name that no storage has. */
const freeName = ({ storage }: Program): string => {
  const taken = new Set(storage.map((s) => s.id))
  let n = 1
  while (taken.has(n === 1 ? 'order' : `order${String(n)}`)) n++
  return n === 1 ? 'order' : `order${String(n)}`
}

/** Where a barrier can be made: behind one that is made, or first of all, if one agent begins. */
const makingPlace = (
  { places, starting }: Sides,
  id: string,
  barrier: ExprNode,
): ReadonlyArray<Insertion> => {
  const init = named(`init ${id}`, { _tag: 'mbarrier.init', barrier, count: 1 })
  const made = places.effects.filter((s) => isNamed('mbarrier.init')(s) && !isLooped(s)).at(-1)
  if (made !== undefined)
    return after(
      [made],
      [made.statement.when === undefined ? init : named(init.name, init.instruction, made.statement.when)],
    )
  const first: Stmt | undefined = places.program.entry.body[0]
  return first === undefined || starting.length !== 1
    ? []
    : [{ anchor: first, place: 'before', add: [init], where: 'at the beginning' }]
}

/** A barrier of its own: arrived on when the first is done, waited for before the second. */
const pair = (
  sides: Sides,
  a: ReadonlyArray<DoSite>,
  b: ReadonlyArray<DoSite>,
  fenced: boolean,
): Edge | null => {
  const { program } = sides.places
  const [first] = a
  const [second] = b
  if (first === undefined || second === undefined) return null
  const id = freeName(program)
  const barrier: ExprNode = { _tag: 'storage', storage: id }
  const made = makingPlace(sides, id, barrier)
  const done = doneBy(program, first, barrier, fenced)
  const step = isLooped(second) ? stepOf(second) : number(0)
  if (made.length === 0 || done === null || step === null) return null
  const parity = step._tag === 'const' ? step : parityAt(step, 1)
  const wait = waitOn(program, id, barrier, parity, second.statement.when)
  const behindIt =
    isTensor(first) && isTensor(second) ? [named('after_thread_sync', { _tag: 'tcgen05.fenceAfter' })] : []
  const storage: Storage = {
    id,
    space: 'smem',
    owner: 'cta',
    contents: {
      _tag: 'barriers',
      contract: 'ptx',
      ordersTensorCore: program.arch === 'sm100a' && isTensor(first),
      shape: [],
    },
    bits: 64,
    align: 8,
  }
  return { insertions: [...made, ...after(a, done), ...before(b, [wait, ...behindIt])], storage: [storage] }
}

const threads = (program: Program, agents: ReadonlyArray<string>): number =>
  32 * program.launch.agents.filter((x) => agents.includes(x.name)).reduce((sum, x) => sum + x.warps, 0)

/** Named barriers that the program does not use. */
const freeId = ({ effects }: Places): number | null => {
  const taken = new Set(
    effects.flatMap(({ statement: { instruction: i } }) =>
      i._tag === 'bar.sync' || i._tag === 'bar.arrive' ? [i.id] : [],
    ),
  )
  for (let id = 1; id < 16; id++) if (!taken.has(id)) return id
  return null
}

/** All agents that run the entry meet behind a statement of it. */
const blockBarrier: Kind = function* ({ places, a, starting }) {
  const [first] = a
  const id = freeId(places)
  if (first === undefined || id === null || (!isOfAll(first) && first.within.length > 1)) return
  const top = first.within[0]?.statement ?? first.statement
  const add = [named('block barrier', { _tag: 'bar.sync', id, count: threads(places.program, starting) })]
  yield edge({ anchor: top, place: 'behind', add, where: `after \`${top.site.label}\`` })
}

/** The whole cluster meets: before the second, behind the first, at the end. */
const meetings: Kind = function* ({ finding, places, a, b }) {
  if (!isCluster(places.program)) return
  for (const s of places.effects) {
    const i = s.statement.instruction
    if (i._tag === 'cluster.arrive' && i.relaxed)
      yield edge({
        anchor: s.statement,
        place: 'instead',
        add: [
          named(
            `${s.statement.site.label}, not relaxed`,
            { _tag: 'cluster.arrive', relaxed: false },
            s.statement.when,
          ),
        ],
        where: `in place of ${show(s)}`,
      })
  }
  const add = [
    named('arrive at the cluster', { _tag: 'cluster.arrive', relaxed: false }),
    named('wait for the cluster', { _tag: 'cluster.wait' }),
  ]
  const topOf = (s: DoSite): Stmt => s.within[0]?.statement ?? s.statement
  // behind what makes the barriers: every CTA knows them from then on
  for (const s of places.effects.filter(isNamed('mbarrier.init', 'fence.mbarrierInit')).slice(-1))
    yield edge({ anchor: topOf(s), place: 'behind', add, where: `after \`${topOf(s).site.label}\`` })
  // what reaches a CTA that may not have started, or frees what it may not have allocated, is the first side
  for (const s of (finding.id === 'K4' ? a : b).slice(0, 1))
    yield edge({ anchor: topOf(s), place: 'before', add, where: `before \`${topOf(s).site.label}\`` })
  for (const s of a.slice(0, 1)) {
    yield edge({ anchor: topOf(s), place: 'behind', add, where: `after \`${topOf(s).site.label}\`` })
    const last = places.program.entry.body.at(-1)
    if (last !== undefined)
      yield edge({ anchor: last, place: 'behind', add, where: 'at the end of the entry' })
  }
}

/** Barriers on which something arrives and for which no statement waits. */
const unheard = ({ program, effects }: Places): ReadonlyArray<string> => {
  const of = barriersIn(program)
  const heard = new Set(
    effects.filter(isNamed('mbarrier.wait', 'mbarrier.test')).flatMap((s) => of(s.statement)),
  )
  return program.storage.flatMap((s) => (s.contents._tag === 'barriers' && !heard.has(s.id) ? [s.id] : []))
}

const arrivesAndWaits: Kind = function* (sides) {
  const { finding, a, b, places } = sides
  if (finding.id === 'B7') {
    yield* blockBarrier(sides)
    return
  }
  for (const one of barriersNamed(finding.missing?.about ?? [], sides.barrier).slice(0, 1))
    yield* waitsBefore(sides, b, one)
  for (const id of unheard(places).slice(0, 2)) yield* waitsBefore(sides, b, { storage: id, index: 0 })
  const apart = finding.b !== undefined && finding.a.agent.split('@')[1] !== finding.b.agent.split('@')[1]
  if (apart || finding.id === 'K1' || finding.id === 'K4') {
    yield* meetings(sides)
    return
  }
  for (const [x, y] of [[a, b] as const, [b, a] as const])
    for (const fenced of [false, true]) {
      const made = pair(sides, x, y, fenced)
      if (made !== null) yield made
    }
}

// ---------------------------------------------------------------- bytes, columns

/** What a copy brings: the bytes of its box; 0 of what is no copy. */
const bytesOf = (program: Program, { statement: { instruction: i } }: DoSite): number => {
  if (i._tag !== 'tma.load') return 0
  const inside = (e: ExprNode): ReadonlyArray<ExprNode> => [e, ...children(e).flatMap(inside)]
  const name = inside(i.descriptor).flatMap((e) => (e._tag === 'descriptor' ? [e.param] : []))[0]
  const map = program.params.find((p) => p._tag === 'descriptor' && p.name === name)
  const tensor = map?._tag === 'descriptor' ? program.params.find((p) => p.name === map.tensor) : undefined
  return map?._tag !== 'descriptor' || tensor?._tag !== 'tensor'
    ? 0
    : (map.box.reduce((product, extent) => product * extent, 1) * bitsOf(tensor.dtype)) / 8
}

const bytes: Kind = function* (sides) {
  const { places, a, b } = sides
  const of = barriersIn(places.program)
  const expects = [...a, ...b, ...places.effects].filter(isExpect)
  for (const s of expects.filter((x, k) => expects.findIndex((y) => y.statement === x.statement) === k)) {
    const i = s.statement.instruction
    if (i._tag !== 'mbarrier.arriveExpectTx' && i._tag !== 'mbarrier.expectTx') continue
    const copies = places.effects.filter(
      (x) => x.body === s.body && of(x.statement).some((id) => of(s.statement).includes(id)),
    )
    const sum = copies.reduce((total, x) => total + bytesOf(places.program, x), 0)
    if (sum > 0 && !(i.bytes._tag === 'const' && Number(i.bytes.value) === sum))
      yield edge({
        anchor: s.statement,
        place: 'instead',
        add: [
          named(
            `${s.statement.site.label} of ${String(sum)} bytes`,
            Object.assign({}, i, { bytes: number(sum) }),
            s.statement.when,
          ),
        ],
        where: `in place of ${show(s)}`,
      })
  }
  yield* arrivesAndWaits(sides)
}

/** A barrier of a ring is made as the others of it are. */
const oneMore: Kind = function* (sides) {
  const { finding, places } = sides
  for (const { storage: id, index } of barriersNamed(finding.about, sides.barrier).slice(0, 1)) {
    const storage = barrierStorage(places.program, id)
    const slots = storage === undefined ? null : slotsIn(storage)
    if (storage === undefined || slots === null) continue
    for (const s of initOf(sides, id).slice(0, 1)) {
      const { instruction: i, when } = s.statement
      if (i._tag !== 'mbarrier.init') continue
      const barrier = barrierAt(storage, slots, number(index))
      yield edge(
        ...after([s], [named(`init ${id}`, { _tag: 'mbarrier.init', barrier, count: i.count }, when)]),
      )
    }
  }
}

/** The condition of an `If`. */
const ifOf = (s: Stmt): ExprNode | undefined => (s._tag === 'If' ? s.cond : undefined)

const columnsBack: Kind = function* ({ finding, places, a }) {
  const [first] = a
  const i = first?.statement.instruction
  if (finding.id !== 'T1' || first === undefined || i?._tag !== 'tcgen05.alloc') return
  const add = [
    named(
      'give the columns back',
      { _tag: 'tcgen05.dealloc', columns: i.columns, ctaGroup: i.ctaGroup },
      first.statement.when,
    ),
  ]
  // where one agent of several allocates, that one gives back, when all are done
  const [outer] = first.within
  const last = places.program.entry.body.at(-1)
  if (first.within.length === 1 && outer?.statement._tag === 'If' && last !== undefined)
    yield edge({
      anchor: last,
      place: 'behind',
      add: add.map(({ name, instruction }) => named(name, instruction, ifOf(outer.statement))),
      where: `after \`${last.site.label}\`, at the end`,
    })
  yield edge(...atEnd(places, first, add))
}

// ---------------------------------------------------------------- all

/** What the missing edge of a finding can be, the likeliest first. */
export const candidates = (sides: Sides): Iterable<Edge> => {
  switch (sides.finding.missing?.kind) {
    case 'fence':
      return fences(sides)
    case 'group-wait':
      return groupWaits(sides)
    case 'wait':
      return waits(sides)
    case 'arrive':
      return arrives(sides)
    case 'arrive-wait':
      return arrivesAndWaits(sides)
    case 'bytes':
      return bytes(sides)
    // lanes are a warp's: a core program has none to meet
    case 'warp-sync':
      return []
    case 'none-found':
      return sides.finding.id === 'B7' && sides.finding.b === undefined ? oneMore(sides) : columnsBack(sides)
    case undefined:
      return []
  }
}
