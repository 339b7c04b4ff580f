"""Arrays in registers, of JAX 0.11.2: products of warps and arrays put side by side, against numpy."""

from __future__ import annotations

import unittest
from typing import Any

try:
    import jax
    import jax.numpy as jnp
    import numpy
    from jax import lax
    from jax.experimental.pallas import mosaic_gpu as plgpu
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX: {missing}") from None

import tcspec

if not hasattr(plgpu, "mma"):
    raise unittest.SkipTest(f"JAX {jax.__version__} has no plgpu.mma")

LOWERINGS = (plgpu.LoweringSemantics.Lane, plgpu.LoweringSemantics.Warpgroup)


def _params(lowering: Any) -> Any:
    return plgpu.CompilerParams(lowering_semantics=lowering)


def _product(dtype: Any, m: int, n: int, into: Any, lowering: Any) -> Any:
    def mma(a_gmem: Any, b_gmem: Any, c_gmem: Any, d_gmem: Any) -> None:
        acc = plgpu.load(c_gmem, layout=plgpu.Layout.MMA_ACC(dtype), optimized=False)
        left = plgpu.load(a_gmem, layout=plgpu.Layout.MMA_LHS(dtype), optimized=False)
        right = plgpu.load(b_gmem.T, layout=plgpu.Layout.MMA_RHS(dtype), optimized=False)
        d_gmem[...] = plgpu.mma(acc, left, right)

    return plgpu.kernel(mma, out_type=jax.ShapeDtypeStruct((m, n), into), compiler_params=_params(lowering))


class Registers(unittest.TestCase):
    def test_products_of_integers_are_numpys(self) -> None:
        random = numpy.random.default_rng(0)
        a = random.integers(-128, 128, (128, 64)).astype(numpy.int8)
        b = random.integers(-128, 128, (16, 64)).astype(numpy.int8)
        c = random.integers(-(2**31), 2**31, (128, 16)).astype(numpy.int32)
        wanted = (c.astype(numpy.int64) + a.astype(numpy.int64) @ b.T.astype(numpy.int64)).astype(numpy.int32)
        for lowering in LOWERINGS:
            with self.subTest(lowering=lowering):
                run = tcspec.run(_product(jnp.dtype(jnp.int8), 128, 16, jnp.int32, lowering), a, b, c)
                self.assertEqual("ok", run.verdict)
                numpy.testing.assert_array_equal(run.result, wanted)

    def test_exact_products_of_floats_are_numpys(self) -> None:
        random = numpy.random.default_rng(1)
        for dtype in (jnp.float16, jnp.bfloat16, jnp.float8_e4m3fn, jnp.float8_e5m2):
            a = random.integers(-3, 4, (64, 64)).astype(jnp.dtype(dtype))
            b = random.integers(-3, 4, (8, 64)).astype(jnp.dtype(dtype))
            c = random.integers(-99, 99, (64, 8)).astype(numpy.float32)
            wanted = c + a.astype(numpy.float32) @ b.T.astype(numpy.float32)
            for lowering in LOWERINGS:
                with self.subTest(dtype=dtype, lowering=lowering):
                    run = tcspec.run(_product(jnp.dtype(dtype), 64, 8, jnp.float32, lowering), a, b, c)
                    numpy.testing.assert_array_equal(run.result, wanted)

    def test_arrays_side_by_side_are_numpys(self) -> None:
        for axis, shapes in ((0, ((64, 64), (128, 64))), (1, ((64, 16), (64, 8), (64, 64)))):
            given = [numpy.random.default_rng(k).normal(size=shape).astype(numpy.float32) for k, shape in enumerate(shapes)]
            wanted = numpy.concatenate(given, axis=axis)

            def join(*refs: Any, axis: int = axis) -> None:
                arrays = [plgpu.load(ref, layout=plgpu.Layout.WGMMA, optimized=False) for ref in refs[:-1]]
                refs[-1][...] = lax.concatenate(arrays, dimension=axis)

            for lowering in LOWERINGS:
                with self.subTest(axis=axis, lowering=lowering):
                    kernel = plgpu.kernel(
                        join, out_type=jax.ShapeDtypeStruct(wanted.shape, wanted.dtype), compiler_params=_params(lowering)
                    )
                    run = tcspec.run(kernel, *given)
                    self.assertEqual("ok", run.verdict)
                    numpy.testing.assert_array_equal(run.result, wanted)


if __name__ == "__main__":
    unittest.main()
