/**
 * Copies of elements of 4 and 6 bits by PTX: without gaps in global memory, 16 of them in 16 bytes of shared memory. Where every bit lies is counted by hand; a
 * store takes elements of 6 bits from the low bits of a byte each.
 */
import { describe, expect, test } from 'vitest'
import { encodeNpy, npyArray } from '../../../src/oracle/tensor-files/npy.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { running, worldOf } from '../../oracle/world.js'

const rows = 4
const columns = 128
const elements = Array.from({ length: rows * columns }, (_, i) => (i * 37 + Math.floor(i / 11)) % 64)

/** Elements of so many bits behind one another, the low bits first. */
const packed = (bits: number, of: ReadonlyArray<number>): Uint8Array => {
  const bytes = new Uint8Array((of.length * bits) / 8)
  of.forEach((x, i) => {
    for (let b = 0; b < bits; b++) bytes[(i * bits + b) >> 3]! |= ((x >> b) & 1) << ((i * bits + b) & 7)
  })
  return bytes
}
const low = (bits: number): ReadonlyArray<number> => elements.map((x) => x % 2 ** bits)

const file = (shape: ReadonlyArray<number>, bytes: Uint8Array): Uint8Array =>
  right(encodeNpy(right(npyArray('u1', shape, bytes))))

const head = `.version 9.0
.target sm_100a
.address_size 64
`
/** Loads a box, and writes the bytes of shared memory out; zeros for those in gaps. */
const loading = (
  bytes: number,
  kept: number,
): string => `${head}.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)
{
.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;
.shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar;
mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, s; mov.u32 %r3, bar;
@%p1 bra over;
mbarrier.init.shared.b64 [%r3], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 _, [%r3], ${String(bytes)};
mov.u64 %rd1, map; cvta.param.u64 %rd2, %rd1;
cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd2, {0, 0}], [%r3];
over: bar.sync 0;
w: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra w;
ld.param.u64 %rd4, [out]; cvta.to.global.u64 %rd4, %rd4;
and.b32 %r4, %r1, 15; setp.ge.u32 %p3, %r4, ${String(kept)}; mov.u32 %r5, 0;
loop: mad.lo.s32 %r6, %r5, 128, %r1; add.s32 %r7, %r2, %r6;
mov.u32 %r8, 0; @%p3 bra put; ld.shared.u8 %r8, [%r7];
put: cvt.u64.u32 %rd5, %r6; add.s64 %rd6, %rd4, %rd5; st.global.u8 [%rd6], %r8;
add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra loop;
ret;
}
`
const storing = `${head}.visible .entry k(.param .align 64 .b8 map[128], .param .u64 in)
{
.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;
.shared .align 1024 .b8 s[1024];
mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, s; mov.u32 %r5, 0;
ld.param.u64 %rd4, [in]; cvta.to.global.u64 %rd4, %rd4;
loop: mad.lo.s32 %r6, %r5, 128, %r1; add.s32 %r7, %r2, %r6;
cvt.u64.u32 %rd5, %r6; add.s64 %rd6, %rd4, %rd5; ld.global.u8 %r8, [%rd6]; st.shared.u8 [%r7], %r8;
add.s32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra loop;
fence.proxy.async.shared::cta; bar.sync 0;
@%p1 bra out;
mov.u64 %rd1, map; cvta.param.u64 %rd2, %rd1;
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {0, 0}], [%r2];
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
out: ret;
}
`
const launchOf = (map: object, other: object, outputs: ReadonlyArray<string> = ['y']): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ schema: 'tcspec.launch/1', grid: [1], block: [128], args: [map, other], outputs }),
  )
/** What was printed, and the last bytes of the tensor that is asked for. */
const ran = async (
  module: string,
  launch: Uint8Array,
  out: string,
  files: ReadonlyArray<readonly [string, Uint8Array]>,
): Promise<{ readonly status: number; readonly said: string; readonly bytes: Uint8Array }> => {
  const disk = new Map([['k.ptx', new TextEncoder().encode(module)], ['l.json', launch], ...files])
  const { status, stdout, stderr } = await running(worldOf(inMemory(disk)))(
    ...['run', 'k.ptx', '--launch', 'l.json', '--out', `${out}=o.npy`],
  )
  return { status, said: `${stdout}${stderr}`, bytes: (disk.get('o.npy') ?? new Uint8Array()).slice(128) }
}

const map = (elements: string, bits: number, swizzle: number, more: object = {}): object => ({
  kind: 'tensormap',
  tensor: 'x',
  dtype: 'u8',
  elements,
  dims: [columns, rows],
  shape: [rows, (columns * bits) / 8],
  box: [columns, rows],
  swizzle,
  role: 'in',
  file: 'x.npy',
  ...more,
})

