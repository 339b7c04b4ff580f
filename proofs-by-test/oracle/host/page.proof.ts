/** docs/Programs.md: its commands print what stands below them, and the program that it shows is one and is ok. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { decodeHost } from '../../../src/oracle/host/file.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { right } from '../../either.js'
import { notPrinted, printed, quotations } from '../quoted.js'

const root = new URL('../../../', import.meta.url).pathname
const page = readFileSync(`${root}docs/Programs.md`, 'utf8')
const files = { ...onDisk, read: (file: string) => onDisk.read(`${root}${file}`) }

test.each(quotations(page))('$argv', async ({ argv, quoted }) => {
  const ran = await printed(argv, files)
  expect([ran.status, notPrinted(quoted, ran.stdout)]).toEqual([/hazard:/u.test(quoted) ? 1 : 0, null])
})
test('its program is right, and without its wait it is not', () => {
  const [text] = [...page.matchAll(/```json\n([^]*?)```/gu)].map((m) => m[1]!)
  const program = right(decodeHost(JSON.parse(text!)))
  const found = (p: typeof program): ReadonlyArray<string> =>
    right(
      performed(
        {
          files: onDisk,
          where: `${root}conformance/programs/p.json`,
          algebra: () => bits('hopper'),
          judge: null,
          judgeAll: false,
          fuel: usualFuel,
        },
        p,
      ),
    ).findings.map(({ id }) => id)
  expect(found(program)).toEqual([])
  expect(found({ ...program, operations: program.operations.filter(({ op }) => op !== 'wait') })).toEqual([
    'H1',
  ])
})
