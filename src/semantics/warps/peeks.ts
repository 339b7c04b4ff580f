/**
 * Peeks: tests of an mbarrier that do no more than spare a later wait (`language/peeks.ts` says why such a test is no matter of timing).
 *
 *          mbarrier.try_wait %p1, [full], %r1          the peek; its flag is kept, and may be carried by a loop
 *          selp.b32 %r2, 1, 0, %p1
 *          ...
 *          setp.ne.s32 %p2, %r2, 0
 *          @%p2 bra over                               where it was true
 *     again: mbarrier.try_wait %p3, [full], %r1        a wait, which it spares
 *          @!%p3 bra again
 *     over:
 *
 * | the flag may                                                                | else                  |
 * |-----------------------------------------------------------------------------|-----------------------|
 * | be moved, turned into a word and back, negated                              | it is no peek         |
 * | spare with the wait other tests of the same that stand before it, whose answers lead to the same place | it is no peek |
 * | be read for what nothing reads                                             | -                     |
 * | be set to what is no flag: true spares the wait then, false does not        | -                     |
 * | decide one thing: the branch around a wait, which is made where it is false | it is no peek         |
 * | spare with the wait what is computed around it, if nothing else reads that, and the same wait made again | it is no peek |
 * | decide nothing at all (`timing.ts`): a peek that spares no wait             | -                     |
 *
 * A test whose answer is heard by nothing must not be one that has heard: true, it would know what the barrier knows, in this run and not in another. As a peek it
 * is judged as if it were false.
 *
 * The program is written anew so that the wait is always made, and says by which peek it is spared: beside each place that holds a flag stands a row with the number of
 * the event that made it, 0 if it is no flag; it is moved as the flag is. Where the row is not 0 the branch goes to the wait, whatever the flag.
 *
 * Laws
 * 1. Lanes compute what they did before, and waits that are made are the same.
 * 2. A test that becomes no peek is as it was.
 *
 * Names: CUTLASS's `consumer_try_wait`, with its token.
 */
import { doingOf, type Doing } from '../../numerics/scalar/index.js'
import { placed, type Anew, type Rewriting } from './anew.js'
import {
  ofPredicate,
  type Guard,
  type Instruction,
  type Operation,
  type Place,
  type Predicate,
  type Row,
  type Silent,
} from './program.js'
import { decidingIn } from './timing.js'
import { readBeforeWritten } from './live.js'
import { isComputing, usesOf } from './uses.js'

// ---------------------------------------------------------------- model

/** What a place says of the test: as it is, or the opposite. */
type Sense = 'same' | 'opposite'
const flipped = (s: Sense): Sense => (s === 'same' ? 'opposite' : 'same')

/** A branch around a wait; `taken`: it is taken where the wait is spared. */
interface Around {
  readonly branch: number
  readonly wait: number
  readonly taken: boolean
}
interface Class {
  readonly tests: ReadonlyArray<number>
  readonly flags: ReadonlyMap<Place, Sense>
  readonly around: ReadonlyArray<Around>
}

// ---------------------------------------------------------------- flags

/** Types of whole numbers, and of bits that are compared as such. */
const wholeTypes: ReadonlySet<string> = new Set(['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'])
const isNumber = (type: string): boolean => wholeTypes.has(type)
const isWhole = (type: string): boolean => isNumber(type) || ['b16', 'b32', 'b64'].includes(type)

const isTest = (o: Operation): boolean => o._tag === 'mbarrierWait' && !o.blocks && o.passed !== null

/** Sense of what a scalar operation with the first operand `a` writes, of a flag of this sense at `from`. */
const ofScalar = (
  o: Extract<Operation, { readonly _tag: 'scalar' }>,
  does: Doing,
  a: Place,
  from: Place,
  sense: Sense,
  word: (row: Place) => number | undefined,
): Sense | null => {
  const [, b, c] = o.from
  switch (does._tag) {
    case 'chooses': {
      if (c !== from || b === undefined) return null
      const [yes, no] = [word(a), word(b)]
      if (yes === undefined || no === undefined || (yes === 0) === (no === 0)) return null
      // what is narrowed may keep the lowest byte alone
      if (((yes | no) & 0xff) === 0) return null
      return yes !== 0 ? sense : flipped(sense)
    }
    case 'compares': {
      const isOfZero = a === from && b !== undefined && word(b) === 0
      if (!isOfZero || !does.plain || !isWhole(does.type) || !(does.by === 'ne' || does.by === 'eq'))
        return null
      return o.to[1] !== null && o.to[1] !== undefined ? null : does.by === 'ne' ? sense : flipped(sense)
    }
    case 'converts': {
      const isOfNumbers = does.modifiers.length === 0 && isNumber(does.to) && isNumber(does.from)
      return a === from && isOfNumbers ? sense : null
    }
    case 'computes':
      return null
  }
}

