/** The readers of the transforms' proofs, for layouts. */
export { code, fragments, indices, range, right } from '../transforms/captured.js'
