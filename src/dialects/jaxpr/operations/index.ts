/** The asynchronous operations of Pallas:MGPU, a row each. */
import type { Rows } from '../here.js'

export const asynchronousRows: Rows = {}
