/**
 * The suites `kernels` and `zoo`: a program, and what is to be said of its synchronisation (`semantics/verdict/check.ts`).
 *
 * The program is one of `schemas/program.schema.json`. The answer is the verdict's name and the ids of its findings, each once, in alphabetical order; a program that is
 * no legal one is refused. `zoo` has, for every hazard of `docs/hazards.md`, the smallest kernel that shows it and the same kernel mended; `kernels` the kernels of the
 * catalogue at the smallest sizes that refill every slot.
 *
 *     {"program": {...}, "strict": false, "strictProxies": false}         {"verdict": "hazard", "hazards": ["R1"]}
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable, type Failure } from '../../failure.js'
import { foreign, zoo, type Twin } from '../../kernels/broken/index.js'
import { judgedAt, kernels } from '../../kernels/catalogue/index.js'
import { decodeProgram, encodeProgram } from '../../semantics/files/codec.js'
import { check, standardOptions } from '../../semantics/verdict/check.js'
import { anything, bool, list, record, text, type Json, type Wire } from '../../wire.js'
import { suite, type Case, type Suite } from './suite.js'

interface Question {
  readonly program: Json
  /** contract notes are errors */
  readonly strict: boolean
  /** a proxy fence is demanded before an asynchronous overwrite of what was read, too */
  readonly strictProxies: boolean
}

interface Answer {
  readonly verdict: string
  readonly hazards: ReadonlyArray<string>
}

const question: Wire<Question> = record<Question>()(
  'a program to judge',
  { program: anything, strict: bool, strictProxies: bool },
  {},
)
const answer: Wire<Answer> = record<Answer>()('a verdict', { verdict: text, hazards: list(text) }, {})

const ask = ({ program, strict, strictProxies }: Question): E.Either<Failure, Answer> =>
  pipe(
    decodeProgram(program),
    E.chainW((p) =>
      check(p, { ...standardOptions, strict, strictProxies, explain: false, provenance: false }),
    ),
    E.map(({ verdict: { verdict, findings } }) => ({
      verdict,
      hazards: [...new Set(findings.map(({ id }) => id))].sort(),
    })),
  )

/** A program as JSON, whether it is legal or not. */
const jsonOf = (program: unknown): Json =>
  anything.codec.is(program) ? program : unreachable('a program is JSON')

const wordOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')

// ---------------------------------------------------------------- twins

/** The program of a twin; where it is no legal one, as it was written; null where it cannot even be written down. */
const programOf = (twin: Twin, fixed: boolean): Json | null =>
  pipe(
    twin.program(fixed),
    E.map(encodeProgram),
    E.alt(() => pipe(twin.draft(fixed), E.map(encodeProgram))),
    E.match(() => null, jsonOf),
  )

const twins: ReadonlyArray<Twin> = [...zoo, ...foreign]

function* zooCases(): Iterable<Case<Question>> {
  for (const twin of twins)
    for (const fixed of [false, true]) {
      const program = programOf(twin, fixed)
      if (program === null) continue
      const { strict = false, strictProxies = false } = twin.shows
      const q: Question = { program, strict, strictProxies }
      yield {
        name: wordOf(`${twin.path}${fixed ? '-fixed' : ''}`),
        rule: `zoo.${twin.id}`,
        features: ['hazard', ...(E.isLeft(decodeProgram(q.program)) ? (['refusal'] as const) : [])],
        question: q,
      }
    }
}

/** Of each id once, in the order of the list. */
const hazardTitles: ReadonlyMap<string, string> = new Map(
  [...twins].reverse().map(({ id, title }) => [id, title]),
)

export const zooSuite: Suite = suite({
  name: 'zoo',
  arch: 'any',
  profile: 'synchronisation',
  title: 'The smallest kernel with each hazard, and the same kernel mended',
  rules: [...new Set(twins.map(({ id }) => id))].map((id) => ({
    id: `zoo.${id}`,
    says: `${id}: ${hazardTitles.get(id) ?? ''}`,
    source: 'docs/hazards.md; PTX ISA, memory consistency model, asynchronous operations',
    fidelity: 'documented',
  })),
  question,
  answer,
  ask,
  cases: zooCases,
})

// ---------------------------------------------------------------- the catalogue

function* kernelCases(): Iterable<Case<Question>> {
  for (const kernel of kernels) {
    const made = judgedAt(kernel)
    if (E.isLeft(made)) continue
    const q: Question = {
      program: jsonOf(encodeProgram(made.right.program)),
      strict: false,
      strictProxies: false,
    }
    yield {
      name: wordOf(kernel.name),
      rule: made.right.program.arch === 'sm90a' ? 'kernels.hopper' : 'kernels.blackwell',
      features: [made.right.program.arch === 'sm90a' ? 'wgmma' : 'tcgen05', 'mbarrier', 'tma'],
      question: q,
    }
  }
}

export const kernelsSuite: Suite = suite({
  name: 'kernels',
  arch: 'any',
  profile: 'kernels',
  title: 'Kernels whose synchronisation is right in every schedule',
  rules: [
    {
      id: 'kernels.hopper',
      says: 'Kernels of wgmma: right',
      source: 'the catalogue of kernels, explored',
      fidelity: 'documented',
    },
    {
      id: 'kernels.blackwell',
      says: 'Kernels of tcgen05: right',
      source: 'the catalogue of kernels, explored',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases: kernelCases,
})
