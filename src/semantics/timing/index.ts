/** Time: how long a kernel takes on a chip, and what it waits for. */
export * from './chip.js'
export { b200 } from './b200.js'
export { servers, type Moment, type ServerName, type Timed, type Why } from './clock.js'
export { criticalOf, pathOf, reasonsOf, type Stretch } from './critical.js'
export { footingOf } from './footing.js'
export { h100 } from './h100.js'
export { h200 } from './h200.js'
export { registersOf } from './registers.js'
export {
  frequencyOf,
  residencyOf,
  time,
  type Footing,
  type Limit,
  type Residency,
  type TimeFailure,
  type Timing,
} from './time.js'
