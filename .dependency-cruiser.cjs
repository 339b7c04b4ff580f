// The house: a chapter may import only the chapters below it.
const floors = [
  'numerics',
  'fast',
  'transforms',
  'layouts',
  'semantics',
  'dialects',
  'kernels',
  'render',
  'oracle',
]
const above = (i) => floors.slice(i + 1).join('|')
// Side rooms: nothing in the house rests on them.
const sides = {
  arbitraries: ['numerics', 'transforms', 'layouts', 'semantics'],
  laws: ['numerics', 'transforms', 'layouts', 'semantics', 'arbitraries'],
}
const rooms = [...floors, ...Object.keys(sides)]
// Inside `semantics`: a room may import only rooms on floors below its own.
const semantics = [
  ['language', 'axioms'],
  ['log', 'writing'],
  ['machine'],
  ['instructions', 'judging'],
  ['core', 'warps'],
  ['execution', 'model'],
  ['schedules', 'files', 'timing'],
  ['verdict', 'host'],
  ['mutation', 'swift'],
  ['mending'],
]
const notBelow = (i, room) =>
  [
    'index\\.ts',
    ...semantics
      .slice(i)
      .flat()
      .flatMap((r) => (r === room ? [] : [`${r}/`])),
  ].join('|')
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...floors.slice(0, -1).map((f, i) => ({
      name: `${f}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/${f}/` },
      to: { path: `^src/(${above(i)})/` },
    })),
    ...Object.entries(sides).map(([side, below]) => ({
      name: `${side}-imports-downwards`,
      severity: 'error',
      from: { path: `^src/${side}/` },
      to: { path: `^src/(${rooms.filter((r) => r !== side && !below.includes(r)).join('|')})/` },
    })),
    {
      name: 'nothing-rests-on-side-rooms',
      severity: 'error',
      from: { path: `^src/(${floors.join('|')})/`, pathNot: '^src/oracle/vectors/' },
      to: { path: `^src/(${Object.keys(sides).join('|')})/` },
    },
    {
      // random questions are those of the arbitraries
      name: 'vectors-draw-from-arbitraries-alone',
      severity: 'error',
      from: { path: '^src/oracle/vectors/' },
      to: { path: '^src/laws/' },
    },
    ...semantics.flatMap((floor, i) =>
      floor.map((room) => ({
        name: `semantics-${room}-imports-downwards`,
        severity: 'error',
        from: { path: `^src/semantics/${room}/` },
        to: { path: `^src/semantics/(${notBelow(i, room)})` },
      })),
    ),
    {
      name: 'no-room-without-a-floor',
      severity: 'error',
      from: {
        path: '^src/semantics/',
        pathNot: `^src/semantics/(${semantics.flat().join('|')})/|^src/semantics/index\\.ts`,
      },
      to: {},
    },
    {
      name: 'the-memory-model-rests-on-the-log-alone',
      severity: 'error',
      from: { path: '^src/semantics/model/' },
      to: {
        path: '^src/semantics/',
        pathNot: '^src/semantics/(model/|log/|language/|judging/finding\\.ts)',
      },
    },
    {
      // they judge what the rest of the house finds, and share nothing with it
      name: 'the-axioms-rest-on-nothing',
      severity: 'error',
      from: { path: '^src/semantics/axioms/' },
      to: { path: '^src/', pathNot: '^src/(semantics/axioms/|failure\\.ts)' },
    },
    {
      // what is there for speed alone is asked through its plain face; to remember is all that another room may do with it
      name: 'machine-fast-is-behind-the-machine',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/semantics/machine/' },
      to: { path: '^src/semantics/machine/fast/', pathNot: '/remembered\\.ts$' },
    },
    {
      name: 'machine-fast-knows-addresses-alone',
      severity: 'error',
      from: { path: '^src/semantics/machine/fast/' },
      to: {
        path: '^src/semantics/',
        pathNot: '^src/semantics/(log/|language/|machine/(fast/|cells|elements|addresses))',
      },
    },
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
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
}
