"""Small Pallas kernels, one or two for each asynchronous operation, with what they compute said in numpy.

Each case is a function of arrays, arguments for it, and what it must leave. ``export_async.py`` writes them as documents; the proofs of
``dialects/jaxpr`` elaborate those, judge them and compare what they leave, bit for bit. All numbers are small integers or quarters, so that no
order of a sum rounds.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    function: Callable[..., Any]
    arguments: Sequence[np.ndarray]
    expected: Sequence[np.ndarray]
    #: the first version of JAX that has what it uses
    since: str = "0.10.2"


def load(ref: Any, layout: Any, optimized: bool = True) -> jax.Array:
    """``plgpu.load``, which took an index before 0.11."""
    idx = inspect.signature(plgpu.load).parameters["idx"]
    whole = ((),) if idx.default is inspect.Parameter.empty else ()
    return plgpu.load(ref, *whole, layout=layout, optimized=optimized)


def struct(shape: Sequence[int], dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


def tiled(bits: int, swizzle: int = 128) -> tuple[Any, Any]:
    return plgpu.TilingTransform((8, 8 * swizzle // bits)), plgpu.SwizzleTransform(swizzle)


F16 = tiled(16)


def small(shape: Sequence[int], dtype: Any, seed: int, low: int = -4, high: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


# ---------------------------------------------------------------- copies


def copied(x: jax.Array) -> jax.Array:
    """There and back: a copy in, one more in registers, a copy out."""

    def body(x_gmem, out_gmem, x_smem, out_smem, full):
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, full)
        plgpu.barrier_wait(full)
        out_smem[...] = x_smem[...] + 1
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(out_smem, out_gmem)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((64, 64), jnp.float32),
        scratch_types=dict(
            x_smem=plgpu.SMEM((64, 64), jnp.float32),
            out_smem=plgpu.SMEM((64, 64), jnp.float32),
            full=plgpu.Barrier(),
        ),
    )(x)


def predicated(x: jax.Array) -> jax.Array:
    """Every second row is copied in, and the others are zero; each barrier completes all the same."""

    def body(x_gmem, out_gmem, x_smem, zero_smem, full):
        zero_smem[...] = jnp.zeros((1, 128), jnp.int32)
        plgpu.commit_smem()

        def fetch(k, _):
            rows = pl.ds(k, 1)
            plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem.at[rows], full.at[k], predicate=lax.rem(k, 2) == 0)

        lax.fori_loop(0, 4, fetch, None)

        def leave(k, _):
            plgpu.barrier_wait(full.at[k])
            rows = pl.ds(k, 1)
            plgpu.copy_smem_to_gmem(x_smem.at[rows], out_gmem.at[rows], predicate=lax.rem(k, 2) == 0)
            plgpu.copy_smem_to_gmem(zero_smem, out_gmem.at[rows], predicate=lax.rem(k, 2) == 1)

        lax.fori_loop(0, 4, leave, None)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((4, 128), jnp.int32),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(
            x_smem=plgpu.SMEM((4, 128), jnp.int32),
            zero_smem=plgpu.SMEM((1, 128), jnp.int32),
            full=plgpu.Barrier(num_barriers=4),
        ),
    )(x)


def added(x: jax.Array) -> jax.Array:
    """Two halves in one group, each added twice to what is there; the output begins with zeros that are copied first."""

    def body(x_gmem, out_gmem, x_smem, zero_smem, full):
        zero_smem[...] = jnp.zeros((64, 32), jnp.float32)
        plgpu.commit_smem()
        for half in range(2):
            plgpu.copy_smem_to_gmem(zero_smem, out_gmem.at[:, pl.ds(32 * half, 32)], commit_group=half == 1)
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, full)
        plgpu.barrier_wait(full)
        plgpu.wait_smem_to_gmem(0)
        for _ in range(2):
            plgpu.copy_smem_to_gmem(x_smem, out_gmem, commit_group=False, reduction_op="add")
        plgpu.commit_smem_to_gmem_group()
        plgpu.wait_smem_to_gmem(0, wait_read_only=False)

    return plgpu.kernel(
        body,
        out_type=struct((64, 64), jnp.float32),
        scratch_types=dict(
            x_smem=plgpu.SMEM((64, 64), jnp.float32),
            zero_smem=plgpu.SMEM((64, 32), jnp.float32),
            full=plgpu.Barrier(),
        ),
    )(x)


def beyond(x: jax.Array) -> jax.Array:
    """A window that leaves the array is filled with zeros there."""

    def body(x_gmem, out_gmem, x_smem, full):
        plgpu.copy_gmem_to_smem(
            x_gmem.at[pl.ds(32 * lax.axis_index("i"), 64)], x_smem, full, oob_mode=plgpu.OOBFillMode.ZEROS
        )
        plgpu.barrier_wait(full)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[lax.axis_index("i")])
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((2, 64, 64), jnp.float16),
        grid=(2,),
        grid_names=("i",),
        scratch_types=dict(x_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16), full=plgpu.Barrier()),
    )(x)


def gathered(x: jax.Array, rows: jax.Array) -> jax.Array:
    """Sixteen rows that an array names, gathered, and scattered to the same places of the output."""

    def body(x_gmem, rows_gmem, out_gmem, x_smem, full):
        chosen = load(rows_gmem, plgpu.Layout.TMA_INDICES, optimized=False)
        plgpu.copy_gmem_to_smem(x_gmem.at[chosen], x_smem, full)
        plgpu.barrier_wait(full)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[chosen])
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((16, 64), jnp.float16),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(x_smem=plgpu.SMEM((16, 64), jnp.float16, transforms=F16), full=plgpu.Barrier()),
    )(x, rows)


def prefetched(x: jax.Array) -> jax.Array:
    def body(x_gmem, out_gmem, x_smem, full):
        plgpu.async_prefetch(x_gmem.at[pl.ds(0, 8)])
        plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 8)], x_smem, full)
        plgpu.barrier_wait(full)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((8, 64), jnp.float32),
        scratch_types=dict(x_smem=plgpu.SMEM((8, 64), jnp.float32), full=plgpu.Barrier()),
    )(x)


# ---------------------------------------------------------------- clusters


def multicast(x: jax.Array) -> jax.Array:
    """Each of two blocks copies half, and both have the whole."""

    def body(x_gmem, out_gmem, x_smem, full):
        place = lax.axis_index("c")
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, full, collective_axes="c")
        plgpu.barrier_wait(full)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[place])
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((2, 64, 64), jnp.float16),
        cluster=(2,),
        cluster_names=("c",),
        scratch_types=dict(x_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16), full=plgpu.Barrier()),
    )(x)


def partitioned(x: jax.Array) -> jax.Array:
    """Each of two blocks has a half, and the first alone hears of both; it tells the other."""

    def body(x_gmem, out_gmem, x_smem, full, told):
        place = lax.axis_index("c")
        plgpu.copy_gmem_to_smem(
            x_gmem, x_smem, full, collective_axes="c", leader_tracked=plgpu.CopyPartition.PARTITIONED(0)
        )

        @pl.when(place == 0)
        def _():
            plgpu.barrier_wait(full)

        plgpu.barrier_arrive(told)
        plgpu.barrier_wait(told)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[pl.ds(64 * place, 64)])
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((128, 64), jnp.float16),
        cluster=(2,),
        cluster_names=("c",),
        scratch_types=dict(
            x_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            full=plgpu.Barrier(),
            told=plgpu.ClusterBarrier(collective_axes=("c",)),
        ),
    )(x)


def stored_async(x: jax.Array) -> jax.Array:
    """Each block stores its rows into the other's shared memory, where a barrier hears of them."""

    def body(x_gmem, out_gmem, box, full, met):
        place = lax.axis_index("c")
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        mine = load(x_gmem.at[place], plgpu.Layout.WGMMA, optimized=False)
        plgpu.async_store_smem(mine, box, full, cluster_idx=1 - place, cluster_dim="c", optimized=False)
        plgpu.barrier_wait(full)
        out_gmem[place] = load(box, plgpu.Layout.WGMMA, optimized=False)
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)

    return plgpu.kernel(
        body,
        out_type=struct((2, 64, 32), jnp.float32),
        cluster=(2,),
        cluster_names=("c",),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(
            box=plgpu.SMEM((64, 32), jnp.float32, transforms=tiled(32)),
            full=plgpu.Barrier(),
            met=plgpu.ClusterBarrier(collective_axes=("c",)),
        ),
    )(x)


