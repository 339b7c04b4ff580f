/**
 * The suite `kernels`: the verdict on a program.
 *
 *     {"program": {"schema": "tcspec.program/1", ...}, "strict": false, "strictProxies": false, "tensorPipe": "issueOrder"}
 *     {"verdict": "hazard", "findings": ["R1"], "notes": [], "computes": null}
 *
 * A program is asked about for all inputs and every schedule (`semantics/verdict/check.ts`). Of what is found the ids are compared, not the words; `computes` is
 * whether the outputs are what the program says they are, null where it says nothing. A program that validation refuses is refused with validation's code.
 *
 * A hazard has its kernels of a few lines and the same ones mended (`kernels/broken/zoo`): both are cases of its rule, so that it is no use to call everything
 * wrong. Random questions are those less at most one of their effects; they shrink to the kernels themselves.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { cleanProgram, program as anyProgram } from '../../arbitraries/program.js'
import { unreachable, type Failure } from '../../failure.js'
import { clean, foreign, labelsOf, programName, without, zoo, type Twin } from '../../kernels/broken/index.js'
import { cutDownTo, judgedAt, kernels, kernelNamed } from '../../kernels/catalogue/index.js'
import { WGMMA, WGMMA_TRANSPOSED } from '../../layouts/tiled.js'
import { hazardIds, hazards, type HazardId } from '../../semantics/judging/hazards.js'
import type { Verdict, VerdictName } from '../../semantics/judging/verdict.js'
import { noArguments } from '../../semantics/execution/launch.js'
import { programWire } from '../../semantics/files/codec.js'
import { i32 } from '../../semantics/language/expression.js'
import { place } from '../../semantics/language/place.js'
import type { Program } from '../../semantics/language/program.js'
import { validate, type ProgramShape } from '../../semantics/language/validate.js'
import { check, standardOptions } from '../../semantics/verdict/check.js'
import { remembered } from '../../remembered.js'
import { bool, decode, either, list, nothing, oneOf, record, wordOf, type Wire } from '../../wire.js'
import { drawn, suite, type Case, type Feature, type Suite } from './suite.js'

// ---------------------------------------------------------------- question and answer

interface Options {
  /** a broken contract is a hazard, not a note */
  readonly strict: boolean
  /** a proxy fence is demanded before an asynchronous overwrite, too */
  readonly strictProxies: boolean
  /** are products of the tensor core with different accumulators in the order in which they are issued? */
  readonly tensorPipe: 'issueOrder' | 'documented'
}

interface Question extends Options {
  readonly program: ProgramShape
}

interface Answer {
  readonly verdict: VerdictName
  /** ids, each once, sorted */
  readonly findings: ReadonlyArray<HazardId>
  readonly notes: ReadonlyArray<HazardId>
  /** null where the program does not say what it computes */
  readonly computes: { readonly proved: boolean; readonly inOrder: boolean } | null
}

const question: Wire<Question> = record<Question>()(
  'a program and options',
  {
    program: programWire,
    strict: bool,
    strictProxies: bool,
    tensorPipe: oneOf<Options['tensorPipe']>('issueOrder', 'documented'),
  },
  {},
)

const ids: Wire<ReadonlyArray<HazardId>> = list(oneOf(...hazardIds))
const answer: Wire<Answer> = record<Answer>()(
  'a verdict',
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
    findings: ids,
    notes: ids,
    computes: either(
      'null or the proved claim',
      nothing,
      record<NonNullable<Answer['computes']>>()('what is proved', { proved: bool, inOrder: bool }, {}),
    ),
  },
  {},
)

const idsIn = (found: Verdict['findings']): ReadonlyArray<HazardId> =>
  [...new Set(found.map(({ id }) => id))].sort()

const answerOf = ({ verdict, findings, notes, provenance }: Verdict): Answer => ({
  verdict,
  findings: idsIn(findings),
  notes: idsIn(notes),
  computes: provenance === null ? null : { proved: provenance.proved, inOrder: provenance.inOrder },
})

/** Events of a run that is asked about: more are `out-of-fuel`. */
const fuel = 1e6

const ask = ({ program, strict, strictProxies, tensorPipe }: Question): E.Either<Failure, Answer> =>
  pipe(
    validate(program),
    E.chainW((valid) =>
      check(valid, {
        ...standardOptions,
        arguments: { ...noArguments, tensorPipe },
        strict,
        strictProxies,
        provenance: valid.computes !== undefined,
        explain: false,
        fuel,
      }),
    ),
    E.map(({ verdict }) => answerOf(verdict)),
  )

// ---------------------------------------------------------------- questions

const usual: Options = { strict: false, strictProxies: false, tensorPipe: 'issueOrder' }

const about = (program: ProgramShape, options: Partial<Options> = {}): Question => ({
  program,
  ...usual,
  ...options,
})

/** Programs of the catalogue are what they are. */
const made = (program: E.Either<Failure, Program>): Program =>
  E.isRight(program) ? program.right : unreachable(program.left.message)

