"""Arguments of Triton kernels: how they are specialised, what a launch says of them, and what is refused in one line. No process is asked."""

import subprocess
import sys
import unittest
from typing import Any, Mapping
from unittest import mock

try:
    import numpy
    import triton
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import gluon_kernels as gluon
import triton_kernels as kernels
from tcspec import Array, Refused, Tensor
from tcspec.triton import descriptor, export, is_kernel, takes, tensor, versions
from triton.tools.tensor_descriptor import TensorDescriptor


def launched(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
    (launch,) = export(kernel, *arguments, **keywords).launches
    return launch


def parameters(kernel: Any, *arguments: Any, **keywords: Any) -> str:
    """Of the function in the text."""
    text = launched(kernel, *arguments, **keywords).document["ttgir"]
    line = next(line for line in text.splitlines() if "tt.func public" in line)
    return line[line.index("(") + 1 :]


def x(*shape: int, dtype: str = "f16") -> Array:
    return Array(dtype, shape)


class Specialised(unittest.TestCase):
    """As a launch on the chip has it."""

    def scalar(self, value: Any, **keywords: Any) -> str:
        said = parameters(kernels.scaled, x(64), x(64), value, BLOCK=64, grid=1, **keywords)
        return said.split("%factor: ")[1].split(" loc(")[0] if "%factor" in said else "a constant"

    def test_numbers(self) -> None:
        self.assertEqual("i32", self.scalar(15))
        self.assertEqual("i32 {tt.divisibility = 16 : i32}", self.scalar(48))
        self.assertEqual("i32", self.scalar(2**31 - 1))
        self.assertEqual("i64 {tt.divisibility = 16 : i32}", self.scalar(2**31))
        self.assertEqual("i64", self.scalar(2**63 + 1))
        self.assertEqual("a constant", self.scalar(1))
        self.assertEqual("f32", self.scalar(1.0))
        self.assertEqual("i1", self.scalar(True))

    def test_pointers(self) -> None:
        whole = numpy.zeros(256, numpy.float16)
        aligned = "%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}"
        for array in (whole, whole[8:], whole[::2], x(64)):
            self.assertTrue(parameters(kernels.in_place, array, x(64), BLOCK=64, grid=1).startswith(aligned))
        for array in (whole[1:], whole[4:]):
            self.assertTrue(parameters(kernels.in_place, array, x(64), BLOCK=64, grid=1).startswith("%x: !tt.ptr<f16> loc"))

    def test_element_types(self) -> None:
        named = {"f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "u8": "i8", "i64": "i64", "i1": "i1"}
        for ours, theirs in named.items():
            said = parameters(kernels.copied, x(64, dtype=ours), x(64, dtype=ours), BLOCK=64, grid=1)
            self.assertIn(f"!tt.ptr<{theirs}>", said)

    def test_the_chip(self) -> None:
        out = x(1, dtype="i32")
        texts = {t: launched(kernels.asks_its_chip, out, grid=1, target=t).document["ttgir"] for t in (None, "sm_90", "sm90a", "H100", 90, "cuda:90", "sm_100", "blackwell", "B200")}
        for target, text in texts.items():
            chip = 100 if target in ("sm_100", "blackwell", "B200") else 90
            self.assertIn(f'ttg.target = "cuda:{chip}"', text)
            self.assertIn(f"arith.constant {chip} : i32", text)

    def test_options(self) -> None:
        text = launched(kernels.matmul_host, *self.descriptors(), 64, False, grid=1, num_warps=8, num_stages=2).document["ttgir"]
        self.assertIn('"ttg.num-warps" = 8', text)
        self.assertIn("!ttg.memdesc<2x64x32xf16", text)

    @staticmethod
    def descriptors() -> Any:
        return descriptor(x(64, 64), [64, 32]), descriptor(x(64, 64), [32, 64]), descriptor(x(64, 64), [64, 64])

    def test_a_driver_that_is_there_is_left_as_it_was(self) -> None:
        before = triton.runtime.driver._active
        launched(kernels.in_place, x(32), x(32), BLOCK=32, grid=1)
        with self.assertRaises(triton.compiler.errors.CompilationError):
            launched(kernels.does_not_compile, x(32), BLOCK=32, grid=1)
        self.assertIs(before, triton.runtime.driver._active)

    def test_a_text_is_made_once(self) -> None:
        one = launched(kernels.in_place, x(64), x(64), BLOCK=64, grid=1).document["ttgir"]
        other = launched(kernels.in_place, numpy.zeros(128, numpy.float16), x(64), BLOCK=64, grid=2).document["ttgir"]
        self.assertIs(one, other)


class Launches(unittest.TestCase):
    """What a request says."""

    def test_of_tensors_and_numbers(self) -> None:
        a = numpy.zeros((4, 8), numpy.float32)
        launch = launched(kernels.add, a.T, x(32), numpy.zeros(32, numpy.int32), 32, BLOCK=32, grid=(1, 2))
        self.assertEqual(
            [
                {"tensor": "x", "dtype": "f32", "shape": [8, 4], "strides": [1, 8], "file": None},
                {"tensor": "y", "dtype": "f16", "shape": [32], "file": None},
                {"tensor": "out", "dtype": "i32", "shape": [32], "file": "out.npy"},
                32,
            ],
            launch.params["launch"]["args"],
        )
        self.assertEqual([1, 2], launch.params["launch"]["grid"])
        self.assertEqual((["x", "out"], None, "add"), (launch.inputs, launch.outputs, launch.name))
        self.assertEqual({"triton_kernels.py", "out.npy", "kernel.ptx", "kernel.json"}, set(launch.params["files"]))
        self.assertIn("def add(x, y", launch.params["files"]["triton_kernels.py"])

    def numbers(self, *values: Any) -> Any:
        said = []
        for value in values:
            launch = launched(kernels.scaled, x(64), x(64), value, BLOCK=64, grid=1)
            said.append(launch.params["launch"]["args"][2])
        return said

    def test_numbers_that_json_does_not_have_are_texts(self) -> None:
        self.assertEqual([48, True, 0.1], self.numbers(48, True, 0.1))
        self.assertEqual(["9007199254740993", "-9223372036854775807", "inf", "nan", "-0.0"], self.numbers(2**53 + 1, 2**63 + 1, float("inf"), float("nan"), -0.0))

    def test_grids(self) -> None:
        def grid(kernel: Any, said: Any) -> Any:
            return launched(kernel, x(64), x(64), BLOCK=32, grid=said).params["launch"]["grid"]

        self.assertEqual([2], grid(kernels.in_place, 2))
        self.assertEqual([2, 3, 4], grid(kernels.in_place, (numpy.int64(2), 3, 4)))
        self.assertEqual([2], grid(kernels.in_place, lambda meta: (64 // meta["BLOCK"],)))
        self.assertEqual([5], grid(kernels.in_place[(5,)], None))

    def test_tuples_and_names(self) -> None:
        launch = launched(kernels.pair, x(64), (3, x(64), None), SIZE=64, grid=1)
        self.assertEqual(["x", 3, "numbers_1"], [a if isinstance(a, int) else a["tensor"] for a in launch.params["launch"]["args"]])

    def test_heuristics(self) -> None:
        launch = launched(kernels.guessed, x(100), x(100), 100, grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),))
        self.assertEqual([1], launch.params["launch"]["grid"])
        self.assertIn("tensor<128x", launch.document["ttgir"])

    def test_a_wrapper_of_a_library(self) -> None:
        class Remembering(type(kernels.tuned)):
            """As libraries have it, which keep what was measured."""

        wrapped = Remembering.__new__(Remembering)
        wrapped.__dict__.update(kernels.tuned.__dict__)
        self.assertTrue(is_kernel(wrapped))
        self.assertFalse(is_kernel(Remembering))

    def test_configurations(self) -> None:
        def chosen(config: Any) -> str:
            descriptors = [descriptor(x(256, 256), [16, 16]) for _ in range(3)]
            return str(launched(kernels.tuned, *descriptors, 256, grid=1, config=config).name)

        self.assertIn("(configuration 0 of 3: BM=64, BN=64, BK=32, num_warps=4", chosen(None))
        self.assertIn("(configuration 1 of 3: BM=128", chosen(1))
        self.assertIn("(configuration 2 of 3: ", chosen({"BN": 128}))
        self.assertIn("(configuration 2 of 3: ", chosen(kernels.tuned.configs[2]))

    def test_one_memory_seen_twice(self) -> None:
        a = numpy.zeros((2, 32, 64), numpy.float16)
        flat = TensorDescriptor(tensor(a), [64, 64], [64, 1], [64, 32])
        other = descriptor(numpy.zeros((64, 64), numpy.float16), [32, 64])
        launch = launched(kernels.matmul_host, flat, other, descriptor(x(64, 64), [64, 64]), 64, False, grid=1)
        self.assertEqual([64, 64], launch.params["launch"]["args"][0]["shape"])
        part = TensorDescriptor(tensor(a), [64, 32], [64, 1], [64, 32])
        launch = launched(kernels.matmul_host, part, other, descriptor(x(64, 64), [64, 64]), 64, False, grid=1)
        self.assertEqual([64, 1], launch.params["launch"]["args"][0]["strides"])

    def test_extents_have_no_memory_that_two_arguments_could_share(self) -> None:
        one = x(64)
        launch = launched(kernels.in_place, one, one, BLOCK=64, grid=1)
        self.assertEqual(["x", "out"], [a["tensor"] for a in launch.params["launch"]["args"]])

    def test_kernels_are_known(self) -> None:
        for kernel in (kernels.add, kernels.tuned, kernels.guessed, gluon.matmul, kernels.add[(1,)], kernels.tuned[(1,)]):
            self.assertTrue(is_kernel(kernel))
        for other in (x, "add", numpy.zeros(1), triton.jit, triton.Config({})):
            self.assertFalse(is_kernel(other))
        self.assertTrue(takes(kernels.tuned, "BM") and takes(kernels.add[(1,)], "num_warps"))
        self.assertFalse(takes(kernels.tuned, "explore"))


class OfTorch(unittest.TestCase):
    """Tensors that say what they are as those of torch do."""

    class Dtype:
        def __init__(self, name: str) -> None:
            self.name_, self.itemsize, self.is_floating_point = name, 2, True

        def __str__(self) -> str:
            return f"torch.{self.name_}"

    class Like:
        def __init__(self, array: Any, dtype: str) -> None:
            self.array, self.dtype, self.shape, self.device = array, OfTorch.Dtype(dtype), array.shape, "cpu"

        def data_ptr(self) -> int:
            return int(self.array.ctypes.data)

        def stride(self) -> Any:
            return tuple(s // self.element_size() for s in self.array.strides)

        def element_size(self) -> int:
            return int(self.array.itemsize)

        def numel(self) -> int:
            return int(self.array.size)

        def cpu(self) -> Any:
            return self

        detach = cpu

        def contiguous(self) -> Any:
            return OfTorch.Like(numpy.ascontiguousarray(self.array), self.dtype.name_)

    def test_types_strides_and_data(self) -> None:
        bits = numpy.arange(64, dtype=numpy.uint16).reshape(8, 8)
        made = tensor(self.Like(bits.T, "bfloat16"))
        self.assertEqual(("bf16", (8, 8), (1, 8)), (made.dtype, made.shape, made.strides))
        held = made.tensor()
        assert held is not None
        self.assertEqual(("bf16", bits.T.ravel().tolist()), (held.dtype, held.bits))

    def test_a_launch(self) -> None:
        like = self.Like(numpy.zeros((64, 64), numpy.float16), "float16")
        launch = launched(kernels.in_place, like, like, BLOCK=64, grid=1)
        self.assertEqual({"x"}, {a["tensor"] for a in launch.params["launch"]["args"]})
        flat = TensorDescriptor(like, [64, 64], [64, 1], [64, 32])
        launch = launched(kernels.matmul_host, flat, descriptor(x(64, 64), [32, 64]), descriptor(x(64, 64), [64, 64]), 64, False, grid=1)
        self.assertEqual({"tensor": "da", "dtype": "f16", "shape": [64, 64], "file": None}, launch.params["launch"]["args"][0])


class RefusedInOneLine(unittest.TestCase):
    def says(self, code: str, line: str, kernel: Any, *arguments: Any, **keywords: Any) -> None:
        with self.assertRaises(Refused) as refused:
            export(kernel, *arguments, **keywords)
        self.assertEqual((code, line), (refused.exception.code, str(refused.exception)))

    def test_arguments(self) -> None:
        one = x(64)
        self.says("triton.arguments", "in_place: expected 3 arguments, found none for out (a tensor, a descriptor or a number), BLOCK (a constexpr)", kernels.in_place, one, grid=1)
        self.says("triton.arguments", "in_place: expected at most 3 arguments, for x, out, BLOCK, found 4", kernels.in_place, one, one, 64, 4, grid=1)
        self.says("triton.arguments", "in_place: x: expected one value, found one by its place and one by its name", kernels.in_place, one, x=one, out=one, BLOCK=64, grid=1)
        self.says("triton.arguments", "in_place: expected a parameter (x, out, BLOCK) or an option of Triton's compiler, found 'BLOK'; did you mean 'BLOCK'?", kernels.in_place, one, one, BLOK=64, grid=1)
        self.says("triton.argument", "in_place: out: expected a tensor, a descriptor, a number, a tuple of such or None, found object", kernels.in_place, one, object(), BLOCK=64, grid=1)
        self.says("triton.argument", "scaled: factor: expected a tensor, a descriptor, a number, a tuple of such or None, found numpy.int32: say factor.item()", kernels.scaled, one, one, numpy.int32(3), BLOCK=64, grid=1)

    def test_grids(self) -> None:
        one, line = x(64), "in_place: expected a grid, grid=(programs along x, y, z) or kernel[grid], found none"
        self.says("triton.grid", line, kernels.in_place, one, one, BLOCK=64)
        for grid in ((4,), [2, 2]):
            said = f"in_place: expected a grid by its name, found one in the place of the first argument: say grid={grid!r}"
            self.says("triton.grid", said, kernels.in_place, grid, one, one, BLOCK=64)
            self.says("triton.grid", said, kernels.in_place, grid, one, one, 64)
        for grid in ((0,), (1, 2, 3, 4), -1):
            self.says("triton.grid", f"in_place: grid: expected one, two or three positive extents, found {grid!r}", kernels.in_place, one, one, BLOCK=64, grid=grid)
        self.says("triton.grid", "in_place: grid: expected whole numbers, found (1.5,)", kernels.in_place, one, one, BLOCK=64, grid=(1.5,))
        self.says("triton.grid", "expected one grid, found grid= beside kernel[grid]", kernels.in_place[(1,)], one, one, BLOCK=64, grid=2)

    def test_targets_and_levels(self) -> None:
        one = x(64)
        self.says("triton.target", "target: expected 'sm_90' or 'sm_100', found 'sm_80'", kernels.in_place, one, one, BLOCK=64, grid=1, target="sm_80")
        self.says("level", "level: expected 'auto', 'ttgir', 'ptx', found 'cubin'", kernels.in_place, one, one, BLOCK=64, grid=1, level="cubin")

    def test_tensors(self) -> None:
        known = "f16, bf16, f32, f64, e4m3, e5m2, i1, i8, i16, i32, i64, u8, u16, u32, u64"
        self.says("triton.dtype", f"x: expected elements of {known}, found e8m0: scales are u8 for Triton", kernels.in_place, x(64, dtype="e8m0"), x(64), BLOCK=64, grid=1)
        self.says("triton.dtype", f"x: expected elements of {known}, found void16: bf16 is numpy's with ml_dtypes, or tcspec.Tensor('bf16', ...)", kernels.in_place, numpy.zeros(64, "V2"), x(64), BLOCK=64, grid=1)
        self.says("triton.dtype", f"x: expected elements of {known}, found complex64", kernels.in_place, numpy.zeros(64, "complex64"), x(64), BLOCK=64, grid=1)
        back = numpy.zeros(64, numpy.float16)[::-1]
        self.says("triton.strides", "in_place: x: expected positive extents and strides of 0 or more, found extents (64,) and strides (-1,)", kernels.in_place, back, x(64), BLOCK=64, grid=1)
        whole = numpy.zeros(256, numpy.float16)
        self.says("triton.alias", "in_place: out: expected extents (256,) and strides (1,), as x has, which begins at the same address, found (64,) and (1,)", kernels.in_place, whole, whole[:64], BLOCK=64, grid=1)
        odd = numpy.zeros(64, [("a", "i1"), ("b", "i2")])["b"]
        self.says("triton.strides", "x: expected strides of whole elements, found (3,) bytes for elements of 2", kernels.in_place, odd, x(64), BLOCK=64, grid=1)
        far = TensorDescriptor(tensor(whole), [64, 64], [64, 1], [64, 32])
        self.says("triton.descriptor", "da: expected a descriptor of what its tensor (256,) has, found extents (64, 64) and strides (64, 1)", kernels.matmul_host, far, far, far, 64, False, grid=1)
        self.says("triton.outputs", "in_place: outputs: expected tensors among the arguments, x, out, found 'y'", kernels.in_place, whole, x(64), BLOCK=64, grid=1, outputs=["y"])

    def test_configurations(self) -> None:
        d = descriptor(x(64, 64), [16, 16])
        known = "; ".join(f"BM={m}, BN={n}, BK={k}, num_warps={w}, num_ctas=1, num_stages=3" for m, n, k, w in ((64, 64, 32, 4), (128, 64, 64, 4), (64, 128, 32, 8)))
        self.says("triton.config", "tuned: config: expected 0 to 2, found 3", kernels.tuned, d, d, d, 64, grid=1, config=3)
        self.says("triton.config", f"tuned: config: expected values that a configuration has ({known}), found {{'BM': 7}}", kernels.tuned, d, d, d, 64, grid=1, config={"BM": 7})
        self.says("triton.config", "tuned: BM: expected to be said by the configuration alone, found as an argument too: config={'BM': ...} chooses", kernels.tuned, d, d, d, 64, BM=64, grid=1)
        self.says("triton.config", "add: config: expected an autotuned kernel, found one without configurations", kernels.add, d, d, d, 64, 64, grid=1, config=0)

    def test_what_triton_says_of_a_kernel_comes_as_it_says_it(self) -> None:
        with self.assertRaisesRegex(triton.compiler.errors.CompileTimeAssertionFailure, "BLOCK is to be three"):
            export(kernels.does_not_compile, x(64), BLOCK=4, grid=1)

    def test_versions(self) -> None:
        for found, code, line in (
            (mock.Mock(__version__="3.5.1"), "triton.version", "expected Triton 3.6.0, found 3.5.1"),
            (None, "triton.missing", "expected Triton, found none (import of triton halted; None in sys.modules): pip install triton==3.6.0"),
        ):
            versions.parts.cache_clear()
            with mock.patch.dict(sys.modules, {"triton": found}):
                self.says(code, line, kernels.in_place, x(64), x(64), BLOCK=64, grid=1)
        versions.parts.cache_clear()


class Imports(unittest.TestCase):
    def test_neither_triton_nor_numpy_is_imported_before_a_kernel_is_asked_about(self) -> None:
        words = "import sys, tcspec.triton; print(sorted({'triton', 'numpy', 'torch', 'jax'} & set(sys.modules)))"
        said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
        self.assertEqual("[]", said.stdout.strip())


if __name__ == "__main__":
    unittest.main()
