/**
 * A kernel of a module of PTX as a program of warps.
 *
 * Registers become rows, labels indices, variables bytes of a memory; a function that is called has its code behind the entry's, and its parameters
 * in local memory (it does not call itself: PTX has no stack here). What a branch parts meets at its immediate post-dominator. What is not known is
 * refused at its line, before anything runs.
 *
 * A loop that asks one mbarrier until it says yes, and does nothing else, is a wait.
 *
 * Law 1. An instruction that is elaborated is in the table of opcodes, and means what its row says.
 *
 * Source: PTX ISA, directives, control flow, calls.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../../failure.js'
import { loopsOf, postDominators, type Loop } from '../../../semantics/warps/flow.js'
import { withPeeks } from '../../../semantics/warps/peeks.js'
import { withSpins } from '../../../semantics/warps/spins.js'
import type {
  Instruction as WarpInstruction,
  Operation,
  Variable as Stored,
  WarpProgram,
} from '../../../semantics/warps/program.js'
import {
  fileOf,
  functionsOf,
  type Function,
  type Initial,
  type Instruction,
  type Module,
  type Operand,
  type Parameter,
  type SourceLocation,
  type Statement,
  type Variable,
} from '../text/module.js'
import type { Position } from '../text/position.js'
import { dispatch } from './dispatch.js'
import {
  constant,
  emit,
  emitter,
  localBytes,
  newPredicate,
  newRow,
  refuse,
  type ElaborationError,
  type Emitter,
} from './emitter.js'
import { guardOf, meaning, source, type Here } from './here.js'
import { scope, type Meaning, type Scope } from './names.js'
import { bitsOf, bytesOf } from './types.js'

// ---------------------------------------------------------------- model

/** A parameter of the entry, as its bytes lie. */
export interface EntryParameter {
  readonly name: string
  readonly type: string
  readonly offset: number
  readonly bytes: number
  readonly at: Position
}

export interface Elaborated {
  readonly program: WarpProgram
  readonly parameters: ReadonlyArray<EntryParameter>
  /** where each site of the program is in the text */
  readonly positions: ReadonlyArray<Position>
}

interface Label {
  pc: number
  readonly name: string
  readonly at: Position
}

interface Making {
  readonly e: Emitter
  readonly module: Module
  readonly file: string
  readonly labels: Label[]
  readonly functions: Map<
    string,
    {
      readonly label: number
      readonly formals: ReadonlyArray<Meaning>
      readonly results: ReadonlyArray<Meaning>
    }
  >
  /** functions whose code is still to come */
  readonly waiting: string[]
  shared: number
  /** number of the file that the entry's own lines are in */
  author: number
  /** by a line that was inlined: the one that called it */
  readonly inlined: Map<string, Source>
}

// ---------------------------------------------------------------- sizes

const sizeOf = (v: {
  readonly type: string
  readonly extents: ReadonlyArray<number | null>
  readonly vector?: number
}): number =>
  v.extents.reduce<number>(
    (n, extent) => n * (extent ?? 0),
    Math.max(1, bitsOf(v.type) / 8) * (v.vector ?? 1),
  )

const alignOf = (v: {
  readonly type: string
  readonly align: number | null
  readonly vector?: number
}): number => v.align ?? bytesOf(v.type) * (v.vector ?? 1)

const up = (n: number, to: number): number => Math.ceil(n / to) * to

// ---------------------------------------------------------------- labels

const newLabel = (m: Making, name: string): number => {
  m.labels.push({ pc: -1, name, at: m.e.at })
  return m.labels.length - 1
}

const labelOf = (m: Making, s: Scope, name: string): number | null => {
  for (let here: Scope | null = s; here !== null; here = here.outer) {
    const known = here.names.get(name)
    if (known?._tag === 'label') return known.label
  }
  refuse(m.e, 'ptx.name', 'a label of this function', name)
  return null
}

// ---------------------------------------------------------------- variables

