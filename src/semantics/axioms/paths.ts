/**
 * The ways of one thread through its code, with what each read finds left open.
 *
 * A value is a term over reads: `r1 + 1` where r1 is what the thread's first read found. A branch on a term is followed both ways, and each way keeps what must be true of
 * the reads for the thread to go there. Which write each read takes its value from is chosen later, over all threads (`candidates.ts`).
 *
 * | instruction               | the ways                                                                              |
 * |---------------------------|---------------------------------------------------------------------------------------|
 * | a branch on known values  | one                                                                                   |
 * | a branch on a read        | two                                                                                   |
 * | `cas`                     | two: it finds what it expects and writes, or it does not, and is a read (8.4)         |
 * | `bar.sync` with a count   | two: it passes, or the thread waits there for ever                                    |
 * | a jump backwards          | one while the label was jumped to fewer than `passes` times; then none, and `cut` says so |
 *
 * Laws
 * 1. Under any values for the reads, exactly one way has all its conditions true and waits nowhere, unless that way is cut.
 * 2. Dependencies (8.10.4): a write depends on the reads in its value, and on those that a branch before it was taken on; a `cas` also on its own read.
 */
import {
  type Address,
  type Comparison,
  type How,
  type Instruction,
  type Operand,
  type Proxy,
} from './program.js'
import type { Arithmetic, Scope, Thread } from './program.js'
import { mostEvents } from './relation.js'

// ---------------------------------------------------------------- terms

/** A value, over what the reads of its thread find. */
export type Term =
  | { readonly _tag: 'number'; readonly value: number }
  | { readonly _tag: 'read'; readonly event: number }
  | { readonly _tag: 'op'; readonly op: Arithmetic; readonly a: Term; readonly b: Term }

/** What must be true of the reads for a thread to go this way. */
export interface Condition {
  readonly is: Comparison
  readonly a: Term
  readonly b: Term
}

const apply = (op: Arithmetic, a: number, b: number): number => {
  switch (op) {
    case 'add':
      return (a + b) | 0
    case 'sub':
      return (a - b) | 0
    case 'mul':
      return Math.imul(a, b)
    case 'div':
      return b === 0 ? 0 : (a / b) | 0
    case 'and':
      return a & b
    case 'or':
      return a | b
    case 'xor':
      return a ^ b
    case 'min':
      return Math.min(a, b)
    case 'max':
      return Math.max(a, b)
  }
}

/** Whether two values compare so. */
export const compares = (is: Comparison, a: number, b: number): boolean => {
  switch (is) {
    case 'eq':
      return a === b
    case 'ne':
      return a !== b
    case 'lt':
      return a < b
    case 'le':
      return a <= b
    case 'gt':
      return a > b
    case 'ge':
      return a >= b
  }
}

const known = (value: number): Term => ({ _tag: 'number', value })
const operated = (op: Arithmetic, a: Term, b: Term): Term =>
  a._tag === 'number' && b._tag === 'number' ? known(apply(op, a.value, b.value)) : { _tag: 'op', op, a, b }

/** A term's value, given what each read finds; nothing where a read that it needs has none yet. */
export const valueOf = (t: Term, read: (event: number) => number | undefined): number | undefined => {
  switch (t._tag) {
    case 'number':
      return t.value
    case 'read':
      return read(t.event)
    case 'op': {
      const a = valueOf(t.a, read)
      const b = a === undefined ? undefined : valueOf(t.b, read)
      return a === undefined || b === undefined ? undefined : apply(t.op, a, b)
    }
  }
}

const readsOf = (t: Term): ReadonlyArray<number> => {
  switch (t._tag) {
    case 'number':
      return []
    case 'read':
      return [t.event]
    case 'op':
      return [...readsOf(t.a), ...readsOf(t.b)]
  }
}

// ---------------------------------------------------------------- events

/** An event of a way; events are counted from 0 in their thread. */
export type PathEvent =
  | {
      readonly _tag: 'access'
      /** the instruction, counted from 0 */
      readonly at: number
      readonly to: Address
      readonly how: How
      readonly proxy: Proxy
      readonly reads: boolean
      readonly atomic: boolean
      /** a `red`, whose read is of no acquire pattern (8.8) */
      readonly reduction: boolean
      /** what it writes; none: it does not write */
      readonly writes: Term | undefined
      /** the reads that its write depends on */
      readonly dependsOn: ReadonlyArray<number>
    }
  | {
      readonly _tag: 'fence'
      readonly at: number
      readonly sem: 'acquire' | 'release' | 'acq_rel' | 'sc'
      readonly scope: Scope
    }
  | { readonly _tag: 'proxyFence'; readonly at: number; readonly of: Proxy | 'alias' }
  | {
      readonly _tag: 'barrier'
      readonly at: number
      readonly act: 'sync' | 'arrive'
      readonly name: string
      readonly id: Term
      readonly count: Term | undefined
    }

