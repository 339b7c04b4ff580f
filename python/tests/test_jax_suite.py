"""JAX's own tests of Mosaic GPU, where the file can be had: `TCSPEC_JAX_SUITE_0_10_2=/path/to/jax/tests/pallas/mosaic_gpu_test.py` (and `_0_11_2`).

Every case passes that does not ask of JAX's own compiler, but for those that stand here with what they lack. A case that is listed and passes fails, too. The
suite is the long one of these tests; `TCSPEC_JAX_SUITE_ONLY` is a regular expression of cases.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

try:
    import jax
except ImportError as missing:
    raise unittest.SkipTest(f"needs JAX: {missing}") from None

SUITE = os.environ.get(f"TCSPEC_JAX_SUITE_{jax.__version__.replace('.', '_')}")
HERE = pathlib.Path(__file__).resolve().parent

#: what stands behind the class, with either lowering (or with that of warpgroups, if it says WG): why it does not pass
LACKS = {
    r"CallTest.test_binary_op12": "the quotient is compared with JAX's on the same chip, which is no IEEE quotient; on the CPU it is one",
    r"PipelineSm90ATest.test_realistic_matmul": "sums of a tensor core are compared with a product of the same chip; the CPU's are rounded otherwise",
    r"CoreMapTest.test_realistic_matmul_with_cluster": "16,896 blocks are more than a run takes",
    r"TCGen05Test.test_async_copy_sparse_metadata_smem_to_tmem_warp_semantics": "arrays of 2 bits are not held in registers here",
    r"TCGen05Test.test_tmem_batch_dimension_indexing": "scales in tensor memory have no batch here",
}

_TRANSPOSED = "JAX's transpose_ref raises an exception here, on a chip as well"
#: with one version alone
LACKS_OF = {
    "0.11.2": {
        r"CallTest.test_input_output_aliases": "JAX lowers no pallas_call to Mosaic GPU; an exception on a chip as well",
        r"CallTest.test_transposed_load_store[0123]": _TRANSPOSED,
        r"CallTest.test_smem_gmem_transposed_copies0": _TRANSPOSED,
        r"CallTest.test_indexing_after_transpose": _TRANSPOSED,
        r"CallWGTest.test_wgmma_(load_from|store_to)_transposed_smem": _TRANSPOSED,
        r"SemanticsTest.test_warp_specialized_transpose": _TRANSPOSED,
    }
}


def _reason(name: str) -> str | None:
    lane = re.sub(r"WGTest\b", "Test", name)
    lacks = {**LACKS, **LACKS_OF.get(jax.__version__, {})}
    return next((why for pattern, why in lacks.items() if re.search(f"{pattern}$", lane) or re.search(f"{pattern}$", name)), None)


@unittest.skipIf(SUITE is None, "JAX's tests: no TCSPEC_JAX_SUITE_* of this version")
class Suite(unittest.TestCase):
    def test_every_case_passes_or_is_listed(self) -> None:
        parts = os.cpu_count() or 1
        only = os.environ.get("TCSPEC_JAX_SUITE_ONLY", "")
        running = [
            subprocess.Popen(
                [sys.executable, "-B", str(HERE / "jax_suite.py"), str(SUITE), "--part", f"{part}/{parts}", "--only", only],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for part in range(parts)
        ]
        ended = [json.loads(line) for one in running for line in one.communicate()[0].splitlines()]
        self.assertEqual([0] * parts, [one.returncode for one in running])
        self.assertGreater(len(ended), 0)
        count = {how: sum(one["ended"] == how for one in ended) for how in ("passed", "failed", "skipped")}
        wrong = [f"{one['name']}: {one['why'][:200]}" for one in ended if one["ended"] == "failed" and not one["compiler"] and _reason(one["name"]) is None]
        listed = [one["name"] for one in ended if one["ended"] == "passed" and _reason(one["name"]) is not None]
        print(f"JAX's tests: {count}, of them about JAX's compiler and not passed {sum(o['ended'] == 'failed' and o['compiler'] for o in ended)}")
        self.assertEqual(([], []), (wrong, listed))


if __name__ == "__main__":
    unittest.main()
