"""`pallas_call` for the Triton backend: lowered by JAX on the CPU, compiled by the Triton that is here, judged at both levels; oracles: JAX's references."""

from __future__ import annotations

import unittest
from typing import Any

try:
    import jax
    import numpy
    import triton
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX, Triton and numpy: {missing}") from None

if triton.__version__ != "3.6.0":
    raise unittest.SkipTest("needs Triton 3.6.0")

import jax.numpy as jnp
import tcspec
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt
from jax.experimental.pallas.ops.gpu import attention, decode_attention, layer_norm, paged_attention, rms_norm, softmax

RANDOM = numpy.random.default_rng(5)


def normal(*shape: int, dtype: Any = numpy.float32) -> Any:
    return RANDOM.normal(size=shape).astype(dtype)


class OnTriton(unittest.TestCase):
    @classmethod
    def tearDownClass(cls) -> None:
        tcspec.close()

    def near(self, function: Any, reference: Any, *arguments: Any, off: float) -> Any:
        run = tcspec.run(function, *arguments)
        for found, wanted in zip(jax.tree.leaves(run.result), jax.tree.leaves(reference(*arguments)), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(found, numpy.float64), numpy.asarray(wanted, numpy.float64), rtol=off, atol=off)
        return run

    def judged(self, wanted: str, function: Any, *arguments: Any) -> Any:
        verdict = tcspec.check(function, *arguments)
        for one in getattr(verdict, "kernels", None) or [verdict]:
            self.assertEqual((wanted, ["ttgir", "ptx"]), (one.verdict, [at.level for at in one.levels]), str(one))
        return verdict

    def test_softmax(self) -> None:
        x = normal(4, 100)
        self.near(softmax.softmax, jax.nn.softmax, x, off=1e-6)
        self.judged("ok", softmax.softmax, jax.ShapeDtypeStruct(x.shape, x.dtype))

    def test_normalisations(self) -> None:
        x, w, b = normal(2, 4, 128), normal(128), normal(128)
        for of, reference in ((layer_norm.layer_norm, layer_norm.layer_norm_reference), (rms_norm.rms_norm, rms_norm.rms_norm_reference)):
            self.near(lambda *a, of=of: of(*a), lambda *a, of=reference: of(*a), x, w, b, off=1e-5)
            self.judged("ok", lambda *a, of=of: of(*a), x, w, b)

    def test_attention(self) -> None:
        """Of Triton's own compiler is a fence between copies by the lanes and products that read them: it stands ahead of the loop alone."""
        q, k, v = (normal(1, 128, 1, 64, dtype=numpy.float16) for _ in range(3))
        sizes = attention.BlockSizes(block_q=64, block_k=64)

        def mha(q: Any, k: Any, v: Any) -> Any:
            return attention.mha(q, k, v, None, causal=True, block_sizes=sizes)

        self.near(mha, lambda q, k, v: attention.mha_reference(q, k, v, None, causal=True), q, k, v, off=1e-2)
        verdict = self.judged("hazard", mha, q, k, v)
        self.assertEqual({("P1", "compiler")}, {(finding.id, finding.whose) for finding in verdict.findings})
        self.assertTrue(all(s.file == "attention.py" for finding in verdict.findings for s in finding.statements))

    def test_decoding(self) -> None:
        q, k, v = normal(1, 8, 64, dtype=numpy.float16), normal(1, 128, 64, dtype=numpy.float16), normal(1, 128, 64, dtype=numpy.float16)

        def mqa(q: Any, k: Any, v: Any) -> Any:
            return decode_attention.mqa(q, k, v, k_splits=2, block_k=64)

        self.near(mqa, decode_attention.mqa_reference, q, k, v, off=1e-2)
        self.judged("ok", mqa, q, k, v)

    def test_pages(self) -> None:
        q = normal(1, 4, 64, dtype=numpy.float16)
        pages, values = (normal(1, 8, 16, 64, dtype=numpy.float16) for _ in range(2))
        table, lengths = numpy.array([[5, 0, 3, 6]], numpy.int32), numpy.array([50], numpy.int32)

        def paged(q: Any, k: Any, v: Any, table: Any, lengths: Any) -> Any:
            return paged_attention.paged_attention(q, k, v, table, lengths, block_h=16, k_splits=2, pages_per_compute_block=2)

        def reference(q: Any, k: Any, v: Any, table: Any, lengths: Any) -> Any:
            gathered = [x[:, table[0]].reshape(1, 1, 64, 64).transpose(0, 2, 1, 3) for x in (k, v)]
            return paged_attention.paged_attention_reference(q, *gathered, lengths)

        self.near(paged, reference, q, pages, values, table, lengths, off=1e-2)

    def test_ones_own(self) -> None:
        def body(x: Any, n: Any, o: Any) -> None:
            at = pl.program_id(0)
            o[...] = plt.load(x) * 2 + n[...].astype(jnp.float32) + at

        def function(x: Any, n: Any, rows: int = 4) -> Any:
            spec = pl.BlockSpec((1, 64), lambda i: (i, 0))
            return pl.pallas_call(
                body, grid=(rows,), in_specs=[spec, spec], out_specs=spec, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), compiler_params=plt.CompilerParams(num_warps=2)
            )(x, n)

        x, n = normal(4, 64), numpy.arange(256, dtype=numpy.uint32).reshape(4, 64)
        self.near(function, lambda x, n: 2 * x + n + numpy.arange(4, dtype=numpy.float32)[:, None], x, n, off=1e-6)
        self.judged("ok", function, x, n)
        for level in ("ttgir", "ptx"):
            self.assertTrue(tcspec.check(function, x, n, level=level).ok)
        with self.assertRaisesRegex(tcspec.Refused, "expected 'auto', 'ttgir', 'ptx' for its kernels, found 'jaxpr'"):
            tcspec.check(function, x, n, level="jaxpr")
        # rows that no program writes
        self.assertEqual(["O1"], [finding.id for finding in tcspec.check(lambda x, n: function(x, n, 3), x, n).findings])

    def test_a_kernel_that_asks_for_the_interpreter(self) -> None:
        """`interpret` is about how JAX runs it; the kernel is the same."""
        x = normal(4, 64)
        function = pl.pallas_call(lambda x, o: o.__setitem__(..., x[...] + 1), out_shape=x, interpret=True, compiler_params=plt.CompilerParams())
        self.near(function, lambda x: x + 1, x, off=0)
        self.judged("ok", function, x)

    def test_what_jax_does_not_lower(self) -> None:
        def body(x: Any, o: Any) -> None:
            o[...] = jnp.sort(x[...])

        def function(x: Any) -> Any:
            return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), compiler_params=plt.CompilerParams())(x)

        with self.assertRaisesRegex(tcspec.Refused, r"test_pallas_triton\.py:\d+: pallas_call: JAX does not lower it to Triton here: .*sort") as refused:
            tcspec.check(function, normal(64))
        self.assertNotIn("\n", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
