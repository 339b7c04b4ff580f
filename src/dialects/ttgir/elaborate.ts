/**
 * From a module and a launch to a program.
 *
 * Each operation is one call of `dialects/ttng` (`operations.ts`); what has regions is here. The text says warps, partitions, encodings and types;
 * a launch says what the text does not: the grid, and which tensors stand behind pointers and descriptors (`arguments.ts`).
 *
 * | parameter of `tt.func`                               | in the program                                        |
 * |------------------------------------------------------|-------------------------------------------------------|
 * | `%K: i32`                                            | a scalar `K`                                          |
 * | `%a: !tt.ptr<f16>`                                   | a tensor, of the shape that the launch gives          |
 * | `%da: !tt.tensordesc<...>`, then its extents and strides | a descriptor of a tensor, and scalars             |
 *
 * A label is the name of the operation's result, or its name and line where it has none.
 *
 * Source: Triton 3.6, its lowering.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../failure.js'
import { block, located, typeHere, type Build, type Steps } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Expr } from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Program, Spec } from '../../semantics/language/program.js'
import * as T from '../ttng/index.js'
import type { Launch } from './arguments.js'
import { sharedEncoding, tensorMemoryEncoding } from './encodings.js'
import { inFlightIn, keyOf } from './flight.js'
import { bytesOf, dtypeOf, elementOf, scalarOf, shapeOf } from './kinds.js'
import { labelOf, placed, refusedAt, rows, valueOf, type Here } from './operations.js'
import { showType } from './show.js'
import {
  attributeOf,
  type Location,
  type Module,
  type Operation,
  type Parameter,
  type Region,
  type Type,
} from './syntax.js'

export interface Elaborate extends Launch {
  /** the function, if there are several that could be meant */
  readonly function?: string
  /** what it is to compute */
  readonly computes?: Spec
}

// ---------------------------------------------------------------- looking around

/** Operations of regions, those in partitions too. */
const everyOperation = (operations: ReadonlyArray<Operation>): ReadonlyArray<Operation> =>
  operations.flatMap((op) => [
    op,
    ...everyOperation(op.regions.flatMap((r) => r.blocks.flatMap((b) => b.operations))),
  ])

/** A name for each operation that no other has: that of its result, or its own and its line. */
const labelsOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<Operation, string> => {
  const taken = new Set<string>()
  const labels = new Map<Operation, string>()
  for (const op of operations) {
    const loop = op.name === 'scf.for' ? op.regions[0]?.blocks[0]?.parameters[0]?.name : undefined
    const base =
      loop ?? op.names[0]?.name ?? `${op.name.slice(op.name.indexOf('.') + 1)} ${String(op.at.line)}`
    let label = base
    for (let k = 2; taken.has(label); k++) label = `${base}.${String(k)}`
    taken.add(label)
    labels.set(op, label)
  }
  return labels
}

/** `kernel.py:31` */
const placeIn = (m: Module, l: Location | null): string | null => {
  switch (l?._tag) {
    case 'file':
      return `${l.file}:${String(l.line)}`
    case 'name':
      return placeIn(m, l.of)
    case 'call':
      return placeIn(m, l.callee) ?? placeIn(m, l.caller)
    case 'fused':
      return l.of.reduce<string | null>((found, of) => found ?? placeIn(m, of), null)
    case 'alias': {
      const definition = m.definitions.find(({ name }) => name === l.name)
      return definition?.location == null ? null : placeIn(m, definition.location)
    }
    default:
      return null
  }
}

const numberAttribute = (m: Module, name: string): number | null => {
  const a = attributeOf(m.attributes, name)
  return a?._tag === 'integer' ? Number(a.value) : null
}

const listAttribute = (op: Operation, name: string): ReadonlyArray<number> => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'array' ? a.items.flatMap((i) => (i._tag === 'integer' ? [Number(i.value)] : [])) : []
}

// ---------------------------------------------------------------- regions

const operationsOf = (region: Region | undefined): ReadonlyArray<Operation> =>
  region?.blocks[0]?.operations ?? []