const optionsOf = ({ shows }: Twin): Options => ({
  ...usual,
  strict: shows.strict ?? false,
  strictProxies: shows.strictProxies ?? false,
})

const twins: ReadonlyArray<Twin> = [...zoo, ...foreign]

/** Of a twin that is refused, what is refused; null where it is no program before it has types or a place. */
const shapeOf = (t: Twin, fixed: boolean): ProgramShape | null => {
  const program = pipe(t.draft(fixed), E.chainW(place))
  return E.isRight(program) ? program.right : null
}

const rule = (id: string): string => `kernels.${id}`

// ---------------------------------------------------------------- programs that are refused

/** What is done to a program, and to which. */
type Damage = readonly [name: string, of: HazardId, rule: string, damage: (p: Program) => ProgramShape]

/** Tiles of the effect `label` lie in registers in another way. */
const relaid =
  (label: string) =>
  (p: Program): ProgramShape => {
    const body = p.entry.body.map((s): unknown =>
      s._tag === 'Do' && s.site.label === label
        ? JSON.parse(JSON.stringify(s).replaceAll(JSON.stringify(WGMMA), JSON.stringify(WGMMA_TRANSPOSED)))
        : s,
    )
    const found = decode(programWire, 'question')({ ...p, entry: { ...p.entry, body } })
    return E.isRight(found) ? found.right : unreachable(found.left.message)
  }

const agents = (
  p: Program,
  change: (agent: Program['launch']['agents'][number]) => object,
): ProgramShape => ({
  ...p,
  launch: { ...p.launch, agents: p.launch.agents.map((agent) => ({ ...agent, ...change(agent) })) },
})

const offsets = (p: Program, offset: (before: number, k: number) => number): ProgramShape => ({
  ...p,
  storage: p.storage.map((one, k) => ({ ...one, offset: offset(one.offset ?? 0, k) })),
})

const damages: ReadonlyArray<Damage> = [
  ['shared-memory-beyond-its-end', 'A1', 'A1', (p) => offsets(p, (before) => before + 227 * 1024)],
  ['layouts-that-differ', 'L2', 'L2', relaid('y')],
  ['storage-over-storage', 'R1', 'refused', (p) => offsets(p, () => 0)],
  ['storage-misaligned', 'R1', 'A3', (p) => offsets(p, (before) => before + 1)],
  [
    'name-bound-twice',
    'L2',
    'refused',
    (p) => ({ ...p, params: [...p.params, ...p.params], storage: [...p.storage, ...p.storage] }),
  ],
  ['name-unbound', 'R1', 'refused', (p) => ({ ...p, params: [] })],
  ['storage-unknown', 'R1', 'refused', (p) => ({ ...p, storage: [] })],
  ['agent-twice', 'R1', 'refused', (p) => agents(p, () => ({ name: 'producer' }))],
  ['agent-unknown', 'R1', 'refused', (p) => agents(p, ({ name }) => ({ name: `another ${name}` }))],
  ['warps-shared', 'R1', 'refused', (p) => agents(p, () => ({ firstWarp: 2 }))],
  ['no-warps', 'R1', 'refused', (p) => agents(p, () => ({ warps: 0 }))],
  ['cluster-of-no-block', 'R1', 'refused', (p) => ({ ...p, launch: { ...p.launch, cluster: [0] } })],
  [
    'grid-of-more-dimensions',
    'R1',
    'refused',
    (p) => ({ ...p, launch: { ...p.launch, grid: [i32(1), i32(1), i32(1), i32(1)] } }),
  ],
  ['tensor-core-of-another-chip', 'M2', 'refused', (p) => ({ ...p, arch: 'sm90a' })],
  ['output-unknown', 'R1', 'refused', (p) => ({ ...p, computes: { _tag: 'copy', from: 'x', out: 'y' } })],
]

// ---------------------------------------------------------------- cases

const tagsOf = (program: ProgramShape): ReadonlyArray<Feature> => {
  const names = JSON.stringify(program.entry)
  const has = (family: string): boolean => names.includes(`"_tag":"${family}.`)
  const tags: ReadonlyArray<readonly [Feature, boolean]> = [
    ['hazard', true],
    ['tma', has('tma')],
    ['wgmma', has('wgmma')],
    ['tcgen05', has('tcgen05')],
    ['mbarrier', has('mbarrier')],
    ['cluster', program.launch.cluster.some((extent) => extent > 1)],
  ]
  return tags.flatMap(([tag, is]) => (is ? [tag] : []))
}

const named = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const caseOf = (name: string, id: string, asked: Question): Case<Question> => ({
  name: named(name),
  rule: rule(id),
  features: [...tagsOf(asked.program), ...(E.isLeft(validate(asked.program)) ? (['refusal'] as const) : [])],
  question: asked,
})

