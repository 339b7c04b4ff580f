/** Verdicts of a kernel that is right and of ones that lack a statement, as JSON: the codec, and the schema as ajv reads it. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { without } from '../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../src/kernels/catalogue/index.js'
import { unit } from '../../src/numerics/unit.js'
import { check } from '../../src/semantics/check.js'
import { noArguments } from '../../src/semantics/launch.js'
import { eager } from '../../src/semantics/policy.js'
import type { Program } from '../../src/semantics/program.js'
import { decodeVerdict } from '../../src/semantics/verdict-codec.js'
import type { Verdict, VerdictName } from '../../src/semantics/verdict.js'
import { right } from './samples.js'

// One block, nine k steps on four slots.
const settings = { m: 64, n: 32, k: 144, tileK: 16, stages: 4 }
const kernel = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, [])).program
const verdictOf = (program: Program): Verdict =>
  right(
    check(program, {
      settings,
      algebra: unit,
      arguments: noArguments,
      policy: eager,
      strict: false,
      strictProxies: false,
      hazards: true,
      provenance: true,
      explore: false,
      fuel: 1e6,
    }),
  ).verdict

const lacking = (label: string): Verdict => verdictOf(right(without(label)(kernel)))
const verdicts: ReadonlyArray<readonly [what: string, verdict: Verdict, name: VerdictName]> = [
  ['hopper-matmul', verdictOf(kernel), 'ok'],
  ['hopper-matmul without commit_smem', lacking('commit_smem'), 'hazard'],
  ['hopper-matmul without a copy', lacking('copy a'), 'deadlock'],
  ['hopper-matmul without its wgmma', lacking('wgmma'), 'wrong-result'],
]
const asJson = (verdict: Verdict): unknown => JSON.parse(JSON.stringify(verdict))
const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/verdict.schema.json', import.meta.url), 'utf8')) as object,
)

describe('decodeVerdict', () => {
  test.each(verdicts)(
    'law 1: the verdict of %s survives JSON text, and satisfies the schema',
    (_what, verdict, name) => {
      expect(verdict.verdict).toBe(name)
      expect(verdict.findings.length + verdict.waitFor.length > 0).toBe(
        name === 'hazard' || name === 'deadlock',
      )
      expect(right(decodeVerdict(asJson(verdict)))).toEqual(verdict)
      expect(accepts(asJson(verdict)), JSON.stringify(accepts.errors?.[0])).toBe(true)
    },
  )

  const whole = asJson(verdicts[1]![1]) as Record<string, unknown>
  const [first] = whole['findings'] as ReadonlyArray<Record<string, unknown>>
  test.each([
    ['no schema', { ...whole, schema: undefined }, '$.schema: expected "tcspec.verdict/1", found nothing'],
    [
      'another version',
      { ...whole, schema: 'tcspec.verdict/2' },
      '$.schema: expected "tcspec.verdict/1", found "tcspec.verdict/2"',
    ],
    [
      'a setting that is a list',
      { ...whole, settings: { m: [] } },
      /^\$\.settings\.m: expected text, a number or a truth value, found an array of 0$/,
    ],
    [
      'no such hazard',
      { ...whole, findings: [{ ...first, id: 'D9' }] },
      /^\$\.findings\[0\]\.id: expected one of "D1", .*, found "D9"$/,
    ],
    [
      'a finding without a schedule',
      { ...whole, findings: [{ ...first, schedule: undefined }] },
      '$.findings[0].schedule: expected a string, found nothing',
    ],
    [
      'half a span',
      { ...whole, findings: [{ ...first, place: { plane: 'smem@0', spans: [[1]] } }] },
      /^\$\.findings\[0\]\.place\.spans\[0\]: expected two elements, found an array of 1$/,
    ],
    [
      'a count below nothing',
      { ...whole, counts: { ...(whole['counts'] as object), runs: -1 } },
      '$.counts.runs: expected an integer of 0 or more, found -1',
    ],
    ['a key too many', { ...whole, ok: true }, /^\$\.ok: expected no such key in a verdict/],
  ])('law 2: %s is refused by codec and schema, in one line', (_what, json, message) => {
    const plain: unknown = JSON.parse(JSON.stringify(json))
    const result = decodeVerdict(plain)
    expect(E.isLeft(result) ? result.left.message : 'accepted').toMatch(message)
    expect(accepts(plain)).toBe(false)
  })
})
