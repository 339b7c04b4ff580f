export { model } from './model.js'
export type { Modelled, Shown } from './model.js'
export { usual } from './judging.js'
export type { Choices } from './judging.js'