/** Sense of what a carrier writes, of a flag of this sense at `from`; null if it is none. */
const carried = (p: Rewriting, o: Silent, from: Place, sense: Sense): Sense | null => {
  const word = (row: Place): number | undefined => p.constants.get(row)
  switch (o._tag) {
    case 'move':
      return sense
    case 'part':
      return o.at === 0 ? sense : null
    case 'predicate': {
      const [g] = o.from
      if (g === undefined || o.from.length !== 1) return null
      const plain = g.negated ? flipped(sense) : sense
      return o.op === 'mov' ? plain : o.op === 'not' ? flipped(plain) : null
    }
    case 'scalar': {
      const [a] = o.from
      if (a === undefined) return null
      return ofScalar(o, doingOf(o.name), a, from, sense, word)
    }
    case 'pack':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'transposeMatrix':
    case 'multiply':
    case 'wholeWarp':
    case 'shuffle':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes':
      return null
  }
}

/** A wait, and what is computed on the way to it. On it may stand other tests of the same, each with a branch by its answer: where those lead that say yes. */
interface Way {
  readonly wait: number
  readonly writes: ReadonlyArray<Place>
  readonly spared: ReadonlyArray<number>
}

type WaitOperation = Extract<Operation, { readonly _tag: 'mbarrierWait' }>
/** The barrier and the phase that it asks for, by rows. */
const askedBy = (o: WaitOperation): string => JSON.stringify([o.at, o.parity, o.state, o.acquire, o.scope])

/** Behind an index, over what does nothing but compute, and over tests of the same that say no: the wait that stands there. */
const waitBehind = (p: Rewriting, from: number): Way | null => {
  const { code } = p
  const writes: Place[] = []
  const spared: number[] = []
  const answers = new Map<Place, Sense>()
  // what is asked first, and how much was written before
  let first: { readonly asks: string; readonly written: number } | null = null
  let at = from
  for (let steps = 0; steps < 24; steps++) {
    const here = code[at]
    if (here === undefined) return null
    const { operation: o, guard } = here
    if (o._tag === 'mbarrierWait') {
      if (guard !== null) return null
      first ??= { asks: askedBy(o), written: writes.length }
      if (first.asks !== askedBy(o) || usesOf(o).reads.some((r) => writes.includes(r, first?.written)))
        return null
      if (o.blocks) return { wait: at, writes, spared }
      for (const w of usesOf(o).writes) writes.push(w)
      if (o.passed !== null) answers.set(ofPredicate(o.passed), 'same')
      at++
    } else if (o._tag === 'branch' && guard !== null) {
      const answer = answers.get(ofPredicate(guard.predicate))
      if (answer === undefined) return null
      const taken = (answer === 'same') !== guard.negated
      spared.push(taken ? o.target : at + 1)
      at = taken ? at + 1 : o.target
    } else if (o._tag === 'branch') at = o.target
    else if (isComputing(o) || o._tag === 'nothing') {
      const { reads, writes: made } = usesOf(o)
      const [by, ...others] = reads.filter((r) => answers.has(r))
      const sense =
        by === undefined || others.length > 0 || guard !== null || o._tag === 'nothing'
          ? null
          : carried(p, o, by, answers.get(by)!)
      for (const w of made) {
        writes.push(w)
        if (sense === null) answers.delete(w)
        else answers.set(w, sense)
      }
      at++
    } else return null
  }
  return null
}

/** Where control comes to from an index by jumps alone. */
const jumpsFrom = (code: ReadonlyArray<Instruction>, from: number): ReadonlySet<number> => {
  const out = new Set<number>()
  let at = from
  while (!out.has(at)) {
    out.add(at)
    const here = code[at]
    if (here?.operation._tag === 'branch' && here.guard === null) at = here.operation.target
  }
  return out
}

/** Do they ask one barrier for one phase, by the same rows? */
const asksAlike = (a: Instruction, b: Instruction): boolean =>
  a.operation._tag === 'mbarrierWait' &&
  b.operation._tag === 'mbarrierWait' &&
  a.operation.blocks &&
  b.operation.blocks &&
  a.guard === null &&
  b.guard === null &&
  askedBy(a.operation) === askedBy(b.operation)

