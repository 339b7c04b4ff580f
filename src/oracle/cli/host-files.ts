/**
 * A verdict on a program of a host as files: JUnit XML, which the pages of CI show, and JSON lines, of which each is a document.
 *
 * | JUnit                    | is                                                          |
 * |--------------------------|-------------------------------------------------------------|
 * | a case for each kernel and shape | failed by a hazard, skipped where it is not decided or not judged |
 * | `between launches`       | failed by each finding that is no note                      |
 * | `contents`               | failed where something else was expected                    |
 * | `program`                | failed by its exit status, or where it was stopped          |
 *
 * Law 1. No case fails exactly if nothing was found and the program ended with 0.
 */
import { create } from 'xmlbuilder'
import { briefName } from '../../dialects/ptx/names/itanium.js'
import { plain } from '../../render/palette.js'
import { thousands } from '../../render/table.js'
import { findingBlocks, type VerdictContext } from '../../render/verdict.js'
import type { Host } from '../host/state.js'
import { printablePlain } from './printable.js'
import { goodOf } from './judging.js'

interface Case {
  readonly name: string
  readonly failures: ReadonlyArray<string>
  readonly skipped: string | null
}

/** All that is found, without colours. */
const inJunit: VerdictContext = { palette: plain, judged: true, most: Number.POSITIVE_INFINITY }

const casesOf = (h: Host, refused: ReadonlyArray<string>, status: number | null): ReadonlyArray<Case> => {
  const cases: Case[] = h.launches.map(({ operation, kernel, verdict, unjudged, again }) => {
    const good = verdict === null ? null : goodOf(verdict)
    const said = verdict === null ? (unjudged ?? 'not judged') : `${verdict.verdict}: ${verdict.reason}`
    return {
      name: `launch ${String(operation)} ${briefName(kernel)}${again === 0 ? '' : ` and ${thousands(again)} more like it`}`,
      failures: good === false ? [said, ...(verdict === null ? [] : findingBlocks(inJunit, verdict))] : [],
      skipped: good === null ? said : null,
    }
  })
  const apart = h.compared.filter(({ differ }) => differ > 0)
  return [
    ...cases,
    {
      name: 'between launches',
      failures: h.findings.filter(({ severity }) => severity === 'E').map(({ id, text }) => `${id}: ${text}`),
      skipped: refused[0] ?? null,
    },
    ...(h.compared.length === 0
      ? []
      : [
          {
            name: 'contents',
            failures: apart.map(
              (c) =>
                `${c.memory} at operation ${String(c.operation)}: ${thousands(c.differ)} of ${thousands(c.elements)} elements differ`,
            ),
            skipped: null,
          },
        ]),
    {
      name: 'program',
      failures: [
        ...(status === null || status === 0 ? [] : [`exit status ${String(status)}`]),
        ...(h.stopped === null ? [] : [h.stopped.why]),
      ],
      skipped: null,
    },
  ]
}

/** JUnit XML of a program. */
export const hostJunit = (
  name: string,
  h: Host,
  refused: ReadonlyArray<string>,
  status: number | null,
): string => {
  const cases = casesOf(h, refused, status)
  const suite = create('testsuite', { version: '1.0', encoding: 'UTF-8' })
    .att('name', printablePlain(name))
    .att('tests', cases.length)
    .att('failures', cases.filter(({ failures }) => failures.length > 0).length)
    .att('skipped', cases.filter(({ failures, skipped }) => failures.length === 0 && skipped !== null).length)
  for (const { name: called, failures, skipped } of cases) {
    const one = suite
      .ele('testcase')
      .att('classname', printablePlain(name))
      .att('name', printablePlain(called))
    const [first] = failures
    if (first !== undefined)
      one
        .ele('failure', { message: printablePlain(first) })
        .text(failures.map((line) => printablePlain(line)).join('\n'))
    else if (skipped !== null) one.ele('skipped', { message: printablePlain(skipped) })
  }
  return `${suite.end({ pretty: true })}\n`
}

/** A line for each launch that stands for itself or others, each finding, each content that was compared, and the end. */
export const hostLines = (h: Host, verdict: string, reason: string): string =>
  [
    ...h.launches.map((launch) => ({ launch })),
    ...h.findings.map((finding) => ({ finding })),
    ...h.compared.map((compared) => ({ compared })),
    { verdict, reason, stopped: h.stopped },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
