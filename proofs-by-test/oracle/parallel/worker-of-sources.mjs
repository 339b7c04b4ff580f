/** `worker.js` of the build, from the sources. */
import { register } from 'node:module'

register('../../../tools/read-typescript.mjs', import.meta.url)
await import('../../../src/oracle/parallel/worker.ts')