/** What a wait, and all that stands from it to where it is spared, writes; null: something is done there that is seen by others, or it leads elsewhere. */
const writtenOn = (
  code: ReadonlyArray<Instruction>,
  wait: number,
  over: number,
): ReadonlyArray<Place> | null => {
  const ends = jumpsFrom(code, over)
  const writes = [...usesOf(code[wait]!.operation).writes]
  let again = false
  const seen = new Set<number>([wait])
  const stack = [wait + 1]
  while (stack.length > 0) {
    const k = stack.pop()!
    if (ends.has(k) || seen.has(k)) continue
    seen.add(k)
    const here = code[k]
    if (here === undefined || seen.size > 96) return null
    const { operation: o, guard } = here
    // an exit of a spin to what traps is never taken
    const isTrap = o._tag === 'trap'
    if (asksAlike(code[wait]!, here)) again = true
    else if (!isComputing(o) && !isTrap && o._tag !== 'nothing' && o._tag !== 'branch') return null
    for (const w of usesOf(o).writes) writes.push(w)
    if (o._tag === 'branch') stack.push(o.target)
    if (guard !== null || (o._tag !== 'branch' && !isTrap)) stack.push(k + 1)
  }
  // made again, it asks for what has come, as long as nothing changes what it asks by
  const asks = usesOf(code[wait]!.operation).reads
  return again && asks.some((r) => writes.includes(r)) ? null : writes
}

/** The branch around a wait that a flag decides; null if it decides something else, or the other way round. */
const aroundOf = (p: Rewriting, branch: number, guard: Guard, sense: Sense): Around | null => {
  const { code } = p
  const { operation: o } = code[branch]!
  if (o._tag !== 'branch') return null
  // taken where the test was true?
  const taken = (sense === 'same') !== guard.negated
  const way = waitBehind(p, taken ? branch + 1 : o.target)
  const over = taken ? o.target : branch + 1
  if (way === null || waitBehind(p, over)?.wait === way.wait) return null
  const ends = jumpsFrom(code, over)
  if (way.spared.some((s) => ![...jumpsFrom(code, s)].some((k) => ends.has(k)))) return null
  // a wait that is spared is gone through, so what is computed on its way must be heard by nothing there
  const behind = writtenOn(code, way.wait, over)
  return behind === null || [...way.writes, ...behind].some((w) => readBeforeWritten(code, over, w))
    ? null
    : { branch, wait: way.wait, taken }
}

/** All that follows from tests whose flags meet; null if something is made of a flag that may not be. */
const classOf = (p: Rewriting, tests: ReadonlyArray<number>): Class | null => {
  const flags = new Map<Place, Sense>()
  for (const t of tests) {
    const o = p.code[t]!.operation
    if (o._tag !== 'mbarrierWait' || o.passed === null) return null
    flags.set(ofPredicate(o.passed), 'same')
  }
  for (let grew = true; grew;) {
    grew = false
    for (const [k, { operation: o }] of p.code.entries()) {
      if (!isComputing(o)) continue
      const { reads, writes } = usesOf(o)
      const from = reads.filter((r) => flags.has(r))
      if (from.length === 0 || writes.every((w) => !readBeforeWritten(p.code, k + 1, w))) continue
      const sense = from.length === 1 ? carried(p, o, from[0]!, flags.get(from[0]!)!) : null
      if (sense === null || (o._tag === 'move' && o.from.length !== 1)) return null
      for (const w of writes) {
        if (flags.get(w) === flipped(sense)) return null
        if (flags.has(w)) continue
        flags.set(w, sense)
        grew = true
      }
    }
  }
  const around: Around[] = []
  for (const [k, { operation: o, guard }] of p.code.entries()) {
    const guarded = guard === null ? undefined : flags.get(ofPredicate(guard.predicate))
    if (!isComputing(o) && usesOf(o).reads.some((r) => flags.has(r))) return null
    if (guard === null || guarded === undefined) continue
    const found = aroundOf(p, k, guard, guarded)
    if (found === null) return null
    around.push(found)
  }
  return around.length === 0 ? null : { tests, flags, around }
}

const classesOf = (p: Rewriting): ReadonlyArray<Class> => {
  const all = p.code.flatMap(({ operation }, k) => (isTest(operation) ? [k] : []))
  // tests whose flags meet in one place are peeks together or not at all
  const closure = (t: number): ReadonlySet<Place> => {
    const places = new Set<Place>(usesOf(p.code[t]!.operation).writes)
    for (let grew = true; grew;) {
      grew = false
      for (const { operation: o } of p.code) {
        if (!isComputing(o)) continue
        const { reads, writes } = usesOf(o)
        if (!reads.some((r) => places.has(r))) continue
        for (const w of writes)
          if (!places.has(w)) {
            places.add(w)
            grew = true
          }
      }
    }
    return places
  }
  const groups: { readonly tests: number[]; readonly places: Set<Place> }[] = []
  for (const t of all) {
    const places = closure(t)
    const met = groups.filter((g) => [...places].some((x) => g.places.has(x)))
    const [first] = met
    if (first === undefined) {
      groups.push({ tests: [t], places: new Set(places) })
      continue
    }
    for (const g of met.slice(1)) {
      for (const x of g.places) first.places.add(x)
      for (const x of g.tests) first.tests.push(x)
      groups.splice(groups.indexOf(g), 1)
    }
    for (const x of places) first.places.add(x)
    first.tests.push(t)
  }
  return groups.flatMap(({ tests }) => classOf(p, tests) ?? [])
}

