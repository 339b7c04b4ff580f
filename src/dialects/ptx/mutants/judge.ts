/**
 * Mutants of a module of PTX at a launch: each changed text, elaborated, run on the data of the launch and judged.
 *
 * The words are those of `semantics/mutation`: killed by a hazard, a deadlock or a refusal; equivalent by certificate; else a survivor, and that is a hole in
 * the checker. A race of equal values is the race that it is, unless the text has one itself. Where the text keeps all contracts, its mutants have to. What is
 * found ok has to leave what the text leaves, byte for byte: on these data that is asked of every output. Where data are not to be known, a mutant is judged without
 * them first, and what kills it then does whatever they hold; for all else its data are needed.
 *
 *     DROP   k.cu:15 bar.sync (line 70) | left out              hazard   named: edge     D1
 *     DUP    k.cu:15 bar.sync (line 70) | twice                 ok       idempotent barrier
 *     FLAG   k.cu:13 bar.arrive (line 67) | waits, too          ok       all schedules
 *
 * Laws
 * 1. The text itself is not killed.
 * 2. A mutant's fate does not depend on which others were judged before it.
 * 3. Nor on whether it is judged without data first.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { Algebra } from '../../../numerics/algebra.js'
import { bits } from '../../../fast/index.js'
import { shadow } from '../../../numerics/shadow.js'
import { warpSource, type WarpArguments } from '../../../semantics/execution/launch-warps.js'
import * as Run from '../../../semantics/execution/run.js'
import { eager, recorded, type AnyPolicy } from '../../../semantics/execution/policy.js'
import { noArguments, type Source } from '../../../semantics/machine/source.js'
import * as Plane from '../../../semantics/machine/plane.js'
import {
  allSchedules,
  neverObserved,
  type JudgedMutant,
  type Naming,
} from '../../../semantics/mutation/index.js'
import { defaults } from '../../../semantics/judging/detector/index.js'
import { outcomes } from '../../../semantics/schedules/outcomes/index.js'
import { leftIn } from '../../../semantics/schedules/explore/index.js'
import {
  checkSource,
  standardOptions,
  type Checked,
  type CheckOptions,
} from '../../../semantics/verdict/check.js'
import type { Finding } from '../../../semantics/judging/finding.js'
import type { VerdictName } from '../../../semantics/judging/verdict.js'
import type { Fold } from '../../../semantics/log/events.js'
import type { WarpProgram } from '../../../semantics/warps/program.js'
import { elaborate } from '../elaboration/elaborate.js'
import type { Module } from '../text/module.js'
import { withInstead } from '../text/replace.js'
import { ruleFor } from './certificate.js'
import { changesOf } from './changes.js'
import { threadsOf, type Extent, type PtxChange } from './making.js'
import { isSameForNext, stretchesAround, unneeded, type Stretch } from './meetings.js'
import { isExpected } from './labels.js'
import { namedBySite, namingOf } from './naming.js'
import { compared, isQuiet, smallLaunches, type IntegerAt, type SmallLaunch } from './search.js'
import { sitesOf, type PtxSite } from './sites.js'
import { touched, type Touched } from './touched.js'
import { findsWeakWrites, weakensLoads } from './weakly.js'
import { windowsOf } from './windows.js'

// ---------------------------------------------------------------- model

/** A module at a launch: what is the same for all its mutants. */
export interface PtxGround {
  readonly module: Module
  /** of the file */
  readonly name: string
  readonly entry: string
  readonly program: WarpProgram
  readonly given: WarpArguments
  /** integers among its arguments, which are smaller at smaller launches */
  readonly integers: ReadonlyArray<IntegerAt>
  /** tensors without whose data a mutant is judged first; null: it is judged on all data */
  readonly unknown: ReadonlySet<string> | null
  readonly fuel: number
  /** most states of one search */
  readonly states: number
}

export interface PtxMutant {
  readonly key: string
  readonly change: PtxChange
  readonly module: () => Module
}

const extentOf = ([x = 1, y = 1, z = 1]: ReadonlyArray<number>): Extent => [x, y, z]

