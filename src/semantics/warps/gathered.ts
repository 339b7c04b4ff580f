/**
 * Gathered spins: some threads of a CTA ask a word, and a barrier tells all of them whether it is to be asked again.
 *
 *     if (first) state = lock                                    a *fetch*: before the loop, often long before it
 *     while (__syncthreads_and(state != mine)) {                 all go on where one says no
 *       if (first) state = lock                                  the threads that ask
 *     }
 *
 * becomes
 *
 *     fetched = false, done = false
 *     if (first) { lock is read, and dropped; fetched = true }
 *     while (__syncthreads_and((state != mine || fetched) && !done)) {
 *       if (first) { wait until lock == mine; fetched = false, done = true }
 *     }
 *
 * | asked                                                                                          | else            |
 * |------------------------------------------------------------------------------------------------|-----------------|
 * | G1 in the loop are one barrier that reduces, one strong load of one word of 32 bits, jumps, and what computes; nothing but the answer of the barrier leaves it | it stays a loop |
 * | G2 one branch at most goes around the load, by a predicate that the loop does not write; nor does it write the address | it stays a loop |
 * | G3 what the barrier is told compares the word with a row that the loop does not write          | it stays a loop |
 * | G4 the word is read in the loop alone, and nothing that the loop makes is read behind it       | it stays a loop |
 * | G5 who comes into the loop passes by all of that comparison; and where it asks whether *all* say so, by no load | it stays a loop |
 * | G6 where the barrier asks whether *all* say so, address and value are the same for all threads of a CTA | it stays a loop |
 * | G7 a fetch is the same load, by threads that ask; where the word, the address or who asks is written behind it, it is none any more | its word counts as it is |
 * | G8 with a fetch, nothing else in the program hears of other CTAs: no other strong load, no result of an atomic, no other wait but barriers of the CTA and for its own copies | it stays a loop |
 *
 * Why that is the same. Take a run of the first form in which a fetch has found the word as it is to be, and the loop is left by that. Between the fetch and the end of the loop its
 * CTA waits for no other CTA (G8), and nothing that it does depends on what the fetch has found (G4). So it could have come to the loop at once, before anybody wrote the word again: then the
 * wait of the second form is over, has found the same write, and all of the CTA know by the barrier what its thread knows. What comes between and touches what others touch
 * without an order races in both. What a fetch in vain has heard is left out: who has not heard finds no less. A load in the loop that has found it so is the wait; and one
 * that has not is done again, in both.
 *
 * Laws
 * 1. A loop that stays one is as it was.
 * 2. What is found, something or nothing, is the same in both forms.
 *
 * Names: CUTLASS 2's `Semaphore`.
 */
import { doingOf } from '../../numerics/scalar/index.js'
import { holds } from '../log/comparison.js'
import { placed, type Anew, type Rewriting } from './anew.js'
import { readBeforeWritten, successorsOf } from './live.js'
import { ofPredicate, type Guard, type Instruction, type Operation, type Place, type Row } from './program.js'
import { comparing, comparisonOf, isIdle, isJumpedTo, opposed, type Known } from './spins.js'
import { usesOf } from './uses.js'

// ---------------------------------------------------------------- model

interface Gathered {
  readonly barrier: number
  readonly load: number
  /** the threads that ask; null: all */
  readonly asks: Guard | null
  readonly until: Known
  readonly inside: ReadonlySet<number>
  readonly fetches: ReadonlyArray<number>
}
type Code = ReadonlyArray<Instruction>

// ---------------------------------------------------------------- what the barrier's answer comes to

/** What is known of places if the answer is this: words, and predicates as 0 and 1. */
const after = (
  body: Code,
  answer: Place,
  value: boolean,
  constants: ReadonlyMap<Row, number>,
): ReadonlyMap<Place, number> => {
  const known = new Map<Place, number>([[answer, value ? 1 : 0]])
  const of = (place: Place): number | undefined => known.get(place) ?? constants.get(place)
  for (const { operation: o, guard } of body) {
    const made = guard === null ? madeBy(o, of) : []
    for (const w of usesOf(o).writes) known.delete(w)
    for (const [place, word] of made) known.set(place, word)
  }
  return known
}
const madeBy = (
  o: Operation,
  of: (place: Place) => number | undefined,
): ReadonlyArray<readonly [Place, number]> => {
  if (o._tag === 'move' && o.to.length === 1) {
    const word = of(o.from[0]!)
    return word === undefined ? [] : [[o.to[0]!, word]]
  }
  if (o._tag === 'predicate' && o.from.length === 1 && (o.op === 'mov' || o.op === 'not')) {
    const [g] = o.from
    const bit = of(ofPredicate(g!.predicate))
    return bit === undefined
      ? []
      : [[ofPredicate(o.to), ((bit === 1) !== g!.negated) === (o.op === 'mov') ? 1 : 0]]
  }
  if (o._tag !== 'scalar') return []
  const [a, b, c] = o.from
  const [to, other] = o.to
  if (a === undefined || b === undefined || to === null || to === undefined) return []
  if (doingOf(o.name)._tag === 'chooses' && c !== undefined && o.to.length === 1 && o.from.length === 3) {
    const by = of(c)
    const word = by === undefined ? undefined : of(by === 1 ? a : b)
    return word === undefined ? [] : [[to, word]]
  }
  const comparison = comparisonOf(o.name)
  const [x, y] = [of(a), of(b)]
  if (comparison === null || x === undefined || y === undefined) return []
  const says = holds(comparison, x, y)
  return [[to, says ? 1 : 0], ...(other == null ? [] : [[other, says ? 0 : 1] as const])]
}

