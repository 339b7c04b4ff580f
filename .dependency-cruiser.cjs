// The house: a chapter may import only the chapters below it.
const floors = ['numerics', 'transforms', 'layouts', 'semantics', 'dialects', 'kernels', 'render', 'oracle']
const above = (i) => floors.slice(i + 1).join('|')
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...floors.slice(0, -1).map((f, i) => ({
      name: `${f}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/${f}/` },
      to: { path: `^src/(${above(i)})/` },
    })),
    {
      name: 'no-node-below-oracle',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/oracle/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-dev-dependencies-in-src',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
}