/** One way of a thread through its code. */
export interface Path {
  readonly events: ReadonlyArray<PathEvent>
  readonly conditions: ReadonlyArray<Condition>
  /** what its registers hold at the end */
  readonly registers: ReadonlyMap<string, Term>
  /** it waits at its last event, a barrier, for ever */
  readonly waits: boolean
  /** the registers that it would still have written, if it waits */
  readonly unsettled: ReadonlyArray<string>
}

/** The ways of a thread, and whether some were left before their end: all that were have too many events (`long`), or some are in a loop. */
export interface Paths {
  readonly paths: ReadonlyArray<Path>
  readonly cut: boolean
  readonly long: boolean
}

// ---------------------------------------------------------------- walking

interface State {
  readonly pc: number
  readonly events: ReadonlyArray<PathEvent>
  readonly conditions: ReadonlyArray<Condition>
  readonly registers: ReadonlyMap<string, Term>
  /** the reads that a branch was taken on */
  readonly control: ReadonlyArray<number>
  /** how often each label was jumped back to */
  readonly passes: ReadonlyMap<string, number>
}

const opposite: Readonly<Record<Comparison, Comparison>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'ge',
  ge: 'lt',
  gt: 'le',
  le: 'gt',
}

const state = (
  s: State,
  pc: number,
  events: ReadonlyArray<PathEvent> = s.events,
  registers: ReadonlyMap<string, Term> = s.registers,
  conditions: ReadonlyArray<Condition> = s.conditions,
  control: ReadonlyArray<number> = s.control,
  passes: ReadonlyMap<string, number> = s.passes,
): State => ({ pc, events, conditions, registers, control, passes })

const holding = (
  registers: ReadonlyMap<string, Term>,
  to: string | undefined,
  value: Term,
): ReadonlyMap<string, Term> => (to === undefined ? registers : new Map([...registers, [to, value]]))

const wouldWrite = (i: Instruction): ReadonlyArray<string> => {
  switch (i._tag) {
    case 'load':
    case 'set':
      return [i.to]
    case 'atomic':
      return i.to === undefined ? [] : [i.to]
    case 'store':
    case 'fence':
    case 'proxyFence':
    case 'barrier':
    case 'label':
    case 'branch':
      return []
  }
}

/** Ways of a thread that are followed, at most. */
const mostWays = 1_000

