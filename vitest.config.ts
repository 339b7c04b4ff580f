import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/**/*.proof.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    // proofs keep no state: a worker reads the sources once for all of them
    isolate: false,
    maxWorkers: 2,
    // much is made and little is kept: with more room for what is young a tenth of the time less goes into looking for what lives
    execArgv: ['--max-semi-space-size=64'],
  },
})

export default config