def from_peer(x: jax.Array) -> jax.Array:
    """Each block reads what the other has in shared memory."""

    def body(x_gmem, out_gmem, x_smem, met):
        place = lax.axis_index("c")
        x_smem[...] = x_gmem[place]
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        peer = plgpu.cluster_ref(x_smem, {"c": 1 - place})
        out_gmem[place] = peer[...]
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)

    return plgpu.kernel(
        body,
        out_type=struct((2, 256), jnp.int32),
        cluster=(2,),
        cluster_names=("c",),
        scratch_types=dict(x_smem=plgpu.SMEM((256,), jnp.int32), met=plgpu.ClusterBarrier(collective_axes=("c",))),
    )(x)


def taken_over(width: int) -> Callable[[], jax.Array]:
    """Every place of a grid is visited once, whichever block takes it over."""

    def dynamic() -> jax.Array:
        def body(out_gmem):
            @plgpu.dynamic_scheduling_loop(grid_names=("i",), thread_axis="wg")
            def _(info):
                (place,) = info.index

                @pl.when(lax.axis_index("wg") == 0)
                def _():
                    out_gmem[place] = jnp.full((128,), 3 * place + 1, jnp.int32)

        return plgpu.kernel(
            body,
            out_type=struct((width, 128), jnp.int32),
            grid=(width,),
            grid_names=("i",),
            num_threads=2,
            thread_name="wg",
        )()

    return dynamic


