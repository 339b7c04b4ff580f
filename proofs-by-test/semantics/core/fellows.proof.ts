/**
 * What stands beside the slots of an agent that is followed. Oracle: the same body, walked in the cluster of the fellow, without fellows.
 *
 * | law | what                                                                                | oracle                                            |
 * |-----|-------------------------------------------------------------------------------------|---------------------------------------------------|
 * | 1   | a slot, or what stands beside it                                                    | the slot where the cluster of the fellow is walked |
 * | 1   | who is parted                                                                       | whose walk is another one                         |
 * | 2   | the slots, the effort and the work of an agent with fellows                         | those of the agent without                        |
 */
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { out, programOf } from '../verdict/core-grids.js'
import { unit } from '../../../src/numerics/unit.js'
import { start } from '../../../src/semantics/core/advance.js'
import { beginning } from '../../../src/semantics/core/fellows.js'
import type { ExprNode } from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { LinkedRegion, LinkedStmt } from '../../../src/semantics/language/link.js'
import { spansOf } from '../../../src/semantics/log/events.js'
import { effort } from '../../../src/semantics/machine/effort.js'
import { fellowship } from '../../../src/semantics/machine/fellowship.js'
import { footprints } from '../../../src/semantics/machine/footprint.js'
import type { Work } from '../../../src/semantics/machine/pace.js'
import type { CoreStand, Held } from '../../../src/semantics/machine/stand.js'
import { idle, type AgentState } from '../../../src/semantics/machine/state.js'
import type { Value } from '../../../src/semantics/machine/value.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { nightly } from '../../extent.js'
import { launched } from '../machine/machine-samples.js'

// ---------------------------------------------------------------- random bodies

const blocks = 64
const { world: launchedWorld } = launched(
  programOf('fellows', blocks, function* () {
    yield* out
  }),
  unit,
)

/** What slots of a body hold. */
type Kind = 'int' | 'truth' | 'long' | 'float' | 'tile' | 'pointers' | 'pointer' | 'view'
interface Slot {
  readonly slot: number
  readonly kind: Kind
}
const i32 = (value: number): ExprNode => ({ _tag: 'const', dtype: 'i32', value })
const f32 = (value: number | string): ExprNode => ({ _tag: 'const', dtype: 'f32', value })
const binary = (op: 'add' | 'sub' | 'mul' | 'min' | 'max' | 'rem', x: ExprNode, y: ExprNode): ExprNode => ({
  _tag: 'binary',
  op,
  x,
  y,
})
const less = (x: ExprNode, y: ExprNode): ExprNode => ({ _tag: 'compare', op: 'lt', signed: true, x, y })
const block: ExprNode = { _tag: 'place', of: 'programId', axis: 0 }
const cluster: ExprNode = { _tag: 'place', of: 'clusterId', axis: 0 }
const rank: ExprNode = { _tag: 'place', of: 'ctaRank', axis: 0 }
const splat = (x: ExprNode): ExprNode => ({ _tag: 'splat', x, shape: [4], layout: 'any' })
const iota: ExprNode = { _tag: 'iota', shape: [4], axis: 0, start: 0, layout: 'any' }

