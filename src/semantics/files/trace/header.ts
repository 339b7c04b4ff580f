/**
 * The first line of a trace: who runs, in what memory, through which barriers.
 *
 * All later lines name agents, planes, barriers and sites by their index in these lists.
 *
 *     {"schema":"tcspec.trace/1","arch":"sm90a","program":"elsewhere","ctas":1,
 *      "agents":[{"name":"writer","cta":0,"warps":1,"starts":true}],
 *      "planes":[{"space":"smem","name":"smem","cta":0,"bytes":1024,"initialised":false}],
 *      "barriers":[],"tensors":[],"computes":null,"sites":[{"label":"store","path":[]}],"nondeterminism":[]}
 *
 * Laws
 * 1. A header that `checkHeader` accepts has no index outside of its lists, and no list or plane over its limit.
 */
import * as E from 'fp-ts/lib/Either.js'
import { sizeOf } from '../../../transforms/shape.js'
import { bool, define, either, list, nat, nothing, oneOf, record, text, type Wire } from '../../../wire.js'
import { contractWire, dtypeWire, siteWire, spaceWire, specWire } from '../codec.js'
import { mostBarriers, mostPlaneBytes, mostResidentAgents } from '../../language/limits.js'
import {
  traceSchema,
  type Header,
  type LoggedAgent,
  type LoggedBarrier,
  type LoggedTensor,
  type Plane,
} from '../../log/events.js'
import { wrong, type Fault, type TraceCode } from './error.js'

// ---------------------------------------------------------------- form

const nats: Wire<ReadonlyArray<number>> = list(nat)

export const headerWire: Wire<Header> = define('TraceHeader', () =>
  record<Header>()(
    'a header',
    {
      schema: oneOf(traceSchema),
      arch: oneOf<Header['arch']>('sm90a', 'sm100a'),
      program: text,
      agents: list(
        record<LoggedAgent>()(
          'an agent',
          { name: text, cta: nat, warps: nat, starts: bool },
          { firstWarp: nat },
        ),
      ),
      ctas: nat,
      planes: list(
        record<Plane>()(
          'a plane',
          { space: spaceWire, name: text, bytes: nat, initialised: bool },
          { cta: nat, agent: nat, output: bool },
        ),
      ),
      tensors: list(
        record<LoggedTensor>()(
          'a tensor',
          { name: text, plane: nat, dtype: dtypeWire, shape: nats, strides: nats },
          {},
        ),
      ),
      computes: either('null or what is computed', nothing, specWire),
      barriers: list(
        record<LoggedBarrier>()(
          'a barrier',
          {
            name: text,
            cta: nat,
            contract: contractWire,
            ordersTensorCore: bool,
            plane: nat,
            address: nat,
          },
          {},
        ),
      ),
      sites: list(siteWire),
      nondeterminism: list(text),
    },
    { resident: nat, clusters: nat },
  ),
)

// ---------------------------------------------------------------- checks

const mostPlanes = 2 ** 16

/** A condition on one field. */
interface Rule {
  readonly holds: boolean
  readonly code: TraceCode
  readonly field: string
  readonly expected: string
  readonly found: number
}

/** `index` must be one of a list of the header. */
const index = (field: string, what: string, of: ReadonlyArray<unknown>, found: number): Rule => ({
  holds: found < of.length,
  code: 'trace.reference',
  field,
  expected: `one of ${String(of.length)} ${what} of the header`,
  found,
})
const atMost = (field: string, what: string, most: number, found: number): Rule => ({
  holds: found <= most,
  code: 'trace.size',
  field,
  expected: `at most ${String(most)} ${what}`,
  found,
})

function* rules(h: Header): Generator<Rule> {
  const { agents, planes, barriers, ctas } = h
  yield atMost('$.agents', 'agents', mostResidentAgents, agents.length)
  yield atMost('$.barriers', 'barriers', mostBarriers, barriers.length)
  yield atMost('$.planes', 'planes', mostPlanes, planes.length)
  yield atMost('$.ctas', 'CTAs', mostResidentAgents, ctas)
  yield {
    holds: h.resident === undefined || (h.resident >= 1 && ctas % h.resident === 0),
    code: 'trace.reference',
    field: '$.resident',
    expected: `a divisor of ${String(ctas)} CTAs`,
    found: h.resident ?? 1,
  }
  const cta = (field: string, found: number): Rule => ({
    holds: found < ctas,
    code: 'trace.reference',
    field,
    expected: `a CTA of ${String(ctas)}`,
    found,
  })
  for (const [k, a] of agents.entries()) yield cta(`$.agents[${String(k)}].cta`, a.cta)
  for (const [k, p] of planes.entries()) {
    const at = `$.planes[${String(k)}]`
    yield atMost(`${at}.bytes`, 'bytes', mostPlaneBytes, p.bytes)
    if (p.agent !== undefined) yield index(`${at}.agent`, 'agents', agents, p.agent)
    if (p.cta !== undefined) yield cta(`${at}.cta`, p.cta)
  }
  for (const [k, b] of barriers.entries()) {
    const at = `$.barriers[${String(k)}]`
    yield index(`${at}.plane`, 'planes', planes, b.plane)
    yield cta(`${at}.cta`, b.cta)
    yield {
      holds: b.address + 8 <= (planes[b.plane]?.bytes ?? 0),
      code: 'trace.reference',
      field: `${at}.address`,
      expected: `8 bytes inside of ${planes[b.plane]?.name ?? ''}, which has ${String(planes[b.plane]?.bytes)}`,
      found: b.address,
    }
  }
  for (const [k, t] of h.tensors.entries()) {
    const at = `$.tensors[${String(k)}]`
    yield index(`${at}.plane`, 'planes', planes, t.plane)
    yield {
      holds: t.strides.length === t.shape.length,
      code: 'trace.reference',
      field: `${at}.strides`,
      expected: `${String(t.shape.length)} of them`,
      found: t.strides.length,
    }
    yield atMost(`${at}.shape`, 'elements', mostPlaneBytes, sizeOf(t.shape))
  }
}

/** What the form cannot say: indices, and sizes. */
export const checkHeader = (h: Header): E.Either<Fault, Header> => {
  for (const r of rules(h)) if (!r.holds) return wrong(r.code, r.field, r.expected, r.found)
  return E.right(h)
}
