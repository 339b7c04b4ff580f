"""The setup code that the tutorial's kernels share: what they are told, and how a problem is cut into tiles and steps."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


@dataclasses.dataclass(frozen=True)
class TuningConfig:
    """What a kernel is told: the tile of a block, the depth of its ring of slots, and what the later kernels ask besides."""

    tile_m: int
    tile_n: int
    tile_k: int
    max_concurrent_steps: int
    epilogue_tile_n: int = 64  # from matmul2 on: columns that the epilogue moves at a time
    clusters: int = 2  # from matmul4 on: clusters that run at once
    grid_minor_dim: int = 0  # matmul6: the dimension of the output that changes fastest ...
    grid_tile_width: int = 2  # ... and how many of its tiles are visited before the other moves on


@dataclasses.dataclass(frozen=True)
class Problem:
    """A product cut into tiles: how many there are, and the layout of an operand in shared memory."""

    dtype: Any
    m: int
    n: int
    k: int
    m_iters: int
    n_iters: int
    k_iters: int
    transforms: tuple[Any, ...]


def cut(a: Any, b: Any, config: TuningConfig, blocks: int = 1) -> Problem:
    """The problem as `blocks` blocks together cut it: their tile is as many times as high and as wide as the tile of one."""
    m, k = a.shape
    _, n = b.shape
    tiles = {"m": blocks * config.tile_m, "n": blocks * config.tile_n, "k": config.tile_k}
    for (name, tile), size in zip(tiles.items(), (m, n, k), strict=True):
        if size % tile:
            raise ValueError(f"{name} is {size}: expected a multiple of {tile}")
    itemsize = jnp.dtype(a.dtype).itemsize
    swizzle = plgpu.find_swizzle(8 * itemsize * config.tile_k)
    transforms = (plgpu.TilingTransform((8, swizzle // itemsize)), plgpu.SwizzleTransform(swizzle))
    return Problem(a.dtype, m, n, k, m // tiles["m"], n // tiles["n"], k // tiles["k"], transforms)