/** Where the loop goes on behind its barrier, where it is left, and what is behind it and known then. */
const turnedBy = (
  code: Code,
  barrier: number,
  constants: ReadonlyMap<Row, number>,
): {
  readonly onward: number
  readonly out: number
  readonly branch: number
  readonly settled: ReadonlySet<Place>
} | null => {
  const { operation: o } = code[barrier]!
  if (o._tag !== 'barReduce' || o.toPredicate === null) return null
  let end = barrier + 1
  while (end < code.length && isIdle(code[end]!.operation) && !isJumpedTo(code, end)) end++
  const last = code[end]
  if (last?.operation._tag !== 'branch' || last.guard === null || isJumpedTo(code, end)) return null
  const body = code.slice(barrier + 1, end)
  const answer = ofPredicate(o.toPredicate)
  const { predicate, negated } = last.guard
  const isTaken = (value: boolean): boolean | null => {
    const bit = after(body, answer, value, constants).get(ofPredicate(predicate))
    return bit === undefined ? null : (bit === 1) !== negated
  }
  const [yes, no] = [isTaken(true), isTaken(false)]
  if (yes === null || no === null || yes === no) return null
  const [taken, fallen] = [last.operation.target, end + 1]
  return {
    onward: yes ? taken : fallen,
    out: yes ? fallen : taken,
    branch: end,
    settled: new Set(after(body, answer, false, constants).keys()),
  }
}

// ---------------------------------------------------------------- a turn

interface Way {
  /** what is done on it, in its order */
  readonly done: ReadonlyArray<number>
  /** the branch that it ends at; null: it has come to the barrier */
  readonly at: number | null
}

/** What is done from an index on, up to the barrier or a branch that some take; null: something else. */
const wayFrom = (code: Code, from: number, barrier: number): Way | null => {
  const done: number[] = []
  for (let k = from, n = 0; n < 96; n++) {
    if (k === barrier) return { done, at: null }
    const one = code[k]
    if (one === undefined) return null
    const { operation: o, guard } = one
    if (o._tag === 'branch') {
      if (guard !== null) return { done, at: k }
      done.push(k)
      k = o.target
      continue
    }
    if (o._tag !== 'load' && !isIdle(o)) return null
    done.push(k)
    k++
  }
  return null
}

const isLoad = (code: Code, k: number): boolean => code[k]!.operation._tag === 'load'

/** Who asks, the load, and all that they do from it on up to the barrier; and all instructions of a turn. */
const turnOf = (
  code: Code,
  from: number,
  barrier: number,
): {
  readonly load: number
  readonly asks: Guard | null
  readonly behind: ReadonlyArray<number>
  /** on the way to it */
  readonly before: ReadonlyArray<number>
  readonly all: ReadonlyArray<number>
} | null => {
  const first = wayFrom(code, from, barrier)
  if (first === null) return null
  const asking = (
    before: ReadonlyArray<number>,
    done: ReadonlyArray<number>,
    asks: Guard | null,
    all: ReadonlyArray<number>,
  ): ReturnType<typeof turnOf> => {
    const at = done.findIndex((k) => isLoad(code, k))
    if (at < 0 || done.slice(at + 1).some((k) => isLoad(code, k))) return null
    const load = done[at]!
    const { guard } = code[load]!
    if (asks !== null && guard !== null) return null
    return {
      load,
      asks: asks ?? guard,
      behind: done.slice(at + 1),
      before: [...before, ...done.slice(0, at)],
      all,
    }
  }
  if (first.at === null) return asking([], first.done, null, first.done)
  const { guard, operation: o } = code[first.at]!
  if (guard === null || o._tag !== 'branch' || first.done.some((k) => isLoad(code, k))) return null
  const [taken, fallen] = [wayFrom(code, o.target, barrier), wayFrom(code, first.at + 1, barrier)]
  if (taken === null || fallen === null || taken.at !== null || fallen.at !== null) return null
  const all = [...first.done, first.at, ...taken.done, ...fallen.done]
  const [one, other] = [taken, fallen].map(({ done }) => done.some((k) => isLoad(code, k)))
  if (one === other) return null
  const by = one === true ? guard : { predicate: guard.predicate, negated: !guard.negated }
  return asking([...first.done, first.at], one === true ? taken.done : fallen.done, by, all)
}

