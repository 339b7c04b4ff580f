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

A program launches kernels, copies, fills and frees into streams. \`tcspec check program.json\` finds operations of your program that nothing orders ([Programs](Programs.md)). This page has the rules that it uses. Two operations
without an order may run at the same time. If both access a byte and one of them writes it, this is a race, unless both are atomic for the whole device and have the same width.

Each clause has a source, and a litmus test whose answer changes without the clause. The page is generated from \`src/semantics/host/clauses.ts\`, and the answers are computed.

| in a test                        | means                                                                                             |
| -------------------------------- | ------------------------------------------------------------------------------------------------- |
| \`A on s: write x, trigger\`       | a launch into stream s, with its actions in order; \`trigger\` is \`griddepcontrol.launch_dependents\` |
| \`B on s dependent: wait, read x\` | a launch with programmatic stream serialisation; \`wait\` is \`griddepcontrol.wait\`                    |
| \`C on s returns: write h\`        | an operation that is complete when its call returns |
| \`e recorded on s\`, \`t waits for e\` | cudaEventRecord, cudaStreamWaitEvent                                                              |
| \`host waits for s\`               | the host synchronises with a stream, an event or the device                                       |
| \`host: read h\`                   | the host itself accesses memory |
| \`legacy\`                         | the legacy default stream; other streams are blocking unless a line says otherwise                |
| \`graph on s; A: write x; B after A: read x\` | the launch of a graph; \`dependent on\` is a programmatic edge |

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

- Two kernels that wait for each other while they run. A launch is executed to its end before the next one starts, so a kernel that waits for a later one never ends.
- Devices other than the first, memory of other processes, and textures.
- Writes of the host to pageable memory during a copy from it. Such a copy has read its source when the call returns.
`
