/**
 * The modules of `conformance/triton/modules` for sm_100 as their PTX, at the launches of their TTGIR (`dialects/ttgir/launches.ts`), and both of them
 * run on one input.
 */
import { readFileSync } from 'node:fs'
import { launchedPtx, type LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { bits } from '../../../src/numerics/bits.js'
import { encode } from '../../../src/numerics/float-format.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import { copyOut } from '../../../src/semantics/machine/plane.js'
import { dice } from '../../../src/semantics/schedules/naive/random.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import type { Type } from '../../../src/dialects/ttgir/text/syntax.js'
import { launched, type Extents } from '../ttgir/launches.js'
import { moduleFiles } from '../ttgir/modules.js'
import { moduleText } from './modules.js'

export const blackwellFiles: ReadonlyArray<string> = moduleFiles.filter((file) => file.includes('sm100'))

const lowering = JSON.parse(
  readFileSync(new URL('../../../conformance/triton/lowering.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly sharedBytes: number }>>

/** The element type of a pointer, a tensor or a descriptor. */
const elementOf = (type: Type): string => {
  switch (type._tag) {
    case 'pointer':
      return elementOf(type.pointee)
    case 'descriptor':
      return elementOf(type.block)
    case 'tensor':
      return elementOf(type.element)
    case 'integer':
      return `u${String(type.bits)}`
    case 'float':
      return type.name === 'f8E4M3FN' ? 'e4m3' : type.name
    default:
      return type._tag
  }
}

export const ptxOf = (file: string): string =>
  moduleText(`triton/modules/${file.replace('.ttgir', '.ptx.gz')}`)

/** The launch file that Triton's launch of the module would be. */
const launchFile = (file: string, text: string, extents: Extents | null): object => {
  const { module, launch: grid, arguments: given } = launched(file, extents)
  const { parameters } = module.operations[0]!.regions[0]!.blocks[0]!
  const scalars = new Map(given.scalars)
  const args: unknown[] = []
  for (let i = 0; i < parameters.length; i++) {
    const p = parameters[i]!
    const t = grid.tensors.get(p.name)
    if (t === undefined) {
      const value = scalars.get(p.name)
      args.push(
        typeof value === 'object' && value._tag === 'float'
          ? new Float32Array(Uint32Array.of(value.x).buffer)[0]
          : Number(value),
      )
      continue
    }
    const { type, name } = p
    const of = { tensor: name, shape: t.shape, role: t.role, dtype: elementOf(type) }
    if (type._tag === 'descriptor') {
      const block = type.block._tag === 'tensor' ? type.block.shape : []
      args.push({ kind: 'tensordesc', strides: t.strides, block, ...of })
    } else args.push({ kind: 'pointer', ...of })
    if (type._tag !== 'descriptor') continue
    // extents and strides follow in the text
    i += 2 * t.shape.length
  }
  const threads = Number(/\.reqntid (\d+)/u.exec(text)?.[1] ?? '128')
  return {
    kernel: /\.entry (\w+)/u.exec(text)?.[1],
    grid: grid.grid,
    num_warps: threads / 32,
    num_ctas: 1,
    shared: lowering[file]!.sharedBytes,
    args,
    outputs: [...grid.tensors].filter(([, t]) => t.role === 'out').map(([name]) => name),
    // a tensor map of 128 bytes for each descriptor that is made on the device
    extra: { global_scratch_size: file.startsWith('mm_tma') ? 384 : 0 },
  }
}

// ---------------------------------------------------------------- inputs

interface Held {
  readonly name: string
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
}

const elements = (shape: ReadonlyArray<number>): number => shape.reduce((n, d) => n * d, 1)

/** Bit patterns: halves of -2 to 2 by eighths, bytes of e4m3 that are numbers, exponents of -1, 0 and 1. */
const patterns = ({ name, dtype, shape }: Held): Float64Array => {
  const die = dice([...name].reduce((n, c) => 31 * n + c.charCodeAt(0), 7))
  return Float64Array.from({ length: elements(shape) }, () =>
    dtype === 'f16'
      ? encode('f16', (die.below(33) - 16) / 8)
      : dtype === 'e4m3'
        ? die.below(2) * 128 + die.below(0x50)
        : 126 + die.below(3),
  )
}

const npy = (h: Held): Uint8Array => {
  const [descr, bytes] = h.dtype === 'f16' ? ['<f2', 2] : ['|u1', 1]
  const dict = `{'descr': '${String(descr)}', 'fortran_order': False, 'shape': (${h.shape.join(', ')}${h.shape.length === 1 ? ',' : ''}), }`
  const header = `${dict.padEnd(117)}\n`
  const data = patterns(h)
  const out = new Uint8Array(10 + header.length + data.length * Number(bytes))
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 0xff, header.length >> 8])
  out.set(new TextEncoder().encode(header), 10)
  const view = new DataView(out.buffer, 10 + header.length)
  data.forEach((x, k) => {
    if (bytes === 2) view.setUint16(2 * k, x, true)
    else view.setUint8(k, x)
  })
  return out
}

const inputsOf = (file: string, extents: Extents | null): ReadonlyArray<Held> => {
  const { module, launch: grid } = launched(file, extents)
  const { parameters } = module.operations[0]!.regions[0]!.blocks[0]!
  return [...grid.tensors]
    .filter(([, t]) => t.role === 'in')
    .map(([name, t]) => ({
      name,
      shape: t.shape,
      dtype: elementOf(parameters.find((p) => p.name === name)!.type),
    }))
}

// ---------------------------------------------------------------- launches

export const launchedBlackwell = (
  file: string,
  extents: Extents | null = null,
  text: string = ptxOf(file),
  computes: string | null = null,
): LaunchedPtx => {
  const files = new Map<string, Uint8Array>([
    ['k.ptx', new TextEncoder().encode(text)],
    [
      'launch.json',
      new TextEncoder().encode(
        JSON.stringify({
          ...launchFile(file, text, extents),
          ...(computes === null ? {} : { computes }),
        }),
      ),
    ],
    ...inputsOf(file, extents).map((h) => [`${h.name}.npy`, npy(h)] as const),
  ])
  return right(launchedPtx(inMemory(files))('k.ptx', 'launch.json'))
}

/** What the module of TTGIR leaves in its output, as bytes. */
export const leftByTtgir = (file: string, extents: Extents | null = null): Uint8Array => {
  const { module, launch: grid, arguments: given } = launched(file, extents)
  const tensors = new Map(
    inputsOf(file, extents).map((h) => [
      grid.tensors.get(h.name)!.tensor,
      h.dtype === 'u8' ? patterns(h).map((x) => (x > 127 ? x - 256 : x)) : patterns(h),
    ]),
  )
  const started = right(
    launch(right(elaborate(module, grid)), bits('blackwell', 'triton'), { scalars: given.scalars, tensors }),
  )
  const ran = run(started.world, started.machine, settings(eager), collect)
  if (ran.outcome._tag !== 'completed') throw new Error(`${file}: ${ran.outcome._tag}`)
  const out = [...grid.tensors.values()].find((t) => t.role === 'out')!
  const left = readTensor(started.world, ran.machine, out.tensor)!
  const wide = /^mm_scaled/u.test(file) ? 4 : 2
  const bytes = new Uint8Array(wide * left.length)
  const view = new DataView(bytes.buffer)
  left.forEach((x, k) => {
    if (wide === 4) view.setUint32(4 * k, x, true)
    else view.setUint16(2 * k, x, true)
  })
  return bytes
}

/** What the PTX leaves, as bytes; or how it ended. */
export const leftByPtx = (file: string, extents: Extents | null = null): Uint8Array | string => {
  const { elaborated, arguments: given, outputs } = launchedBlackwell(file, extents)
  const started = right(launchWarps(elaborated.program, given, bits('blackwell')))
  const ran = run(started.world, started.machine, settings(eager), collect)
  if (ran.outcome._tag !== 'completed') return JSON.stringify(ran.outcome)
  const [name] = [...outputs.keys()]
  const bytes = new Uint8Array(given.tensors.find((t) => t.name === name)!.bytes)
  copyOut(ran.machine.planes[started.planeOf.get(name!)!]!, 0, bytes.length, bytes)
  return bytes
}
