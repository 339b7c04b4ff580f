"""From kernels of Triton and Gluon to verdicts and bits, through a process of ``tcspec serve``."""

import inspect
import unittest
from typing import Any

try:
    import numpy
    import triton  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import asked
import gluon_kernels as gluon
import triton_kernels as kernels
from tcspec import Refused, Tensor
from tcspec.triton import descriptor
from triton.experimental.gluon.language import NVMMASharedLayout, float16


def random(*shape: int, dtype: Any = numpy.float16, seed: int = 0) -> Any:
    return numpy.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def zeros(*shape: int, dtype: Any = numpy.float16) -> Any:
    return numpy.zeros(shape, dtype)


class Extents:
    """A tensor of which nothing but its form is known."""

    def __init__(self, dtype: str, *shape: int) -> None:
        self.dtype, self.shape = dtype, shape


def line_of(function: Any, words: str) -> str:
    """``file.py:line: text`` of the line of a kernel that has these words."""
    source, first = inspect.getsourcelines(function.fn)
    (k,) = [k for k, line in enumerate(source) if words in line]
    return f"{function.fn.__code__.co_filename.rsplit('/', 1)[-1]}:{first + k}: {source[k].strip()}"


class Verdicts(unittest.TestCase):
    def ok(self, verdict: Any) -> None:
        self.assertEqual("ok", verdict["verdict"], verdict.get("printed"))

    def test_elementwise(self) -> None:
        x, y, out = random(1000, dtype=numpy.float32), random(1000, dtype=numpy.float32, seed=1), zeros(1000, dtype=numpy.float32)
        self.ok(asked.check(kernels.add, x, y, out, 1000, grid=(8,), BLOCK=128))
        self.ok(asked.check(kernels.add[(8,)], x, y, out, 1000, 128))
        verdict, result = asked.run(kernels.add, x, y, out, 1000, grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),), BLOCK=128)
        self.ok(verdict)
        self.assertEqual(["out"], list(result))
        numpy.testing.assert_array_equal(x + y, result["out"])
        self.assertFalse(out.any(), "an argument is not changed")

    def test_races_name_the_line_of_python(self) -> None:
        verdict = asked.check(kernels.add, *[Extents("f32", 1000)] * 2, Extents("f32", 1000), 1000, grid=(9,), BLOCK=100 + 28)
        self.ok(verdict)
        shared = asked.check(kernels.scaled, Extents("f32", 256), Extents("f32", 256), 2.0, grid=(2,), BLOCK=256)
        self.assertNotEqual("ok", shared["verdict"])

    def test_a_float_is_rounded_as_the_chip_has_it(self) -> None:
        x = random(256, dtype=numpy.float32)
        _, result = asked.run(kernels.scaled, x, zeros(256, dtype=numpy.float32), 0.1, grid=2, BLOCK=128)
        numpy.testing.assert_array_equal(x * numpy.float32(0.1), result["out"])
        for factor in (float("inf"), -0.0):
            _, result = asked.run(kernels.scaled, x, zeros(256, dtype=numpy.float32), factor, grid=2, BLOCK=128)
            numpy.testing.assert_array_equal(x * numpy.float32(factor), result["out"])
            numpy.testing.assert_array_equal(numpy.signbit(x * numpy.float32(factor)), numpy.signbit(result["out"]))

    def test_strides(self) -> None:
        x = random(96, 64)
        for seen in (x[:32, :32], x[:32, ::2], x[:32, :32].T, x[::3, 32:]):
            down, right = (stride // 2 for stride in seen.strides)
            verdict, result = asked.run(kernels.transposed, seen, zeros(32, 32), down, right, grid=1, SIZE=32)
            self.ok(verdict)
            numpy.testing.assert_array_equal(seen, result["out"])

    def test_integers_that_are_addresses_are_what_they_are_without_data_too(self) -> None:
        rows = numpy.array([3, 0, 2, 1], numpy.int32)
        x = random(4, 64)
        self.ok(asked.check(kernels.picked, Extents("f16", 4, 64), rows, Extents("f16", 4, 64), grid=4, SIZE=64))
        _, result = asked.run(kernels.picked, x, rows, zeros(4, 64), grid=4, SIZE=64)
        numpy.testing.assert_array_equal(x[rows], result["out"])
        outside = asked.check(kernels.picked, Extents("f16", 4, 64), rows + 1, Extents("f16", 4, 64), grid=4, SIZE=64)
        self.assertNotEqual("ok", outside["verdict"])

    def test_one_array_twice_is_one_tensor(self) -> None:
        x = random(128)
        _, result = asked.run(kernels.in_place, x, x, grid=1, BLOCK=128)
        self.assertEqual(["x"], list(result))
        numpy.testing.assert_array_equal(2 * x, result["x"])

    def test_element_types(self) -> None:
        for dtype in (numpy.int8, numpy.uint8, numpy.int32, numpy.uint32, numpy.float32, numpy.float16):
            x = numpy.arange(100, 228).astype(dtype)
            _, result = asked.run(kernels.in_place, x, zeros(128, dtype=dtype), grid=1, BLOCK=128)
            self.assertEqual(dtype, result["out"].dtype.type)
            numpy.testing.assert_array_equal((2 * x).astype(dtype), result["out"])
        bf16 = Tensor.of_bits("bf16", [128], [0x3F80 + k for k in range(128)])
        _, result = asked.run(kernels.in_place, bf16, Tensor("bf16", (128,), bytes(256)), grid=1, BLOCK=128)
        self.assertEqual([0x4000 + k for k in range(128)], result["out"].view("uint16").tolist())

    def test_a_tuple(self) -> None:
        x = random(64)
        _, result = asked.run(kernels.pair, x, (3, zeros(64), None), grid=1, SIZE=64)
        self.assertEqual(["numbers[1]"], list(result))
        numpy.testing.assert_array_equal(x + numpy.float16(3), result["numbers[1]"])

    def test_what_is_written_in_part(self) -> None:
        x, out = random(256, dtype=numpy.float32), numpy.full(256, 7, numpy.float32)
        self.assertIn("never written", asked.check(kernels.scaled, x, out, 1.5, grid=1, BLOCK=128)["printed"])
        self.ok(asked.check(kernels.scaled, x, out, 1.5, grid=1, BLOCK=128, outputs=[]))
        _, result = asked.run(kernels.scaled, x, out, 1.5, grid=1, BLOCK=128, outputs=[])
        numpy.testing.assert_array_equal([7.0] * 128, result["out"][128:])

    def test_data_that_are_read_are_asked_for(self) -> None:
        with self.assertRaises(Refused) as refused:
            asked.run(kernels.scaled, Extents("f32", 256), zeros(256, dtype=numpy.float32), 1.5, grid=2, BLOCK=128)
        self.assertEqual(("triton.data", "scaled: x: expected data, since the kernel reads it, found extents alone"), (refused.exception.code, str(refused.exception)))
        _, result = asked.run(kernels.scaled, random(256), Extents("f16", 256), 2.0, grid=2, BLOCK=128)
        numpy.testing.assert_array_equal(random(256) * 2, result["out"])


class Matmuls(unittest.TestCase):
    M, N, K = 128, 128, 96

    def setUp(self) -> None:
        self.a, self.b, self.c = random(self.M, self.K), random(self.K, self.N), zeros(self.M, self.N)

    def descriptors(self, BM: int, BN: int, BK: int) -> Any:
        return descriptor(self.a, [BM, BK]), descriptor(self.b, [BK, BN]), descriptor(self.c, [BM, BN])

    def right(self, kernel: Any, *arguments: Any, name: str = "c", **keywords: Any) -> None:
        verdict, result = asked.run(kernel, *arguments, **keywords)
        self.assertEqual("ok", verdict["verdict"])
        wanted = self.a.astype(numpy.float64) @ self.b.astype(numpy.float64)
        self.assertLess(numpy.abs(result[name] - wanted).max(), 0.05)

    def test_pointers(self) -> None:
        sizes = (self.M, self.N, self.K, self.K, self.N, self.N)
        self.right(kernels.matmul, self.a, self.b, self.c, *sizes, grid=(2, 2), BM=64, BN=64, BK=32)

    def test_host_descriptors(self) -> None:
        for specialised in (False, True):
            self.right(kernels.matmul_host, *self.descriptors(64, 64, 32), self.K, specialised, grid=(2, 2), name="dc")

    def test_device_descriptors(self) -> None:
        self.right(kernels.matmul_device, self.a, self.b, self.c, self.M, self.N, self.K, grid=(2, 2), BM=64, BN=64, BK=32)

    def test_persistent(self) -> None:
        self.right(kernels.matmul_persistent, *self.descriptors(64, 64, 32), self.M, self.N, self.K, 3, grid=3, name="dc")

    def test_autotuned(self) -> None:
        descriptors = self.descriptors(16, 16, 16)  # blocks are set by the configuration
        grid = lambda meta: (self.M // meta["BM"], self.N // meta["BN"])  # noqa: E731
        self.right(kernels.tuned, *descriptors, self.K, grid=grid, name="dc")
        self.right(kernels.tuned[grid], *descriptors, self.K, config={"num_warps": 8}, name="dc")

    def test_attention(self) -> None:
        n, d = 128, 64
        q, k, v = (random(n, d, seed=s) for s in range(3))
        tensors = [descriptor(t, [64, d]) for t in (q, k, v, zeros(n, d))]
        for specialised in (False, True):
            verdict, result = asked.run(kernels.attention, *tensors, 0.125, n, specialised, grid=2, num_stages=2)
            self.assertEqual("ok", verdict["verdict"])
            scores = numpy.exp2(q.astype(numpy.float64) @ k.T.astype(numpy.float64) * 0.125)
            self.assertLess(numpy.abs(result["do"] - scores @ v / scores.sum(1, keepdims=True)).max(), 0.01)


class OfGluon(unittest.TestCase):
    @staticmethod
    def arguments(M: int, N: int, K: int) -> Any:
        def of(shape: Any, block: Any) -> Any:
            return descriptor(random(*shape), block, NVMMASharedLayout.get_default_for(block, float16))

        return of((M, K), [64, 64]), of((K, N), [64, 64]), of((M, N), [64, 64]), K

    def test_a_matmul_by_two_partitions(self) -> None:
        da, db, dc, k = self.arguments(64, 128, 256)
        verdict, result = asked.run(gluon.matmul, da, db, dc, k, grid=(1, 2))
        self.assertEqual("ok", verdict["verdict"])
        wanted = random(64, 256).astype(numpy.float64) @ random(256, 128).astype(numpy.float64)
        self.assertLess(numpy.abs(result["dc"] - wanted).max(), 0.05)

    def test_one_statement_is_left_out(self) -> None:
        arrives = line_of(gluon.multiply, "total = warpgroup_mma(")
        stored = (line_of(gluon.multiply, "c.store"), line_of(gluon.multiply, "async_copy_shared_to_global"))
        loads = line_of(gluon.load, "(da, [row")
        waits = line_of(gluon.load, "mbarrier.wait(empty")
        found = {
            "fence": stored,
            "wait full": (loads, arrives),
            "wait empty": (arrives, loads),
            "arrive": (waits,),
        }
        for left_out, statements in found.items():
            with self.subTest(left_out):
                verdict = asked.check(gluon.matmul, *self.arguments(64, 64, 256), left_out, grid=(1, 1))
                self.assertIn(verdict["verdict"], ("hazard", "deadlock"))
                printed = " ".join(verdict["printed"].split())
                for statement in statements:
                    self.assertIn(statement, printed)

    def test_blackwell(self) -> None:
        def of(shape: Any) -> Any:
            return descriptor(random(*shape), list(shape), NVMMASharedLayout.get_default_for(list(shape), float16))

        tensors = of((128, 64)), of((64, 128)), of((128, 128))
        verdict, result = asked.run(gluon.matmul_blackwell, *tensors, grid=1, target="sm_100")
        self.assertEqual("ok", verdict["verdict"])
        wanted = random(128, 64).astype(numpy.float64) @ random(64, 128).astype(numpy.float64)
        self.assertLess(numpy.abs(result["dc"] - wanted).max(), 0.05)
        missing = asked.check(gluon.matmul_blackwell, *tensors, "wait done", grid=1, target="blackwell")
        printed = " ".join(missing["printed"].split())
        self.assertEqual("hazard", missing["verdict"])
        self.assertIn(line_of(gluon.matmul_blackwell, "tcgen05_mma("), printed)
        self.assertIn(line_of(gluon.matmul_blackwell, "total.load"), printed)


if __name__ == "__main__":
    unittest.main()
