import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/**/*.proof.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    // proofs keep no state: a worker reads the sources once for all of them
    isolate: false,
    maxWorkers: 2,
  },
})

export default config
