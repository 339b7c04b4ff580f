"""Kernels of Triton and Gluon as PTX: the verdict and the bits beside those of TTGIR, and what numpy says of the result."""

import unittest
from typing import Any

try:
    import numpy
    import triton  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import tcspec
import triton_kernels as kernels
from tcspec import Array, Refused
from tcspec.triton import descriptor


def random(*shape: int, dtype: Any = numpy.float16, seed: int = 0) -> Any:
    return numpy.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


class Levels(unittest.TestCase):
    def both(self, *arguments: Any, **keywords: Any) -> Any:
        """Two runs, of which the results are the same bits."""
        runs = [tcspec.run(*arguments, level=level, **keywords) for level in ("ttgir", "ptx")]
        for run in runs:
            self.assertTrue(run.ok, str(run))
        first, second = (run.result for run in runs)
        self.assertEqual(list(first), list(second))
        for name, array in first.items():
            self.assertEqual((array.dtype, array.shape, array.tobytes()), (second[name].dtype, second[name].shape, second[name].tobytes()))
        return second

    def test_elementwise(self) -> None:
        x, y, out = (random(1000, dtype=numpy.float32, seed=s) for s in range(3))
        made = self.both(kernels.add, x, y, out, 1000, grid=(8,), BLOCK=128)
        numpy.testing.assert_array_equal(x + y, made["out"])
        self.assertTrue(tcspec.check(kernels.add, *(Array("f32", (1000,)) for _ in range(3)), 1000, grid=8, BLOCK=128, level="ptx").ok)

    def test_one_tensor_behind_two_parameters(self) -> None:
        x = random(128)
        made = self.both(kernels.in_place, x, x, BLOCK=128, grid=1)
        numpy.testing.assert_array_equal(x * 2, made["x"])

    def test_products_of_f32(self) -> None:
        """By wgmma, from shared memory and from registers; by tcgen05, from shared and from tensor memory, of 64 rows and of 128."""
        for target in ("sm_90", "sm_100"):
            for size in (64, 128):
                a, b = (random(size, size, dtype=numpy.float32, seed=s) for s in range(2))
                for factor in (1, 2):
                    runs = [
                        tcspec.run(
                            kernels.product, a, b, numpy.zeros_like(a), SIZE=size, FACTOR=factor, grid=1, num_warps=4, target=target, level=level
                        )
                        for level in ("ttgir", "ptx")
                    ]
                    self.assertTrue(runs[0].ok, str(runs[0]))
                    self.assertEqual(*(run.result["c"].tobytes() for run in runs))
                    exact = factor * (a.astype(numpy.float64) @ b)
                    self.assertLess(numpy.abs(runs[0].result["c"] - exact).max(), 0.2)

    def test_copies_that_a_mask_cuts_off(self) -> None:
        a, b = random(64, 144), random(144, 64, seed=1)
        made = self.both(kernels.cut_off, a, b, numpy.zeros((64, 64), numpy.float32), 144, SIZE=64, grid=1, num_warps=4)
        numpy.testing.assert_allclose(made["c"], a.astype(numpy.float64) @ b, atol=1e-3)

    def test_many_warps(self) -> None:
        x = random(4096, dtype=numpy.float32)
        for warps in (16, 32):
            made = self.both(kernels.scaled, x, numpy.zeros_like(x), 2.0, BLOCK=4096, grid=1, num_warps=warps)
            numpy.testing.assert_array_equal(2 * x, made["out"])

    def test_doubles_are_for_the_ptx(self) -> None:
        x = random(128, dtype=numpy.float64)
        made = tcspec.run(kernels.doubles, x, numpy.zeros_like(x), BLOCK=128, grid=1, level="ptx")
        numpy.testing.assert_array_equal(1.5 * x, made.result["out"])
        with self.assertRaisesRegex(Refused, "elements of f64 are computed from the PTX"):
            tcspec.check(kernels.doubles, x, x, BLOCK=128, grid=1, level="ttgir")

    def test_what_lowering_adds(self) -> None:
        """Of 64 elements each is loaded by two of 128 threads and stored by one: what the other finds goes nowhere, so it is no race."""
        x = random(64)
        for level in ("auto", "ttgir", "ptx"):
            run = tcspec.run(kernels.in_place, x, x, BLOCK=64, grid=1, level=level)
            self.assertTrue(run.ok, str(run))
            numpy.testing.assert_array_equal(x * 2, run.result["x"])

    def test_a_matmul_through_tensor_maps(self) -> None:
        a, b, c = random(128, 96), random(96, 128), numpy.zeros((128, 128), numpy.float16)
        maps = descriptor(a, [64, 32]), descriptor(b, [32, 64]), descriptor(c, [64, 64])
        made = self.both(kernels.matmul_host, *maps, 96, False, grid=(2, 2))
        wanted = a.astype(numpy.float64) @ b.astype(numpy.float64)
        self.assertLess(numpy.abs(made["dc"] - wanted).max(), 0.05)

    def test_the_same_finding_at_the_same_line(self) -> None:
        lines = []
        for level in ("ttgir", "ptx"):
            verdict = tcspec.check(kernels.last, Array("i32", (1,)), grid=2, level=level)
            self.assertEqual("hazard", verdict.verdict)
            lines.append([str(s) for s in verdict.findings[0].statements])
        self.assertEqual(lines[0], lines[1])
        self.assertIn("tl.store(out, tl.program_id(0))", lines[1][0])

    def test_what_is_refused(self) -> None:
        x = random(64, 64)[:, ::2]
        with self.assertRaises(Refused) as refused:
            tcspec.check(kernels.copied, x, numpy.zeros(64, numpy.float16), BLOCK=64, grid=1, level="ptx")
        self.assertEqual("triton.strides", refused.exception.code)
        with self.assertRaises(Refused) as refused:
            tcspec.run(kernels.in_place, Array("f16", (64,)), numpy.zeros(64, numpy.float16), BLOCK=64, grid=1, level="ptx")
        self.assertEqual("triton.data", refused.exception.code)


if __name__ == "__main__":
    unittest.main()
