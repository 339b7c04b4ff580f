export * from './order.js'
export * from './races.js'
export { clauses, forgotten as forgottenEdges, type Clause } from './clauses.js'
export * as Litmus from './litmus.js'
export * as Spans from './spans.js'
export {
  atPlaces,
  following,
  sitesOfWaits,
  touched,
  triggers,
  type Asking,
  type Touch,
  type Touched,
  type Unwritten,
} from './touched.js'
