"""Layouts, products and comparisons on numpy arrays."""

from __future__ import annotations

import pathlib
import sys
import unittest

try:
    import numpy
except ImportError as missing:
    raise unittest.SkipTest(f"needs numpy: {missing}") from None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tcspec  # noqa: E402
from tcspec import layouts  # noqa: E402


class Layouts(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def test_registers_of_an_array_and_back(self) -> None:
        wgmma = layouts.layout("WGMMA", shape=(64, 16))
        self.assertEqual(wgmma.elements.shape, (4, 32, 8, 2))
        # by hand: lane 5 is in row 1 of its warp's eight; its second pair is eight rows down
        self.assertEqual(wgmma.elements[0, 5, 2].tolist(), [9, 2])
        x = numpy.arange(64 * 16).reshape(64, 16)
        held = wgmma.registers(x)
        self.assertEqual(held[0, 5, 2], x[9, 2])
        numpy.testing.assert_array_equal(wgmma.array(held), x)
        with self.assertRaisesRegex(ValueError, r"expected an array of shape \(64, 16\), found \(16, 64\)"):
            wgmma.registers(x.T)
        self.assertTrue(wgmma.svg().startswith("<svg"))

    def test_bytes_of_an_array_in_shared_memory(self) -> None:
        plain = layouts.transform("tile=8x64", shape=(16, 64), dtype=numpy.float16)
        self.assertEqual(plain.physical_shape.tolist(), [2, 1, 8, 64])
        x = numpy.arange(16 * 64, dtype=numpy.float16).reshape(16, 64)
        numpy.testing.assert_array_equal(plain.memory(x).view(numpy.float16), x.reshape(-1))
        swizzled = layouts.transform("tile=8x64", "swizzle=128", shape=(16, 64), dtype="f16")
        memory = swizzled.memory(x).view(numpy.float16)
        numpy.testing.assert_array_equal(memory[swizzled.addresses // 2], x)
        # row 1: chunks of 16 bytes change places by pairs
        self.assertEqual(swizzled.addresses[1, 0], 128 + 16)
        with self.assertRaises(ValueError):
            swizzled.memory(x.astype(numpy.float32))
        self.assertEqual(layouts.image((8, 64), dtype="float16", swizzle=128).transaction_bytes, 1024)

    def test_algebra_and_banks(self) -> None:
        found = layouts.cute("composition", "(6,2):(8,2)", "(4,3):(3,1)")
        self.assertEqual((found.text, found.values.tolist()[:4]), ("((2,2),3):((24,2),8)", [0, 24, 2, 26]))
        linear = layouts.linear("WGMMA", shape=(64, 16), dtype="f16")
        self.assertEqual((linear.rank, linear.layout.bases.warp.tolist()), (10, [[16, 0], [32, 0]]))
        self.assertEqual(layouts.banks("WGMMA", "tile=8x64", "swizzle=128", shape=(64, 64)).conflicts, 0)
        self.assertIn("256 columns in use", str(layouts.tmem("acc=DEFAULT(1):128x256:f32")))
        with self.assertRaises(tcspec.Refused):
            layouts.layout("no such layout")
        with self.assertRaisesRegex(AttributeError, "expected a member, .*rank.*; found 'rnak'"):
            linear.rnak

    def test_products_and_comparisons(self) -> None:
        a = numpy.eye(16, dtype=numpy.float16) * numpy.float16(0.5)
        b = numpy.arange(256, dtype=numpy.float16).reshape(16, 16)
        product = tcspec.mma(a, b)
        self.assertEqual(product.dtype, numpy.float32)
        numpy.testing.assert_array_equal(product, b.astype(numpy.float32) / 2)
        self.assertEqual(tcspec.mma(a, b, acc="f16").dtype, numpy.float16)
        numpy.testing.assert_array_equal(tcspec.mma(a, b, product), product * 2)
        self.assertTrue(tcspec.compare(product, product))
        other = product.copy()
        other[3, 5] = numpy.nextafter(other[3, 5], numpy.float32(1e9))
        found = tcspec.compare(other, product)
        self.assertEqual((found.equal, found.different, found.max_ulp, found.first[0]["index"]), (False, 1, 1.0, [3, 5]))

    def test_types_of_ml_dtypes_keep_their_meaning(self) -> None:
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("needs ml_dtypes")
        a = numpy.ones((16, 32), ml_dtypes.float8_e4m3fn)
        b = numpy.full((32, 16), 0.5, ml_dtypes.float8_e5m2)
        numpy.testing.assert_array_equal(tcspec.mma(a, b), numpy.full((16, 16), 16, numpy.float32))
        one = numpy.ones((16, 16), ml_dtypes.bfloat16)
        self.assertEqual(tcspec.Tensor.of_numpy(one).dtype, "bf16")
        self.assertEqual(tcspec.Array(ml_dtypes.bfloat16, (2, 3)), tcspec.Array("bf16", (2, 3)))


if __name__ == "__main__":
    unittest.main()
