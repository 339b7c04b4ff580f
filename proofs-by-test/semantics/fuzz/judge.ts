/** What comes of a document: the name of a verdict, or the code of a refusal. Anything else is thrown. */
import * as E from 'fp-ts/lib/Either.js'
import { foreign, zoo } from '../../../src/kernels/broken/index.js'
import { hopperMatmul } from '../../../src/kernels/hopper/hopper-matmul.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { unit } from '../../../src/numerics/unit.js'
import { agentsActAsOne as scope } from '../../../src/semantics/machine/front.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { encodeProgram, parseProgram } from '../../../src/semantics/files/codec.js'
import { defaults } from '../../../src/semantics/judging/detector/index.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { embed, skeletonOf } from '../../../src/semantics/schedules/naive/index.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { run, settings } from '../../../src/semantics/execution/run.js'
import { judgeTrace, tracing } from '../../../src/semantics/files/trace/index.js'
import type { Json } from '../../../src/wire.js'
import { small } from '../machine/machine-samples.js'
import { ring, tensorCore, warpgroupMma } from '../samples.js'
import { right } from '../../either.js'

export const fuel = 1_000

const options = (algebra: Algebra, explore: boolean): CheckOptions => ({
  ...standardOptions,
  algebra,
  arguments: { scalars: new Map([['n', 3]]), tensors: new Map() },
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

const twins: ReadonlyArray<Program> = [...zoo, ...foreign].flatMap((twin) =>
  [true, false].flatMap((fixed) => {
    const made = twin.program(fixed)
    return E.isRight(made) ? [made.right] : []
  }),
)

/** Small programs of every kind: what is damaged. */
export const programs: ReadonlyArray<Program> = [
  ring(),
  tensorCore(),
  warpgroupMma(),
  right(hopperMatmul({ ...small, m: 64, k: 64 })),
  ...[...Array.from({ length: 40 }, (_, k) => right(embed(skeletonOf(k))).program), ...twins].filter(
    (program) => JSON.stringify(program).length < 6_000,
  ),
]

/** A trace is an array of lines here; what is no array is a trace of one line. */
export const ofTrace = (document: Json): string => {
  const lines: ReadonlyArray<Json> = Array.isArray(document) ? document : [document]
  const judged = judgeTrace({ ...defaults, scope })(lines.map((line) => JSON.stringify(line)))
  return E.isLeft(judged) ? judged.left.code : judged.right.verdict
}

/** The traces of small programs, as documents; in half of them the places are counted anew after the damage. */
export const traces = (): ReadonlyArray<Json> =>
  programs.flatMap((program) => {
    const ran = launch(program, unit, { scalars: new Map([['n', 3]]), tensors: new Map() })
    if (E.isLeft(ran)) return []
    const lines: string[] = []
    const { world, machine } = ran.right
    run(
      world,
      machine,
      settings(Policy.seeded(1)),
      tracing((line) => lines.push(line)),
    )
    return lines.length > 80 ? [] : [lines.map((line): Json => JSON.parse(line) as Json)]
  })

export const counted = (document: Json): Json =>
  Array.isArray(document)
    ? document.map((line: Json, k): Json =>
        k > 0 && typeof line === 'object' && line !== null && !Array.isArray(line)
          ? { ...line, i: k - 1 }
          : line,
      )
    : document

export const jsonOf = (program: Program): Json => JSON.parse(JSON.stringify(encodeProgram(program)))
