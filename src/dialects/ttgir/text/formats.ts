/**
 * How each operation is written: a row is its parser, its printer and its documentation. The notation is that of `format.ts`.
 *
 * Beside the text stands what its results are where the text does not say it:
 *
 * | gives       | the results are                                                       |
 * |-------------|-----------------------------------------------------------------------|
 * | `truth x`   | i1, or as many i1 as `x` has elements, laid out as they are           |
 * | `pointee x` | what the pointer or the pointers `x` point to                         |
 * | `element x` | what the tensor `x` consists of                                       |
 * | `like x`    | of the types of `x`, one for each                                     |
 * | `token`     | one `!ttg.async.token`                                                |
 * | `value`     | of the type of the attribute `value`                                  |
 * | `number`    | i32                                                                   |
 * | `tokens`    | as many `!ttg.async.token` as are named behind those that are written |
 *
 * Operations with regions, and those that carry control elsewhere, have texts of their own (`structure.ts`).
 *
 * Source: Triton 3.6, the operation definitions of tt, ttg and ttng; MLIR, those of arith, math, scf, cf and gpu. Every row was read back by
 * Triton's own parser.
 */

import { piecesOf, type Piece } from './format.js'

export interface Format {
  readonly text: string
  readonly gives?: string
}

const binary: Format = { text: '$lhs , $rhs {} : T(lhs rhs result)' }
const unary: Format = { text: '$operand {} : T(operand result)' }
/** with flags of arithmetic, which stand before the dictionary */
const integerBinary: Format = {
  text: '$lhs , $rhs [? overflow < @overflowFlags:words > ?] {} : T(lhs rhs result)',
}
const floatBinary: Format = { text: '$lhs , $rhs [? fastmath < @fastmath:flags > ?] {} : T(lhs rhs result)' }
const floatUnary: Format = { text: '$operand [? fastmath < @fastmath:flags > ?] {} : T(operand result)' }
const cast: Format = { text: '$in {} : T(in) to T(result)' }
const shapeOf: Format = { text: '$src {} : T(src) -> T(result)' }
const onBarrier: Format = { text: '$alloc {} : T(alloc)' }