interface Body {
  readonly region: LinkedRegion
  readonly slots: number
}
const bodyOf = (seed: number): Body => {
  const die = dice(seed)
  let slots = 0
  let sites = 0
  const fresh = (): number => slots++
  const of = (names: ReadonlyArray<Slot>, kind: Kind): ReadonlyArray<ExprNode> =>
    names.filter((n) => n.kind === kind).map(({ slot }) => ({ _tag: 'local', slot }))
  const made = (names: ReadonlyArray<Slot>, kind: Kind, depth: number): ExprNode => {
    const known = of(names, kind)
    if (known.length > 0 && (depth === 0 || die.chance(0.35))) return die.pick(known)
    const smaller = (k: Kind): ExprNode => made(names, k, Math.max(0, depth - 1))
    const leaf = depth === 0
    switch (kind) {
      case 'int':
        return leaf
          ? die.pick([block, cluster, rank, i32(die.below(5))])
          : die.pick<() => ExprNode>([
              () => binary(die.pick(['add', 'sub', 'mul', 'min'] as const), smaller('int'), smaller('int')),
              () => binary('rem', smaller('int'), i32(2 + die.below(3))),
              () => ({ _tag: 'select', cond: smaller('truth'), x: smaller('int'), y: smaller('int') }),
            ])()
      case 'truth':
        return less(smaller('int'), i32(die.pick([0, 2, 30, 1000])))
      case 'long':
        return {
          _tag: 'convert',
          op: 'extS',
          to: 'i64',
          rounding: 'rn',
          saturate: false,
          x: smaller('int'),
        }
      case 'float':
        return die.chance(0.5)
          ? {
              _tag: 'select',
              cond: smaller('truth'),
              x: f32(die.pick([0, 1])),
              y: f32(die.pick(['-0', 'nan', 1])),
            }
          : f32(die.pick([0, 1, 'inf']))
      case 'tile':
        return die.pick<() => ExprNode>([
          () => splat(smaller('int')),
          () => binary('add', iota, splat(smaller('int'))),
          () => binary('mul', iota, splat(smaller('int'))),
          () => (leaf ? iota : binary('add', smaller('tile'), smaller('tile'))),
        ])()
      case 'pointer':
        return { _tag: 'addptr', ptr: { _tag: 'paramPtr', param: 'out' }, offset: smaller('int') }
      case 'pointers':
        return { _tag: 'addptr', ptr: splat({ _tag: 'paramPtr', param: 'out' }), offset: smaller('tile') }
      case 'view':
        return {
          _tag: 'slice',
          of: { _tag: 'tensor', param: 'out' },
          starts: [binary('rem', smaller('int'), i32(8)), i32(0)],
          sizes: [2, 8],
        }
    }
  }
  const reduced = (names: ReadonlyArray<Slot>): ExprNode => ({
    _tag: 'item',
    x: {
      _tag: 'reduce',
      x: made(names, 'tile', 1),
      axis: 0,
      combine: {
        params: ['l', 'r'],
        body: [{ name: 'm', value: binary('add', { _tag: 'name', name: 'l' }, die.pick([block, i32(1)])) }],
        result: binary(
          'add',
          { _tag: 'name', name: 'm' },
          binary('mul', { _tag: 'name', name: 'r' }, made(names, 'int', 0)),
        ),
      },
      layout: 'any',
    },
  })
  const kinds: ReadonlyArray<Kind> = [
    'int',
    'int',
    'int',
    'truth',
    'long',
    'float',
    'tile',
    'tile',
    'pointers',
    'pointer',
    'view',
  ]
  const statements = (before: ReadonlyArray<Slot>, depth: number): ReadonlyArray<LinkedStmt> => {
    const names = [...before]
    return Array.from({ length: 1 + die.below(4) }, (): LinkedStmt => {
      const site = sites++
      const way = depth === 0 ? 0 : die.below(7)
      const oneOrTwo = () =>
        ({ _tag: 'select', cond: made(names, 'truth', 1), x: i32(1), y: i32(die.pick([1, 2])) }) as const
      const region = (params: ReadonlyArray<Slot>, yields: ReadonlyArray<ExprNode> = []): LinkedRegion => ({
        params: params.map(({ slot }) => slot),
        body: statements([...names, ...params], depth - 1),
        yields,
      })
      const int = (): Slot => ({ slot: fresh(), kind: 'int' })
      if (way === 1) {
        const result = int()
        const [one, other] = [made(names, 'int', 1), made(names, 'int', 1)]
        const s: LinkedStmt = {
          _tag: 'If',
          cond: made(names, 'truth', 1),
          then: region([], [one]),
          else: region([], [other]),
          results: [result.slot],
          site,
        }
        names.push(result)
        return s
      }
      if (way === 2) {
        const [index, carried, result] = [int(), int(), int()]
        const to = oneOrTwo()
        const s: LinkedStmt = {
          _tag: 'For',
          index: index.slot,
          from: i32(0),
          to,
          step: i32(1),
          carried: [{ slot: carried.slot, init: made(names, 'int', 1) }],
          body: region(
            [index, carried],
            [binary('add', { _tag: 'local', slot: carried.slot }, made(names, 'int', 1))],
          ),
          results: [result.slot],
          site,
        }
        // the body has parameters of its own
        const own = { ...s.body, params: [index.slot, carried.slot].slice(1) }
        names.push(result)
        return { ...s, body: own }
      }
      if (way === 3) {
        const [turn, carried, again, kept, result] = [int(), int(), int(), int(), int()]
        const local = ({ slot }: Slot): ExprNode => ({ _tag: 'local', slot })
        const most = oneOrTwo()
        const s: LinkedStmt = {
          _tag: 'While',
          carried: [
            { slot: turn.slot, init: i32(0) },
            { slot: carried.slot, init: made(names, 'int', 1) },
          ],
          before: { params: [], body: [], yields: [less(local(turn), most), local(turn), local(carried)] },
          after: region(
            [again, kept],
            [binary('add', local(again), i32(1)), binary('add', local(kept), made(names, 'int', 1))],
          ),
          results: [fresh(), result.slot],
          site,
        }
        names.push(result)
        return s
      }
      const kind = die.pick(kinds)
      const expr = kind === 'int' && die.chance(0.2) ? reduced(names) : made(names, kind, 2)
      const slot = { slot: fresh(), kind }
      names.push(slot)
      return { _tag: 'Let', slot: slot.slot, expr, site }
    })
  }
  const body = statements([], 2)
  // a store at the end, mostly at a place of the cluster
  const tile = binary('min', binary('max', { _tag: 'local', slot: 0 }, i32(0)), i32(399))
  const store: LinkedStmt = {
    _tag: 'Do',
    results: [],
    layouts: [],
    instruction: {
      _tag: 'gmem.store',
      destination: {
        _tag: 'slice',
        of: { _tag: 'tensor', param: 'out' },
        starts: [binary('mul', i32(8), die.chance(0.5) ? tile : block), i32(0)],
        sizes: [8, 32],
      },
      value: { _tag: 'splat', x: f32(1), shape: [8, 32], layout: 'any' },
    } as unknown as Instruction,
    when: null,
    site: sites++,
  }
  const first = body[0]
  const isInt = first?._tag === 'Let' && first.slot === 0
  return { region: { params: [], body: isInt ? [...body, store] : body, yields: [] }, slots }
}

