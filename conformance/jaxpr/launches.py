"""Launches of kernels that ship with JAX: what an H100 computes, and the kernels as JAX traces them.

    python launches.py chip OUTPUTS.npz                on the chip (JAX 0.11.2): runs the launches, writes what they return
    python launches.py export OUTPUTS.npz DIRECTORY    anywhere (JAX 0.11.2, package tcspec): a document and an .npz of operands for each kernel

Shapes and settings are others than those that anything here was made for: clusters along either axis, a third operand, an epilogue of another width, integers
converted on their way to the product, ragged groups (one of them empty), a backward pass. Operands are normal, by the seeds that stand here.

What JAX computes between kernels is taken as the chip computed it: the row sums of the backward pass (`delta`) are XLA's, not a kernel's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

F16, BF16 = np.float16, ml_dtypes.bfloat16
GROUPS = np.array([100, 0, 60, 96], np.int32)


def normal(seed: int, shape: tuple[int, ...], dtype: Any = F16) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def launches() -> Mapping[str, tuple[Callable[..., Any], list[Any]]]:
    """Functions of JAX and their arguments, by name."""
    import jax
    from jax.experimental.pallas.ops.gpu import attention_mgpu as attention
    from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu as matmul
    from jax.experimental.pallas.ops.gpu import hopper_mixed_type_matmul_mgpu as mixed
    from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu as ragged
    from jax.experimental.pallas.ops.gpu import transposed_ragged_dot_mgpu as transposed

    axis = matmul.MatmulDimension

    def product(seed: int, dtype: Any, m: int, n: int, k: int, third: bool = False, **settings: Any) -> Any:
        config = matmul.TuningConfig(tile_k=64, **settings)
        operands = [normal(seed, (m, k), dtype), normal(seed + 1, (k, n), dtype)]
        if third:
            return lambda a, b, c: matmul.matmul(a, b, c, config), [*operands, normal(seed + 2, (m, n), dtype)]
        return lambda a, b: matmul.matmul(a, b, None, config), operands

    def converted(seed: int, m: int, n: int, k: int, **settings: Any) -> Any:
        config = mixed.TuningConfig(**settings)
        a = np.random.default_rng(seed).integers(-128, 127, (m, k), dtype=np.int8)
        return lambda a, b: mixed.mixed_matmul_kernel(a, b, out_dtype=F16, config=config), [a, normal(seed + 1, (k, n))]

    def attended(seed: int, batch: int, queries: int, keys: int, heads: int, of_keys: int, residuals: bool, kernel: Any = attention.attention, **settings: Any) -> Any:
        config = attention.TuningConfig(block_q=64, block_kv=64, **settings)
        shapes = [(batch, queries, heads, 64), (batch, keys, of_keys, 64), (batch, keys, of_keys, 64)]
        return lambda q, k, v: kernel(q, k, v, config, residuals), [normal(seed + i, shape) for i, shape in enumerate(shapes)]

    def backward(seed: int) -> Any:
        blocks = {name: 64 for name in ("block_q", "block_kv", "block_q_dq", "block_kv_dq", "block_q_dkv", "block_kv_dkv")}
        config = attention.TuningConfig(max_concurrent_steps=2, **blocks)

        def gradients(q: Any, k: Any, v: Any, do: Any) -> Any:
            return jax.vjp(lambda q, k, v: attention.attention(q, k, v, config), q, k, v)[1](do)

        return gradients, [normal(seed + i, (1, 128, 1, 64)) for i in range(4)]

    blocks = {"block_m": 64, "block_n": 64, "block_k": 64, "max_concurrent_steps": 2}
    groups = functools.partial(ragged.ragged_dot, **blocks, grid_block_n=2)
    groups_along_k = functools.partial(transposed.transposed_ragged_dot, **blocks, grid_block_n=1)
    return {
        "matmul_cluster_n": product(110, BF16, 256, 512, 256, tile_m=64, tile_n=64, max_concurrent_steps=2, wg_dimension=axis.N, cluster_dimension=axis.N),
        "matmul_cluster_m": product(120, F16, 512, 256, 256, tile_m=64, tile_n=64, max_concurrent_steps=3, wg_dimension=axis.N, cluster_dimension=axis.M),
        "matmul_third": product(130, F16, 256, 256, 192, True, tile_m=64, tile_n=64, max_concurrent_steps=2),
        "matmul_epilogue": product(140, F16, 256, 512, 128, tile_m=128, tile_n=128, max_concurrent_steps=2, epi_tile_n=32, epi_tile_m=64),
        "mixed_i8_f16": converted(210, 256, 256, 256, tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=3),
        "ragged": (lambda a, b, sizes: groups(a, b, group_sizes=sizes), [normal(300, (256, 128)), normal(301, (4, 128, 256)), GROUPS]),
        "ragged_transposed": (lambda a, b, sizes: groups(a, b, group_sizes=sizes, transpose_rhs=True), [normal(300, (256, 128)), normal(301, (4, 256, 128)), GROUPS]),
        "ragged_along_k": (lambda a, b, sizes: groups_along_k(a, b, group_sizes=sizes), [normal(320, (256, 128)), normal(321, (256, 128)), GROUPS]),
        "attention_384x256": attended(400, 1, 384, 256, 2, 1, True, max_concurrent_steps=3),
        "attention_causal": attended(410, 2, 128, 128, 2, 2, True, max_concurrent_steps=2, causal=True),
        "attention_unscheduled": attended(430, 1, 256, 256, 1, 1, False, max_concurrent_steps=2, use_schedule_barrier=False),
        "attention_emitter": attended(440, 1, 256, 256, 2, 1, True, attention.attention_with_pipeline_emitter, max_concurrent_steps=2),
        "attention_backward": backward(450),
    }


def bits(array: Any) -> Any:
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype == BF16 else array


DELTA = "bqhd,bqhd->bhq"


def chip(path: str) -> None:
    import jax

    einsum, kept = jax.numpy.einsum, {}

    def kept_einsum(subscripts: str, *operands: Any, **keywords: Any) -> Any:
        result = einsum(subscripts, *operands, **keywords)
        if subscripts == DELTA:
            jax.debug.callback(lambda array: kept.__setitem__("delta", np.asarray(array)), result)
        return result

    jax.numpy.einsum = kept_einsum
    for name, (function, arguments) in launches().items():
        returned = jax.block_until_ready(function(*map(jax.numpy.asarray, arguments)))
        kept |= {f"{name}.{i}": bits(leaf) for i, leaf in enumerate(jax.tree.leaves(returned))}
    jax.effects_barrier()
    np.savez_compressed(path, **kept)


def export(path: str, directory: str) -> None:
    """Of each kernel the document, and an archive of its operands: those it reads as they come, those it writes as the chip wrote them."""
    import json

    import jax
    import tcspec
    from tcspec import pallas

    computed, einsum = np.load(path), jax.numpy.einsum
    delta = jax.numpy.asarray(computed["delta"])
    jax.numpy.einsum = lambda subscripts, *operands: delta if subscripts == DELTA else einsum(subscripts, *operands)
    for name, (function, arguments) in launches().items():
        returned = [computed[key] for key in computed.files if key.rpartition(".")[0] == name]

        def on_kernel(kernel: Any, inputs: Any) -> Any:
            operands = dict(zip((operand.name for operand in kernel.inputs), inputs))
            document = json.loads(kernel.text().replace(neutral, ""))
            outputs = tcspec.run(document, in_=operands).outputs
            written = {key: next((a for a in returned if a.size == b.size and a.tobytes() == b.tobytes()), None) for key, b in outputs.items()}
            if all(array is not None for array in written.values()):
                stem = Path(directory) / f"{name}.{kernel.name}"
                stem.with_name(f"{stem.name}.jaxpr.json").write_text(json.dumps(document, separators=(",", ":")) + "\n")
                np.savez_compressed(stem.with_name(f"{stem.name}.npz"), **{key: bits(array) for key, array in {**operands, **written}.items()})
            else:
                print(f"{name}: {kernel.name}: not what the chip returned, or nothing that it returned")
            return [outputs[operand.name] for operand in kernel.outputs]

        neutral = str(Path(jax.__file__).parents[1]) + "/"
        pallas.evaluate(pallas.trace(function, *arguments), tuple(arguments), on_kernel)


if __name__ == "__main__":
    {"chip": chip, "export": export}[sys.argv[1]](*sys.argv[2:])
