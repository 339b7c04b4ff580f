/**
 * The proofs that mutants of `semantics` are held against once those of the room itself have let them pass (`tools/sample-mutants.mjs`): surfaces,
 * command line, pictures, kits and a few kernels, and those of the room that take long. Sweeps over all schedules and forms of a kernel stay out.
 */
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: [
      'proofs-by-test/{arbitraries,dialects,laws,oracle,render}/**/*.proof.ts',
      'proofs-by-test/kernels/{broken,catalogue,hopper-persistent,hopper-s8,hopper-ws,matmul-dynamic,matmul-mxfp8,matmul5,matmul6,printed-matmul,queue,triton,wgmma-loop}.proof.ts',
      'proofs-by-test/kernels/attention/{captured,fa3,protocol}.proof.ts',
      'proofs-by-test/kernels/traffic/*.proof.ts',
      'proofs-by-test/fast/algebras.proof.ts',
      'proofs-by-test/semantics/fuzz/*.proof.ts',
      'proofs-by-test/semantics/schedules/naive/{explore,random,second-opinion}.proof.ts',
      'proofs-by-test/semantics/mutation/mutants.proof.ts',
    ],
    env: { TCSPEC_SMALL: '1' },
    setupFiles: ['tools/one-seed.mjs'],
    testTimeout: 120_000,
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
  },
})

export default config
