/**
 * The modules whose mutants are judged, and at which launches: one tile and 2 S + 1 steps on rings of S slots, so that every slot is refilled with both
 * parities; three tiles of three steps for each of four programs where programs persist. Schedules are followed at one tile and 1 to S + 1 steps.
 *
 * The pointer matmuls lack a proxy fence between the copies of their threads and the tensor core (P1, as they were written by Triton). They are judged with
 * that fence behind every `ttg.async_wait`: a mended text is a text.
 */
import {
  groundOf,
  smallerAt,
  textMutants,
  type Ground,
  type TextMutant,
} from '../../../../src/dialects/ttgir/index.js'
import { readModule } from '../../../../src/dialects/ttgir/index.js'
import type { Module } from '../../../../src/dialects/ttgir/text/syntax.js'
import { judging, type CutDown, type Judge } from '../../../../src/semantics/mutation/index.js'
import { standardOptions, type CheckOptions } from '../../../../src/semantics/verdict/check.js'
import { right } from '../../../either.js'
import { launched, type Extents } from '../launches.js'
import { moduleText } from '../modules.js'

export const files: ReadonlyArray<string> = [
  'mm_ptr_64x64x32_s4_w4_sm90',
  'mm_ptr_128x128x64_s3_w4_sm100',
  'mm_tma_nows_64x64x32_s4_w4_sm90',
  'mm_tma_nows_128x128x64_s3_w4_sm100',
  'mm_tma_ws_128x128x64_s3_w4_sm90',
  'mm_hosttma_nows_64x64x32_s4_w4_sm90',
  'mm_hosttma_nows_128x128x64_s3_w4_sm100',
  'mm_hosttma_ws_128x256x64_s3_w8_sm90',
  'mm_persistent_nows_64x64x32_s4_w4_sm90',
  'mm_persistent_nows_128x128x64_s3_w4_sm100',
  'mm_persistent_ws_128x256x64_s3_w8_sm90',
  'attn_nows_128x64x64_sm90',
  'attn_nows_128x64x64_sm100',
]

const fence = 'ttng.fence_async_shared {bCluster = false}'
const mended = (file: string, text: string): string =>
  file.startsWith('mm_ptr') ? text.replace(/(\n *)(%\w+ = ttg\.async_wait [^\n]*)/g, `$1$2$1${fence}`) : text

export const moduleOf = (file: string): Module => right(readModule(mended(file, moduleText(`${file}.ttgir`))))

/** Slots of the rings, as the file's name says; attention has three. */
const slotsOf = (file: string): number => Number(/_s(\d)_/.exec(file)?.[1] ?? 3)
const persists = (file: string): boolean => file.startsWith('mm_persistent')

export const judgedWith = (file: string): Extents =>
  persists(file) ? { rows: 9, columns: 1, steps: 3 } : { rows: 1, columns: 1, steps: 2 * slotsOf(file) + 1 }

const followedWith = (file: string): ReadonlyArray<Extents> =>
  Array.from({ length: slotsOf(file) + 1 }, (_, k) => ({ rows: 1, columns: 1, steps: k + 1 }))

export interface Subject {
  readonly module: Module
  readonly ground: Ground
  readonly options: CheckOptions
  readonly mutants: ReadonlyArray<TextMutant>
}

export const subjectAt = (file: string, extents: Extents = judgedWith(file)): Subject => {
  const module = moduleOf(file)
  const { launch, arguments: given, computes } = launched(file, extents, module)
  const ground = right(groundOf(module, { ...launch, ...(computes === null ? {} : { computes }) }))
  const options: CheckOptions = { ...standardOptions, arguments: given, fuel: 1_000_000 }
  return { module, ground, options, mutants: right(textMutants(module)) }
}

/** The smaller launches of a subject, and its judge. */
export const followedAt = (file: string, { mutants }: Subject): ReadonlyArray<CutDown> =>
  followedWith(file).map((extents) => {
    const { ground, options } = subjectAt(file, extents)
    return smallerAt(mutants, ground, options)
  })
export const judgeOf = (file: string, subject: Subject): Judge =>
  judging(subject.ground.program, subject.options, followedAt(file, subject))
