/**
 * The modules whose mutants are judged, and at which launches: one tile and 2 S + 1 steps on rings of S slots, so that every slot is refilled with both
 * parities (attention: 5 steps); three tiles of three steps for each of four programs where programs persist. Schedules are followed at one tile and 1, 2 and S + 1
 * steps.
 *
 * What of a module is wrong as Triton wrote it is mended first, for a mended text is a text:
 *
 * | modules                     | what is wrong | mended                                                                                      |
 * |-----------------------------|---------------|---------------------------------------------------------------------------------------------|
 * | pointer matmuls             | P1            | a proxy fence behind every `ttg.async_wait`                                                  |
 * | warp-specialised for sm_100 | B7            | the barriers of the ring are given up after the wait for the last product, and not before it |
 * |                             | M8            | the zeros that the first product does not add to are not stored                              |
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
  'mm_tma_ws_128x256x64_s3_w8_sm90',
  'mm_tma_ws_128x128x64_s3_w4_sm100',
  'mm_hosttma_nows_64x64x32_s4_w4_sm90',
  'mm_hosttma_nows_128x128x64_s3_w4_sm100',
  'mm_hosttma_ws_128x256x64_s3_w8_sm90',
  'mm_hosttma_ws_64x64x32_s4_w4_sm100',
  'mm_persistent_nows_64x64x32_s4_w4_sm90',
  'mm_persistent_nows_128x128x64_s3_w4_sm100',
  'mm_persistent_ws_128x256x64_s3_w8_sm90',
  'attn_nows_128x64x64_sm90',
  'attn_nows_128x64x64_sm100',
]

const fenced = (text: string): string =>
  text.replace(/(\n *)(%\w+ = ttg\.async_wait [^\n]*)/g, '$1$2$1ttng.fence_async_shared {bCluster = false}')

const inOrder = (text: string): string => {
  const lines = text.split('\n').filter((line) => !line.includes('ttng.tmem_store %cst'))
  const given = lines.findIndex((line) => line.startsWith('    ttng.inval_barrier'))
  const wait = lines.findIndex((line, k) => k > given && line.startsWith('    ttng.wait_barrier'))
  return [...lines.slice(0, given), lines[wait]!, ...lines.slice(given, wait), ...lines.slice(wait + 1)].join(
    '\n',
  )
}

const mended = (file: string, text: string): string =>
  file.startsWith('mm_ptr') ? fenced(text) : /_ws_.*sm100/.test(file) ? inOrder(text) : text

export const moduleOf = (file: string): Module => right(readModule(mended(file, moduleText(`${file}.ttgir`))))

/** Slots of the rings, as the file's name says; attention has three. */
const slotsOf = (file: string): number => Number(/_s(\d)_/.exec(file)?.[1] ?? 3)
const persists = (file: string): boolean => file.startsWith('mm_persistent')

export const judgedWith = (file: string): Extents =>
  persists(file) ? { rows: 9, columns: 1, steps: 3 } : { rows: 1, columns: 1, steps: 2 * slotsOf(file) + 1 }

const followedWith = (file: string): ReadonlyArray<Extents> =>
  [1, 2, slotsOf(file) + 1].map((steps) => ({ rows: 1, columns: 1, steps }))

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
