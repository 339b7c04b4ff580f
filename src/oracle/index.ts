/** The oracle: what others compare with, and the files and the program they do it through. */
export * from './tensor-files/index.js'
export * as comparison from './compare.js'
export * as launch from './launch/index.js'
export * as cli from './cli/index.js'
