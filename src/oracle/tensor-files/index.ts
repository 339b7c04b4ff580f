/** Tensors in files: the npy codec, the tensor behind it, one element of one, and the disk. */
export * as npy from './npy.js'
export * as tensor from './tensor.js'
export * as element from './element.js'
export * as files from './files.js'
export * as tensorFile from './tensor-file.js'
