/** The kernels of the capture of sparse products of a warpgroup, and what they were given: `generate.py` and `run.cu` of `conformance/hopper/sparse`, again. */
import { readFileSync } from 'node:fs'
import { bitsOf, metadataOf, moderate, operandsOf, Random } from '../../numerics/mma/operands.js'

export interface SparseForm {
  readonly opcode: string
  readonly kind: 'numbers' | 'any' | 'layout' | 'bits'
  readonly n: number
  readonly k: number
  readonly types: readonly [a: string, b: string, c: string, d: string]
  readonly source: 'memory' | 'registers'
  readonly selector: string
  readonly tail: ReadonlyArray<string>
  /** seed of its operands */
  readonly name: string
  readonly hashes: Uint32Array
}

const folder = new URL('../../../conformance/hopper/sparse/', import.meta.url)

export const sparseForms: ReadonlyArray<SparseForm> = (() => {
  const bytes = readFileSync(new URL('hashes.bin', folder))
  let at = 0
  return readFileSync(new URL('forms.txt', folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): SparseForm => {
      const [opcode = '', what = '', types = '', source = '', selector = '', after = '', tuples = ''] =
        line.split(' | ')
      const [kind = '', n, k] = what.split(' ')
      const tail = after === '-' ? [] : after.split(' ')
      const hashes = Uint32Array.from({ length: Number(tuples) }, (_, i) => bytes.readUInt32LE(at + 4 * i))
      at += 4 * hashes.length
      return {
        opcode,
        kind: kind as SparseForm['kind'],
        n: Number(n),
        k: Number(k),
        types: types.split(' ') as unknown as SparseForm['types'],
        source: source as SparseForm['source'],
        selector,
        tail,
        name: `${opcode}#${source}#${selector}#${tail.join(',')}#${kind}`,
        hashes,
      }
    })
})()

const isOfBits = (f: SparseForm): boolean => f.types[0] === 'b1'
const registersOf = (f: SparseForm): number => (f.types[3] === 'f16' ? f.n / 4 : f.n / 2)
const imageOf = (f: SparseForm): number =>
  f.kind === 'layout' ? 16384 : 2048 + f.n * (isOfBits(f) ? 32 : 64)
const givenBytes = (f: SparseForm): number => imageOf(f) + 2048 + 512 * registersOf(f) + 512 + 16
export const leftBytes = (f: SparseForm): number => 512 * registersOf(f)

/** The kernel `k(in, out)` of one warpgroup. */
export const kernelText = (f: SparseForm): string => {
  const registers = registersOf(f)
  const image = imageOf(f)
  const each = (count: number, line: (i: number) => string): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, i) => line(i))
  const d = `{${each(registers, (i) => `%d${String(i)}`).join(', ')}}`
  const a = f.source === 'memory' ? '%x0' : '{%a0, %a1, %a2, %a3}'
  const operands = [d, a, '%x1', ...(isOfBits(f) ? [] : ['%e', f.selector]), '%y', ...f.tail]
  return [
    '.version 9.0',
    '.target sm_90a',
    '.address_size 64',
    '.visible .entry k(.param .u64 in, .param .u64 out)',
    '{',
    '.reg .pred %y; .reg .b32 %t<4>; .reg .b64 %p<6>; .reg .b64 %x<2>; .reg .b32 %e; .reg .b32 %a<4>;',
    `.reg .b32 %d<${String(registers)}>; .shared .align 1024 .b8 image[${String(image)}];`,
    'ld.param.u64 %p0, [in];',
    'ld.param.u64 %p1, [out];',
    'mov.u32 %t0, %tid.x;',
    'mul.wide.u32 %p3, %t0, 4;',
    'add.u64 %p4, %p0, %p3;',
    'add.u64 %p5, %p1, %p3;',
    'mov.u32 %t2, image;',
    'shl.b32 %t3, %t0, 2;',
    'add.u32 %t3, %t2, %t3;',
    ...each(
      image / 512,
      (i) => `ld.global.b32 %e, [%p4+${String(512 * i)}]; st.shared.b32 [%t3+${String(512 * i)}], %e;`,
    ),
    ...each(4, (i) => `ld.global.b32 %a${String(i)}, [%p4+${String(image + 512 * i)}];`),
    ...each(registers, (i) => `ld.global.b32 %d${String(i)}, [%p4+${String(image + 2048 + 512 * i)}];`),
    `ld.global.b32 %e, [%p4+${String(image + 2048 + 512 * registers)}];`,
    ...each(
      2,
      (i) => `ld.global.b64 %x${String(i)}, [%p0+${String(image + 2560 + 512 * registers + 8 * i)}];`,
    ),
    'shr.u32 %t2, %t2, 4;',
    'cvt.u64.u32 %p3, %t2;',
    'add.u64 %x0, %x0, %p3;',
    'add.u64 %x1, %x1, %p3;',
    'setp.eq.u32 %y, 0, 0;',
    'fence.proxy.async;',
    'bar.sync 0;',
    'wgmma.fence.sync.aligned;',
    `${f.opcode} ${operands.join(', ')};`,
    'wgmma.commit_group.sync.aligned;',
    'wgmma.wait_group.sync.aligned 0;',
    ...each(registers, (i) => `st.global.b32 [%p5+${String(512 * i)}], %d${String(i)};`),
    'ret;',
    '}',
    '',
  ].join('\n')
}

