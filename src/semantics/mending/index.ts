export { mended, type Judge, type MendCode, type Mending } from './mend.js'
export type { Added } from './edge.js'
