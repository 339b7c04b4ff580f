/**
 * Codecs: programs as JSON, schema `tcspec.program/1`.
 *
 * The JSON of a program is the program: the same keys, the same tags, nothing abbreviated. So encoding is the identity and all
 * the work is in decoding, which must not believe anything: a form for each type of the core, the form of an
 * instruction from its signature, and then validation.
 *
 *     decodeProgram: unknown -> Either<Failure, Program>
 *     $.entry.body[3].instruction.count: expected an integer of 0 or more, found -1
 *
 * A decoded program has no indices that tsc could know. `withProgram` opens it by continuation: the caller says what to do with
 * any `Program`, after validation has made the indices true.
 *
 * Laws
 * 1. `decodeProgram(encodeProgram(p)) = p` for every valid p, through JSON text too.
 * 2. An error of form is one line and names the first place that is wrong.
 * 3. A form that is not that of a program is refused with `json.form`; a program that is not valid, with validation's code.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { refuse } from '../../failure.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { registerLayoutWire } from '../../layouts/layout-wire.js'
import { unaryOps } from '../../numerics/algebra.js'
import { type Dtype, dtypes, floatDtypes, type FloatDtype } from '../../numerics/dtype.js'
import { specialBinaryNames, specialUnaryNames } from '../../numerics/special-functions/names.js'
import type { TransformedRef } from '../../transforms/ref.js'
import * as Ref from '../../transforms/ref.js'
import type { BinaryName, Combine, ExprNode, NodePart, UnaryName } from '../language/expression.js'
import { binaryNames, nodeRows, type RowPart } from '../language/nodes.js'
import type {
  Agent,
  Binder,
  Branch,
  Carried,
  Contents,
  DescriptorParam,
  Launch,
  Param,
  Program,
  Region,
  ScalarParam,
  Site,
  Scales,
  Spec,
  Stmt,
  Storage,
  TensorParam,
} from '../language/program.js'
import { programSchema } from '../language/program.js'
import type { Field } from '../language/field.js'
import type { InstructionName } from '../language/instruction.js'
import { fieldMeanings, meanings, particular } from '../language/rows.js'
import { instructionNames, isInstructionName, signatureOf } from '../language/signature.js'
import type { Contract, PtrType, ScalarName, ScalarType, Space, Type } from '../language/types.js'
import type { InstructionShape, ProgramShape, Unindexed, ValidationCode } from '../language/validate.js'
import { validate } from '../language/validate.js'
import type { AnyWire, Wire } from '../../wire.js'
import {
  bool,
  byTag,
  decode,
  define,
  described,
  either,
  fields,
  finite,
  integer,
  line,
  list,
  nat,
  positive,
  oneOf,
  pair,
  record,
  refined,
  tagged,
  text,
} from '../../wire.js'

// ---------------------------------------------------------------- words

const tag = <T extends string>(name: T): Wire<T> => described(oneOf(name), 'which form this is')
const dtype: Wire<Dtype> = define('Dtype', () => oneOf<Dtype>(...dtypes))
const sumDtype: Wire<FloatDtype | 'i32'> = oneOf<FloatDtype | 'i32'>(...floatDtypes, 'i32')
const scalarName: Wire<ScalarName> = define('ScalarName', () =>
  oneOf<ScalarName>('i1', 'i32', 'i64', ...floatDtypes),
)
const space: Wire<Space> = oneOf<Space>('gmem', 'smem', 'tmem', 'regs')
const contract: Wire<Contract> = oneOf<Contract>('ptx', 'pallas')
const nats: Wire<ReadonlyArray<number>> = list(nat)
const extents: Wire<ReadonlyArray<number>> = described(nats, 'extent of every dimension')
const elementDtype: Wire<Dtype> = described(dtype, 'type of the elements')
const integers: Wire<ReadonlyArray<number>> = list(integer)
const swizzleSpan: Wire<16 | 32 | 64 | 128> = oneOf<16 | 32 | 64 | 128>(16, 32, 64, 128)
const fill: Wire<'zero' | 'nan'> = oneOf<'zero' | 'nan'>('zero', 'nan')

// ---------------------------------------------------------------- layouts

const refWire: Wire<TransformedRef> = define('TransformedRef', () => {
  const plain = record<TransformedRef>()(
    'a ref',
    {
      _tag: tag('TransformedRef'),
      shape: described(nats, 'extent of every dimension, in elements'),
      bits: described(nat, 'bits of an element'),
      tiling: described(list(nats), 'tiles that cut the trailing dimensions, the outermost first'),
      strides: described(nats, 'strides of the tiled dimensions, in elements'),
      byteOffset: described(nat, 'the offset of element 0 from the base'),
      swizzle: described(swizzleSpan, 'span of the swizzle of the absolute address, in bytes; 16 is none'),
    },
    {},
  )
  return refined(
    plain,
    'a legal ref',
    (ref): ref is TransformedRef => E.isRight(Ref.check(ref)),
    plain.schema,
    (ref) =>
      pipe(
        Ref.check(ref),
        E.match(
          ({ message }) => `a legal ref (${message})`,
          () => 'a legal ref',
        ),
      ),
  )
})

const layout: Wire<RegisterLayout | 'any'> = either(
  "a register layout or 'any'",
  oneOf('any'),
  registerLayoutWire,
)

const registers: Wire<RegisterLayout | 'any'> = described(
  layout,
  'which lane holds which element; `any`: it does not matter',
)

// ---------------------------------------------------------------- types

const barrierFields: {
  readonly contract: Wire<Contract>
  readonly ordersTensorCore: Wire<boolean>
  readonly shape: Wire<ReadonlyArray<number>>
} = {
  contract: described(contract, 'the rules that their users must follow: those of PTX, or those of Pallas'),
  ordersTensorCore: described(bool, 'whether arrives and waits carry tensor-core order'),
  shape: described(nats, '[] is one barrier, [n] an array of them'),
}
const scalarType: Wire<ScalarType> = record<ScalarType>()(
  'a scalar type',
  { _tag: tag('scalar'), dtype: described(scalarName, 'which scalar') },
  {},
)
const ptrType: Wire<PtrType> = record<PtrType>()(
  'a pointer type',
  { _tag: tag('ptr'), dtype: described(dtype, 'what it points to') },
  {},
)

type TypeCase<K extends Type['_tag']> = Extract<Type, { readonly _tag: K }>
export const typeWire: Wire<Type> = define('Type', () =>
  tagged<Type>()('a type', {
    scalar: scalarType,
    ptr: ptrType,
    view: record<TypeCase<'view'>>()(
      'a view type',
      {
        _tag: tag('view'),
        space: described(space, 'the memory'),
        dtype: elementDtype,
        layout: described(refWire, 'the offset of each element from the base'),
      },
      {},
    ),
    barrier: record<TypeCase<'barrier'>>()(
      'a barrier type',
      {
        _tag: tag('barrier'),
        contract: barrierFields.contract,
        ordersTensorCore: barrierFields.ordersTensorCore,
        shape: barrierFields.shape,
      },
      {},
    ),
    descriptor: record<TypeCase<'descriptor'>>()(
      'a descriptor type',
      { _tag: tag('descriptor'), dtype: elementDtype, rank: described(nat, 'number of dimensions') },
      {},
    ),
    tile: record<TypeCase<'tile'>>()(
      'a tile type',
      {
        _tag: tag('tile'),
        shape: extents,
        element: described(
          tagged<ScalarType | PtrType>()('an element', { scalar: scalarType, ptr: ptrType }),
          'type of the elements',
        ),
        layout: registers,
      },
      {},
    ),
    token: record<TypeCase<'token'>>()('a token type', { _tag: tag('token') }, {}),
  }),
)

// ---------------------------------------------------------------- expressions

const expr: Wire<ExprNode> = define('Expr', () => exprCases)
const exprs: Wire<ReadonlyArray<ExprNode>> = list(expr)

const combine: Wire<Combine> = define('Combine', () =>
  record<Combine>()(
    'a combination',
    {
      params: described(pair(line), 'names of the two values that are combined'),
      body: described(
        list(
          record<Combine['body'][number]>()(
            'a let',
            { name: described(line, 'name of the value'), value: described(expr, 'what it is') },
            {},
          ),
        ),
        'named intermediate values',
      ),
      result: described(expr, 'the combined value'),
    },
    {},
  ),
)

/** What stands in a part of a node, by its word. */
const parts: {
  readonly [W in Exclude<NodePart['word'], 'choice'>]: Wire<Extract<NodePart, { readonly word: W }>['value']>
} = {
  expr,
  'expr ...': exprs,
  text,
  bool,
  nat,
  'nat ...': nats,
  integer,
  scalar: scalarName,
  dtype,
  literal: either('a number or text', finite, text),
  ref: refWire,
  layout,
  unary: oneOf<UnaryName>(...unaryOps, ...specialUnaryNames),
  binary: oneOf<BinaryName>(...binaryNames, ...specialBinaryNames),
  combine,
}
const partWire: ReadonlyMap<string, AnyWire> = new Map(Object.entries(parts))