const declareVariable = (m: Making, s: Scope, v: Variable): void => {
  const { e } = m
  e.at = v.at
  const size = sizeOf(v)
  const align = alignOf(v)
  const names =
    v.count === null ? [v.name] : Array.from({ length: v.count }, (_, i) => `${v.name}${String(i)}`)
  for (const name of names) {
    switch (v.space) {
      case 'shared': {
        if (v.linkage === 'extern' || v.extents.includes(null)) {
          s.names.set(name, { _tag: 'dynamic' })
          break
        }
        const offset = up(m.shared, align)
        m.shared = offset + size
        s.names.set(name, { _tag: 'shared', offset })
        break
      }
      case 'local':
      case 'param':
        s.names.set(name, { _tag: 'local', offset: localBytes(e, size, Math.max(align, 4)), bytes: size })
        break
      case 'global':
      case 'const':
        s.names.set(name, { _tag: v.space, symbol: name })
        break
    }
  }
}

const little = (bytes: Uint8Array, at: number, width: number, value: bigint): void => {
  for (let b = 0; b < width; b++) bytes[at + b] = Number((value >> BigInt(8 * b)) & 0xffn)
}

const stored = (e: Emitter, v: Variable): Stored => {
  const bytes = new Uint8Array(sizeOf(v))
  const width = Math.max(1, bitsOf(v.type) / 8)
  const addresses: { readonly at: number; readonly symbol: string; readonly offset: number }[] = []
  let at = 0
  const write = (i: Initial): void => {
    switch (i._tag) {
      case 'braced':
        for (const item of i.items) write(item)
        return
      case 'integer':
        little(bytes, at, width, i.value)
        at += width
        return
      case 'float':
        little(bytes, at, width, i.bits)
        at += width
        return
      case 'symbol':
        e.at = i.at
        if (width !== 8 || i.mask !== null)
          refuse(e, 'ptx.operand', 'the whole address of a variable, in 64 bits', i.name)
        else addresses.push({ at, symbol: i.name, offset: i.offset })
        at += width
        return
    }
  }
  if (v.initial !== null) write(v.initial)
  return {
    symbol: v.name,
    space: v.space === 'const' ? 'const' : 'global',
    bytes: bytes.length,
    align: alignOf(v),
    initial: bytes,
    addresses,
  }
}

// ---------------------------------------------------------------- calls

const copyLocal = (h: Here, from: number, to: number, bytes: number): void => {
  const row = newRow(h.e)
  for (let at = 0; at < bytes;) {
    const width = bytes - at >= 4 ? 4 : 1
    const one = { bytes: width, count: 1, signed: false } as const
    const place = (offset: number) => ({ space: 'local', rows: [], offset: offset + at }) as const
    emit(
      h.e,
      { _tag: 'load', from: place(from), width: one, to: [[row]], ordering: 'weak', scope: 'cta' },
      h.guard,
    )
    emit(
      h.e,
      { _tag: 'store', into: place(to), width: one, value: [[row]], ordering: 'weak', scope: 'cta' },
      h.guard,
    )
    at += width
  }
}

const itemsOf = (o: Operand | undefined): ReadonlyArray<Operand> =>
  o === undefined ? [] : o._tag === 'list' ? o.items : []

/** What a function of the compiler's library comes to; null: it is none. */
const builtin = (h: Here, name: string, results: ReadonlyArray<Operand>): boolean => {
  if (name === '__assertfail' || name === '__assert_fail') {
    emit(h.e, { _tag: 'trap', why: 'an assertion fails' }, h.guard)
    return true
  }
  if (name === 'vprintf') {
    const [to] = results
    const m = to?._tag === 'name' ? meaning(h, to.name) : undefined
    if (m?._tag === 'local')
      emit(
        h.e,
        {
          _tag: 'store',
          into: { space: 'local', rows: [], offset: m.offset },
          width: { bytes: 4, count: 1, signed: false },
          value: [source(h, { _tag: 'integer', value: 0n, unsigned: false, text: '0' }, 'b32')],
          ordering: 'weak',
          scope: 'cta',
        },
        h.guard,
      )
    return true
  }
  return false
}