/** The ways of a thread, the shortest first. `passes`: how often a label may be jumped back to. */
export const pathsOf = (thread: Thread, passes: number): Paths => {
  const { body } = thread
  const labels = new Map(body.flatMap((i, at) => (i._tag === 'label' ? [[i.name, at] as const] : [])))
  const found: Path[] = []
  let cut = false
  let long = false
  const termOf = (s: State, o: Operand): Term =>
    o._tag === 'number' ? known(o.value) : (s.registers.get(o.name) ?? known(0))
  const finish = (s: State, waits: boolean): void => {
    found.push({
      events: s.events,
      conditions: s.conditions,
      registers: s.registers,
      waits,
      unsettled: waits ? [...new Set(body.slice(s.pc).flatMap(wouldWrite))] : [],
    })
  }

  /** The ways from here of one instruction. */
  const step = (s: State, i: Instruction): ReadonlyArray<State> => {
    const at = s.pc
    const me: Term = { _tag: 'read', event: s.events.length }
    switch (i._tag) {
      case 'label':
        return [state(s, at + 1)]
      case 'set': {
        const a = termOf(s, i.a)
        const value = i.op === 'mov' ? a : operated(i.op, a, termOf(s, i.b))
        return [state(s, at + 1, s.events, holding(s.registers, i.to, value))]
      }
      case 'fence':
        return [state(s, at + 1, [...s.events, { _tag: 'fence', at, sem: i.sem, scope: i.scope }])]
      case 'proxyFence':
        return [state(s, at + 1, [...s.events, { _tag: 'proxyFence', at, of: i.of }])]
      case 'load':
        return [
          state(
            s,
            at + 1,
            [
              ...s.events,
              {
                _tag: 'access',
                at,
                to: i.at,
                how: i.how,
                proxy: i.proxy,
                reads: true,
                atomic: false,
                reduction: false,
                writes: undefined,
                dependsOn: [],
              },
            ],
            holding(s.registers, i.to, me),
          ),
        ]
      case 'store': {
        const value = termOf(s, i.value)
        return [
          state(s, at + 1, [
            ...s.events,
            {
              _tag: 'access',
              at,
              to: i.at,
              how: i.how,
              proxy: i.proxy,
              reads: false,
              atomic: false,
              reduction: false,
              writes: value,
              dependsOn: [...readsOf(value), ...s.control],
            },
          ]),
        ]
      }
      case 'atomic': {
        const value = termOf(s, i.value)
        const one = (
          writes: Term | undefined,
          conditions: ReadonlyArray<Condition>,
          on: ReadonlyArray<number>,
        ): State =>
          state(
            s,
            at + 1,
            [
              ...s.events,
              {
                _tag: 'access',
                at,
                to: i.at,
                how: i.how,
                proxy: i.proxy,
                reads: true,
                atomic: true,
                reduction: i.to === undefined,
                writes,
                dependsOn: writes === undefined ? [] : [...readsOf(writes), ...on, ...s.control],
              },
            ],
            holding(s.registers, i.to, me),
            conditions,
          )
        if (i.op === 'exch') return [one(value, s.conditions, [])]
        if (i.op !== 'cas') return [one(operated(i.op, me, value), s.conditions, [])]
        const expected = i.expected === undefined ? known(0) : termOf(s, i.expected)
        const on = [s.events.length, ...readsOf(expected)]
        return [
          one(value, [...s.conditions, { is: 'eq', a: me, b: expected }], on),
          one(undefined, [...s.conditions, { is: 'ne', a: me, b: expected }], on),
        ]
      }
      case 'barrier': {
        const count = i.count === undefined ? undefined : termOf(s, i.count)
        const events: ReadonlyArray<PathEvent> = [
          ...s.events,
          { _tag: 'barrier', at, act: i.act, name: i.name, id: termOf(s, i.id), count },
        ]
        if (i.act === 'sync' && count !== undefined) finish(state(s, at + 1, events), true)
        return [state(s, at + 1, events)]
      }
      case 'branch': {
        const target = labels.get(i.to) ?? body.length
        const seen = s.passes.get(i.to) ?? 0
        const back = target <= at
        const onto = (
          conditions: ReadonlyArray<Condition>,
          control: ReadonlyArray<number>,
        ): ReadonlyArray<State> => {
          if (back && seen >= passes) {
            cut = true
            return []
          }
          const count = back ? new Map([...s.passes, [i.to, seen + 1]]) : s.passes
          return [state(s, target, s.events, s.registers, conditions, control, count)]
        }
        if (i.when === undefined) return onto(s.conditions, s.control)
        const a = termOf(s, i.when.a)
        const b = termOf(s, i.when.b)
        if (a._tag === 'number' && b._tag === 'number')
          return compares(i.when.is, a.value, b.value) ? onto(s.conditions, s.control) : [state(s, at + 1)]
        const control = [...new Set([...s.control, ...readsOf(a), ...readsOf(b)])]
        return [
          ...onto([...s.conditions, { is: i.when.is, a, b }], control),
          state(
            s,
            at + 1,
            s.events,
            s.registers,
            [...s.conditions, { is: opposite[i.when.is], a, b }],
            control,
          ),
        ]
      }
    }
  }

  const open: State[] = [
    {
      pc: 0,
      events: [],
      conditions: [],
      registers: new Map([...thread.registers].map(([name, value]) => [name, known(value)])),
      control: [],
      passes: new Map(),
    },
  ]
  for (let s = open.pop(); s !== undefined; s = open.pop()) {
    if (s.events.length > mostEvents || found.length >= mostWays) {
      cut = true
      long ||= s.events.length > mostEvents
      continue
    }
    const instruction = body[s.pc]
    if (instruction === undefined) finish(s, false)
    else for (const next of step(s, instruction)) open.push(next)
  }
  return { paths: found.sort((a, b) => a.events.length - b.events.length), cut, long }
}
