import { builder as B, check, codec, expression as X, standardOptions } from '../../../src/semantics/index.js'

const header = (agents: ReadonlyArray<string>): B.KernelHeader => ({
  name: 'copy',
  arch: 'sm90a',
  agents: agents.map((name, i) => B.warpgroup(name, i)),
})

/** The verdict in a line, and of the first finding what is missing. */
const judged = (made: ReturnType<typeof B.kernel>): string => {
  if (made._tag === 'Left') return made.left.message
  const checked = check(made.right, standardOptions)
  if (checked._tag === 'Left') return checked.left.message
  const { verdict, findings, provenance, reason } = checked.right.verdict
  const [first] = findings
  return first === undefined
    ? `${verdict}: ${provenance?.text ?? reason}`
    : `${verdict}: ${first.id}, ${first.missing?.text ?? ''}`
}

const nothing = B.kernel(header(['block']), function* () {})

console.log(judged(nothing)) // ok: no hazards in any schedule (conditions C1-C6 hold, so one run is enough)

/** Two tensors of some rows of 32 floats, a map of each that cuts it into tiles of 8 rows, and room for one tile. */
const memory = function* (rows: number) {
  const x = yield* B.tensorParam('x', 'f32', [rows, 32], { role: 'in' })
  const y = yield* B.tensorParam('y', 'f32', [rows, 32], { role: 'out' })
  return {
    from: yield* B.descriptorParam('x_map', x, [8, 32]),
    to: yield* B.descriptorParam('y_map', y, [8, 32]),
    tile: yield* B.sharedMemory('tile', 'f32', [8, 32]),
  }
}

const unwritten = B.kernel(header(['block']), function* () {
  yield* memory(8)
})

console.log(judged(unwritten)) // hazard: O1, write these bytes before the kernel ends, or make the output smaller

type Map = X.Descriptor<'f32', 2>
type Tile = X.View<'smem', 'f32', 2>

/** A barrier that one arrival completes. */
const barrier = (id: string) =>
  B.block(function* () {
    const made = yield* B.barriers(id, [])
    yield* B.run(`init ${id}`, { _tag: 'mbarrier.init', barrier: made, count: 1 })
    return made
  })

/** Announces the bytes of a tile on the barrier, and has TMA fetch them. */
const load = (from: Map, row: X.Int, tile: Tile, full: X.Barrier) =>
  B.block(function* () {
    yield* B.run('expect', {
      _tag: 'mbarrier.arriveExpectTx',
      barrier: full,
      bytes: X.i32(1024),
      release: true,
      scope: 'cta',
    })
    yield* B.run('load', {
      _tag: 'tma.load',
      descriptor: from,
      coords: [row, X.i32(0)],
      destination: tile,
      barrier: full,
      ctaGroup: 1,
    })
  })

/** Has TMA write the tile, and waits until it is written. */
const store = (to: Map, row: X.Int, tile: Tile) =>
  B.block(function* () {
    yield* B.run('store', { _tag: 'tma.store', descriptor: to, coords: [row, X.i32(0)], source: tile })
    yield* B.run('commit', { _tag: 'bulk.commitGroup' })
    yield* B.run('wait stored', { _tag: 'bulk.waitGroup', pending: 0, read: false })
  })

const wait = (label: string, on: X.Barrier, parity: X.Int) =>
  B.run(label, { _tag: 'mbarrier.wait', barrier: on, parity, acquire: true, scope: 'cta' })

const oneTile = (waits: boolean) =>
  B.kernel(header(['loads', 'stores']), function* () {
    const { from, to, tile } = yield* memory(8)
    const full = yield* barrier('full')
    const loads = function* () {
      yield* load(from, X.i32(0), tile, full)
    }
    const stores = function* () {
      if (waits) yield* wait('wait full', full, X.i32(0))
      yield* store(to, X.i32(0), tile)
    }
    yield* B.fork('roles', { agent: 'loads', captures: {}, body: loads }, [B.branch('stores', {}, stores)])
  })

console.log(judged(oneTile(false))) // hazard: R1, wait for full@0 (phase 0) before `store` of stores@0

console.log(judged(oneTile(true))) // ok: no hazards in any schedule (conditions C1-C6 hold, so one run is enough)

const arrive = (label: string, on: X.Barrier) =>
  B.run(label, { _tag: 'mbarrier.arrive', barrier: on, count: 1, release: true, scope: 'cta' })

const fourTiles = (releases: boolean) =>
  B.kernel({ ...header(['loads', 'stores']), computes: { _tag: 'copy', from: 'x', out: 'y' } }, function* () {
    const { from, to, tile } = yield* memory(32)
    const full = yield* barrier('full')
    const empty = yield* barrier('empty')
    const tiles = (body: (i: X.Int) => B.Steps<void>) =>
      B.forRange({ label: 'tiles', from: X.i32(0), to: X.i32(4) }, body)
    const row = (i: X.Int): X.Int => X.mul(i, X.i32(8))
    const loads = tiles(function* (i) {
      if (releases) yield* wait('wait empty', empty, X.rem(X.add(i, X.i32(1)), X.i32(2)))
      yield* load(from, row(i), tile, full)
    })
    const stores = tiles(function* (i) {
      yield* wait('wait full', full, X.rem(i, X.i32(2)))
      yield* store(to, row(i), tile)
      if (releases) yield* arrive('arrive empty', empty)
    })
    yield* B.fork('roles', { agent: 'loads', captures: {}, body: () => loads }, [
      B.branch('stores', {}, () => stores),
    ])
  })

console.log(judged(fourTiles(false))) // deadlock: W1, wait for empty@0 before `load` of loads@0; nothing waits for it now

console.log(judged(fourTiles(true))) // ok: y = x for all inputs: each of the 1024 elements is copied once

const finished = fourTiles(true)
export const json: string = finished._tag === 'Left' ? finished.left.message : codec.printJson(finished.right)
