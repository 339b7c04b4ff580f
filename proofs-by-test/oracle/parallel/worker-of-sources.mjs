/** `worker.js` of the build, from the sources. */
import { register } from 'node:module'

register('./typescript-loader.mjs', import.meta.url)
await import('../../../src/oracle/parallel/worker.ts')