/** The form of a node is its row. */
const nodeForm = (name: string, row: ReadonlyArray<RowPart>): AnyWire =>
  fields<unknown>(
    name,
    new Map<string, AnyWire>([
      ['_tag', tag(name)],
      ...row.map((part): readonly [string, AnyWire] => [
        part.name,
        described(partWire.get(part.word) ?? oneOf(...part.of), part.meaning),
      ]),
    ]),
    new Map(),
  )
const exprCases: Wire<ExprNode> = byTag<ExprNode>(
  'an expression',
  new Map([...nodeRows].map(([name, row]) => [name, nodeForm(name, row)])),
)

export const exprWire: Wire<ExprNode> = expr

// ---------------------------------------------------------------- instructions

const fieldWire = (field: Field): AnyWire => {
  switch (field._tag) {
    case 'operand':
      return expr
    case 'operands':
      return exprs
    case 'completions':
      return list(define<unknown>('Completion', () => completionForm))
    case 'nat':
      return nat
    case 'nats':
      return nats
    case 'bool':
      return bool
    case 'dtype':
      return dtype
    case 'text':
      return text
    case 'enum':
      return oneOf(...field.of)
  }
}
const completionForm: Wire<unknown> = fields<unknown>(
  'a completion',
  new Map<string, AnyWire>([
    ['barrier', described(expr, fieldMeanings.barrier)],
    ['when', described(expr, fieldMeanings.when)],
  ]),
  new Map<string, AnyWire>([['multicast', described(expr, fieldMeanings.multicast)]]),
)

