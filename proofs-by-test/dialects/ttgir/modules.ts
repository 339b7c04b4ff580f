import { readdirSync, readFileSync } from 'node:fs'

const directory = new URL('../../../conformance/triton/modules/', import.meta.url)

/** Modules as Triton 3.6 wrote them, of the kernels in `conformance/triton/kernels.py`. */
export const moduleFiles: ReadonlyArray<string> = readdirSync(directory).filter((f) => f.endsWith('.ttgir'))
export const moduleText = (file: string): string => readFileSync(new URL(file, directory), 'utf8')

/** Every operation that has a row, once, as Triton 3.6 printed it. */
export const everyOperation: string = readFileSync(
  new URL('../../../conformance/triton/every-operation.ttgir', import.meta.url),
  'utf8',
)
