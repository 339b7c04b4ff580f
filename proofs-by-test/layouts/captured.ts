/** The readers of the transforms' proofs, for layouts. */
export { fragments, indices, range } from '../transforms/captured.js'
