/**
 * Parities: the bits that a thread keeps for its barriers, carried by the surface.
 *
 * `barrier_wait(b)` reads the thread's bit for b and flips it (`barrier.ts`). A program is first-order data, so the mask is a value; here it goes
 * along by itself, so that a kernel reads as it does in Pallas. A loop carries the masks that its body flips, a branch gives those that either
 * side flips:
 *
 *     for k < 4: wait loaded[k mod 2]                 mask of loaded     0b00
 *                                                     carried: k = 0     0b01     k = 1   0b11     k = 2   0b10     k = 3   0b00
 *     if c: wait done                                 mask of done       c ? 0b1 : 0b0
 *
 * Which masks a body flips is found by writing it once and throwing it away; the regions in it are then written once, too, so that d regions,
 * one in another, are written d + 1 times at most, and not 2^d.
 *
 * A warp keeps a mask of its own from where its thread parts, and keeps it from one warp map to the next. An agent that was forked gives no
 * values back, so its thread computes the mask beside it: what the warp does, without any effect, of which only the masks remain
 * (`withoutEffects`). A mask that is not read again is not computed (`withoutIdle`).
 *
 *     thread        warp 0                    warp 1                     afterwards
 *     0b00          waits for slot 0: 0b01    0b00                       warps 0b01 0b00 0b00 0b00: the thread itself has no one bit for it
 *     0b00          waits for slot 0: 0b01    waits for slot 0: 0b01     so do warps 2 and 3: the thread has 0b01
 *
 * Where all four warps do the same to a mask, word for word but for the names that they bind (`flippedAlike`), they are one thread again behind it.
 *
 * Laws
 * 1. With and without masks of one's own, every wait has the same parity.
 * 2. The parities of a warp are those of a warp that never stopped running, however many warp maps it is in.
 * 3. A wait in a region that does not carry masks is refused; so is a thread's wait whose warps' bits may differ: whose computations do.
 *
 * Limits: a bit that depends on what a warp loaded, or on a test, cannot be computed beside it. It is lost when the warp ends: a wait for it in a
 * later warp map is refused, and so is a loop around the map.
 *
 * Names: none; it is what `barrier_wait` does in Mosaic GPU, where the mask is a variable of the thread.
 *
 * Source: JAX docs, Pallas:MGPU reference, synchronization; Mosaic GPU's barriers.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import {
  block,
  build,
  forRange,
  ifThen,
  letIn,
  statement,
  surrounding,
  whereIAm,
  within,
  type Build,
  type Exprs,
  type ForSpec,
  type State,
  type Step,
  type Steps,
  type Surrounding,
  whileLoop,
} from '../../semantics/writing/builder.js'
import { runSteps } from '../../semantics/writing/builder/monad.js'
import { amend, statements } from '../../semantics/writing/builder/state.js'
import {
  i32,
  namesOf,
  type Condition,
  type Expr,
  type ExprNode,
  type Int,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import {
  expressionsOf,
  mapRegions,
  region,
  regionsOf,
  statementsOf,
  type Binder,
  type Region,
  type Stmt,
} from '../../semantics/language/program.js'
import type { TypeIndex } from '../../semantics/language/types.js'
import { refused } from './codes.js'

// ---------------------------------------------------------------- model

/** By the name of the barriers that were allocated together, of the thread or of one of its warps. */
export type Masks = ReadonlyMap<string, Int>

interface Here {
  readonly masks: Masks
  /** the region in which they stand */
  readonly path: string
}

const here: Surrounding<Here | null> = surrounding<Here | null>('pallas.parities', null)

const none: Masks = new Map()
const fourWarps = [0, 1, 2, 3] as const
/** The key of the mask that a warp keeps for barriers. */
export const ofWarp = (barrier: string, warp: number): string => `${barrier} of warp ${String(warp)}`
const warpOf = (key: string): string | null => / of warp (\d)$/.exec(key)?.[1] ?? null

const pathHere: Build<string> = build((state) => E.right([state.path.join(' / '), state]))

// ---------------------------------------------------------------- masks here

/** A mask that its warp took with it. */
const lost: Int = i32(0)

/** Masks where the next statement stands. */
export const masksHere: Build<Masks> = block(function* () {
  return (yield* whereIAm(here))?.masks ?? none
})

/** From here on these masks, too. */
export const setMasks = (masks: Iterable<readonly [string, Int]>): Build<void> =>
  block(function* () {
    const now = yield* whereIAm(here)
    if (now === null) return
    const next: Here = { path: now.path, masks: new Map([...now.masks, ...masks]) }
    yield* build((state) =>
      E.right([
        undefined,
        amend(state, { surroundings: new Map<object, unknown>([...state.surroundings, [here, next]]) }),
      ]),
    )
  })

