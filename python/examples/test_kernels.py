import gluon_double, numpy, pallas_double, tcspec, triton_scale
from tcspec.triton import descriptor

x, y = numpy.ones((2, 128, 64), numpy.float16)

@tcspec.verified(x)
def test_pallas(x):
    return pallas_double.double(x)

def test_triton():
    tcspec.check(triton_scale.scale, x, y, 2.0, x.size, BLOCK=256, grid=(32,)).raise_if_bad()

def test_gluon():
    tcspec.check(gluon_double.double, *(descriptor(a, [64, 64], gluon_double.TILE) for a in (x, y)), grid=(2,)).raise_if_bad()
