/**
 * From a module and a launch to a program.
 *
 * Each operation is one call of `dialects/ttng` (`operations.ts`). The text says warps, partitions, encodings and types;
 * a launch says what the text does not: the grid, and which tensors stand behind pointers and descriptors (`arguments.ts`).
 *
 * | parameter of `tt.func`                               | in the program                                        |
 * |------------------------------------------------------|-------------------------------------------------------|
 * | `%K: i32`                                            | the number that the launch gives, else a scalar `K`   |
 * | `%a: !tt.ptr<f16>`                                   | a tensor, of the shape that the launch gives          |
 * | `%da: !tt.tensordesc<...>`, then its extents and strides | a descriptor of a tensor, and those of the tensor |
 *
 * What statements are called is in `labels.ts`.
 *
 * Source: Triton 3.6, its lowering.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import { tensorParam, type Steps, type Tensor } from '../../../semantics/writing/builder.js'
import * as X from '../../../semantics/language/expression.js'
import type { Expr } from '../../../semantics/language/expression.js'
import type { Program, Spec } from '../../../semantics/language/program.js'
import type { ScalarName } from '../../../semantics/language/types.js'
import * as T from '../../ttng/index.js'
import type { Launch } from './arguments.js'
import { placementIn } from './buffers.js'
import { sharedEncoding, tensorMemoryEncoding } from './encodings.js'
import { inFlightIn } from './flight.js'
import { reached } from './calls.js'
import { asOneCta, type Dealt } from './clusters.js'
import { quotientsIn, takenIn } from './contraction.js'
import { functionName, functionOf, functionsOf, numberAttribute } from './function.js'
import { refusedAt, type Here } from './here.js'
import { behindPointer, bytesOf, elementOf, scalarOf, shapeOf } from './kinds.js'
import { labelsOf, reservedBy, type Called } from './labels.js'
import { mapsOf } from './maps.js'
import { run } from './operations.js'
import { plainBarriers } from './plain-barriers.js'
import { everyOperation, namesRead, operationsOf } from './regions.js'
import { showType } from '../text/show.js'
import { attributeOf, type Module, type Operation, type Parameter, type Type } from '../text/syntax.js'

export interface Elaborate extends Launch {
  /** the function, if the module has several */
  readonly function?: string
  /** what it is to compute */
  readonly computes?: Spec
  /** what operations are called that have a name already (`labels.ts`) */
  readonly called?: Called
}

const listAttribute = (op: Operation, name: string): ReadonlyArray<number> => {
  const a = attributeOf(op.attributes, name)
  return a?._tag === 'array' ? a.items.flatMap((i) => (i._tag === 'integer' ? [Number(i.value)] : [])) : []
}

// ---------------------------------------------------------------- the function

/** What the parameters are: a descriptor takes those behind it, its extents and its strides. */
const declare = function* (h: Here, op: Operation, launch: Launch): Steps<void> {
  const parameters = op.regions[0]?.blocks[0]?.parameters ?? []
  const tensors = new Map<string, Tensor>()
  const used = namesRead(everyOperation(operationsOf(op.regions[0])))
  let skip = 0
  for (const [k, p] of parameters.entries()) {
    if (skip > 0) {
      skip -= 1
      continue
    }
    if (p.type._tag === 'descriptor') {
      const rank = shapeOf(p.type.block).length
      const behind = parameters.slice(k + 1, k + 1 + 2 * rank)
      const tensor = yield* tensorBehind(op, p, launch, tensors)
      yield* descriptor(h, op, p, behind, launch, tensor)
      skip = 2 * rank
    } else if (p.type._tag === 'pointer' && !launch.tensors.has(p.name)) {
      if (used.has(p.name))
        return yield* refusedAt(op, `a tensor for %${p.name}, which the text uses`, 'a pointer to nothing')
    } else if (p.type._tag === 'pointer') {
      const { ptr } = yield* tensorBehind(op, p, launch, tensors)
      h.values.set(p.name, [ptr])
    } else {
      const dtype = scalarOf(p.type)
      if (dtype === null) return yield* refusedAt(op, `a scalar for %${p.name}`, showType(p.type))
      const given = launch.scalars?.get(p.name)
      h.values.set(p.name, [
        given === undefined ? yield* T.scalarArg(p.name, dtype) : constantOf(dtype, given),
      ])
    }
  }
}

/** The tensor of a pointer or a descriptor; one that another parameter has named is that one. */
const tensorBehind = function* (
  op: Operation,
  p: Parameter,
  launch: Launch,
  tensors: Map<string, Tensor>,
): Steps<Tensor> {
  const given = launch.tensors.get(p.name)
  const dtype = behindPointer(pointedAt(p.type))
  if (given === undefined || dtype === null)
    return yield* refusedAt(op, `a tensor for %${p.name}: ${showType(p.type)}`, 'none')
  const { tensor: name, shape, strides, role } = given
  const known = tensors.get(name)
  if (known !== undefined && known.dtype !== dtype)
    return yield* refusedAt(op, `elements of ${known.dtype} in ${name} for %${p.name}`, dtype)
  const tensor = known ?? (yield* tensorParam(name, dtype, shape, { strides, role }))
  tensors.set(name, tensor)
  return tensor
}

