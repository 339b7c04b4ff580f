/**
 * The directory of vectors: every case of every suite with its expected answer, in files that ten lines of any language read.
 *
 *     DIR/manifest.json                              tcspec.manifest/1: what is here, with checksums
 *     DIR/ARCH/PROFILE/SUITE.jsonl                   the cases of a suite, one a line, with their tensors inside
 *     DIR/ARCH/PROFILE/SUITE/suite.json              tcspec.suite/1: rules, and the JSON Schemas of questions and answers
 *     DIR/ARCH/PROFILE/SUITE/CASE.json               tcspec.case/1: a question, and the answer or the code of the refusal
 *     DIR/ARCH/PROFILE/SUITE/CASE.PATH.npy           a tensor of the case that has more than 16 elements
 *
 * A tensor `{dtype, shape, bits}` of more than 16 elements becomes `{dtype, shape, npy}` in its case, where `npy` names the file beside it. The file
 * holds the element type that carries the dtype (`tensor-files/tensor.ts`): bf16 as u2, 8-bit and 4-bit floats as u1.
 *
 * Laws
 * 1. The same suites and the same version give the same bytes.
 * 2. `inlined` of what a case's file says is its question and its answer.
 * 3. The lines of a suite are its cases in order, each with the members of its file.
 * 4. The manifest names every other file, with its length and its SHA-256.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { unreachable } from '../../failure.js'
import { schemaOf, type Json } from '../../wire.js'
import { sha256 } from '../sha256.js'
import type { OutputFile } from '../tensor-files/files.js'
import { encodeNpy } from '../tensor-files/npy.js'
import { npyOfTensor, tensor } from '../tensor-files/tensor.js'
import { tensorWire, type Case, type Rule, type Suite } from './suite.js'

export const manifestSchema = 'tcspec.manifest/1'
export const suiteSchema = 'tcspec.suite/1'
export const caseSchema = 'tcspec.case/1'

/** Elements of a tensor that stays inside its case. */
export const mostInside = 16

/** The directory of a suite: its place in the hierarchy. */
export const folderOf = ({ arch, profile, name }: Suite): string => `${arch}/${profile}/${name}`

/** The file of a suite that has a case on each line. */
export const linesOf = (suite: Suite): string => `${folderOf(suite)}.jsonl`

// ---------------------------------------------------------------- files

const utf8 = new TextEncoder()

/** A member a line, so that files can be read and compared by eye. */
const textOf = (members: Readonly<Record<string, Json>>): Uint8Array =>
  utf8.encode(
    `{\n${Object.entries(members)
      .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n')}\n}\n`,
  )

interface Extracted {
  readonly json: Json
  readonly files: ReadonlyArray<OutputFile>
}

/** The JSON without its large tensors, and a file for each. */
const extracted = (json: Json, stem: string, folder: string): Extracted => {
  const files: OutputFile[] = []
  const walk = (at: Json, path: string): Json => {
    if (at === null || typeof at !== 'object') return at
    if (tensorWire.codec.is(at)) {
      if (at.bits.length <= mostInside) return at
      const npy = `${path}.npy`
      files.push({
        file: `${folder}/${npy}`,
        bytes: pipe(
          tensor(at.dtype, at.shape, at.bits),
          E.map(npyOfTensor),
          E.chainW(encodeNpy),
          E.getOrElseW((why) => unreachable(why.message)),
        ),
      })
      return { dtype: at.dtype, shape: at.shape, npy }
    }
    if (isList(at)) return at.map((inner, k) => walk(inner, `${path}.${String(k)}`))
    return Object.fromEntries(Object.entries(at).map(([key, inner]) => [key, walk(inner, `${path}.${key}`)]))
  }
  return { json: walk(json, stem), files }
}
const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)

interface CaseFiles {
  readonly files: ReadonlyArray<OutputFile>
  /** the case with its tensors inside */
  readonly line: Json
  readonly refused: boolean
  readonly row: Json
}

const ruleOf = (suite: Suite, id: string): Rule =>
  suite.rules.find((rule) => rule.id === id) ?? unreachable(`a case of ${suite.name} has a rule of it: ${id}`)