/** What stands before the last operation of a region, and the values that the last one hands on. */
const run = function* (h: Here, region: Region | undefined): Steps<ReadonlyArray<Expr>> {
  const operations = operationsOf(region)
  for (const op of operations) {
    if (op.name === 'scf.yield' || op.name === 'ttg.warp_yield') {
      const values: Expr[] = []
      for (const value of op.operands['values'] ?? []) values.push(yield* valueOf(h, op, value))
      return values
    }
    if (op.name === 'ttg.warp_return' || op.name === 'tt.return') return []
    yield* one(h, op)
  }
  return []
}

/** An operation, at its place in the source; what it gives is known from here on. */
const one = (h: Here, op: Operation): Build<void> => {
  const body = function* (): Steps<void> {
    const row = rows[op.name] ?? structured[op.name]
    if (row === undefined) return yield* refusedAt(op, 'an operation that can be run', 'one that cannot')
    const results = yield* placed(
      op,
      block(() => row(h, op, labelOf(h, op))),
    )
    let from = 0
    for (const { name, count } of op.names) {
      h.values.set(name, results.slice(from, from + count))
      from += count
    }
  }
  const place = placeIn(h.text, op.location)
  return place === null ? block(body) : located(place, body)
}

const inner = (h: Here): Here => ({ ...h, values: new Map(h.values), products: new Map() })

type Named = Readonly<Record<string, Expr>>
const named = (names: ReadonlyArray<string>, values: ReadonlyArray<Expr>): Named =>
  Object.fromEntries(names.map((name, k) => [name, values[k]!]))

/** Exprs by name, as what a call takes; it looks at each of them. */
const untyped = (values: Named): never => checked<never, Named>(values)

// ---------------------------------------------------------------- loops, conditions, reductions

const forLoop = function* (h: Here, op: Operation, label: string): Steps<ReadonlyArray<Expr>> {
  const [variable, ...carried] = op.regions[0]?.blocks[0]?.parameters ?? []
  if (variable === undefined) return yield* refusedAt(op, 'a variable', 'none')
  const bounds: Expr[] = []
  for (const name of ['lowerBound', 'upperBound', 'step'])
    bounds.push(yield* valueOf(h, op, op.operands[name]![0]!))
  const iterArgs: Record<string, Expr> = {}
  for (const [k, p] of carried.entries()) {
    const value = yield* valueOf(h, op, op.operands['initArgs']![k]!)
    const type = yield* isFlight(value)
    iterArgs[p.name] =
      h.flying.has(keyOf(p.name, null)) && !type
        ? yield* T.inFlight(p.name, checked<never, Expr>(value), h.from)
        : value
  }
  const [from, to, step] = bounds.map((e) => checked<never, Expr>(e))
  const region = op.regions[0]
  const loop = function* (index: Expr, args: Named): Steps<Named> {
    const here = inner(h)
    here.values.set(variable.name, [index])
    for (const p of carried) here.values.set(p.name, [args[p.name]!])
    const values = yield* run(here, region)
    return named(
      carried.map((p) => p.name),
      values,
    )
  }
  const options = { from: from!, to: to!, step: step! }
  if (carried.length === 0) {
    yield* T.scfFor(label, options, function* (index) {
      yield* loop(index, {})
    })
    return []
  }
  const results = checked<Named, unknown>(
    yield* T.scfFor(label, { ...options, iterArgs: untyped(iterArgs) }, function* (index: Expr, args: Named) {
      return untyped(yield* loop(index, args))
    }),
  )
  return carried.map((p) => results[p.name]!)
}

const isFlight = (e: Expr): Build<boolean> =>
  block(function* () {
    const type = yield* typeHere(e)
    return type._tag === 'view' && type.space === 'regs'
  })

const condition = function* (h: Here, op: Operation, label: string): Steps<ReadonlyArray<Expr>> {
  const test = checked<never, Expr>(yield* valueOf(h, op, op.operands['condition']![0]!))
  const names = op.results.map((_, k) => `${label}.${String(k)}`)
  const [then, otherwise] = op.regions
  const side = (region: Region | undefined) =>
    function* (): Steps<never> {
      return untyped(named(names, yield* run(inner(h), region)))
    }
  if (names.length === 0) {
    yield* T.scfIf(label, test, side(then), side(otherwise))
    return []
  }
  const results = checked<Named, unknown>(yield* T.scfIf(label, test, side(then), side(otherwise)))
  return names.map((name) => results[name]!)
}

