/** docs/CudaFunctions.md is the table of functions: what is there, by group. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { driverFunctions, runtimeFunctions, type Function } from '../../../src/oracle/cuda/functions.js'

const page = new URL('../../../docs/CudaFunctions.md', import.meta.url)

const groupsOf = (all: ReadonlyArray<Function>): string =>
  [...new Set(all.map(({ group }) => group))]
    .map((group) => {
      const names = all.filter((f) => f.group === group).map(({ name }) => `\`${name}\``)
      return `**${group}**: ${names.join(', ')}.`
    })
    .join('\n\n')

const text = `# Functions of CUDA

\`tcspec cuda\` ([Cuda](Cuda.md)) has these functions. Those of the runtime are there for version 12 and 13. The variants that end in \`_ptsz\` or \`_ptds\`, for a default stream per thread, are included. Any other function returns
\`cudaErrorNotSupported\` or \`CUDA_ERROR_NOT_SUPPORTED\`, and is named once. The list is made of \`src/oracle/cuda/functions.ts\`.

## The runtime

${groupsOf(runtimeFunctions)}

## The driver

${groupsOf(driverFunctions)}
`

it('docs/CudaFunctions.md is what the table says', () => {
  if (process.env['TCSPEC_REGENERATE'] !== undefined) writeFileSync(page, text)
  const plain = (s: string): string => s.replace(/\s+/gu, ' ').trim()
  expect(plain(readFileSync(page, 'utf8'))).toBe(plain(text))
})
