/** Tensors in files: the codecs of npy, npz and safetensors, the tensor behind them, one element of one, and the disk. */
export * as npy from './npy.js'
export * as npz from './npz.js'
export * as zip from './zip.js'
export * as safetensors from './safetensors.js'
export * as tensor from './tensor.js'
export * as element from './element.js'
export * as files from './files.js'
export * as tensorFile from './tensor-file.js'
