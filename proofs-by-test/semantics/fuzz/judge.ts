/** What comes of a document: the name of a verdict, or the code of a refusal. Anything else is thrown. */
import * as E from 'fp-ts/lib/Either.js'
import { hopperMatmul } from '../../../src/kernels/hopper-matmul.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { unit } from '../../../src/numerics/unit.js'
import { check, type CheckOptions } from '../../../src/semantics/check.js'
import { encodeProgram, parseProgram } from '../../../src/semantics/codec.js'
import { embed, skeletonOf } from '../../../src/semantics/naive/index.js'
import * as Policy from '../../../src/semantics/policy.js'
import type { Program } from '../../../src/semantics/program.js'
import type { Json } from '../../../src/wire.js'
import { small } from '../machine-samples.js'
import { ring, right, tensorCore, warpgroupMma } from '../samples.js'

export const fuel = 1_000

const options = (algebra: Algebra, explore: boolean): CheckOptions => ({
  settings: {},
  algebra,
  arguments: { scalars: new Map([['n', 3]]), tensors: new Map() },
  policy: Policy.eager,
  strict: false,
  strictProxies: false,
  hazards: true,
  provenance: true,
  explore,
  explain: explore,
  fuel,
})

export const ofProgram = (document: Json, algebra: Algebra = unit, explore: boolean = false): string => {
  const program = parseProgram(JSON.stringify(document))
  if (E.isLeft(program)) return program.left.code
  const checked = check(program.right, options(algebra, explore))
  return E.isLeft(checked) ? checked.left.code : checked.right.verdict.verdict
}

/** Small programs of every kind: what is damaged. */
export const programs: ReadonlyArray<Program> = [
  ring(),
  tensorCore(),
  warpgroupMma(),
  right(hopperMatmul({ ...small, m: 64, k: 64 })),
  ...Array.from({ length: 40 }, (_, k) => right(embed(skeletonOf(k))).program).filter(
    (program) => JSON.stringify(program).length < 6_000,
  ),
]

export const jsonOf = (program: Program): Json => JSON.parse(JSON.stringify(encodeProgram(program)))
