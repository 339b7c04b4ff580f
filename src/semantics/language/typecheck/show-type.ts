/**
 * Types as text: how messages and listings write them.
 *
 *     view smem f16 (64, 32) tiled (8, 32) swizzle 64
 *     tile f32 (64, 64) WGMMA
 *     barriers (4,) ptx tensor-core
 *
 * The kind first, then where it lives, what it holds, how big it is, and what is not the default. A register layout
 * that the field has a name for is called by it.
 *
 * Laws
 * 1. Types that `accepts` tells apart read differently, but for register layouts without a name, strides and offsets of views.
 */
import * as Layouts from '../../../layouts/register-layout.js'
import type { RegisterLayout } from '../../../layouts/register-layout.js'
import { showShape } from '../../../transforms/shape.js'
import type { Type, ViewType } from '../types.js'

/** A layout by the name that the field has for it, or by its kind. */
export const showLayout = (layout: RegisterLayout | 'any'): string =>
  layout === 'any' ? 'any' : (Layouts.nameOf(layout) ?? layout._tag)

const showRefForm = (layout: ViewType['layout']): string => {
  const tiles = layout.tiling.length === 0 ? '' : ` tiled ${layout.tiling.map(showShape).join('')}`
  const swizzled = layout.swizzle === 16 ? '' : ` swizzle ${String(layout.swizzle)}`
  return `${tiles}${swizzled}`
}

/** `view smem f16 (64, 32) tiled (8, 32) swizzle 64`: how messages and listings write a type. */
export const showType = (type: Type): string => {
  switch (type._tag) {
    case 'scalar':
      return type.dtype
    case 'ptr':
      return `ptr ${type.dtype}`
    case 'view':
      return `view ${type.space} ${type.dtype} ${showShape(type.layout.shape)}${showRefForm(type.layout)}`
    case 'barrier': {
      const many = type.shape.length === 0 ? 'barrier' : `barriers ${showShape(type.shape)}`
      return `${many} ${type.contract}${type.ordersTensorCore ? ' tensor-core' : ''}`
    }
    case 'descriptor':
      return `descriptor ${type.dtype} rank ${String(type.rank)}`
    case 'tile':
      return `tile ${showType(type.element)} ${showShape(type.shape)}${type.layout === 'any' ? '' : ` ${showLayout(type.layout)}`}`
    case 'token':
      return 'token'
  }
}
