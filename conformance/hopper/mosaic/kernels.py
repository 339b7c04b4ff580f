"""Kernels of Pallas:MGPU of our own for Hopper, larger than the pairs of python/kernels: `CASES[name]()` is the function and its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

F16, F32 = jnp.float16, jnp.float32
TILED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def double() -> Any:
    """A tile in by TMA, doubled in shared memory, out by TMA."""

    def body(x_gmem, y_gmem, tile, arrived):
        rows = pl.ds(lax.axis_index("row") * 64, 64)
        plgpu.copy_gmem_to_smem(x_gmem.at[rows], tile, arrived)
        plgpu.barrier_wait(arrived)
        tile[...] = tile[...] * 2
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, y_gmem.at[rows])
        plgpu.wait_smem_to_gmem(0)

    x = normal(1, 128, 64)
    made = plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct(x.shape, F16),
        scratch_types=[plgpu.SMEM((64, 64), F16, transforms=TILED), plgpu.Barrier()],
        grid=(2,),
        grid_names=("row",),
    )
    return made, [x]


def matmul() -> Any:
    """128 x 128 tiles by two consumers of 64 rows and a producer; full and empty barriers around a ring of three slots; an epilogue through shared memory."""
    steps, slots = 5, 3

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, c_smem, full, empty):
        rows = lax.axis_index("m") * 128
        columns = lax.axis_index("n") * 128
        role = lax.axis_index("wg")

        @pl.when(role == 2)
        def _producer():
            plgpu.set_max_registers(40, action="decrease")

            def fetch(i, _):
                slot = lax.rem(i, slots)
                depth = pl.ds(i * 64, 64)

                @pl.when(i >= slots)
                def _():
                    plgpu.barrier_wait(empty.at[slot])

                plgpu.copy_gmem_to_smem(a_gmem.at[pl.ds(rows, 128), depth], a_smem.at[slot], full.at[slot])
                plgpu.copy_gmem_to_smem(b_gmem.at[depth, pl.ds(columns, 128)], b_smem.at[slot], full.at[slot])

            lax.fori_loop(0, steps, fetch, None)
            for i in range(max(steps - slots, 0), steps):
                plgpu.barrier_wait(empty.at[i % slots])

        @pl.when(role < 2)
        def _consumer():
            plgpu.set_max_registers(232, action="increase")
            mine = pl.ds(role * 64, 64)

            def multiply(acc):
                def step(i, _):
                    slot = lax.rem(i, slots)
                    plgpu.barrier_wait(full.at[slot])
                    plgpu.wgmma(acc, a_smem.at[slot, mine], b_smem.at[slot])
                    plgpu.wgmma_wait(0)
                    plgpu.barrier_arrive(empty.at[slot])

                lax.fori_loop(0, steps, step, None)
                return acc[...]

            c_smem[mine] = pl.run_scoped(multiply, plgpu.ACC((64, 128), F32)).astype(F16)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(c_smem.at[mine], out_gmem.at[pl.ds(rows + role * 64, 64), pl.ds(columns, 128)])
            plgpu.wait_smem_to_gmem(0)

    a, b = normal(2, 256, 64 * steps), normal(3, 64 * steps, 256)
    made = plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256, 256), F16),
        scratch_types=[
            plgpu.SMEM((slots, 128, 64), F16, transforms=TILED),
            plgpu.SMEM((slots, 64, 128), F16, transforms=TILED),
            plgpu.SMEM((128, 128), F16, transforms=TILED),
            plgpu.Barrier(num_arrivals=2, num_barriers=slots),
            plgpu.Barrier(num_arrivals=2, num_barriers=slots),
        ],
        grid=(2, 2),
        grid_names=("m", "n"),
        num_threads=3,
        thread_name="wg",
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup),
    )
    return made, [a, b]


def cluster_matmul() -> Any:
    """Two CTAs of a cluster share the rows of b, each half of which one of them fetches for both."""
    steps, slots = 4, 2

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, full, empty):
        rows = pl.ds(lax.axis_index("pair") * 64, 64)

        def fetch(i, slot):
            depth = pl.ds(i * 64, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[rows, depth], a_smem.at[slot], full.at[slot])
            plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[slot], full.at[slot], collective_axes="pair")

        def multiply(acc):
            def step(i, _):
                slot = lax.rem(i, slots)
                plgpu.barrier_wait(full.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot], b_smem.at[slot])
                plgpu.wgmma_wait(0)
                plgpu.barrier_arrive(empty.at[slot])
                plgpu.barrier_wait(empty.at[slot])

                @pl.when(i + slots < steps)
                def _():
                    fetch(i + slots, slot)

            lax.fori_loop(0, steps, step, None)
            return acc[...]

        for slot in range(slots):
            fetch(slot, slot)
        out_gmem[rows] = pl.run_scoped(multiply, plgpu.ACC((64, 128), F32))

    a, b = normal(4, 128, 64 * steps), normal(5, 64 * steps, 128)
    made = plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((128, 128), F32),
        scratch_types=[
            plgpu.SMEM((slots, 64, 64), F16, transforms=TILED),
            plgpu.SMEM((slots, 64, 128), F16, transforms=TILED),
            plgpu.Barrier(num_arrivals=2, num_barriers=slots),
            plgpu.ClusterBarrier(collective_axes=("pair",), num_barriers=slots),
        ],
        cluster=(2,),
        cluster_names=("pair",),
    )
    return made, [a, b]


def attention() -> Any:
    """softmax(q k') v of 64 rows for each of two consumers, keys by blocks of 64 from a producer; maxima and sums of rows are carried along."""
    blocks, slots = 4, 2

    def body(q_gmem, k_gmem, v_gmem, out_gmem, q_smem, k_smem, v_smem, asked, k_full, v_full, k_empty, v_empty):
        role = lax.axis_index("wg")
        rows = lax.axis_index("block") * 128

        @pl.when(role == 2)
        def _producer():
            def fetch(i, _):
                slot, keys = lax.rem(i, slots), pl.ds(i * 64, 64)

                @pl.when(i >= slots)
                def _():
                    plgpu.barrier_wait(k_empty.at[slot])
                    plgpu.barrier_wait(v_empty.at[slot])

                plgpu.copy_gmem_to_smem(k_gmem.at[keys], k_smem.at[slot], k_full.at[slot])
                plgpu.copy_gmem_to_smem(v_gmem.at[keys], v_smem.at[slot], v_full.at[slot])

            lax.fori_loop(0, blocks, fetch, None)
            for slot in range(slots):
                plgpu.barrier_wait(k_empty.at[slot])
                plgpu.barrier_wait(v_empty.at[slot])

        @pl.when(role < 2)
        def _consumer():
            mine = q_smem.at[role]
            plgpu.copy_gmem_to_smem(q_gmem.at[pl.ds(rows + role * 64, 64)], mine, asked.at[role])
            plgpu.barrier_wait(asked.at[role])
            row = functools.partial(plgpu.layout_cast, new_layout=plgpu.Layout.WGMMA.reduce(1))
            start = (
                row(jnp.full((64,), -jnp.inf, F32)),
                row(jnp.zeros((64,), F32)),
                plgpu.layout_cast(jnp.zeros((64, 64), F32), plgpu.Layout.WGMMA),
            )

            def step(i, carry):
                top, total, acc = carry
                slot = lax.rem(i, slots)
                plgpu.barrier_wait(k_full.at[slot])

                def scores(s):
                    plgpu.wgmma(s, mine, plgpu.transpose_ref(k_smem.at[slot], (1, 0)))
                    return s[...]

                s = pl.run_scoped(scores, plgpu.ACC((64, 64), F32)) * 0.125
                plgpu.barrier_arrive(k_empty.at[slot])
                higher = jnp.maximum(top, s.max(axis=1))
                shrink = jnp.exp2(top - higher)
                p = jnp.exp2(s - lax.broadcast_in_dim(higher, (64, 64), [0]))
                total = total * shrink + p.sum(axis=1)
                acc = acc * lax.broadcast_in_dim(shrink, (64, 64), [0])
                plgpu.barrier_wait(v_full.at[slot])

                def weigh(ref):
                    plgpu.wgmma(ref, p.astype(F16), v_smem.at[slot])

                acc = pl.run_state(weigh)(plgpu.ACC.init(acc))
                plgpu.barrier_arrive(v_empty.at[slot])
                return higher, total, acc

            _, total, acc = lax.fori_loop(0, blocks, step, start)
            mine[...] = (acc / lax.broadcast_in_dim(total, (64, 64), [0])).astype(F16)
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(mine, out_gmem.at[pl.ds(rows + role * 64, 64)])
            plgpu.wait_smem_to_gmem(0)

    q, k, v = normal(6, 256, 64), normal(7, 64 * blocks, 64), normal(8, 64 * blocks, 64)
    ring = plgpu.SMEM((slots, 64, 64), F16, transforms=TILED)
    made = plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((256, 64), F16),
        scratch_types=[
            ring,
            ring,
            ring,
            plgpu.Barrier(num_barriers=2),
            plgpu.Barrier(num_barriers=slots),
            plgpu.Barrier(num_barriers=slots),
            plgpu.Barrier(num_arrivals=2, num_barriers=slots),
            plgpu.Barrier(num_arrivals=2, num_barriers=slots),
        ],
        grid=(2,),
        grid_names=("block",),
        num_threads=3,
        thread_name="wg",
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup),
    )
    return made, [q, k, v]


CASES: Mapping[str, Callable[[], Any]] = {f.__name__: f for f in (double, matmul, cluster_matmul, attention)}
