import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/**/*.proof.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    // proofs keep no state: a worker reads the sources once for all of them
    isolate: false,
    maxWorkers: 2,
    // much is made and little of it is kept: with more room for what is young, the collector looks for what lives less often
    execArgv: ['--max-semi-space-size=64'],
  },
})

export default config
