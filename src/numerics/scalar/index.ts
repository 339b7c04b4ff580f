/** Scalar arithmetic of PTX, bit for bit: a function on words for every opcode form. See operation.ts and table.ts. */
export * from './operation.js'
export * from './table.js'
export * from './dependence.js'
export * from './doing.js'
export * from './extreme.js'
export * from './symmetry.js'
