/**
 * The suite of PTX, from the files that are written alone: its modules are those of `conformance/hopper`, what is expected of the right ones is what an H100 left, and
 * what is expected of each twin is at the lines of its mistake.
 *
 * Oracle: the chip's outputs; the table of the twins (`faults.json`), which was written with the kernels: which lines of the source take part in a mistake.
 * `TCSPEC_REGENERATE` writes the modules into `src/oracle/vectors/captured-kernels.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as prettier from 'prettier'
import { describe, expect, test } from 'vitest'
import { decodeNpy } from '../../../src/oracle/tensor-files/npy.js'
import { capturedKernels, type CapturedKernel } from '../../../src/oracle/vectors/captured-kernels.js'
import { folderOf, inlined, vectorsOf } from '../../../src/oracle/vectors/directory.js'
import { ptxSuite } from '../../../src/oracle/vectors/ptx.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'

const conformance = new URL('../../../conformance/hopper/', import.meta.url)
const generated = fileURLToPath(new URL('../../../src/oracle/vectors/captured-kernels.ts', import.meta.url))

// ---------------------------------------------------------------- the modules

/** Of a kernel with much data not every twin: each has the data again. */
const twinsOf: Readonly<Record<string, ReadonlyArray<number>>> = { 'warpgroups/split_k': [1, 5] }

const kernels: ReadonlyArray<string> = [
  'cuda/block_reduce',
  'cuda/histogram',
  'cuda/last_block',
  'cuda/matmul_f32',
  'cuda/cpasync_double',
  'cuda/tma_reduce',
  'cuda/cluster_copy',
  'cuda/cluster_reduce',
  'warpgroups/split_k',
]

const read = (file: string): string => readFileSync(new URL(file, conformance), 'utf8')
const bytesIn = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, conformance)))

/** Without comments, empty lines and what stands there for debuggers; the lines of the source stay. */
const bare = (text: string): string =>
  text
    .replace(/^\s*\.section[\s\S]*$/mu, '')
    .split('\n')
    .filter((line) => !/^\s*(\/\/.*)?$/u.test(line))
    .join('\n')

interface Fault {
  readonly kernel: string
  readonly twin: number
  readonly ptx: string
  readonly kind: string
  readonly lines: ReadonlyArray<number>
}
const faultsOf = (kernel: string): ReadonlyArray<Fault> => {
  const [folder, name] = kernel.split('/')
  const chosen = twinsOf[kernel]
  return (JSON.parse(read(`${folder!}/faults.json`)) as ReadonlyArray<Fault>).filter(
    (f) => f.kernel === name && (chosen === undefined || chosen.includes(f.twin)),
  )
}

type Edit = CapturedKernel['twins'][number]['edits'][number]

/** Stretches of lines that make the one of the other, by a longest common subsequence. */
const editsOf = (from: ReadonlyArray<string>, to: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const length = Array.from({ length: from.length + 1 }, () => new Int32Array(to.length + 1))
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      length[i]![j] =
        from[i] === to[j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!)
  const edits: { at: number; remove: number; insert: string[] }[] = []
  let [i, j] = [0, 0]
  let open: (typeof edits)[number] | null = null
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      open = null
      i++
      j++
      continue
    }
    if (open === null) {
      open = { at: i, remove: 0, insert: [] }
      edits.push(open)
    }
    if (i < from.length && (j === to.length || length[i + 1]![j]! >= length[i]![j + 1]!)) {
      open.remove++
      i++
    } else open.insert.push(to[j++]!)
  }
  return edits
}

const dtypes: Readonly<Record<string, string>> = { s32: 'i32', s8: 'i8', s64: 'i64' }

interface LaunchArgument {
  readonly tensor?: string
  readonly dtype?: string
  readonly file?: string
  readonly role?: string
}