/** The four warps have one mask for the barrier again: that of their thread. */
export const rejoined = (barrier: string, mask: Int): Build<void> =>
  block(function* () {
    const now = yield* whereIAm(here)
    if (now === null) return
    const masks = new Map([...now.masks, [barrier, mask] as const])
    for (const w of fourWarps) masks.delete(ofWarp(barrier, w))
    yield* build((state) =>
      E.right([
        undefined,
        amend(state, {
          surroundings: new Map<object, unknown>([...state.surroundings, [here, { path: now.path, masks }]]),
        }),
      ]),
    )
  })

/** The mask that a wait reads, and where the next one is kept. */
export const maskFor = (
  label: string,
  barrier: string,
  warp: number | null,
): Build<{ readonly mask: Int; readonly keep: (next: Int) => Build<void> }> =>
  block(function* () {
    const now = yield* whereIAm(here)
    if (now === null || now.path !== (yield* pathHere))
      return yield* refused(
        'pallas.barrier.parities',
        `${label}: nothing here carries the parity of ${barrier}: expected the body of a kernel, foriLoop, when, cond, ndLoop, coreMap, or parities that are given`,
      )
    const others = [...now.masks.keys()].filter((key) => key.startsWith(`${barrier} of warp `))
    if (warp === null && others.length > 0)
      return yield* refused(
        'pallas.barrier.parities',
        `${label}: ${others.map((key) => `warp ${String(warpOf(key))}`).join(', ')} of the thread waited for ${barrier} in a core_map: the thread has no one parity for it`,
      )
    const key = warp === null ? barrier : ofWarp(barrier, warp)
    const mask = startOf(now.masks, key)
    if (mask === lost)
      return yield* refused(
        'pallas.barrier.parities',
        `${label}: whether warp ${String(warp)} has waited for ${barrier} depends on what it loaded or tested in a core_map before: its parity was not kept`,
      )
    return {
      mask,
      keep: (next: Int) => setMasks([[key, next]]),
    }
  })

/** A warp begins with what its thread has. */
const startOf = (masks: Masks, key: string): Int =>
  masks.get(key) ?? masks.get(key.replace(/ of warp \d$/, '')) ?? i32(0)

// ---------------------------------------------------------------- regions that carry them

/** The masks under these keys, for a region to carry; they are matched by key. */
export const recordOf = (masks: Masks, keys: ReadonlyArray<string>): Readonly<Record<string, Int>> =>
  Object.fromEntries(keys.map((key) => [`parities of ${key}`, startOf(masks, key)]))

const ofRecord = (record: Values, keys: ReadonlyArray<string>): ReadonlyArray<readonly [string, Int]> =>
  keys.map((key) => [key, checked<Int, Expr>(record[`parities of ${key}`]!)] as const)

/** A loop hands its masks on: none may be lost. */
const kept = (label: string, masks: Masks, keys: ReadonlyArray<string>): Build<void> =>
  block(function* () {
    const gone = keys.find((key) => masks.get(key) === lost)
    if (gone !== undefined)
      yield* refused(
        'pallas.barrier.parities',
        `${label}: whether the parity of ${gone} flips depends on what the warp loaded or tested: it cannot be kept for the next turn of the loop`,
      )
  })

export const changed = (before: Masks, after: Masks): ReadonlyArray<string> =>
  [...after].flatMap(([key, mask]) => (before.get(key) === mask ? [] : [key]))

/** The steps in a region of their own, which begins with these masks; what they give, and the masks that they leave. */
export const inMasks = <A>(masks: Masks, body: () => Steps<A>): Build<readonly [A, Masks]> =>
  block(function* () {
    const path = yield* pathHere
    return yield* within(here, { path, masks })(function* () {
      const result = yield* body()
      return [result, yield* masksHere] as const
    })
  })

/** The same for a body that stands in the region of what surrounds it: what it flips is flipped behind it. */
export const sameMasks =
  <A>(around: (body: () => Steps<readonly [A, Masks]>) => Build<readonly [A, Masks]>) =>
  (body: () => Steps<A>): Build<A> =>
    block(function* () {
      const before = yield* whereIAm(here)
      const [result, after] = yield* around(() =>
        block(function* () {
          return before === null ? ([yield* body(), none] as const) : yield* inMasks(before.masks, body)
        }),
      )
      yield* setMasks(after)
      return result
    })