// ---------------------------------------------------------------- the walk of a cluster

interface Walked {
  readonly stand: CoreStand
  readonly spent: number
  readonly work: ReadonlyArray<Work>
  readonly ready: AgentState['ready']
}
const walkedIn = ({ region }: Body, at: number, followed: ReturnType<typeof fellowship> | null): Walked => {
  const work: Work[] = []
  const world: World = Object.assign({}, launchedWorld, {
    effort: effort(),
    footprints: footprints(),
    pace: { told: (_: number, w: Work) => work.push(w) },
  })
  const a = start(
    world,
    { agent: 0, cta: 0, place: 0, cluster: at },
    idle,
    region,
    [],
    followed === null ? null : beginning(world, followed),
  )
  if (a.stand?._tag !== 'core') return expect.fail('no stand')
  return { stand: a.stand, spent: world.effort.spent, work, ready: a.ready }
}

/** What a fellow has in a slot, by what stands beside it. */
const told = (own: Value | undefined, held: Held[number]): Value | undefined => {
  if (typeof held !== 'object' || held._tag !== 'shifted') return held
  if (typeof own !== 'object' || own._tag !== 'tile' || own.data === null)
    return expect.fail('only a tile is shifted')
  const { data } = own
  return { ...own, data: Float64Array.from(data, (x) => x + held.by) }
}

/** The bytes that it stores at its end, and their number. */
const placeOf = ({
  ready,
}: Walked): { readonly id: number; readonly spans: ReadonlyArray<number> } | null => {
  if (ready?._tag !== 'do' || ready.prepared._tag !== 'store') return null
  const footprint = ready.prepared.destination.footprint
  return { id: footprint.id, spans: [...spansOf(footprint)] }
}

const others = [1, 2, 3, 29, 30, 31, 40, 63]
/** The way that a walk took: which statements it evaluated, one after the other. */
const wayOf = ({ work, stand, ready }: Walked): unknown => [
  work.map(({ name, site, elements }) => [name, site, elements]),
  stand.frame.map((v) => v === undefined),
  ready === null ? null : ready._tag,
]