const isOptional = (field: Field): boolean =>
  (field._tag === 'operand' || field._tag === 'bool' || field._tag === 'nats' || field._tag === 'text') &&
  field.optional

const general: ReadonlyMap<string, string> = new Map(Object.entries(fieldMeanings))
/** The form of an instruction is its signature. */
const instructionForm = (name: InstructionName): AnyWire => {
  const all = Object.entries(signatureOf(name).fields)
  const own: Readonly<Record<string, string>> = particular[name] ?? {}
  const select = (optional: boolean): ReadonlyArray<readonly [string, AnyWire]> =>
    all
      .filter(([, field]) => isOptional(field) === optional)
      .map(([key, field]) => [key, described(fieldWire(field), own[key] ?? general.get(key) ?? '')])
  return described(
    fields<unknown>(
      name,
      new Map([['_tag', described(oneOf(name), 'name of the instruction')], ...select(false)]),
      new Map(select(true)),
    ),
    meanings[name],
  )
}

export const instructionWire: Wire<InstructionShape> = define('Instruction', () => instructionCases)
const instructionCases: Wire<InstructionShape> = byTag<InstructionShape>(
  'an instruction',
  new Map(instructionNames.filter(isInstructionName).map((name) => [name, instructionForm(name)])),
)

// ---------------------------------------------------------------- statements