const capturedOf = (kernel: string): CapturedKernel => {
  const [, name] = kernel.split('/')
  const ptx = bare(read(`${kernel}/${name!}.ptx`))
  const launch = JSON.parse(read(`${kernel}/launch.json`)) as CapturedKernel['launch'] & {
    readonly args: ReadonlyArray<LaunchArgument>
  }
  const tensors = launch.args.flatMap((a) => {
    if (typeof a !== 'object' || a.tensor === undefined || a.role === 'out') return []
    const stem = (a.file ?? `${a.tensor}.npy`).replace(/\.npy$/u, '')
    const { shape, data } = right(decodeNpy(bytesIn(`${kernel}/${stem}.npy`)))
    return [
      { name: stem, dtype: dtypes[a.dtype!] ?? a.dtype!, shape, data: Buffer.from(data).toString('base64') },
    ]
  })
  return {
    name: name!,
    ptx,
    launch,
    tensors: tensors as CapturedKernel['tensors'],
    twins: faultsOf(kernel).map(({ twin, ptx: file, kind }) => ({
      number: twin,
      kind,
      edits: editsOf(ptx.split('\n'), bare(read(`${kernel.split('/')[0]!}/${file}`)).split('\n')),
    })),
  }
}

const moduleText = async (): Promise<string> =>
  prettier.format(
    `/** Modules of PTX that an H100 ran, their launches and inputs, and twins with one mistake each: made from \`conformance/hopper\` by the proofs, not by hand. */
import type { Dtype } from '../../numerics/dtype.js'
import type { PtxLaunch } from '../launch/ptx-file.js'

export interface CapturedKernel {
  readonly name: string
  readonly ptx: string
  readonly launch: PtxLaunch
  /** by what the launch calls their files; elements row-major, little-endian, in base64 */
  readonly tensors: ReadonlyArray<{
    readonly name: string
    readonly dtype: Dtype
    readonly shape: ReadonlyArray<number>
    readonly data: string
  }>
  readonly twins: ReadonlyArray<{
    readonly number: number
    readonly kind: string
    /** stretches of lines of the text, counted from 0 and ascending, and what stands in their place */
    readonly edits: ReadonlyArray<{
      readonly at: number
      readonly remove: number
      readonly insert: ReadonlyArray<string>
    }>
  }>
}

export const capturedKernels: ReadonlyArray<CapturedKernel> = ${JSON.stringify(kernels.map(capturedOf))}
`,
    { ...(await prettier.resolveConfig(generated)), parser: 'typescript' },
  )

test('the modules are those of the captures', async () => {
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(generated, await moduleText())
  expect(capturedKernels).toEqual(kernels.map(capturedOf))
})

// ---------------------------------------------------------------- the files

interface Expected {
  readonly answer?: {
    readonly verdict: string
    readonly stops: number | null
    readonly findings: ReadonlyArray<{ readonly id: string; readonly lines: ReadonlyArray<number> }>
    readonly outputs: Readonly<
      Record<string, { readonly dtype: string; readonly bits: ReadonlyArray<number> }>
    >
  }
  readonly refused?: string
}
interface Written {
  readonly rule: string
  readonly question: { readonly ptx: string }
  readonly expected: Expected
}

/** By day two kernels with their twins. */
const daily = /^(block-reduce|cluster-copy-[12]|refused)/u
const { files } = vectorsOf('0')([
  nightly
    ? ptxSuite
    : { ...ptxSuite, cases: () => [...ptxSuite.cases()].filter(({ name }) => daily.test(name)) },
])
const disk = new Map(files.map(({ file, bytes }) => [file, bytes]))
const folder = folderOf(ptxSuite)
const cases = [...disk.keys()].filter(
  (file) => file.startsWith(`${folder}/`) && file.endsWith('.json') && !file.endsWith('/suite.json'),
)

/** A case, read back from its files alone. */
const caseIn = (file: string): Written =>
  inlined(JSON.parse(new TextDecoder().decode(disk.get(file))) as Json, (npy) => {
    const { descr, data } = right(decodeNpy(disk.get(`${folder}/${npy}`)!))
    const wide = Number(descr.slice(1))
    return Array.from({ length: data.length / wide }, (_, i) => {
      let word = 0
      for (let b = wide - 1; b >= 0; b--) word = word * 256 + data[i * wide + b]!
      return word
    })
  }) as unknown as Written

const kernelOf = (file: string): string =>
  kernels.find((k) => file.split('/').pop()!.startsWith(k.split('/')[1]!.replaceAll('_', '-')))!

