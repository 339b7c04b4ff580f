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
import type {
  BinaryName,
  Combine,
  CompareName,
  ConvertName,
  ExprNode,
  PlaceName,
  UnaryName,
} from '../language/expression.js'
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
  either,
  fields,
  finite,
  integer,
  list,
  nat,
  oneOf,
  pair,
  record,
  refined,
  tagged,
  text,
} from '../../wire.js'

// ---------------------------------------------------------------- words

const tag = <T extends string>(name: T): Wire<T> => oneOf(name)
const dtype: Wire<Dtype> = define('Dtype', () => oneOf<Dtype>(...dtypes))
const sumDtype: Wire<FloatDtype | 'i32'> = oneOf<FloatDtype | 'i32'>(...floatDtypes, 'i32')
const scalarName: Wire<ScalarName> = define('ScalarName', () =>
  oneOf<ScalarName>('i1', 'i32', 'i64', ...floatDtypes),
)
const space: Wire<Space> = oneOf<Space>('gmem', 'smem', 'tmem', 'regs')
const contract: Wire<Contract> = oneOf<Contract>('ptx', 'pallas')
const nats: Wire<ReadonlyArray<number>> = list(nat)
const integers: Wire<ReadonlyArray<number>> = list(integer)
const swizzleSpan: Wire<16 | 32 | 64 | 128> = oneOf<16 | 32 | 64 | 128>(16, 32, 64, 128)
const rounding: Wire<'rn' | 'rz'> = oneOf<'rn' | 'rz'>('rn', 'rz')
const fill: Wire<'zero' | 'nan'> = oneOf<'zero' | 'nan'>('zero', 'nan')

// ---------------------------------------------------------------- layouts

