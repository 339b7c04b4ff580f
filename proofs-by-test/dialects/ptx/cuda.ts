/** The kernels of `conformance/hopper/cuda`: their texts, launches and tensors, read without the library's own readers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../../conformance/hopper/cuda/', import.meta.url)

export type Numbers = ReadonlyArray<number>
export type Bigs = ReadonlyArray<bigint>

export interface TensorArgument {
  readonly kind: 'pointer'
  readonly tensor: string
  readonly dtype: string
  readonly shape: Numbers
  readonly role: 'in' | 'out' | 'inout'
  readonly file?: string
}
/** A tensor as 128 bytes describe it; lists innermost first. */
export interface MapArgument {
  readonly kind: 'tensormap'
  readonly tensor: string
  readonly dtype: string
  readonly shape: Numbers
  readonly role: 'in' | 'out' | 'inout'
  readonly file?: string
  readonly dims: Numbers
  readonly box: Numbers
}
export interface ScalarArgument {
  readonly kind: 'scalar'
  readonly name: string
  readonly type: string
  readonly value: number | string
}
export interface StructArgument {
  readonly kind: 'struct'
  readonly name: string
  readonly bytes: number
  readonly fields: ReadonlyArray<(TensorArgument | ScalarArgument) & { readonly offset: number }>
}
export type Argument = TensorArgument | MapArgument | ScalarArgument | StructArgument

export interface Launch {
  readonly schema: string
  readonly name: string
  readonly kernel: string
  readonly grid: Numbers
  readonly block: Numbers
  readonly shared: number
  readonly args: ReadonlyArray<Argument>
  readonly globals?: ReadonlyArray<TensorArgument & { readonly symbol: string }>
  readonly outputs: ReadonlyArray<string>
}

export interface Fault {
  readonly kernel: string
  readonly twin: number
  readonly source: string
  readonly ptx: string
  readonly kind: string
  readonly lines: Numbers
  readonly about: string
}

/** Folders that have a launch. */
export const everyKernel: ReadonlyArray<string> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/launch.json`, folder)))
  .map(({ name }) => name)
  .sort()

export const fileText = (path: string): string => readFileSync(new URL(path, folder), 'utf8')
export const filesOf = (kernel: string): ReadonlyArray<string> =>
  readdirSync(new URL(`${kernel}/`, folder)).sort()
export const launchOf = (kernel: string): Launch => JSON.parse(fileText(`${kernel}/launch.json`)) as Launch
/** Those of which the chip's outputs are there. */
export const kernelNames: ReadonlyArray<string> = everyKernel.filter((kernel) =>
  launchOf(kernel).outputs.every((output) => existsSync(new URL(`${kernel}/${output}.npy`, folder))),
)
export const faults: ReadonlyArray<Fault> = JSON.parse(fileText('faults.json')) as ReadonlyArray<Fault>

/** Bytes of an element, and how it is called in a `.npy`. */
export const kinds: Readonly<Record<string, readonly [bytes: number, npy: string]>> = {
  f16: [2, '<f2'],
  bf16: [2, '<u2'],
  f32: [4, '<f4'],
  f64: [8, '<f8'],
  u8: [1, '|u1'],
  s8: [1, '|i1'],
  u16: [2, '<u2'],
  u32: [4, '<u4'],
  u64: [8, '<u8'],
  s16: [2, '<i2'],
  s32: [4, '<i4'],
  s64: [8, '<i8'],
}

export interface Held {
  readonly dtype: string
  readonly shape: Numbers
  readonly bytes: ArrayBuffer
}

/** A `.npy`: its element type, its extents and its bytes. */
export const held = (kernel: string, file: string): Held => {
  const bytes = readFileSync(new URL(`${kernel}/${file}`, folder))
  const start = 10 + bytes.readUInt16LE(8)
  const head = bytes.toString('latin1', 10, start)
  const shape = /'shape': \(([^)]*)\)/.exec(head)?.[1] ?? ''
  return {
    dtype: /'descr': '([^']*)'/.exec(head)?.[1] ?? '',
    shape: shape.split(',').flatMap((n) => (n.trim() === '' ? [] : [Number(n)])),
    bytes: new Uint8Array(bytes.subarray(start)).buffer,
  }
}

/** The elements of a tensor of at most 32 bits, and of an f64, as numbers; f16 and bf16 as their bits. */
export const numbers = (kernel: string, file: string): Numbers => {
  const { dtype, bytes } = held(kernel, `${file}.npy`)
  switch (dtype) {
    case '|u1':
      return [...new Uint8Array(bytes)]
    case '<u2':
    case '<f2':
      return [...new Uint16Array(bytes)]
    case '<i4':
      return [...new Int32Array(bytes)]
    case '<u4':
      return [...new Uint32Array(bytes)]
    case '<f4':
      return [...new Float32Array(bytes)]
    case '<f8':
      return [...new Float64Array(bytes)]
    default:
      throw new Error(`no numbers: ${dtype}`)
  }
}

/** Those of 64 bits, without a sign. */
export const bigs = (kernel: string, file: string): Bigs => [
  ...new BigUint64Array(held(kernel, `${file}.npy`).bytes),
]