/** Are these steps thrown away? Then all that is asked of a region is which masks it flips, and its body is written once. */
const trying: Surrounding<boolean> = surrounding('pallas.parities.trial', false)
export const isTrial: Build<boolean> = whereIAm(trying)

/** What the steps give; they are thrown away. */
const trial = <A>(label: string, steps: () => Steps<A>): Build<A> =>
  build((state: State) =>
    pipe(
      runSteps(within(trying, true)(steps), amend(state, { path: [...state.path, label], body: null })),
      E.map(([a]) => [a, state]),
    ),
  )

/** In a trial: masks that are others than before, whatever they are. */
export const setFlipped = (keys: ReadonlyArray<string>): Build<void> =>
  setMasks(keys.map((key) => [key, i32(0)] as const))

/** The masks that a body flips. */
export const flipped = (label: string, body: () => Steps<unknown>): Build<ReadonlyArray<string>> =>
  block(function* () {
    if ((yield* whereIAm(here)) === null) return []
    const before = yield* masksHere
    return yield* trial(label, function* () {
      const [, after] = yield* inMasks(before, body)
      return changed(before, after)
    })
  })

type Values = Readonly<Record<string, Expr>>
type Carried = Readonly<Record<string, TypeIndex>>

/** A counted loop that carries the masks that its body flips, beside what it is told to carry. */
export const loopWithMasks = <C extends Carried>(
  spec: ForSpec,
  carried: Exprs<C>,
  body: (index: Int, carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    const { label } = spec
    const own = Object.keys(carried)
    const before = yield* masksHere
    const keys = yield* flipped(label, function* () {
      const index = yield* letIn(label, i32(0))
      const names: [string, Expr][] = []
      for (const [key, value] of Object.entries<Expr>(carried)) names.push([key, yield* letIn(key, value)])
      yield* body(index, checked<Exprs<C>, Values>(Object.fromEntries(names)))
    })
    if (yield* isTrial) {
      yield* setFlipped(keys)
      return carried
    }
    const mine = (all: Values): Exprs<C> =>
      checked<Exprs<C>, Values>(Object.fromEntries(own.map((key) => [key, all[key]!] as const)))
    const both = (some: Exprs<C>, masks: Masks): Exprs<C> =>
      checked<Exprs<C>, Values>({ ...some, ...recordOf(masks, keys) })
    const done = yield* forRange<C>({ ...spec, carried: both(carried, before) }, function* (index, all) {
      const masks = new Map([...before, ...ofRecord(all, keys)])
      const [next, after] = yield* inMasks(masks, () => body(index, mine(all)))
      yield* kept(label, after, keys)
      return both(next, after)
    })
    yield* setMasks(ofRecord(done, keys))
    return mine(done)
  })

/** A loop while a condition holds, which carries the masks that its test and its body flip, beside what it is told to carry. */
export const whileWithMasks = <C extends Carried>(
  label: string,
  carried: Exprs<C>,
  test: (carried: Exprs<C>) => Steps<Condition>,
  body: (carried: Exprs<C>) => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    const own = Object.keys(carried)
    const before = yield* masksHere
    const keys = yield* flipped(label, function* () {
      const names: [string, Expr][] = []
      for (const [key, value] of Object.entries<Expr>(carried)) names.push([key, yield* letIn(key, value)])
      const now = checked<Exprs<C>, Values>(Object.fromEntries(names))
      yield* test(now)
      yield* body(now)
    })
    if (yield* isTrial) {
      yield* setFlipped(keys)
      return carried
    }
    const mine = (all: Values): Exprs<C> =>
      checked<Exprs<C>, Values>(Object.fromEntries(own.map((key) => [key, all[key]!] as const)))
    const both = (some: Exprs<C>, masks: Masks): Exprs<C> =>
      checked<Exprs<C>, Values>({ ...some, ...recordOf(masks, keys) })
    const masksIn = (all: Values): Masks => new Map([...before, ...ofRecord(all, keys)])
    const done = yield* whileLoop<C>(
      { label, carried: both(carried, before) },
      function* (all) {
        const [go, after] = yield* inMasks(masksIn(all), () => test(mine(all)))
        return [go, both(mine(all), after)] as const
      },
      function* (all) {
        const [next, after] = yield* inMasks(masksIn(all), () => body(mine(all)))
        yield* kept(label, after, keys)
        return both(next, after)
      },
    )
    yield* setMasks(ofRecord(done, keys))
    return mine(done)
  })

