"""Kernels of Triton and Gluon at both levels: what one of them cannot say, the other does, and there is one verdict."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

try:
    import numpy
    import triton  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs Triton and numpy: {missing}") from None

import gluon_kernels as gluon
import tcspec
import triton_kernels as kernels
from tcspec import Array, Refused
from test_triton_check import line_of, pairs_of


def shifted(joined: bool, by: int = 96, level: "str | None" = None, **more: Any) -> Any:
    row = Array("f32", (512,))
    return tcspec.check(kernels.shifted, row, Array("f32", (512,)), Array("f32", (512,)), SIZE=512, BY=by, JOINED=joined, grid=1, level=level, **more)


def summed(joined: bool, warps: int = 8, level: "str | None" = None) -> Any:
    rows = 16 * warps
    tensors = Array("f16", (rows, 64)), Array("f16", (192, 64)), Array("f32", (rows, 64))
    return tcspec.check(gluon.summed, *tensors, 64, joined, grid=1, num_warps=warps, level=level)


def results(verdict: Any) -> Any:
    return [(at.level, at.result) for at in verdict.levels]


class Addresses(unittest.TestCase):
    """Tensors that hold addresses of others: only PTX has addresses."""

    def test_each_program_reaches_the_tensor_at_its_number(self) -> None:
        a, b = (numpy.arange(256, dtype=numpy.float32) + first for first in (1, 1000))
        for level, at in ((None, [("ttgir", "refused"), ("ptx", "ok")]), ("ptx", [])):
            run = tcspec.run(kernels.doubled_through, tcspec.pointers([a, b]), BLOCK=256, grid=2, level=level)
            self.assertTrue(run.ok, str(run))
            self.assertEqual(at, results(run.kernels[0]))
            numpy.testing.assert_array_equal(a * 2, run.outputs["addresses[0]"])
            numpy.testing.assert_array_equal(b * 2, run.outputs["addresses[1]"])

    def test_a_check_needs_no_data(self) -> None:
        row = Array("f32", (256,))
        self.assertTrue(tcspec.check(kernels.doubled_through, tcspec.pointers([row, Array("f32", (256,))]), BLOCK=256, grid=2).ok)
        same = tcspec.check(kernels.doubled_through, tcspec.pointers([row, row]), BLOCK=256, grid=2)
        self.assertEqual(["D3"], [finding.id for finding in same.findings][:1])

    def test_what_is_no_tensor_is_refused(self) -> None:
        with self.assertRaises(Refused) as refused:
            tcspec.check(kernels.doubled_through, tcspec.pointers([7]), BLOCK=256, grid=1)
        self.assertEqual("triton.pointers", refused.exception.code)


class Bugs(unittest.TestCase):
    """Mistakes of which TTGIR has no words: there the warps of a CTA act as one."""

    def test_global_memory_that_other_warps_read_back(self) -> None:
        self.assertTrue(shifted(False, level="ttgir").ok)
        verdict = shifted(False)
        self.assertEqual([("ttgir", "ok"), ("ptx", "hazard")], results(verdict))
        self.assertEqual({"D2", "D5"}, {finding.id for finding in verdict.findings})
        lines = {line_of(kernels.shifted, "tl.store(scratch"), line_of(kernels.shifted, "tl.load(scratch")}
        for pair in pairs_of(verdict):
            self.assertEqual(lines, set(pair))
        for finding in verdict.findings:
            self.assertEqual(("ptx",), finding.levels)
            self.assertIn("`tl.debug_barrier()` between", str(finding.fix))
        self.assertIn("TTGIR: ok: ", verdict.report())
        self.assertIn("they differ: in TTGIR the threads of an agent act as one", verdict.report())
        with self.assertRaises(AssertionError):
            verdict.raise_if_bad()

    def test_a_barrier_between(self) -> None:
        verdict = shifted(True)
        self.assertTrue(verdict.ok, str(verdict))
        self.assertEqual([("ttgir", "ok"), ("ptx", "ok")], results(verdict))
        self.assertIn("in TTGIR and in PTX", verdict.reason)

    def test_what_a_thread_reads_back_itself(self) -> None:
        self.assertTrue(shifted(False, by=0).ok)

    def test_a_buffer_that_another_warpgroup_reads(self) -> None:
        self.assertTrue(summed(False, level="ttgir").ok)
        verdict = summed(False)
        self.assertEqual([("ttgir", "ok"), ("ptx", "hazard")], results(verdict))
        (finding,) = verdict.findings
        self.assertEqual("W3", finding.id)
        self.assertIn("warpgroup_mma(left, even", str(finding.statements[0]))
        self.assertEqual(line_of(gluon.fill, "async_copy_global_to_shared"), str(finding.statements[1]))

    def test_warpgroups_that_have_met(self) -> None:
        self.assertTrue(summed(True).ok)
        # one warpgroup has nobody to wait for
        self.assertTrue(summed(False, warps=4).ok)


class Joining(unittest.TestCase):
    def test_a_mistake_is_told_once(self) -> None:
        verdict = tcspec.check(kernels.last, Array("i32", (1,)), grid=2)
        (finding,) = verdict.findings
        self.assertEqual(("ttgir", "ptx"), finding.levels)

    def test_what_ttgir_refuses(self) -> None:
        row = Array("f32", (256,))
        with self.assertRaises(Refused):
            tcspec.check(kernels.assembled, row, Array("f32", (256,)), BLOCK=256, grid=1, level="ttgir")
        verdict = tcspec.check(kernels.assembled, row, Array("f32", (256,)), BLOCK=256, grid=1)
        self.assertEqual([("ttgir", "refused"), ("ptx", "ok")], results(verdict))
        self.assertIn("TTGIR is refused: triton_kernels.py:", verdict.reason)
        x = numpy.arange(256, dtype=numpy.float32)
        run = tcspec.run(kernels.assembled, x, numpy.zeros_like(x), BLOCK=256, grid=1)
        numpy.testing.assert_array_equal(2 * x, run.result["out"])

    def test_what_is_said_of_one_level(self) -> None:
        verdict = shifted(False, schedule="lazy")
        self.assertEqual(("ptx", "not-judged"), results(verdict)[1])
        self.assertIn("in TTGIR", verdict.reason)
        self.assertIn("PTX was not judged", verdict.reason)

    def test_a_module_without_its_ptx(self) -> None:
        exported = tcspec.triton.export(kernels.scaled, Array("f32", (256,)), Array("f32", (256,)), 2.0, BLOCK=256, grid=1)
        (launch,) = exported.launches
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder)
            (there / "k.ttgir").write_text(launch.document["ttgir"])
            arguments = {"x": "f32[256]", "out": "f32[256]", "factor": 2}
            alone = tcspec.check(there / "k.ttgir", grid=1, arg=arguments)
            self.assertTrue(alone.ok)
            self.assertEqual([("ttgir", "ok"), ("ptx", "not-judged")], results(alone))
            self.assertIn("in TTGIR alone; PTX was not judged: there is no k.ptx in its folder", alone.reason)
            self.assertIn("not checked: races between the threads of one agent", alone.report())
            (there / "k.ptx").write_text(launch.params["files"]["kernel.ptx"])
            without_json = tcspec.check(there / "k.ttgir", grid=1, arg=arguments)
            self.assertEqual([("ttgir", "ok"), ("ptx", "ok")], results(without_json))
            self.assertIn("accesses beyond the shared memory of the launch", without_json.report())
            (there / "k.json").write_text(launch.params["files"]["kernel.json"])
            whole = tcspec.check(there / "k.json", grid=1, arg=arguments)
            self.assertEqual([("ttgir", "ok"), ("ptx", "ok")], results(whole))
            self.assertNotIn("not checked", whole.report())

    def test_strides_and_padding(self) -> None:
        whole = numpy.arange(64 * 64, dtype=numpy.float32).reshape(64, 64)
        out = numpy.zeros((32, 32), numpy.float32)
        run = tcspec.run(kernels.transposed, whole[::2, ::2], out, 128, 2, SIZE=32, grid=1)
        self.assertEqual([("ttgir", "ok"), ("ptx", "ok")], results(run))
        numpy.testing.assert_array_equal(whole[::2, ::2], run.result["out"])

    def test_strides_where_ptx_alone_computes(self) -> None:
        x = numpy.arange(16 * 32, dtype=numpy.float32).reshape(16, 32)
        expected = numpy.maximum(x, 7)
        for out in (numpy.zeros((32, 16), numpy.float32).T, numpy.zeros((32, 64), numpy.float32)[::2, ::2], numpy.zeros((16, 32), numpy.float32)):
            run = tcspec.run(kernels.at_least, x, out, 7.0, *(step // 4 for step in out.strides), ROWS=16, COLUMNS=32, grid=1)
            self.assertEqual([("ttgir", "refused"), ("ptx", "ok")], results(run))
            numpy.testing.assert_array_equal(expected, run.result["out"])


class Launches(unittest.TestCase):
    """What a launch may have, at each level. Oracle: numpy."""

    def test_several_ctas_of_a_program(self) -> None:
        x, y = numpy.random.default_rng(1).normal(size=(2, 2000)).astype(numpy.float32)
        for target in ("sm_90", "sm_100"):
            for level in ("ttgir", "ptx", "auto"):
                run = tcspec.run(kernels.add, x, y, numpy.zeros_like(x), 2000, BLOCK=1024, grid=2, num_ctas=2, target=target, level=level)
                self.assertTrue(run.ok, str(run))
                numpy.testing.assert_array_equal(x + y, run.outputs["out"], f"{target} {level}")
        # past the end of y, in the second program alone
        verdict = tcspec.check(kernels.add, Array("f32", (2000,)), Array("f32", (1500,)), Array("f32", (2000,)), 2000, BLOCK=1024, grid=2, num_ctas=2)
        self.assertEqual([("I2", ("ttgir", "ptx"))], [(finding.id, finding.levels) for finding in verdict.findings])

    def test_a_tensor_without_elements(self) -> None:
        x, empty = numpy.arange(64, dtype=numpy.float32), numpy.zeros((0, 4), numpy.float32)
        for nothing in (empty, Array("f32", (0,))):
            for level in ("ttgir", "ptx", "auto"):
                run = tcspec.run(kernels.biased, x, nothing, numpy.zeros_like(x), BLOCK=64, HAS_BIAS=False, grid=1, level=level)
                self.assertTrue(run.ok, str(run))
                numpy.testing.assert_array_equal(x, run.outputs["out"])
        verdict = tcspec.check(kernels.biased, x, empty, numpy.zeros_like(x), BLOCK=64, HAS_BIAS=True, grid=1)
        self.assertEqual(("invalid", ["I2"]), (verdict.verdict, [finding.id for finding in verdict.findings]))
        self.assertEqual(line_of(kernels.biased, "tl.load(bias"), str(verdict.findings[0].statements[0]))

    def test_rows_that_are_gathered(self) -> None:
        x = numpy.random.default_rng(2).normal(size=(16, 32)).astype(numpy.float32)
        for level in ("ttgir", "ptx", "auto"):
            run = tcspec.run(kernels.gathered, x, numpy.zeros((8, 32), numpy.float32), ROWS=8, COLUMNS=32, grid=1, target="sm_100", level=level)
            self.assertTrue(run.ok, str(run))
            numpy.testing.assert_array_equal(x[::2], run.outputs["out"])


class Accepted(unittest.TestCase):
    def test_rows_of_both_levels(self) -> None:
        found = shifted(False)
        rows = [
            {
                "kernel": "shifted",
                "id": finding.id,
                "a": side(finding, "a"),
                "b": side(finding, "b"),
                "memory": "gmem scratch",
                "reason": "one warp alone runs it",
            }
            for finding in found.findings
        ]
        baseline = {"schema": "tcspec.accept/1", "accepted": rows}
        verdict = shifted(False, accept=baseline)
        self.assertEqual("hazard", verdict.verdict)
        self.assertTrue(verdict.ok, str(verdict))
        self.assertIs(verdict, verdict.raise_if_bad())
        self.assertEqual([1, 1], [row["findings"] > 0 for row in verdict.accepted])
        self.assertIn("accepted: D2 (", verdict.report())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "accept.json"
            file.write_text(json.dumps({**baseline, "accepted": rows[:1]}))
            self.assertFalse(shifted(False, accept=file).ok)


def side(finding: Any, which: str) -> Any:
    found = finding.document[which]
    statement = finding.statements[0 if which == "a" else 1]
    return {"file": statement.file, "statement": statement.text, "nth": 0, "does": found["does"]}


if __name__ == "__main__":
    unittest.main()
