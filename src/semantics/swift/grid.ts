/**
 * The CTAs of a grid, one after the other, and their warps: in the order of the eager policy, the first that can go on does.
 *
 * Lanes part and meet as in `warps/walk.ts`, by frames; a barrier of the CTA counts as in `instructions/rendezvous.ts`. A warp that has asked memory again and again lets others go first, and its CTA
 * those behind it: a grid whose CTAs wait for one another comes to its end.
 *
 * Law 1. `fails` is said of a grid in which a lane faults, lanes do not come together, or no lane goes on.
 */
import { countOf } from '../log/lane-mask.js'
import { sourceLane } from '../warps/lanes.js'
import { givenWord, isOfThreads, numbersOf } from '../warps/front.js'
import { localWindowOf, type LinkedInstruction, type WarpLaunch } from '../warps/launched.js'
import { endsAt } from '../warps/meeting.js'
import type { Guard, Operation, Row } from '../warps/program.js'
import { isPlain } from './program.js'
import { clocksIn, ticking } from './clocks.js'
import { doubtsOf, settled } from './nothing.js'
import { printed, type Printed } from './printing.js'
import { reduced } from './exchanges.js'
import { computing, lanesOf, moving, registers, type Does, type Registers } from './lanes.js'
import {
  copying,
  flat,
  joiningAtomically,
  loading,
  localStride,
  ofNothing,
  storing,
  type Acts,
  type Block,
  type Local,
  type Memories,
} from './memory.js'

type Of<K extends Operation['_tag']> = Extract<Operation, { readonly _tag: K }>

// ---------------------------------------------------------------- code

/** An instruction as it is executed. */
type Step =
  | { readonly _tag: 'computes'; readonly guard: Guard | null; readonly does: Does }
  /** `asks`: it may ask again and again what another has still to write */
  | { readonly _tag: 'acts'; readonly guard: Guard | null; readonly acts: Acts; readonly asks: boolean }
  | { readonly _tag: 'nothing'; readonly guard: Guard | null }
  | {
      readonly _tag: 'controls'
      readonly guard: Guard | null
      readonly operation: Of<'branch' | 'branchIndexed' | 'call' | 'return' | 'exit'>
    }
  | { readonly _tag: 'prints'; readonly guard: Guard | null; readonly operation: Of<'print'> }
  | { readonly _tag: 'traps'; readonly guard: Guard | null }
  | {
      readonly _tag: 'together'
      readonly guard: Guard | null
      readonly operation: Of<'shuffle' | 'vote' | 'match' | 'reduce' | 'elect' | 'meetLanes'>
    }
  | { readonly _tag: 'meets'; readonly guard: Guard | null; readonly operation: Of<'bar' | 'barReduce'> }

const truth = (r: Registers, g: Guard): number =>
  g.negated ? ~r.predicates[g.predicate]! : r.predicates[g.predicate]!

const setPredicate = ({ predicates }: Registers, to: number, mask: number, holds: number): void => {
  predicates[to] = (predicates[to]! & ~mask) | (holds & mask)
}

const ofPredicates =
  ({ op, to, from }: Of<'predicate'>): Does =>
  (r, { mask }) => {
    const a = truth(r, from[0]!)
    const b = from.length > 1 ? truth(r, from[1]!) : 0
    setPredicate(
      r,
      to,
      mask,
      op === 'and' ? a & b : op === 'or' ? a | b : op === 'xor' ? a ^ b : op === 'not' ? ~a : a,
    )
  }

const parting = ({ to, from, at, bits }: Of<'part'>): Does => {
  const ones = bits === 8 ? 0xff : 0xffff
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      words[to * 32 + l] = (words[from * 32 + l]! >>> at) & ones
    }
  }
}

const packing = ({ to, from, bits }: Of<'pack'>): Does => {
  const ones = bits === 8 ? 0xff : 0xffff
  return ({ words }, { list }) => {
    for (let i = 0; i < list.length; i++) {
      const l = list[i]!
      let word = 0
      for (let k = 0; k < from.length; k++) word |= (words[from[k]! * 32 + l]! & ones) << (k * bits)
      words[to * 32 + l] = word
    }
  }
}

