/**
 * The suite `ptx`: what a module of PTX leaves, and what is wrong with its synchronisation.
 *
 *     {"ptx": ".version 9.0 ...", "launch": {"grid": [6], "block": [128], "args": [...], "outputs": ["y"]}, "tensors": {"x": {...}}}
 *     {"verdict": "ok", "stops": null, "findings": [], "outputs": {"y": {"dtype": "f32", "shape": [6], "bits": [...]}}}
 *     {"verdict": "hazard", "stops": null, "findings": [{"id": "D1", "lines": [44, 71]}], "outputs": {}}
 *
 * The launch is a launch file (`schemas/ptx-launch.schema.json`) without the files beside it: those stand in `tensors`, by what the file is called without `.npy`.
 * Lines are those of the text, from 1. A module of which every schedule leaves the same has outputs; what a wrong one leaves is not asked.
 *
 * The kernels are our own, compiled by nvcc, and an H100 ran them on these inputs: the outputs that are expected of the right ones are what it left, bit for bit.
 * The wrong ones are twins with one mistake each.
 *
 * Two answers are the same if their outputs are, and their verdicts, the line at which a module stops that is not valid, and the ids that are found; of each finding that is expected one of the same id must name one of its
 * lines. For a mistake has more than one place where it shows.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failure, refuse, unreachable, type Failure } from '../../failure.js'
import { bits } from '../../numerics/bits.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import { warpSource } from '../../semantics/execution/launch-warps.js'
import { hazardIds, type HazardId } from '../../semantics/judging/hazards.js'
import type { Verdict, VerdictName } from '../../semantics/judging/verdict.js'
import * as Plane from '../../semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../semantics/verdict/check.js'
import { remembered } from '../../remembered.js'
import { dictionary, either, list, nat, nothing, oneOf, record, text, wordOf, type Wire } from '../../wire.js'
import { ptxLaunchWire, type PtxLaunch } from '../launch/ptx-file.js'
import { launchedPtx } from '../launch/ptx.js'
import { dtypeOf } from '../launch/ptx-maps.js'
import type { Files } from '../tensor-files/files.js'
import { encodeNpy } from '../tensor-files/npy.js'
import { npyOfTensor, patternsOfBytes, tensor } from '../tensor-files/tensor.js'
import { capturedKernels, type CapturedKernel } from './captured-kernels.js'
import { suite, tensorOf, tensorWire, type Case, type Feature, type Suite, type Tensor } from './suite.js'

// ---------------------------------------------------------------- question and answer

interface Question {
  readonly ptx: string
  readonly launch: PtxLaunch
  readonly tensors: Readonly<Record<string, Tensor>>
}

interface Found {
  readonly id: HazardId
  /** of the text, ascending */
  readonly lines: ReadonlyArray<number>
}
interface Answer {
  readonly verdict: VerdictName
  /** the line at which a module that is not valid stops; null: it does not */
  readonly stops: number | null
  readonly findings: ReadonlyArray<Found>
  readonly outputs: Readonly<Record<string, Tensor>>
}

const question: Wire<Question> = record<Question>()(
  'a module and its launch',
  { ptx: text, launch: ptxLaunchWire, tensors: dictionary('tensors', tensorWire) },
  {},
)

const answer: Wire<Answer> = record<Answer>()(
  'a verdict and outputs',
  {
    verdict: wordOf<VerdictName>()({
      ok: true,
      invalid: true,
      hazard: true,
      deadlock: true,
      'wrong-result': true,
      undecided: true,
      'out-of-fuel': true,
    }),
    stops: either<null, number>('null or a line', nothing, nat),
    findings: list(record<Found>()('a finding', { id: oneOf(...hazardIds), lines: list(nat) }, {})),
    outputs: dictionary('tensors', tensorWire),
  },
  {},
)

// ---------------------------------------------------------------- asking

const utf8 = new TextEncoder()

