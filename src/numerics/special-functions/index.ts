/** The chip's special functions, bit for bit, by name and by compiler. See README.md. */
export * from './names.js'
export * from './functions.js'
export * from './compilers.js'
