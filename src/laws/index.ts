export type { ForeignBarrier } from './barrier.js'
export { barrierLaws } from './barrier.js'
export type { ForeignBijection } from './bijection.js'
export { bijectionLaws } from './bijection.js'
export type { ForeignCuteLayout } from './cute.js'
export { cuteLayoutLaws } from './cute.js'
export type { Counterexample, Domain, Evidence, Fault, Kit, Law, RegisterTest, Report } from './law.js'
export {
  checkLaws,
  describeLaws,
  expectSame,
  expectThat,
  forAll,
  forDrawn,
  numbers,
  showCounterexample,
  showReport,
} from './law.js'
export type { Coordinates, ForeignLinearLayout } from './linear.js'
export { anyLinearLayoutLaws, linearLayoutLaws } from './linear.js'
export type { ForeignPipeline, Through } from './pipeline.js'
export { pipelineLaws } from './pipeline.js'
export type { ForeignRegisterLayout, PlaceCounts } from './register-layout.js'
export { anyRegisterLayoutLaws, registerLayoutLaws } from './register-layout.js'
export type { ForeignSwizzle } from './swizzle.js'
export { swizzleLaws } from './swizzle.js'
export type { ForeignAddresses, ForeignTiling, ForeignTransform } from './transform.js'
export { indices, refAddressLaws, tileLaws, transformLaws } from './transform.js'