/** Every mutant of the synchronisation of an entry and of what it calls. */
export const ptxMutants = (ground: PtxGround): E.Either<Failure, ReadonlyArray<PtxMutant>> =>
  pipe(
    sitesOf(ground.module, ground.entry, ground.name),
    E.map((sites) => {
      const times = new Map<string, number>()
      return changesOf(sites, extentOf(ground.given.block)).map((change): PtxMutant => {
        const words = `${change.operator} | ${change.site.label} | ${change.change}`
        const n = times.get(words) ?? 0
        times.set(words, n + 1)
        return {
          key: n === 0 ? words : `${words} | ${String(n + 1)}`,
          change,
          module: () => withInstead(ground.module, change.instead),
        }
      })
    }),
  )

// ---------------------------------------------------------------- what is known of the text

interface Known {
  readonly algebra: Algebra
  readonly options: CheckOptions
  readonly original: Checked | null
  readonly keepsContracts: boolean
  readonly storesTwice: boolean
  readonly touched: Touched
  readonly numbers: ReadonlyArray<bigint | null>
  readonly window: ReturnType<typeof windowsOf>
  /** of a label: the same for all copies of one instruction of one line of the source */
  readonly statement: (label: string) => string
  /** barriers with those that the same statement initialises */
  readonly rings: (keys: ReadonlySet<string>) => ReadonlySet<string>
  readonly small: () => ReadonlyArray<SmallLaunch>
}

const storesTwice = (c: Checked): boolean => c.verdict.notes.some(({ id }) => id === 'N4')

/** The number of a named barrier, where the text says it. */
const numberOf = ({ code, index }: PtxSite): bigint | null => {
  const { a } = code.instructions[index]!.operands
  return a?._tag === 'immediate' ? a.bits : null
}

const statementsOf = (sites: ReadonlyArray<PtxSite>): ((label: string) => string) => {
  const known = new Map(
    sites.map(({ label, places, opcode }) => [label, `${places.join()} ${opcode}`] as const),
  )
  return (label) => known.get(label) ?? label
}

const ringsOf = (
  sites: ReadonlyArray<PtxSite>,
  { barriers }: Touched,
  statement: (label: string) => string,
): Known['rings'] => {
  const byStatement = new Map<string, Set<string>>()
  for (const { kind, label } of sites) {
    if (kind !== 'mbarrier init') continue
    const ring = byStatement.get(statement(label)) ?? new Set<string>()
    for (const key of barriers.get(label) ?? []) ring.add(key)
    byStatement.set(statement(label), ring)
  }
  const rings = [...byStatement.values()]
  return (keys) =>
    new Set([...keys, ...rings.filter((r) => [...r].some((key) => keys.has(key))).flatMap((r) => [...r])])
}

/** What a fold finds in a run of it; null: it does not run. */
const heardOf = <S, R>(
  source: Source,
  algebra: Algebra,
  fuel: number,
  fold: Fold<S, R>,
  policy: AnyPolicy = eager,
): R | null => {
  const launched = source.launch(algebra, noArguments)
  if (E.isLeft(launched)) return null
  const { world, machine } = launched.right
  const how: Run.Settings = { policy, fuel, keepSchedule: false, transient: true }
  return Run.run(world, machine, how, fold).result
}

const runOf = (source: Source, algebra: Algebra, fuel: number): Touched =>
  heardOf(source, algebra, fuel, touched) ?? { barriers: new Map(), sites: new Set() }

const once = <A>(make: () => A): (() => A) => {
  let held: { readonly value: A } | null = null
  return () => (held ??= { value: make() }).value
}

/** Most states of a search at the launch itself, which is large. */
const mostStatesAtLaunch = 500

const knownOf = (g: PtxGround): Known => {
  const chip = bits(g.program.arch === 'sm100a' ? 'blackwell' : 'hopper')
  const algebra = g.given.unknown === undefined ? chip : shadow(chip)
  const options: CheckOptions = Object.assign({}, standardOptions, {
    algebra,
    provenance: false,
    explain: false,
    fuel: g.fuel,
    bounds: { states: mostStatesAtLaunch, depth: 100_000 },
  })
  const source = warpSource(g.program, g.given)
  const one = checkSource(source, options)
  const strictly = checkSource(source, Object.assign({}, options, { strict: true }))
  const sites = sitesOf(g.module, g.entry, g.name)
  const all = E.isLeft(sites) ? [] : sites.right
  const found = runOf(source, algebra, g.fuel)
  const statement = statementsOf(all)
  return {
    algebra,
    options,
    original: E.isRight(one) ? one.right : null,
    keepsContracts: E.isRight(strictly) && strictly.right.verdict.verdict === 'ok',
    storesTwice: E.isRight(one) && storesTwice(one.right),
    touched: found,
    numbers: all.filter(({ kind }) => kind === 'bar').map(numberOf),
    window: windowsOf(all),
    statement,
    rings: ringsOf(all, found, statement),
    small: once(() =>
      smallLaunches(g.program, g.given, algebra, g.integers, g.states, (given) => {
        const checked = checkSource(warpSource(g.program, given), options)
        return E.isRight(checked) && checked.right.verdict.verdict === 'ok'
      }),
    ),
  }
}

