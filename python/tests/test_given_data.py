"""Checks where data decide: what the caller gave is used, and what JAX makes of it; integers of which there are shapes alone are asked for."""

from __future__ import annotations

import unittest
from typing import Any

try:
    import jax
    import numpy
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX and numpy: {missing}") from None

import jax.numpy as jnp
import tcspec
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu
from tcspec import pallas

SHAPE = jax.ShapeDtypeStruct
ROWS = numpy.array([100, 156], numpy.int32)
A, B = numpy.ones((256, 128), numpy.float16), numpy.ones((2, 128, 128), numpy.float16)


def shape_of(x: Any) -> Any:
    return SHAPE(x.shape, x.dtype)


def ragged(a: Any, b: Any, rows: Any) -> Any:
    return ragged_dot_mgpu.ragged_dot(a, b, group_sizes=rows, block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=1)


def picked(x: Any, at: Any) -> Any:
    """The block of x that a number says."""

    def body(of: Any, number: Any, o: Any) -> None:
        o[...] = of[pl.ds(number[0] * 128, 128)]

    return plgpu.kernel(body, out_type=SHAPE((128,), jnp.float32))(x, at)


X = numpy.arange(512, dtype=numpy.float32)


class Given(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def test_the_ragged_product_that_ships_with_jax(self) -> None:
        shapes = shape_of(A), shape_of(B)
        unknown = tcspec.check(ragged, *shapes, shape_of(ROWS))
        self.assertEqual((unknown.verdict, list(unknown.findings)), ("undecided", []))
        self.assertTrue(unknown.reason.startswith("give the data of rows_per_expert_gmem: "), unknown.reason)
        for arguments, named in ((shapes, "rows_per_expert_gmem"), ((A, B), "rows_per_expert_gmem, lhs_gmem, rhs_gmem")):
            verdict = tcspec.check(ragged, *arguments, ROWS)
            self.assertEqual(verdict.verdict, "ok", str(verdict))
            self.assertTrue(verdict.reason.startswith(f"with the data given for {named}: "), verdict.reason)
        # rows before the first one: now it is the caller's own
        wrong = tcspec.check(ragged, *shapes, numpy.array([-64, 320], numpy.int32))
        self.assertEqual((wrong.verdict, [f.id for f in wrong.findings]), ("invalid", ["A4"]))

    def test_what_jax_makes_of_what_is_given(self) -> None:
        def half(x: Any, at: Any) -> Any:
            return picked(x, at // 2)

        for at, wanted in ((6, "ok"), (8, "invalid")):
            # x has four blocks
            verdict = tcspec.check(half, shape_of(X), numpy.array([at], numpy.int32))
            self.assertEqual((at, verdict.verdict), (at, wanted), str(verdict))
        fixed = tcspec.check(lambda x: picked(x, jnp.array([4], jnp.int32)), shape_of(X))
        self.assertEqual(fixed.verdict, "invalid", str(fixed))
        self.assertIn("with the data given for number", fixed.reason)

    def test_what_is_known_without_a_run_of_a_kernel(self) -> None:
        def twice(x: Any, at: Any, other: Any) -> Any:
            y = jnp.concatenate([picked(x, at + 1)] * 2)
            return picked(y, jax.jit(lambda n: n * 2)(at)), picked(y, at + other)

        traced = pallas.trace(twice, shape_of(X), shape_of(ROWS[:1]), shape_of(ROWS[:1]))
        known = pallas.known_inputs(traced, (X, numpy.array([1], numpy.int32), shape_of(ROWS[:1])))
        self.assertEqual(
            [{name: x.tolist() for name, x in one.items() if x.size == 1} for one in known], [{"number": [2]}, {"number": [2]}, {}]
        )
        self.assertEqual([sorted(one) for one in known], [["number", "of"], ["number"], []])

    def test_nothing_in_a_loop_is_known(self) -> None:
        def turns(x: Any, at: Any) -> Any:
            return jax.lax.fori_loop(0, 2, lambda i, y: picked(jnp.concatenate([y] * 4), at), x)

        traced = pallas.trace(turns, SHAPE((128,), jnp.float32), shape_of(ROWS[:1]))
        self.assertEqual(pallas.known_inputs(traced, (X[:128], ROWS[:1])), [{}])

    def test_data_are_no_part_of_a_verdict_that_needs_none(self) -> None:
        def doubled(x: Any) -> Any:
            def body(a: Any, o: Any) -> None:
                o[...] = a[...] + a[...]

            return plgpu.kernel(body, out_type=SHAPE((128,), jnp.float32))(x)

        verdict = tcspec.check(doubled, X[:128])
        self.assertEqual(verdict.verdict, "ok", str(verdict))
        # that no PTX was given is said without JAX's compiler
        self.assertNotIn("given", verdict.report().replace("no PTX was given", ""))


if __name__ == "__main__":
    unittest.main()