# ---------------------------------------------------------------- barriers, warps, semaphores, atomics


def handed_over(x: jax.Array) -> jax.Array:
    """Two threads and two slots: one fetches, the other adds up what it finds. A third gives it registers."""

    def body(x_gmem, out_gmem, x_smem, full, empty):
        thread = lax.axis_index("wg")

        @pl.when(thread == 0)
        def _():
            plgpu.set_max_registers(40, action="decrease")

            def fetch(k, _):
                slot = lax.rem(k, 2)

                @pl.when(k >= 2)
                def _():
                    plgpu.barrier_wait(empty.at[slot])

                plgpu.copy_gmem_to_smem(x_gmem.at[k], x_smem.at[slot], full.at[slot])

            lax.fori_loop(0, 6, fetch, None)

        @pl.when(thread == 1)
        def _():
            plgpu.set_max_registers(232, action="increase")

            def gather(k, total):
                slot = lax.rem(k, 2)
                plgpu.barrier_wait(full.at[slot])
                total = total + x_smem[slot]
                plgpu.barrier_arrive(empty.at[slot])
                return total

            out_gmem[...] = lax.fori_loop(0, 6, gather, jnp.zeros((256,), jnp.int32))
            plgpu.barrier_wait(empty.at[0])
            plgpu.barrier_wait(empty.at[1])

        @pl.when(thread == 2)
        def _():
            plgpu.set_max_registers(40, action="decrease")

    return plgpu.kernel(
        body,
        out_type=struct((256,), jnp.int32),
        num_threads=3,
        thread_name="wg",
        scratch_types=dict(
            x_smem=plgpu.SMEM((2, 256), jnp.int32),
            full=plgpu.Barrier(num_barriers=2),
            empty=plgpu.Barrier(num_barriers=2),
        ),
    )(x)


def warps(x: jax.Array) -> jax.Array:
    """One warp fetches and another sends away, in two warp maps; a scalar is captured, and a warp loads one."""

    def body(x_gmem, which_gmem, out_gmem, x_smem, which_smem, full):
        plgpu.copy_gmem_to_smem(which_gmem, which_smem, full)
        plgpu.barrier_wait(full)

        @plgpu.warp_map
        def _(warp):
            which = which_smem[0]

            @pl.when(warp == 2)
            def _():
                plgpu.copy_gmem_to_smem(x_gmem.at[which], x_smem, full)

        plgpu.barrier_wait(full)
        last = 1 - lax.axis_index("i")

        @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
        def _():
            @pl.when(lax.axis_index("warp") == 1)
            def _():
                plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[last])
                plgpu.wait_smem_to_gmem(0)

    which = jnp.array([1] + 127 * [0], jnp.int32)
    return plgpu.kernel(
        body,
        out_type=struct((2, 128), jnp.int32),
        grid=(2,),
        grid_names=("i",),
        scratch_types=dict(
            x_smem=plgpu.SMEM((128,), jnp.int32),
            which_smem=plgpu.SMEM((128,), jnp.int32),
            full=plgpu.Barrier(),
        ),
    )(x, which)


