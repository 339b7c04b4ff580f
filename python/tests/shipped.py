"""The kernels that ship with JAX, in configurations that are small, and those of the captures in conformance/kernels: name to a traced program.

python shipped.py DIRECTORY            # writes NAME.jaxpr.json, NAME_2.jaxpr.json ... for every kernel of every program
"""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import Any, Callable

OPS = "jax.experimental.pallas.ops.gpu."


def _module(name: str) -> Any:
    import importlib

    return importlib.import_module(OPS + name)


def _shape(dtype: str, *shape: int) -> Any:
    import jax
    import jax.numpy as jnp

    return jax.ShapeDtypeStruct(shape, getattr(jnp, dtype))


def hopper_matmul(dtype: str, m: int, n: int, k: int, sms: int, **config: Any) -> Any:
    from tcspec import pallas

    ops = _module("hopper_matmul_mgpu")
    for name in ("wg_dimension", "cluster_dimension", "grid_minor_dim"):
        if name in config:
            config[name] = ops.MatmulDimension[config[name]]
    return pallas.trace(ops.matmul, _shape(dtype, m, k), _shape(dtype, k, n), None, ops.TuningConfig(**config), sms=sms)


def hopper_mixed_matmul(m: int, n: int, k: int, sms: int, **config: Any) -> Any:
    import jax.numpy as jnp
    from tcspec import pallas

    ops = _module("hopper_mixed_type_matmul_mgpu")
    function = functools.partial(ops.mixed_matmul_kernel, out_dtype=jnp.float16, config=ops.TuningConfig(**config))
    return pallas.trace(function, _shape("int8", m, k), _shape("float16", k, n), sms=sms)


def attention(
    q: int,
    kv: int,
    heads: int,
    kv_heads: int,
    d: int,
    block_q: int,
    block_kv: int,
    lse: bool,
    emitter: bool = False,
    **config: Any,
) -> Any:
    from tcspec import pallas

    ops = _module("attention_mgpu")
    chosen = ops.TuningConfig(block_q=block_q, block_kv=block_kv, **config)
    function = ops.attention_with_pipeline_emitter if emitter else ops.attention
    arrays = (
        _shape("float16", 1, q, heads, d),
        _shape("float16", 1, kv, kv_heads, d),
        _shape("float16", 1, kv, kv_heads, d),
    )
    return pallas.trace(lambda q, k, v: function(q, k, v, chosen, lse), *arrays)


def attention_gradient(config: dict[str, int]) -> Any:
    import jax
    from tcspec import pallas

    ops = _module("attention_mgpu")
    chosen = ops.TuningConfig(**config)
    shape = _shape("float16", 1, 128, 1, 64)
    return pallas.trace(
        jax.grad(lambda q, k, v: ops.attention(q, k, v, chosen).astype("float32").sum(), argnums=(0, 1, 2)),
        shape,
        shape,
        shape,
    )


def blackwell_matmul(m: int, n: int, k: int, sms: int, **config: Any) -> Any:
    from tcspec import pallas

    ops = _module("blackwell_matmul_mgpu")
    function = functools.partial(ops.matmul_kernel, config=ops.TuningConfig(**config))
    return pallas.trace(function, _shape("float16", m, k), _shape("float16", k, n), sms=sms)


def ragged_dot(transposed: bool) -> Any:
    from tcspec import pallas

    module, name = (
        ("transposed_ragged_dot_mgpu", "transposed_ragged_dot") if transposed else ("ragged_dot_mgpu", "ragged_dot")
    )
    function = functools.partial(
        getattr(_module(module), name), block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=1
    )
    right = _shape("float16", 256, 128) if transposed else _shape("float16", 2, 128, 128)
    return pallas.trace(
        lambda a, b, g: function(a, b, group_sizes=g), _shape("float16", 256, 128), right, _shape("int32", 2), sms=4
    )


def blackwell_ragged_dot() -> Any:
    from tcspec import pallas

    ops = _module("blackwell_ragged_dot_mgpu")
    config = ops.TuningConfig(
        tile_m=128,
        tile_n=64,
        tile_k=64,
        max_concurrent_steps=2,
        collective=True,
        grid_tile_width=1,
        grid_minor_dim=_module("blackwell_matmul_mgpu").MatmulDimension.N,
    )
    arrays = (_shape("float16", 256, 128), _shape("float16", 2, 128, 128), _shape("int32", 2))
    return pallas.trace(functools.partial(ops.ragged_dot_kernel, config=config), *arrays, sms=4)


def across_devices(module: str, name: str, *arrays: tuple[Any, ...], **options: Any) -> Any:
    import jax
    from tcspec import pallas

    function = functools.partial(getattr(_module(module), name), axis_name="x", **options)
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,))
    spec = jax.sharding.PartitionSpec
    with jax.set_mesh(mesh):
        mapped = jax.shard_map(function, in_specs=tuple(spec() for _ in arrays), out_specs=spec(), check_vma=False)
        return pallas.trace(mapped, *(_shape(*array) for array in arrays), sms=4)