const giveAll = ({ words }: Registers, to: Row, list: Uint8Array, word: number): void => {
  for (let i = 0; i < list.length; i++) words[to * 32 + list[i]!] = word
}

/** Null: it is not executed here. */
const stepOf = (
  launch: WarpLaunch,
  m: Memories,
  { instruction }: LinkedInstruction,
  clocks: ReadonlyMap<Row, boolean>,
  tick: (r: Registers) => void,
): Step | null => {
  const { operation: o, guard, site } = instruction
  if (!isPlain(o)) return null
  const computes = (does: Does | null): Step | null =>
    does === null ? null : { _tag: 'computes', guard, does }
  const acts = (does: Acts | null, asks: boolean): Step | null =>
    does === null ? null : { _tag: 'acts', guard, acts: does, asks }
  switch (o._tag) {
    case 'scalar':
      return computes(computing(o.name, o.from, o.to))
    case 'move': {
      const move = moving(o.to, o.from)
      if (!o.from.some((row) => clocks.has(row))) return computes(move)
      return computes((r, lanes) => {
        tick(r)
        move(r, lanes)
      })
    }
    case 'part':
      return computes(parting(o))
    case 'pack':
      return computes(packing(o))
    case 'predicate':
      return computes(ofPredicates(o))
    case 'setPredicate':
      return computes((r, { mask }) => {
        setPredicate(r, o.to, mask, o.value ? -1 : 0)
      })
    case 'activeLanes':
      return computes((r, { mask, list }) => {
        giveAll(r, o.to, list, mask)
      })
    case 'load':
      return o.until !== undefined ? null : acts(loading(launch, m, site, o), o.ordering !== 'weak')
    case 'store':
      return acts(storing(launch, m, site, o), false)
    case 'atomic':
      return acts(joiningAtomically(launch, m, site, o), o.to !== null)
    case 'copyAsync':
      return acts(copying(launch, m, site, o), false)
    case 'commitAsync':
    case 'waitAsync':
    case 'turn':
    case 'nothing':
    case 'fence':
    case 'gridDependency':
      return { _tag: 'nothing', guard }
    case 'branch':
    case 'branchIndexed':
    case 'call':
    case 'return':
    case 'exit':
      return { _tag: 'controls', guard, operation: o }
    case 'trap':
      return { _tag: 'traps', guard }
    case 'print':
      return { _tag: 'prints', guard, operation: o }
    case 'shuffle':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes':
      return { _tag: 'together', guard, operation: o }
    case 'bar':
    case 'barReduce':
      return { _tag: 'meets', guard, operation: o }
  }
}

// ---------------------------------------------------------------- state

interface Frame {
  /** where its parts meet, -1: they meet where they return to, or not at all before their end */
  readonly stop: number
  readonly join: number
  readonly mask: number
  readonly next: Frame | null
}

interface Part {
  pc: number
  mask: number
  frame: Frame | null
  now: 'running' | 'parked' | 'waiting'
}

/** A warp that has come to a barrier and waits for the end of its generation. */
interface AtBarrier {
  readonly id: number
  readonly generation: number
  readonly count: number
  readonly all: boolean
  readonly part: Part
  readonly mask: number
}

interface Warp {
  readonly index: number
  readonly registers: Registers & Local
  parts: Part[]
  ended: number
  at: AtBarrier | null
  isDone: boolean
  hasYielded: boolean
}

interface Named {
  arrived: number
  generation: number
  yes: number
  of: number
  lastYes: number
  lastOf: number
}

interface Cta extends Block {
  /** which of the grid it is */
  number: number
  readonly warps: ReadonlyArray<Warp>
  readonly named: ReadonlyArray<Named>
}

/** How a turn of a warp has ended. */
type Turn = 'done' | 'blocked' | 'yields' | 'fails'