// ---------------------------------------------------------------- one mutant

/** A mutant that its first run does not give away. */
interface Begun {
  readonly program: WarpProgram
  readonly source: Source
  readonly one: Checked
  readonly own: Own
}

/** Barriers of the site of a mutant, which takes a run of it to know. */
type Own = () => ReadonlySet<string>

type Fate = JudgedMutant['fate']

const fateOf = (v: VerdictName): Fate =>
  v === 'hazard' || v === 'deadlock' || v === 'invalid'
    ? 'killed'
    : v === 'undecided' || v === 'out-of-fuel'
      ? 'undecided'
      : 'survived'

const said = (
  m: PtxMutant,
  of: Pick<JudgedMutant, 'verdict' | 'fate' | 'ids' | 'reason'> & {
    readonly strict?: boolean
    readonly naming?: Naming | null
    readonly accurate?: boolean
    readonly certificate?: string | null
  },
): JudgedMutant => {
  const { change } = m
  return {
    mutant: {
      class: change.class,
      operator: change.operator,
      site: change.site.label,
      change: change.change,
      key: m.key,
    },
    verdict: of.verdict,
    fate: of.fate,
    strict: of.strict === true,
    named: (of.naming ?? null) !== null,
    accurate: of.accurate === true,
    certificate: of.certificate ?? null,
    ids: of.ids,
    reason: of.reason,
  }
}

/** What is refused before it runs is named where the refusal is of its line. */
const refused = (m: PtxMutant, f: Failure): JudgedMutant => {
  return said(m, {
    verdict: 'invalid',
    fate: 'killed',
    naming: f.line === m.change.site.line ? 'rule' : null,
    accurate: true,
    ids: [f.code],
    reason: f.message,
  })
}

/** Bytes of global memory behind a run that has come to its end. */
const isSameMemory = (a: Checked, b: Checked): boolean => {
  const planes = a.world.header.planes
  return planes.every(({ space, bytes }, k) => {
    if (space !== 'gmem') return true
    const [x, y] = [new Uint8Array(bytes), new Uint8Array(bytes)]
    Plane.copyOut(a.machine.planes[k]!, 0, bytes, x)
    Plane.copyOut(b.machine.planes[k]!, 0, bytes, y)
    return x.every((byte, i) => byte === y[i])
  })
}

/** What a run leaves of barriers, without where they were initialised. */
const leftBy = ({ world, machine }: Checked): ReadonlyArray<string> =>
  leftIn(world, machine).map(({ text }) => text.replaceAll(/ \(init [^)]*\)/gu, ''))

/** The certificate of what no warp comes to, at any of the launches. */
const neverReached = 'never reached'

/** Lanes of one warp: no search follows them, so none of its answers counts. */
const isOfLanes = ({ operator, site }: PtxChange): boolean =>
  operator === 'LANES' || site.kind === 'warp barrier'

/** Do all conditions hold in its one run, so that nothing had to be searched? */
const isOfOneRun = ({ verdict }: Checked): boolean =>
  verdict.verdict === 'ok' &&
  verdict.decidedBy === 'one-schedule' &&
  Object.values(verdict.conditions).every(({ holds }) => holds)

/** Most runs that are asked what lanes do in them. */
const mostRuns = 50

/** The runs that stand for all: one; or, where C1 alone fails, one for every order of what decides. Null: none do. */
const standingRuns = (k: Known, source: Source, c: Checked): ReadonlyArray<AnyPolicy> | null => {
  if (isOfOneRun(c)) return [eager]
  const { C2, C3, C4, C5, C6 } = c.verdict.conditions
  const launched = source.launch(k.algebra, noArguments)
  if (c.verdict.verdict !== 'ok' || E.isLeft(launched)) return null
  if (![C2, C3, C4, C5, C6].every(({ holds }) => holds)) return null
  const all = outcomes(launched.right, defaults)
  return all === null || all.found !== null || all.bound !== null || all.ends.length > mostRuns
    ? null
    : all.ends.map((end) => recorded(end))
}

