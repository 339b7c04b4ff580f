/**
 * The proofs that mutants of `semantics` are held against: those of its rooms and the zoo, with small sweeps; without whole kernels, searches of
 * every schedule and damaged documents, which take long and find little that these do not.
 */
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['proofs-by-test/semantics/**/*.proof.ts', 'proofs-by-test/kernels/zoo.proof.ts'],
    exclude: [
      'proofs-by-test/semantics/fuzz/**',
      'proofs-by-test/semantics/mutation/{kill-rate,mutants,certificate}.proof.ts',
      'proofs-by-test/semantics/schedules/naive/**',
      'proofs-by-test/semantics/single-schedule*.proof.ts',
    ],
    env: { TCSPEC_SMALL: '1' },
    setupFiles: ['tools/one-seed.mjs'],
    testTimeout: 60_000,
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
  },
})

export default config