// ---------------------------------------------------------------- parts

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask)
const byLane = (a: Part, b: Part): number => lowest(a.mask) - lowest(b.mask)

const arrive = (s: Part, pc: number): void => {
  s.pc = pc
  if (s.frame !== null && s.frame.stop === pc) s.now = 'parked'
}

const meet = (w: Warp): void => {
  for (let again = true; again;) {
    again = false
    for (const s of w.parts) {
      if (s.now !== 'parked' || s.frame === null) continue
      const whole = s.frame
      const there = w.parts.filter((p) => p.now === 'parked' && p.frame === whole)
      const mask = there.reduce((lanes, p) => lanes | p.mask, 0)
      if (mask !== (whole.mask & ~w.ended)) continue
      const joined: Part = { pc: whole.join, mask, frame: whole.next, now: 'running' }
      arrive(joined, whole.join)
      w.parts = [...w.parts.filter((p) => !there.includes(p)), joined].sort(byLane)
      again = true
      break
    }
  }
}

const comeTo = (w: Warp, s: Part, pc: number): void => {
  s.pc = pc
  if (s.frame !== null && s.frame.stop === pc) {
    s.now = 'parked'
    meet(w)
  }
}

const end = (w: Warp, s: Part, lanes: number): void => {
  w.ended |= lanes
  s.mask &= ~lanes
  if (s.mask === 0) w.parts = w.parts.filter((p) => p !== s)
  for (const p of w.parts) if (p.now === 'waiting') p.now = 'running'
  meet(w)
}

const go = (
  code: ReadonlyArray<LinkedInstruction>,
  w: Warp,
  s: Part,
  ways: ReadonlyArray<readonly [number, number]>,
  join: number | null,
): void => {
  const isOwn = join === null || (s.frame !== null && s.frame.stop === join)
  const frame: Frame | null = isOwn
    ? s.frame
    : { stop: endsAt(code, join) ? -1 : join, join, mask: s.mask, next: s.frame }
  const parts = ways.map(([mask, pc]): Part => {
    const part: Part = { pc, mask, frame, now: 'running' }
    arrive(part, pc)
    return part
  })
  w.parts = [...w.parts.filter((p) => p !== s), ...parts].sort(byLane)
  meet(w)
}

/** False: it is given up. */
const control = (
  code: ReadonlyArray<LinkedInstruction>,
  w: Warp,
  s: Part,
  o: Extract<Step, { readonly _tag: 'controls' }>['operation'],
  mask: number,
): boolean => {
  const others = s.mask & ~mask
  switch (o._tag) {
    case 'branch':
      if (others === 0) comeTo(w, s, o.target)
      else
        go(
          code,
          w,
          s,
          [
            [mask, o.target],
            [others, s.pc + 1],
          ],
          o.join,
        )
      return true
    case 'branchIndexed': {
      const ways = new Map<number, number>()
      for (let m = mask; m !== 0; m &= m - 1) {
        const target = o.targets[w.registers.words[o.index * 32 + lowest(m)]! >>> 0]
        if (target === undefined) return false
        ways.set(target, (ways.get(target) ?? 0) | (m & -m))
      }
      if (others !== 0) ways.set(s.pc + 1, (ways.get(s.pc + 1) ?? 0) | others)
      const list = [...ways].map(([pc, lanes]) => [lanes, pc] as const)
      if (list.length === 1) comeTo(w, s, list[0]![1])
      else go(code, w, s, list, o.join)
      return true
    }
    case 'call': {
      const back = s.pc + 1
      const outer: Frame = { stop: -1, join: back, mask: s.mask, next: s.frame }
      const parts: Part[] = [{ pc: o.target, mask, frame: outer, now: 'running' }]
      if (others !== 0) parts.push({ pc: back, mask: others, frame: outer, now: 'parked' })
      w.parts = [...w.parts.filter((p) => p !== s), ...parts].sort(byLane)
      return true
    }
    case 'return': {
      if (s.frame === null) {
        end(w, s, mask)
        if (others !== 0) arrive(s, s.pc + 1)
        return true
      }
      const parts: Part[] = [{ pc: s.frame.join, mask, frame: s.frame, now: 'parked' }]
      if (others !== 0) parts.push({ pc: s.pc + 1, mask: others, frame: s.frame, now: 'running' })
      w.parts = [...w.parts.filter((p) => p !== s), ...parts].sort(byLane)
      meet(w)
      return true
    }
    case 'exit':
      end(w, s, mask)
      if (others !== 0) comeTo(w, s, s.pc + 1)
      return true
  }
}

