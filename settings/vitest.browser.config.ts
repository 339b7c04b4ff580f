import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** Proofs in a real browser, of the page that `npm run site` has built. */
const config: ViteUserConfig = defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['proofs-in-browser/**/*.proof.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 1,
    // a browser on a busy machine may be late once
    retry: 1,
  },
})

export default config
