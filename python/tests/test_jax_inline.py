"""Blocks of Mosaic GPU in a kernel (`inline_mgpu`): those that are read give what numpy gives, and others are refused by the name of what they do."""

from __future__ import annotations

import unittest
from typing import Any

try:
    import jax
    import numpy
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX and numpy: {missing}") from None

import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
import tcspec
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import arith, gpu, llvm, memref, nvvm
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

NAMED = plgpu.Layout
TILED = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def _out(shape: tuple[int, ...], dtype: Any) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype)


class Inline(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def test_arrays_through_shared_memory(self) -> None:
        """Loaded as tiles, scaled by a row and by a number, stored as tiles and copied out."""

        def function(x: Any, s: Any) -> Any:
            def body(x_gmem: Any, s_gmem: Any, o: Any, tile: Any, out: Any, arrived: Any) -> None:
                plgpu.copy_gmem_to_smem(x_gmem, tile, arrived)
                plgpu.barrier_wait(arrived)
                scale = plgpu.load(s_gmem, (), layout=NAMED.WGMMA.reduce(1), optimized=False)

                @plgpu.inline_mgpu(
                    arg_types=(plgpu.RefType(TILED), NAMED.WGMMA.reduce(1)),
                    return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float16, layout=NAMED.WGMMA),
                )
                def scaled(_: Any, ref: Any, row: Any) -> Any:
                    assert tuple(ref.type.shape) == (8, 1, 8, 64)
                    a = mgpu.FragmentedArray.load_tiled(ref, swizzle=128)
                    half = mgpu.FragmentedArray.splat(mgpu.c(0.5, a.mlir_dtype), a.shape, a.layout)
                    return row.broadcast_in_dim((64, 64), (0,), a.layout) * a - half

                @plgpu.inline_mgpu(arg_types=(NAMED.WGMMA, plgpu.RefType(TILED), plgpu.RefType()))
                def stored(ctx: Any, a: Any, ref: Any, to: Any) -> None:
                    a.store_tiled(mgpu.memref_slice(ref, (1,)), swizzle=128)
                    mgpu.commit_shared()
                    ctx.async_copy(src_ref=mgpu.memref_slice(ref, (1,)), dst_ref=to, swizzle=128, gmem_transform=mgpu.TileTransform((8, 64)))
                    ctx.await_async_copy(0)

                stored(scaled(tile, scale), out, o)

            scratch = [plgpu.SMEM((64, 64), jnp.float16, transforms=TILED), plgpu.SMEM((2, 64, 64), jnp.float16, transforms=TILED), plgpu.Barrier()]
            return plgpu.kernel(body, out_type=_out((64, 64), jnp.float16), scratch_types=scratch)(x, s)

        x = (numpy.arange(64 * 64) % 31).reshape(64, 64).astype(numpy.float16)
        s = (numpy.arange(64) % 7).astype(numpy.float16)
        run = tcspec.run(function, x, s)
        self.assertTrue(run.ok, str(run))
        numpy.testing.assert_array_equal(numpy.asarray(run.result), s[:, None] * x - numpy.float16(0.5))

    def test_functions_of_an_element(self) -> None:
        """Each element by what lies at its row, less its column; then each put where it belongs."""

        def function(x: Any, s: Any, column: bool) -> Any:
            def body(x_gmem: Any, s_gmem: Any, o: Any, rows: Any) -> None:
                rows[...] = s_gmem[...]
                plgpu.commit_smem()
                a = plgpu.load(x_gmem, (), layout=NAMED.WGMMA, optimized=False)

                @plgpu.inline_mgpu(arg_types=(plgpu.RefType(), NAMED.WGMMA), return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=NAMED.WGMMA))
                def scaled(_: Any, ref: Any, a: Any) -> Any:
                    def each(value: Any, at: Any) -> Any:
                        place = arith.index_cast(ir.IntegerType.get_signless(32), at[1])
                        return arith.subf(arith.mulf(value, memref.load(ref, (at[1] if column else at[0],))), arith.sitofp(ir.F32Type.get(), place))

                    return a.foreach(each, create_array=True)

                @plgpu.inline_mgpu(arg_types=(NAMED.WGMMA, plgpu.RefType()))
                def stored(_: Any, a: Any, to: Any) -> None:
                    a.foreach(lambda value, at: memref.store(value, to, at))

                stored(scaled(rows, a), o)

            return plgpu.kernel(body, out_type=_out((64, 64), jnp.float32), scratch_types=[plgpu.SMEM((64,), jnp.float32)])(x, s)

        x = numpy.random.default_rng(3).integers(-9, 9, (64, 64)).astype(numpy.float32)
        s = numpy.arange(64, dtype=numpy.float32)
        for column in (False, True):
            run = tcspec.run(lambda x, s: function(x, s, column), x, s)
            self.assertTrue(run.ok, str(run))
            numpy.testing.assert_array_equal(numpy.asarray(run.result), x * (s[None, :] if column else s[:, None]) - numpy.arange(64, dtype=numpy.float32))

    def test_without_the_fence_the_copy_is_found(self) -> None:
        def function() -> Any:
            def body(o: Any, tile: Any) -> None:
                @plgpu.inline_mgpu(arg_types=(plgpu.RefType(TILED), plgpu.RefType()))
                def stored(ctx: Any, ref: Any, to: Any) -> None:
                    one = mgpu.FragmentedArray.splat(mgpu.c(1, ir.F16Type.get()), (64, 64), mgpu.WGMMA_LAYOUT)
                    one.store_tiled(ref, swizzle=128)
                    ctx.async_copy(src_ref=ref, dst_ref=to, swizzle=128, gmem_transform=mgpu.TileTransform((8, 64)))
                    ctx.await_async_copy(0)

                stored(tile, o)

            return plgpu.kernel(body, out_type=_out((64, 64), jnp.float16), scratch_types=[plgpu.SMEM((64, 64), jnp.float16, transforms=TILED)])()

        self.assertEqual(["P1"], [finding.id for finding in tcspec.check(function).findings])

    def test_a_tile_handed_over_by_text(self) -> None:
        """One thread stores a tile and the other copies it out, over a barrier and a fence that no primitive has; each change of one of them is found."""

        def void(text: str, *values: Any) -> None:
            llvm.inline_asm(ir.Type.parse("!llvm.void"), [*values], text, ",".join("r" for _ in values), has_side_effects=True)

        def handed(arrives: int = 0, syncs: int = 0, fenced: bool = True, meets: bool = True) -> Any:
            def barrier(text: str, number: Any) -> None:
                plgpu.inline_mgpu(arg_types=(NAMED.WG_SPLAT,))(lambda _, n: void(f"{text} $0, 256;", n.registers[()]))(number)

            @plgpu.inline_mgpu()
            def fence(_: Any) -> None:
                nvvm.fence_proxy(nvvm.ProxyKind.async_shared, space=nvvm.SharedSpace.shared_cta)

            def body(n_gmem: Any, o: Any, tile: Any) -> None:
                number = n_gmem[0] + 5

                @pl.when(jax.lax.axis_index("wg") == 0)
                def _store() -> None:
                    tile[...] = plgpu.layout_cast(jnp.full((64, 64), 3, jnp.float16), NAMED.WGMMA)
                    if fenced:
                        fence()
                    barrier("bar.arrive", number + arrives)

                @pl.when(jax.lax.axis_index("wg") == 1)
                def _copy() -> None:
                    if meets:
                        barrier("barrier.cta.sync.aligned", number + syncs)
                    plgpu.copy_smem_to_gmem(tile, o)
                    plgpu.wait_smem_to_gmem(0)

            scratch = [plgpu.SMEM((64, 64), jnp.float16, transforms=TILED)]
            return lambda n: plgpu.kernel(body, out_type=_out((64, 64), jnp.float16), scratch_types=scratch, num_threads=2, thread_name="wg")(n)

        n = numpy.array([1], numpy.int32)
        run = tcspec.run(handed(), n)
        self.assertTrue(run.ok, str(run))
        numpy.testing.assert_array_equal(numpy.asarray(run.result), numpy.full((64, 64), 3, numpy.float16))
        for changed, wanted in (({"fenced": False}, "hazard"), ({"meets": False}, "hazard"), ({"syncs": 1}, "deadlock"), ({"arrives": 10, "syncs": 10}, "invalid")):
            self.assertEqual(wanted, tcspec.check(handed(**changed), n).verdict, str(changed))

    def test_text_that_gives_a_value_is_refused(self) -> None:
        def function() -> Any:
            def body(o: Any) -> None:
                @plgpu.inline_mgpu()
                def clock(_: Any) -> None:
                    llvm.inline_asm(ir.IntegerType.get_signless(32), [], "mov.u32 $0, %clock;", "=r", has_side_effects=True)

                clock()
                o[...] = jnp.float32(0)

            return plgpu.kernel(body, out_type=_out((), jnp.float32))()

        with self.assertRaisesRegex(tcspec.Refused, r"inline_mgpu: .*operation llvm\.inline_asm"):
            tcspec.check(function)

    def test_places_in_the_launch(self) -> None:
        """Blocks as CUDA numbers them, over every axis of the grid and of the cluster; oracle: the numbers of a row-major launch."""
        for grid, cluster in (((5,), ()), ((2, 3), (2,)), ((2, 3, 2), (1, 2)), ((2, 2, 3, 2), (2,))):
            names, inner = tuple(f"g{i}" for i in range(len(grid))), tuple(f"c{i}" for i in range(len(cluster)))

            def function(grid: Any = grid, cluster: Any = cluster, names: Any = names, inner: Any = inner) -> Any:
                def body(o: Any) -> None:
                    @plgpu.inline_mgpu(arg_types=(), return_type=plgpu.ShapeDtypeStruct((), jnp.int32, layout=NAMED.WG_SPLAT))
                    def number(_: Any) -> Any:
                        x, y, z = (gpu.block_id(d) for d in (gpu.Dimension.x, gpu.Dimension.y, gpu.Dimension.z))
                        nx, ny = (gpu.grid_dim(d) for d in (gpu.Dimension.x, gpu.Dimension.y))
                        at = arith.addi(arith.muli(arith.addi(arith.muli(z, ny), y), nx), x)
                        i32 = ir.IntegerType.get_signless(32)
                        return mgpu.FragmentedArray.splat(arith.index_cast(i32, at), (), is_signed=True)

                    o[tuple(jax.lax.axis_index(name) for name in (*names, *inner))] = number()

                options = {"cluster": cluster, "cluster_names": inner} if cluster else {}
                return plgpu.kernel(body, out_type=_out((*grid, *cluster), jnp.int32), grid=grid, grid_names=names, **options)()

            found = numpy.asarray(tcspec.run(function).result)
            # the axes of the launch: the last two of the grid and all before them, each cut by the axis of the cluster
            outer = (int(numpy.prod(grid[:-2])), *grid[-2:]) if len(grid) > 3 else (1,) * (3 - len(grid)) + grid
            blocks = (1,) * (3 - len(cluster)) + cluster
            whole = [g * c for g, c in zip(outer, blocks)]
            numbers = numpy.arange(numpy.prod(whole)).reshape([n for pair in zip(outer, blocks) for n in pair])
            numpy.testing.assert_array_equal(found, numbers.transpose(0, 2, 4, 1, 3, 5).reshape(*grid, *cluster))

    def test_scalars(self) -> None:
        def function(x: Any) -> Any:
            def body(x_gmem: Any, o: Any) -> None:
                @plgpu.inline_mgpu(arg_types=(plgpu.RefType(), NAMED.WG_SPLAT))
                def stored(_: Any, ref: Any, value: Any) -> None:
                    memref.store((value * value).registers.item(), ref, [])

                stored(o, x_gmem[...])

            return plgpu.kernel(body, out_type=_out((), jnp.float32))(x)

        self.assertEqual(9.0, float(tcspec.run(function, numpy.float32(3)).result))

    def test_what_is_not_read_is_named(self) -> None:
        def function(x: Any) -> Any:
            def body(x_gmem: Any, o: Any) -> None:
                @plgpu.inline_mgpu(arg_types=(NAMED.WGMMA,), return_type=plgpu.ShapeDtypeStruct((64, 64), jnp.float32, layout=NAMED.WGMMA))
                def of(_: Any, a: Any) -> Any:
                    return a.exp(approx=True)

                o[...] = of(plgpu.load(x_gmem, (), layout=NAMED.WGMMA, optimized=False))

            return plgpu.kernel(body, out_type=_out((64, 64), jnp.float32))(x)

        with self.assertRaisesRegex(tcspec.Refused, r"test_jax_inline\.py:\d+: inline_mgpu: .*FragmentedArray\.exp"):
            tcspec.check(function, numpy.zeros((64, 64), numpy.float32))
        self.assertEqual("FragmentedArray", mgpu.FragmentedArray.__name__)


if __name__ == "__main__":
    unittest.main()