// ---------------------------------------------------------------- lanes together

const found = new Int32Array(32)

/** What lanes of a mask give one another; false: one takes from a lane that gives nothing. */
const exchange = (
  r: Registers,
  o: Extract<Step, { readonly _tag: 'together' }>['operation'],
  mask: number,
): boolean => {
  const { list } = lanesOf(mask)
  const { words } = r
  switch (o._tag) {
    case 'shuffle': {
      let reached = 0
      for (let i = 0; i < list.length; i++) {
        const l = list[i]!
        const from = sourceLane(o.mode, l, words[o.lane * 32 + l]!, words[o.clamp * 32 + l]!)
        if (((mask >>> from.lane) & 1) === 0) return false
        if (from.inRange) reached |= 1 << l
        found[l] = words[o.value * 32 + from.lane]!
      }
      if (o.to !== null) for (let i = 0; i < list.length; i++) words[o.to * 32 + list[i]!] = found[list[i]!]!
      if (o.inRange !== null) setPredicate(r, o.inRange, mask, reached)
      return true
    }
    case 'vote': {
      const yes = truth(r, o.by) & mask
      if (o.to !== null) giveAll(r, o.to, list, yes)
      if (o.toPredicate !== null) {
        const holds =
          o.mode === 'all' ? yes === mask : o.mode === 'any' ? yes !== 0 : yes === mask || yes === 0
        setPredicate(r, o.toPredicate, mask, holds ? -1 : 0)
      }
      return true
    }
    case 'match': {
      const same = (a: number, b: number): boolean =>
        o.value.every((row) => words[row * 32 + a] === words[row * 32 + b])
      let isOne = true
      for (let i = 0; i < list.length; i++) {
        const l = list[i]!
        let alike = 0
        for (let k = 0; k < list.length; k++) if (same(l, list[k]!)) alike |= 1 << list[k]!
        if (alike !== mask) isOne = false
        found[l] = alike
      }
      for (let i = 0; i < list.length; i++) {
        const l = list[i]!
        words[o.to * 32 + l] = o.mode === 'any' ? found[l]! : isOne ? mask : 0
      }
      if (o.all !== null) setPredicate(r, o.all, mask, isOne ? -1 : 0)
      return true
    }
    case 'reduce':
      giveAll(r, o.to, list, reduced(o, words, list))
      return true
    case 'elect':
      if (o.to !== null) giveAll(r, o.to, list, lowest(mask))
      setPredicate(r, o.elected, mask, mask & -mask)
      return true
    case 'meetLanes':
      return true
  }
}

const membersOf = (o: Extract<Step, { readonly _tag: 'together' }>['operation']): Row | null => o.members

/** All do it with those that they name; 'waits': some of those are somewhere else. */
const together = (
  w: Warp,
  o: Extract<Step, { readonly _tag: 'together' }>['operation'],
  mask: number,
): 'done' | 'waits' | 'fails' => {
  const members = membersOf(o)
  if (members === null) return exchange(w.registers, o, mask) ? 'done' : 'fails'
  const namedBy = (l: number): number => w.registers.words[members * 32 + l]! & ~w.ended
  for (let m = mask; m !== 0; m &= m - 1) {
    const l = lowest(m)
    if (((w.registers.words[members * 32 + l]! >>> l) & 1) === 0) return 'fails'
    if ((namedBy(l) & ~mask) !== 0) return 'waits'
  }
  for (let m = mask; m !== 0;) {
    const those = namedBy(lowest(m))
    for (let k = those; k !== 0; k &= k - 1) if (namedBy(lowest(k)) !== those) return 'fails'
    if (!exchange(w.registers, o, those)) return 'fails'
    m &= ~those
  }
  return 'done'
}