const call = (m: Making, h: Here, operands: ReadonlyArray<Operand>): void => {
  const at = operands.findIndex((o) => o._tag === 'name')
  const callee = operands[at]
  if (callee?._tag !== 'name') {
    refuse(h.e, 'ptx.operand', 'the name of a function', 'none')
    return
  }
  const results = at > 0 ? itemsOf(operands[0]) : []
  const actuals = itemsOf(operands[at + 1])
  if (builtin(h, callee.name, results)) return
  const f = m.functions.get(callee.name)
  if (f === undefined) {
    refuse(h.e, 'ptx.name', 'a function with a body in this module', callee.name)
    return
  }
  const pairs = (
    given: ReadonlyArray<Operand>,
    formals: ReadonlyArray<Meaning>,
  ): ReadonlyArray<readonly [Meaning, Meaning]> | null => {
    const out: (readonly [Meaning, Meaning])[] = []
    if (given.length !== formals.length) {
      refuse(h.e, 'ptx.operand', `${callee.name}: ${String(formals.length)} parameters`, String(given.length))
      return null
    }
    given.forEach((o, i) => {
      const actual = o._tag === 'name' ? meaning(h, o.name) : undefined
      if (actual?._tag !== 'local')
        refuse(h.e, 'ptx.operand', 'a variable of the parameter space', 'another operand')
      else out.push([actual, formals[i]!])
    })
    return out
  }
  for (const [actual, formal] of pairs(actuals, f.formals) ?? [])
    if (actual._tag === 'local' && formal._tag === 'local')
      copyLocal(h, actual.offset, formal.offset, formal.bytes)
  emit(h.e, { _tag: 'call', target: f.label }, h.guard)
  if (!m.waiting.includes(callee.name)) m.waiting.push(callee.name)
  for (const [actual, formal] of pairs(results, f.results) ?? [])
    if (actual._tag === 'local' && formal._tag === 'local')
      copyLocal(h, formal.offset, actual.offset, formal.bytes)
}

// ---------------------------------------------------------------- statements

interface Source {
  readonly file: number
  readonly line: number
  readonly column: number
}
const showSource = ({ file, line, column }: Source): string =>
  `${String(file)}:${String(line)}:${String(column)}`

/** Deepest chain of functions that were inlined into one another. */
const deepest = 32

/** The line of the author: of what was inlined from another file, the line that called it; null: the text does not say. */
const authorOf = (m: Making, i: Instruction): Source | null => {
  let at: Source | null = i.location
  let caller: Source | null = i.location?.inlined?.at ?? null
  for (let depth = 0; depth < deepest && at !== null && at.file !== m.author && caller !== null; depth++) {
    at = caller
    caller = m.inlined.get(showSource(at)) ?? null
  }
  return at
}

const placeOf = (m: Making, i: Instruction): { readonly line: string; readonly column: number } => {
  const from = authorOf(m, i)
  const path = from === null ? null : fileOf(m.module, from.file)
  return path === null || from === null
    ? { line: `${m.file}:${String(i.at.line)}`, column: i.at.column }
    : { line: `${path.split('/').pop() ?? path}:${String(from.line)}`, column: from.column }
}

const instruction = (m: Making, s: Scope, f: Function, i: Instruction): void => {
  const { e } = m
  e.at = i.at
  const words = i.opcode.split('.')
  const bare: Here = { e, scope: s, guard: null, words, opcode: i.opcode }
  const guard = guardOf(bare, i.guard)
  const h: Here = { e, scope: s, guard, words, opcode: i.opcode }
  e.site = e.sites.length
  const { line, column } = placeOf(m, i)
  e.sites.push({ label: `${line} ${i.opcode}`, path: [f.name], loc: `${line}:${String(column)}` })
  e.positions.push(i.at)
  const [first] = i.operands
  switch (words[0]) {
    case 'bra': {
      const label = first?._tag === 'name' ? labelOf(m, s, first.name) : null
      if (label !== null) emit(e, { _tag: 'branch', target: label, join: null }, guard)
      return
    }
    case 'brx': {
      const targets = i.operands[1]
      const list = targets?._tag === 'name' ? meaning(h, targets.name) : undefined
      if (list?._tag !== 'targets') {
        refuse(e, 'ptx.name', 'the name of a .branchtargets', 'another operand')
        return
      }
      const labels = list.labels.flatMap((name) => {
        const label = labelOf(m, s, name)
        return label === null ? [] : [label]
      })
      emit(
        e,
        { _tag: 'branchIndexed', index: source(h, first, 'u32')[0]!, targets: labels, join: null },
        guard,
      )
      return
    }
    case 'call':
      call(m, h, i.operands)
      return
    case 'ret':
      emit(e, f.kind === 'entry' ? { _tag: 'exit' } : { _tag: 'return' }, guard)
      return
    case 'exit':
      emit(e, { _tag: 'exit' }, guard)
      return
    case 'trap':
      emit(e, { _tag: 'trap', why: 'the program traps here' }, guard)
      return
    default:
      dispatch(h, i.operands)
  }
}