// ---------------------------------------------------------------- what it is given

/** An element of so many bits, low bits first. */
const put = (to: Uint8Array, at: number, bits: number, element: number, value: number): void => {
  const bit = element * bits
  if (bits < 8) to[at + (bit >> 3)] = to[at + (bit >> 3)]! | (value << (bit & 7))
  else for (let b = 0; b < bits / 8; b++) to[at + bit / 8 + b] = (value >>> (8 * b)) & 255
}

const accumulator = (f: SparseForm, c: ArrayLike<number>, to: Uint8Array, at: number): void => {
  const packed = f.types[2] === 'f16'
  for (let i = 0; i < 64; i++)
    for (let j = 0; j < f.n; j++) {
      const thread = Math.floor(i / 16) * 32 + (i % 8) * 4 + Math.floor((j % 8) / 2)
      const half = Math.floor((i % 16) / 8)
      const eight = Math.floor(j / 8)
      const register = packed ? 2 * eight + half : 4 * eight + 2 * half + (j % 2)
      const byte = at + (register * 128 + thread) * 4 + (packed ? (j % 2) * 2 : 0)
      put(to, byte, packed ? 16 : 32, 0, c[i * f.n + j]!)
    }
}

type Fields = readonly [start: number, leading: number, stride: number, swizzle: number]

const descriptor = (to: DataView, at: number, [start, leading, stride, swizzle]: Fields): void => {
  to.setUint32(at, (start >> 4) | ((leading >> 4) << 16), true)
  to.setUint32(at + 4, ((stride >> 4) | (swizzle << 30)) >>> 0, true)
}

export const tupleOf = (f: SparseForm, tuple: number): Uint8Array => {
  const to = new Uint8Array(givenBytes(f))
  const image = imageOf(f)
  const seed = `${f.name}#${String(tuple)}`
  const bits = bitsOf(f.types[0])
  const ka = isOfBits(f) ? f.k : f.k / 2
  const words: Fields[] = []
  const start = (r: Random): number => 16 * r.pick(64)
  if (f.kind === 'layout') {
    const r = new Random(seed)
    const draw = (type: string): number => moderate(type, r) as number
    for (let i = 0; i < (image * 8) / bits; i++) put(to, 0, bits, i, draw(f.types[1]))
    for (let i = 0; i < (2048 * 8) / bits; i++) put(to, image, bits, i, draw(f.types[0]))
    const c = Array.from({ length: 64 * f.n }, () => draw(f.types[2]))
    accumulator(f, c, to, image + 2048)
    for (let w = 0; w < 2; w++) {
      const [first, leading, stride] = [start(r), 16 * r.pick(48), 16 * r.pick(48)]
      words.push([first, leading, stride, r.pick(4)])
    }
  } else {
    const x = operandsOf(f.name, tuple, 0, [f.types[0], f.types[1], f.types[2]], 64, f.n, ka, f.k)
    const cores = isOfBits(f) ? 2 : 4
    const [inCore, inRegister] = [128 / bits, 32 / bits]
    for (let i = 0; i < 64; i++)
      for (let p = 0; p < ka; p++) {
        const c = Math.floor((p * bits) / 8)
        const value = x.a[i * ka + p]!
        const core = Math.floor(i / 8) * 2 + (c >> 4)
        put(to, core * 128 + (i % 8) * 16, bits, p % inCore, value)
        const register = Math.floor((i % 16) / 8) + 2 * (c >> 4)
        const thread = Math.floor(i / 16) * 32 + (i % 8) * 4 + ((c % 16) >> 2)
        put(to, image + (register * 128 + thread) * 4, bits, p % inRegister, value)
      }
    for (let j = 0; j < f.n; j++)
      for (let p = 0; p < f.k; p++) {
        const core = Math.floor(j / 8) * cores + ((p * bits) >> 7)
        put(to, 2048 + core * 128 + (j % 8) * 16, bits, p % inCore, x.b[p * f.n + j]!)
      }
    accumulator(f, x.c, to, image + 2048)
    words.push([0, 128, 256, 0], [2048, 128, cores * 128, 0])
  }
  const behind = image + 2048 + 512 * registersOf(f)
  const view = new DataView(to.buffer)
  metadataOf(seed, f.types[0], f.kind === 'any', 128).forEach((word, thread) => {
    view.setUint32(behind + 4 * thread, word, true)
  })
  words.forEach((fields, w) => {
    descriptor(view, behind + 512 + 8 * w, fields)
  })
  return to
}