/** A pair, and what other options make of the bad one. */
const twinCases = (t: Twin): ReadonlyArray<Case<Question>> =>
  [true, false].flatMap((fixed) => {
    const program = shapeOf(t, fixed)
    if (program === null) return []
    const options = optionsOf(t)
    const one = (word: string, changed: Partial<Options>): Case<Question> =>
      caseOf(`${programName(t, fixed)}${word}`, t.id, about(program, { ...options, ...changed }))
    return [
      one('', {}),
      ...(fixed || !t.shows.strict ? [] : [one('-not-strict', { strict: false })]),
      ...(fixed || !t.shows.strictProxies ? [] : [one('-not-strict', { strictProxies: false })]),
      ...(fixed || t.shows.verdict !== 'ok'
        ? []
        : [one('-strict', { strict: true }), one('-documented', { tensorPipe: 'documented' })]),
    ]
  })

const damaged: ReadonlyArray<readonly [name: string, rule: string, program: () => ProgramShape]> =
  damages.map(([name, of, id, damage]) => [
    name,
    id,
    () => {
      const t = twins.find((one) => one.id === of)
      return t === undefined ? unreachable(`the zoo has ${of}`) : damage(made(t.program(true)))
    },
  ])

function* everyCase(pairs: ReadonlyArray<Twin>): Iterable<Case<Question>> {
  for (const t of pairs) yield* twinCases(t)
  for (const name of ['printed/matmul5', 'printed/matmul6']) {
    const printed = pipe(
      kernelNamed(name),
      E.chainW((kernel) => cutDownTo(kernel, 3, 3)),
      E.map(({ program }) => program),
    )
    yield caseOf(name, 'B1', about(made(printed)))
  }
  for (const kernel of kernels) {
    const program = pipe(
      judgedAt(kernel),
      E.map((instance) => instance.program),
    )
    yield caseOf(kernel.name, 'clean', about(made(program)))
  }
  for (const { name, program } of clean) yield caseOf(name, 'clean', about(made(program)))
  for (const [k, q] of drawn(questions(rule('clean')), 8).entries())
    yield caseOf(`clean-random-${String(k)}`, 'clean', q)
  for (const [k, q] of drawn(questions(rule('random')), 32).entries())
    yield caseOf(`random-${String(k)}`, 'random', q)
  for (const [name, id, program] of damaged) yield caseOf(`refused-${name}`, id, about(program()))
}

/** Made once: there are some hundred programs. */
const casesOf = remembered((pairs: ReadonlyArray<Twin>): ReadonlyArray<Case<Question>> => [
  ...everyCase(pairs),
])

// ---------------------------------------------------------------- random questions

/** A kernel less at most one effect: the one that is drawn, if nothing reads what it gives. */
const lessOne = (program: Program, options: Options): fc.Arbitrary<Question> => {
  const labels = labelsOf(program)
  return fc
    .option(fc.constantFrom(...labels))
    .map((label) =>
      about(label === null ? program : E.getOrElse(() => program)(without(label)(program)), options),
    )
}

const questions = (id: string): fc.Arbitrary<Question> => {
  if (id === rule('clean')) return cleanProgram().map((program) => about(program))
  if (id === rule('random')) return anyProgram().map((program) => about(program))
  if (id === rule('refused')) return fc.constantFrom(...damaged.map(([, , program]) => about(program())))
  const pairs = twins.filter((t) => rule(t.id) === id)
  return fc.tuple(fc.constantFrom(...pairs), fc.boolean()).chain(([t, fixed]) => {
    const bad = t.program(fixed)
    return lessOne(E.isRight(bad) ? bad.right : made(t.program(true)), optionsOf(t))
  })
}

/** Cases are programs of the core. */
const isOfPrograms = (id: HazardId): boolean => !('ptxAlone' in hazards[id])

export const kernelsSuite: Suite = suite({
  name: 'kernels',
  arch: 'any',
  profile: 'kernels',
  title: 'The verdict on a program: hazards in some schedule, and whether it computes what it claims',
  rules: [
    ...hazardIds.filter(isOfPrograms).map((id) => {
      const { title, definition, by } = hazards[id]
      const refused = by.includes('validation')
      return {
        id: rule(id),
        says: `${title}: ${definition}`,
        source: `docs/hazards.md, ${id}${refused ? '; PTX ISA, the restrictions of each instruction' : ''}`,
        fidelity: refused ? ('documented' as const) : ('model' as const),
      }
    }),
    {
      id: rule('clean'),
      says: 'A kernel whose operations are ordered and shown to each other in every schedule has no finding, and computes what it says',
      source: 'docs/MemoryModel.md, the conditions under which one schedule stands for all',
      fidelity: 'model',
    },
    {
      id: rule('random'),
      says: 'Rings of producers and consumers, right or damaged, and operations in no order: what is wrong in some schedule, and nothing else, is found',
      source: 'docs/MemoryModel.md, the conditions under which one schedule stands for all',
      fidelity: 'model',
    },
    {
      id: rule('refused'),
      says: 'A program that names what it does not have, or whose agents, storages or launch do not fit, is refused before it runs',
      source: 'PTX ISA and CUDA programming guide, limits of agents, storages and launches',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases: () => casesOf(twins),
  questions,
})
