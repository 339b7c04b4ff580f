import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/**/*.proof.ts'],
    // what was captured lies beside the texts
    globalSetup: ['tools/captures.mjs'],
    setupFiles: ['proofs-by-test/setup.ts'],
    testTimeout: 120_000,
    pool: 'forks',
    // proofs keep no state: a worker reads the sources once for all of them
    isolate: false,
    maxWorkers: 2,
    execArgv: [
      // much is made and little of it is kept: with more room for what is young, the collector looks for what lives less often
      '--max-semi-space-size=64',
      // most of what runs, runs a few times: V8 waits longer before it optimises a function, which saves a quarter of the processor time
      '--interrupt-budget=3000000',
      // until then it runs as plain machine code, made at once and kept
      '--sparkplug',
      '--always-sparkplug',
      '--no-flush-bytecode',
      // two workers on two processors: helpers of the collector would wait for each other
      '--single-threaded-gc',
      // the sources are Node's own modules, without a runner between them
      '--import',
      new URL('./tools/read-typescript.mjs', import.meta.url).href,
    ],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})

export default config
