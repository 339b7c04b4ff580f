"""A block that is done takes over the work of one that was not launched. The answer arrives like a copy: behind its barrier."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from .pair import Pair

TILES = 5


def make(right):
    def body(x_gmem, out_gmem, answer, asked):
        def more(state):
            return state[1]

        def step(state):
            tile, _ = state
            plgpu.try_cluster_cancel(answer, asked)  #: named
            out_gmem[tile] = x_gmem[tile] * 5
            if right:
                plgpu.barrier_wait(asked)
            (following,), granted = plgpu.query_cluster_cancel(answer, ("tile",))  #: named
            plgpu.commit_smem()
            return jnp.where(granted, following, tile), granted

        lax.while_loop(more, step, (lax.axis_index("tile"), jnp.bool_(True)))

    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((TILES, 256), jnp.float32),
        grid=(TILES,),
        grid_names=("tile",),
        scratch_types=[plgpu.TryClusterCancelResult(), plgpu.Barrier(num_barriers=1)],
    )


PAIR = Pair(make, [("float32", (TILES, 256))], lambda x: x * 5, "no barrier_wait", "P4", "blackwell", explore=True)