/** Operations that a reduction may combine two numbers with, as expressions. */
const combining: Readonly<Record<string, (x: never, y: never) => Expr>> = {
  'arith.addf': X.add,
  'arith.addi': X.add,
  'arith.mulf': X.mul,
  'arith.muli': X.mul,
  'arith.maxnumf': X.max,
  'arith.minnumf': X.min,
  'arith.maxsi': X.max,
  'arith.minsi': X.min,
  'arith.andi': X.and,
  'arith.ori': X.or,
  'arith.xori': X.xor,
}

const reduction = function* (h: Here, op: Operation, label: string): Steps<ReadonlyArray<Expr>> {
  const [src, ...others] = op.operands['srcs'] ?? []
  const [x, y] = op.regions[0]?.blocks[0]?.parameters ?? []
  const [combine, last, ...more] = operationsOf(op.regions[0])
  const axis = attributeOf(op.attributes, 'axis')
  const of = combine === undefined ? undefined : combining[combine.name]
  const taken = [combine?.operands['lhs']?.[0]?.name, combine?.operands['rhs']?.[0]?.name]
  const isPlain =
    others.length === 0 &&
    more.length === 0 &&
    last?.operands['values']?.[0]?.name === combine?.names[0]?.name &&
    taken[0] === x?.name &&
    taken[1] === y?.name
  if (src === undefined || of === undefined || !isPlain || axis?._tag !== 'integer')
    return yield* refusedAt(
      op,
      `one tensor, combined by one of ${Object.keys(combining).join(', ')}`,
      combine?.name ?? 'nothing',
    )
  const value = checked<never, Expr>(yield* valueOf(h, op, src))
  return [
    yield* T.reduce(label, value, Number(axis.value), (a, b) =>
      checked<never, Expr>(of(checked<never, Expr>(a), checked<never, Expr>(b))),
    ),
  ]
}

// ---------------------------------------------------------------- warp specialisation

const warpSpecialize = function* (h: Here, op: Operation, label: string): Steps<ReadonlyArray<Expr>> {
  const [own, ...partitions] = op.regions
  const captures = op.operands['explicitCaptures'] ?? []
  const values: Expr[] = []
  for (const value of captures) values.push(yield* valueOf(h, op, value))
  const arguments_ = captures.map((_, k) => `capture.${String(k)}`)
  const names = op.results.map((_, k) => `${label}.${String(k)}`)
  const used = usedFromOutside(own)
  const outside = [...h.values].flatMap(([name, list]) =>
    used.has(name) ? list.map((value, k) => [`${name}#${String(k)}`, value] as const) : [],
  )
  const results = checked<Named, unknown>(
    yield* T.warpSpecialize(label, h.module, {
      operands: untyped(named(arguments_, values)),
      default: {
        captures: untyped(Object.fromEntries(outside)),
        body: function* (captured: Named, from: T.Issuer): Steps<never> {
          const here: Here = { ...h, from, values: new Map(h.values) }
          for (const [name, list] of h.values)
            if (used.has(name))
              here.values.set(
                name,
                list.map((_, k) => captured[`${name}#${String(k)}`]!),
              )
          return untyped(named(names, yield* run(here, own)))
        },
      },
      partitions: partitions.map(
        (region) =>
          function* (args: Named, from: T.Issuer): Steps<void> {
            const here: Here = {
              ...h,
              from,
              values: new Map(),
              constants: new Map(),
              acquired: new Map(),
              flying: inFlightIn(region),
            }
            region.blocks[0]?.parameters.forEach((p, k) => {
              here.values.set(p.name, [args[arguments_[k]!]!])
            })
            yield* run(here, region)
          },
      ),
    }),
  )
  return names.map((name) => results[name]!)
}

