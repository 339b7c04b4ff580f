/**
 * The answer to a litmus test of PTX as text.
 *
 *     question  exists (P1:r0 == 1 /\ P1:r1 == 0)
 *     answer    never
 *     holds     no
 *
 *     forbidden by causality (PTX ISA 8.10.6): communication order does not contradict causality order
 *         P0 4 `st.weak x, 1` -> P1 5 `ld.weak r1, x`: causality, by program order P0 4 -> P0 5, synchronizes P0 5 -> P1 4, program order P1 4 -> P1 5
 *         P1 5 `ld.weak r1, x` -> P0 4 `st.weak x, 1`: reads before
 *
 * An event is its thread, its line and its text.
 *
 * Law 1. The answer is on the second line, whatever it is.
 */
import type {
  AnswerArrow,
  AnswerEvent,
  AnswerExecution,
  AnswerPair,
  AnswerState,
  AnswerStep,
  LitmusAnswerDocument,
} from './litmus-answer-document.js'
import type { Palette } from './palette.js'
import { fields, table, thousands } from './table.js'

/** Refusals that are written out, at most; of the others their number is told. */
const mostTold = 3
/** Final states that are written out, at most. */
const mostStates = 64

const eventText = ({ events }: AnswerExecution, k: number): string => {
  const e = events[k]
  return e === undefined
    ? ''
    : e.thread === null
      ? `\`${e.text}\``
      : `${e.thread} ${String(e.line ?? '')} \`${e.text}\``
}

/** What a state holds: `P1:r0 = 1, x = 2`. */
export const stateText = ({ values, waiting }: AnswerState): string =>
  [
    Object.entries(values)
      .map(([name, v]) => `${name} = ${v === null ? 'nothing' : String(v)}`)
      .join(', '),
    ...waiting.map((thread) => `${thread} waits at a barrier forever`),
  ]
    .filter((s) => s !== '')
    .join('; ')

const pairText = (x: AnswerExecution, { from, to }: AnswerPair): string =>
  `${eventText(x, from)} -> ${eventText(x, to)}`

const valueText = ({ reads, writes }: AnswerEvent): string =>
  [
    ...(reads === null ? [] : [`finds ${String(reads)}`]),
    ...(writes === null ? [] : [`writes ${String(writes)}`]),
  ].join(', ')

/** The choices of an execution, a row each. */
const executionRows = (x: AnswerExecution): ReadonlyArray<readonly [string, string]> => {
  const made = (label: string, lines: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
    lines.length === 0 ? [] : [[label, lines.join('\n')]]
  const threaded = (p: AnswerPair): boolean => x.events[p.from]?.thread !== null
  return [
    ...made(
      'reads',
      x.readsFrom.map(({ from, to }) => {
        const e = x.events[to]
        return `${eventText(x, to)} ${e === undefined ? '' : valueText(e)}, from ${eventText(x, from)}`
      }),
    ),
    ...made(
      'coherence',
      x.coherence.filter(threaded).map((p) => pairText(x, p)),
    ),
    ...made(
      'Fence-SC',
      x.fences.map((p) => pairText(x, p)),
    ),
    ...made(
      'synchronizes',
      x.synchronizes.map((p) => pairText(x, p)),
    ),
    ...made(
      'data races',
      x.races.map((p) => pairText(x, p)),
    ),
  ]
}

/** The way of an arrow in causality order, event by event; a way of one step says its kind alone. */
const stepsText = (x: AnswerExecution, steps: ReadonlyArray<AnswerStep>): string => {
  const place = (k: number): string => {
    const e = x.events[k]
    return e === undefined || e.thread === null ? 'the start' : `${e.thread} ${String(e.line ?? '')}`
  }
  return steps.length === 0
    ? ''
    : `, by ${steps.map(({ is, from, to }) => `${is} ${place(from)} -> ${place(to)}`).join(', ')}`
}
const arrowText = (x: AnswerExecution, a: AnswerArrow): string =>
  `${pairText(x, a)}: ${a.is}${stepsText(x, a.steps)}`

/** How often each axiom forbids what is not written out. */
const restText = (d: LitmusAnswerDocument): ReadonlyArray<string> => {
  const rest = d.refused - Math.min(d.refusals.length, mostTold)
  return rest === 0
    ? []
    : [
        `${thousands(rest)} more ${rest === 1 ? 'execution' : 'executions'} would do so; each contradicts an axiom`,
      ]
}

const refusalText = (palette: Palette, d: LitmusAnswerDocument): ReadonlyArray<string> =>
  d.witness !== null || !d.complete
    ? []
    : d.refusals.length === 0
      ? ['no values that the reads could find lead to it']
      : [
          ...d.refusals
            .slice(0, mostTold)
            .map(({ state, execution, contradictions }) =>
              [
                palette.dim(`${stateText(state)} would need`),
                fields(palette, 4, [
                  [
                    '',
                    execution.readsFrom
                      .map(
                        ({ from, to }) =>
                          `${eventText(execution, to)} reads from ${eventText(execution, from)}`,
                      )
                      .join('\n'),
                  ],
                ]),
                ...contradictions.flatMap(({ axiom, section, says, arrows }) => [
                  `${palette.bad('forbidden')} by ${axiom} (PTX ISA ${section}): ${says}`,
                  fields(palette, 4, [['', arrows.map((a) => arrowText(execution, a)).join('\n')]]),
                ]),
              ].join('\n'),
            ),
          ...restText(d),
        ]

const statesText = (d: LitmusAnswerDocument): string =>
  d.states.length === 0
    ? 'no execution ends'
    : table([
        ...d.states.slice(0, mostStates).map((s) => [s.satisfies ? '*' : ' ', stateText(s)]),
        ...(d.states.length > mostStates ? [[' ', `${thousands(d.states.length - mostStates)} more`]] : []),
      ])

/** The answer, for people. */
export const litmusAnswerText = (palette: Palette, d: LitmusAnswerDocument): string => {
  const word = d.holds === true ? palette.good(d.answer) : palette.bad(d.answer)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ['question', d.question],
    ['answer', word],
    ['holds', d.holds === null ? 'undecided' : d.holds ? 'yes' : 'no'],
    ...(d.leftOut.length === 0 ? [] : [['without', d.leftOut.join(', ')] as const]),
    ...(d.cut
      ? [
          [
            'bounds',
            'not every way through the code was followed: a loop is repeated at most twice, an execution has at most 32 events',
          ] as const,
        ]
      : []),
    ...(d.complete
      ? []
      : [['search', `ended after ${thousands(d.candidates)} candidates; there may be more states`] as const]),
  ]
  return [
    fields(palette, 10, rows),
    ...(d.witness === null
      ? []
      : ['', 'an execution that does so', fields(palette, 14, executionRows(d.witness))]),
    ...refusalText(palette, d).flatMap((text) => ['', text]),
    '',
    `final states (${thousands(d.states.length)}; * satisfies the condition)`,
    statesText(d),
  ].join('\n')
}
