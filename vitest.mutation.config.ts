/**
 * The proofs that mutants of `transforms` and `layouts` are held against: the same laws as in `npm test`, without what runs a
 * kernel or starts a compiler.
 */
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/transforms/**/*.proof.ts', 'proofs-by-test/layouts/**/*.proof.ts'],
    env: { TCSPEC_SMALL: '1' },
    setupFiles: ['tools/one-seed.mjs'],
    testTimeout: 20_000,
    // Proofs share nothing but what they import: one thread for all of them saves most of a mutant's time.
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
  },
})

export default config
