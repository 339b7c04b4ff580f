"""
The seven kernels of JAX's Blackwell matmul tutorial, in Python, as its text has them: the same operations in the same order.

`docs/BlackwellMatmul.md` walks through the TypeScript forms of them (`src/kernels/blackwell`). What stands here is for the exporter: each kernel is
a function of two arrays and a `TuningConfig`, traces without a GPU, and is judged by `tcspec.check(matmul0, a, b, config)`.

Names that have changed since the text was written are spelled as they are called now:

| in the text                 | here                                              | since                                  |
|-----------------------------|---------------------------------------------------|----------------------------------------|
| `out_shape=`                | `out_type=`                                       | both versions know it, 0.11 alone it   |
| `scratch_shapes=`           | `scratch_types=`                                  | the same                               |
| `partitioned_axis=k`        | `leader_tracked=CopyPartition.PARTITIONED(k)`     | 0.9.2                                  |
| the device's number of SMs  | `config.clusters`, half of it                     | there is no device here                |
"""

from .matmul0 import matmul0
from .matmul1 import matmul1
from .matmul2 import matmul2
from .matmul3 import matmul3
from .matmul4 import matmul4
from .matmul5 import matmul5
from .matmul6 import matmul6
from .setup import TuningConfig

#: (m, n, k) and settings at which `src/kernels/catalogue/blackwell.ts` has them: one block to a tile, then two.
SINGLE = ((256, 256, 576), TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4))
PAIR = ((512, 256, 288), TuningConfig(tile_m=128, tile_n=64, tile_k=32, max_concurrent_steps=4))

#: The seven, each with its sizes and settings.
KERNELS = (
    (matmul0, *SINGLE),
    (matmul1, *SINGLE),
    (matmul2, *SINGLE),
    (matmul3, *PAIR),
    (matmul4, *PAIR),
    (matmul5, *PAIR),
    (matmul6, *PAIR),
)

__all__ = ["KERNELS", "PAIR", "SINGLE", "TuningConfig"] + [kernel.__name__ for kernel, _, _ in KERNELS]
