/**
 * The published forms of what is said and heard: a request of each method, and the two documents that are no command's.
 *
 * | file                     | is                                                                                 |
 * |--------------------------|------------------------------------------------------------------------------------|
 * | `requests.schema.json`   | a request of any method that asks a command: `params` by `method`                  |
 * | `methods.schema.json`    | the list of methods, which also has the forms of the questions of the suites       |
 * | `version.schema.json`    | versions of the package and of what it runs on                                     |
 *
 * Law 1. A request that is answered satisfies `requests.schema.json`, and what it is answered the schema that it names.
 */
import {
  anything,
  define,
  described,
  fields,
  list,
  oneOf,
  schemaOf,
  text,
  type AnyWire,
  type Json,
} from '../../wire.js'
import type { Method } from './methods.js'

const versionWire: AnyWire = fields(
  'versions',
  new Map<string, AnyWire>([
    ['schema', described(oneOf('tcspec.version/1'), 'name and version of this schema')],
    ['version', described(text, 'of the package')],
  ]),
  new Map<string, AnyWire>([['node', described(text, 'version of Node.js, if Node.js answers')]]),
)

const methodWire: AnyWire = define('Method', () =>
  fields(
    'a method',
    new Map<string, AnyWire>([
      ['name', described(text, 'its name in a request')],
      ['says', described(text, 'what it answers')],
      ['params', described(anything, 'JSON Schema of its params')],
      ['result', described(list(text), 'schemas of its results; absent if the vectors define them')],
    ]),
    new Map(),
  ),
)

const methodsWire: AnyWire = fields(
  'what can be asked',
  new Map<string, AnyWire>([
    ['schema', described(oneOf('tcspec.methods/1'), 'name and version of this schema')],
    ['methods', described(list(methodWire), 'every method')],
  ]),
  new Map(),
)

const requestOf = ({ name, says, params }: Method): Json => ({
  type: 'object',
  description: says,
  properties: {
    jsonrpc: { const: '2.0', description: 'the protocol' },
    id: { type: ['number', 'string'], description: 'the id of the answer' },
    method: { const: name, description: 'the method that is called' },
    params: Object.assign({}, params.schema, { description: `the notification: the params of ${name}` }),
  },
  required: ['jsonrpc', 'id', 'method'],
  additionalProperties: false,
})

/** By file name under `schemas/`. */
export const serveSchemas = (methods: ReadonlyArray<Method>): Readonly<Record<string, Json>> => ({
  'requests.schema.json': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'tcspec.requests/1',
    oneOf: methods.map(requestOf),
    $defs: Object.fromEntries(
      [...new Map(methods.flatMap(({ params }) => [...params.definitions(new Set())]))].sort(([a], [b]) =>
        a < b ? -1 : 1,
      ),
    ),
  },
  'methods.schema.json': schemaOf('tcspec.methods/1', methodsWire),
  'version.schema.json': schemaOf('tcspec.version/1', versionWire),
})
