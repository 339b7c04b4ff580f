import { readFileSync } from 'node:fs'
import { parse } from '../../../../src/semantics/schedules/naive/notation.js'
import type { Skeleton } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { right } from '../../../either.js'

/** A skeleton from its notation. */
export const skeleton = (text: string): Skeleton => right(parse(text))

/** The records of another engine: one a line, its fields apart by tabs. */
export const recorded = (file: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(new URL(`../../../../conformance/prototype/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
