/**
 * The CUDA kernels of `conformance/hopper/cuda` are what they say: launches fit the texts, twins differ from their kernels at the lines that are named, and what an H100
 * left is what the kernels compute by definition, bit for bit.
 */
import { describe, expect, it } from 'vitest'
import { functionsOf, parseModule, type Module, type Parameter } from '../../../src/dialects/ptx/index.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'
import { moduleText } from './modules.js'
import { definitions } from './cuda-outputs.js'
import {
  bigs,
  faults,
  filesOf,
  fileText,
  held,
  everyKernel,
  kernelNames,
  kinds,
  launchOf,
  numbers,
  type Argument,
  type MapArgument,
  type TensorArgument,
} from './cuda.js'

const modules = new Map<string, Module>()
const moduleOf = (path: string): Module => {
  const found = modules.get(path) ?? right(parseModule(fileText(path)))
  modules.set(path, found)
  return found
}
const textsOf = (kernel: string): ReadonlyArray<string> =>
  filesOf(kernel).filter((file) => file.endsWith('.ptx'))

const bytesOf = ({ type, extents }: Parameter): number =>
  (Number(type.replace(/\D+/, '')) / 8) * extents.reduce<number>((n, extent) => n * (extent ?? 0), 1)
const size = (arg: Argument): number =>
  arg.kind === 'pointer'
    ? 8
    : arg.kind === 'tensormap'
      ? 128
      : arg.kind === 'struct'
        ? arg.bytes
        : kinds[arg.type]![0]
const tensorsOf = (kernel: string): ReadonlyArray<TensorArgument | MapArgument> => {
  const { args, globals } = launchOf(kernel)
  return [
    ...args.flatMap((arg): ReadonlyArray<Argument> => (arg.kind === 'struct' ? arg.fields : [arg])),
    ...(globals ?? []),
  ].flatMap((arg) => (arg.kind === 'pointer' || arg.kind === 'tensormap' ? [arg] : []))
}

describe('launches', () => {
  it('there are so many', () => {
    expect([everyKernel.length, faults.length]).toEqual([45, 196])
  })
  it.each(kernelNames)('%s fits its texts, right and broken', (kernel) => {
    const launch = launchOf(kernel)
    expect(launch.name).toBe(kernel)
    expect(launch.grid.reduce((p, q) => p * q)).toBeLessThanOrEqual(8)
    expect(launch.block.reduce((p, q) => p * q)).toBeLessThanOrEqual(256)
    const broken = textsOf(kernel).filter((text) => text !== `${kernel}.ptx`)
    for (const text of [`${kernel}.ptx`, ...sampled(5, broken)]) {
      const entry = functionsOf(moduleOf(`${kernel}/${text}`)).find((f) => f.kind === 'entry')
      expect(entry?.name).toBe(launch.kernel)
      expect(entry?.parameters?.map(bytesOf)).toEqual(launch.args.map(size))
    }
  })
  it('that of own_cpasync is of the text in conformance/cuda, too', () => {
    const launch = launchOf('own_cpasync')
    const entry = functionsOf(right(parseModule(moduleText('cuda/own_cpasync.ptx')))).find(
      (f) => f.kind === 'entry',
    )
    expect(entry?.name).toBe(launch.kernel)
    expect(entry?.parameters?.map(bytesOf)).toEqual(launch.args.map(size))
  })
  it.each(kernelNames)('%s has a file for each tensor, in its type and its extents', (kernel) => {
    for (const { tensor, dtype, shape, role, file } of tensorsOf(kernel)) {
      const files = [
        ...(role === 'in' ? [] : [`${tensor}.npy`]),
        ...(role === 'out' ? [] : [file ?? `${tensor}.npy`]),
      ]
      for (const name of files) {
        const found = held(kernel, name)
        expect([name, found.dtype, found.shape]).toEqual([name, kinds[dtype]![1], shape])
        expect(found.bytes.byteLength).toBe(kinds[dtype]![0] * shape.reduce((p, q) => p * q, 1))
      }
    }
    expect(tensorsOf(kernel).flatMap(({ tensor, role }) => (role === 'in' ? [] : [tensor]))).toEqual(
      launchOf(kernel).outputs,
    )
  })
  it('the fields of a struct do not overlap, and every byte that the text reads is in one', () => {
    const [struct] = launchOf('struct_param').args
    if (struct?.kind !== 'struct') throw new Error('no struct')
    const covered = struct.fields.flatMap((f) => Array.from({ length: size(f) }, (_, k) => f.offset + k))
    expect(new Set(covered).size).toBe(covered.length)
    expect(
      struct.fields.filter((f) => f.offset % size(f) !== 0 || f.offset + size(f) > struct.bytes),
    ).toEqual([])
    const read = [
      ...fileText('struct_param/struct_param.ptx').matchAll(
        /ld\.param\.(?:v(\d)\.)?[busf](\d+) .*\[[%\w]+\+(\d+)\]/g,
      ),
    ]
    expect(read.length).toBeGreaterThan(15)
    for (const [line, vector, bits, offset] of read)
      for (let k = 0; k < (Number(bits) / 8) * Number(vector ?? 1); k++)
        expect([line, covered.includes(Number(offset) + k)]).toEqual([line, true])
  })
  it('the symbols of constants are variables of its module', () => {
    const variables = moduleOf('constants/constants.ptx').items.flatMap((i) =>
      i._tag === 'variable' ? [i] : [],
    )
    for (const { symbol, dtype, shape } of launchOf('constants').globals ?? []) {
      const found = variables.find(({ name }) => name === symbol)
      const elements = (found?.extents ?? []).reduce<number>((n, extent) => n * (extent ?? 0), 1)
      expect((Number(found?.type.slice(1)) / 8) * elements).toBe(kinds[dtype]![0] * shape[0]!)
    }
  })
})

