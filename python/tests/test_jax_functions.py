"""Functions of JAX through the package: several kernels, what stands around them, what goes wrong. Any version of JAX that is known."""

from __future__ import annotations

import functools
import pathlib
import sys
import unittest
from typing import Any

try:
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.experimental import pallas as pl  # noqa: F401
    from jax.experimental.pallas import mosaic_gpu as plgpu
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX: {missing}") from None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tcspec  # noqa: E402

SHAPE = (64, 64)
A = numpy.arange(64 * 64, dtype=numpy.float32).reshape(SHAPE)


def scaling(factor: float, waits: bool = True) -> Any:
    """A kernel that multiplies; without the wait it is a race."""

    def body(a: Any, out: Any, smem: Any, full: Any) -> None:
        plgpu.copy_gmem_to_smem(a, smem, full)
        if waits:
            plgpu.barrier_wait(full)
        smem[...] = smem[...] * factor
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(smem, out)
        plgpu.wait_smem_to_gmem(0)

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct(SHAPE, jnp.float32),
        scratch_types=[plgpu.SMEM(SHAPE, jnp.float32), plgpu.Barrier()],
    )


double, triple, racy = scaling(2.0), scaling(3.0), scaling(2.0, waits=False)


class Functions(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def test_a_verdict_for_each_kernel(self) -> None:
        verdict = tcspec.check(lambda a: racy(double(a + 1)), A)
        self.assertEqual([v.ok for v in verdict.kernels], [True, False])
        self.assertEqual((verdict.ok, verdict.verdict), (False, "hazard"))
        self.assertEqual(verdict.findings, verdict.kernels[1].findings)
        first, second = verdict.findings[0].statements
        self.assertEqual(pathlib.Path(first.file or "").name, "test_jax_functions.py")
        self.assertEqual(first.text, "plgpu.copy_gmem_to_smem(a, smem, full)")
        self.assertEqual(second.text, "smem[...] = smem[...] * factor")
        self.assertTrue(tcspec.check(lambda a: triple(double(a)), A).ok)

    def test_what_stands_around_is_evaluated(self) -> None:
        def function(a: Any, scale: Any) -> Any:
            return {"out": triple(double(a + 1)) * scale, "sum": jnp.sum(a, axis=0)}

        run = tcspec.run(function, A, 0.5)
        self.assertTrue(run.ok)
        numpy.testing.assert_array_equal(run.result["out"], (A + 1) * 6 * numpy.float32(0.5))
        numpy.testing.assert_array_equal(run.result["sum"], A.sum(axis=0))
        self.assertEqual(len(run.kernels), 2)
        numpy.testing.assert_array_equal(tcspec.run(double, A), A * 2)

    def test_jitted_partial_and_in_a_loop(self) -> None:
        def repeated(count: int, a: Any) -> Any:
            return jax.lax.fori_loop(0, count, lambda _, x: double(x), a)

        function = jax.jit(functools.partial(repeated, 3))
        self.assertEqual(len(tcspec.check(function, A).kernels), 1)
        run = tcspec.run(function, A)
        numpy.testing.assert_array_equal(run, A * 8)
        self.assertEqual(len(run.kernels), 3)

    def test_bfloat16_stays(self) -> None:
        kernel = plgpu.kernel(
            lambda a, out: out.__setitem__(Ellipsis, a[...]),
            out_type=jax.ShapeDtypeStruct((128,), jnp.bfloat16),
        )
        a = jnp.arange(128, dtype=jnp.bfloat16)
        run = tcspec.run(kernel, a)
        self.assertEqual(run.result.dtype, a.dtype)
        numpy.testing.assert_array_equal(run.result, numpy.asarray(a))

    def test_what_the_user_raises_is_the_users(self) -> None:
        class Mine(Exception):
            pass

        def body(a: Any, out: Any) -> None:
            raise Mine("in the body")

        kernel = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(SHAPE, jnp.float32))
        for call in (tcspec.check, tcspec.run, tcspec.mutate):
            with self.assertRaises(Mine) as raised:
                call(kernel, A)
            self.assertEqual(raised.exception.args, ("in the body",))

    def test_what_cannot_be_exported(self) -> None:
        def inline(a: Any, out: Any) -> None:
            @plgpu.inline_mgpu()
            def unknown(context: Any) -> None:
                context.tma_descriptors

            unknown()
            out[...] = a[...]

        for function, code in (
            (lambda a: a + 1, "no-kernel"),
            (plgpu.kernel(inline, out_type=jax.ShapeDtypeStruct((128,), jnp.float32)), "inline-mgpu"),
        ):
            with self.assertRaises(tcspec.Refused) as raised:
                tcspec.check(function, numpy.zeros(128, numpy.float32))
            self.assertEqual(raised.exception.code, code)
            self.assertNotIn("\n", str(raised.exception))
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.check(double, A, grid=(2,))
        self.assertEqual(raised.exception.code, "grid")

    def test_no_data_no_run(self) -> None:
        self.assertTrue(tcspec.check(double, jax.ShapeDtypeStruct(SHAPE, jnp.float32)).ok)
        self.assertTrue(tcspec.check(double, tcspec.Array("f32", SHAPE)).ok)
        with self.assertRaises(tcspec.Refused) as raised:
            tcspec.run(double, jax.ShapeDtypeStruct(SHAPE, jnp.float32))
        self.assertEqual(raised.exception.code, "input-missing")

    def test_mutants(self) -> None:
        found = tcspec.mutate(double, A, class_="synchronisation", operator="DROP")
        self.assertGreater(found.mutants, 0)
        self.assertEqual(found.survivors, ())


if __name__ == "__main__":
    unittest.main()
