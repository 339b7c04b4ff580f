"""How long a kernel takes, from Python."""

import pytest

import tcspec
from tcspec import Refused

SMALL = {"m": 256, "n": 256, "k": 512}


def test_a_kernel_by_name():
    said = tcspec.time("hopper-matmul", set=SMALL)
    assert said["schema"] == "tcspec.time/1" and said["chip"] == "h100"
    assert said["microseconds"] > said["cycles"] / said["megahertz"] > 0
    assert sum(row["share"] for row in said["critical"]) == pytest.approx(1)


def test_another_chip():
    before = tcspec.time("hopper-matmul", set=SMALL)
    after = tcspec.time("hopper-matmul", set=SMALL, chip="h100:tma.latency=x4")
    assert after["cycles"] > before["cycles"]


def test_a_number_that_it_has_not():
    with pytest.raises(Refused, match="l2.bandwith"):
        tcspec.time("hopper-matmul", set=SMALL, chip="h100:l2.bandwith=x2")