/** What a pointer or a descriptor has elements of. */
const pointedAt = (t: Type): Type => elementOf(t._tag === 'descriptor' ? t.block : t)

const constantOf = (dtype: ScalarName, value: number | bigint): Expr =>
  dtype === 'i64'
    ? X.i64(BigInt(value))
    : dtype === 'i32'
      ? X.i32(Number(value))
      : dtype === 'i1'
        ? X.i1(Number(value) !== 0)
        : X.float(dtype, Number(value))

const descriptor = function* (
  h: Here,
  op: Operation,
  p: Parameter,
  behind: ReadonlyArray<Parameter>,
  launch: Launch,
  tensor: Tensor,
): Steps<void> {
  const block: Type = p.type._tag === 'descriptor' ? p.type.block : p.type
  const encoding = sharedEncoding(h.text, block._tag === 'tensor' ? block.encoding : null)
  if (E.isLeft(encoding)) return yield* refusedAt(op, 'an encoding', encoding.left.message)
  const spec = encoding.right
  if (spec._tag !== 'nvmma_shared')
    return yield* refusedAt(op, `an nvmma_shared encoding of %${p.name}`, spec._tag)
  const name = [...launch.tensors.values()].some((t) => t.tensor === p.name) ? `${p.name}.map` : p.name
  const { shape, strides, padding = 'zero' } = launch.tensors.get(p.name)!
  h.values.set(p.name, [yield* T.hostTensorDescriptor(name, tensor, shapeOf(block), spec, { padding })])
  ;[...shape.map(X.i32), ...strides.map((n) => X.i64(BigInt(n)))].forEach((e, k) => {
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
 * The program of a function of a module.
 *
 * @example
 * ```ts
 * import { elaborate, launchOf, readModule } from 'tensorcore-spec/dialects/ttgir'
 *
 * const text = 'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} { tt.func public @f(%n: i32) { tt.return } }'
 * const read = readModule(text)
 * const launch = read._tag === 'Right' ? launchOf(read.right, { grid: [2], args: { n: 3 } }) : read
 * const program = launch._tag === 'Right' && read._tag === 'Right' ? elaborate(read.right, launch.right) : launch
 * console.log(program._tag === 'Left' ? program.left.message : program.right.arch) // sm90a
 * ```
 */
export const elaborate = (m: Module, launch: Elaborate): E.Either<Failure, Program> =>
  (numberAttribute(m, 'ttg.num-ctas') ?? 1) === 1
    ? ofCta(m, launch, new Map())
    : pipe(
        asOneCta(m),
        E.chain(({ module, dealt, from }) => {
          const { called } = launch
          return called === undefined
            ? ofCta(module, launch, dealt)
            : ofCta(module, { ...launch, called: (op) => called(from.get(op) ?? op) }, dealt)
        }),
      )

const ofCta = (m: Module, launch: Elaborate, dealt: Dealt): E.Either<Failure, Program> => {
  const found = functionOf(m, launch.function)
  if (E.isLeft(found)) return found
  const wanted = found.right
  const named = new Map(functionsOf(m).map((op) => [functionName(op), op] as const))
  const target = attributeOf(m.attributes, 'ttg.target')
  const operations = reached(named, wanted)
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
  const own = everyOperation([wanted])
  const taken = new Set(reservedBy(launch))
  return T.func(
    {
      numWarps: numberAttribute(m, 'ttg.num-warps') ?? 4,
      numCtas: numberAttribute(m, 'ttg.num-ctas') ?? 1,
      target: target.value,
      partitions,
    },
    functionName(wanted),
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
        resets: new Map(),
        contracted: takenIn(m, operations),
        quotients: quotientsIn(operations),
        placement: placementIn(m, wanted),
        plain: plainBarriers(wanted),
        maps: mapsOf(own),
        flying: inFlightIn(wanted.regions[0]!),
        labels: labelsOf(own, taken, launch.called === undefined ? {} : { called: launch.called }),
        taken,
        dealt,
        body: wanted.regions[0],
        functions: named,
        calls: [functionName(wanted)],
        lifted: null,
        run,
      }
      yield* declare(h, wanted, launch)
      if (columns > 0) yield* T.tcgen5GlobalAlloc('tensor memory', columns)
      yield* run(h, wanted.regions[0])
      if (columns > 0) yield* T.tcgen5GlobalDealloc('tensor memory, given back', columns)
    },
  )
}
