"""From kernels of Triton and Gluon to verdicts and bits, through a process of ``tcspec serve``."""

import inspect
import unittest
from typing import Any, Sequence

try:
    import numpy
    import triton
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import gluon_kernels as gluon
import tcspec
import triton_kernels as kernels
from tcspec import Array, Refused, Tensor
from tcspec.triton import descriptor
from triton.experimental.gluon.language import NVMMASharedLayout, float16


def random(*shape: int, dtype: Any = numpy.float16, seed: int = 0) -> Any:
    return numpy.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def zeros(*shape: int, dtype: Any = numpy.float16) -> Any:
    return numpy.zeros(shape, dtype)


def line_of(function: Any, words: str) -> str:
    """``file.py:line: text`` of the line of a kernel that has these words."""
    source, first = inspect.getsourcelines(function.fn)
    (k,) = [k for k, line in enumerate(source) if words in line]
    return f"{function.fn.__code__.co_filename.rsplit('/', 1)[-1]}:{first + k}: {source[k].strip()}"


def pairs_of(verdict: Any) -> Sequence[tuple[str, ...]]:
    """The lines of the statements of each finding."""
    return [tuple(str(statement) for statement in finding.statements) for finding in verdict.findings]


class Verdicts(unittest.TestCase):
    def ok(self, verdict: Any) -> Any:
        self.assertTrue(verdict.ok, str(verdict))
        return verdict

    def test_elementwise(self) -> None:
        x, y, out = (random(1000, dtype=numpy.float32, seed=s) for s in range(3))
        before = out.copy()
        self.ok(tcspec.check(kernels.add, x, y, out, 1000, grid=(8,), BLOCK=128))
        self.ok(tcspec.check(kernels.add[(8,)], x, y, out, 1000, 128))
        run = self.ok(tcspec.run(kernels.add[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)], x, y, out, 1000, BLOCK=128))
        self.assertEqual(["out"], list(run.result))
        numpy.testing.assert_array_equal(x + y, run.result["out"])
        numpy.testing.assert_array_equal(before, out, "an argument stays what it is")

    def test_scales_in_chunks(self) -> None:
        steps, bn = 2, 128
        rng = numpy.random.default_rng(5)
        fours = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])

        def operand(kind: str, rows: int, k: int) -> tuple[Any, Any]:
            """Bytes as the kernel is given them, and the numbers that they are."""
            if kind == "e2m1":
                codes = rng.integers(0, 16, (rows, k))
                return (codes[:, ::2] | codes[:, 1::2] << 4).astype(numpy.uint8), fours[codes]
            eighths = rng.integers(0x30, 0x48, (rows, k)).astype(numpy.uint8)
            return Tensor("e4m3", (rows, k), eighths.tobytes()), (1 + (eighths & 7) / 8) * 2.0 ** ((eighths >> 3) - 7.0)

        def scales(rows: int, count: int, vector: int) -> tuple[Any, Any]:
            """No two rows and no two columns alike, in chunks of 128 rows by 4: (row div 128, column div 4, row mod 32, row mod 128 div 32, column mod 4)."""
            powers = (numpy.arange(rows)[:, None] * 5 + numpy.arange(count)[None, :] * 3) % 7
            said = powers.reshape(rows // 128, 4, 32, count // 4, 4).transpose(0, 3, 2, 1, 4)
            laid = said.reshape(1, rows // 128, count // 4, 2, 256)
            if vector == 32:
                return (laid + 124).astype(numpy.uint8), 2.0 ** (powers - 3.0)
            bytes_of = (laid + 4 << 3).astype(numpy.uint8)
            return Tensor("e4m3", laid.shape, bytes_of.tobytes()), 2.0 ** (powers - 3.0)

        for left, right, vector, bk in (("e4m3", "e4m3", 32, 128), ("e2m1", "e2m1", 16, 256), ("e4m3", "e2m1", 32, 128)):
            k = steps * bk
            (a, x), (b, y) = operand(left, 128, k), operand(right, bn, k)
            (sa, u), (sb, v) = scales(128, k // vector, vector), scales(bn, k // vector, vector)
            c = zeros(128, bn, dtype=numpy.float32)
            chunks = bk // vector // 4
            wide = [bk // (2 if kind == "e2m1" else 1) for kind in (left, right)]
            run = tcspec.run(
                kernels.block_scaled,
                descriptor(a, [128, wide[0]]),
                descriptor(sa, [1, 1, chunks, 2, 256]),
                descriptor(b, [bn, wide[1]]),
                descriptor(sb, [1, bn // 128, chunks, 2, 256]),
                descriptor(c, [128, bn]),
                STEPS=steps, BN=bn, BK=bk, VECTOR=vector, LEFT=left, RIGHT=right, grid=(1,), target="sm_100",
            )
            expected = (x * u.repeat(vector, 1)) @ (y * v.repeat(vector, 1)).T
            numpy.testing.assert_allclose(run.result["dc"], expected, rtol=1e-5, err_msg=f"{left} {right}")

    def test_programs_that_write_the_same_bytes(self) -> None:
        verdict = tcspec.check(kernels.last, Array("i32", (1,)), grid=2)
        stores = line_of(kernels.last, "tl.store")
        self.assertEqual("hazard", verdict.verdict)
        self.assertEqual((stores, stores), pairs_of(verdict)[0])

    def test_a_float_is_the_one_that_the_chip_is_given(self) -> None:
        x, out = random(256, dtype=numpy.float32), zeros(256, dtype=numpy.float32)
        for factor in (0.1, float("inf"), -0.0, 3e-40):
            result = tcspec.run(kernels.scaled, x, out, factor, grid=2, BLOCK=128).result["out"]
            wanted = x * numpy.float32(factor)
            numpy.testing.assert_array_equal(wanted.view("uint32"), result.view("uint32"))

    def test_strides(self) -> None:
        x = random(96, 64)
        for seen in (x[:32, :32], x[:32, ::2], x[:32, :32].T, x[::3, 32:]):
            down, right = (stride // 2 for stride in seen.strides)
            run = self.ok(tcspec.run(kernels.transposed, seen, zeros(32, 32), down, right, grid=1, SIZE=32))
            numpy.testing.assert_array_equal(seen, run.result["out"])

    def test_integers_that_are_addresses_are_what_they_are_without_other_data(self) -> None:
        rows = numpy.array([3, 0, 2, 1], numpy.int32)
        x, out = Array("f16", (4, 64)), Array("f16", (4, 64))
        self.ok(tcspec.check(kernels.picked, x, rows, out, grid=4, SIZE=64))
        self.assertFalse(tcspec.check(kernels.picked, x, rows + 1, out, grid=4, SIZE=64).ok)
        run = tcspec.run(kernels.picked, random(4, 64), rows, out, grid=4, SIZE=64)
        numpy.testing.assert_array_equal(random(4, 64)[rows], run.result["out"])

    def test_one_array_twice_is_one_tensor(self) -> None:
        x = random(128)
        run = tcspec.run(kernels.in_place, x, x, grid=1, BLOCK=128)
        self.assertEqual(["x"], list(run.result))
        numpy.testing.assert_array_equal(2 * x, run.result["x"])

    def test_element_types(self) -> None:
        for dtype in (numpy.int8, numpy.uint8, numpy.int32, numpy.uint32, numpy.float32, numpy.float16):
            with self.subTest(dtype):
                x = numpy.arange(100, 228).astype(dtype)
                result = tcspec.run(kernels.in_place, x, zeros(128, dtype=dtype), grid=1, BLOCK=128).result["out"]
                self.assertEqual(dtype, result.dtype.type)
                numpy.testing.assert_array_equal((2 * x).astype(dtype), result)
        truths = numpy.arange(128) % 3 == 0
        result = tcspec.run(kernels.copied, truths, zeros(128, dtype=bool), grid=1, BLOCK=128).result["out"]
        self.assertEqual(numpy.dtype(bool), result.dtype)
        numpy.testing.assert_array_equal(truths, result)
        bf16 = Tensor.of_bits("bf16", [128], [0x3F80 + k for k in range(128)])
        result = tcspec.run(kernels.in_place, bf16, Array("bf16", (128,)), grid=1, BLOCK=128).result["out"]
        self.assertEqual([0x4000 + k for k in range(128)], result.view("uint16").tolist())

    def test_a_tuple(self) -> None:
        run = tcspec.run(kernels.pair, random(64), (3, zeros(64), None), grid=1, SIZE=64)
        self.assertEqual((["numbers[1]"], ["numbers[1]"]), (list(run.result), list(run.outputs)))
        numpy.testing.assert_array_equal(random(64) + numpy.float16(3), run.result["numbers[1]"])

    def test_what_is_written_in_part(self) -> None:
        x, out = random(256, dtype=numpy.float32), numpy.full(256, 7, numpy.float32)
        for level in ("auto", "ttgir", "ptx"):
            with self.subTest(level):
                # what the caller gave stays where the kernel leaves it
                given = self.ok(tcspec.check(kernels.scaled, x, out, 1.5, grid=1, BLOCK=128, level=level))
                self.assertEqual(["O1"], [f.id for f in given.notes])
                for more in ({"outputs": ["out"]}, {}):
                    written = out if more else Array("f32", (256,))
                    whole = tcspec.check(kernels.scaled, x, written, 1.5, grid=1, BLOCK=128, level=level, **more)
                    self.assertEqual(["O1"], [f.id for f in whole.findings])
        run = self.ok(tcspec.run(kernels.scaled, x, out, 1.5, grid=1, BLOCK=128, outputs=[]))
        numpy.testing.assert_array_equal([7.0] * 128, run.result["out"][128:])

    def test_data_that_are_read_are_asked_for(self) -> None:
        with self.assertRaises(Refused) as refused:
            tcspec.run(kernels.scaled, Array("f16", (256,)), zeros(256), 2.0, grid=2, BLOCK=128)
        self.assertEqual("scaled: x: expected data, since the kernel reads it, found extents alone", str(refused.exception))
        self.assertEqual("triton.data", refused.exception.code)

    def test_a_number_in_an_array(self) -> None:
        run = tcspec.run(kernels.last, numpy.array(7, numpy.int32), grid=1)
        self.assertEqual(((), 0), (run.result["out"].shape, int(run.result["out"])))

    def test_what_cannot_be_judged_is_refused_at_its_line(self) -> None:
        x = Array("f32", (64,))
        with self.assertRaisesRegex(Refused, r"^triton_kernels\.py:\d+: tt\.elementwise_inline_asm: .* \(line \d+ of the TTGIR\)$"):
            tcspec.check(kernels.assembled, x, x, grid=1, BLOCK=64, level="ttgir")

    def test_mutants(self) -> None:
        x = Array("f32", (256,))
        mutation = tcspec.mutate(kernels.scaled, x, Array("f32", (256,)), 2.0, grid=2, BLOCK=128)
        self.assertIn("DROP", str(mutation))


class Flattened(unittest.TestCase):
    """A loop over tiles and K: the new sum is chosen while the last product is in flight, and written behind the wait for it."""

    def setUp(self) -> None:
        self.a, self.b, self.c = random(256, 192), random(192, 256), zeros(256, 256)
        self.maps = descriptor(self.a, [128, 64]), descriptor(self.b, [64, 128]), descriptor(self.c, [128, 128])
        self.rest: Any = (256, 256, 192)
        self.named: Any = {"BM": 128, "BN": 128, "BK": 64, "PROGRAMS": 2, "grid": 2, "num_stages": 3}

    def test_it_is_right(self) -> None:
        run = tcspec.run(kernels.flattened, *self.maps, *self.rest, **self.named, level="ttgir")
        self.assertTrue(run.ok, str(run))
        wanted = self.a.astype(numpy.float64) @ self.b.astype(numpy.float64)
        self.assertLess(numpy.abs(run.result["dc"] - wanted).max(), 0.1)
        other = tcspec.run(kernels.flattened, *self.maps, *self.rest, **self.named, level="ptx")
        self.assertTrue(other.ok, str(other))
        self.assertEqual(run.result["dc"].tobytes(), other.result["dc"].tobytes())

    def test_without_the_wait(self) -> None:
        exported = tcspec.triton.export(kernels.flattened, *self.maps, *self.rest, **self.named, level="ttgir")
        lines = exported.launches[0].document["ttgir"].splitlines()
        self.assertTrue(any("arith.select" in line and "tensor<128x128xf32" in line for line in lines))
        waits = [k for k, line in enumerate(lines, 1) if "warp_group_dot_wait" in line and "pendings = 0" in line]
        found = tcspec.check(kernels.flattened, *self.maps, *self.rest, **self.named, without=str(waits[0]))
        self.assertIn("M1", {finding.id for finding in found.findings})


class Matmuls(unittest.TestCase):
    M, N, K = 128, 128, 96

    def setUp(self) -> None:
        self.a, self.b, self.c = random(self.M, self.K), random(self.K, self.N), zeros(self.M, self.N)

    def descriptors(self, BM: int, BN: int, BK: int) -> Any:
        return descriptor(self.a, [BM, BK]), descriptor(self.b, [BK, BN]), descriptor(self.c, [BM, BN])

    def right(self, ids: Sequence[str], kernel: Any, *arguments: Any, name: str = "c", **keywords: Any) -> Any:
        """Its bits are a matmul's; the findings are those of Triton's own making (docs/triton-modules.md)."""
        run = tcspec.run(kernel, *arguments, **keywords)
        self.assertEqual(set(ids), {finding.id for finding in run.findings}, str(run))
        wanted = self.a.astype(numpy.float64) @ self.b.astype(numpy.float64)
        self.assertLess(numpy.abs(run.result[name] - wanted).max(), 0.05)
        return run

    def test_pointers(self) -> None:
        sizes = (self.M, self.N, self.K, self.K, self.N, self.N)
        blocks = {"BM": 64, "BN": 64, "BK": 32}
        run = self.right(["P1"], kernels.matmul, self.a, self.b, self.c, *sizes, grid=(2, 2), **blocks)
        dot = line_of(kernels.matmul, "tl.dot")
        self.assertEqual((dot, dot), pairs_of(run)[0])
        # one stage: no copy is ahead of its product
        self.right([], kernels.matmul, self.a, self.b, self.c, *sizes, grid=(2, 2), num_stages=1, **blocks)

    def test_host_descriptors(self) -> None:
        self.right([], kernels.matmul_host, *self.descriptors(64, 64, 32), self.K, False, grid=(2, 2), name="dc")
        self.right(["B7"], kernels.matmul_host, *self.descriptors(64, 64, 32), self.K, True, grid=(2, 2), name="dc")

    def test_padding(self) -> None:
        for padding, outside in (("zero", 0.0), ("nan", float("nan"))):
            a = descriptor(self.a[:, :80].copy(), [64, 32], padding=padding)
            run = tcspec.run(kernels.matmul_host, a, *self.descriptors(64, 64, 32)[1:], self.K, False, grid=(2, 2))
            wide = numpy.pad(self.a[:, :80].astype(numpy.float64), ((0, 0), (0, 16)), constant_values=outside)
            numpy.testing.assert_allclose(wide @ self.b.astype(numpy.float64), run.result["dc"], atol=0.05)

    def test_device_descriptors(self) -> None:
        sizes = (self.M, self.N, self.K)
        self.right([], kernels.matmul_device, self.a, self.b, self.c, *sizes, grid=(2, 2), BM=64, BN=64, BK=32)

    def test_persistent(self) -> None:
        sizes = (self.M, self.N, self.K)
        self.right([], kernels.matmul_persistent, *self.descriptors(64, 64, 32), *sizes, 3, grid=3, name="dc")

    def test_autotuned(self) -> None:
        # the blocks of the descriptors are set by the configuration
        descriptors = self.descriptors(16, 16, 16)

        def grid(meta: Any) -> Any:
            return self.M // meta["BM"], self.N // meta["BN"]

        run = self.right([], kernels.tuned, *descriptors, self.K, grid=grid, name="dc")
        self.assertIn("tuned (configuration 0 of 3: BM=64, BN=64, BK=32, num_warps=4", str(run))
        run = self.right([], kernels.tuned[grid], *descriptors, self.K, config={"num_warps": 8}, name="dc")
        self.assertIn("tuned (configuration 2 of 3: BM=64, BN=128, BK=32, num_warps=8", str(run))

    def test_proof(self) -> None:
        verdict = tcspec.check(
            kernels.matmul_host, *self.descriptors(64, 64, 32), self.K, False, grid=(2, 2), computes="matmul:da,db,dc"
        )
        self.assertTrue(verdict.proof and verdict.proof.proved)

    def test_attention(self) -> None:
        n, d = 128, 64
        q, k, v = (random(n, d, seed=s) for s in range(3))
        tensors = [descriptor(t, [64, d]) for t in (q, k, v, zeros(n, d))]
        for specialised, ids in ((False, set()), (True, {"B7"})):
            run = tcspec.run(kernels.attention, *tensors, 0.125, n, specialised, grid=2, num_stages=2)
            self.assertEqual(ids, {finding.id for finding in run.findings})
            scores = numpy.exp2(q.astype(numpy.float64) @ k.T.astype(numpy.float64) * 0.125)
            self.assertLess(numpy.abs(run.result["do"] - scores @ v / scores.sum(1, keepdims=True)).max(), 0.01)


class OfGluon(unittest.TestCase):
    @staticmethod
    def tile(shape: Sequence[int], block: Sequence[int]) -> Any:
        return descriptor(random(*shape), block, NVMMASharedLayout.get_default_for(block, float16))

    def arguments(self, M: int, N: int, K: int) -> Any:
        return self.tile((M, K), [64, 64]), self.tile((K, N), [64, 64]), self.tile((M, N), [64, 64]), K

    def test_a_matmul_by_two_partitions(self) -> None:
        run = tcspec.run(gluon.matmul, *self.arguments(64, 128, 256), grid=(1, 2))
        self.assertTrue(run.ok, str(run))
        wanted = random(64, 256).astype(numpy.float64) @ random(256, 128).astype(numpy.float64)
        self.assertLess(numpy.abs(run.result["dc"] - wanted).max(), 0.05)

    def test_one_statement_is_left_out(self) -> None:
        product = line_of(gluon.multiply, "total = warpgroup_mma(a")
        copy = line_of(gluon.load, "(da, [row")
        stored = (line_of(gluon.multiply, "c.store"), line_of(gluon.multiply, "async_copy_shared_to_global"))
        waiting = line_of(gluon.load, "mbarrier.wait(empty")
        for left_out, verdict, statements in (
            ("fence", "hazard", stored),
            ("wait full", "deadlock", (product, copy)),
            ("wait empty", "deadlock", (copy, copy)),
            ("arrive", "deadlock", (waiting,)),
        ):
            with self.subTest(left_out):
                found = tcspec.check(gluon.matmul, *self.arguments(64, 64, 256), left_out, grid=(1, 1), explore=True)
                self.assertEqual(verdict, found.verdict, str(found))
                self.assertIn(statements, pairs_of(found))

    def test_blackwell(self) -> None:
        tensors = [self.tile(shape, list(shape)) for shape in ((128, 64), (64, 128), (128, 128))]
        run = tcspec.run(gluon.matmul_blackwell, *tensors, grid=1, target="sm_100", level="ttgir")
        self.assertTrue(run.ok, str(run))
        # of the fences of tcgen05, which are the compiler's to write, its PTX has none
        text = tcspec.check(gluon.matmul_blackwell, *tensors, grid=1, target="sm_100")
        self.assertEqual(["M8"], sorted({f.id for f in text.notes if f.id == "M8"}))
        self.assertTrue(text.ok, str(text))
        wanted = random(128, 64).astype(numpy.float64) @ random(64, 128).astype(numpy.float64)
        self.assertLess(numpy.abs(run.result["dc"] - wanted).max(), 0.05)
        missing = tcspec.check(gluon.matmul_blackwell, *tensors, "wait done", grid=1, target="blackwell")
        self.assertEqual("hazard", missing.verdict)
        statements = (line_of(gluon.matmul_blackwell, "tcgen05_mma("), line_of(gluon.matmul_blackwell, "total.load"))
        self.assertIn(statements, pairs_of(missing))


if __name__ == "__main__":
    unittest.main()
