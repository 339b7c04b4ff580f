"""Small kernels in which every operation of the document stands at least once. They are exported, not run."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

F16, F32, I32 = jnp.float16, jnp.float32, jnp.int32
TILED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

Case = tuple[Callable[..., Any], tuple[jax.ShapeDtypeStruct, ...]]
CASES: dict[str, Callable[[], Case]] = {}


def case(*arrays: tuple[Any, tuple[int, ...]]) -> Callable[[Callable[[], Callable[..., Any]]], Callable[[], Case]]:
    def register(make: Callable[[], Callable[..., Any]]) -> Callable[[], Case]:
        def made() -> Case:
            return make(), tuple(jax.ShapeDtypeStruct(shape, dtype) for dtype, shape in arrays)

        CASES[make.__name__] = made
        return made

    return register


def kernel(
    body: Callable[..., None], out: tuple[Any, tuple[int, ...]], scratch: Any = (), **options: Any
) -> Callable[..., Any]:
    params = plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup)
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct(out[1], out[0]),
        scratch_types=scratch,
        **{"compiler_params": params, **options},
    )


def load(ref: Any, layout: Any = None, optimized: bool = True) -> Any:
    """plgpu.load of a whole reference, which 0.10.2 wants said."""
    index = ((),) if jax.__version__ == "0.10.2" else ()
    return plgpu.load(ref, *index, layout=layout, optimized=optimized)


# ---------------------------------------------------------------- copies


@case((F16, (256, 64)))
def copies():
    def body(x_gmem, out_gmem, x_smem, arrived):
        rows = pl.ds(128 * lax.axis_index("row"), 128)
        plgpu.async_prefetch(x_gmem.at[rows])
        plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem, arrived.at[0])
        plgpu.barrier_wait(arrived.at[0])
        x_smem[...] = x_smem[...] * 2
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[rows], commit_group=False)
        plgpu.commit_smem_to_gmem_group()
        plgpu.wait_smem_to_gmem(0, wait_read_only=True)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[rows], predicate=lax.axis_index("row") == 0)
        plgpu.wait_smem_to_gmem(0)

    scratch = dict(x_smem=plgpu.SMEM((128, 64), F16, transforms=TILED), arrived=plgpu.Barrier(num_barriers=2))
    return kernel(body, (F16, (256, 64)), scratch, grid=(2,), grid_names=("row",))


@case((F16, (4, 64, 64)))
def views():
    def body(x_gmem, out_gmem, x_smem, turned, arrived):
        plgpu.copy_gmem_to_smem(x_gmem.at[1].at[pl.ds(0, 64)], x_smem.at[0], arrived)
        plgpu.barrier_wait(arrived)
        slot = lax.axis_index("block")
        out_gmem.at[slot][...] = load(x_smem.at[slot], optimized=False)
        turned[...] = jnp.zeros((64, 64), F16)
        out_gmem.at[slot][...] = turned.transpose((1, 0))[...]
        out_gmem.at[slot][...] = turned.reshape(64, 64).bitcast(jnp.bfloat16)[...].astype(F16)

    scratch = [
        plgpu.SMEM((2, 64, 64), F16, transforms=TILED),
        plgpu.SMEM((64, 64), F16),
        plgpu.Barrier(num_barriers=()),
    ]
    return kernel(body, (F16, (2, 64, 64)), scratch, grid=(2,), grid_names=("block",))


@case((F32, (256,)))
def unions():
    def body(x_gmem, out_gmem, shared):
        ((first,), (second, third)) = shared
        first[...] = x_gmem[...]
        out_gmem[...] = first[...]
        second[...] = jnp.zeros((64,), F32)
        third[...] = jnp.ones((64,), F16)
        out_gmem[pl.ds(0, 64)] = second[...] + third[...].astype(F32)

    scratch = [plgpu.RefUnion([plgpu.SMEM((256,), F32)], [plgpu.SMEM((64,), F32), plgpu.SMEM((64,), F16)])]
    return kernel(body, (F32, (256,)), scratch)


# ---------------------------------------------------------------- Hopper


@case((F16, (64, 64)), (F16, (64, 128)))
def warpgroup_products():
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, arrived):
        plgpu.set_max_registers(232, action="increase")
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)

        def multiply(acc):
            plgpu.wgmma(acc, a_smem, b_smem)
            plgpu.wgmma(acc, a_smem[...], b_smem)
            plgpu.wgmma_wait(1)
            acc[...] = plgpu.wgmma_accumulator_load(acc, wait_n=None)
            plgpu.wgmma(acc, a_smem, b_smem)
            return acc[...]

        out_gmem[...] = pl.run_scoped(multiply, plgpu.ACC((64, 128), F32))

        def again(acc):
            plgpu.wgmma(acc, a_smem, b_smem)

        begun = plgpu.layout_cast(jnp.zeros((64, 128), F32), plgpu.Layout.WGMMA)
        out_gmem[...] = pl.run_state(again)(plgpu.ACC.init(begun))

    scratch = [
        plgpu.SMEM((64, 64), F16, transforms=TILED),
        plgpu.SMEM((64, 128), F16, transforms=TILED),
        plgpu.Barrier(num_arrivals=2, num_barriers=()),
    ]
    return kernel(body, (F32, (64, 128)), scratch)


@case((F32, (256,)))
def clusters():
    def body(x_gmem, out_gmem, x_smem, arrived, met, slot):
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived, collective_axes="pair")
        plgpu.barrier_wait(arrived)
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        other = 1 - lax.axis_index("pair")
        plgpu.async_store_smem(x_smem[...], slot, arrived, cluster_idx=other, cluster_dim="pair")
        plgpu.barrier_wait(arrived)
        done = plgpu.barrier_test(arrived)
        out_gmem[...] = slot[...] + done.astype(F32)

    scratch = [
        plgpu.SMEM((256,), F32),
        plgpu.Barrier(num_barriers=()),
        plgpu.ClusterBarrier(collective_axes=("pair",), num_barriers=()),
        plgpu.SMEM((256,), F32),
    ]
    return kernel(body, (F32, (256,)), scratch, cluster=(2,), cluster_names=("pair",), grid=(1,), grid_names=("block",))


@case((F16, (256, 64)), (I32, (64,)))
def gathered():
    def body(x_gmem, rows_gmem, out_gmem, x_smem, arrived):
        rows = plgpu.layout_cast(rows_gmem[...], plgpu.Layout.TMA_INDICES)
        plgpu.copy_gmem_to_smem(x_gmem.at[rows], x_smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.copy_smem_to_gmem(x_smem, out_gmem)
        plgpu.wait_smem_to_gmem(0)

    scratch = [plgpu.SMEM((64, 64), F16, transforms=TILED), plgpu.Barrier(num_barriers=())]
    return kernel(body, (F16, (64, 64)), scratch)


@case((F16, (256, 64)))
def shared_by_a_cluster():
    def body(x_gmem, out_gmem, x_smem, arrived, consumed):
        block = lax.axis_index("pair")
        plgpu.copy_gmem_to_smem(
            x_gmem,
            x_smem,
            arrived,
            collective_axes="pair",
            leader_tracked=plgpu.CopyPartition.PARTITIONED(0),
            oob_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS,
        )

        @pl.when(block == 0)
        def _wait():
            plgpu.barrier_wait(arrived)

        plgpu.barrier_arrive(plgpu.cluster_ref(consumed, {"pair": 0}))
        plgpu.copy_smem_to_gmem(x_smem, out_gmem.at[block], reduction_op="add", predicate=block == 0)
        plgpu.wait_smem_to_gmem(0)

    scratch = [
        plgpu.SMEM((128, 64), F16, transforms=TILED),
        plgpu.Barrier(num_barriers=()),
        plgpu.Barrier(num_barriers=()),
    ]
    return kernel(body, (F16, (2, 128, 64)), scratch, cluster=(2,), cluster_names=("pair",))


@case((F32, (4, 128)))
def work_queue():
    def body(x_gmem, out_gmem, result, arrived):
        plgpu.try_cluster_cancel(result, arrived)
        plgpu.barrier_wait(arrived)
        (block,), more = plgpu.query_cluster_cancel(result, grid_names=("block",))
        out_gmem[pl.ds(lax.select(more, block, jnp.int32(0)), 1)] = x_gmem[pl.ds(0, 1)]

    scratch = [plgpu.TryClusterCancelResult(), plgpu.Barrier(num_barriers=())]
    return kernel(body, (F32, (4, 128)), scratch, grid=(4,), grid_names=("block",))


@case((F32, (4, 128)))
def scheduled_work():
    def body(x_gmem, out_gmem):
        @plgpu.dynamic_scheduling_loop(("block",), thread_axis="thread")
        def _loop(info):
            out_gmem[info.index[0]] = x_gmem[info.index[0]]

    return kernel(body, (F32, (4, 128)), grid=(4,), grid_names=("block",), num_threads=2, thread_name="thread")


@case((F32, (128,)))
def semaphores():
    def body(x_gmem, out_gmem):
        counted = pl.get_global(plgpu.SemaphoreType.REGULAR)
        pl.semaphore_signal(counted, 1)
        plgpu.semaphore_signal_parallel(plgpu.SemaphoreSignal(counted, device_id=None, inc=2))
        pl.semaphore_wait(counted, 3, decrement=False)
        plgpu.semaphore_signal(counted, 1, memory_scope="gpu")
        out_gmem[...] = x_gmem[...] + pl.semaphore_read(counted).astype(F32)

    return kernel(body, (F32, (128,)), grid=(2,), grid_names=("block",))


@case((I32, (256,)))
def atomics():
    def body(x_gmem, out_gmem, total):
        plgpu.atomic_add(total, x_gmem[...])
        plgpu.atomic_max(total, x_gmem[...])
        out_gmem[...] = total[...]

    return kernel(body, (I32, (256,)), [plgpu.SMEM((256,), I32)], num_threads=2, thread_name="thread")


# ---------------------------------------------------------------- Blackwell


@case((F16, (128, 64)), (F16, (64, 128)))
def tensor_memory_products():
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, acc, operand, arrived, product):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.async_store_tmem(operand, load(a_smem, plgpu.Layout.TCGEN05))
        plgpu.commit_tmem()
        plgpu.tcgen05_mma(acc, a_smem, b_smem, product, accumulate=False)
        plgpu.barrier_wait(product)
        plgpu.tcgen05_mma(acc, operand, b_smem)
        plgpu.tcgen05_commit_arrive(product)
        plgpu.barrier_wait(product)
        result = plgpu.async_load_tmem(acc, layout=plgpu.Layout.TCGEN05_TMEM_NATIVE(2))
        plgpu.wait_load_tmem()
        out_gmem[...] = result
        plgpu.print_layout("acc {}", acc)

    scratch = [
        plgpu.SMEM((128, 64), F16, transforms=TILED),
        plgpu.SMEM((64, 128), F16, transforms=TILED),
        plgpu.TMEM((128, 128), F32),
        plgpu.TMEM((128, 64), F16, packed=True),
        plgpu.Barrier(num_arrivals=2, num_barriers=()),
        plgpu.Barrier(num_barriers=(), orders_tensor_core=True),
    ]
    return kernel(body, (F32, (128, 128)), scratch)


@case((F32, (128, 64)))
def tensor_memory_forms():
    def body(x_gmem, out_gmem, batches, half, shared):
        value = load(x_gmem, plgpu.Layout.TCGEN05)
        plgpu.async_store_tmem(batches.at[1], value)
        plgpu.commit_tmem()
        out_gmem[...] = plgpu.async_load_tmem(batches.at[1])
        plgpu.wait_load_tmem()
        ((first,), (second,)) = shared
        plgpu.async_store_tmem(first, value)
        plgpu.commit_tmem()
        out_gmem[...] = plgpu.async_load_tmem(second.at[:, pl.ds(0, 64)])
        out_gmem[pl.ds(0, 64)] = plgpu.async_load_tmem(half, layout=plgpu.Layout.WGMMA)

    scratch = [
        plgpu.TMEM((2, 128, 64), F32),
        plgpu.TMEM((64, 64), F32),
        plgpu.RefUnion([plgpu.TMEM((128, 64), F32)], [plgpu.TMEM((128, 128), F32)]),
    ]
    return kernel(body, (F32, (128, 64)), scratch)


@case((jnp.float8_e4m3fn, (128, 128)), (jnp.float8_e4m3fn, (128, 128)), (jnp.float8_e8m0fnu, (1, 1, 32, 16)))
def scaled_products():
    def body(a_gmem, b_gmem, scale_gmem, out_gmem, a, b, scale_smem, acc, a_scale, b_scale, arrived, product):
        for gmem, smem in ((a_gmem, a), (b_gmem, b), (scale_gmem, scale_smem)):
            plgpu.copy_gmem_to_smem(gmem, smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.async_copy_scales_to_tmem(scale_smem, a_scale)
        plgpu.async_copy_scales_to_tmem(scale_smem, b_scale)
        plgpu.tcgen05_mma(acc, a, b.T, product, a_scale=a_scale, b_scale=b_scale, accumulate=False)
        plgpu.barrier_wait(product)
        out_gmem[...] = plgpu.async_load_tmem(acc)

    tiled = (plgpu.TilingTransform((8, 128)), plgpu.SwizzleTransform(128))
    scratch = [
        plgpu.SMEM((128, 128), jnp.float8_e4m3fn, transforms=tiled),
        plgpu.SMEM((128, 128), jnp.float8_e4m3fn, transforms=tiled),
        plgpu.SMEM((1, 1, 32, 16), jnp.float8_e8m0fnu),
        plgpu.TMEM((128, 128), F32),
        plgpu.TMEM((128, 4), jnp.float8_e8m0fnu, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
        plgpu.TMEM((128, 4), jnp.float8_e8m0fnu, layout=plgpu.TMEMLayout.SCALES_LAYOUT),
        plgpu.Barrier(num_arrivals=3, num_barriers=()),
        plgpu.Barrier(num_barriers=(), orders_tensor_core=True),
    ]
    return kernel(body, (F32, (128, 128)), scratch)


@case((F16, (128, 32)), (jnp.uint2, (1, 1, 128, 64)), (F16, (64, 128)))
def sparse_products():
    def body(a_gmem, meta_gmem, b_gmem, out_gmem, a, meta_smem, b, acc, meta, copied, arrived, product):
        for gmem, smem in ((a_gmem, a), (meta_gmem, meta_smem), (b_gmem, b)):
            plgpu.copy_gmem_to_smem(gmem, smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta)
        plgpu.async_copy_smem_to_tmem(a, copied)
        plgpu.tcgen05_mma(acc, a, b, product, a_sparse_metadata=meta, accumulate=False)
        plgpu.barrier_wait(product)
        out_gmem[...] = plgpu.async_load_tmem(acc)

    scratch = [
        plgpu.SMEM((128, 32), F16, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))),
        plgpu.SMEM((1, 1, 128, 64), jnp.uint2),
        plgpu.SMEM((64, 128), F16, transforms=TILED),
        plgpu.TMEM((128, 128), F32),
        plgpu.TMEM((128, 32), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
        plgpu.TMEM((128, 32), F16, packed=True),
        plgpu.Barrier(num_arrivals=3, num_barriers=()),
        plgpu.Barrier(num_barriers=(), orders_tensor_core=True),
    ]
    return kernel(body, (F32, (128, 128)), scratch)


# ---------------------------------------------------------------- control


@case((F32, (256,)))
def control():
    @jax.jit
    def twice(x):
        return x + x

    def body(x_gmem, out_gmem, kept):
        kept[...] = x_gmem[...]

        def counted(step, total):
            kept[...] = twice(kept[...]) + step.astype(F32)
            return total + step

        total = lax.fori_loop(0, 4, counted, jnp.int32(0))
        total = lax.while_loop(lambda n: n < 100, lambda n: n * 2 + 1, total)

        @pl.when(total > 5)
        def _more():
            kept[...] = jax.nn.silu(kept[...])

        out_gmem[...] = lax.switch(lax.rem(total, 3), [lambda: kept[...], lambda: kept[...] * 3, lambda: -kept[...]])
        plgpu.griddepcontrol_wait()
        plgpu.griddepcontrol_launch_dependents()
        pl.delay(10)
        pl.debug_print("total {}", total)

    return kernel(body, (F32, (256,)), [plgpu.SMEM((256,), F32)])


@case((F32, (256,)))
def checks():
    def body(x_gmem, out_gmem):
        with pl.enable_debug_checks():
            pl.debug_check(pl.program_id(0) < 4, "four blocks")
        out_gmem[...] = x_gmem[...]

    return kernel(body, (F32, (256,)), grid=(4,), grid_names=("block",))


@case((F32, (256,)))
def program_ids():
    def body(x_gmem, out_gmem):
        start = pl.multiple_of(pl.program_id(0) * 64, 64)
        out_gmem[pl.ds(start, 64)] = x_gmem[pl.ds(start, 64)] * pl.num_programs(0)

    return kernel(body, (F32, (256,)), grid=(4,), grid_names=("block",))


@case((F32, (128,)))
def warps():
    def body(x_gmem, out_gmem, x_smem, arrived):
        @plgpu.warp_map
        def _each(warp):
            @pl.when(warp == 0)
            def _copy():
                plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived)

        plgpu.barrier_wait(arrived)
        out_gmem[...] = x_smem[...]

    return kernel(body, (F32, (128,)), [plgpu.SMEM((128,), F32), plgpu.Barrier(num_barriers=())])


@case((F16, (256, 64)))
def pipelines():
    def body(x_gmem, out_gmem):
        def step(indices, x_smem, out_smem):
            out_smem[...] = x_smem[...] + indices[0].astype(F16)

        spec = plgpu.BlockSpec((64, 64), lambda i: (i, 0), transforms=TILED)
        plgpu.emit_pipeline(step, grid=(4,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(
            x_gmem, out_gmem
        )

        @plgpu.nd_loop((4,), collective_axes="block")
        def _loop(info):
            out_gmem[pl.ds(info.index[0] * 64, 64)] = x_gmem[pl.ds(info.index[0] * 64, 64)]

    return kernel(body, (F16, (256, 64)), grid=(2,), grid_names=("block",))


# ---------------------------------------------------------------- arithmetic


@case((F32, (256,)), (I32, (256,)))
def arithmetic():
    def body(x_gmem, n_gmem, out_gmem):
        x, n = x_gmem[...], n_gmem[...]
        x = lax.add(lax.mul(x, x), lax.sub(x, lax.neg(x)))
        x = lax.max(lax.min(lax.div(x, lax.exp(x)), lax.log(x)), lax.exp2(x))
        x = lax.sin(x) + lax.cos(x) + lax.tanh(x) + lax.rsqrt(x) + lax.logistic(x) + lax.erf(x) + lax.atan2(x, x)
        x = (
            lax.integer_pow(x, 3)
            + lax.square(x)
            + lax.abs(x)
            + lax.sign(x)
            + lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)
        )
        x = lax.clamp(jnp.float32(0), x, jnp.float32(float("inf")))
        n = lax.rem(n, jnp.full((256,), 7, I32)) + lax.clz(n) + lax.broadcasted_iota(I32, (256,), 0)
        n = lax.shift_left(n, n) | lax.shift_right_arithmetic(n, n) & lax.shift_right_logical(n, n) ^ ~n
        x = x + lax.bitcast_convert_type(n, F32) + n.astype(F32)
        for compare in (lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge):
            x = lax.select(compare(x, jnp.zeros((256,), F32)), x, -x)
        grid = lax.reshape(x, (4, 64))
        x = x + lax.reduce_sum(x, (0,)) + lax.reduce_max(x, (0,)) * lax.reduce_min(x, (0,))
        x = x + lax.reshape(lax.broadcast_in_dim(lax.squeeze(grid[:, :1], (1,)), (4, 64), (0,)), (256,))
        x = lax.optimization_barrier(x) + lax.reduce_prod(x, (0,))
        out_gmem[...] = x

    return kernel(body, (F32, (256,)))


# ---------------------------------------------------------------- in one version alone


def masked_arrival() -> Case:
    """Of 0.11.2: a predicate for an arrival, and for copies into shared memory."""

    def body(x_gmem, out_gmem, x_smem, arrived):
        first = lax.axis_index("thread") == 0
        plgpu.barrier_arrive(arrived, predicate=first)
        plgpu.async_prefetch(x_gmem, predicate=first)
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived, predicate=first)
        out_gmem[...] = x_smem[...]

    made = kernel(
        body,
        (F32, (256,)),
        [plgpu.SMEM((256,), F32), plgpu.Barrier(num_barriers=())],
        num_threads=2,
        thread_name="thread",
    )
    return made, (jax.ShapeDtypeStruct((256,), F32),)


def newer_arithmetic() -> Case:
    """Of 0.11.2."""

    def body(x_gmem, out_gmem):
        x = x_gmem[...]
        x = lax.concatenate([lax.sqrt(x), lax.log2(x)], 0)
        out_gmem[...] = x

    return kernel(body, (F32, (512,))), (jax.ShapeDtypeStruct((256,), F32),)


def reduced_load() -> Case:
    """Of 0.11.2: a load of tensor memory that reduces its rows."""

    def body(x_gmem, out_gmem, top_gmem, held):
        plgpu.async_store_tmem(held, load(x_gmem, plgpu.Layout.TCGEN05_TMEM_NATIVE))
        plgpu.commit_tmem()
        value, top = plgpu.async_load_tmem(held, layout=plgpu.Layout.TCGEN05_TMEM_NATIVE, reduce="max")
        plgpu.wait_load_tmem()
        out_gmem[...] = value
        top_gmem[...] = top

    out = (jax.ShapeDtypeStruct((128, 64), F32), jax.ShapeDtypeStruct((128,), F32))
    return plgpu.kernel(body, out_type=out, scratch_types=[plgpu.TMEM((128, 64), F32)]), out[:1]


def warp_products() -> Case:
    """Of 0.11.2: mma, and copies into shared memory that are waited for by their number."""

    def body(a_gmem, b_gmem, out_gmem, a_smem):
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, oob_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS)
        plgpu.wait_gmem_to_smem(0)
        acc = plgpu.layout_cast(jnp.zeros((64, 64), F32), plgpu.Layout.MMA_ACC(F16))
        out_gmem[...] = plgpu.mma(acc, load(a_smem, plgpu.Layout.MMA_LHS(F16)), load(b_gmem, plgpu.Layout.MMA_RHS(F16)))

    shape = jax.ShapeDtypeStruct((64, 64), F16)
    return kernel(body, (F32, (64, 64)), [plgpu.SMEM((64, 64), F16)]), (shape, shape)


def called() -> Case:
    """Of 0.10.2: a pallas_call, with its pipeline."""

    def body(x_ref, out_ref, kept):
        kept[...] = x_ref[...] * pl.program_id(1).astype(F16)
        out_ref[...] = kept[...]

    spec = plgpu.BlockSpec((64, 64), lambda i, j: (i, j), memory_space=plgpu.SMEM, transforms=TILED)
    made = pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((128, 128), F16),
        grid=(2, 2),
        in_specs=[spec],
        out_specs=spec,
        scratch_shapes=[plgpu.SMEM((64, 64), F16, transforms=TILED)],
        compiler_params=plgpu.CompilerParams(dimension_semantics=["parallel", "sequential"], max_concurrent_steps=2),
    )
    return made, (jax.ShapeDtypeStruct((128, 128), F16),)


@case((F32, (128,)))
def block_of_mosaic():
    """A block of Mosaic GPU that is read: a place in the launch, a scalar."""
    import jax.experimental.mosaic.gpu as mgpu
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import arith, gpu

    def body(x_gmem, out_gmem):
        @plgpu.inline_mgpu(
            arg_types=(), return_type=plgpu.ShapeDtypeStruct((), I32, layout=plgpu.Layout.WG_SPLAT)
        )
        def place(_):
            x = gpu.block_id(gpu.Dimension.x)
            at = arith.addi(arith.muli(gpu.block_id(gpu.Dimension.y), gpu.grid_dim(gpu.Dimension.x)), x)
            word = arith.index_cast(ir.IntegerType.get_signless(32), at)
            return mgpu.FragmentedArray.splat(word, (), is_signed=True)

        out_gmem[lax.axis_index("block")] = x_gmem[...] + place().astype(F32)

    return kernel(body, (F32, (2, 128)), grid=(2,), grid_names=("block",))
