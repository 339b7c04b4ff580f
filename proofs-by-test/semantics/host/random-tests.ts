/** Random litmus tests between operations: three streams, one of which may not block, two events, two memories, dependent launches, graphs. */
import * as fc from 'fast-check'

const stream = fc.constantFrom('s', 't', 'legacy')
const event = fc.constantFrom('e', 'f')
const access = fc
  .tuple(fc.constantFrom('read', 'write', 'add'), fc.constantFrom('x', 'y'))
  .map(([verb, memory]) => `${verb} ${memory}`)
const doings = fc
  .tuple(fc.array(fc.oneof(access, fc.constant('wait')), { maxLength: 3 }), fc.boolean())
  .map(([all, triggers]) => [...all, ...(triggers ? ['trigger'] : [])].join(', '))

const line: fc.Arbitrary<(n: number) => string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(stream, fc.constantFrom('', ' dependent', ' returns'), doings).map(
      ([s, how, what]) =>
        (n: number) =>
          `A${String(n)} on ${s}${how}: ${what}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        stream,
        fc.array(
          fc.tuple(
            fc.constantFrom('', 'after', 'dependent on'),
            fc.nat(5),
            fc.oneof(
              { weight: 4, arbitrary: doings },
              {
                weight: 1,
                arbitrary: fc
                  .tuple(fc.constantFrom('record', 'wait for'), event)
                  .map(([verb, on]) => `${verb} ${on}`),
              },
            ),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(
        ([s, nodes]) =>
          (n: number) =>
            `graph on ${s}; ${nodes
              .map(([how, k, what], i) => {
                const name = `A${String(n)}n${String(i)}`
                return how === '' || i === 0
                  ? `${name}: ${what}`
                  : `${name} ${how} A${String(n)}n${String(k % i)}: ${what}`
              })
              .join('; ')}`,
      ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(event, stream).map(
      ([e, s]) =>
        () =>
          `${e} recorded on ${s}`,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(stream, event).map(
      ([s, e]) =>
        () =>
          `${s} waits for ${e}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(stream, event, fc.constant('device')).map((on) => () => `host waits for ${on}`),
  },
  { weight: 1, arbitrary: access.map((a) => () => `host: ${a}`) },
)

export const randomTest: fc.Arbitrary<ReadonlyArray<string>> = fc
  .tuple(fc.boolean(), fc.array(line, { minLength: 2, maxLength: 9 }))
  .map(([apart, lines]) => [...(apart ? ['t does not block'] : []), ...lines.map((l, n) => l(n))])