/** What lanes do in all runs of a text; a meeting at the label ends no stretch. Null: no runs stand for all. */
const stretchesOf = (
  g: PtxGround,
  k: Known,
  source: Source,
  c: Checked,
  label: string | null,
): ReadonlyArray<Stretch> | null =>
  standingRuns(k, source, c)?.flatMap(
    (policy) =>
      heardOf(
        source,
        k.algebra,
        g.fuel,
        stretchesAround(threadsOf(extentOf(g.given.block)), label),
        policy,
      ) ?? [],
  ) ?? null

/** Why a change of what lanes have with one another changes nothing. */
const certifiedOfLanes = (
  g: PtxGround,
  k: Known,
  { change }: PtxMutant,
  after: WarpProgram,
  c: Checked,
): string | null => {
  const { handed, site } = change
  const changed = stretchesOf(g, k, warpSource(after, g.given), c, null)
  if (changed === null || k.original === null) return null
  if (handed.size > 0) return isSameForNext(changed, handed) ? 'another lane' : null
  const around = stretchesOf(g, k, warpSource(g.program, g.given), k.original, site.label)
  return around === null ? null : unneeded(around, site.label)
}

/** What one run finds that it does not find where a warp is one thread: a search does not look for it, and so does not refute it. */
const restsOnLanes = (g: PtxGround, k: Known, after: WarpProgram): boolean => {
  const source = warpSource(after, g.given)
  const findingsOf = (how: Pick<CheckOptions, 'lanes'>): ReadonlyArray<Finding> => {
    const checked = checkSource(source, Object.assign({}, k.options, { explore: false }, how))
    return E.isRight(checked) ? checked.right.verdict.findings : []
  }
  const nameOf = ({ id, a, b }: Finding): string => `${id} ${a.site} ${b?.site ?? ''}`
  const asOne = new Set(findingsOf({ lanes: 'off' }).map(nameOf))
  return findingsOf({}).some((f) => !asOne.has(nameOf(f)))
}

/** Does it read words strongly, so that what a read finds may be an older write? A search of interleavings, as of `search.ts`, always gives it the last. */
const readsStrongly = ({ code }: WarpProgram): boolean =>
  code.some(
    ({ operation: o }) =>
      (o._tag === 'load' && o.ordering !== 'weak') || (o._tag === 'atomic' && o.to !== null),
  )

/** Is a load made weak of bytes that no thread writes strongly, in any run? */
const readsWhatIsWeak = (g: PtxGround, k: Known, label: string, after: WarpProgram): boolean => {
  if (k.original === null || !weakensLoads(g.program, after)) return false
  const source = warpSource(g.program, g.given)
  return (
    standingRuns(k, source, k.original)?.every(
      (policy) => heardOf(source, k.algebra, g.fuel, findsWeakWrites(label), policy) === true,
    ) === true
  )
}

const certified = (
  g: PtxGround,
  k: Known,
  m: PtxMutant,
  after: WarpProgram,
  c: Checked,
  own: Own,
): string | null => {
  if (k.original === null || c.outcome._tag !== 'completed' || !isSameMemory(k.original, c)) return null
  const rule = c.verdict.verdict === 'ok' ? ruleFor(g.program, after, m.change, k.numbers) : null
  if (rule !== null) return rule
  const ofLanes = isOfLanes(m.change)
  const known = ofLanes ? certifiedOfLanes(g, k, m, after, c) : null
  if (known !== null) return known
  const { label } = m.change.site
  if (!k.touched.sites.has(label) && k.small().every(({ touched: its }) => !its.sites.has(label)))
    return neverReached
  if (c.verdict.verdict === 'ok' && readsWhatIsWeak(g, k, label, after)) return 'weak writes alone'
  const byRuns = isOfOneRun(k.original) && (isOfOneRun(c) || isQuiet(c, after))
  if (ofLanes || (!byRuns && (readsStrongly(after) || restsOnLanes(g, k, after)))) return null
  switch (compared(k.small(), after, m.change.site.label, own())) {
    case 'different':
      return null
    case 'unobserved':
      return neverObserved
    case 'equal':
      return leftBy(k.original).join() === leftBy(c).join() ? allSchedules : neverObserved
  }
}

