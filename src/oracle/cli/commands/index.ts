/**
 * Every command of `tcspec`, in the order in which help lists them: what help says of it, and the module that it is loaded from when it is asked for.
 */
import type { Listed } from '../command.js'

export const commands: ReadonlyArray<Listed> = [
  {
    name: 'demo',
    description: 'a tour in ten seconds: a swizzle, a kernel proved right, a kernel that only looks right',
    load: async () => (await import('./demo.js')).demoCommand,
  },
  {
    name: 'kernels',
    description: 'list the kernels; of one by name its settings, defaults and tensors',
    load: async () => (await import('./kernels.js')).kernelsCommand,
  },
  {
    name: 'run',
    description: 'run a kernel, judge its synchronisation, compare its output with naive matmul',
    load: async () => (await import('./run.js')).runCommand,
  },
  {
    name: 'check',
    description:
      'judge a kernel, a program or a trace without data: the verdict, and a proof of what it computes',
    load: async () => (await import('./check.js')).checkCommand,
  },
  {
    name: 'trace',
    description: 'what happened in a run: a table of its events, a timeline, or the trace itself',
    load: async () => (await import('./trace.js')).traceCommand,
  },
  {
    name: 'mutate',
    description: 'every single-operation mutant of a kernel and its verdict; the kill rate',
    load: async () => (await import('./mutate.js')).mutateCommand,
  },
  {
    name: 'sweep',
    description: 'a grid of kernels, settings, schedules and mutants, on all cores; and its results merged',
    load: async () => (await import('./sweep.js')).sweepCommand,
  },
  {
    name: 'mma',
    description: 'd = c + a b of npy files by the matrix products of a chip, bit for bit',
    load: async () => (await import('./mma.js')).mmaCommand,
  },
  {
    name: 'compare',
    description: 'compare two npy files bit for bit: exit status 0 if equal, 1 if not',
    load: async () => (await import('./compare.js')).compareCommand,
  },
  {
    name: 'layout',
    description: 'which lane holds each element in which register; or: is this layout that one?',
    load: async () => (await import('./layout.js')).layoutCommand,
  },
  {
    name: 'transform',
    description: 'an array in shared memory: physical shape, strides, the byte of every element',
    load: async () => (await import('./transform.js')).transformCommand,
  },
  {
    name: 'linear',
    description: 'layouts as bases over GF(2), and their algebra',
    load: async () => (await import('./linear.js')).linearCommand,
  },
  {
    name: 'cute',
    description: 'the CuTe algebra of shape:stride layouts',
    load: async () => (await import('./cute.js')).cuteCommand,
  },
  {
    name: 'tmem',
    description: 'tensor memory: where a layout puts each element, and the columns that arrays take',
    load: async () => (await import('./tmem.js')).tmemCommand,
  },
  {
    name: 'banks',
    description: 'bank conflicts: of a register layout on transformed shared memory, or of addresses',
    load: async () => (await import('./banks.js')).banksCommand,
  },
  {
    name: 'image',
    description: 'the image of a TMA box in shared memory: origins, fill and byte count',
    load: async () => (await import('./image.js')).imageCommand,
  },
  {
    name: 'vectors',
    description: 'test vectors for other back ends: questions of every suite with their answers, as files',
    load: async () => (await import('./vectors.js')).vectorsCommand,
  },
  {
    name: 'tiling',
    description: 'the order of tiles: which operands a wave of clusters reads, and what a cache makes of it',
    load: async () => (await import('./tiling.js')).tilingCommand,
  },
  {
    name: 'score',
    description:
      'ask another back end what the vectors ask: pass, fail or skip by rule, the first failure small',
    load: async () => (await import('./score.js')).scoreCommand,
  },
  {
    name: 'completion',
    description: 'the script that makes a shell complete commands, options, kernels and layouts',
    load: async () => (await import('./completion.js')).completionCommand,
  },
  {
    name: 'serve',
    description: 'answer questions on standard input and output: JSON-RPC, one document a line',
    load: async () => (await import('./serve.js')).serveCommand,
  },
]