const binder: Wire<Binder> = define('Binder', () =>
  record<Binder>()(
    'a binder',
    { name: described(line, 'the name'), type: described(typeWire, 'type of the value') },
    {},
  ),
)
const binders: Wire<ReadonlyArray<Binder>> = list(binder)
const site: Wire<Site> = define('Site', () =>
  record<Site>()(
    'a site',
    {
      label: described(line, 'what findings call the statement'),
      path: described(list(line), 'labels of the enclosing scopes, the outermost first'),
    },
    { loc: described(line, '`file:line:column` of the text that it came from') },
  ),
)
const at: Wire<Site> = described(site, 'the statement, for findings')
const carried: Wire<ReadonlyArray<Unindexed<Carried>>> = list(
  record<Unindexed<Carried>>()(
    'a carried value',
    {
      binder: described(binder, 'its name in every iteration'),
      init: described(expr, 'its value in the first iteration'),
    },
    {},
  ),
)
const carriedOn: typeof carried = described(carried, 'values that an iteration passes to the next')
const region: Wire<Unindexed<Region>> = define('Region', () =>
  record<Unindexed<Region>>()(
    'a region',
    {
      params: described(binders, 'names of the arguments of the region'),
      body: described(list(stmt), 'statements, in program order'),
      yields: described(exprs, 'values for the statement that contains the region'),
    },
    {},
  ),
)
const branch: Wire<Unindexed<Branch>> = define('Branch', () =>
  record<Unindexed<Branch>>()(
    'a branch',
    {
      agent: described(line, 'the agent that runs it; of the first branch, the parent itself'),
      captures: described(
        list(
          record<Unindexed<Branch['captures'][number]>>()(
            'a capture',
            {
              binder: described(binder, 'its name in the branch'),
              value: described(expr, 'the value at the fork'),
            },
            {},
          ),
        ),
        'values that the branch gets from its parent',
      ),
      body: described(region, 'what it runs'),
    },
    {},
  ),
)

type Statement<K extends Stmt['_tag']> = Unindexed<Extract<Stmt, { readonly _tag: K }>>
const stmt: Wire<Unindexed<Stmt>> = define('Stmt', () => stmtCases)
const stmtCases: Wire<Unindexed<Stmt>> = tagged<Unindexed<Stmt>>()('a statement', {
  Let: record<Statement<'Let'>>()(
    'a let',
    {
      _tag: tag('Let'),
      binder: described(binder, 'the name'),
      expr: described(expr, 'what it names'),
      site: at,
    },
    {},
  ),
  Do: record<Statement<'Do'>>()(
    'a do',
    {
      _tag: tag('Do'),
      results: described(binders, 'names of its results'),
      instruction: described(instructionWire, 'what is done'),
      site: at,
    },
    { when: described(expr, 'the statement is skipped where this is false') },
  ),
  For: record<Statement<'For'>>()(
    'a for',
    {
      _tag: tag('For'),
      index: described(binder, 'name of the index'),
      from: described(expr, 'the first index'),
      to: described(expr, 'the end of the range, which is not included'),
      step: described(expr, 'the step of the index'),
      carried: carriedOn,
      body: described(region, 'the loop body; it yields the values of the next iteration'),
      results: described(binders, 'names of the carried values after the loop'),
      site: at,
    },
    {},
  ),
  While: record<Statement<'While'>>()(
    'a while',
    {
      _tag: tag('While'),
      carried: carriedOn,
      before: described(region, 'yields the condition, then what `after` is given'),
      after: described(region, 'the rest of the loop body; it yields the values of the next iteration'),
      results: described(binders, 'names of the values that `before` yields, after the loop'),
      site: at,
    },
    {},
  ),
  If: record<Statement<'If'>>()(
    'an if',
    {
      _tag: tag('If'),
      cond: described(expr, 'the condition'),
      then: described(region, 'the branch for true'),
      else: described(region, 'the branch for false'),
      results: described(binders, 'names of what the region has yielded'),
      site: at,
    },
    {},
  ),
  Fork: record<Statement<'Fork'>>()(
    'a fork',
    {
      _tag: tag('Fork'),
      branches: described(list(branch), 'regions that run at the same time; the parent runs the first'),
      results: described(binders, 'names of the values that the first branch yields'),
      site: at,
    },
    {},
  ),
})

// ---------------------------------------------------------------- programs

