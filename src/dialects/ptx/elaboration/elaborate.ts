/**
 * A kernel of a module of PTX as a program of warps.
 *
 * Registers become rows, labels indices, variables bytes of a memory; a function that is called has its code behind the entry's. What is not known is
 * refused at its line, before anything runs.
 *
 *     text/ -> opcodes/: which row an instruction is -> a family's record: what it is to a warp
 *
 * A loop that asks one mbarrier until it says yes, and does nothing else, is a wait (flow/spins.ts).
 *
 * Law 1. An instruction that is elaborated is in the table of opcodes, and means what its row says.
 *
 * Source: PTX ISA, directives, control flow, calls.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../../failure.js'
import type { Rewriting } from '../../../semantics/warps/anew.js'
import { withGathered } from '../../../semantics/warps/gathered.js'
import { withPeeks } from '../../../semantics/warps/peeks.js'
import { mostRegisters, registerFile } from '../../../semantics/language/limits.js'
import { withLocks } from '../../../semantics/warps/locks.js'
import { withSpins } from '../../../semantics/warps/spins.js'
import type { NamedBytes } from '../../../semantics/judging/finding.js'
import {
  isOfCta,
  retargeted,
  type Instruction as WarpInstruction,
  type WarpProgram,
} from '../../../semantics/warps/program.js'
import { contractionOf, type Taking } from '../flow/contraction.js'
import { graphOf } from '../flow/graph.js'
import { assertionAt } from '../flow/assertions.js'
import { plain } from '../flow/plain.js'
import { spinsOf, type Spin } from '../flow/spins.js'
import { unreached } from '../flow/unreached.js'
import { resolveFunction, type Code, type Resolved, type Value } from '../opcodes/resolve.js'
import { moduleScope, type Scope } from '../opcodes/scope.js'
import { functionsOf, type Function, type Instruction, type Module, type Parameter } from '../text/module.js'
import type { Position, PtxError } from '../text/position.js'
import { call } from './calls.js'
import { factorsOf, fused, type Factors } from './contraction.js'
import { dispatch } from './dispatch.js'
import {
  constant,
  emit,
  emitter,
  newPredicate,
  newRow,
  type ElaborationError,
  type Emitter,
} from './emitter.js'
import { fencingOf } from './fencing.js'
import { guardOf, source, type Here, type Names } from './here.js'
import { entryNamed } from '../names/entries.js'
import { cxxName } from '../names/itanium.js'
import { readLines, siteLabel, sourceOf, sources, type Sources } from './sources.js'
import {
  declareBody,
  entryParameters,
  sharedAlignOf,
  sharedNames,
  storageOf,
  type EntryParameter,
  type Place,
} from './storage.js'
import { flowing } from './turns.js'

// ---------------------------------------------------------------- model

export type { EntryParameter }

export interface Elaborated {
  readonly program: WarpProgram
  readonly parameters: ReadonlyArray<EntryParameter>
  /** where each site of the program is in the text */
  readonly positions: ReadonlyArray<Position>
  /** the variables of a CTA's shared memory, as their author called them where that can be told, in the order in which they lie */
  readonly shared: ReadonlyArray<NamedBytes>
}

interface Making {
  readonly e: Emitter
  readonly names: Names
  readonly scope: Scope
  readonly sources: Sources
  /** index in the code of each label; labels of a function follow one another, one for each instruction and one behind the last */
  readonly labels: number[]
  /** functions that are called, in the order in which their code follows, with the first of their labels */
  readonly called: Map<Function, { readonly code: Code; readonly label: number }>
  readonly refused: RefusedInstruction[]
}

/** An instruction that has a row in the table of opcodes and does not run. */
export interface RefusedInstruction {
  readonly instruction: Instruction
  readonly failure: Failure<ElaborationError>
}

// ---------------------------------------------------------------- functions

const making = (module: Module, scope: Scope, f: Function, file: string): Making => {
  const e = emitter()
  const names: Names = {
    storage: storageOf(e, module, f.kind === 'entry' ? f : null),
    rows: new Map(),
    predicates: new Map(),
    carry: null,
  }
  return { e, names, scope, sources: sources(module, file), labels: [], called: new Map(), refused: [] }
}