describe('twins', () => {
  it.each(kernelNames)(
    '%s has three at least: a missing order, an index, a barrier in divergent code',
    (kernel) => {
      const own = faults.filter((f) => f.kernel === kernel)
      expect(own.length).toBeGreaterThanOrEqual(3)
      const has = (...of: ReadonlyArray<string>): boolean => own.some(({ kind }) => of.includes(kind))
      expect(has('missing-barrier', 'missing-wait', 'missing-fence')).toBe(true)
      // those of clusters, of bulk copies and of the C++ library go wrong in ways of their own
      if (!/^(cluster|bulk|tma|device|cxx|carried)_/u.test(kernel)) {
        expect(has('out-of-bounds', 'uninitialised')).toBe(true)
        expect(has('divergent-barrier')).toBe(true)
      }
      expect(textsOf(kernel)).toEqual(
        [...own.map(({ twin }) => `broken${String(twin)}.ptx`), `${kernel}.ptx`].sort(),
      )
    },
  )
  it('each is another text than its kernel, and has instructions of a line at fault', () => {
    for (const { kernel, twin, ptx, source, lines } of sampled(5, faults)) {
      const text = fileText(ptx)
      expect(text).not.toBe(fileText(`${kernel}/${kernel}.ptx`))
      expect(text).toContain(`.file\t1 "${kernel}.cu"`)
      // a place in a header of the library is inlined at one that is, in the end, at a line of the source
      const reached = new Set(
        [...text.matchAll(/(?:\.loc\t|inlined_at )1 (\d+) /gu)].map(([, line]) => Number(line)),
      )
      expect([ptx, lines.length > 0 && lines.some((line) => reached.has(line))]).toEqual([ptx, true])
      const written = fileText(source).split('\n')
      expect(
        lines.filter((line) => !new RegExp(`//@${String(twin)}\\b`).test(written[line - 1] ?? '')),
      ).toEqual([])
    }
  })
})

describe('what an H100 left', () => {
  it.each(Object.keys(definitions).filter((kernel) => kernelNames.includes(kernel)))(
    '%s computes what it says',
    (kernel) => {
      for (const [output, expected] of Object.entries(definitions[kernel]!())) {
        const found = typeof expected[0] === 'bigint' ? bigs(kernel, output) : numbers(kernel, output)
        expect(found.length).toBe(expected.length)
        expect(
          found
            .flatMap((v, k) => (Object.is(v, expected[k]) ? [] : [[output, k, v, expected[k]]]))
            .slice(0, 5),
        ).toEqual([])
      }
    },
  )
  it('softmax is near to that of f64, the exact one nearer', () => {
    const [x, fast, exact] = [
      numbers('softmax', 'x'),
      numbers('softmax', 'fast'),
      numbers('softmax', 'exact'),
    ]
    for (let row = 0; row < 4; row++) {
      const mine = x.slice(300 * row, 300 * row + 300)
      const most = Math.max(...mine)
      const sum = mine.reduce((s, v) => s + Math.exp(v - most), 0)
      mine.forEach((v, c) => {
        const expected = Math.exp(v - most) / sum
        // the difference is rounded before its exponential is taken; what is subnormal has an error of its own
        const scale = (4 + most - v) * expected + 2 ** -125
        expect(Math.abs(exact[300 * row + c]! - expected)).toBeLessThan(2 ** -23 * scale)
        expect(Math.abs(fast[300 * row + c]! - expected)).toBeLessThan(2 ** -21 * scale)
      })
    }
  })
  it('the polynomial of series_f64 is near to that without fused products', () => {
    const [x, coefficients, values] = [
      numbers('series_f64', 'x'),
      numbers('series_f64', 'coefficients'),
      numbers('series_f64', 'values'),
    ]
    x.forEach((v, i) => {
      const terms = coefficients.map((c, j) => c * v ** j)
      const scale = terms.reduce((s, term) => s + Math.abs(term), 0)
      expect(Math.abs(values[4 * i]! - terms.reduce((s, term) => s + term, 0))).toBeLessThan(1e-14 * scale)
    })
  })
})
