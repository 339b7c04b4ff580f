/**
 * What steers a program of warps: registers whose words decide where control goes, or which bytes an operation touches.
 *
 * A word that is only stored, or multiplied and stored, steers nothing: with any other word in its place every warp does the same operations on the same bytes.
 *
 *     setp.lt.s32 %p, %r1, %r2;   @%p bra L        %p, %r1, %r2 steer
 *     st.global.f32 [%rd1], %f1                    %rd1 steers, %f1 does not
 *
 * Memory is one place: if a word that was loaded steers, so may everything that is stored, and every product.
 *
 * Law 1. of a program whose products steer nothing, a run with other products makes the same events, but for the words that they carry.
 */
import { remembered } from '../../remembered.js'
import { ofPredicate, type Operation, type Place, type WarpProgram } from './program.js'
import { usesOf } from './uses.js'

/** Parameters and constants are as the launch has them. */
const isGiven = (o: Extract<Operation, { readonly _tag: 'load' }>): boolean =>
  o.from.space === 'param' || o.from.space === 'const'

/** What a product has made comes into these rows, or into memory. */
const isProduct = ({ _tag }: Operation): boolean =>
  _tag === 'wgmma' || _tag === 'multiply' || _tag.startsWith('tcgen05')

/** May the words that products make decide where control goes, or which bytes an operation touches? */
export const productsSteer = (p: WarpProgram): boolean => asked(p).steer

const asked = remembered((p: WarpProgram): { readonly steer: boolean } => {
  const steering = new Set<Place>()
  for (let grew = true; grew;) {
    grew = false
    const add = (place: Place): void => {
      if (steering.has(place)) return
      steering.add(place)
      grew = true
    }
    for (const { operation: o, guard } of p.code) {
      const { reads, writes, computes } = usesOf(o)
      if (guard !== null) add(ofPredicate(guard.predicate))
      if (o._tag === 'branchIndexed') add(o.index)
      const deciding = computes ? (writes.some((w) => steering.has(w)) ? reads : []) : usesOf(o).decides
      for (const place of deciding) add(place)
    }
  }
  const steer = p.code.some(({ operation: o }) => {
    const steers = usesOf(o).writes.some((w) => steering.has(w))
    if (o._tag === 'load') return o.until !== undefined || (steers && !isGiven(o))
    return steers && (isProduct(o) || o._tag === 'atomic' || o._tag === 'loadMatrices')
  })
  return { steer }
})
