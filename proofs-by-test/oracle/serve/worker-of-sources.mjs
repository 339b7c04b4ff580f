/** `worker.js` of the build, from the sources. */
import { register } from 'node:module'

register('../../../tools/read-typescript.mjs', import.meta.url)
export const { perform } = await import('../../../src/oracle/serve/worker.ts')
