"""Programs of many launches, from Python: the verdict on all of it, and one launch alone."""

from pathlib import Path

import pytest

import tcspec
from tcspec import Refused

PROGRAMS = Path(__file__).parents[2] / "conformance" / "programs"


def test_a_program():
    right = tcspec.check(PROGRAMS / "event.json")
    assert right.ok and right.findings == () and list(right.launches) == ["7", "10"]
    assert all(v.ok for v in right.kernels)


def test_a_bug_between_launches():
    wrong = tcspec.check(PROGRAMS / "event-missing.json")
    assert wrong.verdict == "hazard" and not wrong
    (found,) = wrong.findings
    assert (found.id, found.memory, found.operations) == ("H1", "y", (7, 8))
    assert all(v.ok for v in wrong.launches.values())
    with pytest.raises(tcspec.BadVerdict, match="nothing orders the two"):
        wrong.raise_if_bad()


def test_one_launch():
    assert tcspec.check(PROGRAMS / "event.json", operation=10).ok
    assert tcspec.check(PROGRAMS / "graph-events.json", operation="8:add").document["kernel"] == "add"
    with pytest.raises(Refused, match="expected a launch"):
        tcspec.check(PROGRAMS / "event.json", operation=3)