/** Bytes of an element of 32 bits or fewer. */
const widths: Readonly<Record<string, number>> = { f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i8: 1, u8: 1 }

describe('what is written', () => {
  test.each(cases.filter((file) => caseIn(file).rule === 'ptx.outputs'))('%s: what the chip left', (file) => {
    const { verdict, findings, outputs } = caseIn(file).expected.answer!
    expect([verdict, findings]).toEqual(['ok', []])
    expect(Object.keys(outputs).length).toBeGreaterThan(0)
    for (const [name, { dtype, bits }] of Object.entries(outputs)) {
      const { data } = right(decodeNpy(bytesIn(`${kernelOf(file)}/${name}.npy`)))
      const wide = widths[dtype]!
      expect(bits.length).toBe(data.length / wide)
      bits.forEach((word, i) => {
        for (let b = 0; b < wide; b++)
          if (((word / 2 ** (8 * b)) & 0xff) !== data[i * wide + b])
            expect.fail(`${name}: element ${String(i)}`)
      })
    }
  })

  /** The source lines that the line of a text belongs to. */
  const sourceLine = (lines: ReadonlyArray<string>, line: number): number => {
    for (let i = line - 1; i >= 0; i--) {
      const found = /^\s*\.loc\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+))?/u.exec(lines[i]!)
      // of what is inlined in a header the line of the kernel is that of a call further up
      if (found?.[1] === '1') return Number(found[2])
      if (found?.[3] === '1') return Number(found[4])
    }
    return 0
  }

  test.each(cases.filter((file) => caseIn(file).rule === 'ptx.found'))(
    '%s: at the lines of its mistake',
    (file) => {
      const { question, expected } = caseIn(file)
      const [, number] = /-(\d+)-[a-z-]+\.json$/u.exec(file)!
      const fault = faultsOf(kernelOf(file)).find(({ twin }) => twin === Number(number))!
      const { verdict, stops, findings, outputs } = expected.answer!
      expect(verdict).not.toBe('ok')
      expect(outputs).toEqual({})
      const lines = question.ptx.split('\n')
      const isOfIt = (line: number): boolean => fault.lines.includes(sourceLine(lines, line))
      expect(findings.some((f) => f.lines.some(isOfIt)) || (stops !== null && isOfIt(stops))).toBe(true)
      expect(stops === null).toBe(verdict !== 'invalid')
      // the text of the twin is the compiler's, less what does nothing
      expect(question.ptx).toBe(bare(read(`${kernelOf(file).split('/')[0]!}/${fault.ptx}`)))
    },
  )

  test.each(cases.filter((file) => caseIn(file).rule === 'ptx.refused'))('%s', (file) => {
    expect(caseIn(file).expected.refused).toMatch(/^ptx\./u)
  })

  test('an answer is as good as the expected one if it names the mistake at one of its lines', () => {
    const of = cases.map(caseIn).find(({ rule }) => rule === 'ptx.found')!.expected.answer!
    const [first] = of.findings
    const again = (findings: ReadonlyArray<unknown>): boolean =>
      ptxSuite.same(of as unknown as Json, { ...of, findings })
    expect(again(of.findings)).toBe(true)
    expect(again(of.findings.map(({ id, lines }) => ({ id, lines: lines.slice(0, 1) })))).toBe(true)
    expect(again(of.findings.map(({ id }) => ({ id, lines: [1] })))).toBe(false)
    expect(again([])).toBe(false)
    expect(again([...of.findings, { id: first!.id === 'B7' ? 'B6' : 'B7', lines: [1] }])).toBe(false)
  })
})

test('the page shows what is expected of one of them', () => {
  const { expected } = caseIn(`${folder}/block-reduce-2-missing-barrier.json`)
  const page = readFileSync(new URL('../../../docs/Vectors.md', import.meta.url), 'utf8')
  expect(page).toContain(JSON.stringify(expected))
})

test('the modules are there', () => {
  for (const kernel of kernels) expect(existsSync(new URL(`${kernel}/launch.json`, conformance))).toBe(true)
})
