/**
 * Mutants of programs, by edits of their JSON: a number changed, a statement dropped, doubled or exchanged with another, an operand that names
 * something else of its kind, a field dropped. What is valid after it is a program that nobody would write, and it is asked of it what is asked of
 * all programs:
 *
 *     ok by one schedule   =>   ok under six others
 *                               nothing is found by a search of all schedules, where that comes to its end
 *                               its trace, written, read back and judged, is ok
 *                               after JSON it is the same program with the same verdict
 *
 * But for what is stored twice, the same value (N4): neither a trace nor a search knows values, and there it is a race, whose second write does not see the first.
 * And for a read of what nothing has written, where the run stores nothing in global memory or the result is named nowhere again: nothing comes of it, which
 * neither a trace nor a search knows.
 */
import * as E from 'fp-ts/lib/Either.js'
import { foreign, zoo } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { agentsActAsOne as scope } from '../../../src/semantics/machine/front.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { parseProgram } from '../../../src/semantics/files/codec.js'
import { defaults } from '../../../src/semantics/judging/detector/index.js'
import { defaultExplore, exploreLaunched } from '../../../src/semantics/schedules/explore/index.js'
import { launch } from '../../../src/semantics/execution/launch.js'
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { run, settings } from '../../../src/semantics/execution/run.js'
import { judgeTrace, tracing } from '../../../src/semantics/files/trace/index.js'
import type { ReplayableFinding } from '../../../src/semantics/judging/verdict.js'
import type { Json } from '../../../src/wire.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { catalogue } from '../files/trace/written.js'
import { jsonOf } from './judge.js'

// ---------------------------------------------------------------- what is edited

/** The twins of the zoo and of foreign kernels, broken and mended. */
const twins: ReadonlyArray<Json> = [...zoo, ...foreign].flatMap((twin) =>
  [true, false].flatMap((mended) => {
    const made = twin.program(mended)
    return E.isRight(made) ? [jsonOf(made.right)] : []
  }),
)

/** Kernels so small that a search comes to its end; at night all of the catalogue, too. */
const small: ReadonlyArray<readonly [kernel: string, settings: Readonly<Record<string, number>>]> = [
  ['hopper-matmul', { m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 }],
  ['matmul0', { m: 128, n: 16, k: 112, tileM: 128, tileN: 16, tileK: 16, stages: 3 }],
  ['wgmma-loop', { m: 64, n: 16, k: 112, tileM: 64, tileN: 16, tileK: 16, stages: 3 }],
  ['queue', {}],
]
const kernels: ReadonlyArray<Json> = [
  ...small.map(([name, set]) => right(instanceOf(right(kernelNamed(name)), set, [])).program),
  ...(nightly ? catalogue().map(([, program]) => program) : []),
].map(jsonOf)

// ---------------------------------------------------------------- edits

type Fields = { [key: string]: Json }
const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)
const isFields = (json: Json): json is Fields =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** A place: the record or the list that it is in, and its key there. */
interface Place {
  readonly within: Fields | Json[]
  readonly key: string | number
  /** the nearest key that is a name */
  readonly field: string
  readonly value: Json
}

const placesOf = (document: Json): ReadonlyArray<Place> => {
  const found: Place[] = []
  const walk = (json: Json, field: string): void => {
    if (isList(json))
      json.forEach((value, key) => {
        found.push({ within: json as Json[], key, field, value })
        walk(value, field)
      })
    else if (isFields(json))
      for (const [key, value] of Object.entries(json)) {
        // names and places in a source decide nothing
        if (key === 'site' || key === 'name' || key === 'schema') continue
        found.push({ within: json, key, field: key, value })
        walk(value, key)
      }
  }
  walk(document, '')
  return found
}

