import * as E from 'fp-ts/lib/Either.js'
import { readFileSync } from 'node:fs'
import { parse } from '../../../src/semantics/naive/notation.js'
import type { Skeleton } from '../../../src/semantics/naive/skeleton.js'

/** A skeleton from its notation. */
export const skeleton = (text: string): Skeleton => {
  const parsed = parse(text)
  if (E.isLeft(parsed)) throw new Error(parsed.left.message)
  return parsed.right
}

/** The records of another engine: one a line, its fields apart by tabs. */
export const recorded = (file: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(new URL(`../../../conformance/prototype/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
