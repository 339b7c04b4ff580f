/** The capture of `mma` and `wmma`: forms, and for every tuple a hash of what an H100 left. */
import { readFileSync } from 'node:fs'

const folder = new URL('../../../conformance/hopper/mma/', import.meta.url)

export interface CapturedForm {
  readonly opcode: string
  /** seed of its operands */
  readonly name: string
  /** `any`: sparse, with metadata in any order */
  readonly kind: 'mma' | 'sp' | 'any' | 'wmma' | 'raw' | 'load' | 'store'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly times: 1 | 4
  readonly types: readonly [a: string, b: string, c: string, d: string]
  readonly layouts: readonly ['row' | 'col', 'row' | 'col']
  readonly registers: readonly [number, number, number, number]
  readonly selector: number
  /** by tuple */
  readonly hashes: Uint32Array
}

const floating = (type: string): boolean => /^(f|bf16|tf32|e)/u.test(type)

/** How many tuples of a form were captured (`run.cu`). */
const tuplesOf = (kind: string, type: string, opcode: string): number => {
  const ordered = opcode.includes('ordered') || kind === 'any'
  return kind === 'load'
    ? 10
    : kind === 'store'
      ? 1
      : kind === 'raw'
        ? 2
        : floating(type)
          ? ordered
            ? 40
            : 400
          : ordered
            ? 16
            : 128
}

export const capturedForms: ReadonlyArray<CapturedForm> = (() => {
  const bytes = readFileSync(new URL('hashes.bin', folder))
  let at = 0
  return readFileSync(new URL('forms.txt', folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): CapturedForm => {
      const [opcode = '', what = '', types = '', layouts = '', counts = '', selector = ''] = line.split(' | ')
      const [kind = '', m, n, k, times] = what.split(' ')
      const [a = '', b = '', c = '', d = ''] = types.split(' ')
      const hashes = Uint32Array.from({ length: tuplesOf(kind, a, opcode) }, (_, i) =>
        bytes.readUInt32LE(at + 4 * i),
      )
      at += 4 * hashes.length
      return {
        opcode,
        name: `${opcode}#${selector}#${kind}`,
        kind: kind as CapturedForm['kind'],
        m: Number(m),
        n: Number(n),
        k: Number(k),
        times: times === '4' ? 4 : 1,
        types: [a, b, c, d],
        layouts: layouts.split(' ') as unknown as CapturedForm['layouts'],
        registers: counts.split(' ').map(Number) as unknown as CapturedForm['registers'],
        selector: Number(selector),
        hashes,
      }
    })
})()

/** As `run.cu` hashes the words of a tuple. */
export const hashOf = (words: Iterable<number>): number => {
  let h = 2166136261
  for (const word of words) {
    h = Math.imul(h ^ word, 16777619)
    h ^= h >>> 15
  }
  return h >>> 0
}
