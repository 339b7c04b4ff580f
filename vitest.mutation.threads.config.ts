/**
 * The proofs that mutants of `semantics/{warps,model}` and of the detector are held against: those of these rooms, random programs of threads, and
 * the quick ones of PTX, whose kernels run on warps. The slow ones of PTX are asked about the survivors (`vitest.mutation.users.config.ts`).
 */
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: [
      'proofs-by-test/semantics/{warps,model,judging}/**/*.proof.ts',
      'proofs-by-test/semantics/schedules/threads.proof.ts',
      'proofs-by-test/dialects/ptx/*.proof.ts',
    ],
    exclude: [
      'proofs-by-test/dialects/ptx/{assembler,blackwell,cuda-runs,damage,fences-of-lanes,opcodes,opcodes-page,outcomes,text}.proof.ts',
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