test('laws 1 and 2: what stands beside a slot is what the cluster of the fellow has in it, and the agent is the same without', () => {
  const seen = { alike: 0, parted: 0, shifted: 0, kinds: 0, moved: 0 }
  const wrong: unknown[] = []
  for (let seed = 1; seed <= (nightly ? 4000 : 90) && wrong.length === 0; seed++) {
    const body = bodyOf(seed)
    const of = fellowship(others)
    const [own, alone] = [walkedIn(body, 0, of), walkedIn(body, 0, null)]
    const partsOf = ({ stand: { frame }, spent, work, ready }: Walked): unknown => [frame, spent, work, ready]
    if (!isDeepStrictEqual(partsOf(own), partsOf(alone))) wrong.push([seed, partsOf(own), partsOf(alone)])
    others.forEach((at, fellow) => {
      const theirs = walkedIn(body, at, null)
      const isAlike = of.alike[fellow] === 1
      seen[isAlike ? 'alike' : 'parted']++
      if (isDeepStrictEqual(wayOf(theirs), wayOf(own)) !== isAlike) wrong.push([seed, at, isAlike])
      if (!isAlike) return
      const [here, there] = [placeOf(own), placeOf(theirs)]
      if (here !== null) {
        const by = of.ways[of.latest.get(here.id)!]![fellow]!
        seen.moved += by === 0 ? 0 : 1
        if (
          !isDeepStrictEqual(
            there?.spans,
            here.spans.map((byte) => byte + by),
          )
        )
          wrong.push([seed, at, by, here, there])
      }
      own.stand.frame.forEach((value, slot) => {
        const held = own.stand.fellows!.slots[slot] ?? null
        const says = held === null ? value : told(value, held[fellow])
        if (says !== (held?.[fellow] ?? value)) seen.shifted++
        if (!isDeepStrictEqual(says, theirs.stand.frame[slot]))
          wrong.push([seed, at, slot, says, theirs.stand.frame[slot]])
      })
    })
    seen.kinds += of.kinds.length
  }
  expect(wrong).toEqual([])
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
})

// ---------------------------------------------------------------- what is told of a walk, by hand

const fence = { _tag: 'fence.proxyAsync', scope: 'cta' } as const
const store = (start: ExprNode): Instruction =>
  ({
    _tag: 'gmem.store',
    destination: {
      _tag: 'slice',
      of: { _tag: 'tensor', param: 'out' },
      starts: [start, i32(0)],
      sizes: [8, 32],
    },
    value: { _tag: 'splat', x: f32(1), shape: [8, 32], layout: 'any' },
  }) as unknown as Instruction
const doing = (instruction: Instruction, more: object = {}): LinkedStmt =>
  Object.assign({ _tag: 'Do', results: [], layouts: [], instruction, when: null, site: 9 } as const, more)
const local = (slot: number): ExprNode => ({ _tag: 'local', slot })
const walkOf = (...body: ReadonlyArray<LinkedStmt>): Walked =>
  walkedIn({ region: { params: [], body, yields: [] }, slots: 0 }, 5, null)

test('what is evaluated is told, with the slots that it reads and the one that it comes to, and then the effect', () => {
  const { work, ready } = walkOf(
    { _tag: 'Let', slot: 2, expr: binary('add', block, i32(1)), site: 4 },
    { _tag: 'Let', slot: 3, expr: binary('mul', local(2), local(2)), site: 5 },
    doing(store(binary('mul', local(3), i32(8))), { results: [7] }),
  )
  expect(ready).toMatchObject({ _tag: 'do', site: 9 })
  expect(work.map((w) => [w.name, w.elements, w.reads, w.writes, w.site])).toEqual([
    ['add', 1, [], [2], 4],
    ['mul', 1, [2], [3], 5],
    ['mul', 1, [3], [], 9],
    ['gmem.store', 1, [3], [7], 9],
  ])
})

test.each([
  ['true spares it', { _tag: 'const', dtype: 'i1', value: 1 }, null],
  ['false makes it', { _tag: 'const', dtype: 'i1', value: 0 }, ['do']],
  ['a number is none', i32(1), ['fault', 'type.mismatch', 9]],
  ['a fault is one of the wait', local(4), ['fault', 'name.unset', 9]],
] as const)('a wait that is spared by an outcome: %s', (_, peek, expected) => {
  const { ready, work } = walkOf(doing(fence as Instruction, { peek }))
  const told =
    ready === null ? null : ready._tag === 'fault' ? ['fault', ready.fault.code, ready.site] : [ready._tag]
  expect(told).toEqual(expected)
  expect(work.length).toBe(expected === null ? 0 : 1)
})