/**
 * How a kill names the mutant. Most findings stand at what was changed: then nothing is asked of its barriers, and no missing edge is looked for. `explained`: the same verdict with its
 * missing edges.
 */
const namedIn = (
  k: Known,
  m: PtxMutant,
  c: Checked,
  own: Own,
  explained: () => Checked | null,
  known: Touched,
): Naming | null => {
  const bySite = namedBySite(m.change, c, k.statement)
  if (bySite !== null) return bySite
  const ring = k.rings(own())
  const isOwn = (label: string): boolean =>
    [...(known.barriers.get(label) ?? [])].some((key) => ring.has(key))
  const window = k.window(m.change.site, isOwn)
  const named = (checked: Checked, edges: boolean): Naming | null =>
    namingOf(m.change, checked, ring, window, k.statement, (label) => known.barriers.get(label), edges)
  const plainly = named(c, false)
  if (plainly !== null) return plainly
  const withEdges = explained()
  return withEdges === null ? null : named(withEdges, true)
}

const judgedIn = (
  k: Known,
  m: PtxMutant,
  c: Checked,
  own: Own,
  how: {
    readonly strict: boolean
    readonly certificate: string | null
    readonly explained: () => Checked | null
  },
  known: Touched = k.touched,
): JudgedMutant => {
  const { verdict } = c
  const fate = fateOf(verdict.verdict)
  const ids = verdict.findings.map(({ id }) => id)
  return said(m, {
    verdict: verdict.verdict,
    fate,
    strict: how.strict,
    naming: fate === 'killed' ? namedIn(k, m, c, own, how.explained, known) : null,
    accurate: fate === 'killed' && (ids.length === 0 || isExpected(m.change.site.kind, ids.slice(0, 4))),
    certificate: how.certificate,
    ids,
    reason: verdict.reason,
  })
}

/** The same verdict with the missing edges of its findings. */
const explaining =
  (source: Source, how: CheckOptions): (() => Checked | null) =>
  () => {
    const checked = checkSource(source, Object.assign({}, how, { explain: true }))
    return E.isRight(checked) ? checked.right : null
  }

const neverAsked = (): null => null

/** The first smaller launch at which the mutant is killed, by one run if one does it: what a last turn does, say, that the launch does not come to. */
const shownBy = (g: PtxGround, k: Known, m: PtxMutant, after: WarpProgram, own: Own): JudgedMutant | null => {
  const { label } = m.change.site
  const open: SmallLaunch[] = []
  const killedAt = (
    { given, touched: its }: SmallLaunch,
    how: CheckOptions,
  ): JudgedMutant | 'open' | null => {
    const source = warpSource(after, given)
    const checked = checkSource(source, how)
    if (E.isLeft(checked)) return null
    const fate = fateOf(checked.right.verdict.verdict)
    if (fate === 'undecided' && !isQuiet(checked.right, after)) return 'open'
    return fate !== 'killed'
      ? null
      : judgedIn(
          k,
          m,
          checked.right,
          () => new Set([...own(), ...(its.barriers.get(label) ?? [])]),
          { strict: false, certificate: null, explained: explaining(source, how) },
          its,
        )
  }
  for (const launch of k.small()) {
    if (!launch.touched.sites.has(label)) continue
    const found = killedAt(launch, firstRun(k.options))
    if (found === 'open') open.push(launch)
    else if (found !== null) return found
  }
  for (const launch of open) {
    const found = killedAt(launch, k.options)
    if (found !== null && found !== 'open') return found
    // where the schedules of the text itself are too many, so are those of the mutant
    if (found === null || launch.ends() === null) continue
    const later = killedAt(
      launch,
      Object.assign({}, k.options, { bounds: { states: g.states, depth: 100_000 } }),
    )
    if (later !== null && later !== 'open') return later
  }
  return null
}

/** A mutant that its first run, or the text itself, gives away. */
const killed = (g: PtxGround, k: Known, m: PtxMutant): JudgedMutant | null => {
  const j = atOnce(g, k, m)
  return 'mutant' in j ? j : null
}