// ---------------------------------------------------------------- barriers

const barriersOfCta = 16

/** One word for all lanes of the mask; null: they differ. */
const common = ({ words }: Registers, row: Row, mask: number): number | null => {
  const word = words[row * 32 + lowest(mask)]!
  for (let m = mask; m !== 0; m &= m - 1) if (words[row * 32 + lowest(m)] !== word) return null
  return word
}

const closed = (b: Named, arrived: number): void => {
  b.arrived = arrived
  b.generation++
  b.lastYes = b.yes
  b.lastOf = b.of
  b.yes = b.of = 0
}

const leave = (w: Warp, o: Of<'bar' | 'barReduce'>, b: Named, s: Part, mask: number): void => {
  if (o._tag === 'barReduce') {
    const [yes, of] = [b.lastYes, b.lastOf]
    if (o.to !== null) giveAll(w.registers, o.to, lanesOf(mask).list, yes)
    if (o.toPredicate !== null)
      setPredicate(w.registers, o.toPredicate, mask, (o.op === 'and' ? yes === of : yes > 0) ? -1 : 0)
  }
  comeTo(w, s, s.pc + 1)
}

// ---------------------------------------------------------------- the grid

/** So often a warp asks before it lets others go first, and so often all may do so while nothing else happens. */
const often = 4096
const mostVain = 10_000

/** How it has ended: a lane that traps ends its own, and the others go on. */
export type Ending = 'done' | 'trapped' | 'fails'