/** The files that a launch speaks of. */
const filesOf = ({ ptx, launch, tensors }: Question): Files => {
  const held = new Map<string, () => Uint8Array>([
    ['k.ptx', () => utf8.encode(ptx)],
    ['launch.json', () => utf8.encode(JSON.stringify(launch))],
    ...Object.entries(tensors).map(
      ([name, { dtype, shape, bits: patterns }]) =>
        [
          `${name}.npy`,
          () =>
            pipe(
              tensor(dtype, shape, patterns),
              E.map(npyOfTensor),
              E.chainW(encodeNpy),
              E.getOrElseW((why) => unreachable(why.message)),
            ),
        ] as const,
    ),
  ])
  return {
    read: (file) => () => {
      const found = held.get(file)
      return found === undefined
        ? refuse('file-missing', `tensors: expected ${file.replace(/\.npy$/u, '')}, found none`)
        : E.right(found())
    },
    destination: () => () => E.right(null),
    write: () => TE.right(undefined),
  }
}

/** Elements of at most 32 bits. */
const ofBytes = (dtype: Dtype, shape: ReadonlyArray<number>, bytes: Uint8Array): Tensor => {
  const patterns = patternsOfBytes(dtype, bytes)
  return tensorOf(
    dtype,
    shape,
    Array.from({ length: patterns.length }, (_, i) => Number(patterns[i])),
  )
}

const lineOf = (site: string): ReadonlyArray<number> => {
  const line = /\(line (\d+)\)/u.exec(site)?.[1]
  return line === undefined ? [] : [Number(line)]
}

/** Findings, each pair of lines once. */
const foundIn = ({ findings }: Verdict): ReadonlyArray<Found> => {
  const all = new Map<string, Found>()
  for (const { id, a, b } of findings) {
    const lines = [...new Set([a, b].flatMap((side) => (side === undefined ? [] : lineOf(side.site))))]
    const found: Found = { id, lines: lines.sort((x, y) => x - y) }
    all.set(`${id} ${found.lines.join()}`, found)
  }
  return [...all.values()].sort((x, y) =>
    x.id === y.id ? (x.lines[0] ?? 0) - (y.lines[0] ?? 0) : x.id < y.id ? -1 : 1,
  )
}

/** Events of a run that is asked about: more are `out-of-fuel`. */
const fuel = 1e6

const ask = (asked: Question): E.Either<Failure, Answer> =>
  pipe(
    launchedPtx(filesOf(asked))('k.ptx', 'launch.json'),
    E.bindTo('launched'),
    E.bindW('checked', ({ launched }) =>
      checkSource(warpSource(launched.elaborated.program, launched.arguments), {
        ...standardOptions,
        algebra: bits(launched.elaborated.program.arch === 'sm100a' ? 'blackwell' : 'hopper'),
        provenance: false,
        explore: false,
        explain: false,
        fuel,
      }),
    ),
    E.chainW(({ launched, checked: { verdict, reasons, world, machine } }) => {
      const outputs: Record<string, Tensor> = {}
      if (verdict.verdict === 'ok')
        for (const [name, { dtype: called, shape }] of launched.outputs) {
          const dtype = called === 's8' ? 'i8' : dtypeOf(called)
          const plane = world.header.planes.findIndex((p) => p.space === 'gmem' && p.name === name)
          if (dtype === null || bitsOf(dtype) > 32)
            return E.left(
              failure('vectors.dtype', `${name}: elements of ${called} have no patterns of 32 bits`),
            )
          const bytes = new Uint8Array(world.header.planes[plane]!.bytes)
          Plane.copyOut(machine.planes[plane]!, 0, bytes.length, bytes)
          outputs[name] = ofBytes(dtype, shape, bytes)
        }
      const { fault } = reasons
      return E.right({
        verdict: verdict.verdict,
        stops: fault === null ? null : (lineOf(world.header.sites[fault.site]?.label ?? '')[0] ?? null),
        findings: foundIn(verdict),
        outputs,
      })
    }),
  )

