/**
 * The chips' arithmetic where proofs ask what a kernel computes, and not how: by day the fast form, which is equal bit for bit
 * (`fast/algebras.proof.ts`), by night the definition.
 */
import * as fast from '../src/fast/index.js'
import * as numerics from '../src/numerics/index.js'
import { nightly } from './extent.js'

export const bits: typeof fast.bits = nightly ? numerics.bits : fast.bits
