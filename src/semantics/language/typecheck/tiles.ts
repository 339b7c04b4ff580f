/**
 * The typing of tiles: arrays in registers that are made, reshaped, reduced and taken apart.
 *
 * Each operation is a function on shapes; its node says the layout of what it makes, which must describe arrays of that shape (L2).
 *
 * | operation     | shape of x          | shape of the result                        |
 * |---------------|---------------------|--------------------------------------------|
 * | iota, splat   | (a scalar)          | the one it says                            |
 * | broadcast     | (64, 1)             | (64, 8): extents of one repeat, others stay |
 * | expandDims 1  | (64,)               | (64, 1)                                    |
 * | reshape       | (64, 64)            | (4096,): as many elements                  |
 * | transpose     | (d0, d1)            | (d1, d0): a permutation                    |
 * | reduce axis 1 | (64, 64)            | (64,): the axis goes                       |
 * | gather axis 1 | (64, 64)            | that of the index, (64, 8): as many rows   |
 * | dot as f16    | (16, 64), (64, 8)   | that of what is added to, (16, 8)          |
 * | convertLayout | s                   | s                                          |
 * | vote          | a tile of i1        | i1                                         |
 * | item          | ()                  | the element                                |
 *
 * The combination of a reduce sees its two parameters and nothing else, and gives the element type back.
 *
 * Laws
 * 1. The table, row by row; what is not in it is refused with type.shape (extents) or type.mismatch (elements).
 * 2. A layout that does not describe arrays of the result's shape is refused with L2.
 * 3. A combination that names anything but its parameters is refused with name.unbound.
 *
 * Source: MLIR `tt` (make_range, splat, broadcast, expand_dims, reshape, trans, reduce, gather), `ttg.convert_layout`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../../failure.js'
import { sameShape, showShape, sizeOf } from '../../../transforms/shape.js'
import { isPermutation } from '../../../transforms/transpose.js'
import type { Combine, NodeOf } from '../expression.js'
import { type ScalarName, type ScalarType, type TileType, i1, i32, tile } from '../types.js'
import { type Declarations, type Environment, bind, noNames } from './environment.js'
import { type Typer, after, axisIn, onTile } from './operand.js'
import { showType } from './show-type.js'
import { type Typing, accepts, mismatch, tileType } from './typing.js'

// ---------------------------------------------------------------- model

/** Expressions that make, rearrange or reduce tiles. */
export type TileNode = NodeOf<'tiles'>

// ---------------------------------------------------------------- reductions

const combineType = (
  typeIn: Typer,
  declarations: Declarations,
  combine: Combine,
  element: ScalarType,
): Typing => {
  const [left, right] = combine.params
  let names = bind(bind(noNames, left, { type: element }), right, { type: element })
  for (const { name, value } of combine.body) {
    const type = typeIn({ declarations, names })(value)
    if (E.isLeft(type)) return type
    names = bind(names, name, { type: type.right })
  }
  return after(typeIn({ declarations, names })(combine.result), (type) =>
    accepts(element, type) ? E.right(type) : E.left(mismatch('the combination of a reduce', element, type)),
  )
}

// ---------------------------------------------------------------- products

/** What a warp multiplies: the elements in registers, and what it sums up in. */
const multiplied: Readonly<
  Record<string, { readonly of: ScalarName; readonly into: ReadonlyArray<ScalarName> }>
> = {
  f16: { of: 'f16', into: ['f32', 'f16'] },
  bf16: { of: 'bf16', into: ['f32'] },
  tf32: { of: 'f32', into: ['f32'] },
  i8: { of: 'i32', into: ['i32'] },
  u8: { of: 'i32', into: ['i32'] },
}

const dotType = (
  { as, saturate }: Extract<TileNode, { readonly _tag: 'dot' }>,
  x: TileType,
  y: TileType,
  z: TileType,
): Typing => {
  const row = multiplied[as]
  const is = (t: TileType, of: ReadonlyArray<ScalarName>): boolean =>
    t.element._tag === 'scalar' && of.includes(t.element.dtype)
  if (row === undefined || !is(x, [row.of]) || !is(y, [row.of]) || !is(z, row.into))
    return refuse(
      'type.mismatch',
      `dot: no warp multiplies ${showType(x)} and ${showType(y)} as ${as} into ${showType(z)}`,
    )
  if (saturate && row.of !== 'i32') return refuse('type.mismatch', `dot: only integers saturate, found ${as}`)
  const [[m, k], [l, n]] = [x.shape, y.shape]
  return x.shape.length === 2 && y.shape.length === 2 && k === l && sameShape(z.shape, [m!, n!])
    ? E.right(z)
    : refuse(
        'type.shape',
        `dot: expected (m, k), (k, n) and (m, n), found ${showShape(x.shape)}, ${showShape(y.shape)} and ${showShape(z.shape)}`,
      )
}