/** A function's instructions resolved; null: something in it is refused. */
const resolved = (m: Making, f: Function): Code | null => {
  const answer = resolveFunction(m.scope)(f)
  if (E.isLeft(answer)) {
    m.e.failed ??= answer.left
    return null
  }
  const [first] = answer.right.refused
  if (first !== undefined) m.e.failed ??= first
  return first === undefined ? plain(answer.right.code) : null
}

const newLabels = (m: Making, code: Code): number => {
  const first = m.labels.length
  for (let k = 0; k <= code.instructions.length; k++) m.labels.push(-1)
  return first
}

/** The label of a function's beginning; its code comes behind what is there already. */
const calledAt = (m: Making, f: Function): number | null => {
  const known = m.called.get(f)
  if (known !== undefined) return known.label
  if (f.body === null) return null
  const code = resolved(m, f)
  if (code === null) return -1
  const label = newLabels(m, code)
  m.called.set(f, { code, label })
  return label
}

const placesOf = (m: Making, ps: ReadonlyArray<Parameter>): ReadonlyArray<Place> =>
  ps.flatMap((p) => m.names.storage.places.get(p)?.get(p.name) ?? [])

// ---------------------------------------------------------------- instructions

const targetOf = (v: Value | undefined, label: number): number =>
  v?._tag === 'label' ? label + v.target : label

const control = (m: Making, h: Here, f: Function, label: number, asserted: () => string): boolean => {
  const { e, guard, operands } = h
  switch (h.form.base) {
    case 'bra':
      emit(e, { _tag: 'branch', target: targetOf(operands['target'], label), join: null }, guard)
      return true
    case 'brx.idx': {
      const list = operands['targets']
      const targets = list?._tag === 'targets' ? list.labels.map((l) => label + l.target) : []
      const index = source(h, operands['index'], 'u32')[0]!
      emit(e, { _tag: 'branchIndexed', index, targets, join: null }, guard)
      return true
    }
    case 'call':
      call(
        h,
        {
          labelOf: (callee) => calledAt(m, callee),
          placesOf: (callee) => ({
            formals: placesOf(m, callee.parameters ?? []),
            results: placesOf(m, callee.results),
          }),
          asserted,
        },
        f,
      )
      return true
    case 'ret':
      emit(e, f.kind === 'entry' ? { _tag: 'exit' } : { _tag: 'return' }, guard)
      return true
    case 'exit':
      emit(e, { _tag: 'exit' }, guard)
      return true
    case 'trap':
      emit(e, { _tag: 'trap', why: 'the program traps here', asserted: false }, guard)
      return true
    default:
      return false
  }
}

/** An instruction; `spins` as in `Here`. `back`: it is never come to, and goes to that label, if any. */
const instruction = (
  m: Making,
  f: Function,
  label: number,
  r: Resolved,
  spins: boolean,
  back: Idle | null,
  round: Rounding,
  asserted: () => string,
): void => {
  const { e, names } = m
  const { opcode, at } = r.instruction
  e.at = at
  e.site = e.sites.length
  const { line, column } = sourceOf(m.sources, r.instruction)
  e.sites.push({
    label: siteLabel(line, opcode, at.line),
    path: [cxxName(f.name)?.name ?? f.name],
    loc: `${line}:${String(column)}`,
  })
  e.positions.push(at)
  if (back !== null) {
    emit(e, back.to === null ? { _tag: 'nothing' } : { _tag: 'branch', target: back.to, join: null }, null)
    return
  }
  const h: Here = {
    e,
    names,
    guard: guardOf(e, names, r.guard),
    form: r.form,
    modifiers: r.modifiers,
    operands: r.operands,
    opcode,
    spins,
  }
  if (round.factors !== null) round.factors.set(round.at, factorsOf(h))
  if (round.taking !== null) fused(h, round.taking.how, round.taking.factors)
  else if (!control(m, h, f, label, asserted)) dispatch(h)
}