/** A strong load of one word, unless it waits already. */
const asked = ({ operation: o }: Instruction): { readonly word: Row; readonly name: string } | null => {
  if (o._tag !== 'load' || o.ordering === 'weak' || o.from.space === 'local' || o.until !== undefined)
    return null
  const word = o.to[0]?.[0]
  if (word === undefined || o.width.bytes !== 4 || o.width.count !== 1) return null
  return { word, name: [o.from.space, o.from.rows.join('+'), o.from.offset, o.ordering, o.scope].join(' ') }
}

/** Is a row the same for all threads of a CTA? What it is made of is written once each, and by all. */
const isOfCta = (
  code: Code,
  given: ReadonlySet<Row>,
  row: Place,
  behind: ReadonlyArray<Place> = [],
): boolean => {
  if (given.has(row)) return true
  const by = code.filter(({ operation }) => usesOf(operation).writes.includes(row))
  const [one] = by
  if (one === undefined || by.length > 1 || one.guard !== null || behind.includes(row)) return false
  const { operation: o } = one
  const isSame = o._tag === 'load' ? o.from.space === 'param' : isAlone(o)
  return isSame && usesOf(o).reads.every((r) => isOfCta(code, given, r, [...behind, row]))
}
const isAlone = (o: Operation): boolean =>
  ['scalar', 'move', 'part', 'pack', 'predicate', 'setPredicate'].includes(o._tag)

/** Is it done by threads that ask, and by them alone? */
const isByThem = (code: Code, k: number, asks: Guard | null): boolean => {
  if (asks === null) return true
  const { predicate, negated } = asks
  const { guard } = code[k]!
  if (guard !== null) return guard.predicate === predicate && guard.negated === negated
  for (let at = k; at > 0 && !isJumpedTo(code, at); at--) {
    const { operation: o, guard: by } = code[at - 1]!
    if (o._tag === 'branch')
      return by !== null && by.predicate === predicate && by.negated !== negated && o.target > k
    if (!isIdle(o) || usesOf(o).writes.includes(ofPredicate(predicate))) return false
  }
  return false
}

/** Waits for other threads of the CTA, and for what the thread has begun itself. */
const ofCta: ReadonlyArray<Operation['_tag']> = ['bar', 'barReduce', 'waitAsync', 'waitBulk']

/** May what a CTA does next depend on what another one has done? */
const hears = (o: Operation): boolean =>
  o._tag === 'load'
    ? o.ordering !== 'weak' && o.from.space !== 'local'
    : o._tag === 'atomic'
      ? o.to !== null
      : usesOf(o).waits && !ofCta.includes(o._tag)

// ---------------------------------------------------------------- found

const gatheredAt = (
  code: Code,
  barrier: number,
  constants: ReadonlyMap<Row, number>,
  same: ReadonlySet<Row>,
): Gathered | null => {
  const { operation: o, guard } = code[barrier]!
  if (o._tag !== 'barReduce' || guard !== null || o.op === 'popc' || o.to !== null) return null
  const turned = turnedBy(code, barrier, constants)
  const turn = turned === null ? null : turnOf(code, turned.onward, barrier)
  if (turned === null || turn === null) return null
  const loaded = asked(code[turn.load]!)
  const load = code[turn.load]!.operation
  if (loaded === null || load._tag !== 'load') return null
  const { word, name } = loaded
  const inside = new Set([...turn.all, barrier])
  for (let k = barrier; k <= turned.branch; k++) inside.add(k)
  const written = new Set([...inside].flatMap((k) => usesOf(code[k]!.operation).writes))
  const who = turn.asks === null ? [] : [ofPredicate(turn.asks.predicate)]
  const fixed = [...load.from.rows, ...who, o.id, ...(o.count === null ? [] : [o.count])]
  if (fixed.some((place) => written.has(place))) return null
  // the word, and all that is made of it, up to what the barrier is told
  const body = [turn.load, ...turn.behind].map((k) => code[k]!)
  const said = comparing(body, word, constants).get(ofPredicate(o.by.predicate))
  if (said === undefined || written.has(said.value)) return null
  const goesOn = o.by.negated ? opposed(said) : said
  // who comes in passes by the comparison, and not by a part of it; and asks no more before the others have been heard, of whom one may have said no
  const reading = turn.behind.findIndex((k) => usesOf(code[k]!.operation).reads.includes(word))
  const entries = new Set([
    ...(o.op === 'or' ? [...turn.before, turn.load] : []),
    ...turn.behind.slice(0, reading + 1),
  ])
  const isEntered = (k: number): boolean => inside.has(k) && !entries.has(k)
  if (reading < 0 || isEntered(0)) return null
  if (code.some((one, k) => !inside.has(k) && successorsOf(one, k).some(isEntered))) return null
  const isSeen = (place: Place): boolean =>
    !turned.settled.has(place) && readBeforeWritten(code, turned.out, place)
  const isRead = code.some(({ operation }, k) => !inside.has(k) && usesOf(operation).reads.includes(word))
  if (isRead || [...written].some(isSeen)) return null
  if (o.op === 'and' && ![...load.from.rows, said.value].every((row) => isOfCta(code, same, row))) return null
  const fetches = code.flatMap((one, k) =>
    !inside.has(k) && asked(one)?.word === word && asked(one)?.name === name && isByThem(code, k, turn.asks)
      ? [k]
      : [],
  )
  const ours = new Set([turn.load, ...fetches])
  if (fetches.length > 0 && code.some(({ operation }, k) => !ours.has(k) && hears(operation))) return null
  return { barrier, load: turn.load, asks: turn.asks, until: opposed(goesOn), inside, fetches }
}

