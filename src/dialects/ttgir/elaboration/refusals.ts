/**
 * Operations that are read and printed, and refused where they would run: what of them is not known here.
 *
 * Law 1. An operation that can be read has a row in `operations.ts`, or its reason here, and not both.
 *
 * Those that are not read have theirs in `text/unread.ts`.
 */
const general = 'one of kernels that are not lowered yet'
const index = 'one of the type index, which no kernel of Triton has left'

export const refusals: Readonly<Record<string, string>> = {
  'arith.index_cast': index,
  'arith.index_castui': index,
  'tt.cat': 'one that leaves the order of the elements open',
  'tt.int_to_ptr': 'one that makes a pointer of a number, which says no tensor',
  'tt.ptr_to_int': 'one that makes a number of a pointer, which here is a tensor and a place in it',
  'tt.make_tensor_descriptor': general,
  'tt.dot_scaled': general,
  'ttg.fp4_to_fp': 'one of floats of 4 bits in registers, which are not known here',
}
