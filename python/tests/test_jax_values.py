"""Values that kernels of Pallas are given and give: arrays without dimensions, numbers of 4 bits, what `run_state` gives, one number of an array, counters."""

from __future__ import annotations

import unittest
from typing import Any

try:
    import jax
    import ml_dtypes
    import numpy
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX and numpy: {missing}") from None

import jax.numpy as jnp
import tcspec
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

F32 = jnp.float32


def _to(body: Any, shape: tuple[int, ...], dtype: Any = F32, *scratch: Any, **params: Any) -> Any:
    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(shape, dtype), scratch_types=list(scratch), **params)


class Values(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def gives(self, wanted: Any, function: Any, *arguments: Any) -> None:
        run = tcspec.run(function, *arguments)
        self.assertTrue(run.ok, str(run))
        numpy.testing.assert_array_equal(numpy.asarray(run.result), wanted)

    def test_arrays_without_dimensions(self) -> None:
        def scaled(x: Any, s: Any) -> Any:
            def body(a: Any, by: Any, o: Any) -> None:
                o[...] = a[...] * by[...]

            return _to(body, (128,))(x, s)

        x = numpy.arange(128, dtype=numpy.float32)
        for by in (numpy.float32(3), numpy.array(3, numpy.float32), jnp.float32(3), 3.0):
            self.gives(3 * x, scaled, x, by)

    def test_numbers_of_four_bits(self) -> None:
        def widened(x: Any) -> Any:
            def body(a: Any, o: Any) -> None:
                o[...] = a[...].astype(jnp.int8)

            return _to(body, x.shape, jnp.int8)(x)

        def narrowed(x: Any) -> Any:
            def body(a: Any, o: Any) -> None:
                o[...] = a[...].astype(jnp.int4)

            return _to(body, x.shape, jnp.int4)(x)

        every = numpy.arange(256) % 16
        for dtype, x in ((ml_dtypes.int4, every - 8), (ml_dtypes.uint4, every)):
            self.gives(x.astype(numpy.int8), widened, x.astype(dtype))
        self.gives((every - 8).astype(ml_dtypes.int4), narrowed, (numpy.arange(256) - 8).astype(numpy.int8))

    def test_casts_of_layouts_of_narrow_numbers(self) -> None:
        def cast(layouts: Any) -> Any:
            def kernel(x: Any) -> Any:
                def body(a: Any, o: Any) -> None:
                    v = plgpu.load(a, (), layout=layouts[0])
                    for layout in layouts[1:]:
                        v = plgpu.layout_cast(v, layout)
                    o[...] = v

                return _to(body, x.shape, x.dtype)(x)

            return kernel

        named = plgpu.Layout
        x = numpy.random.default_rng(1).integers(-8, 8, (64, 64))
        chains = [named.WGMMA_UPCAST_4X, named.WGMMA_UPCAST_2X, named.WGMMA]
        self.gives(x.astype(ml_dtypes.int4), cast(chains), x.astype(ml_dtypes.int4))
        self.gives(x.astype(numpy.int8), cast(chains[1:]), x.astype(numpy.int8))
        with self.assertRaisesRegex(tcspec.Refused, "Cannot convert from WGMMA_UPCAST_4X to WGMMA for 8-bit elements"):
            tcspec.check(cast([chains[0], chains[2]]), x.astype(numpy.int8))
        f16 = x.astype(numpy.float16)
        self.gives(f16, cast([named.SMEM_GMEM_COPY((64, 64), jnp.float16, 128)]), f16)
        f32 = x.astype(numpy.float32)
        self.gives(f32, cast([named.TCGEN05_M64_COLLECTIVE_NATIVE(64, 1)]), f32)
        if hasattr(named, "_WGMMA_ACC_32BIT"):
            self.gives(f32, cast([named._WGMMA_ACC_32BIT, named.WGMMA]), f32)

    def test_run_state_beside_an_accumulator_from_around(self) -> None:
        tiles = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))

        def kernel(a: Any, b: Any) -> Any:
            def body(a_gmem: Any, b_gmem: Any, o: Any, a_smem: Any, b_smem: Any, arrived: Any) -> None:
                plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
                plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
                plgpu.barrier_wait(arrived)

                def around(acc: Any) -> None:
                    def within(own: Any) -> None:
                        plgpu.wgmma(acc, a_smem, b_smem)
                        plgpu.wgmma(own, a_smem, b_smem)

                    ones = plgpu.layout_cast(jnp.ones((64, 64), jnp.float32), plgpu.Layout.WGMMA)
                    o[0] = pl.run_state(within)(plgpu.ACC.init(ones))
                    o[1] = acc[...]

                pl.run_scoped(around, plgpu.ACC((64, 64), jnp.float32))

            scratch = [*(plgpu.SMEM((64, 64), jnp.float16, transforms=tiles) for _ in range(2)), plgpu.Barrier(num_arrivals=2)]
            return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((2, 64, 64), jnp.float32), scratch_types=scratch)(a, b)

        a, b = (numpy.random.default_rng(n).integers(-4, 4, (64, 64)).astype(numpy.float16) for n in (1, 2))
        product = a.astype(numpy.float32) @ b.astype(numpy.float32)
        self.gives(numpy.stack([product + 1, product]), kernel, a, b)

    def test_run_state_gives_what_its_body_returns(self) -> None:
        """JAX's lowering puts what the body returns before the last states, and takes as many as there are refs."""

        def kept(scope: Any) -> Any:
            def kernel(x: Any) -> Any:
                def body(a: Any, o: Any) -> None:
                    o[...] = pl.run_state(scope)(plgpu.ACC.init(a[...]))

                return _to(body, (64, 64))(x)

            return kernel

        def added(acc: Any) -> Any:
            return acc[...] + acc[...] + acc[...]

        x = numpy.arange(64 * 64, dtype=numpy.float32).reshape(64, 64)
        self.gives(3 * x, kept(added), x)
        self.gives(x, kept(lambda acc: None), x)
        with self.assertRaisesRegex(tcspec.Refused, "a body that returns nothing, or first what becomes result 0"):
            tcspec.check(kept(lambda acc: jnp.int32(1)), x)

    def test_one_number_of_an_array(self) -> None:
        def reduced(of: Any, layout: Any) -> Any:
            def kernel(x: Any) -> Any:
                def body(a: Any, o: Any) -> None:
                    rows = of(plgpu.load(a, (), layout=layout), axis=1)
                    o[...] = jnp.broadcast_to(of(rows), (128,))

                return _to(body, (128,), F32, compiler_params=plgpu.CompilerParams(reduction_scratch_bytes=1024))(x)

            return kernel

        x = numpy.random.default_rng(2).integers(-40, 40, (64, 64)).astype(numpy.float32)
        for of, wanted in ((jnp.sum, x.sum()), (jnp.max, x.max()), (jnp.min, x.min())):
            self.gives(numpy.full(128, wanted), reduced(of, plgpu.Layout.WGMMA), x)

    def test_what_a_counter_holds(self) -> None:
        def read(x: Any) -> Any:
            def body(a: Any, o: Any, counter: Any) -> None:
                pl.semaphore_signal(counter, 2)
                pl.semaphore_wait(counter, 1)
                o[...] = a[...] + pl.semaphore_read(counter).astype(F32)

            return _to(body, (128,), F32, plgpu.SemaphoreType.REGULAR)(x)

        x = numpy.arange(128, dtype=numpy.float32)
        numpy.testing.assert_array_equal(numpy.asarray(tcspec.run(read, x).result), x + 1)
        self.assertTrue(tcspec.check(read, x).ok)

    def test_bytes_are_multiplied_with_their_signs(self) -> None:
        """As Mosaic GPU asks the tensor core for them, also where the array has none; in shared memory and in registers."""
        tiles = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(64))

        def product(in_registers: bool) -> Any:
            def kernel(x: Any, y: Any) -> Any:
                def body(x_gmem: Any, y_gmem: Any, o: Any, a: Any, b: Any, arrived: Any) -> None:
                    plgpu.copy_gmem_to_smem(x_gmem, a, arrived)
                    plgpu.copy_gmem_to_smem(y_gmem, b, arrived)
                    plgpu.barrier_wait(arrived)

                    def scope(acc: Any) -> Any:
                        left = plgpu.load(a, (), layout=plgpu.Layout.WGMMA_8BIT) if in_registers else a
                        plgpu.wgmma(acc, left, plgpu.transpose_ref(b, (1, 0)))
                        return acc[...]

                    o[...] = pl.run_scoped(scope, plgpu.ACC((64, 64), jnp.int32))

                scratch = [plgpu.SMEM((64, 128), array.dtype, transforms=tiles) for array in (x, y)]
                return _to(body, (64, 64), jnp.int32, *scratch, plgpu.Barrier(num_arrivals=2))(x, y)

            return kernel

        random = numpy.random.default_rng(3)
        for dtype, in_registers in ((numpy.int8, False), (numpy.int8, True), (numpy.uint8, False)):
            x, y = (random.integers(0, 256, (64, 128)).astype(numpy.uint8).astype(dtype) for _ in "ab")
            signed = [array.view(numpy.int8).astype(numpy.int32) for array in (x, y)]
            self.gives(signed[0] @ signed[1].T, product(in_registers), x, y)

    def test_copies_of_what_lies_in_one_piece_may_be_wide(self) -> None:
        def copied(mode: Any, start: int) -> Any:
            def kernel(x: Any) -> Any:
                def body(a: Any, o: Any, row: Any, arrived: Any) -> None:
                    plgpu.copy_gmem_to_smem(a.at[3, pl.ds(start, 1024)], row, arrived, oob_mode=mode)
                    plgpu.barrier_wait(arrived)
                    plgpu.copy_smem_to_gmem(row, o.at[1])
                    plgpu.wait_smem_to_gmem(0)

                return _to(body, (2, 1024), F32, plgpu.SMEM((1024,), F32), plgpu.Barrier())(x)

            return kernel

        mode = plgpu.OOBFillMode
        x = numpy.arange(5 * 2048, dtype=numpy.float32).reshape(5, 2048)
        for said in (mode.PROMISE_IN_BOUNDS, mode.UNDEFINED):
            numpy.testing.assert_array_equal(numpy.asarray(tcspec.run(copied(said, 640), x).result)[1], x[3, 640:1664])
        with self.assertRaisesRegex(tcspec.Refused, "at most 256 elements of each dimension"):
            tcspec.check(copied(mode.ZEROS, 640), x)

    def test_what_is_long_along_an_axis_meets_what_is_one(self) -> None:
        def summed(x: Any, y: Any) -> Any:
            def body(a: Any, b: Any, o: Any) -> None:
                row = plgpu.load(a, (), layout=plgpu.Layout.WG_STRIDED((128,), vec_size=1))
                all_ = plgpu.load(b, (), layout=plgpu.Layout.WG_STRIDED((4, 128), vec_size=1))
                o[...] = row[None] * all_

            return _to(body, (4, 128))(x, y)

        x, y = numpy.arange(128, dtype=numpy.float32), numpy.arange(512, dtype=numpy.float32).reshape(4, 128)
        self.gives(x[None] * y, summed, x, y)

    def test_arrays_and_refs_are_unfolded(self) -> None:
        def array(x: Any) -> Any:
            def body(a: Any, o: Any) -> None:
                o[...] = plgpu.load(a, (), layout=plgpu.Layout.WGMMA, optimized=False).reshape(3, 2, 64, 8)

            return _to(body, (3, 2, 64, 8))(x)

        def ref(x: Any) -> Any:
            def body(a: Any, o: Any, row: Any) -> None:
                row[...] = a[...]
                o[...] = row.reshape((4, 16, 4))[...]

            return _to(body, (4, 16, 4), F32, plgpu.SMEM((256,), F32))(x)

        x = numpy.arange(384 * 8, dtype=numpy.float32).reshape(384, 8)
        self.gives(x.reshape(3, 2, 64, 8), array, x)
        self.gives(x.ravel()[:256].reshape(4, 16, 4), ref, x.ravel()[:256])

    def test_members_of_a_union_in_tensor_memory(self) -> None:
        def kept(x: Any) -> Any:
            def body(a: Any, o: Any, union: Any) -> None:
                [first, second, third], _ = union
                for k, member in enumerate((first, second, third)):
                    of = plgpu.load(a.at[k], (), layout=plgpu.Layout.TCGEN05, optimized=False)
                    plgpu.async_store_tmem(member, of)
                plgpu.commit_tmem()
                for k, member in enumerate((third, first, second)):
                    o[k] = plgpu.async_load_tmem(member)

            tmem = plgpu.TMEM((128, 32), F32)
            return _to(body, (3, 128, 32), F32, plgpu.RefUnion([tmem, tmem, tmem], plgpu.TMEM((128, 64), F32)))(x)

        x = numpy.arange(3 * 128 * 32, dtype=numpy.float32).reshape(3, 128, 32)
        self.gives(x[[2, 0, 1]], kept, x)

    @unittest.skipUnless(jax.__version__ == "0.10.2", "pallas_call is lowered to Mosaic GPU by JAX 0.10.2")
    def test_an_output_in_the_memory_of_an_input(self) -> None:
        def doubled(x: Any) -> Any:
            def body(a: Any, o: Any) -> None:
                o[pl.ds(0, 64)] = a[pl.ds(0, 64)] * 2

            gmem = plgpu.BlockSpec(memory_space=plgpu.GMEM)
            return pl.pallas_call(
                body,
                in_specs=[gmem],
                out_specs=gmem,
                out_shape=jax.ShapeDtypeStruct((128,), F32),
                input_output_aliases={0: 0},
                compiler_params=plgpu.CompilerParams(),
            )(x)

        x = numpy.arange(128, dtype=numpy.float32)
        wanted = numpy.concatenate([2 * x[:64], x[64:]])
        numpy.testing.assert_array_equal(numpy.asarray(tcspec.run(doubled, x).result), wanted)

    def test_blocks_that_are_taken_over(self) -> None:
        """One block a multiprocessor has begun; those that are left over are taken, each once, and none of the others."""

        def taken(rows: int) -> Any:
            def body(o: Any) -> None:
                own = jax.lax.axis_index("block")

                @plgpu.dynamic_scheduling_loop(("block",))
                def loop(info: Any) -> None:
                    o[info.index[0]] = own

            return _to(body, (rows,), jnp.int32, grid=(rows,), grid_names=("block",))()

        from tcspec import pallas

        made = pallas.trace(lambda: taken(7), sms=5).exports[0]
        found = numpy.asarray(tcspec.run(made.document).outputs[made.outputs[0].name])
        self.assertEqual(list(range(5)), list(found[:5]))
        self.assertTrue(all(0 <= block < 5 for block in found[5:]), found)
        self.assertEqual(list(range(7)), list(numpy.asarray(tcspec.run(lambda: taken(7)).result)))

    def test_the_chip(self) -> None:
        def arrives(x: Any) -> Any:
            def body(a: Any, o: Any, barrier: Any) -> None:
                plgpu.barrier_arrive(barrier)
                plgpu.barrier_wait(barrier)
                o[...] = a[...] + 1

            return _to(body, (128,), F32, plgpu.Barrier(orders_tensor_core=True))(x)

        x = numpy.zeros(128, numpy.float32)
        self.assertTrue(tcspec.check(arrives, x).ok)
        self.assertTrue(tcspec.check(arrives, x, target="sm_100").ok)
        with self.assertRaisesRegex(tcspec.Refused, "exists on sm100a only"):
            tcspec.check(arrives, x, target="sm_90")
        with self.assertRaisesRegex(tcspec.Refused, "expected 'sm_90' or 'sm_100', found 'sm_80'"):
            tcspec.check(arrives, x, target="sm_80")


if __name__ == "__main__":
    unittest.main()
