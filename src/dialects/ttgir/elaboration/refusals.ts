/**
 * Operations that are read and printed, and refused where they would run: what of them is not known here.
 *
 * Law 1. An operation that can be read has a row in `operations.ts`, or its reason here, and not both.
 *
 * Those that are not read have theirs in `text/unread.ts`.
 */
const general = 'it occurs only in kernels that are not lowered yet'
const index = 'values of the type index, which no compiled kernel of Triton contains'

export const refusals: Readonly<Record<string, string>> = {
  'arith.index_cast': index,
  'arith.index_castui': index,
  'tt.cat': 'it leaves the order of the elements open',
  'tt.int_to_ptr': 'it makes a pointer from a number, and only its PTX has addresses',
  'tt.ptr_to_int': 'it makes a number from a pointer, which is a tensor and an offset here',
  'tt.make_tensor_descriptor': general,
  'tt.dot_scaled': general,
  'ttg.fp4_to_fp': '4-bit floats in registers, which are not supported here',
}
