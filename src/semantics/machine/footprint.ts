/**
 * Footprints: the bytes of an access. What they are is said in `addresses.ts`; that equal ones are one object, listed once, in `fast/footprints.ts`.
 */
export { addressesOf, firstOf, intervalsOf, layoutAddresses, share } from './addresses.js'
export {
  asBefore,
  elementsIn,
  footprints,
  forEachAddress,
  isPlaced,
  known,
  ofAddresses,
  ofInstruction,
  ofLayout,
  ofKept,
  ofStarts,
  offsetsIn,
  placedAt,
  type Footprints,
  type Placed,
} from './fast/footprints.js'