/** What shared memory has: 16 elements from each multiple of 16 bytes on, chunks of a row exchanged by its number. */
const imageOf = (bits: number, swizzle: number): Uint8Array => {
  const image = new Uint8Array(rows * 128)
  const all = low(bits)
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < 8; c++) {
      const chunk = swizzle === 128 ? c ^ (r % 8) : c
      image.set(
        packed(bits, all.slice(r * columns + 16 * c, r * columns + 16 * c + 16)),
        128 * r + 16 * chunk,
      )
    }
  return image
}

describe.each([
  ['b6x16_p32', 6],
  ['b4x16_p64', 4],
] as const)('%s', (name, bits) => {
  const bytes = packed(bits, low(bits))
  const shape = [rows, (columns * bits) / 8]
  const bytesOut = { kind: 'pointer', tensor: 'y', dtype: 'u8', shape: [rows, 128], role: 'out' }
  test.each([0, 128])(
    'a load, swizzle %i: 16 elements in 16 bytes, and the bytes of the tensor are counted',
    async (swizzle) => {
      const found = await ran(
        loading(bytes.length, 2 * bits),
        launchOf(map(name, bits, swizzle), bytesOut),
        'y',
        [['x.npy', file(shape, bytes)]],
      )
      expect([found.status, found.said]).toEqual([0, expect.stringMatching(/verdict +ok/)])
      expect(found.bytes).toEqual(imageOf(bits, swizzle))
    },
  )
  test('a barrier that expects the bytes of shared memory waits for ever', async () => {
    const { said } = await ran(loading(rows * 128, 2 * bits), launchOf(map(name, bits, 0), bytesOut), 'y', [
      ['x.npy', file(shape, bytes)],
    ])
    expect(said).toMatch(/verdict +deadlock/)
  })
  test('what the driver would not encode', async () => {
    const refused = async (more: object, swizzle = 128): Promise<string> => {
      const { said } = await ran(
        loading(bytes.length, 2 * bits),
        launchOf(map(name, bits, swizzle, more), bytesOut),
        'y',
        [['x.npy', file(shape, bytes)]],
      )
      return said
    }
    expect(await refused({}, 64)).toMatch(/Padded elements have a swizzle of 128 bytes, or none, found 64/)
    expect(await refused({ box: [64, 4] })).toMatch(/inner box dimension of padded elements is 128, found 64/)
    expect(await refused({ dims: [96, 4], strides: [(96 * bits) / 8 === 48 ? 64 : 96] })).toMatch(
      /a row of padded elements has a multiple of 128/,
    )
    expect(await refused({ dtype: 'f32' })).toMatch(/a tensor of u8 where the map says/)
  })
})

describe('stores', () => {
  const input = { kind: 'pointer', tensor: 'y', dtype: 'u8', shape: [rows, 128], role: 'in', file: 'y.npy' }
  test.each([0, 128])('of 6 bits: the low bits of every byte, without gaps, swizzle %i', async (swizzle) => {
    const bytes = Uint8Array.from({ length: rows * columns }, (_, at) => {
      const [r, c] = [Math.floor(at / columns), at % columns]
      const from = swizzle === 128 ? 16 * (Math.floor(c / 16) ^ (r % 8)) + (c % 16) : c
      return elements[r * columns + from]! + 64 * (at % 4)
    })
    const found = await ran(
      storing,
      launchOf(map('b6x16_p32', 6, swizzle, { role: 'out', file: null }), input, ['x']),
      'x',
      [['y.npy', file([rows, 128], bytes)]],
    )
    expect([found.status, found.said]).toEqual([0, expect.stringMatching(/verdict +ok/)])
    expect(found.bytes).toEqual(packed(6, elements))
  })
  test('of padded elements of 4 bits: there are none', async () => {
    const { said } = await ran(
      storing,
      launchOf(map('b4x16_p64', 4, 0, { role: 'out', file: null }), input, ['x']),
      'x',
      [['y.npy', file([rows, 128], new Uint8Array(rows * 128))]],
    )
    expect(said).toMatch(/Padded elements of 4 bits are loaded, and not stored/)
  })
})

test('b4x16: elements of 4 bits lie in shared memory as in the tensor', async () => {
  const bytes = packed(4, low(4))
  const found = await ran(
    loading(bytes.length, 16).replace('setp.lt.u32 %p2, %r5, 4', 'setp.lt.u32 %p2, %r5, 2'),
    launchOf(map('b4x16', 4, 0), { kind: 'pointer', tensor: 'y', dtype: 'u8', shape: [2, 128], role: 'out' }),
    'y',
    [['x.npy', file([rows, 64], bytes)]],
  )
  expect([found.status, found.said]).toEqual([0, expect.stringMatching(/verdict +ok/)])
  expect(found.bytes).toEqual(bytes)
})