/** Names that a region takes from around it. */
const usedFromOutside = (region: Region | undefined): ReadonlySet<string> => {
  const inside = everyOperation(operationsOf(region))
  const made = new Set(inside.flatMap((op) => op.names.map(({ name }) => name)))
  return new Set(
    inside.flatMap((op) =>
      Object.values(op.operands).flatMap((values) =>
        values.flatMap(({ name }) => (made.has(name) ? [] : [name])),
      ),
    ),
  )
}

type Structured = (h: Here, op: Operation, label: string) => Steps<ReadonlyArray<Expr>>
const structured: Readonly<Record<string, Structured>> = {
  'scf.for': forLoop,
  'scf.if': condition,
  'tt.reduce': reduction,
  'ttg.warp_specialize': warpSpecialize,
}

// ---------------------------------------------------------------- the function

/** What the parameters are: a descriptor takes those behind it, its extents and its strides. */
const declare = function* (h: Here, op: Operation, launch: Launch): Steps<void> {
  const parameters = op.regions[0]?.blocks[0]?.parameters ?? []
  let skip = 0
  for (const [k, p] of parameters.entries()) {
    if (skip > 0) {
      skip -= 1
      continue
    }
    if (p.type._tag === 'descriptor') {
      const rank = shapeOf(p.type.block).length
      const behind = parameters.slice(k + 1, k + 1 + 2 * rank)
      yield* descriptor(h, op, p, behind, launch)
      skip = 2 * rank
    } else if (p.type._tag === 'pointer') {
      const given = launch.tensors.get(p.name)
      const dtype = dtypeOf(p.type.pointee)
      if (given === undefined || dtype === null)
        return yield* refusedAt(op, `a tensor for %${p.name}: ${showType(p.type)}`, 'none')
      const { shape, strides, role } = given
      h.values.set(p.name, [yield* T.ptrArg(p.name, dtype, { shape, strides, role })])
    } else {
      const dtype = scalarOf(p.type)
      if (dtype === null) return yield* refusedAt(op, `a scalar for %${p.name}`, showType(p.type))
      h.values.set(p.name, [yield* T.scalarArg(p.name, dtype)])
    }
  }
}

const descriptor = function* (
  h: Here,
  op: Operation,
  p: Parameter,
  behind: ReadonlyArray<Parameter>,
  launch: Launch,
): Steps<void> {
  const block_: Type = p.type._tag === 'descriptor' ? p.type.block : p.type
  const given = launch.tensors.get(p.name)
  const dtype = dtypeOf(elementOf(block_))
  if (given === undefined || dtype === null)
    return yield* refusedAt(op, `a tensor for %${p.name}: ${showType(p.type)}`, 'none')
  const encoding = sharedEncoding(h.text, block_._tag === 'tensor' ? block_.encoding : null)
  if (E.isLeft(encoding)) return yield* refusedAt(op, 'an encoding', encoding.left.message)
  const spec = encoding.right
  if (spec._tag !== 'nvmma_shared')
    return yield* refusedAt(op, `an nvmma_shared encoding of %${p.name}`, spec._tag)
  const { desc, shape, strides } = yield* T.tensordescArg(p.name, dtype, shapeOf(block_), spec, {
    tensor: given.tensor,
    role: given.role,
    names: behind.map(({ name }) => name),
  })
  h.values.set(p.name, [desc])
  ;[...shape, ...strides].forEach((e, k) => {
    h.values.set(behind[k]!.name, [e])
  })
}

/** Columns of tensor memory that the function's allocations take together, as `tcgen05.alloc` takes them. */
const columnsOf = (m: Module, operations: ReadonlyArray<Operation>): number => {
  const columns = operations
    .filter((op) => op.name === 'ttng.tmem_alloc')
    .map((op) => {
      const type = op.results[0]
      if (type?._tag !== 'memdesc') return 0
      const encoding = tensorMemoryEncoding(m, type.encoding)
      const stride =
        E.isRight(encoding) && encoding.right._tag === 'tensor_memory' ? encoding.right.colStride : 1
      // a column is four bytes of each of 128 lanes; fewer rows take as many
      const lanes = type.shape[type.shape.length - 2] ?? 1
      return ((bytesOf(type) * stride) / 4 / lanes) * Math.ceil(lanes / 128)
    })
    .reduce((sum, n) => sum + n, 0)
  return columns === 0 ? 0 : Math.max(32, 2 ** Math.ceil(Math.log2(columns)))
}