/** Of one instruction: where its factors are kept, if a sum takes them; what it takes itself. */
interface Rounding {
  readonly at: number
  readonly factors: Map<number, Factors> | null
  readonly taking: { readonly how: Taking; readonly factors: Factors } | null
}

/** What stands in a spin only for turns that go round: a wait makes one turn, so it does nothing, and its blocks end the wait begins. */
interface Idle {
  readonly to: number | null
}
const idleIn = (code: Code, spins: ReadonlyArray<Spin>, label: number): ReadonlyMap<number, Idle> => {
  const { blocks } = graphOf(code)
  const out = new Map<number, Idle>()
  for (const { idle, entry } of spins)
    for (const b of idle) {
      const { first, end } = blocks[b]!
      for (let k = first; k < end; k++) out.set(k, { to: k + 1 < end ? null : label + blocks[entry]!.first })
    }
  return out
}

const functionBody = (m: Making, code: Code, label: number): void => {
  const f = code.function
  readLines(m.sources, f.body ?? [])
  declareBody(m.e, m.names.storage, f)
  const { e } = m
  const spins = spinsOf(code).filter((s) => s.kind === 'mbarrier')
  // a wait that is never come to waits as well as any
  const spinning = new Set([...spins.map((s) => s.test), ...unreached(code)])
  const idle = idleIn(code, spins, label)
  const { products, sums } = contractionOf(code)
  const factors = new Map<number, Factors>()
  const roundingOf = (k: number): Rounding => {
    const how = sums.get(k)
    const taken = how === undefined ? undefined : factors.get(how.product)
    return {
      at: k,
      factors: products.has(k) ? factors : null,
      taking: how === undefined || taken === undefined ? null : { how, factors: taken },
    }
  }
  code.instructions.forEach((r, k) => {
    m.labels[label + k] = e.code.length
    const before = e.failed
    e.failed = null
    instruction(m, f, label, r, spinning.has(k), idle.get(k) ?? null, roundingOf(k), () =>
      assertionAt(code, k),
    )
    if (e.failed !== null) m.refused.push({ instruction: r.instruction, failure: e.failed })
    e.failed = before ?? e.failed
  })
  m.labels[label + code.instructions.length] = e.code.length
  emit(e, f.kind === 'entry' ? { _tag: 'exit' } : { _tag: 'return' }, null)
}

/** The code with labels as what they stand for. */
const placed = (m: Making): ReadonlyArray<WarpInstruction> =>
  m.e.code.map(({ site, guard, operation }) => ({
    site,
    guard,
    operation: retargeted(operation, (label) => m.labels[label]!),
  }))

// ---------------------------------------------------------------- modules

const numbersOf = (f: Function, name: string): ReadonlyArray<number> | null =>
  f.directives.find((d) => d.name === name)?.numbers ?? null

/**
 * Registers of a thread when it begins, as the assembler settles them: `.maxnreg`, or an equal share for the threads and the CTAs that the text names (in each
 * of the four parts of a multiprocessor as many warps), and no more than `setmaxnreg` asks for. Seen of ptxas 13.0.
 *
 *     .maxntid 384 .minnctapersm 1     12 warps, 3 in each part: 16,384 / 96 = 170: 168
 *     .maxntid 256 .minnctapersm 1     256, but 240 where setmaxnreg asks for 240
 */
const registersAtEntry = (f: Function, code: ReadonlyArray<WarpInstruction>): number | null => {
  const product = (xs: ReadonlyArray<number>): number => xs.reduce((n, x) => n * x, 1)
  const [given] = numbersOf(f, 'maxnreg') ?? []
  if (given !== undefined) return given
  const threads = numbersOf(f, 'maxntid') ?? numbersOf(f, 'reqntid')
  const [ctas] = numbersOf(f, 'minnctapersm') ?? []
  if (threads === null || ctas === undefined) return null
  const inEachPart = Math.ceil((Math.ceil(product(threads) / 32) * ctas) / 4)
  const share = Math.floor(registerFile / 4 / (32 * Math.max(1, inEachPart)) / 8) * 8
  const asked = code.reduce(
    (most, { operation: o }) =>
      o._tag === 'setRegisters' && o.action === 'increase' ? Math.max(most, o.count) : most,
    0,
  )
  return Math.min(mostRegisters, share, asked === 0 ? mostRegisters : asked)
}