const refWire: Wire<TransformedRef> = define('TransformedRef', () => {
  const plain = record<TransformedRef>()(
    'a ref',
    {
      _tag: tag('TransformedRef'),
      shape: nats,
      bits: nat,
      tiling: list(nats),
      strides: nats,
      byteOffset: nat,
      swizzle: swizzleSpan,
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

// ---------------------------------------------------------------- types

const scalarType: Wire<ScalarType> = record<ScalarType>()(
  'a scalar type',
  { _tag: tag('scalar'), dtype: scalarName },
  {},
)
const ptrType: Wire<PtrType> = record<PtrType>()('a pointer type', { _tag: tag('ptr'), dtype }, {})

type TypeCase<K extends Type['_tag']> = Extract<Type, { readonly _tag: K }>
export const typeWire: Wire<Type> = define('Type', () =>
  tagged<Type>()('a type', {
    scalar: scalarType,
    ptr: ptrType,
    view: record<TypeCase<'view'>>()('a view type', { _tag: tag('view'), space, dtype, layout: refWire }, {}),
    barrier: record<TypeCase<'barrier'>>()(
      'a barrier type',
      { _tag: tag('barrier'), contract, ordersTensorCore: bool, shape: nats },
      {},
    ),
    descriptor: record<TypeCase<'descriptor'>>()(
      'a descriptor type',
      { _tag: tag('descriptor'), dtype, rank: nat },
      {},
    ),
    tile: record<TypeCase<'tile'>>()(
      'a tile type',
      {
        _tag: tag('tile'),
        shape: nats,
        element: tagged<ScalarType | PtrType>()('an element', { scalar: scalarType, ptr: ptrType }),
        layout,
      },
      {},
    ),
    token: record<TypeCase<'token'>>()('a token type', { _tag: tag('token') }, {}),
  }),
)

// ---------------------------------------------------------------- expressions

type Node<K extends ExprNode['_tag']> = Extract<ExprNode, { readonly _tag: K }>

const expr: Wire<ExprNode> = define('Expr', () => exprCases)
const exprs: Wire<ReadonlyArray<ExprNode>> = list(expr)

const combine: Wire<Combine> = define('Combine', () =>
  record<Combine>()(
    'a combination',
    {
      params: pair(text),
      body: list(record<Combine['body'][number]>()('a let', { name: text, value: expr }, {})),
      result: expr,
    },
    {},
  ),
)

const exprCases: Wire<ExprNode> = tagged<ExprNode>()('an expression', {
  const: record<Node<'const'>>()(
    'a constant',
    { _tag: tag('const'), dtype: scalarName, value: either('a number or text', finite, text) },
    {},
  ),
  name: record<Node<'name'>>()('a name', { _tag: tag('name'), name: text }, {}),
  local: record<Node<'local'>>()('a frame slot', { _tag: tag('local'), slot: nat }, {}),
  place: record<Node<'place'>>()(
    'a place',
    {
      _tag: tag('place'),
      of: oneOf<PlaceName>('agent', 'warp', 'ctaRank', 'clusterId', 'programId', 'gridDim'),
      axis: nat,
    },
    {},
  ),
  dim: record<Node<'dim'>>()('an extent', { _tag: tag('dim'), param: text, axis: nat }, {}),
  unary: record<Node<'unary'>>()(
    'a unary operation',
    {
      _tag: tag('unary'),
      op: oneOf<UnaryName>(...unaryOps, ...specialUnaryNames),
      mode: oneOf<'rn' | 'approx'>('rn', 'approx'),
      x: expr,
    },
    {},
  ),
  binary: record<Node<'binary'>>()(
    'a binary operation',
    {
      _tag: tag('binary'),
      op: oneOf<BinaryName>(
        'add',
        'sub',
        'mul',
        'min',
        'max',
        'quo',
        'rem',
        'div',
        'mod',
        'and',
        'or',
        'xor',
        'shl',
        'shrS',
        'shrU',
        'fdiv',
        ...specialBinaryNames,
      ),
      x: expr,
      y: expr,
    },
    {},
  ),
  fma: record<Node<'fma'>>()('a fused multiply-add', { _tag: tag('fma'), x: expr, y: expr, z: expr }, {}),
  compare: record<Node<'compare'>>()(
    'a comparison',
    {
      _tag: tag('compare'),
      op: oneOf<CompareName>('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
      signed: bool,
      x: expr,
      y: expr,
    },
    {},
  ),
  select: record<Node<'select'>>()('a selection', { _tag: tag('select'), cond: expr, x: expr, y: expr }, {}),
  convert: record<Node<'convert'>>()(
    'a conversion',
    {
      _tag: tag('convert'),
      op: oneOf<ConvertName>('trunc', 'extS', 'extU', 'cast', 'bitcast'),
      to: scalarName,
      rounding,
      saturate: bool,
      x: expr,
    },
    {},
  ),
  pack: record<Node<'pack'>>()('a packing', { _tag: tag('pack'), to: scalarName, parts: exprs }, {}),
  unpack: record<Node<'unpack'>>()(
    'an unpacking',
    { _tag: tag('unpack'), to: scalarName, part: nat, x: expr },
    {},
  ),
  iota: record<Node<'iota'>>()(
    'an iota',
    { _tag: tag('iota'), shape: nats, axis: nat, start: integer, layout },
    {},
  ),
  splat: record<Node<'splat'>>()('a splat', { _tag: tag('splat'), x: expr, shape: nats, layout }, {}),
  broadcast: record<Node<'broadcast'>>()(
    'a broadcast',
    { _tag: tag('broadcast'), x: expr, shape: nats, layout },
    {},
  ),
  expandDims: record<Node<'expandDims'>>()(
    'an expandDims',
    { _tag: tag('expandDims'), x: expr, axis: nat, layout },
    {},
  ),
  reshape: record<Node<'reshape'>>()('a reshape', { _tag: tag('reshape'), x: expr, shape: nats, layout }, {}),
  transpose: record<Node<'transpose'>>()(
    'a transpose',
    { _tag: tag('transpose'), x: expr, perm: nats, layout },
    {},
  ),
  reduce: record<Node<'reduce'>>()(
    'a reduction',
    { _tag: tag('reduce'), x: expr, axis: nat, combine, layout },
    {},
  ),
  convertLayout: record<Node<'convertLayout'>>()(
    'a conversion of layout',
    { _tag: tag('convertLayout'), x: expr, layout },
    {},
  ),
  vote: record<Node<'vote'>>()(
    'a vote',
    { _tag: tag('vote'), of: oneOf<'any' | 'all'>('any', 'all'), x: expr },
    {},
  ),
  item: record<Node<'item'>>()('an item', { _tag: tag('item'), x: expr }, {}),
  paramPtr: record<Node<'paramPtr'>>()('a pointer', { _tag: tag('paramPtr'), param: text }, {}),
  addptr: record<Node<'addptr'>>()('an addptr', { _tag: tag('addptr'), ptr: expr, offset: expr }, {}),
  storage: record<Node<'storage'>>()('a storage', { _tag: tag('storage'), storage: text }, {}),
  tensor: record<Node<'tensor'>>()('a tensor', { _tag: tag('tensor'), param: text }, {}),
  descriptor: record<Node<'descriptor'>>()('a descriptor', { _tag: tag('descriptor'), param: text }, {}),
  slot: record<Node<'slot'>>()('a slot', { _tag: tag('slot'), of: expr, index: expr }, {}),
  slice: record<Node<'slice'>>()('a slice', { _tag: tag('slice'), of: expr, starts: exprs, sizes: nats }, {}),
  transposeView: record<Node<'transposeView'>>()(
    'a transposed view',
    { _tag: tag('transposeView'), of: expr, perm: nats },
    {},
  ),
  reshapeView: record<Node<'reshapeView'>>()(
    'a reshaped view',
    { _tag: tag('reshapeView'), of: expr, shape: nats },
    {},
  ),
  reinterpret: record<Node<'reinterpret'>>()(
    'a reinterpreted view',
    { _tag: tag('reinterpret'), of: expr, dtype, layout: refWire },
    {},
  ),
  remote: record<Node<'remote'>>()('a remote view', { _tag: tag('remote'), of: expr, rank: expr }, {}),
})

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
    case 'enum':
      return oneOf(...field.of)
  }
}
const completionForm: Wire<unknown> = fields<unknown>(
  'a completion',
  new Map<string, AnyWire>([
    ['barrier', expr],
    ['when', expr],
  ]),
  new Map<string, AnyWire>([['multicast', expr]]),
)

const isOptional = (field: Field): boolean =>
  (field._tag === 'operand' || field._tag === 'bool') && field.optional

/** The form of an instruction is its signature. */
const instructionForm = (name: string): AnyWire => {
  const all = isInstructionName(name) ? Object.entries(signatureOf(name).fields) : []
  const select = (optional: boolean): ReadonlyArray<readonly [string, AnyWire]> =>
    all.filter(([, field]) => isOptional(field) === optional).map(([key, field]) => [key, fieldWire(field)])
  return fields<unknown>(name, new Map([['_tag', oneOf(name)], ...select(false)]), new Map(select(true)))
}

export const instructionWire: Wire<InstructionShape> = define('Instruction', () => instructionCases)
const instructionCases: Wire<InstructionShape> = byTag<InstructionShape>(
  'an instruction',
  new Map(instructionNames.map((name) => [name, instructionForm(name)])),
)

// ---------------------------------------------------------------- statements

const binder: Wire<Binder> = define('Binder', () =>
  record<Binder>()('a binder', { name: text, type: typeWire }, {}),
)
const binders: Wire<ReadonlyArray<Binder>> = list(binder)
const site: Wire<Site> = define('Site', () =>
  record<Site>()('a site', { label: text, path: list(text) }, { loc: text }),
)
const carried: Wire<ReadonlyArray<Unindexed<Carried>>> = list(
  record<Unindexed<Carried>>()('a carried value', { binder, init: expr }, {}),
)
const region: Wire<Unindexed<Region>> = define('Region', () =>
  record<Unindexed<Region>>()('a region', { params: binders, body: list(stmt), yields: exprs }, {}),
)
const branch: Wire<Unindexed<Branch>> = define('Branch', () =>
  record<Unindexed<Branch>>()(
    'a branch',
    {
      agent: text,
      captures: list(
        record<Unindexed<Branch['captures'][number]>>()('a capture', { binder, value: expr }, {}),
      ),
      body: region,
    },
    {},
  ),
)

type Statement<K extends Stmt['_tag']> = Unindexed<Extract<Stmt, { readonly _tag: K }>>
const stmt: Wire<Unindexed<Stmt>> = define('Stmt', () => stmtCases)
const stmtCases: Wire<Unindexed<Stmt>> = tagged<Unindexed<Stmt>>()('a statement', {
  Let: record<Statement<'Let'>>()('a let', { _tag: tag('Let'), binder, expr, site }, {}),
  Do: record<Statement<'Do'>>()(
    'a do',
    { _tag: tag('Do'), results: binders, instruction: instructionWire, site },
    { when: expr },
  ),
  For: record<Statement<'For'>>()(
    'a for',
    {
      _tag: tag('For'),
      index: binder,
      from: expr,
      to: expr,
      step: expr,
      carried,
      body: region,
      results: binders,
      site,
    },
    {},
  ),
  While: record<Statement<'While'>>()(
    'a while',
    { _tag: tag('While'), carried, before: region, after: region, results: binders, site },
    {},
  ),
  If: record<Statement<'If'>>()(
    'an if',
    { _tag: tag('If'), cond: expr, then: region, else: region, results: binders, site },
    {},
  ),
  Fork: record<Statement<'Fork'>>()(
    'a fork',
    { _tag: tag('Fork'), branches: list(branch), results: binders, site },
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
        name: text,
        dtype,
        shape: exprs,
        strides: exprs,
        role: oneOf<'in' | 'out' | 'inout'>('in', 'out', 'inout'),
      },
      {},
    ),
    scalar: record<ScalarParam>()(
      'a scalar parameter',
      { _tag: tag('scalar'), name: text, dtype: scalarName },
      {},
    ),
    descriptor: record<Unindexed<DescriptorParam>>()(
      'a descriptor parameter',
      {
        _tag: tag('descriptor'),
        name: text,
        tensor: text,
        dims: exprs,
        strides: exprs,
        box: nats,
        elementStrides: nats,
        swizzle: swizzleSpan,
        fill,
      },
      {},
    ),
  }),
)

const agent: Wire<Agent> = define('Agent', () =>
  record<Agent>()(
    'an agent',
    {
      name: text,
      kind: oneOf<Agent['kind']>('warpgroup', 'warp', 'partition'),
      firstWarp: nat,
      warps: nat,
    },
    { registers: nat },
  ),
)

const contents: Wire<Contents> = tagged<Contents>()('the contents of a storage', {
  elements: record<Extract<Contents, { readonly _tag: 'elements' }>>()(
    'elements',
    { _tag: tag('elements'), dtype, layout: refWire },
    {},
  ),
  barriers: record<Extract<Contents, { readonly _tag: 'barriers' }>>()(
    'barriers',
    { _tag: tag('barriers'), contract, ordersTensorCore: bool, shape: nats },
    {},
  ),
})

const storage: Wire<Storage> = define('Storage', () =>
  record<Storage>()(
    'a storage',
    {
      id: text,
      space,
      owner: either(
        "'cta' or an agent",
        oneOf('cta'),
        record<{ readonly agent: string }>()('an owner', { agent: text }, {}),
      ),
      contents,
      bits: nat,
      align: refined(nat, 'a positive integer', (n): n is number => n > 0, { type: 'integer', minimum: 1 }),
    },
    {
      offset: nat,
      alias: record<NonNullable<Storage['alias']>>()('a membership', { union: text, member: nat }, {}),
    },
  ),
)

const launch: Wire<Unindexed<Launch>> = record<Unindexed<Launch>>()(
  'a launch',
  { grid: exprs, cluster: integers, agents: list(agent) },
  {},
)

const spec: Wire<Spec> = define('Spec', () =>
  tagged<Spec>()('a specification', {
    matmul: record<Extract<Spec, { readonly _tag: 'matmul' }>>()(
      'a matmul',
      { _tag: tag('matmul'), a: text, b: text, out: text, accumulator: sumDtype, blockK: nat },
      {
        saturate: bool,
        scales: record<Scales>()('scales', { a: text, b: text, block: oneOf(16, 32) }, {}),
      },
    ),
    copy: record<Extract<Spec, { readonly _tag: 'copy' }>>()(
      'a copy',
      { _tag: tag('copy'), from: text, out: text },
      {},
    ),
  }),
)

export const programWire: Wire<ProgramShape> = define('Program', () =>
  record<ProgramShape>()(
    'a program',
    {
      schema: oneOf(programSchema),
      name: text,
      arch: oneOf<Program['arch']>('sm90a', 'sm100a'),
      params: list(param),
      launch,
      storage: list(storage),
      entry: region,
    },
    { computes: spec },
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

/** From text. */
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

/** To text, one line. */
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
