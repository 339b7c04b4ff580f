/** A module of PTX with a parameter of every kind, and launch files of it: arguments in order, by name, as words of a shorter form. */
import { encodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'

/** y[t] = x[t] + n of the struct, for t below n. */
const moduleOfLaunches = `.version 9.0
.target sm_90a
.address_size 64
.global .align 64 .b8 held[128];
.global .align 4 .b8 table[16];
.visible .entry k(
  .param .u64 x,
  .param .u32 n,
  .param .f32 f,
  .param .u64 p,
  .param .align 64 .b8 map[128],
  .param .align 64 .b8 s[192]
)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd2, [s];
  ld.param.u32 %r2, [s+8];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r3, %tid.x;
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra $done;
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.f32 %f1, [%rd6];
  cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f3, %f1, %f2;
  add.s64 %rd7, %rd4, %rd5;
  st.global.f32 [%rd7], %f3;
$done:
  ret;
}
`

const map = { tensor: 'x', dtype: 'f32', dims: [4, 2], box: [4, 1], shape: [2, 4] }
const args: Readonly<Record<string, Json>> = {
  x: { kind: 'pointer', tensor: 'x', dtype: 'f32', shape: [2, 4], role: 'in' },
  n: 4,
  f: { kind: 'scalar', type: 'f32', value: 0.5 },
  p: { kind: 'tensormap', ...map },
  map: {
    kind: 'tensormap',
    ...map,
    strides: [16],
    elementStrides: [1, 1],
    swizzle: 0,
    interleave: 0,
    fill: 'zero',
  },
  s: {
    kind: 'struct',
    bytes: 192,
    fields: [
      { kind: 'pointer', tensor: 'y', dtype: 'f32', shape: [4], role: 'out', offset: 0 },
      { kind: 'scalar', type: 'u32', value: '7', offset: 8 },
      { kind: 'tensormap', ...map, offset: 64 },
    ],
  },
}
const common: Readonly<Record<string, Json>> = {
  schema: 'tcspec.ptx-launch/1',
  kernel: 'k',
  grid: [1],
  block: [32],
  cluster: [1],
  shared: 16,
  outputs: ['y'],
  globals: [
    { kind: 'tensormap', tensor: 'w', dtype: 'u8', dims: [16], box: [16], shape: [16], symbol: 'held' },
    { tensor: 'table', dtype: 'u32', shape: [4], role: 'in', symbol: 'table' },
  ],
}

interface LaunchFiles {
  readonly list: Readonly<Record<string, Json>> & { readonly args: ReadonlyArray<Json> }
  readonly byName: Readonly<Record<string, Json>> & { readonly args: Readonly<Record<string, Json>> }
  /** arguments as texts and numbers, where they can be */
  readonly short: Readonly<Record<string, Json>>
}
export const launchFiles: LaunchFiles = {
  list: { ...common, args: Object.values(args) },
  byName: { ...common, args },
  short: {
    grid: [1, 1],
    block: [4],
    args: ['x', '4', 0.5, 0, args['map']!, args['s']!],
    outputs: ['y'],
    globals: common['globals']!,
  },
}

/** The module and its tensors. */
export const launchDisk = (): Map<string, Uint8Array> => {
  const npy = (descr: 'f4' | 'u1' | 'u4', shape: ReadonlyArray<number>, data: Uint8Array): Uint8Array =>
    right(encodeNpy({ descr, shape, data }))
  return new Map([
    ['k.ptx', new TextEncoder().encode(moduleOfLaunches)],
    ['x.npy', npy('f4', [2, 4], new Uint8Array(Float32Array.from([0, 1, 2, 3, 4, 5, 6, 7]).buffer))],
    ['w.npy', npy('u1', [16], new Uint8Array(16))],
    ['table.npy', npy('u4', [4], new Uint8Array(16))],
  ])
}