def tested(x: jax.Array) -> jax.Array:
    """A warp asks whether a barrier has completed, waits if it has not, and then sends away what is there."""

    def body(x_gmem, out_gmem, x_smem, full):
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, full)

        @plgpu.warp_map
        def _(warp):
            @pl.when(warp == 0)
            def _():
                @pl.when(jax.lax.ne(plgpu.barrier_test(full), True))
                def _():
                    plgpu.barrier_wait(full)

                plgpu.copy_smem_to_gmem(x_smem, out_gmem)
                plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((128,), jnp.int32),
        scratch_types=dict(x_smem=plgpu.SMEM((128,), jnp.int32), full=plgpu.Barrier()),
    )(x)


def signalled(x: jax.Array) -> jax.Array:
    """The first block leaves a row and signals; the second waits for it and doubles it."""

    def body(x_gmem, out_gmem):
        place = lax.axis_index("i")
        left, right = pl.get_global(plgpu.SemaphoreType.REGULAR), pl.get_global(plgpu.SemaphoreType.REGULAR)

        @pl.when(place == 0)
        def _():
            out_gmem[0] = x_gmem[...]
            plgpu.semaphore_signal_parallel(
                plgpu.SemaphoreSignal(left, device_id=None, inc=2), plgpu.SemaphoreSignal(right, device_id=None, inc=1)
            )
            pl.semaphore_signal(left, 1)

        @pl.when(place == 1)
        def _():
            pl.semaphore_wait(left, 3)
            plgpu.semaphore_wait(right, 1, decrement=False, memory_scope="gpu")
            out_gmem[1] = 2 * out_gmem[0]

    return plgpu.kernel(
        body,
        out_type=struct((2, 128), jnp.int32),
        grid=(2,),
        grid_names=("i",),
    )(x)