/**
 * The program of a function of a module. The text does not say which buffers share bytes: those that fit have bytes of their own, and where they do
 * not, a buffer begins where one that was given back began.
 */
export const elaborate = (m: Module, launch: Elaborate): E.Either<Failure, Program> => {
  const apart = elaborated(m, launch, false)
  return E.isLeft(apart) && apart.left.code === 'A1' ? elaborated(m, launch, true) : apart
}

const elaborated = (m: Module, launch: Elaborate, shares: boolean): E.Either<Failure, Program> => {
  const functions = m.operations.filter((op) => op.name === 'tt.func')
  const nameOf = (op: Operation): string => {
    const a = attributeOf(op.attributes, 'sym_name')
    return a?._tag === 'symbol' ? a.name : ''
  }
  const isPublic = (op: Operation): boolean => {
    const a = attributeOf(op.attributes, 'sym_visibility')
    return a?._tag === 'word' && a.word === 'public'
  }
  const wanted = functions.find((op) =>
    launch.function === undefined ? isPublic(op) : nameOf(op) === launch.function,
  )
  if (wanted === undefined)
    return E.left(
      failure(
        'ttgir.name',
        `expected a public function${launch.function === undefined ? '' : ` @${launch.function}`}, found ${functions.map((f) => `@${nameOf(f)}`).join(', ') || 'none'}`,
      ),
    )
  const target = attributeOf(m.attributes, 'ttg.target')
  const operations = everyOperation([wanted])
  const specialized = operations.filter((op) => op.name === 'ttg.warp_specialize')
  const [first, ...others] = specialized
  const registers = first === undefined ? [] : listAttribute(first, 'requestedRegisters')
  const partitions = (first === undefined ? [] : listAttribute(first, 'partitionNumWarps')).map(
    (numWarps, k) => ({
      numWarps,
      ...(registers[k] === undefined ? {} : { requestedRegisters: registers[k] }),
    }),
  )
  if (others.length > 0)
    return E.left(
      failure(
        'ttgir.operation',
        `${String(others[0]!.at.line)}: expected one warp_specialize, found another`,
      ),
    )
  if (target?._tag !== 'string' || (target.value !== 'cuda:90' && target.value !== 'cuda:100'))
    return E.left(
      failure(
        'ttgir.target',
        `expected ttg.target = "cuda:90" or "cuda:100", found ${target?._tag === 'string' ? target.value : 'none'}`,
      ),
    )
  const columns = columnsOf(m, operations)
  const maps = new Map(
    operations
      .filter((op) => op.name === 'ttng.reinterpret_tensor_descriptor')
      .map((op) => [op.operands['rawDesc']?.[0]?.name ?? '', op.results[0]!] as const),
  )
  return T.func(
    {
      numWarps: numberAttribute(m, 'ttg.num-warps') ?? 4,
      numCtas: numberAttribute(m, 'ttg.num-ctas') ?? 1,
      target: target.value,
      partitions,
    },
    nameOf(wanted),
    { grid: launch.grid, ...(launch.computes === undefined ? {} : { computes: launch.computes }) },
    function* (module) {
      const h: Here = {
        text: m,
        module,
        from: module.from,
        grid: launch.grid,
        values: new Map(),
        constants: new Map(),
        acquired: new Map(),
        products: new Map(),
        freed: shares ? [] : null,
        maps,
        flying: inFlightIn(wanted.regions[0]!),
        labels: labelsOf(operations),
      }
      yield* declare(h, wanted, launch)
      if (columns > 0) yield* T.tcgen5GlobalAlloc('tensor memory', columns)
      yield* run(h, wanted.regions[0])
      if (columns > 0) yield* T.tcgen5GlobalDealloc('tensor memory, given back', columns)
    },
  )
}
