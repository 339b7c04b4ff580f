"""Makes the PTX of every kernel here and of its broken twins, and faults.json, as ../../hopper/cuda/ptx.py does, for sm_100a; argv: names of kernels (all if none)."""
import importlib.util, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("hopper_ptx", os.path.join(HERE, "../../hopper/cuda/ptx.py"))
hopper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hopper)
hopper.HERE, hopper.ARCH = HERE, "sm_100a"

if __name__ == "__main__":
    hopper.main(sys.argv[1:])
