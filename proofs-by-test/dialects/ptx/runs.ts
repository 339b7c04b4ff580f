/** Launches of `conformance/hopper/cuda` as arguments of a program of warps, read without the library's own readers. */
import type {
  GivenTensor,
  MapOf,
  PointerTo,
  WarpArguments,
} from '../../../src/semantics/execution/launch-warps.js'
import { usualSharedBase } from '../../../src/semantics/execution/launch-warps.js'
import type { EntryParameter } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import type { Dtype } from '../../../src/numerics/dtype.js'
import {
  filesOf,
  held,
  kinds,
  launchOf,
  type Argument,
  type MapArgument,
  type TensorArgument,
} from './cuda.js'

const elementsOf: Readonly<Record<string, Dtype>> = {
  u32: 'u32',
  s32: 'i32',
  f32: 'f32',
  f16: 'f16',
  bf16: 'bf16',
  u8: 'u8',
}

const bytesOfType = (type: string): number => Number(/\d+$/u.exec(type)?.[0] ?? '32') / 8

const scalarBytes = (type: string, value: number | string): Uint8Array => {
  const view = new DataView(new ArrayBuffer(bytesOfType(type)))
  if (type === 'f32') view.setFloat32(0, Number(value), true)
  else if (type === 'f64') view.setFloat64(0, Number(value), true)
  else {
    const bits = BigInt(value)
    for (let b = 0; b < view.byteLength; b++) view.setUint8(b, Number((bits >> BigInt(8 * b)) & 0xffn))
  }
  return new Uint8Array(view.buffer)
}

/** What a launch file says, for the parameters of an entry. */
export const argumentsOf = (kernel: string, parameters: ReadonlyArray<EntryParameter>): WarpArguments => {
  const launch = launchOf(kernel)
  const last = parameters[parameters.length - 1]
  const bytes = new Uint8Array(last === undefined ? 0 : last.offset + last.bytes)
  const pointers: PointerTo[] = []
  const tensors: GivenTensor[] = []
  const maps: MapOf[] = []
  const there = filesOf(kernel)
  const tensor = (t: TensorArgument | MapArgument, symbol: string | null): void => {
    const size = t.shape.reduce((n, d) => n * d, kinds[t.dtype]![0])
    const file = t.file ?? (t.role === 'out' ? null : `${t.tensor}.npy`)
    const contents = file !== null && there.includes(file) ? new Uint8Array(held(kernel, file).bytes) : null
    tensors.push({ name: t.tensor, role: t.role, contents, bytes: size, elements: null, symbol })
  }
  const put = (a: Argument | number, at: number, type: string): void => {
    if (typeof a === 'number') bytes.set(scalarBytes(type, a), at)
    else if (a.kind === 'scalar') bytes.set(scalarBytes(a.type, a.value), at)
    else if (a.kind === 'pointer') {
      pointers.push({ offset: at, tensor: a.tensor })
      tensor(a, null)
    } else if (a.kind === 'tensormap') {
      const width = kinds[a.dtype]![0]
      const strides = a.dims.slice(0, -1).map((_, d) => a.dims.slice(0, d + 1).reduce((n, x) => n * x, width))
      maps.push({
        into: null,
        offset: at,
        tensor: a.tensor,
        fields: {
          elements: elementsOf[a.dtype]!,
          dims: a.dims,
          strides,
          box: a.box,
          elementStrides: a.dims.map(() => 1),
          window: null,
          swizzle: 0,
          fill: 'zero',
        },
      })
      tensor(a, null)
    } else for (const f of a.fields) put(f, at + f.offset, '')
  }
  launch.args.forEach((a, i) => {
    put(a, parameters[i]!.offset, parameters[i]!.type)
  })
  for (const g of launch.globals ?? []) tensor(g, g.symbol)
  return {
    grid: launch.grid,
    block: launch.block,
    cluster: null,
    dynamicBytes: launch.shared,
    parameters: bytes,
    pointers,
    maps,
    tensors,
    sharedBase: usualSharedBase,
  }
}