const entryOf = (module: Module, name: string | null): E.Either<Failure<ElaborationError>, Function> => {
  const entries = functionsOf(module).filter(({ kind }) => kind === 'entry')
  return pipe(
    entryNamed(
      entries.map((one) => one.name),
      name,
    ),
    E.map((symbol) => entries.find((one) => one.name === symbol)!),
  )
}

/** What of a function has a row in the table of opcodes and does not run; it is whole, and so are those that it calls, or nothing is said. */
export const refusedIn = (
  module: Module,
  f: Function,
): E.Either<Failure<PtxError>, ReadonlyArray<RefusedInstruction>> => {
  const scope = moduleScope(module)
  if (E.isLeft(scope)) return scope
  const m = making(module, scope.right, f, '')
  const code = resolved(m, f)
  if (code !== null) functionBody(m, code, newLabels(m, code))
  return E.right(m.refused)
}

/** An entry of a module, by name, or the only one. */
export const elaborate = (
  module: Module,
  entry: string | null,
  file: string,
): E.Either<Failure<ElaborationError>, Elaborated> => {
  const found = entryOf(module, entry)
  if (E.isLeft(found)) return found
  const scope: E.Either<Failure<PtxError>, Scope> = moduleScope(module)
  if (E.isLeft(scope)) return scope
  const f = found.right
  const m = making(module, scope.right, f, file)
  const { e, names } = m
  const code = resolved(m, f)
  const starts: number[] = []
  if (code !== null) {
    starts.push(0)
    functionBody(m, code, newLabels(m, code))
    // a map is walked through what is added meanwhile, too
    for (const { code: behind, label } of m.called.values()) {
      starts.push(e.code.length)
      functionBody(m, behind, label)
    }
  }
  if (e.failed !== null) return E.left(e.failed)
  const constants = new Map([...e.constants].map(([word, row]) => [row, word] as const))
  const rewriting = (code: ReadonlyArray<WarpInstruction>): Rewriting => ({
    code,
    constants,
    zero: constant(e, 0),
    newRow: () => newRow(e),
    newPredicate: () => newPredicate(e),
  })
  const ofCta = new Set([...e.givens.values()].flatMap(({ row, given }) => (isOfCta(given) ? [row] : [])))
  const gathered = withGathered(rewriting(withLocks(withSpins(placed(m), constants), constants)), ofCta)
  const peeked = withPeeks(rewriting(gathered.code))
  const {
    code: flown,
    loops,
    loopCount,
  } = flowing(
    peeked.code,
    starts.map((start) => peeked.moved(gathered.moved(start))),
  )
  const parameters = entryParameters(f)
  const shared = sharedNames(names.storage)
  const last = parameters[parameters.length - 1]
  const reserved: Pick<WarpProgram, 'reserved'> = names.storage.reserved ? { reserved: true } : {}
  return E.right({
    program: {
      ...reserved,
      name: f.name,
      arch: /^sm_1[01]/.test(module.targets[0] ?? '') ? 'sm100a' : 'sm90a',
      code: flown,
      constants: [...e.constants].map(([word, row]) => ({ row, word })),
      givens: [...e.givens.values()],
      rows: e.rows,
      predicates: e.predicates,
      loops,
      loopCount,
      sites: e.sites,
      fences: fencingOf(module, f),
      parameterBytes: last === undefined ? 0 : last.offset + last.bytes,
      sharedBytes: names.storage.shared,
      shared,
      sharedAlign: sharedAlignOf(module),
      localBytes: Math.ceil(e.local / 16) * 16,
      variables: names.storage.variables,
      threads: numbersOf(f, 'reqntid'),
      cluster: numbersOf(f, 'reqnctapercluster'),
      registers: registersAtEntry(f, flown),
    },
    parameters,
    positions: e.positions,
    shared: shared.map(({ name, start, end }) => ({ name, start, end })),
  })
}