/** `prints`: what lanes print, in their order. */
export const grid = (
  launch: WarpLaunch,
  ctas: number,
  m: Memories,
  most: number,
  prints: (text: Printed) => void,
): Ending => {
  const { program, code, threads } = launch
  const clocks = clocksIn(program)
  const tick = ticking(clocks)
  const steps: Step[] = []
  for (const one of code) {
    const step = stepOf(launch, m, one, clocks, tick)
    if (step === null) return 'fails'
    steps.push(step)
  }
  const doubts = doubtsOf(program, m.follows)
  const warpsOfCta = Math.ceil(threads / 32)
  const allThreads = 32 * warpsOfCta
  let turns = 0
  let vain = 0
  let hasTrapped = false
  const spare: Cta[] = []

  /** Arrives, and leaves if it need not wait. */
  const meets = (
    c: Cta,
    w: Warp,
    s: Part,
    o: Of<'bar' | 'barReduce'>,
    mask: number,
  ): 'done' | 'blocked' | 'fails' => {
    const id = common(w.registers, o.id, mask)
    const count = o.count === null ? allThreads : common(w.registers, o.count, mask)
    if (id === null || count === null || id < 0 || id >= barriersOfCta || count <= 0 || count % 32 !== 0)
      return 'fails'
    const b = c.named[id]!
    const { generation } = b
    b.arrived += 32
    if (o._tag === 'barReduce') {
      b.yes += countOf(truth(w.registers, o.by) & mask)
      b.of += countOf(mask)
    }
    if (b.arrived >= count) closed(b, b.arrived - count)
    vain = 0
    if (b.generation > generation || (o._tag === 'bar' && o.mode === 'arrive')) {
      leave(w, o, b, s, mask)
      return 'done'
    }
    w.at = { id, generation, count, all: o.count === null, part: s, mask }
    return 'blocked'
  }
  /** Can a warp that waits at a barrier leave it? Then it does. */
  const left = (c: Cta, w: Warp, at: AtBarrier): boolean => {
    const b = c.named[at.id]!
    if (b.generation <= at.generation) {
      const gone = 32 * c.warps.reduce((n, { isDone }) => n + (isDone ? 1 : 0), 0)
      if (!at.all || b.arrived + gone < at.count) return false
      closed(b, 0)
    }
    w.at = null
    const step = steps[at.part.pc]!
    if (step._tag === 'meets') leave(w, step.operation, b, at.part, at.mask)
    return true
  }

  const turn = (c: Cta, w: Warp): Turn => {
    const r = w.registers
    let asked = 0
    for (;;) {
      if (w.parts.length === 0) return 'done'
      let s = w.parts.find((p) => p.now === 'running')
      const isLast = s === undefined
      if (s === undefined) {
        const [first, ...others] = w.parts.filter((p) => p.now === 'waiting')
        if (first === undefined || others.some((p) => p.pc !== first.pc || p.frame !== first.frame))
          return 'fails'
        for (const p of others) first.mask |= p.mask
        w.parts = w.parts.filter((p) => !others.includes(p)).sort(byLane)
        first.now = 'running'
        s = first
      }
      const { parts } = w
      do {
        const step = steps[s.pc]
        if (step === undefined) {
          end(w, s, s.mask)
          break
        }
        const mask: number = step.guard === null ? s.mask : s.mask & truth(r, step.guard)
        const doubt = doubts[s.pc]!
        if (doubt !== null && !settled(r, doubt, s.mask, mask)) return 'fails'
        if (mask === 0) {
          comeTo(w, s, s.pc + 1)
          continue
        }
        switch (step._tag) {
          case 'prints': {
            const n = numbersOf(launch, { agent: 0, cta: 0, place: 0, cluster: c.number })
            const [x, y] = launch.block
            for (const l of lanesOf(mask).list) {
              const t = w.index * 32 + l
              const thread = [t % x, Math.floor(t / x) % y, Math.floor(t / (x * y))]
              prints(printed(launch, m, step.operation, r, l, { cta: n.cta, thread }))
            }
            comeTo(w, s, s.pc + 1)
            break
          }
          case 'traps': {
            hasTrapped = true
            const others: number = s.mask & ~mask
            end(w, s, mask)
            if (others !== 0) comeTo(w, s, s.pc + 1)
            break
          }
          case 'computes':
            step.does(r, lanesOf(mask))
            comeTo(w, s, s.pc + 1)
            break
          case 'acts':
            if (!step.acts(r, c, lanesOf(mask))) return 'fails'
            comeTo(w, s, s.pc + 1)
            if (step.asks) {
              if (++asked > often) return 'yields'
            } else vain = 0
            break
          case 'nothing':
            comeTo(w, s, s.pc + 1)
            break
          case 'controls':
            if (++turns > most || !control(code, w, s, step.operation, mask)) return 'fails'
            break
          case 'together': {
            const how = together(w, step.operation, mask)
            if (how === 'fails' || (how === 'waits' && (isLast || mask !== s.mask))) return 'fails'
            if (how === 'waits') s.now = 'waiting'
            else comeTo(w, s, s.pc + 1)
            break
          }
          case 'meets': {
            if ((mask | w.ended) !== -1) {
              if (isLast || mask !== s.mask) return 'fails'
              s.now = 'waiting'
              break
            }
            const how = meets(c, w, s, step.operation, mask)
            if (how !== 'done') return how
            break
          }
        }
      } while (!isLast && w.parts === parts && s.now === 'running')
    }
  }

  const perThread = program.givens.filter(({ given }) => isOfThreads(given))
  const perCta = program.givens.filter((g) => !perThread.includes(g))
  // what is filled when a warp begins is in no doubt, unless nothing says what it is
  const doubtful = [
    ...new Set(doubts.flatMap((d) => (d === null ? [] : [...d.from, ...d.to, ...d.decides, ...d.guard]))),
  ]
  const warpOf = (index: number): Warp => {
    const bytes = 32 * localStride(program.localBytes)
    const { words, floats, predicates } = registers(program.rows, program.predicates)
    const at = { agent: 0, cta: 0, place: 0, cluster: 0 }
    const n = numbersOf(launch, at)
    for (const { row, word } of program.constants) words.fill(word, row * 32, row * 32 + 32)
    for (const { row, given } of perThread)
      for (let l = 0; l < 32; l++) words[row * 32 + l] = givenWord(launch, n, at, index, given, l) ?? 0
    return {
      index,
      registers: {
        words,
        floats,
        predicates,
        local: flat(-1, bytes, new Uint8Array(bytes), true),
        window: localWindowOf(32 * index),
        nothing: new Int32Array(program.rows + program.predicates),
        missing: new Uint8Array(program.rows * 32).fill(ofNothing),
      },
      parts: [],
      ended: 0,
      at: null,
      isDone: false,
      hasYielded: false,
    }
  }
  const fresh = (): Cta => ({
    number: 0,
    shared: flat(-1, launch.sharedBytes, new Uint8Array(launch.sharedBytes), true),
    named: Array.from({ length: barriersOfCta }, () => ({
      arrived: 0,
      generation: 0,
      yes: 0,
      of: 0,
      lastYes: 0,
      lastOf: 0,
    })),
    warps: Array.from({ length: warpsOfCta }, (_, index) => warpOf(index)),
  })
  const begun = (number: number): Cta => {
    const c = spare.pop() ?? fresh()
    c.number = number
    c.shared.written?.fill(0)
    for (const b of c.named) b.arrived = b.generation = b.yes = b.of = b.lastYes = b.lastOf = 0
    const at = { agent: 0, cta: 0, place: 0, cluster: number }
    const n = numbersOf(launch, at)
    const given = perCta.map((g) => [g.row, givenWord(launch, n, at, 0, g.given, 0) ?? 0] as const)
    for (const [index, w] of c.warps.entries()) {
      const there = Math.min(32, threads - index * 32)
      const mask = there === 32 ? -1 : (1 << there) - 1
      w.parts = [{ pc: 0, mask, frame: null, now: 'running' }]
      w.ended = ~mask
      w.at = null
      w.isDone = w.hasYielded = false
      for (const place of doubtful) {
        w.registers.nothing[place] = -1
        if (place < program.rows) {
          w.registers.words.fill(0, place * 32, place * 32 + 32)
          w.registers.missing.fill(ofNothing, place * 32, place * 32 + 32)
        } else w.registers.predicates[place - program.rows] = 0
      }
      if (program.localBytes > 0) w.registers.local.written?.fill(0)
      for (const [row, word] of given) w.registers.words.fill(word, row * 32, row * 32 + 32)
    }
    return c
  }

  /** As far as it goes: it has ended, or some of its warps have yielded. */
  const ran = (c: Cta): 'done' | 'yields' | 'fails' => {
    for (const w of c.warps) w.hasYielded = false
    for (;;) {
      const w = c.warps.find((x) => !x.isDone && !x.hasYielded && (x.at === null || left(c, x, x.at)))
      if (w === undefined) {
        if (c.warps.every(({ isDone }) => isDone)) return 'done'
        return c.warps.some(({ hasYielded }) => hasYielded) ? 'yields' : 'fails'
      }
      const how = turn(c, w)
      switch (how) {
        case 'done':
          w.isDone = true
          vain = 0
          break
        case 'blocked':
          break
        case 'yields':
          w.hasYielded = true
          if (++vain > mostVain) return 'fails'
          break
        case 'fails':
          return 'fails'
      }
    }
  }

  let open: Cta[] = []
  for (let number = 0; number < ctas; number++) {
    const c = begun(number)
    const how = ran(c)
    if (how === 'fails') return hasTrapped ? 'trapped' : 'fails'
    if (how === 'yields') open.push(c)
    else spare.push(c)
  }
  while (open.length > 0) {
    const left: Cta[] = []
    for (const c of open) {
      const how = ran(c)
      if (how === 'fails') return hasTrapped ? 'trapped' : 'fails'
      if (how === 'yields') left.push(c)
    }
    open = left
  }
  return hasTrapped ? 'trapped' : 'done'
}
