/**
 * What is published is frozen: the verdicts of all kernels, the lines of some logs, the schemas and the generated pages.
 *
 * A change of arrangement leaves every one of them as it is, to the byte; a change of meaning shows here which. Kept are hashes, a line each:
 * `TCSPEC_REGENERATE=1 npx vitest run proofs-by-test/oracle/frozen.proof.ts` writes them anew, and a diff of conformance/frozen.json names what has
 * changed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/failure.js'
import { foreign, programName, zoo } from '../../src/kernels/broken/index.js'
import { instanceOf, judgedAt, kernelNamed, kernels } from '../../src/kernels/catalogue/index.js'
import { unit } from '../../src/numerics/unit.js'
import { check, standardOptions } from '../../src/semantics/verdict/check.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../src/semantics/execution/run.js'
import { encodeTrace } from '../../src/semantics/files/trace/index.js'
import { right } from '../either.js'
import { nightly } from '../extent.js'

const root = new URL('../../', import.meta.url)
const kept = new URL('conformance/frozen.json', root)
const regenerate = process.env.TCSPEC_REGENERATE === '1'

type Hashes = Record<string, string>
type Frozen = Readonly<Record<'verdicts' | 'logs' | 'files', Hashes>>

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** In the form in which a kernel's mutants are judged: a few steps, a few tiles; else as it is by default. */
const instance = (name: string): ReturnType<typeof instanceOf> => {
  const kernel = right(kernelNamed(name))
  const small = judgedAt(kernel)
  return E.isRight(small) ? small : instanceOf(kernel, {}, [])
}

/** What is published of a refusal. */
const refused = ({ code, message }: Failure): string => JSON.stringify({ code, message })

const verdicts = (): Hashes => {
  const names = [
    ...kernels.map((k) => k.name),
    ...[...zoo, ...foreign].flatMap((t) => [programName(t, false), programName(t, true)]),
  ]
  return Object.fromEntries(
    names.flatMap((name) => {
      const made = instance(name)
      if (E.isLeft(made)) return [[name, hash(refused(made.left))]]
      const { program, settings: chosen } = made.right
      const found = check(program, { ...standardOptions, settings: chosen })
      return [[name, hash(E.isLeft(found) ? refused(found.left) : JSON.stringify(found.right.verdict))]]
    }),
  )
}

/** Logs of the first twelve kernels of the catalogue. */
const logs = (): Hashes =>
  Object.fromEntries(
    kernels.slice(0, 12).map(({ name }) => {
      const { program } = right(instance(name))
      const { world, machine } = right(launch(program, unit, noArguments))
      const { result } = run(world, machine, settings(Policy.eager), collect)
      return [name, hash(encodeTrace(world.header, result).join('\n'))]
    }),
  )

const files = (): Hashes =>
  Object.fromEntries(
    [
      ...readdirSync(new URL('schemas/', root))
        .sort()
        .map((f) => `schemas/${f}`),
      'docs/kill-rate.md',
      'docs/surfaces.md',
    ].map((f) => [f, hash(readFileSync(new URL(f, root), 'utf8'))]),
  )

describe.runIf(nightly || regenerate)('frozen', () => {
  test('verdicts, logs, schemas and pages', { timeout: 3_600_000 }, () => {
    const found: Frozen = { verdicts: verdicts(), logs: logs(), files: files() }
    if (regenerate) writeFileSync(kept, `${JSON.stringify(found, null, 2)}\n`)
    else expect(found).toEqual(JSON.parse(readFileSync(kept, 'utf8')))
  })
})