/** What is declared in a scope, before anything in it is read. */
const declare = (m: Making, s: Scope, body: ReadonlyArray<Statement>): void => {
  for (const one of body)
    switch (one._tag) {
      case 'registers':
        if (one.count === null) {
          const type = one.type
          const made = scope(null)
          made.families.set(one.name, { count: 1, type })
          const h: Here = { e: m.e, scope: made, guard: null, words: [], opcode: '' }
          s.names.set(one.name, meaning(h, `${one.name}0`)!)
        } else s.families.set(one.name, { count: one.count, type: one.type })
        break
      case 'variable':
        declareVariable(m, s, one)
        break
      case 'label':
        m.e.at = one.at
        s.names.set(one.name, { _tag: 'label', label: newLabel(m, one.name) })
        break
      case 'targets':
        s.names.set(one.name, { _tag: 'targets', labels: one.targets.map(({ name }) => name) })
        break
      default:
        break
    }
}

const locate = (m: Making, at: SourceLocation): void => {
  if (at.inlined !== null) m.inlined.set(showSource(at), at.inlined.at)
  else if (m.author < 0) m.author = at.file
}

const statements = (m: Making, s: Scope, f: Function, body: ReadonlyArray<Statement>): void => {
  declare(m, s, body)
  for (const one of body) {
    if (m.e.failed !== null) return
    if (one._tag === 'loc') locate(m, one.location)
    if (one._tag === 'instruction') instruction(m, s, f, one)
    else if (one._tag === 'scope') statements(m, scope(s), f, one.body)
    else if (one._tag === 'label') {
      const label = s.names.get(one.name)
      if (label?._tag === 'label') m.labels[label.label]!.pc = m.e.code.length
    }
  }
}

// ---------------------------------------------------------------- functions

const formalsOf = (m: Making, ps: ReadonlyArray<Parameter>): ReadonlyArray<Meaning> =>
  ps.map((p): Meaning => {
    m.e.at = p.at
    if (p.space === 'reg') refuse(m.e, 'ptx.operand', 'parameters in the parameter space', 'a register')
    const bytes = sizeOf(p)
    return { _tag: 'local', offset: localBytes(m.e, bytes, Math.max(4, alignOf(p))), bytes }
  })

const functionBody = (m: Making, outer: Scope, f: Function): void => {
  const s = scope(outer)
  const known = m.functions.get(f.name)!
  f.parameters?.forEach((p, i) => s.names.set(p.name, known.formals[i]!))
  f.results.forEach((p, i) => s.names.set(p.name, known.results[i]!))
  m.labels[known.label]!.pc = m.e.code.length
  statements(m, s, f, f.body ?? [])
  emit(m.e, { _tag: 'return' }, null)
}

const entryParameters = (f: Function): ReadonlyArray<EntryParameter> => {
  let offset = 0
  return (f.parameters ?? []).map((p) => {
    const bytes = sizeOf(p)
    const at = up(offset, alignOf(p))
    offset = at + bytes
    return { name: p.name, type: p.type, offset: at, bytes, at: p.at }
  })
}

// ---------------------------------------------------------------- flow

/** The code with its branches resolved, its joins found, and the turns of its loops told. */
interface Flowing {
  readonly code: ReadonlyArray<WarpInstruction>
  readonly loops: ReadonlyArray<ReadonlyArray<number>>
  readonly loopCount: number
}