/** A branch that gives the masks that either side flips, beside what the sides give. */
export const branchWithMasks = <C extends Carried>(
  label: string,
  condition: Condition,
  then: () => Steps<Exprs<C>>,
  otherwise: () => Steps<Exprs<C>>,
): Build<Exprs<C>> =>
  block(function* () {
    const before = yield* masksHere
    if (yield* isTrial) {
      const flips: string[] = []
      const tried = (body: () => Steps<Exprs<C>>) =>
        function* (): Generator<Step, Exprs<C>, unknown> {
          const [given, after] = yield* inMasks(before, body)
          for (const key of changed(before, after)) flips.push(key)
          return given
        }
      const given = yield* ifThen<C>(label, condition, tried(then), tried(otherwise))
      yield* setFlipped(flips)
      return given
    }
    let keys = yield* flipped(label, otherwise)
    let own: ReadonlyArray<string> = []
    const gone: string[] = []
    const side = (body: () => Steps<Exprs<C>>) =>
      function* (): Generator<Step, Exprs<C>, unknown> {
        const [given, after] = yield* inMasks(before, body)
        // the first side is written first: what it flips the other one gives, too
        keys = [...new Set([...keys, ...changed(before, after)])]
        for (const key of keys) if (after.get(key) === lost) gone.push(key)
        own = Object.keys(given)
        return checked<Exprs<C>, Values>({ ...given, ...recordOf(after, keys) })
      }
    const done = yield* ifThen<C>(label, condition, side(then), side(otherwise))
    yield* setMasks(ofRecord(done, keys))
    yield* setMasks(gone.map((key) => [key, lost] as const))
    return checked<Exprs<C>, Values>(Object.fromEntries(own.map((key) => [key, done[key]!] as const)))
  })

/** `lax.fori_loop(0, n, body, None)`. */
export const foriLoop = (label: string, to: number, body: (index: Int) => Steps<void>): Build<void> =>
  block(function* () {
    yield* loopWithMasks<Carried>({ label, from: i32(0), to: i32(to) }, {}, function* (index) {
      yield* body(index)
      return {}
    })
  })

// ---------------------------------------------------------------- what warps leave

const readBy = (exprs: ReadonlyArray<ExprNode>): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const e of exprs) namesOf(e, names)
  return names
}

/**
 * The statements that the given names need, without any effect. Null: one of them is the result of an effect.
 */
const withoutEffects = (
  body: ReadonlyArray<Stmt>,
  needed: ReadonlySet<string>,
): readonly [ReadonlyArray<Stmt>, ReadonlySet<string>] | null => {
  const wanted = new Set(needed)
  const kept: Stmt[] = []
  const pure = (r: Region): Region | null => {
    const inside = withoutEffects(r.body, readBy(r.yields))
    if (inside === null) return null
    for (const name of inside[1]) wanted.add(name)
    return { ...r, body: inside[0] }
  }
  const whole = (s: Stmt): Stmt | null => {
    switch (s._tag) {
      case 'Let':
        return s
      case 'For': {
        const one = pure(s.body)
        return one === null ? null : { ...s, body: one }
      }
      case 'If': {
        const [yes, no] = [pure(s.then), pure(s.else)]
        return yes === null || no === null ? null : { ...s, then: yes, else: no }
      }
      case 'While': {
        const [test, one] = [pure(s.before), pure(s.after)]
        return test === null || one === null ? null : { ...s, before: test, after: one }
      }
      case 'Do':
      case 'Fork':
        return null
    }
  }
  for (const s of [...body].reverse()) {
    const gives = s._tag === 'Let' ? [s.binder] : s.results
    if (!gives.some(({ name }) => wanted.has(name))) continue
    const one = whole(s)
    if (one === null) return null
    for (const name of readBy(expressionsOf(one))) wanted.add(name)
    kept.unshift(one)
  }
  return [kept, wanted]
}

/** What the steps give, and the statements that they add, which are not added. */
const asideOf = <A>(steps: () => Steps<A>): Build<readonly [A, ReadonlyArray<Stmt>]> =>
  build((state: State) =>
    pipe(
      runSteps(steps(), amend(state, { body: null })),
      E.map(([given, after]) => [
        [given, statements(after.body)] as const,
        amend(after, { body: state.body }),
      ]),
    ),
  )

