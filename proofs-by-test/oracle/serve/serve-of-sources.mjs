/** `tcspec serve` of the build, from the sources. */
import { register } from 'node:module'

register('../../../tools/read-typescript.mjs', import.meta.url)
const { serve } = await import('../../../src/oracle/serve/process.ts')

const word = (name, otherwise) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : process.argv[at + 1]
}
const limits = {
  line: Number(word('--max-line', 2 ** 20)),
  result: Number(word('--max-result', 2 ** 20)),
  requests: Number(word('--max-requests', 256)),
}
// each thread reads the sources: by day one is enough
const threads = process.env.TCSPEC_NIGHTLY === undefined ? 1 : 2
const ended = await serve(
  { input: process.stdin, output: process.stdout },
  new URL('worker-of-sources.mjs', import.meta.url),
  { version: '0', conformance: null, folder: word('--files', null), mostBytes: limits.result },
  limits,
  { threads, memory: 512 },
)
if (ended !== null) process.kill(process.pid, ended)