const successors = (code: ReadonlyArray<WarpInstruction>): ReadonlyArray<ReadonlyArray<number>> => {
  const end = code.length
  return [
    ...code.map(({ operation: o, guard }, pc): ReadonlyArray<number> => {
      const next = pc + 1 < end ? [pc + 1] : [end]
      switch (o._tag) {
        case 'branch':
          return guard === null ? [o.target] : [o.target, ...next]
        case 'branchIndexed':
          return guard === null ? o.targets : [...o.targets, ...next]
        case 'exit':
        case 'return':
        case 'trap':
          return guard === null ? [end] : [end, ...next]
        default:
          return next
      }
    }),
    [],
  ]
}

const flowing = (raw: ReadonlyArray<WarpInstruction>, entries: ReadonlyArray<number>): Flowing => {
  const graph = successors(raw)
  const joins = postDominators(graph)
  const all: Loop[] = []
  for (const entry of entries) for (const loop of loopsOf(graph, entry)) all.push(loop)
  const byHeader = [...all].sort((a, b) => b.body.size - a.body.size)
  const headers = new Map(byHeader.map((loop, i) => [loop.header, i]))
  // a turn stands before each header, and what goes to the header goes there
  const moved: number[] = []
  let shift = 0
  for (let pc = 0; pc <= raw.length; pc++) {
    moved.push(pc + shift)
    if (headers.has(pc)) shift++
  }
  const nestOf = (pc: number): ReadonlyArray<number> =>
    byHeader.flatMap((loop, i) => (loop.body.has(pc) ? [i] : []))
  const code: WarpInstruction[] = []
  const loops: ReadonlyArray<number>[] = []
  const to = (pc: number): number => moved[pc]!
  const end = raw.length
  raw.forEach((one, pc) => {
    const nest = nestOf(pc)
    const header = headers.get(pc)
    if (header !== undefined) {
      const inner = byHeader.flatMap((loop, i) =>
        i !== header && byHeader[header]!.body.has(loop.header) ? [i] : [],
      )
      code.push({ site: one.site, guard: null, operation: { _tag: 'turn', loop: header, inner } })
      loops.push(nest)
    }
    const join = joins[pc]
    const met = join === null || join === undefined || join === end ? null : to(join)
    const o = one.operation
    const operation: Operation =
      o._tag === 'branch'
        ? { _tag: 'branch', target: to(o.target), join: met }
        : o._tag === 'branchIndexed'
          ? { _tag: 'branchIndexed', index: o.index, targets: o.targets.map(to), join: met }
          : o._tag === 'call'
            ? { _tag: 'call', target: to(o.target) }
            : o
    code.push({ site: one.site, guard: one.guard, operation })
    loops.push(nest)
  })
  return { code, loops, loopCount: byHeader.length }
}

/** Loops that ask one mbarrier until it says yes, as waits. */
const waiting = (code: ReadonlyArray<WarpInstruction>): ReadonlyArray<WarpInstruction> => {
  const idle = (from: number, to: number): boolean => {
    for (let pc = from; pc < to; pc++) {
      const { _tag } = code[pc]!.operation
      if (_tag !== 'turn' && _tag !== 'nothing') return false
    }
    return true
  }
  return code.map((one, pc) => {
    const o = one.operation
    if (o._tag !== 'mbarrierWait' || o.passed === null) return one
    let next = pc + 1
    while (next < code.length && code[next]!.operation._tag === 'nothing') next++
    const after = code[next]
    if (after?.operation._tag !== 'branch' || after.guard?.predicate !== o.passed) return one
    const back = after.guard.negated
      ? after.operation.target
      : code[next + 1]?.operation._tag === 'branch' && code[next + 1]!.guard === null
        ? targetOf(code[next + 1]!.operation)
        : -1
    return back >= 0 && back <= pc && idle(back, pc)
      ? {
          site: one.site,
          guard: one.guard,
          operation: {
            _tag: 'mbarrierWait',
            at: o.at,
            parity: o.parity,
            state: o.state,
            passed: o.passed,
            blocks: true,
            acquire: o.acquire,
            scope: o.scope,
          },
        }
      : one
  })
}
const targetOf = (o: Operation): number => (o._tag === 'branch' ? o.target : -1)

// ---------------------------------------------------------------- modules

const numbersOf = (f: Function, name: string): ReadonlyArray<number> | null =>
  f.directives.find((d) => d.name === name)?.numbers ?? null