def collective_matmul() -> Any:
    config = _module("hopper_matmul_mgpu").TuningConfig(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
    return across_devices(
        "collective_matmul_mgpu", "all_gather_lhs_matmul", ("float16", 128, 128), ("float16", 128, 128), config=config
    )


_SMALL = dict(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)
_CAPTURED = dict(tile_m=64, tile_n=128, tile_k=64, max_concurrent_steps=3, wg_dimension="M")
_BLACKWELL = dict(tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=2)

PROGRAMS: dict[str, Callable[[], Any]] = {
    "hopper_matmul_f16_256x256x256": lambda: hopper_matmul("float16", 256, 256, 256, 132, **_SMALL),
    "hopper_matmul_f16_256x256x256_sms3": lambda: hopper_matmul("float16", 256, 256, 256, 3, **_SMALL),
    "hopper_matmul_f16_256x256x256_captured": lambda: hopper_matmul("float16", 256, 256, 256, 132, **_CAPTURED),
    "hopper_matmul_bf16_512x512x1024_captured": lambda: hopper_matmul("bfloat16", 512, 512, 1024, 132, **_CAPTURED),
    "hopper_matmul_f16_128x128x64_one_block": lambda: hopper_matmul("float16", 128, 128, 128, 1, **_SMALL),
    "hopper_matmul_f16_256x256x128_cluster": lambda: hopper_matmul(
        "float16", 256, 256, 128, 4, **_SMALL, cluster_dimension="M"
    ),
    "hopper_mixed_matmul_128x128x128": lambda: hopper_mixed_matmul(128, 128, 128, 2, **_SMALL),
    "attention_f16_full_256x256x2x1x64": lambda: attention(256, 256, 2, 1, 64, 64, 64, False, max_concurrent_steps=2),
    "attention_f16_full_256x256x2x1x64_lse": lambda: attention(
        256, 256, 2, 1, 64, 64, 64, True, max_concurrent_steps=2
    ),
    "attention_f16_causal_256x256x2x1x64": lambda: attention(
        256, 256, 2, 1, 64, 64, 64, True, max_concurrent_steps=2, causal=True
    ),
    "attention_f16_full_128x384x1x1x128": lambda: attention(128, 384, 1, 1, 128, 64, 64, True, max_concurrent_steps=2),
    "attention_f16_full_256x256x1x1x64_b128x64": lambda: attention(
        256, 256, 1, 1, 64, 128, 64, True, max_concurrent_steps=3
    ),
    "attention_f16_causal_256x256x1x1x128_b64x128": lambda: attention(
        256, 256, 1, 1, 128, 64, 128, True, max_concurrent_steps=2, causal=True
    ),
    "attention_f16_full_128x128x1x1x64": lambda: attention(128, 128, 1, 1, 64, 64, 64, False, max_concurrent_steps=2),
    "attention_emitter_f16_128x128x1x1x64": lambda: attention(
        128, 128, 1, 1, 64, 64, 64, False, emitter=True, max_concurrent_steps=2
    ),
    "attention_gradient_f16_128x128x1x1x64": lambda: attention_gradient(
        dict(
            block_q=64,
            block_kv=64,
            max_concurrent_steps=2,
            block_q_dkv=64,
            block_kv_dkv=64,
            block_q_dq=64,
            block_kv_dq=64,
        )
    ),
    "blackwell_matmul_f16_128x128x128": lambda: blackwell_matmul(128, 128, 128, 2, **_BLACKWELL, collective=False),
    "blackwell_matmul_f16_256x128x128_sms148": lambda: blackwell_matmul(
        256, 128, 128, 148, **_BLACKWELL, collective=False
    ),
    "blackwell_matmul_f16_512x256x128_collective": lambda: blackwell_matmul(
        512, 256, 128, 4, **_BLACKWELL, collective=True
    ),
    "ragged_dot_f16_256x128x128": lambda: ragged_dot(False),
    "transposed_ragged_dot_f16_128x256x128": lambda: ragged_dot(True),
    "blackwell_ragged_dot_f16_256x128x128": lambda: blackwell_ragged_dot(),
    "collective_matmul_f16_128x128x128": collective_matmul,
    "all_gather_f32_128": lambda: across_devices("all_gather_mgpu", "all_gather", ("float32", 128, 128), num_blocks=4),
    "reduce_scatter_f32_128": lambda: across_devices(
        "reduce_scatter_mgpu", "reduce_scatter", ("float32", 128, 128), num_blocks=4
    ),
}


def main(directory: str) -> None:
    folder = pathlib.Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    for name, program in PROGRAMS.items():
        try:
            exports = program().exports
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {(str(error) or repr(error)).splitlines()[0]}")
            continue
        for number, export in enumerate(exports, 1):
            path = folder / f"{name}{'' if number == 1 else f'_{number}'}.jaxpr.json"
            path.write_text(export.text() + "\n")
            equations = sum(len(jaxpr["eqns"]) for jaxpr in export.document["jaxprs"])
            print(f"{path.name}: {equations} equations, {len(export.text())} bytes")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    main(sys.argv[1])