const put = ({ within, key }: Place, value: Json): void => {
  if (Array.isArray(within)) within[Number(key)] = value
  else within[key] = value
}
/** A second one of a statement binds other names: the same name twice is refused. */
const renamed = (statement: Json, mark: number): Json => {
  const text = JSON.stringify(statement)
  const bound = [
    ...text.matchAll(/"(?:binder|index)":\{"name":"([^"]+)"/g),
    ...text.matchAll(/"results":\[\{"name":"([^"]+)"/g),
  ].map((m) => m[1]!)
  const made = bound.reduce(
    (json, name) => json.replaceAll(`"name":"${name}"`, `"name":"${name}'${String(mark)}"`),
    text,
  )
  return JSON.parse(made) as Json
}

const numbers: ReadonlyArray<(n: number) => number> = [
  (n) => n + 1,
  (n) => n - 1,
  (n) => n ^ 1,
  (n) => n * 2,
  (n) => n / 2,
  () => 0,
  () => 1,
]

const edits = [
  'number',
  'number',
  'drop',
  'drop',
  'double',
  'swap',
  'move',
  'retarget',
  'retarget',
  'field',
] as const

/** One edit, in place. False where the document has no such place. */
const edit = (die: Dice, document: Json): boolean => {
  const all = placesOf(document)
  const pick = (wanted: (p: Place) => boolean): Place | undefined => {
    const some = all.filter(wanted)
    return some[die.below(some.length)]
  }
  const statement = (p: Place): boolean => p.field === 'body' && typeof p.key === 'number'
  switch (die.pick(edits)) {
    case 'number': {
      const p = pick(({ value }) => typeof value === 'number' || typeof value === 'boolean')
      if (p === undefined) return false
      put(p, typeof p.value === 'number' ? die.pick(numbers)(p.value) : p.value !== true)
      return true
    }
    case 'drop': {
      const p = pick(statement)
      if (p === undefined || !Array.isArray(p.within)) return false
      p.within.splice(Number(p.key), 1)
      return true
    }
    case 'double': {
      const p = pick(statement)
      if (p === undefined || !Array.isArray(p.within)) return false
      p.within.splice(Number(p.key), 0, renamed(p.value, die.below(1_000_000)))
      return true
    }
    case 'swap': {
      const p = pick(statement)
      const q = pick((other) => statement(other) && other.within === p?.within)
      if (p === undefined || q === undefined) return false
      put(p, q.value)
      put(q, p.value)
      return true
    }
    case 'move': {
      const p = pick(statement)
      const q = pick((other) => statement(other))
      if (p === undefined || q === undefined || !Array.isArray(p.within) || !Array.isArray(q.within))
        return false
      if (JSON.stringify(p.value).includes(JSON.stringify(q.value))) return false
      p.within.splice(Number(p.key), 1)
      q.within.splice(Number(q.key), 0, p.value)
      return true
    }
    case 'retarget': {
      const p = pick(
        ({ value, field }) => typeof value === 'string' || field === 'barrier' || field === 'when',
      )
      const q = pick((other) => other.field === p?.field && typeof other.value === typeof p.value)
      if (p === undefined || q === undefined) return false
      put(p, JSON.parse(JSON.stringify(q.value)) as Json)
      return true
    }
    case 'field': {
      const p = pick(({ within }) => !Array.isArray(within))
      if (p === undefined || Array.isArray(p.within)) return false
      Reflect.deleteProperty(p.within, p.key)
      return true
    }
  }
}

/** The mutant of this seed: one edit of a document, or two. */
export const mutantOf = (seed: number): Json => {
  const die = dice(seed)
  const made = JSON.parse(JSON.stringify(die.pick(die.chance(1 / 32) ? kernels : twins))) as Json
  const wanted = die.pick([1, 1, 2])
  for (let done = 0, tries = 0; done < wanted && tries < 10; tries++) if (edit(die, made)) done += 1
  return made
}

// ---------------------------------------------------------------- what is asked

const given = { scalars: new Map([['n', 3]]), tensors: new Map() }
const fuel = 3_000
const options = (policy: Policy.AnyPolicy): CheckOptions => ({
  ...standardOptions,
  algebra: unit,
  arguments: given,
  policy,
  explore: false,
  explain: false,
  fuel,
})
const verdictOf = (program: Program, policy: Policy.AnyPolicy): string => {
  const checked = check(program, options(policy))
  return E.isLeft(checked) ? checked.left.code : checked.right.verdict.verdict
}

const others: ReadonlyArray<readonly [string, Policy.AnyPolicy]> = [
  ['lazy', Policy.lazy],
  ['roundRobin', Policy.roundRobin],
  ...[1, 2, 3, 4].map((k) => [`seeded ${String(k)}`, Policy.seeded(k)] as const),
]

export interface Asked {
  /** the first schedule's verdict, or why there is none */
  readonly said: string
  /** it was launched */
  readonly accepted: boolean
  /** the search came to its end */
  readonly searched: boolean
  /** what does not agree with an `ok` */
  readonly against: ReadonlyArray<string>
}

/** Labels of statements that bind a result that no other place of the document names. */
const droppedIn = (document: Json): ReadonlySet<string> => {
  const text = JSON.stringify(document)
  const isDropped = (json: Json): boolean =>
    isFields(json) &&
    typeof json['name'] === 'string' &&
    text.split(`"name":${JSON.stringify(json['name'])}`).length === 2
  return new Set(
    placesOf(document).flatMap(({ value }) => {
      if (!isFields(value) || !isList(value['results'] ?? 0) || !isFields(value['site'] ?? 0)) return []
      const { label } = value['site'] as Fields
      const results = value['results'] as ReadonlyArray<Json>
      return typeof label === 'string' && results.length > 0 && results.every(isDropped) ? [label] : []
    }),
  )
}

interface Written {
  readonly planes?: ReadonlyArray<{ readonly space: string }>
  readonly rw?: string
  readonly footprint?: { readonly plane: number }
}
/** Does a trace store anything in global memory, whose planes are all in the header? */
const isStored = ([header, ...lines]: ReadonlyArray<string>): boolean => {
  const { planes } = JSON.parse(header!) as Written
  return lines.some((line) => {
    const { rw, footprint } = JSON.parse(line) as Written
    return rw === 'w' && footprint !== undefined && planes![footprint.plane]?.space === 'gmem'
  })
}

export const ask = (document: Json, states: number): Asked => {
  const parsed = parseProgram(JSON.stringify(document))
  const refused = (said: string): Asked => ({ said, accepted: false, searched: false, against: [] })
  if (E.isLeft(parsed)) return refused(parsed.left.code)
  const program = parsed.right
  const first = check(program, options(Policy.eager))
  if (E.isLeft(first)) return refused(first.left.code)
  const said = first.right.verdict.verdict
  if (said !== 'ok') return { said, accepted: true, searched: false, against: [] }
  const against: string[] = []
  for (const [name, policy] of others) {
    const also = verdictOf(program, policy)
    if (also !== 'ok') against.push(`${name}: ${also}`)
  }
  const again = parseProgram(JSON.stringify(jsonOf(program)))
  if (E.isLeft(again)) against.push(`JSON: ${again.left.code}`)
  else {
    const after = check(again.right, options(Policy.eager))
    if (
      E.isLeft(after) ||
      after.right.verdict.verdict !== 'ok' ||
      after.right.verdict.digest.order !== first.right.verdict.digest.order
    )
      against.push('JSON: another verdict')
  }
  const launched = right(launch(program, unit, given))
  const lines: string[] = []
  run(
    launched.world,
    launched.machine,
    { ...settings(Policy.eager), fuel },
    tracing((line) => lines.push(line)),
  )
  const judged = judgeTrace({ ...defaults, scope })(lines)
  const read = E.isLeft(judged) ? `${judged.left.code}: ${judged.left.message}` : judged.right.verdict
  const twice = first.right.verdict.notes.filter((f) => f.id === 'N4')
  const dropped = droppedIn(document)
  const stores = isStored(lines)
  const isOfNothing = (f: ReplayableFinding): boolean => f.id === 'I1' && (!stores || dropped.has(f.a.site))
  const isTwice = (f: ReplayableFinding): boolean =>
    isOfNothing(f) || twice.some((n) => n.a.site === f.a.site && n.b?.site === f.b?.site)
  if (read !== 'ok' && !(E.isRight(judged) && read === 'hazard' && judged.right.findings.every(isTwice)))
    against.push(`trace: ${read}`)
  const readsNothing = E.isRight(judged) && judged.right.findings.some(isOfNothing)
  const { depth, reduced } = defaultExplore
  const stop = twice.length === 0
  const found = exploreLaunched(launched, { arguments: given, states, depth, reduced, stop })
  const wrong = E.isRight(found)
    ? found.right.found.filter(
        (f) =>
          !(readsNothing && f.kind === 'unwritten') &&
          (stop || (f.kind !== 'race' && f.kind !== 'visibility')),
      )
    : []
  if (wrong.length > 0) against.push(`search: ${wrong.map((f) => `${f.kind} ${f.text}`)[0]!}`)
  return { said, accepted: true, searched: E.isRight(found) && found.right.complete, against }
}