const param: Wire<Unindexed<Param>> = define('Param', () =>
  tagged<Unindexed<Param>>()('a parameter', {
    tensor: record<Unindexed<TensorParam>>()(
      'a tensor parameter',
      {
        _tag: tag('tensor'),
        name: described(line, 'its name'),
        dtype: elementDtype,
        shape: described(exprs, 'extent of every dimension'),
        strides: described(exprs, 'stride of every dimension, in elements'),
        role: described(
          oneOf<'in' | 'out' | 'inout'>('in', 'out', 'inout'),
          'what the kernel does with it: an `out` is written in every element',
        ),
      },
      {},
    ),
    scalar: record<ScalarParam>()(
      'a scalar parameter',
      {
        _tag: tag('scalar'),
        name: described(line, 'its name, in scope everywhere'),
        dtype: described(scalarName, 'its type'),
      },
      {},
    ),
    descriptor: record<Unindexed<DescriptorParam>>()(
      'a descriptor parameter',
      {
        _tag: tag('descriptor'),
        name: described(line, 'its name'),
        tensor: described(line, 'name of the tensor that it describes'),
        dims: described(exprs, 'extent of every dimension, outermost first'),
        strides: described(exprs, 'stride of every dimension, in elements'),
        box: described(nats, fieldMeanings.box),
        elementStrides: described(nats, 'for every dimension, the step between copied elements'),
        swizzle: described(swizzleSpan, fieldMeanings.swizzle),
        fill: described(fill, fieldMeanings.fill),
      },
      {
        padded: described(
          bool,
          '4-bit elements have gaps in shared memory: 16 elements in 16 bytes; 6-bit elements always have them',
        ),
      },
    ),
  }),
)

const agent: Wire<Agent> = define('Agent', () =>
  record<Agent>()(
    'an agent',
    {
      name: described(line, 'its name'),
      kind: described(oneOf<Agent['kind']>('warpgroup', 'warp', 'partition'), 'its role in the CTA'),
      firstWarp: described(nat, 'its first warp in its CTA'),
      warps: described(nat, 'number of its warps: 1, 2, 4, 8, 16 or 32'),
    },
    { registers: described(nat, 'registers of a thread at the start') },
  ),
)

const contents: Wire<Contents> = tagged<Contents>()('the contents of a storage', {
  elements: record<Extract<Contents, { readonly _tag: 'elements' }>>()(
    'elements',
    {
      _tag: tag('elements'),
      dtype: elementDtype,
      layout: described(refWire, 'the offset of each element from the base'),
    },
    {},
  ),
  barriers: record<Extract<Contents, { readonly _tag: 'barriers' }>>()(
    'barriers',
    {
      _tag: tag('barriers'),
      contract: barrierFields.contract,
      ordersTensorCore: barrierFields.ordersTensorCore,
      shape: barrierFields.shape,
    },
    {},
  ),
})

const storage: Wire<Storage> = define('Storage', () =>
  record<Storage>()(
    'a storage',
    {
      id: described(line, 'its name'),
      space: described(space, 'its memory'),
      owner: described(
        either(
          "'cta' or an agent",
          oneOf('cta'),
          record<{ readonly agent: string }>()(
            'an owner',
            { agent: described(line, 'name of the agent') },
            {},
          ),
        ),
        'its owner: each CTA has its own, or one agent has it',
      ),
      contents: described(contents, 'elements under a layout, or barriers'),
      bits: described(nat, 'its size'),
      align: described(positive, 'alignment of its offset, in bytes'),
    },
    {
      offset: described(nat, 'its offset in the memory, in bytes; without it, the library chooses one'),
      alias: described(
        record<NonNullable<Storage['alias']>>()(
          'a membership',
          {
            union: described(line, 'all members of a union begin at the same offset'),
            member: described(
              nat,
              'storages of one member follow each other; storages of different members overlap',
            ),
          },
          {},
        ),
        'storages that may overlap',
      ),
    },
  ),
)

const launch: Wire<Unindexed<Launch>> = record<Unindexed<Launch>>()(
  'a launch',
  {
    grid: described(exprs, 'CTAs along each axis'),
    cluster: described(integers, 'CTAs of a cluster along each axis'),
    agents: described(list(agent), 'the agents of a CTA'),
  },
  {},
)