// ---------------------------------------------------------------- written anew

/** What is loaded is dropped. */
const nowhere: ReadonlyArray<null> = [null]

const setting = ({ site, guard }: Instruction, predicate: number, value: boolean): Instruction => ({
  site,
  guard,
  operation: { _tag: 'setPredicate', to: predicate, value },
})

/** The code, in which such loads wait. `same`: rows that are given, and the same for all threads of a CTA. */
export const withGathered = (p: Rewriting, same: ReadonlySet<Row>): Anew => {
  const { code, constants } = p
  const known = new Set([...same, ...constants.keys()])
  const isOpaque = code.some(({ operation: o }) => o._tag === 'call' || o._tag === 'return')
  const all = isOpaque ? [] : code.flatMap((_, k) => gatheredAt(code, k, constants, known) ?? [])
  const apart = all.filter((g) => all.every((o) => o === g || ![...o.inside].some((k) => g.inside.has(k))))
  if (apart.length === 0) return { code, moved: (k) => k }
  const before = code.map((): Instruction[] => [])
  const behind = code.map((): Instruction[] => [])
  const now = code.slice()
  for (const { barrier, load, asks, until, inside, fetches } of apart) {
    const [fetched, done, more, told] = [
      p.newPredicate(),
      p.newPredicate(),
      p.newPredicate(),
      p.newPredicate(),
    ]
    for (const one of [fetched, done])
      before[0]!.push({
        site: code[0]!.site,
        guard: null,
        operation: { _tag: 'setPredicate', to: one, value: false },
      })
    const { operation: l } = code[load]!
    const { operation: r } = code[barrier]!
    if (l._tag !== 'load' || r._tag !== 'barReduce') continue
    const word = l.to[0]![0]!
    const dropped = (k: number): void => {
      const { site, guard } = code[k]!
      behind[k]!.push({ site, guard, operation: { _tag: 'move', to: [word], from: [p.zero] } })
    }
    for (const k of fetches) {
      const { site, guard, operation } = code[k]!
      now[k] = {
        site,
        guard,
        operation: Object.assign({}, operation, { ordering: 'relaxed' as const, to: nowhere }),
      }
      dropped(k)
      behind[k]!.push(setting(code[k]!, fetched, true))
    }
    const { site, guard } = code[load]!
    const { comparison, value } = until
    now[load] = {
      site,
      guard,
      operation: Object.assign({}, l, { to: nowhere, until: { comparison, value, unheeded: true as const } }),
    }
    dropped(load)
    behind[load]!.push(setting(code[load]!, fetched, false), setting(code[load]!, done, true))
    const places = new Set([word, ...l.from.rows, ...(asks === null ? [] : [ofPredicate(asks.predicate)])])
    code.forEach((one, k) => {
      if (inside.has(k) || fetches.includes(k) || !usesOf(one.operation).writes.some((w) => places.has(w)))
        return
      behind[k]!.push(setting(one, fetched, false))
    })
    const at = code[barrier]!
    const put = (operation: Operation): void => {
      before[barrier]!.push({ site: at.site, guard: null, operation })
    }
    const isSo = (predicate: number, negated = false): Guard => ({ predicate, negated })
    put({ _tag: 'predicate', op: 'or', to: more, from: [r.by, isSo(fetched)] })
    put({ _tag: 'predicate', op: 'and', to: told, from: [isSo(more), isSo(done, true)] })
    now[barrier] = { site: at.site, guard: null, operation: Object.assign({}, r, { by: isSo(told) }) }
    behind[barrier]!.push(setting(at, done, false))
  }
  return placed(before, now, behind)
}