def counted(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Two threads add into one row of shared memory, and leave the larger of theirs in one of global memory."""

    def body(x_gmem, sums_gmem, most_gmem, bins, together):
        thread = lax.axis_index("wg")

        @pl.when(thread == 0)
        def _():
            bins[...] = jnp.zeros((128,), jnp.int32)
            most_gmem[...] = jnp.full((128,), -100, jnp.int32)

        plgpu.barrier_arrive(together)
        plgpu.barrier_wait(together)
        plgpu.atomic_add(bins, x_gmem[thread])
        plgpu.atomic_max(most_gmem, x_gmem[thread])
        plgpu.barrier_arrive(together)
        plgpu.barrier_wait(together)

        @pl.when(thread == 0)
        def _():
            sums_gmem[...] = bins[...]

    return plgpu.kernel(
        body,
        out_type=(struct((128,), jnp.int32), struct((128,), jnp.int32)),
        num_threads=2,
        thread_name="wg",
        scratch_types=dict(bins=plgpu.SMEM((128,), jnp.int32), together=plgpu.Barrier(num_arrivals=2)),
    )(x)


# ---------------------------------------------------------------- products of Hopper


def wgmma_transposed(a: jax.Array, b: jax.Array) -> jax.Array:
    """b is held as (n, k), and transposed where it is used. Three steps in two slots: the first is filled again when its product is done."""

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, out_smem, full):
        def fetch(step):
            depth, slot = pl.ds(64 * step, 64), step % 2
            plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[slot], full.at[slot])
            plgpu.copy_gmem_to_smem(b_gmem.at[:, depth], b_smem.at[slot], full.at[slot])

        fetch(0)
        fetch(1)

        def product(acc):
            for step in range(3):
                slot = step % 2
                plgpu.barrier_wait(full.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot], plgpu.transpose_ref(b_smem.at[slot], (1, 0)))
                if step == 1:
                    plgpu.wgmma_wait(1)
                    fetch(2)
            return acc[...]

        out_smem[...] = pl.run_scoped(product, plgpu.ACC((64, 64), jnp.float32)).astype(jnp.float16)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(out_smem, out_gmem)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=struct((64, 64), jnp.float16),
        scratch_types=dict(
            a_smem=plgpu.SMEM((2, 64, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((2, 64, 64), jnp.float16, transforms=F16),
            out_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            full=plgpu.Barrier(num_arrivals=2, num_barriers=2),
        ),
    )(a, b)


def wgmma_registers(a: jax.Array, b: jax.Array) -> jax.Array:
    """a is an array in registers, the accumulator begins with ones, and each half of its columns has a product of its own."""

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, full):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.barrier_wait(full)
        a_regs = load(a_smem, plgpu.Layout.WGMMA) * jnp.float16(2)

        def product(acc):
            for half in range(2):
                columns = pl.ds(64 * half, 64)
                plgpu.wgmma(acc.at[:, columns], a_regs, b_smem.at[half])
            plgpu.wgmma_wait(0)

        ones = plgpu.layout_cast(jnp.ones((64, 128), jnp.float32), plgpu.Layout.WGMMA)
        out_gmem[...] = pl.run_state(product)(plgpu.ACC.init(ones))

    return plgpu.kernel(
        body,
        out_type=struct((64, 128), jnp.float32),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(
            a_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((2, 64, 64), jnp.float16, transforms=F16),
            full=plgpu.Barrier(num_arrivals=2),
        ),
    )(a, b)


def wgmma_restarted(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Two products with one accumulator, which is set to a number between them."""

    def body(a_gmem, b_gmem, first_gmem, second_gmem, a_smem, b_smem, full):
        plgpu.griddepcontrol_wait()
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.barrier_wait(full)

        def product(acc):
            plgpu.wgmma(acc, a_smem, b_smem)
            first_gmem[...] = plgpu.wgmma_accumulator_load(acc)
            acc[...] = plgpu.layout_cast(jnp.full((64, 64), 0.5, jnp.float32), plgpu.Layout.WGMMA)
            plgpu.wgmma(acc, a_smem, b_smem)
            second_gmem[...] = acc[...]

        pl.run_scoped(product, plgpu.ACC((64, 64), jnp.float32))
        plgpu.griddepcontrol_launch_dependents()

    return plgpu.kernel(
        body,
        out_type=(struct((64, 64), jnp.float32), struct((64, 64), jnp.float32)),
        scratch_types=dict(
            a_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            full=plgpu.Barrier(num_arrivals=2),
        ),
    )(a, b)


def wgmma_integers(a: jax.Array, b: jax.Array) -> jax.Array:
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, full):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.barrier_wait(full)

        def product(acc):
            plgpu.wgmma(acc, a_smem, plgpu.transpose_ref(b_smem, (1, 0)))
            return plgpu.wgmma_accumulator_load(acc, wait_n=0)

        out_gmem[...] = pl.run_scoped(product, plgpu.ACC((64, 64), jnp.int32))

    return plgpu.kernel(
        body,
        out_type=struct((64, 64), jnp.int32),
        scratch_types=dict(
            a_smem=plgpu.SMEM((64, 128), jnp.int8, transforms=tiled(8)),
            b_smem=plgpu.SMEM((64, 128), jnp.int8, transforms=tiled(8)),
            full=plgpu.Barrier(num_arrivals=2),
        ),
    )(a, b)


# ---------------------------------------------------------------- products of Blackwell