// ---------------------------------------------------------------- typing

export const typeOfTiles =
  (typeIn: Typer, env: Environment) =>
  (expr: TileNode): Typing => {
    const of = typeIn(env)
    switch (expr._tag) {
      case 'iota':
        return after(axisIn('iota', expr.axis, expr.shape.length), () =>
          tileType(expr.shape, i32, expr.layout),
        )
      case 'splat':
        return after(of(expr.x), (x) =>
          x._tag === 'scalar' || x._tag === 'ptr'
            ? tileType(expr.shape, x, expr.layout)
            : refuse('type.mismatch', `splat: expected a scalar or a pointer, found ${showType(x)}`),
        )
      case 'broadcast':
        return onTile(of, 'broadcast', expr.x, (x) =>
          x.shape.length === expr.shape.length &&
          x.shape.every((extent, k) => extent === 1 || extent === expr.shape[k])
            ? tileType(expr.shape, x.element, expr.layout)
            : refuse(
                'type.shape',
                `broadcast: ${showShape(x.shape)} repeats along dimensions of size one only, found target ${showShape(expr.shape)}`,
              ),
        )
      case 'expandDims':
        return onTile(of, 'expandDims', expr.x, (x) =>
          after(axisIn('expandDims', expr.axis, x.shape.length + 1), () =>
            tileType(
              [...x.shape.slice(0, expr.axis), 1, ...x.shape.slice(expr.axis)],
              x.element,
              expr.layout,
            ),
          ),
        )
      case 'reshape':
        return onTile(of, 'reshape', expr.x, (x) =>
          sizeOf(x.shape) === sizeOf(expr.shape)
            ? tileType(expr.shape, x.element, expr.layout)
            : refuse(
                'type.shape',
                `reshape: ${showShape(expr.shape)} has not as many elements as ${showShape(x.shape)}`,
              ),
        )
      case 'transpose':
        return onTile(of, 'transpose', expr.x, (x) =>
          expr.perm.length === x.shape.length && isPermutation(expr.perm)
            ? tileType(
                expr.perm.map((d) => x.shape[d]!),
                x.element,
                expr.layout,
              )
            : refuse(
                'type.shape',
                `transpose: ${showShape(expr.perm)} is not a permutation of the dimensions of ${showShape(x.shape)}`,
              ),
        )
      case 'reduce':
        return onTile(of, 'reduce', expr.x, (x) => {
          const element = x.element
          return element._tag !== 'scalar'
            ? refuse('type.mismatch', `reduce: expected a tile of scalars, found ${showType(x)}`)
            : after(axisIn('reduce', expr.axis, x.shape.length), () =>
                after(combineType(typeIn, env.declarations, expr.combine, element), () =>
                  tileType(
                    x.shape.filter((_, k) => k !== expr.axis),
                    element,
                    expr.layout,
                  ),
                ),
              )
        })
      case 'gather':
        return onTile(of, 'gather', expr.x, (x) =>
          onTile(of, 'the index of a gather', expr.index, (index) => {
            const indexed = index.element
            if (indexed._tag !== 'scalar' || indexed.dtype !== 'i32')
              return E.left(mismatch('the index of a gather', tile(index.shape, i32, 'any'), index))
            return after(axisIn('gather', expr.axis, x.shape.length), () =>
              x.shape.length === index.shape.length &&
              x.shape.every((extent, k) => k === expr.axis || extent === index.shape[k])
                ? tileType(index.shape, x.element, expr.layout)
                : refuse(
                    'type.shape',
                    `gather: ${showShape(index.shape)} is not ${showShape(x.shape)} outside dimension ${String(expr.axis)}`,
                  ),
            )
          }),
        )
      case 'convertLayout':
        return onTile(of, 'convertLayout', expr.x, (x) => tileType(x.shape, x.element, expr.layout))
      case 'dot':
        return onTile(of, 'dot', expr.x, (x) =>
          onTile(of, 'dot', expr.y, (y) => onTile(of, 'dot', expr.z, (z) => dotType(expr, x, y, z))),
        )
      case 'vote':
        return onTile(of, expr.of, expr.x, (x) =>
          x.element._tag === 'scalar' && x.element.dtype === 'i1'
            ? E.right(i1)
            : refuse('type.mismatch', `${expr.of}: expected a tile of i1, found ${showType(x)}`),
        )
      case 'item':
        return onTile(of, 'item', expr.x, (x) =>
          x.shape.length === 0
            ? E.right(x.element)
            : refuse('type.shape', `item: expected a tile of rank 0, found ${showType(x)}`),
        )
    }
  }
