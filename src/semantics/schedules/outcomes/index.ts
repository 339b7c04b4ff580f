export { defaultOutcomes, outcomes, type Outcomes, type OutcomesBounds } from './outcomes.js'
export { fellowsOf } from './exchange.js'