def tcgen05_twice(a: jax.Array, b: jax.Array) -> jax.Array:
    """Two products into one accumulator, the first without a barrier; a commit tells of both."""

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc_tmem, full, done):
        for step in range(2):
            depth = pl.ds(64 * step, 64)
            plgpu.copy_gmem_to_smem(a_gmem.at[:, depth], a_smem.at[step], full.at[step])
            plgpu.copy_gmem_to_smem(b_gmem.at[depth], b_smem.at[step], full.at[step])
        for step in range(2):
            plgpu.barrier_wait(full.at[step])
            plgpu.tcgen05_mma(acc_tmem, a_smem.at[step], b_smem.at[step], accumulate=step > 0)
        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc_tmem)
        plgpu.wait_load_tmem()

    return plgpu.kernel(
        body,
        out_type=struct((128, 64), jnp.float32),
        scratch_types=dict(
            a_smem=plgpu.SMEM((2, 128, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((2, 64, 64), jnp.float16, transforms=F16),
            acc_tmem=plgpu.TMEM((128, 64), jnp.float32),
            full=plgpu.Barrier(num_arrivals=2, num_barriers=2),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
    )(a, b)


def tcgen05_from_tmem(a: jax.Array, b: jax.Array) -> jax.Array:
    """a in tensor memory, twice: stored from registers, and copied from shared memory."""

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, a_tmem, more_tmem, acc_tmem, full, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.barrier_wait(full)
        plgpu.async_copy_smem_to_tmem(a_smem, more_tmem)
        plgpu.async_store_tmem(a_tmem, load(a_smem, plgpu.Layout.TCGEN05) * jnp.bfloat16(2))
        plgpu.commit_tmem()
        plgpu.tcgen05_mma(acc_tmem, a_tmem, b_smem, accumulate=False)
        plgpu.tcgen05_mma(acc_tmem, more_tmem, b_smem, done, accumulate=True)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc_tmem)
        plgpu.wait_load_tmem()

    return plgpu.kernel(
        body,
        out_type=struct((128, 64), jnp.float32),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(
            a_smem=plgpu.SMEM((128, 64), jnp.bfloat16, transforms=F16),
            b_smem=plgpu.SMEM((64, 64), jnp.bfloat16, transforms=F16),
            a_tmem=plgpu.TMEM((128, 64), jnp.bfloat16, packed=True),
            more_tmem=plgpu.TMEM((128, 64), jnp.bfloat16, packed=True),
            acc_tmem=plgpu.TMEM((128, 64), jnp.float32),
            full=plgpu.Barrier(num_arrivals=2),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
    )(a, b)


def tcgen05_pair(a: jax.Array, b: jax.Array) -> jax.Array:
    """Two blocks, one product: each has its rows of a and its columns of b."""

    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc_tmem, full, done):
        place = lax.axis_index("c")
        plgpu.copy_gmem_to_smem(
            a_gmem, a_smem, full, collective_axes="c", leader_tracked=plgpu.CopyPartition.PARTITIONED(0)
        )
        plgpu.copy_gmem_to_smem(
            b_gmem, b_smem, full, collective_axes="c", leader_tracked=plgpu.CopyPartition.PARTITIONED(1)
        )

        @pl.when(place == 0)
        def _():
            plgpu.barrier_wait(full)
            plgpu.tcgen05_mma(acc_tmem, a_smem, b_smem, done, accumulate=False, collective_axis="c")

        plgpu.barrier_wait(done)
        out_gmem[pl.ds(128 * place, 128)] = plgpu.async_load_tmem(acc_tmem)
        plgpu.wait_load_tmem()

    return plgpu.kernel(
        body,
        out_type=struct((256, 128), jnp.float32),
        cluster=(2,),
        cluster_names=("c",),
        scratch_types=dict(
            a_smem=plgpu.SMEM((128, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((64, 64), jnp.float16, transforms=F16),
            acc_tmem=plgpu.TMEM((128, 128), jnp.float32, collective=True),
            full=plgpu.Barrier(num_arrivals=2),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
    )(a, b)


def tcgen05_scaled(a: jax.Array, b: jax.Array, a_scale: jax.Array, b_scale: jax.Array) -> jax.Array:
    """Operands of eight bits with a scale for 32 elements."""

    def body(a_gmem, b_gmem, sa_gmem, sb_gmem, out_gmem, a_smem, b_smem, sa_smem, sb_smem, sa_tmem, sb_tmem, acc, full, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.copy_gmem_to_smem(sa_gmem, sa_smem, full)
        plgpu.copy_gmem_to_smem(sb_gmem, sb_smem, full)
        plgpu.barrier_wait(full)
        plgpu.async_copy_scales_to_tmem(sa_smem, sa_tmem)
        plgpu.async_copy_scales_to_tmem(sb_smem, sb_tmem)
        plgpu.tcgen05_mma(
            acc,
            a_smem,
            plgpu.transpose_ref(b_smem, (1, 0)),
            done,
            a_scale=sa_tmem,
            b_scale=sb_tmem,
            accumulate=False,
        )
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    scales = plgpu.TMEMLayout.SCALES_LAYOUT
    return plgpu.kernel(
        body,
        out_type=struct((128, 128), jnp.float32),
        scratch_types=dict(
            a_smem=plgpu.SMEM((128, 128), jnp.float8_e4m3fn, transforms=tiled(8)),
            b_smem=plgpu.SMEM((128, 128), jnp.float8_e4m3fn, transforms=tiled(8)),
            sa_smem=plgpu.SMEM((1, 1, 32, 16), jnp.float8_e8m0fnu),
            sb_smem=plgpu.SMEM((1, 1, 32, 16), jnp.float8_e8m0fnu),
            sa_tmem=plgpu.TMEM((128, 4), jnp.float8_e8m0fnu, layout=scales),
            sb_tmem=plgpu.TMEM((128, 4), jnp.float8_e8m0fnu, layout=scales),
            acc=plgpu.TMEM((128, 128), jnp.float32),
            full=plgpu.Barrier(num_arrivals=4),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
    )(a, b, a_scale, b_scale)


def tcgen05_sparse(a: jax.Array, b: jax.Array, metadata: jax.Array) -> jax.Array:
    """Of every four numbers along k two are stored, and the metadata say which: here the same two everywhere."""

    def body(a_gmem, b_gmem, metadata_gmem, out_gmem, a_smem, b_smem, metadata_smem, metadata_tmem, acc, full, done):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, full)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, full)
        plgpu.copy_gmem_to_smem(metadata_gmem, metadata_smem, full)
        plgpu.barrier_wait(full)
        plgpu.async_copy_sparse_metadata_to_tmem(metadata_smem, metadata_tmem)
        plgpu.tcgen05_mma(acc, a_smem, b_smem, done, a_sparse_metadata=metadata_tmem, accumulate=False)
        plgpu.barrier_wait(done)
        out_gmem[...] = plgpu.async_load_tmem(acc)
        plgpu.wait_load_tmem()

    return plgpu.kernel(
        body,
        out_type=struct((128, 64), jnp.float32),
        scratch_types=dict(
            a_smem=plgpu.SMEM((128, 64), jnp.float16, transforms=F16),
            b_smem=plgpu.SMEM((128, 64), jnp.float16, transforms=F16),
            metadata_smem=plgpu.SMEM((1, 1, 128, 64), jnp.uint2),
            metadata_tmem=plgpu.TMEM((128, 64), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
            acc=plgpu.TMEM((128, 64), jnp.float32),
            full=plgpu.Barrier(num_arrivals=3),
            done=plgpu.Barrier(orders_tensor_core=True),
        ),
    )(a, b, metadata)


def row_maxima(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Through tensor memory and back, with the largest of each row beside it."""

    def body(x_gmem, out_gmem, rows_gmem, x_tmem):
        native = plgpu.Layout.TCGEN05_TMEM_NATIVE
        plgpu.async_store_tmem(x_tmem, load(x_gmem, native, optimized=False))
        plgpu.commit_tmem()
        value, rows = plgpu.async_load_tmem(x_tmem, layout=native, reduce="max")
        plgpu.wait_load_tmem()
        out_gmem[...] = value
        rows_gmem[...] = rows

    return plgpu.kernel(
        body,
        out_type=(struct((128, 32), jnp.float32), struct((128,), jnp.float32)),
        compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Lane),
        scratch_types=dict(x_tmem=plgpu.TMEM((128, 32), jnp.float32)),
    )(x)


# ---------------------------------------------------------------- the cases


def _product(a: np.ndarray, b: np.ndarray, dtype: Any) -> np.ndarray:
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(dtype)


def _prepared(scales: np.ndarray) -> np.ndarray:
    """Scales of (rows, k / 32) as the copy to tensor memory takes them."""
    rows, columns = scales.shape
    return scales.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4).reshape(rows // 128, columns // 4, 32, 16)


def cases() -> Sequence[Case]:
    x64 = small((64, 64), np.float32, 1)
    x16 = small((64, 64), np.float16, 2)
    row = np.arange(128, dtype=np.int32)
    four = np.arange(512, dtype=np.int32).reshape(4, 128)
    even = np.where(np.arange(4)[:, None] % 2 == 0, four, 0).astype(np.int32)
    rows = np.random.default_rng(3).permutation(16).astype(np.uint32)
    gather_x = small((16, 64), np.float16, 4)
    wide = small((128, 64), np.float16, 5)
    peers = small((2, 64, 32), np.float32, 6)
    ints = small((2, 256), np.int32, 7)
    six = small((6, 256), np.int32, 8)
    pair = small((2, 128), np.int32, 9)
    a16, b16 = small((64, 192), np.float16, 10), small((64, 192), np.float16, 11)
    b2 = small((2, 64, 64), np.float16, 12)
    a8, b8 = small((64, 128), np.int8, 13), small((64, 128), np.int8, 14)
    ta, tb = small((128, 128), np.float16, 15), small((128, 64), np.float16, 16)
    bf = jnp.bfloat16.dtype if hasattr(jnp.bfloat16, "dtype") else np.dtype("bfloat16")
    ma, mb = small((128, 64), bf, 17), small((64, 64), bf, 18)
    pa, pb = small((256, 64), np.float16, 19), small((64, 128), np.float16, 20)
    e4m3, e8m0 = np.dtype("float8_e4m3fn"), np.dtype("float8_e8m0fnu")
    qa, qb = small((128, 128), e4m3, 21), small((128, 128), e4m3, 22)
    sa = (2.0 ** small((128, 4), np.float32, 23, -2, 3)).astype(e8m0)
    sb = (2.0 ** small((128, 4), np.float32, 24, -2, 3)).astype(e8m0)
    tall = small((128, 32), np.float32, 25)

    def scaled(q: np.ndarray, s: np.ndarray) -> np.ndarray:
        return q.astype(np.float64) * np.repeat(s.astype(np.float64), 32, axis=1)

    ones = np.concatenate([2 * x16.astype(np.float64) @ b2[k].astype(np.float64) + 1 for k in (0, 1)], axis=1)
    beyond_expected = np.stack([x16, np.concatenate([x16[32:], np.zeros((32, 64), np.float16)])])
    return [
        Case("copied", copied, [x64], [x64 + 1]),
        Case("predicated", predicated, [four], [even], since="0.11.2"),
        Case("added", added, [x64], [2 * x64]),
        Case("beyond", beyond, [x16], [beyond_expected]),
        Case("gathered", gathered, [gather_x, rows], [gather_x]),
        Case("prefetched", prefetched, [x64[:8]], [x64[:8]]),
        Case("multicast", multicast, [x16], [np.stack([x16, x16])]),
        Case("partitioned", partitioned, [wide], [wide]),
        Case("stored_async", stored_async, [peers], [peers[::-1]]),
        Case("from_peer", from_peer, [ints], [ints[::-1]]),
        Case("taken_over", taken_over(6), [], [np.repeat(3 * np.arange(6, dtype=np.int32)[:, None] + 1, 128, axis=1)]),
        Case("handed_over", handed_over, [six], [six.sum(axis=0, dtype=np.int32)]),
        Case("warps", warps, [np.stack([row, row + 1000])], [np.stack([row + 1000, row + 1000])]),
        Case("tested", tested, [row], [row]),
        Case("signalled", signalled, [row], [np.stack([row, 2 * row])]),
        Case("counted", counted, [pair], [pair.sum(axis=0, dtype=np.int32), pair.max(axis=0)]),
        Case("wgmma_transposed", wgmma_transposed, [a16, b16], [_product(a16, b16.T, np.float16)]),
        Case("wgmma_registers", wgmma_registers, [x16, b2], [ones.astype(np.float32)]),
        Case(
            "wgmma_restarted",
            wgmma_restarted,
            [x16, b2[0]],
            [_product(x16, b2[0], np.float32), _product(x16, b2[0], np.float32) + np.float32(0.5)],
            since="0.11.2",
        ),
        Case("wgmma_integers", wgmma_integers, [a8, b8], [_product(a8, b8.T, np.int32)]),
        Case("tcgen05_twice", tcgen05_twice, [ta, tb], [_product(ta, tb, np.float32)]),
        Case("tcgen05_from_tmem", tcgen05_from_tmem, [ma, mb], [3 * _product(ma, mb, np.float32)]),
        Case("tcgen05_pair", tcgen05_pair, [pa, pb], [_product(pa, pb, np.float32)]),
        Case(
            "tcgen05_scaled",
            tcgen05_scaled,
            [qa, qb, _prepared(sa), _prepared(sb)],
            [(scaled(qa, sa) @ scaled(qb, sb).T).astype(np.float32)],
        ),
        Case(
            "tcgen05_sparse",
            tcgen05_sparse,
            [pa[:128], tb, np.tile(np.array([1, 3], np.dtype("uint2")), 64 * 64).reshape(1, 1, 128, 64)],
            [_product(pa[:128], tb.reshape(32, 4, 64)[:, [1, 3]].reshape(64, 64), np.float32)],
        ),
        Case("row_maxima", row_maxima, [tall], [tall, tall.max(axis=1)], since="0.11.2"),
    ]