/** The same of steps that are thrown away: written whole, also where only the masks are asked for. */
const written = <A>(label: string, steps: () => Steps<A>): Build<readonly [A, ReadonlyArray<Stmt>]> =>
  build((state: State) =>
    pipe(
      runSteps(
        asideOf(() => within(trying, false)(steps)),
        amend(state, { path: [...state.path, label] }),
      ),
      E.map(([found]) => [found, state]),
    ),
  )

/**
 * What the warps do to their masks, without doing anything else: the masks under these keys, but for those that depend on what a warp loaded.
 */
export const masksBeside = (
  keys: ReadonlyArray<string>,
  warps: () => Steps<Masks>,
): Build<Readonly<Record<string, Int>>> =>
  block(function* () {
    const [masks, made] = yield* asideOf(warps)
    const pure = keys.filter((key) => withoutEffects(made, readBy([startOf(masks, key)])) !== null)
    const record = recordOf(masks, pure)
    const beside = withoutEffects(made, readBy(Object.values(record)))
    for (const s of beside?.[0] ?? []) yield* statement(s)
    return record
  })

/** Keys and masks that a region took or gave; lost are those that it did not give. */
export const masksOf = (
  record: Values,
  keys: ReadonlyArray<string>,
): ReadonlyArray<readonly [string, Int]> => {
  const has = (key: string): boolean => record[`parities of ${key}`] !== undefined
  return [
    ...ofRecord(record, keys.filter(has)),
    ...keys.filter((key) => !has(key)).map((key) => [key, lost] as const),
  ]
}

/** Statements and a value, as text: names that they bind by their order, and no sites. */
const textOf = (body: ReadonlyArray<Stmt>, value: ExprNode): string => {
  const bound = new Map<string, string>()
  const bind = ({ name }: Binder): void => {
    bound.set(name, `${String(bound.size)}.`)
  }
  const look = (s: Stmt): void => {
    if (s._tag === 'Let') bind(s.binder)
    else s.results.forEach(bind)
    if (s._tag === 'For') bind(s.index)
    if (s._tag === 'For' || s._tag === 'While') for (const { binder } of s.carried) bind(binder)
    for (const r of regionsOf(s)) {
      r.params.forEach(bind)
      r.body.forEach(look)
    }
  }
  body.forEach(look)
  return JSON.stringify([body, value], (key, x: unknown) =>
    key === 'site' ? undefined : key === 'name' && typeof x === 'string' ? (bound.get(x) ?? x) : x,
  )
}

/**
 * The barriers whose masks all four warps flip in the same way, beginning with one mask: those for which `warp` writes four times the same.
 * `keys` are those that each warp flips.
 */
export const flippedAlike = (
  label: string,
  keys: ReadonlyArray<ReadonlyArray<string>>,
  warp: (w: number) => Build<unknown>,
): Build<ReadonlyArray<string>> =>
  block(function* () {
    const before = yield* masksHere
    const barriers = keys[0]!
      .map((key) => key.replace(/ of warp 0$/, ''))
      .filter((barrier) =>
        fourWarps.every((w) => {
          const key = ofWarp(barrier, w)
          return keys[w]!.includes(key) && !before.has(key)
        }),
      )
    if (barriers.length === 0) return []
    const texts: ReadonlyMap<string, string | null>[] = []
    for (const w of fourWarps) {
      const [after, made] = yield* written(label, function* () {
        return (yield* inMasks(before, () => warp(w)))[1]
      })
      texts.push(
        new Map(
          barriers.map((barrier) => {
            const mask = after.get(ofWarp(barrier, w))!
            const beside = withoutEffects(made, readBy([mask]))
            return [barrier, beside === null ? null : textOf(beside[0], mask)] as const
          }),
        ),
      )
    }
    return barriers.filter((barrier) => {
      const text = texts[0]!.get(barrier)!
      return text !== null && texts.every((some) => some.get(barrier) === text)
    })
  })

/** The statements without the masks of warps that nothing reads. */
export const withoutIdle = (body: ReadonlyArray<Stmt>): ReadonlyArray<Stmt> => {
  const read = new Set<string>()
  for (const s of statementsOf(body)) for (const e of expressionsOf(s)) namesOf(e, read)
  const inside = (r: Region): Region => ({ ...r, body: r.body.map(cleaned) })
  const cleaned = (s: Stmt): Stmt => {
    if (s._tag !== 'Fork') return mapRegions(s, inside)
    if (s.results.length === 0 || s.results.some(({ name }) => read.has(name))) return s
    const [parent, ...warps] = s.branches
    return {
      ...s,
      results: [],
      branches: [{ ...parent!, captures: [], body: region([], []) }, ...warps],
    }
  }
  return body.map(cleaned)
}
