"""Kernels on arrays in registers: products of warps (`plgpu.mma`), arrays put side by side, tests of barriers; what an H100 or H200 computes, and what JAX traces.

    python registers.py chip OUTPUTS.npz                on the chip (JAX 0.11.2): runs the kernels, writes what they return
    python registers.py export OUTPUTS.npz DIRECTORY    anywhere (JAX 0.11.2, package tcspec): a document and an .npz of operands for each kernel

Operands of products have exponents that differ widely, so that sums lose bits and show in which order they were made.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

#: by our names: the type, and how far exponents of its operands lie from zero
TYPES: Mapping[str, tuple[Any, int]] = {
    "f16": (jnp.float16, 8),
    "bf16": (jnp.bfloat16, 20),
    "e4m3": (jnp.float8_e4m3fn, 5),
    "e5m2": (jnp.float8_e5m2, 8),
    "i8": (jnp.int8, 0),
    "u8": (jnp.uint8, 0),
    "i4": (jnp.int4, 0),
    "u4": (jnp.uint4, 0),
}
SHAPES = ((64, 8, 128), (128, 16, 64))


def product(name: str, seed: int, lanes: bool = False) -> tuple[Callable[..., Any], list[Any]]:
    dtype, far = jnp.dtype(TYPES[name][0]), TYPES[name][1]
    m, n, k = SHAPES[seed]
    whole = far == 0
    random = np.random.default_rng(100 * seed + len(name))

    def some(shape: tuple[int, ...]) -> Any:
        return random.uniform(-1, 1, shape) * 2.0 ** random.integers(-far, far + 1, shape)

    def operand(shape: tuple[int, ...]) -> Any:
        return random.integers(jnp.iinfo(dtype).min, jnp.iinfo(dtype).max + 1, shape).astype(dtype) if whole else some(shape).astype(dtype)

    a, b = operand((m, k)), operand((n, k))
    c = random.integers(-(2**31), 2**31, (m, n)).astype(np.int32) if whole else some((m, n)).astype(np.float32)

    def mma(a_gmem: Any, b_gmem: Any, c_gmem: Any, d_gmem: Any) -> None:
        acc = plgpu.load(c_gmem, layout=plgpu.Layout.MMA_ACC(dtype), optimized=False)
        left = plgpu.load(a_gmem, layout=plgpu.Layout.MMA_LHS(dtype), optimized=False)
        right = plgpu.load(b_gmem.T, layout=plgpu.Layout.MMA_RHS(dtype), optimized=False)
        d_gmem[...] = plgpu.mma(acc, left, right)

    lowering = plgpu.LoweringSemantics.Lane if lanes else plgpu.LoweringSemantics.Warpgroup
    params = plgpu.CompilerParams(lowering_semantics=lowering)
    return plgpu.kernel(mma, out_type=jax.ShapeDtypeStruct((m, n), c.dtype), compiler_params=params), [a, b, c]


def joined(axis: int, shapes: tuple[tuple[int, ...], ...], layout: Any = None) -> tuple[Callable[..., Any], list[Any]]:
    given = [np.random.default_rng(k).normal(size=shape).astype(np.float32) for k, shape in enumerate(shapes)]
    whole = np.concatenate(given, axis=axis)

    def concatenate(*refs: Any) -> None:
        arrays = [plgpu.load(ref, layout=layout, optimized=False) for ref in refs[:-1]]
        refs[-1][...] = lax.concatenate([array + 1 for array in arrays], dimension=axis)

    return plgpu.kernel(concatenate, out_type=jax.ShapeDtypeStruct(whole.shape, whole.dtype)), given


def tested() -> tuple[Callable[..., Any], list[Any]]:
    def test(x_gmem: Any, out_gmem: Any, barrier: Any) -> None:
        out_gmem[0] = plgpu.barrier_test(barrier).astype(jnp.int32) + x_gmem[0]
        plgpu.barrier_arrive(barrier)
        out_gmem[1] = plgpu.barrier_test(barrier).astype(jnp.int32)

    return plgpu.kernel(test, out_type=jax.ShapeDtypeStruct((2,), jnp.int32), scratch_types=[plgpu.Barrier()]), [np.array([3], np.int32)]


def kernels() -> Mapping[str, Callable[[], tuple[Callable[..., Any], list[Any]]]]:
    """Functions of JAX and their arguments, by name."""
    products = {f"mma_{name}_{seed}": functools.partial(product, name, seed) for name in TYPES for seed in range(len(SHAPES))}
    by_lanes = {f"mma_{name}_lanes": functools.partial(product, name, 1, True) for name in ("u8", "u4", "e5m2")}
    wgmma = plgpu.Layout.WGMMA
    return {
        **products,
        **by_lanes,
        "joined_rows": lambda: joined(0, ((64, 64), (128, 64)), wgmma),
        "joined_columns": lambda: joined(1, ((64, 16), (64, 8), (64, 64)), wgmma),
        "barrier_tested": tested,
    }


def bits(array: Any) -> Any:
    """An archive of numpy has no types of JAX's."""
    array = np.asarray(array)
    return array if array.dtype.type.__module__ == "numpy" else array.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[array.dtype.itemsize])


def chip(path: str) -> None:
    kept = {}
    for name, made in kernels().items():
        try:
            function, arguments = made()
            kept[name] = bits(jax.block_until_ready(function(*map(jnp.asarray, arguments))))
        except Exception as why:  # what JAX does not lower
            print(f"{name}: {type(why).__name__}: {str(why).splitlines()[0][:300]}")
    np.savez_compressed(path, **kept)


def export(path: str, directory: str) -> None:
    import json

    from tcspec import pallas

    computed = np.load(path)
    neutral = str(Path(jax.__file__).parents[1]) + "/"
    here = str(Path(__file__).resolve().parent) + "/"
    for name in computed.files:
        function, arguments = kernels()[name]()
        (kernel,) = pallas.export(function, *arguments)
        document = json.loads(kernel.text().replace(neutral, "").replace(here, ""))
        stem = Path(directory) / name
        stem.with_name(f"{name}.jaxpr.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")
        operands = dict(zip((operand.name for operand in kernel.inputs), map(bits, arguments)))
        np.savez_compressed(stem.with_name(f"{name}.npz"), **operands, **{kernel.outputs[0].name: computed[name]})


if __name__ == "__main__":
    {"chip": chip, "export": export}[sys.argv[1]](*sys.argv[2:])