/** What the first run of a mutant says; how it is judged, where that is enough. */
const atOnce = (g: PtxGround, k: Known, m: PtxMutant): JudgedMutant | Begun => {
  const made = elaborate(m.module(), g.entry, g.name)
  return E.isLeft(made) ? refused(m, made.left) : byOptions(g, k, m, made.right.program, firstRun(k.options))
}

/** One run; of one that gets stuck, others are asked why. */
const firstRun = (options: CheckOptions): CheckOptions =>
  Object.assign({}, options, { explore: false, askOthers: true, quiet: true } satisfies Partial<CheckOptions>)

/** What a check of a mutant says. */
const byOptions = (
  g: PtxGround,
  k: Known,
  m: PtxMutant,
  program: WarpProgram,
  options: CheckOptions,
): JudgedMutant | Begun => {
  const { label } = m.change.site
  const source = warpSource(program, g.given)
  const first = checkSource(source, options)
  if (E.isLeft(first)) return refused(m, first.left)
  const how: CheckOptions =
    storesTwice(first.right) && !k.storesTwice ? Object.assign({}, options, { equalWrites: 'none' }) : options
  const asRaces = how === options ? first : checkSource(source, how)
  if (E.isLeft(asRaces)) return refused(m, asRaces.left)
  const one = asRaces.right
  const own = once(
    () =>
      new Set([
        ...(k.touched.barriers.get(label) ?? []),
        ...(runOf(source, k.algebra, g.fuel).barriers.get(label) ?? []),
      ]),
  )
  return fateOf(one.verdict.verdict) === 'killed'
    ? judgedIn(k, m, one, own, { strict: false, certificate: null, explained: explaining(source, how) })
    : { program, source, one, own }
}

/** Does it take other schedules to say more? */
const isOpen = ({ one, program }: Begun): boolean =>
  one.verdict.verdict === 'undecided' && one.outcome._tag === 'completed' && !isQuiet(one, program)

const judged = (g: PtxGround, k: Known, m: PtxMutant): JudgedMutant => {
  const begun = atOnce(g, k, m)
  if ('mutant' in begun) return begun
  const shown = (): JudgedMutant | null => shownBy(g, k, m, begun.program, begun.own)
  if (begun.one.verdict.verdict === 'ok') return settled(g, k, m, begun, shown)
  // a small launch has few schedules, so they are asked before those of the launch itself
  const killedEarly = shown()
  if (killedEarly !== null) return killedEarly
  if (!isOpen(begun)) return settled(g, k, m, begun, () => null)
  const searched = byOptions(g, k, m, begun.program, k.options)
  return 'mutant' in searched ? searched : settled(g, k, m, searched, () => null)
}

/** A mutant that its launch does not kill. `late`: whether a smaller one does. */
const settled = (
  g: PtxGround,
  k: Known,
  m: PtxMutant,
  { program, source, one, own }: Begun,
  late: () => JudgedMutant | null,
): JudgedMutant => {
  if (k.keepsContracts && one.verdict.verdict === 'ok') {
    const strictly: CheckOptions = Object.assign({}, k.options, { strict: true })
    const again = checkSource(source, strictly)
    if (E.isRight(again) && fateOf(again.right.verdict.verdict) === 'killed')
      return judgedIn(k, m, again.right, own, {
        strict: true,
        certificate: null,
        explained: explaining(source, strictly),
      })
  }
  const certificate = certified(g, k, m, program, one, own)
  return (
    (certificate === null ? late() : null) ??
    judgedIn(k, m, one, own, { strict: false, certificate, explained: neverAsked })
  )
}

/** The same module, and its data are not known. */
const withoutData = (g: PtxGround, unknown: ReadonlySet<string>): PtxGround =>
  Object.assign({}, g, { given: Object.assign({}, g.given, { unknown }), unknown })

/** The judge of the mutants of one module at a launch; what is the same for all of them is found out when the first is judged. */
export const judgingPtx = (g: PtxGround): ((m: PtxMutant) => JudgedMutant) => {
  const known = once(() => knownOf(g))
  if (g.unknown === null) return (m) => judged(g, known(), m)
  const blind = withoutData(g, g.unknown)
  const blindly = once(() => knownOf(blind))
  return (m) => killed(blind, blindly(), m) ?? judged(g, known(), m)
}