const spec: Wire<Spec> = define('Spec', () =>
  tagged<Spec>()('a specification', {
    matmul: record<Extract<Spec, { readonly _tag: 'matmul' }>>()(
      'a matmul',
      {
        _tag: tag('matmul'),
        a: described(line, 'name of the left factor, (m, k)'),
        b: described(line, 'name of the right factor, (k, n)'),
        out: described(line, 'name of the product, (m, n)'),
        accumulator: described(sumDtype, 'type of the sums'),
        blockK: described(nat, 'number of products along k that one instruction adds'),
      },
      {
        transposed: described(
          oneOf('a', 'b', 'both'),
          'factors that are stored transposed: a as (k, m), b as (n, k)',
        ),
        transposedOut: described(bool, 'whether the product is stored transposed, as (n, m)'),
        epilogue: described(
          bool,
          'whether sums and products with numbers and with elements of other tensors may come after the product',
        ),
        saturate: described(
          bool,
          'whether every instruction saturates sums of integers at the limits of 32 bits, instead of wrapping',
        ),
        scales: described(
          record<Scales>()(
            'scales',
            {
              a: described(line, 'tensor of the scales of the rows of a'),
              b: described(line, 'tensor of the scales of the columns of b'),
              block: described(oneOf(16, 32), 'elements of k that share a scale'),
            },
            {},
          ),
          'each element is first multiplied by its scale',
        ),
      },
    ),
    copy: record<Extract<Spec, { readonly _tag: 'copy' }>>()(
      'a copy',
      {
        _tag: tag('copy'),
        from: described(line, 'name of the tensor that is copied'),
        out: described(line, 'name of the copy'),
      },
      {},
    ),
  }),
)

export const programWire: Wire<ProgramShape> = define('Program', () =>
  record<ProgramShape>()(
    'a program',
    {
      schema: described(oneOf(programSchema), 'name and version of this schema'),
      name: described(line, 'name of the kernel'),
      arch: described(oneOf<Program['arch']>('sm90a', 'sm100a'), 'the chip that it is for'),
      params: described(list(param), 'tensors and numbers that a launch gives it'),
      launch: described(launch, 'the grid, the cluster and the agents'),
      storage: described(list(storage), 'memory and barriers that it declares'),
      entry: described(region, 'statements of every agent that no fork starts'),
    },
    {
      computes: described(spec, 'what the outputs must be'),
      fences: described(
        oneOf('lowered'),
        'whether the compiler that lowers it inserts the proxy fences that its language leaves out',
      ),
    },
  ),
)

// ---------------------------------------------------------------- codecs

/** The program as JSON data. */
export const encodeProgram = (program: Program): ProgramShape => program

/** A valid program, or the first thing that is wrong with the data. */
export const decodeProgram = (json: unknown): E.Either<Failure<'json.form' | ValidationCode>, Program> =>
  pipe(decode(programWire, 'json.form')(json), E.chainW(validate))

/** Opens a program that comes from outside: `k` is handed it only if it is valid. */
export const withProgram = <E1 extends Failure, A>(
  json: unknown,
  k: (program: Program) => E.Either<E1, A>,
): E.Either<Failure<'json.form' | ValidationCode> | E1, A> => pipe(decodeProgram(json), E.chainW(k))

/**
 * From text.
 *
 * @example
 * ```ts
 * import { codec } from 'tensorcore-spec/semantics'
 *
 * const read = codec.parseProgram('{"schema":"tcspec.program/1"}')
 * console.log(read._tag === 'Left' ? read.left.message : read.right.name) // $.name: expected a string, found nothing
 * ```
 */
export const parseProgram = (
  source: string,
): E.Either<Failure<'json.syntax' | 'json.form' | ValidationCode>, Program> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(source),
      (why) => String(why),
    ),
    E.match(
      (why): E.Either<Failure<'json.syntax' | 'json.form' | ValidationCode>, Program> =>
        refuse('json.syntax', `not JSON: ${why}`),
      decodeProgram,
    ),
  )

/**
 * To text, one line.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import { codec } from 'tensorcore-spec/semantics'
 *
 * const kernel = kernelNamed('zoo/R1')
 * const made = kernel._tag === 'Right' ? instanceOf(kernel.right, {}, []) : kernel
 * const again = made._tag === 'Right' ? codec.parseProgram(codec.printJson(made.right.program)) : made
 * console.log(again._tag === 'Right' ? again.right.name : again.left.message) // zoo/R1
 * ```
 */
export const printJson = (program: Program): string => JSON.stringify(encodeProgram(program))

// ---------------------------------------------------------------- forms that traces share

export {
  contract as contractWire,
  dtype as dtypeWire,
  refWire,
  site as siteWire,
  space as spaceWire,
  spec as specWire,
}