/** An entry of a module, by name, or the only one. */
export const elaborate = (
  module: Module,
  entry: string | null,
  file: string,
): E.Either<Failure<ElaborationError>, Elaborated> => {
  const bodies = functionsOf(module)
  const entries = bodies.filter(({ kind }) => kind === 'entry')
  const f = entry === null && entries.length === 1 ? entries[0] : entries.find(({ name }) => name === entry)
  if (f === undefined) {
    const there = entries.map(({ name }) => name).join(', ')
    return E.left(
      failure(
        'ptx.entry',
        entry === null
          ? `expected the name of one of ${String(entries.length)} entries: ${there}`
          : `there is no entry ${entry}; there is ${there === '' ? 'none' : there}`,
      ),
    )
  }
  const e = emitter()
  const m: Making = {
    e,
    module,
    file,
    labels: [],
    functions: new Map(),
    waiting: [],
    shared: 0,
    author: -1,
    inlined: new Map(),
  }
  const outer = scope(null)
  const variables: Stored[] = []
  for (const item of module.items)
    if (item._tag === 'variable') {
      declareVariable(m, outer, item)
      if ((item.space === 'global' || item.space === 'const') && item.linkage !== 'extern')
        variables.push(stored(e, item))
    }
  for (const one of bodies)
    if (one.kind === 'func')
      m.functions.set(one.name, {
        label: newLabel(m, one.name),
        formals: formalsOf(m, one.parameters ?? []),
        results: formalsOf(m, one.results),
      })
  const parameters = entryParameters(f)
  const inside = scope(outer)
  for (const p of parameters)
    inside.names.set(p.name, { _tag: 'parameter', offset: p.offset, bytes: p.bytes })
  statements(m, inside, f, f.body ?? [])
  emit(e, { _tag: 'exit' }, null)
  const starts = [0]
  for (let i = 0; i < m.waiting.length && e.failed === null; i++) {
    starts.push(e.code.length)
    functionBody(
      m,
      outer,
      bodies.find(({ name }) => name === m.waiting[i])!,
    )
  }
  if (e.failed !== null) return E.left(e.failed)
  const placed = e.code.map(({ site, guard, operation: o }): WarpInstruction => {
    const at = (label: number): number => m.labels[label]!.pc
    return o._tag === 'branch'
      ? { site, guard, operation: { _tag: 'branch', target: at(o.target), join: null } }
      : o._tag === 'branchIndexed'
        ? {
            site,
            guard,
            operation: { _tag: 'branchIndexed', index: o.index, targets: o.targets.map(at), join: null },
          }
        : o._tag === 'call'
          ? { site, guard, operation: { _tag: 'call', target: at(o.target) } }
          : { site, guard, operation: o }
  })
  const constants = new Map([...e.constants].map(([word, row]) => [row, word] as const))
  const peeked = withPeeks({
    code: withSpins(waiting(placed)),
    constants,
    zero: constant(e, 0),
    newRow: () => newRow(e),
    newPredicate: () => newPredicate(e),
  })
  const { code, loops, loopCount } = flowing(peeked.code, starts.map(peeked.moved))
  const last = parameters[parameters.length - 1]
  const dynamicAlign = module.items.reduce(
    (n, item) => (item._tag === 'variable' && item.space === 'shared' ? Math.max(n, alignOf(item)) : n),
    16,
  )
  return E.right({
    program: {
      name: f.name,
      arch: module.targets[0]?.startsWith('sm_10') === true ? 'sm100a' : 'sm90a',
      code,
      constants: [...e.constants].map(([word, row]) => ({ row, word })),
      givens: [...e.givens.values()],
      rows: e.rows,
      predicates: e.predicates,
      loops,
      loopCount,
      sites: e.sites,
      parameterBytes: last === undefined ? 0 : last.offset + last.bytes,
      sharedBytes: m.shared,
      sharedAlign: dynamicAlign,
      localBytes: up(e.local, 16),
      variables,
      threads: numbersOf(f, 'reqntid'),
      cluster: numbersOf(f, 'reqnctapercluster'),
    },
    parameters,
    positions: e.positions,
  })
}
