/** Kernels of one warp a CTA that are text, with what they read and are to write. */
import * as E from 'fp-ts/lib/Either.js'
import { checkPtx, runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Options } from '../../../src/oracle/cli/command.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

export const npy = (words: Uint32Array): Uint8Array => {
  const says = `{'descr': '<u4', 'fortran_order': False, 'shape': (${String(words.length)},), }`
  const header = says.padEnd(117) + '\n'
  const bytes = new Uint8Array(10 + header.length + 4 * words.length)
  bytes.set([0x93, 78, 85, 77, 80, 89, 1, 0, header.length, 0])
  bytes.set(new TextEncoder().encode(header), 10)
  bytes.set(new Uint8Array(words.buffer), 10 + header.length)
  return bytes
}

/** The verdict on a module beside a file `words.npy` of so many zeros. */
export const verdictBesideWords = (module: string, words: number, options: Options): Verdict => {
  const files = new Map([
    ['k.ptx', new TextEncoder().encode(module)],
    ['words.npy', npy(new Uint32Array(words))],
  ])
  return right(checkPtx(worldOf(inMemory(files)), 'k.ptx', options)).json() as Verdict
}

/** What a run says of a kernel of one warp a CTA, given its body; its parameters are x (read) and y (written, zero or `before` before). A refusal is its message. */
export const differing = (
  body: string,
  x: Uint32Array,
  y: Uint32Array,
  before?: Uint32Array,
  declared = '',
  ctas = 1,
): string => {
  const module = `.version 8.8
.target sm_100a
.address_size 64
${declared}
.visible .entry k(.param .u64 px, .param .u64 py) {
.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<32>; .reg .b16 %h<16>; .reg .pred %p<4>;
ld.param.u64 %rd1, [px]; ld.param.u64 %rd2, [py];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
${body}
ret; }`
  const argument = (tensor: string, of: Uint32Array, role: string) => ({
    kind: 'pointer',
    tensor,
    dtype: 'u32',
    shape: [of.length],
    role,
    ...(role === 'inout' ? { file: `${tensor}.before.npy` } : {}),
  })
  const launch = {
    grid: [ctas],
    block: [32],
    args: [argument('x', x, 'in'), argument('y', y, before === undefined ? 'out' : 'inout')],
    outputs: ['y'],
  }
  const files = new Map<string, Uint8Array>([
    ['k.ptx', new TextEncoder().encode(module)],
    ['l.json', new TextEncoder().encode(JSON.stringify(launch))],
    ['x.npy', npy(x)],
    ['y.npy', npy(y)],
  ])
  if (before !== undefined) files.set('y.before.npy', npy(before))
  const ran = runPtx(worldOf(inMemory(files)), 'k.ptx', { launch: 'l.json' })
  return E.isLeft(ran) ? ran.left.message : ran.right.text()
}
