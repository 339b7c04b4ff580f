/**
 * `ttng`: tensor maps, made on the device or given, and the copies that take them.
 *
 * Source: Triton 3.6, dialect ttng.
 */
import { block, type Build, type Steps } from '../../../semantics/writing/builder.js'
import { checked } from '../../../semantics/language/index-types.js'
import * as T from '../../ttng/index.js'
import { refusedAt, type Here, type Rows } from './here.js'
import { shapeOf } from './kinds.js'
import { dtypeHere, number, operand, operands, options, resultType, when, word } from './operands.js'
import { type Operation } from '../text/syntax.js'
import { own } from '../../../own.js'

/** The numbers that values are, where they are constants. */
const constantsOf = (h: Here, op: Operation, name: string): Build<ReadonlyArray<number>> =>
  block(function* () {
    const found: number[] = []
    for (const value of own(op.operands, name) ?? []) {
      const n = h.constants.get(value.name)
      if (n === undefined) return yield* refusedAt(op, `constants for ${name}`, `%${value.name}`)
      found.push(n)
    }
    return found
  })

/** How the CTAs of a cluster share what is moved. */
const dealtTo = (h: Here, op: Operation): { readonly cga?: T.CgaLayout } => {
  const cga = h.dealt.get(op)
  return cga === undefined || cga.length === 0 ? {} : { cga }
}

/** What the compiler puts before a copy whose buffer lies over what threads have touched. */
const fence = function* (h: Here, op: Operation, label: string): Steps<void> {
  if (h.placement.fenced.has(op)) yield* T.fenceAsyncShared(`${label}.fence`, { bCluster: false })
}

export const copyRows: Rows = {
  'ttng.tensormap_create': function* (h, op, label) {
    const attribute = (name: string) => number(op, name)
    yield* T.tensormapCreate(
      label,
      yield* operand(h, op, 'desc_ptr'),
      yield* operand(h, op, 'global_address'),
      yield* constantsOf(h, op, 'box_dim'),
      yield* operands(h, op, 'global_dim'),
      yield* operands(h, op, 'global_stride'),
      yield* constantsOf(h, op, 'element_stride'),
      {
        ...options(h),
        elemType: checked<0, number>(yield* attribute('elem_type')),
        interleaveLayout: checked<0, number>(yield* attribute('interleave_layout')),
        swizzleMode: checked<0, number>(yield* attribute('swizzle_mode')),
        fillMode: checked<0, number>(yield* attribute('fill_mode')),
      },
    )
    return []
  },
  'ttng.tensormap_fenceproxy_acquire': function* (h, op, label) {
    const pointer = op.operands['desc_ptr']?.[0]?.name ?? ''
    const type = h.maps.get(pointer)
    if (type?._tag !== 'descriptor')
      return yield* refusedAt(op, 'a pointer that is used as a tensor descriptor later', `%${pointer}`)
    const acquired = yield* T.tensormapFenceproxyAcquire(label, yield* operand(h, op, 'desc_ptr'), {
      dtype: yield* dtypeHere(op, type.block),
      rank: shapeOf(type.block).length,
    })
    h.acquired.set(pointer, acquired)
    return []
  },
  'ttng.reinterpret_tensor_descriptor': function* (h, op, label) {
    const pointer = op.operands['rawDesc']?.[0]?.name ?? ''
    const acquired = h.acquired.get(pointer)
    const type = resultType(op)
    if (acquired === undefined || type._tag !== 'descriptor')
      return yield* refusedAt(op, 'a tensor map that has been acquired', `%${pointer}`)
    return [
      yield* T.reinterpretTensorDescriptor(label, acquired, {
        dtype: yield* dtypeHere(op, type.block),
        rank: shapeOf(type.block).length,
      }),
    ]
  },
  'ttng.async_tma_copy_global_to_local': function* (h, op, label) {
    yield* fence(h, op, label)
    yield* T.asyncTmaCopyGlobalToLocal(
      label,
      yield* operand(h, op, 'desc'),
      yield* operands(h, op, 'coord'),
      yield* operand(h, op, 'result'),
      yield* operand(h, op, 'barrier'),
      { ...options(h), ...(yield* when(h, op)), ...dealtTo(h, op) },
    )
    return []
  },
  'ttng.async_tma_copy_local_to_global': function* (h, op, label) {
    yield* T.asyncTmaCopyLocalToGlobal(
      label,
      yield* operand(h, op, 'desc'),
      yield* operands(h, op, 'coord'),
      yield* operand(h, op, 'src'),
      { ...options(h), ...dealtTo(h, op) },
    )
    return []
  },
  'ttng.async_tma_reduce': function* (h, op, label) {
    yield* T.asyncTmaReduce(
      label,
      checked<'add', string>(word(op, 'kind') ?? ''),
      yield* operand(h, op, 'desc'),
      yield* operands(h, op, 'coord'),
      yield* operand(h, op, 'src'),
      options(h),
    )
    return []
  },
  'ttng.async_tma_gather': function* (h, op, label) {
    yield* fence(h, op, label)
    yield* T.asyncTmaGather(
      label,
      yield* operand(h, op, 'desc'),
      yield* operand(h, op, 'x_offsets'),
      yield* operand(h, op, 'y_offset'),
      yield* operand(h, op, 'result'),
      yield* operand(h, op, 'barrier'),
      { ...options(h), ...(yield* when(h, op)) },
    )
    return []
  },
  'ttng.async_tma_scatter': function* (h, op, label) {
    yield* T.asyncTmaScatter(
      label,
      yield* operand(h, op, 'desc'),
      yield* operand(h, op, 'x_offsets'),
      yield* operand(h, op, 'y_offset'),
      yield* operand(h, op, 'src'),
      options(h),
    )
    return []
  },
  'ttng.async_tma_store_wait': function* (_, op, label) {
    yield* T.asyncTmaStoreWait(label, yield* number(op, 'pendings'))
    return []
  },
}
