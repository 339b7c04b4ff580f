/**
 * The suite `banks`: turns of shared memory that one warp access takes (`layouts/shared-memory/banks.ts`).
 *
 *     {"access": "ld.shared.b32", "addresses": [0, 8, 16, ...]}     {"wavefronts": 2, "conflicts": 1}
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { accessNamed, addressCount, bytesPerAddress, wavefronts } from '../../layouts/shared-memory/banks.js'
import { either, integer, list, nat, nothing, record, text, type Wire } from '../../wire.js'
import { suite, type Case, type Suite } from './suite.js'

interface Question {
  /** the instruction, such as `ld.shared.v4.b32` or `ldmatrix.x4` */
  readonly access: string
  /** byte address of every lane, of every row of a matrix; null where a lane takes no part */
  readonly addresses: ReadonlyArray<number | null>
}

interface Answer {
  readonly wavefronts: number
  /** wavefronts more than there would be without conflicts */
  readonly conflicts: number
}

const question: Wire<Question> = record<Question>()(
  'an access',
  { access: text, addresses: list(either('null or an address', nothing, integer)) },
  {},
)
const answer: Wire<Answer> = record<Answer>()('counts', { wavefronts: nat, conflicts: nat }, {})

const ask = (q: Question): E.Either<Failure, Answer> =>
  pipe(
    accessNamed(q.access),
    E.chainW((access) => wavefronts(access)(q.addresses)),
    E.map(({ wavefronts: turns, conflicts }) => ({ wavefronts: turns, conflicts })),
  )

const loads = ['ld.shared.u16', 'ld.shared.b32', 'ld.shared.v2.b32', 'ld.shared.v4.b32'] as const
const stores = ['st.shared.u16', 'st.shared.b32', 'st.shared.v2.b32', 'st.shared.v4.b32'] as const
const matrices = ['ldmatrix.x1', 'ldmatrix.x2', 'ldmatrix.x4', 'stmatrix.x1', 'stmatrix.x4'] as const

const formOf = (access: string): { readonly count: number; readonly bytes: number } =>
  pipe(
    accessNamed(access),
    E.map((a) => ({ count: addressCount(a), bytes: bytesPerAddress(a) })),
    E.getOrElse(() => ({ count: 0, bytes: 1 })),
  )

/** Lane i at stride * i, or where a function says. */
const at = (access: string, where: (lane: number, bytes: number) => number | null): Question => {
  const { count, bytes } = formOf(access)
  return { access, addresses: Array.from({ length: count }, (_, lane) => where(lane, bytes)) }
}

const patterns: ReadonlyArray<readonly [string, (lane: number, bytes: number) => number | null]> = [
  ['in-a-row', (i, bytes) => i * bytes],
  ['stride-2', (i, bytes) => 2 * i * bytes],
  ['stride-3', (i, bytes) => 3 * i * bytes],
  ['stride-128', (i) => 128 * i],
  ['stride-144', (i) => 144 * i],
  ['same', () => 64],
  ['pairs', (i, bytes) => Math.floor(i / 2) * bytes * 2],
  ['pairs-two-apart', (i) => 16 * (i & ~2) * 8],
  ['half-the-lanes', (i, bytes) => (i % 2 === 0 ? i * bytes * 4 : null)],
  ['no-lane', () => null],
  ['swizzled-rows', (i) => 128 * i + 16 * (i % 8)],
]

/** Offsets in words, of which few are different, so that lanes meet. */
const drawnAccess = (accesses: ReadonlyArray<string>): fc.Arbitrary<Question> =>
  fc
    .tuple(
      fc.constantFrom(...accesses),
      fc.array(fc.option(fc.nat(127), { freq: 8 }), { minLength: 32, maxLength: 32 }),
    )
    .map(([access, units]) => {
      const { count, bytes } = formOf(access)
      return { access, addresses: units.slice(0, count).map((unit) => (unit === null ? null : unit * bytes)) }
    })

const refusals: ReadonlyArray<readonly [string, Question]> = [
  ['misaligned', at('ld.shared.v4.b32', (i) => 16 * i + 4)],
  ['negative', at('ld.shared.b32', (i) => 4 * i - 4)],
  ['too-few-lanes', { access: 'ld.shared.b32', addresses: [0, 4, 8] }],
  ['too-many-rows', { access: 'ldmatrix.x1', addresses: Array.from({ length: 32 }, (_, i) => 16 * i) }],
  ['no-such-access', { access: 'ld.shared.b8', addresses: Array.from({ length: 32 }, (_, i) => i) }],
]

const groups: ReadonlyArray<readonly [word: string, says: string, accesses: ReadonlyArray<string>]> = [
  [
    'loads',
    'A load is cut into phases of lanes by its width; a phase takes as many turns as the most different words that one bank has; lanes that ask for one word count once; loads of 8 and 16 bytes pair up',
    loads,
  ],
  ['stores', 'A store is cut into phases by its width alone: stores do not pair up', stores],
  ['matrices', 'A matrix instruction takes a phase for each of its 8 x 8 matrices', matrices],
]

function* cases(): Iterable<Case<Question>> {
  for (const [word, , accesses] of groups)
    for (const access of accesses)
      for (const [name, where] of patterns)
        yield {
          name: `${access.replaceAll('.', '-')}-${name}`,
          rule: `banks.${word}`,
          features: ['banks'],
          question: at(access, where),
        }
  for (const [name, q] of refusals)
    yield { name: `refused-${name}`, rule: 'banks.refused', features: ['banks', 'refusal'], question: q }
}

export const banksSuite: Suite = suite({
  name: 'banks',
  arch: 'sm_90a',
  profile: 'layouts',
  title: 'Passes over shared memory that the access of a warp takes, and bank conflicts',
  rules: [
    ...groups.map(([word, says]) => ({
      id: `banks.${word}`,
      says,
      source: 'hardware counters of an H100, captured',
      fidelity: 'silicon' as const,
    })),
    {
      id: 'banks.refused',
      says: 'There is an address for every lane or row, a multiple of its bytes',
      source: 'PTX ISA, ld, st, ldmatrix, stmatrix',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  cases,
  questions: (rule) => {
    const group = groups.find(([word]) => rule === `banks.${word}`)
    return group === undefined ? fc.constantFrom(...refusals.map(([, q]) => q)) : drawnAccess(group[2])
  },
})
