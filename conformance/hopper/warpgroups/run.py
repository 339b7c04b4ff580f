"""Runs the kernels here as ../cuda/run.py does those beside it; argv: an output folder, then names of kernels (all if none)."""
import os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cuda"))
import run

run.HERE = HERE
run.__file__ = os.path.abspath(__file__)
if sys.argv[1] == "--one":
    run.one(sys.argv[2], sys.argv[3])
else:
    run.main(sys.argv[1], sys.argv[2:])
