/** Names of regions that stand one after the other: each is its own value's. Oracle: what the text says, by hand; a run. */
import { expect, it } from 'vitest'
import { elaborate, launchOf, readModule } from '../../../src/dialects/ttgir/index.js'
import { distinct, isReadIn } from '../../../src/dialects/ttgir/elaboration/distinct.js'
import { everyOperation, operationsOf } from '../../../src/dialects/ttgir/elaboration/regions.js'
import { showModule } from '../../../src/dialects/ttgir/text/printer.js'
import { right } from '../../either.js'

const moduleOf = (body: string): string => `
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %one = arith.constant 1.000000e+00 : f32
    %yes = arith.constant true
    ${body}
    tt.return
  }
}
`
const loop = (variable: string, inside: string): string =>
  `scf.for %${variable} = %c0 to %c2 step %c1 : i32 {\n${inside}\n    }`
const added = (result: string, at: string): string => `      %${at} = tt.addptr %x, %k : !tt.ptr<f32>, i32
      %${result} = tt.atomic_rmw fadd, acq_rel, gpu, %${at}, %one, %yes : (!tt.ptr<f32>, f32, i1) -> f32`
const stored = (pointer: string): string => `      %${pointer} = tt.addptr %y, %k : !tt.ptr<f32>, i32
      tt.store %${pointer}, %one : !tt.ptr<f32>`

const regionOf = (text: string) => right(readModule(text)).operations[0]!.regions[0]!
const namesIn = (text: string): ReadonlyArray<string> =>
  everyOperation(operationsOf(distinct(regionOf(text)).region)).flatMap((op) => [
    ...op.names.map(({ name }) => name),
    ...Object.values(op.operands).flatMap((values) => values.map(({ name }) => `of ${name}`)),
  ])

const again = moduleOf(`${loop('k', added('4', '3'))}\n    ${loop('k', stored('4'))}`)

it('a name that is used again is that of another value', () => {
  const names = namesIn(again)
  expect(names.filter((name) => name.includes('4'))).toEqual(['4', '4%1', 'of 4%1'])
  expect(names.filter((name) => name.includes('k'))).toEqual(['of k', 'of k%1'])
})
it('no two values have one name, and names that only one value has stay', () => {
  const given = namesIn(again).filter((name) => !name.startsWith('of '))
  expect(new Set(given).size).toBe(given.length)
  const once = moduleOf(loop('k', added('old', 'at')))
  const region = regionOf(once)
  expect(distinct(region).region).toEqual(region)
})
it('the result of an atomic that nothing reads decides nothing, whatever another value is called', () => {
  const module = right(readModule(again))
  const launch = right(launchOf(module, { grid: [1], args: { x: { shape: [2] }, y: { shape: [2] } } }))
  expect(elaborate(module, launch)._tag).toBe('Right')
  const region = regionOf(again)
  const atomic = everyOperation(operationsOf(region)).find((op) => op.name === 'tt.atomic_rmw')!
  expect(isReadIn(region, atomic)).toBe(false)
})
it('one that decides in its own region is refused', () => {
  const inside = `${added('4', '3')}
      %less = arith.cmpf olt, %4, %one : f32
      scf.if %less {
        tt.store %y, %one : !tt.ptr<f32>
      }`
  const module = right(readModule(moduleOf(loop('k', inside))))
  const launch = right(launchOf(module, { grid: [1], args: { x: { shape: [2] }, y: { shape: [2] } } }))
  expect(elaborate(module, launch)).toMatchObject({ left: { code: 'ttgir.operation' } })
})
it('an operation of inline PTX has as many results as types', () => {
  const asm = `%w:2 = tt.elementwise_inline_asm "mov.b32 {$0, $1}, $2;" {constraints = "=h,=h,r", packed_element = 1 : i32, pure = true} %c1 : i32 -> i16, i16`
  const module = right(readModule(moduleOf(asm)))
  const [made] = operationsOf(module.operations[0]!.regions[0]).filter(
    (op) => op.name === 'tt.elementwise_inline_asm',
  )
  expect(made!.results.map((t) => (t._tag === 'integer' ? t.bits : t._tag))).toEqual([16, 16])
  expect(showModule(module)).toContain('%c1 : i32 -> i16, i16')
})