/** Tests whose answers decide nothing. */
const unheardOf = (code: ReadonlyArray<Instruction>): ReadonlyArray<number> => {
  const tests = code.flatMap(({ operation: o }, k) =>
    o._tag === 'mbarrierWait' && !o.blocks ? [{ k, writes: usesOf(o).writes }] : [],
  )
  if (tests.length === 0) return []
  const places = decidingIn(code)
  return tests.flatMap(({ k, writes }) => (writes.some((w) => places.has(w)) ? [] : [k]))
}

// ---------------------------------------------------------------- written anew

/** What a wait is spared by, where its peek stands. */
interface Sparing {
  readonly ready: Predicate
  readonly tag: Row
}

/** The code with its peeks, and with their waits always made. */
export const withPeeks = (p: Rewriting): Anew => {
  const classes = classesOf(p)
  const unheard = unheardOf(p.code)
  if (classes.length === 0 && unheard.length === 0) return { code: p.code, moved: (k) => k }
  const before = p.code.map((): Instruction[] => [])
  const behind = p.code.map((): Instruction[] => [])
  const now = p.code.slice()
  const put = (into: Instruction[], at: number, guard: Guard | null, operation: Operation): void => {
    into.push({ site: p.code[at]!.site, guard, operation })
  }
  const move = (into: Instruction[], at: number, guard: Guard | null, to: Row, from: Row): void => {
    put(into, at, guard, { _tag: 'move', to: [to], from: [from] })
  }
  const waits = new Map<number, Sparing>()
  const sparingOf = (wait: number): Sparing => {
    const known = waits.get(wait)
    if (known !== undefined) return known
    const made: Sparing = { ready: p.newPredicate(), tag: p.newRow() }
    waits.set(wait, made)
    const { site, guard, operation: o } = p.code[wait]!
    if (o._tag === 'mbarrierWait') now[wait] = { site, guard, operation: Object.assign({ spared: made }, o) }
    move(behind[wait]!, wait, null, made.tag, p.zero)
    move(before[0]!, 0, null, made.tag, p.zero)
    put(before[0]!, 0, null, { _tag: 'setPredicate', to: made.ready, value: false })
    return made
  }
  for (const k of unheard) {
    const { site, guard, operation: o } = p.code[k]!
    if (o._tag === 'mbarrierWait')
      now[k] = { site, guard, operation: Object.assign({ makes: p.newRow() }, o) }
  }
  for (const { tests, flags, around } of classes) {
    const tags = new Map([...flags.keys()].map((place) => [place, p.newRow()] as const))
    for (const t of tests) {
      const { site, guard, operation: o } = p.code[t]!
      if (o._tag === 'mbarrierWait' && o.passed !== null)
        now[t] = {
          site,
          guard,
          operation: Object.assign({ makes: tags.get(ofPredicate(o.passed))! }, o),
        }
    }
    for (const [k, { guard, operation: o }] of p.code.entries()) {
      if (tests.includes(k)) continue
      const { reads, writes } = usesOf(o)
      for (const w of writes) {
        const tag = tags.get(w)
        if (tag === undefined) continue
        const from = isComputing(o) ? reads.find((r) => flags.has(r)) : undefined
        move(behind[k]!, k, guard, tag, from === undefined ? p.zero : tags.get(from)!)
      }
    }
    for (const { branch, wait, taken } of around) {
      const { ready, tag } = sparingOf(wait)
      const guard = p.code[branch]!.guard!
      const made = p.newPredicate()
      const goes = p.newPredicate()
      const into = before[branch]!
      const spares: Guard = { predicate: guard.predicate, negated: taken ? guard.negated : !guard.negated }
      put(into, branch, null, { _tag: 'predicate', op: 'mov', to: ready, from: [spares] })
      move(into, branch, null, tag, tags.get(ofPredicate(guard.predicate))!)
      put(into, branch, null, {
        _tag: 'scalar',
        name: 'setp.ne.u32',
        to: [ofPredicate(made), null],
        from: [tag, p.zero],
      })
      put(into, branch, null, {
        _tag: 'predicate',
        op: taken ? 'and' : 'or',
        to: goes,
        from: [guard, { predicate: made, negated: taken }],
      })
      now[branch] = {
        site: p.code[branch]!.site,
        guard: { predicate: goes, negated: false },
        operation: p.code[branch]!.operation,
      }
    }
  }
  return placed(before, now, behind)
}
