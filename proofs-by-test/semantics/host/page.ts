/** docs/LaunchOrder.md: the clauses of order between operations, with their litmus tests and what these say. */
import * as E from 'fp-ts/lib/Either.js'
import { allClauses, clauses, forgottenEdges, Litmus, type Has } from '../../../src/semantics/host/index.js'

const said = (litmus: ReadonlyArray<string>, has: Has): string => {
  const lines = Litmus.linesOf(litmus)
  if (E.isLeft(lines)) throw new Error(lines.left.message)
  const { races, names } = Litmus.judged(lines.right, has)
  const shown = (n: number | null): string => (n === null ? 'the host' : names[n]!)
  return races.length === 0
    ? 'ok'
    : [
        ...new Set(
          races.map(
            ({ first, second }) =>
              `race: ${shown(first.operation)} (${first.access.site}), ${shown(second.operation)} (${second.access.site})`,
          ),
        ),
      ].join('; ')
}
const test = (litmus: ReadonlyArray<string>): string => ['```', ...litmus, '```'].join('\n')

export const page = (): string =>
  `# Order between operations

A program launches kernels, copies, fills and frees, into streams. This page says which of them are ordered. It is generated from \`src/semantics/host/clauses.ts\`, and the answers are computed. Each
clause has a source and a litmus test that changes when the clause is left out. Two operations that nothing orders run at the same time on a bad day: if both touch a byte and one of them writes,
that is a race, unless both are atomic for the whole device and equally wide. \`tcspec check program.json\` asks this of your own program ([Programs](Programs.md)).

| in a test                        | is                                                                                                |
| -------------------------------- | ------------------------------------------------------------------------------------------------- |
| \`A on s: write x, trigger\`       | a launch into stream s; what it does, in its order; \`trigger\` is \`griddepcontrol.launch_dependents\` |
| \`B on s dependent: wait, read x\` | a launch with programmatic stream serialisation; \`wait\` is \`griddepcontrol.wait\`                    |
| \`C on s returns: write h\`        | an operation that is over when its call returns                                                   |
| \`e recorded on s\`, \`t waits for e\` | cudaEventRecord, cudaStreamWaitEvent                                                              |
| \`host waits for s\`               | the host synchronises with a stream, an event or the device                                       |
| \`host: read h\`                   | the host touches memory itself                                                                    |
| \`legacy\`                         | the legacy default stream; other streams block unless a line says that they do not                |
| \`graph on s; A: write x; B after A: read x\` | a graph is launched; \`dependent on\` is a programmatic edge                             |

## Clauses

${clauses
  .map(
    (c) => `### ${c.id}

${c.says}

_Source_: ${c.source}.

${test(c.litmus)}

| | says |
| --- | --- |
| the model | ${said(c.litmus, allClauses)} |
| without \`${c.id}\` | ${said(c.litmus, (id) => id !== c.id)} |
`,
  )
  .join('\n')}
## No order

${forgottenEdges
  .map(
    ({ what, litmus }) => `**${what.slice(0, 1).toUpperCase()}${what.slice(1)}**

${test(litmus)}

${said(litmus, allClauses)}
`,
  )
  .join('\n')}
## Limits

- Two kernels that wait for one another while they run: a launch is executed to its end before the next one, so a kernel that waits for a later one gets stuck.
- Devices beyond the first, memory of other processes, and textures.
- A host that writes pageable memory while a copy of it is under way: such a copy has read its source when the call returns.
`
