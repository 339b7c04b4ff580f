/**
 * What kernels of PTX compute for all inputs: `--computes` on kernels of our own, by warpgroups, by the products and by the arithmetic of single warps, in tensor
 * memory, and by sums of parts; and on the same kernels with a step of their data movement changed, of which none is a product.
 *
 * Oracle: the change says which elements are missing, repeated or elsewhere. Another: the run's output beside the product of its inputs in f64. What is
 * proved is that product, as far as its types round; of what is not proved some element is another.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/numerics/float-format.js'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import { decodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import type { Provenance, Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const folder = new URL('../../../conformance/', import.meta.url)

interface Claim {
  readonly kernel: string
  readonly computes: string
  /** every k is added in ascending order */
  readonly inOrder: boolean
  /** what makes a product of the kernel; absent: it is one */
  readonly base?: (text: string) => string
  /** what the launch file says of elements that are signed, and a tensor map is not */
  readonly launch?: (text: string) => string
  /** a text of one statement, what it becomes, and what is then said */
  readonly twins: ReadonlyArray<readonly [about: string, from: RegExp, to: string, says: RegExp]>
}

const claims: ReadonlyArray<Claim> = [
  {
    kernel: 'hopper/warpgroups/ring',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [
      ['two elements exchanged', /(st\.global\.f32 \t\[%rd73\], )%f3456/u, '$1%f3455', /row 0 and column 1/u],
      ['a slice of k twice', /%rd8,%rd9,1/u, '%rd6,%rd7,1', /k-slices .*missing.*repeated/u],
      ['the sums so far forgotten', /%rd12,%rd13,1,1,1/u, '%rd12,%rd13,0,1,1', /k-slices .*missing/u],
      ['one product subtracted', /%rd12,%rd13,1,1,1/u, '%rd12,%rd13,1,-1,1', /subtract/u],
      ['operands that do not meet', /%rd8,%rd9,1/u, '%rd6,%rd9,1', /operands do not match/u],
      [
        'a transpose',
        /%rd8,%rd9,1,1,1,0,0/u,
        '%rd8,%rd9,1,1,1,0,1',
        /operand B is scrambled|operands do not match/u,
      ],
    ],
  },
  {
    kernel: 'hopper/warpgroups/pingpong_matmul',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [
      [
        'halves exchanged',
        /(cvt\.rn\.f16x2\.f32 %r241, )(%f4347), (%f4348)/u,
        '$1$3, $2',
        /row 0 and column 1/u,
      ],
      [
        'matrices exchanged',
        /\{%r241, %r242, %r243, %r244\}/u,
        '{%r242, %r241, %r243, %r244}',
        /row 8 and column 0/u,
      ],
      ['cut at zero', /(cvt\.rn)(\.f16x2\.f32 %r241, )/u, '$1.relu$2', /computed by other means/u],
    ],
  },
  {
    kernel: 'hopper/warpgroups/cluster_matmul',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [['the other rows of B', /\{%r155, %r17\}/u, '{%r155, %r15}', /column/u]],
  },
  {
    kernel: 'hopper/cuda/matmul_f32',
    computes: 'matmul:a,b,c',
    inOrder: true,
    twins: [
      ['a k twice', /(ld\.shared\.f32 \t%f25, \[%r8)\+16\]/u, '$1+12]', /operands do not match/u],
      [
        'another k twice',
        /(fma\.rn\.f32 \t%f62, )%f58, %f57, %f56/u,
        '$1%f55, %f54, %f56',
        /missing.*repeated/u,
      ],
      ['a k missing', /(fma\.rn\.f32 \t%f29, %f28, %f27, )%f26/u, '$1%f23', /k-slices 4:5, .* missing/u],
      ['a sign turned', /(fma\.rn\.f32 \t%f29, )%f28, /u, 'neg.f32 %f28, %f28;\n\t$1%f28, ', /other means/u],
      [
        'a scale',
        /(fma\.rn\.f32 \t%f29, )%f28, /u,
        'mul.f32 %f28, %f28, 0f40000000;\n\t$1%f28, ',
        /k-slices 5:6, .* missing/u,
      ],
      ['the square of a', /(fma\.rn\.f32 \t%f29, %f28, )%f27/u, '$1%f28', /not one of each factor/u],
      [
        'an element elsewhere',
        /(fma\.rn\.f32 \t%f17, )/u,
        'shfl.sync.bfly.b32 %f15, %f15, 1, 31, -1;\n\t$1',
        /row 0 and column 1/u,
      ],
    ],
  },
  {
    kernel: 'hopper/cuda/mma_ldmatrix',
    computes: 'matmul:a,b,c',
    inOrder: true,
    twins: [
      ['b not transposed', /x2\.trans(\.shared\.b16 \{%r105)/u, 'x2$1', /scrambled|operands do not match/u],
      [
        'quarters of a exchanged',
        /\{%r100, %r101, %r102, %r103\}, \{%r105/u,
        '{%r101, %r100, %r102, %r103}, {%r105',
        /scrambled|row/u,
      ],
      ['ks of b exchanged', /\{%r105, %r106\}, \{/u, '{%r106, %r105}, {', /operands do not match/u],
      [
        'other columns added',
        /(%r102, %r103\}, )\{%r105, %r106\}/u,
        '$1{%r105, %r105}',
        /scrambled|operands do not match/u,
      ],
      [
        'a product forgotten',
        /(\{%r151, %r152\}, )\{%f368, %f367, %f366, %f365\}/u,
        '$1{%f364, %f363, %f362, %f361}',
        /column/u,
      ],
      ['sums exchanged', /(st\.global\.f32 \t\[%rd\d+\], )%f368/u, '$1%f367', /row 0 and column 1/u],
    ],
  },
  {
    kernel: 'hopper/cuda/wmma_tile',
    computes: 'matmul:a,b.T,d',
    inOrder: true,
    base: (text) =>
      text
        .replace(/mul\.f32 (\t%f7\d, %f\d+), 0f3F000000/gu, 'mov.f32 $1')
        .replace(/add\.f32 (\t%f\d+, %f\d+), %f\d+;/gu, 'mov.f32 $1;'),
    twins: [
      [
        'a scale',
        /mov\.f32 (\t%f72, %f71)/u,
        'mul.f32 $1, 0f3F000000',
        /0\.5 \* \(a @ b\.T\), which is not only a product/u,
      ],
      [
        'b by rows',
        /wmma\.load\.b\.sync\.aligned\.col(\S+shared)/u,
        'wmma.load.b.sync.aligned.row$1',
        /scrambled|operands do not match/u,
      ],
      [
        'a sum with another',
        /(mov\.f32 \t%f73), %f70/u,
        '$1, %f71',
        /row 0 and column 0|row \d+ and column/u,
      ],
    ],
  },
  {
    kernel: 'hopper/warpgroups/split_k',
    computes: 'matmul:a,b.T,c',
    inOrder: false,
    twins: [
      [
        'a part twice',
        /(add\.f32 \t%f1666, %f1760, %f1665);/u,
        '$1;\n\tadd.f32 %f1666, %f1666, %f1760;',
        /repeated/u,
      ],
      [
        'the parts before forgotten',
        /(add\.f32 \t%f1666, %f1760, )%f1665/u,
        '$10f00000000',
        /missing|lie side by side/u,
      ],
      ['a part subtracted', /add(\.f32 \t%f1666, %f1760, %f1665)/u, 'sub$1', /other means/u],
      [
        'an element beside it',
        /(ld\.global\.f32 \t%f1667, \[%rd85)\+4\]/u,
        '$1]',
        /row 0 and column|lie side by side/u,
      ],
    ],
  },
  {
    kernel: 'hopper/warpgroups/stream_k',
    computes: 'matmul:a,b.T,c',
    inOrder: false,
    launch: (text) => text.replaceAll('"dtype": "u8"', '"dtype": "i8"'),
    twins: [
      [
        'a part that is put, not added',
        /atom\.global\.add\.u32 (\s*%r\d+, \[\S+\], \S+;)/u,
        'atom.global.exch.b32 $1',
        /missing/u,
      ],
      [
        'the least of parts',
        /atom\.global\.add\.u32 (\s*%r\d+, \[\S+\], \S+;)/u,
        'atom.global.min.s32 $1',
        /a reduction by min is not a sum/u,
      ],
    ],
  },
  {
    kernel: 'blackwell/cuda/tcgen_matmul',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [
      ['a slice of k twice', /%rd7, %rd8, %r194/u, '%rd6, %rd5, %r194', /missing.*repeated/u],
      ['operands that do not meet', /%rd7, %rd8, %r194/u, '%rd6, %rd8, %r194', /operands do not match/u],
      ['columns exchanged', /(st\.global\.u32 \t\[%rd83\], )%r228/u, '$1%r229', /row 0 and column 1/u],
    ],
  },
  {
    kernel: 'blackwell/cuda/tcgen_pair',
    computes: 'matmul:a,b.T,c',
    inOrder: true,
    twins: [],
  },
]

// ---------------------------------------------------------------- what is proved, and what comes out

const npyOf = (bytes: Uint8Array): ReturnType<typeof decodeNpy> => decodeNpy(bytes)

/** Elements of a file as numbers; bytes are signed. */
const numbers = (
  bytes: Uint8Array,
): { readonly shape: ReadonlyArray<number>; readonly data: Float64Array } => {
  const { descr, shape, data } = right(npyOf(bytes))
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const wide = Number(descr.slice(1))
  const at = (i: number): number =>
    descr === 'f4'
      ? view.getFloat32(4 * i, true)
      : descr === 'f2'
        ? decode('f16', view.getUint16(2 * i, true))
        : descr === 'i4'
          ? view.getInt32(4 * i, true)
          : view.getInt8(i)
  return { shape, data: Float64Array.from({ length: data.length / wide }, (_, i) => at(i)) }
}

interface Came {
  readonly proof: Provenance
  /** the output is the product of the inputs, as f64 has it, but for what its types round; null: there is none */
  readonly isProduct: boolean | null
}

const isClose = (x: number, y: number, size: number): boolean => Math.abs(x - y) <= size * 2 ** -9 + 2 ** -12

const productOf = (computes: string, files: ReadonlyMap<string, Uint8Array>, c: Uint8Array): boolean => {
  const [, b] = computes.slice('matmul:'.length).split(',')
  const [left, rightOne, out] = [numbers(files.get('a.npy')!), numbers(files.get('b.npy')!), numbers(c)]
  const [m, k] = left.shape
  const n = out.shape[1]!
  const [down, along] = b === 'b.T' ? [1, k!] : [n, 1]
  for (let i = 0; i < m!; i++)
    for (let j = 0; j < n; j++) {
      let [sum, size] = [0, 0]
      for (let e = 0; e < k!; e++) {
        const product = left.data[i * k! + e]! * rightOne.data[e * down + j * along]!
        sum += product
        size += Math.abs(product)
      }
      if (!isClose(out.data[i * n + j]!, sum, size)) return false
    }
  return true
}

const came = ({ kernel, computes, base, launch }: Claim, change: (text: string) => string): Came => {
  const files = new Map(
    readdirSync(new URL(`${kernel}/`, folder)).map((file) => [
      file,
      new Uint8Array(readFileSync(new URL(`${kernel}/${file}`, folder))),
    ]),
  )
  const edit = (file: string, how: (text: string) => string): void => {
    files.set(file, new TextEncoder().encode(how(new TextDecoder().decode(files.get(file)))))
  }
  const file = `${kernel.split('/').pop()!}.ptx`
  edit(file, (text) => change(base === undefined ? text : base(text)))
  if (launch !== undefined) edit('launch.json', launch)
  const out = computes.split(',')[2]!
  const report = right(
    runPtx(worldOf(inMemory(files)), file, { launch: 'launch.json', computes, out: [`${out}=left.npy`] }),
  )
  const left = report.files?.find((written) => written.file === 'left.npy')
  return {
    proof: (report.json() as Verdict).provenance!,
    isProduct: left === undefined ? null : productOf(computes, files, left.bytes),
  }
}

const daily = ['hopper/cuda/matmul_f32']
const today = nightly ? claims : claims.filter(({ kernel }) => daily.includes(kernel))

describe('for all inputs', () => {
  it.each(today.map((c) => [c.kernel, c] as const))(
    '%s',
    (_, claim) => {
      const { proof, isProduct } = came(claim, (text) => text)
      expect(proof, proof.text).toMatchObject({ proved: true, inOrder: claim.inOrder })
      expect(isProduct).toBe(true)
    },
    120_000,
  )
})

describe('no product', () => {
  it.each(
    sampled(
      7,
      today.flatMap((claim) =>
        claim.twins.map((twin) => [`${claim.kernel}: ${twin[0]}`, claim, twin] as const),
      ),
    ),
  )(
    '%s',
    (_, claim, [, from, to, says]) => {
      const { proof, isProduct } = came(claim, (ptx) => {
        expect(from.test(ptx)).toBe(true)
        return ptx.replace(from, to)
      })
      expect([proof.proved, isProduct], proof.text).toEqual([false, false])
      expect(proof.text).toMatch(says)
    },
    120_000,
  )
})
