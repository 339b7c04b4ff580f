"""Layouts of registers and of tensor memory, back to the names that they have in ``plgpu.Layout`` and ``plgpu.TMEMLayout``.

A layout that was written by its name keeps it. A tiled layout that is equal to a named one gets that name; one that is equal to none stands as what
it is, ``{"tiled": {"tiling", "warp", "lane", "vec"}}``; so does one that is written by a name which is a way to make one (``_MADE``). Layouts that JAX infers for tensor memory have no name in plgpu; they are TMEM_DEFAULT
(packing) and TMEM_HALF_LANE (columns, packing), as the functions that make them.
"""

from __future__ import annotations

import functools
from typing import Any

from .scalars import dtype_of

__all__ = ["layout_of", "packing_of"]

_KEYWORDS = {
    "WG_STRIDED": ("shape", "vec_size"),
    "SMEM_GMEM_COPY": ("shape", "dtype", "swizzle"),
    "TCGEN05_M64_COLLECTIVE": ("columns",),
    "TCGEN05_M64_COLLECTIVE_NATIVE": ("columns",),
    "TCGEN05_TMEM_NATIVE": ("vector_length",),
    "M64_COLLECTIVE_LAYOUT": ("columns", "packing"),
    "MMA_LHS": ("dtype", "m_warps"),
    "MMA_RHS": ("dtype", "m_warps"),
    "MMA_ACC": ("dtype", "m_warps"),
    "TILED": ("tiling", "warp_dims", "lane_dims", "vector_dim"),
    "WG_SPLAT": ("shape",),
}

#: names of layouts that are said by their tiles: what they are depends on shapes and element types
_MADE = frozenset({"SMEM_GMEM_COPY", "TCGEN05_M64_COLLECTIVE_NATIVE"})


def layout_of(layout: Any) -> dict[str, Any]:
    """A layout of the document: of a ``SomeLayout`` of plgpu, or of a layout of Mosaic's."""
    kind = type(layout).__name__
    if kind == "ReducedLayout":
        described = layout_of(layout.layout)
        for axis in sorted(layout.axes, reverse=True):
            described = {"reduce": axis, "of": described}
        return described
    if kind == "ParameterizedLayout" and layout.layout_cls.name in _MADE:
        return _of_tiles(layout.layout_cls.to_mgpu(*layout.args, **layout.kwargs))
    if kind == "ParameterizedLayout":
        return _named(layout.layout_cls.name, layout.args, layout.kwargs)
    if kind in ("Layout", "TMEMLayout") and hasattr(layout, "name"):
        return {"name": layout.name}
    if kind == "WGSplatFragLayout":
        return _named("WG_SPLAT", (layout.shape,), {})
    if kind == "WGStridedFragLayout":
        return _named("WG_STRIDED", (layout.shape, layout.vec_size), {})
    return _of_tiles(layout)


def packing_of(layout: Any) -> int:
    """How many elements of a layout of tensor memory share a column."""
    return int(layout.vector_length)


def _named(name: str, args: Any, kwargs: Any) -> dict[str, Any]:
    if name == "TILED":
        from jax.experimental.mosaic import gpu

        return _of_tiles(gpu.TiledLayout(*args, **kwargs))
    keywords = _KEYWORDS.get(name, ())
    given = [*args, *(kwargs[word] for word in keywords[len(args) :] if word in kwargs)]
    if not given:
        return {"name": name}
    return {"name": name, "args": [_argument(argument) for argument in given]}


def _argument(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_argument(v) for v in value]
    if isinstance(value, int):
        return int(value)
    return dtype_of(value)


def _of_tiles(layout: Any) -> dict[str, Any]:
    return _equal_to(layout) or {
        "tiled": {
            "tiling": [list(tile) for tile in layout.tiling.tiles],
            "warp": [_dimension(d) for d in layout.warp_dims],
            "lane": [_dimension(d) for d in layout.lane_dims],
            "vec": layout.vector_dim,
        }
    }


def _dimension(dimension: Any) -> Any:
    return dimension if isinstance(dimension, int) else {"replicated": dimension.times}


@functools.cache
def _without_arguments() -> dict[Any, str]:
    """Tiled layouts of registers that have a name without arguments."""
    from jax.experimental.mosaic import gpu
    from jax.experimental.pallas import mosaic_gpu as plgpu

    found: dict[Any, str] = {}
    for named in plgpu.Layout:
        try:
            layout = named.to_mgpu()
        except TypeError:  # it takes arguments
            continue
        if isinstance(layout, gpu.TiledLayout):
            found.setdefault(layout, named.name)
    return found


@functools.cache
def _equal_to(layout: Any) -> dict[str, Any] | None:
    from jax.experimental.mosaic.gpu import tcgen05

    if isinstance(layout, tcgen05.TMEMLayout):
        return _of_tensor_memory(layout, tcgen05)
    name = _without_arguments().get(layout)
    if name is not None:
        return {"name": name}
    for name, dimension in (("WGMMA", 0), ("WGMMA", 1), ("TCGEN05", 0), ("TCGEN05", 1)):
        for whole, whole_name in _without_arguments().items():
            if whole_name == name and len(whole.base_tile_shape) == 2 and whole.reduce((dimension,)) == layout:
                return {"reduce": dimension, "of": {"name": name}}
    return None


def _of_tensor_memory(layout: Any, tcgen05: Any) -> dict[str, Any] | None:
    if layout == tcgen05.scales_layout():
        return {"name": "SCALES_LAYOUT"}
    if layout == tcgen05.b_scales_m64_collective_layout():
        return {"name": "SCALES_M64_COLLECTIVE_LAYOUT"}
    if layout == tcgen05.sparse_meta_layout():
        return {"name": "SPARSE_METADATA_LAYOUT"}
    packing = packing_of(layout)
    if layout == tcgen05.tmem_default_layout(packing):
        return {"name": "TMEM_DEFAULT", "args": [packing]}
    columns = layout.base_tile_shape[-1]
    for name, make in (
        ("TMEM_HALF_LANE", tcgen05.tmem_half_lane_layout),
        ("M64_COLLECTIVE_LAYOUT", tcgen05.tmem_m64_collective_layout),
    ):
        try:
            if layout == make(columns, packing):
                return {"name": name, "args": [columns, packing]}
        except ValueError:  # no such number of columns
            continue
    return None