const filesOfCase = (suite: Suite, one: Case<Json>): CaseFiles => {
  const folder = folderOf(suite)
  const { fidelity } = ruleOf(suite, one.rule)
  const asked = suite.ask(one.question)
  const question = extracted(one.question, `${one.name}.question`, folder)
  const answer = E.isRight(asked)
    ? extracted(asked.right, `${one.name}.answer`, folder)
    : { json: null, files: [] }
  const expected: Json = E.isRight(asked) ? { answer: answer.json } : { refused: asked.left.code }
  const file = `${folder}/${one.name}.json`
  const members = (asks: Json, expects: Json): Readonly<Record<string, Json>> => ({
    schema: caseSchema,
    suite: suite.name,
    case: one.name,
    rule: one.rule,
    features: one.features,
    fidelity,
    question: asks,
    expected: expects,
  })
  return {
    line: members(one.question, E.isRight(asked) ? { answer: asked.right } : expected),
    files: [{ file, bytes: textOf(members(question.json, expected)) }, ...question.files, ...answer.files],
    refused: E.isLeft(asked),
    row: { file, rule: one.rule, features: one.features, refused: E.isLeft(asked) },
  }
}

/** Rules as they are published. */
export const ruleRows = (suite: Suite): Json =>
  suite.rules.map(({ id, says, source, fidelity }) => ({ id, says, source, fidelity }))

const fileOfSuite = (suite: Suite): OutputFile => ({
  file: `${folderOf(suite)}/suite.json`,
  bytes: textOf({
    schema: suiteSchema,
    name: suite.name,
    arch: suite.arch,
    profile: suite.profile,
    title: suite.title,
    rules: ruleRows(suite),
    question: schemaOf(`tcspec.ask.${suite.name}.question`, suite.question),
    answer: schemaOf(`tcspec.ask.${suite.name}.answer`, suite.answer),
  }),
})

/** What was made, for a word about it. */
export interface Vectors {
  readonly files: ReadonlyArray<OutputFile>
  readonly suites: ReadonlyArray<{ readonly name: string; readonly cases: number; readonly refused: number }>
}

/** Every file of the directory, the manifest first. */
export const vectorsOf =
  (version: string, done: (cases: number, of: number) => void = () => undefined) =>
  (suites: ReadonlyArray<Suite>): Vectors => {
    const all = suites.map((suite) => ({ suite, cases: [...suite.cases()] }))
    const count = all.reduce((sum, { cases }) => sum + cases.length, 0)
    let made = 0
    const parts = all.map(({ suite, cases }) => ({
      suite,
      cases: cases.map((one) => {
        const files = filesOfCase(suite, one)
        done(++made, count)
        return files
      }),
    }))
    const files = parts.flatMap(({ suite, cases }) => [
      fileOfSuite(suite),
      {
        file: linesOf(suite),
        bytes: utf8.encode(cases.map(({ line }) => `${JSON.stringify(line)}\n`).join('')),
      },
      ...cases.flatMap((one) => one.files),
    ])
    const sums: Json = files.map(({ file, bytes }) => ({ file, bytes: bytes.length, sha256: sha256(bytes) }))
    const manifest = textOf({
      schema: manifestSchema,
      package: 'tensorcore-spec',
      version,
      schemas: { suite: suiteSchema, case: caseSchema },
      suites: parts.map(({ suite, cases }) => ({
        name: suite.name,
        arch: suite.arch,
        profile: suite.profile,
        title: suite.title,
        directory: folderOf(suite),
        lines: linesOf(suite),
        rules: ruleRows(suite),
        cases: cases.map(({ row }) => row),
      })),
      files: sums,
    })
    return {
      files: [{ file: 'manifest.json', bytes: manifest }, ...files],
      suites: parts.map(({ suite, cases }) => ({
        name: suite.name,
        cases: cases.length,
        refused: cases.filter((one) => one.refused).length,
      })),
    }
  }

// ---------------------------------------------------------------- and back

/** JSON of a case with its tensors inside again; `read` gives the patterns in the file beside it. */
export const inlined = (json: Json, read: (npy: string, dtype: Json) => ReadonlyArray<number>): Json => {
  if (json === null || typeof json !== 'object') return json
  if (isList(json)) return json.map((inner) => inlined(inner, read))
  const { npy, dtype, shape } = json
  if (typeof npy === 'string' && dtype !== undefined && shape !== undefined)
    return { dtype, shape, bits: read(npy, dtype) }
  return Object.fromEntries(Object.entries(json).map(([key, inner]) => [key, inlined(inner, read)]))
}
