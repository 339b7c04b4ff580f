import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/**/*.proof.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})

export default config