export const formats: Readonly<Record<string, Format>> = {
  // ---------------------------------------------------------------- arith

  'arith.constant': { text: '{} @value:any', gives: 'value' },
  'arith.addi': integerBinary,
  'arith.subi': integerBinary,
  'arith.muli': integerBinary,
  'arith.shli': integerBinary,
  'arith.divsi': binary,
  'arith.divui': binary,
  'arith.ceildivsi': binary,
  'arith.ceildivui': binary,
  'arith.floordivsi': binary,
  'arith.remsi': binary,
  'arith.remui': binary,
  'arith.shrsi': binary,
  'arith.shrui': binary,
  'arith.andi': binary,
  'arith.ori': binary,
  'arith.xori': binary,
  'arith.maxsi': binary,
  'arith.maxui': binary,
  'arith.minsi': binary,
  'arith.minui': binary,
  'arith.addf': floatBinary,
  'arith.subf': floatBinary,
  'arith.mulf': floatBinary,
  'arith.divf': floatBinary,
  'arith.remf': floatBinary,
  'arith.maximumf': floatBinary,
  'arith.minimumf': floatBinary,
  'arith.maxnumf': floatBinary,
  'arith.minnumf': floatBinary,
  'arith.negf': floatUnary,
  'arith.cmpi': {
    text: '@predicate:eq|ne|slt|sle|sgt|sge|ult|ule|ugt|uge , $lhs , $rhs {} : T(lhs rhs)',
    gives: 'truth lhs',
  },
  'arith.cmpf': {
    text: '@predicate:false|oeq|ogt|oge|olt|ole|one|ord|ueq|ugt|uge|ult|ule|une|uno|true , $lhs , $rhs [? fastmath < @fastmath:flags > ?] {} : T(lhs rhs)',
    gives: 'truth lhs',
  },
  'arith.select': { text: '$condition , $true , $false {} : [? T(condition) , ?] T(true false result)' },
  'arith.extsi': cast,
  'arith.extui': cast,
  'arith.extf': { text: '$in [? fastmath < @fastmath:flags > ?] {} : T(in) to T(result)' },
  'arith.trunci': { text: '$in [? overflow < @overflowFlags:words > ?] {} : T(in) to T(result)' },
  'arith.truncf': {
    text: '$in [? @roundingmode:to_nearest_even|downward|upward|toward_zero|to_nearest_away ?] [? fastmath < @fastmath:flags > ?] {} : T(in) to T(result)',
  },
  'arith.sitofp': cast,
  'arith.uitofp': cast,
  'arith.fptosi': cast,
  'arith.fptoui': cast,
  'arith.bitcast': cast,
  'arith.index_cast': cast,
  'arith.index_castui': cast,
  'arith.mulsi_extended': { text: '$lhs , $rhs {} : T(lhs rhs low high)' },
  'arith.mului_extended': { text: '$lhs , $rhs {} : T(lhs rhs low high)' },

  // ---------------------------------------------------------------- math

  'math.absf': floatUnary,
  'math.absi': unary,
  'math.ceil': floatUnary,
  'math.cos': floatUnary,
  'math.erf': floatUnary,
  'math.exp': floatUnary,
  'math.exp2': floatUnary,
  'math.floor': floatUnary,
  'math.log': floatUnary,
  'math.log2': floatUnary,
  'math.rsqrt': floatUnary,
  'math.sin': floatUnary,
  'math.sqrt': floatUnary,
  'math.tanh': floatUnary,
  'math.fma': { text: '$a , $b , $c [? fastmath < @fastmath:flags > ?] {} : T(a b c result)' },

  // ---------------------------------------------------------------- scf, gpu, ub

  'scf.yield': { text: '{} [? $values... : T(values...) ?]' },
  'scf.condition': { text: '( $condition ) {} [? $values... : T(values...) ?]' },
  'gpu.barrier': { text: '{}' },
  'ub.poison': { text: '{} : T(result)' },

  // ---------------------------------------------------------------- tt: shapes and elements

  'tt.splat': shapeOf,
  'tt.unsplat': { text: '$src {} : T(src)', gives: 'element src' },
  'tt.broadcast': shapeOf,
  'tt.expand_dims': shapeOf,
  'tt.trans': shapeOf,
  'tt.reshape': {
    text: '$src [? @allow_reorder:flag ?] [? @efficient_layout:flag ?] {} : T(src) -> T(result)',
  },
  'tt.join': { text: '$lhs , $rhs {} : T(lhs rhs) -> T(result)' },
  'tt.split': { text: '$src {} : T(src) -> T(outLHS outRHS)' },
  'tt.cat': { text: '$lhs , $rhs {} : T(lhs rhs) -> T(result)' },
  'tt.make_range': { text: '{} : T(result)' },
  'tt.gather': { text: '$src [ $indices ] {} : F' },
  'tt.histogram': { text: '$src [? , $mask ?] {} : T(src) -> T(result)' },
  'tt.bitcast': shapeOf,
  'tt.int_to_ptr': shapeOf,
  'tt.ptr_to_int': shapeOf,
  'tt.fp_to_fp': { text: '$src {} [? , rounding = @rounding:rtne|rtz ?] : T(src) -> T(result)' },
  'tt.clampf': { text: '$x , $min , $max , propagateNan = @propagateNan:none|all {} : T(x min max result)' },
  'tt.precise_sqrt': { text: '$x {} : T(x result)' },
  'tt.precise_divf': { text: '$x , $y {} : T(x y result)' },
  'tt.mulhiui': { text: '$x , $y {} : T(x y result)' },
  'tt.extern_elementwise': { text: '$args... {} : F' },
  'tt.elementwise_inline_asm': { text: '@asm_string:string {} [? $args... : T(args...) ?] -> T(results...)' },
  'tt.reduce.return': { text: '$values... {} : T(values...)' },
  'tt.scan.return': { text: '$values... {} : T(values...)' },
  'tt.map_elementwise.return': { text: '$values... {} : T(values...)' },

  // ---------------------------------------------------------------- tt: memory, the grid, products

  'tt.addptr': { text: '$ptr , $offset {} : T(ptr result) , T(offset)' },
  'tt.load': {
    text: '$ptr [? , $mask ?] [? , $other ?] [? cacheModifier = @cache:none|ca|cg|wb|cs|wt|cv ?] [? evictionPolicy = @evict:evict_normal|evict_first|evict_last ?] {} : T(ptr)',
    gives: 'pointee ptr',
  },
  'tt.store': {
    text: '$ptr , $value [? , $mask ?] [? cacheModifier = @cache:none|ca|cg|wb|cs|wt|cv ?] [? evictionPolicy = @evict:evict_normal|evict_first|evict_last ?] {} : T(ptr)',
  },
  'tt.atomic_rmw': {
    text: '@atomic_rmw_op:and|or|xor|add|fadd|max|min|umax|umin|exch , @sem:relaxed|acquire|release|acq_rel , @scope:gpu|cta|sys , $ptr , $val [? , $mask ?] {} : F',
  },
  'tt.atomic_cas': {
    text: '@sem:relaxed|acquire|release|acq_rel , @scope:gpu|cta|sys , $ptr , $cmp , $val {} : F',
  },
  'tt.get_program_id': { text: '@axis:x|y|z {} : T(result)' },
  'tt.get_num_programs': { text: '@axis:x|y|z {} : T(result)' },
  'tt.dot': {
    text: '$a , $b , $c [? , inputPrecision = @inputPrecision:tf32|tf32x3|ieee|bf16x3|bf16x6 ?] {} : T(a) * T(b) -> T(c result)',
  },
  'tt.dot_scaled': {
    text: '$a [? scale $a_scale ?] , $b [? scale $b_scale ?] , $c lhs = @a_elem_type:e4m3|e5m2|e2m3|e3m2|e2m1|bf16|fp16 rhs = @b_elem_type:e4m3|e5m2|e2m3|e3m2|e2m1|bf16|fp16 {} : T(a) [? , T(a_scale) ?] * T(b) [? , T(b_scale) ?] -> T(c result)',
  },
  'tt.print': { text: '@prefix:string {} [? : $args... : T(args...) ?]' },
  'tt.assert': { text: '$condition , @message:string {} : T(condition)' },
  'tt.call': { text: '@callee:symbol ( $operands... ) {} : F' },
  'tt.return': { text: '{} [? $values... : T(values...) ?]' },
  'tt.make_tensor_descriptor': {
    text: '$base , [ $shape... ] , [ $strides... ] {} : B(base) , B(result)',
  },

  // ---------------------------------------------------------------- llvm

  'llvm.intr.assume': { text: '$condition {} : T(condition)' },

  // ---------------------------------------------------------------- ttg

  'ttg.convert_layout': shapeOf,
  'ttg.local_alloc': { text: '[? $src ?] {} : F' },
  'ttg.local_dealloc': { text: '$src {} : T(src)' },
  'ttg.local_load': { text: '$src [? token $token ?] {} : T(src) -> T(result)' },
  'ttg.local_store': { text: '$src , $dst {} : T(src) -> T(dst)' },
  'ttg.memdesc_index': { text: '$src [ $index ] {} : T(src) -> T(result)' },
  'ttg.memdesc_subslice': { text: '$src [ @offsets:ints ] {} : T(src) -> T(result)' },
  'ttg.memdesc_trans': shapeOf,
  'ttg.memdesc_reshape': shapeOf,
  'ttg.memdesc_reinterpret': shapeOf,
  'ttg.async_copy_global_to_local': {
    text: '$src , $result [? mask $mask ?] [? other $other ?] [? cacheModifier = @cache:none|ca|cg|wb|cs|wt|cv ?] [? evictionPolicy = @evict:evict_normal|evict_first|evict_last ?] {} : T(src) -> B(result)',
    gives: 'token',
  },
  'ttg.async_commit_group': { text: '[? tokens $inputTokens... ?] {}', gives: 'token' },
  'ttg.async_wait': { text: '[? $asyncToken... ?] {}', gives: 'token' },
  'ttg.fp4_to_fp': shapeOf,
  'ttg.global_scratch_alloc': { text: '{} : T(result)' },
  'ttg.local_barrier': { text: '{}' },
  'ttg.warp_yield': { text: '[? $values... ?] {} [? : T(values...) ?]' },
  'ttg.warp_return': { text: '{}' },

  // ---------------------------------------------------------------- ttng: barriers, fences, clusters

  'ttng.init_barrier': { text: '$alloc , @count:int {} : T(alloc)' },
  'ttng.inval_barrier': onBarrier,
  'ttng.barrier_expect': { text: '$alloc , @size:int {} , $pred : T(alloc)' },
  'ttng.wait_barrier': {
    text: '$alloc , $phase [? , $pred ?] [? deps $deps... ?] {} : T(alloc) [? , T(deps...) ?]',
  },
  'ttng.arrive_barrier': { text: '$alloc , @count:int [? , $pred ?] {} : T(alloc)' },
  'ttng.async_copy_mbarrier_arrive': { text: '$barrier {} : T(barrier)' },
  'ttng.fence_async_shared': { text: '{}' },
  'ttng.cluster_arrive': { text: '{}' },
  'ttng.cluster_wait': { text: '{}' },

  // ---------------------------------------------------------------- ttng: tensor maps and copies

  'ttng.tensormap_create': {
    text: '$desc_ptr , $global_address , [ $box_dim... ] , [ $global_dim... ] , [ $global_stride... ] , [ $element_stride... ] {} : F',
  },
  'ttng.tensormap_fenceproxy_acquire': { text: '$desc_ptr {} : T(desc_ptr)' },
  'ttng.reinterpret_tensor_descriptor': { text: '$rawDesc {} : T(rawDesc) to T(result)' },
  'ttng.async_tma_copy_global_to_local': {
    text: '$desc [ $coord... ] $result , $barrier , $pred [? cacheModifier = @cache:none|ca|cg|wb|cs|wt|cv ?] [? evictionPolicy = @evict:evict_normal|evict_first|evict_last ?] {} : T(desc) , T(barrier) -> T(result)',
  },
  'ttng.async_tma_copy_local_to_global': { text: '$desc [ $coord... ] $src {} : T(desc) , T(src)' },
  'ttng.async_tma_reduce': {
    text: '@kind:add|min|max|inc|dec|and|or|xor , $desc [ $coord... ] $src {} : T(desc) , T(src)',
  },
  'ttng.async_tma_gather': {
    text: '$desc [ $x_offsets , $y_offset ] $result , $barrier , $pred {} : T(desc) , T(x_offsets) , T(y_offset) , T(barrier) , T(result) , T(pred)',
  },
  'ttng.async_tma_scatter': {
    text: '$desc [ $x_offsets , $y_offset ] $src {} : T(desc) , T(x_offsets) , T(y_offset) , T(src)',
  },
  'ttng.async_tma_store_wait': { text: '{}' },

  // ---------------------------------------------------------------- ttng: products

  'ttng.warp_group_dot': {
    text: '$a , $b , $c [? , $useC ?] {} : T(a) * T(b) -> T(c result)',
  },
  'ttng.warp_group_dot_wait': { text: '$inputs... {} : T(inputs...)', gives: 'like inputs' },
  'ttng.tc_gen5_mma': {
    text: '$a , $b , $d [? [ $acc_dep... ] ?] , $useD , $pred [* , $barriers [ $barrier_preds ] *] {} : T(a) , T(b) , T(d) [? , T(barriers...) ?]',
    gives: 'tokens',
  },
  'ttng.tc_gen5_mma_scaled': {
    text: '$a , $b , $d [? [ $acc_dep... ] ?] , $a_scale , $b_scale , $useD , $pred lhs = @a_type:e4m3|e5m2|e2m3|e3m2|e2m1|bf16|fp16 rhs = @b_type:e4m3|e5m2|e2m3|e3m2|e2m1|bf16|fp16 [* , $barriers [ $barrier_preds ] *] {} : T(a) , T(b) , T(d) , T(a_scale) , T(b_scale) [? , T(barriers...) ?]',
    gives: 'tokens',
  },
  'ttng.tc_gen5_commit': { text: '$barrier [? , $pred ?] {} : T(barrier)' },
  'ttng.tmem_alloc': { text: '[? $src ?] {} : F' },
  'ttng.tmem_load': { text: '$src [? [ $dep... ] ?] {} : T(src) -> T(result)', gives: 'tokens' },
  'ttng.tmem_store': {
    text: '$src , $dst [? [ $dep... ] ?] , $pred {} : T(src) -> T(dst)',
    gives: 'tokens',
  },
  'ttng.tmem_subslice': shapeOf,
  'ttng.tmem_copy': {
    text: '$src , $dst [? , $barrier ?] {} : T(src) , T(dst) [? , T(barrier) ?]',
  },
}

/** Of an operation that is written in MLIR's general form: what its values are called. */
export const generalOperands: Readonly<Record<string, string>> = {
  'tt.reduce': 'srcs',
  'tt.scan': 'srcs',
  'tt.map_elementwise': 'srcs',
}

/** A row, read: the pieces of its text, and what its results are. */
export interface Row {
  readonly pieces: ReadonlyArray<Piece>
  readonly gives: string
}
export const rows: ReadonlyMap<string, Row> = new Map(
  Object.entries(formats).map(([name, { text, gives = '' }]) => [name, { pieces: piecesOf(text), gives }]),
)