const same = (expected: Answer, got: Answer): boolean => {
  const ids = (a: Answer): string => [...new Set(a.findings.map(({ id }) => id))].sort().join()
  return (
    expected.verdict === got.verdict &&
    expected.stops === got.stops &&
    ids(expected) === ids(got) &&
    expected.findings.every(({ id, lines }) =>
      got.findings.some(
        (one) => one.id === id && (lines.length === 0 || one.lines.some((l) => lines.includes(l))),
      ),
    ) &&
    JSON.stringify(sorted(expected.outputs)) === JSON.stringify(sorted(got.outputs))
  )
}
const sorted = (outputs: Answer['outputs']): ReadonlyArray<unknown> =>
  Object.entries(outputs)
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([name, { dtype, shape, bits: patterns }]) => [name, dtype, shape, patterns])

// ---------------------------------------------------------------- cases

const tensorsOf = remembered((k: CapturedKernel): Readonly<Record<string, Tensor>> =>
  Object.fromEntries(
    k.tensors.map(({ name, dtype, shape, data }) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0))
      return [name, ofBytes(dtype, shape, bytes)]
    }),
  ),
)

/** The text of a twin: that of its kernel with stretches of lines replaced. */
const twinOf = ({ ptx }: CapturedKernel, { edits }: CapturedKernel['twins'][number]): string => {
  const lines = ptx.split('\n')
  return [...edits]
    .reverse()
    .reduce<ReadonlyArray<string>>(
      (all, { at, remove, insert }) => [...all.slice(0, at), ...insert, ...all.slice(at + remove)],
      lines,
    )
    .join('\n')
}

const tagsOf = (ptx: string): ReadonlyArray<Feature> => {
  const tags: ReadonlyArray<readonly [Feature, boolean]> = [
    ['ptx', true],
    ['mbarrier', ptx.includes('mbarrier.')],
    ['tma', ptx.includes('cp.async.bulk.tensor') || ptx.includes('cp.reduce.async.bulk.tensor')],
    ['wgmma', ptx.includes('wgmma.')],
    ['cluster', /\.shared::cluster|barrier\.cluster/u.test(ptx)],
  ]
  return tags.flatMap(([tag, is]) => (is ? [tag] : []))
}

const caseOf = (k: CapturedKernel, name: string, rule: string, ptx: string): Case<Question> => ({
  name,
  rule,
  features: [
    ...tagsOf(ptx),
    ...(rule === 'ptx.outputs' ? [] : ([rule === 'ptx.refused' ? 'refusal' : 'hazard'] as const)),
  ],
  question: { ptx, launch: k.launch, tensors: tensorsOf(k) },
})

function* everyCase(): Iterable<Case<Question>> {
  for (const k of capturedKernels) {
    const named = k.name.replaceAll('_', '-')
    yield caseOf(k, named, 'ptx.outputs', k.ptx)
    for (const t of k.twins)
      yield caseOf(k, `${named}-${String(t.number)}-${t.kind}`, 'ptx.found', twinOf(k, t))
  }
  const [first] = capturedKernels
  if (first === undefined) return
  const refused = (name: string, change: (ptx: string) => string): Case<Question> =>
    caseOf(first, `refused-${name}`, 'ptx.refused', change(first.ptx))
  yield refused('no-such-instruction', (ptx) => ptx.replace('bar.sync', 'bar.wait'))
  yield refused('no-such-register', (ptx) => ptx.replace(/(ld\.shared\.f32 \t)%f\d+/u, '$1%nowhere'))
}

export const ptxSuite: Suite = suite({
  name: 'ptx',
  arch: 'sm_90a',
  profile: 'kernels',
  title: 'The results of a module of PTX, and the mistakes of its synchronisation, with their lines',
  rules: [
    {
      id: 'ptx.outputs',
      says: 'A module whose synchronisation is right has no finding, and leaves these bits in every schedule',
      source: 'outputs of an H100 (conformance/hopper of the repository)',
      fidelity: 'silicon',
    },
    {
      id: 'ptx.found',
      says: 'A module with one mistake has a finding that names it, at lines where it shows, and no other',
      source:
        'PTX ISA, memory consistency model; docs/hazards.md; reports of compute-sanitizer on the same modules',
      fidelity: 'model',
    },
    {
      id: 'ptx.refused',
      says: 'A text with an instruction or a register that there is not is refused',
      source: 'PTX ISA; refusals of ptxas',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases: everyCase,
  same,
})
