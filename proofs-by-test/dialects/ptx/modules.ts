import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const conformance = new URL('../../../conformance/', import.meta.url)

const within = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, conformance))
    .filter((f) => /\.ptx(\.gz)?$/.test(f))
    .sort()
    .map((f) => `${folder}${f}`)

/** 45 modules of Triton 3.6. */
export const tritonFiles: ReadonlyArray<string> = within('triton/modules/')
/** 21 modules of Triton 3.6 that ran on an H100. */
export const captureFiles: ReadonlyArray<string> = readdirSync(new URL('triton/captures/', conformance))
  .sort()
  .flatMap((name) => within(`triton/captures/${name}/`))
/** What nvcc 13.0 made of CUDA C++, and one module by hand. */
export const cudaFiles: ReadonlyArray<string> = within('cuda/')

export const everyFile: ReadonlyArray<string> = [...tritonFiles, ...captureFiles, ...cudaFiles]

/** A module as its compiler wrote it, by its path in `conformance/`. */
export const moduleText = (path: string): string => {
  const bytes = readFileSync(new URL(path, conformance))
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

export const everyForm: string = moduleText('cuda/every-form.ptx')
