/**
 * The table of the guide: which pages there are, in which group, under which title.
 *
 * A page is a Markdown file of the repository, or one that the build makes (`schemas.md`). Its address is the name of its file; the README is the first page.
 *
 * Laws
 * 1. Every file of docs/ has a row, and every row a file (or a maker in `build.ts`).
 * 2. Addresses are of one page each.
 */

export interface Entry {
  /** path in the repository */
  readonly source: string
  readonly title: string
}
export interface Group {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

const docs = (name: string, title: string): Entry => ({ source: `docs/${name}.md`, title })

/** A page that is made when the site is built, of the schemas. */
export const schemasPage: Entry = { source: 'schemas/README.md', title: 'Schemas' }

export const groups: ReadonlyArray<Group> = [
  {
    title: 'Start',
    entries: [
      { source: 'README.md', title: 'What it is' },
      docs('ReadingGuide', 'Reading guide'),
      docs('FirstKernel', 'Write your first kernel'),
      docs('Glossary', 'Glossary'),
      docs('Numbers', 'Where the numbers come from'),
    ],
  },
  {
    title: 'Check a kernel',
    entries: [
      docs('Triton', 'Check a Triton or Gluon kernel'),
      docs('Ptx', 'Check a CUDA kernel'),
      docs('Cuda', 'Run a CUDA program'),
      docs('CudaFunctions', 'CUDA functions that can be called'),
      docs('Programs', 'Check a program of many launches'),
      docs('Time', 'How long a kernel takes, and why'),
    ],
  },
  { title: 'From Python', entries: [docs('Python', 'Check a kernel from Python')] },
  {
    title: 'Test your own',
    entries: [
      docs('TestingYourOwn', 'Test your own functions'),
      docs('Score', 'Score your own back end'),
      docs('Vectors', 'Vectors'),
      docs('Serve', 'Ask from another program'),
      docs('Traces', 'Judge a trace'),
      docs('Sweeps', 'Judge many kernels at once'),
    ],
  },
  { title: 'Your own layouts', entries: [docs('LayoutDescriptions', 'Describe a layout')] },
  {
    title: 'What is judged',
    entries: [
      docs('hazards', 'Hazards'),
      docs('MemoryModel', 'The memory model'),
      docs('Litmus', 'Litmus tests of PTX'),
      docs('LaunchOrder', 'Order between operations'),
    ],
  },
  {
    title: 'Evidence',
    entries: [
      docs('Theorems', 'List of theorems'),
      docs('kill-rate', 'Kill rate: kernels'),
      docs('kill-rate-triton', 'Kill rate: Triton’s modules'),
      docs('kill-rate-ptx', 'Mutants of PTX'),
      docs('triton-modules', 'Triton’s modules, judged'),
      docs('Tutorials', 'Triton’s tutorials, judged'),
      docs('ptx-and-ttgir', 'PTX and TTGIR of one launch'),
      docs('ptx-and-ttgir-sm100', 'PTX and TTGIR for sm_100'),
      docs('gluon', 'Gluon, judged'),
      docs('Mutants', 'Mutants of the library'),
      docs('Bench', 'Benchmarks'),
      docs('Versions', 'What a version promises'),
      { source: 'CHANGELOG.md', title: 'Changes' },
    ],
  },
  {
    title: 'Kernels',
    entries: [
      docs('BlackwellMatmul', 'Seven matmuls of Blackwell'),
      docs('Attention', 'Attention'),
      docs('GridTiling', 'Tiles of a grid'),
    ],
  },
  {
    title: 'Look up',
    entries: [
      docs('Tour', 'Tour'),
      docs('CommandLine', 'The command line'),
      docs('instructions', 'Instructions'),
      docs('ptx-opcodes', 'Opcodes of PTX'),
      docs('surfaces', 'Surfaces'),
      docs('constructs', 'Constructs of compilers'),
      schemasPage,
      docs('AddingAnInstruction', 'Adding an instruction'),
    ],
  },
]

export const entries: ReadonlyArray<Entry> = groups.flatMap((g) => g.entries)

/** `docs/Triton.md` -> `Triton.html`. */
export const addressOf = (source: string): string =>
  source === 'README.md'
    ? 'index.html'
    : source === schemasPage.source
      ? 'Schemas.html'
      : `${source.replace(/^.*\//, '').replace(/\.md$/, '')}.html`

/** The address of a page by its path in the repository. */
export const pageAt: ReadonlyMap<string, string> = new Map(
  entries.map((e) => [e.source, addressOf(e.source)]),
)
