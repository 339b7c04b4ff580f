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
import {
  bool,
  define,
  described,
  either,
  list,
  nat,
  positive,
  nothing,
  oneOf,
  record,
  line,
  type Wire,
} from '../../../wire.js'
import { contractWire, dtypeWire, siteWire, spaceWire, specWire } from '../codec.js'
import { mostAttendances, mostBarriers, mostPlaneBytes, mostResidentAgents } from '../../language/limits.js'
import {
  traceSchema,
  type Fencing,
  type Header,
  type LoggedAgent,
  type LoggedBarrier,
  type LoggedTensor,
  type Plane,
} from '../../log/events.js'
import { wrong, type Fault, type TraceCode } from './error.js'

// ---------------------------------------------------------------- form

const nats: Wire<ReadonlyArray<number>> = list(nat)

const cta: Wire<number> = described(nat, 'its CTA, counted through all resident clusters')

export const headerWire: Wire<Header> = define('TraceHeader', () =>
  record<Header>()(
    'a header',
    {
      schema: described(oneOf(traceSchema), 'name and version of this schema'),
      arch: described(oneOf<Header['arch']>('sm90a', 'sm100a'), 'the chip'),
      program: described(line, 'name of the program'),
      agents: described(
        list(
          record<LoggedAgent>()(
            'an agent',
            {
              name: described(line, 'its name'),
              cta,
              warps: described(positive, 'how many'),
              starts: described(bool, 'whether it runs from the start; else it waits to be forked'),
            },
            {
              firstWarp: described(
                nat,
                'its first warp in its CTA; of two agents with overlapping warps, one is a part of the other',
              ),
            },
          ),
        ),
        'the agents that run',
      ),
      ctas: described(nat, 'CTAs that run together: those of one cluster, or of several'),
      planes: described(
        list(
          record<Plane>()(
            'a plane',
            {
              space: described(spaceWire, 'the memory'),
              name: described(
                line,
                "of the tensor or of the register storage; the space's own of shared and tensor memory",
              ),
              bytes: described(nat, 'its size'),
              initialised: described(bool, 'whether it is written before the launch'),
            },
            {
              cta: described(nat, 'the CTA that owns it; global memory has no owner'),
              agent: described(nat, 'index of the agent that owns it, of registers'),
              output: described(bool, 'whether every byte must be written by the end'),
              zeros: described(
                oneOf<true>(true),
                'the claim is about this tensor, which holds zeros before the launch',
              ),
              given: described(
                oneOf<true>(true),
                'for an output: the caller gives its contents before the launch, and unwritten bytes keep them',
              ),
            },
          ),
        ),
        'memory',
      ),
      tensors: described(
        list(
          record<LoggedTensor>()(
            'a tensor',
            {
              name: described(line, 'its name'),
              plane: described(nat, 'index of its memory'),
              dtype: described(dtypeWire, 'type of its elements'),
              shape: described(nats, 'extent of every dimension'),
              strides: described(nats, 'stride of every dimension, in elements'),
            },
            {},
          ),
        ),
        'tensor parameters',
      ),
      computes: described(
        either('null or the computation', nothing, specWire),
        'what the outputs must be, if the program says',
      ),
      barriers: described(
        list(
          record<LoggedBarrier>()(
            'a barrier',
            {
              name: described(line, 'its storage and index: `full[1]`'),
              cta,
              contract: described(
                contractWire,
                'the rules that its users must follow: those of PTX, or those of Pallas',
              ),
              ordersTensorCore: described(bool, 'whether arrives and waits carry tensor-core order'),
              plane: described(nat, 'index of its shared memory'),
              address: described(nat, 'its offset there, in bytes'),
            },
            {},
          ),
        ),
        'mbarriers',
      ),
      sites: described(list(siteWire), 'statements'),
      nondeterminism: described(
        list(line),
        "why the control of an agent may depend on timing (a branch on a test, an atomic's return), if it may",
      ),
    },
    {
      resident: described(
        nat,
        'number of clusters that run together, each with an equal share of the CTAs, in their order; absent: one',
      ),
      fences: described(
        oneOf<Fencing>('author', 'library', 'compiler', 'lowered'),
        'the writer of the fences that asynchronous units need: the author of the program writes each of them; a library initialises barriers that its users do not fence; the compiler that made the program; or one that will lower it, and publishes its barriers. Absent: what lowers the program publishes its barriers',
      ),
      clusters: described(
        nat,
        'clusters of the whole grid, if cluster launch control may cancel some of them; absent: those that the log has',
      ),
    },
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
  yield atMost('$.barriers', 'agents times barriers', mostAttendances, agents.length * barriers.length)
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
