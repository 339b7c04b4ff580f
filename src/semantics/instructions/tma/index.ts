export * from './load.js'
export * from './store.js'
export * from './tensormap.js'
export * from './through.js'
