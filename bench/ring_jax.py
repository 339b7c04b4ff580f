"""
The interpreter that comes with JAX on a product of n x n x n f16: a Pallas kernel of Mosaic GPU with the ring and the tiles of `ring.ptx`, its race detector on and off. Prints wall and
processor seconds of each as JSON, medians of so many rounds after one that warms up. Run by `ring.mjs`.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call, params
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

N, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
TILE, STEP, SLOTS = 128, 64, 3
STEPS = N // STEP


def kernel():
    def body(a_gmem, b_gmem, out_gmem, a_smem, b_smem, arrived):
        rows = pl.ds(lax.axis_index("y") * TILE, TILE)
        columns = pl.ds(lax.axis_index("x") * TILE, TILE)

        def fetch(i, slot):
            depth = pl.ds(i * STEP, STEP)
            plgpu.copy_gmem_to_smem(a_gmem.at[rows, depth], a_smem.at[slot], arrived.at[slot])
            plgpu.copy_gmem_to_smem(b_gmem.at[depth, columns], b_smem.at[slot], arrived.at[slot])

        def multiply(acc):
            def step(i, _):
                slot = lax.rem(i, SLOTS)
                plgpu.barrier_wait(arrived.at[slot])
                plgpu.wgmma(acc, a_smem.at[slot], b_smem.at[slot])
                plgpu.wgmma_wait(1)
                refill = i + SLOTS - 1

                @pl.when(jnp.logical_and(refill >= SLOTS, refill < STEPS))
                def _():
                    fetch(refill, lax.rem(refill, SLOTS))

            lax.fori_loop(0, STEPS, step, None)
            return acc[...]

        for slot in range(min(SLOTS, STEPS)):
            fetch(slot, slot)
        out_gmem[rows, columns] = pl.run_scoped(multiply, plgpu.ACC((TILE, TILE), jnp.float32))

    operand = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(
        body,
        out_type=jax.ShapeDtypeStruct((N, N), jnp.float32),
        grid=(N // TILE, N // TILE),
        grid_names=("y", "x"),
        scratch_types=[
            plgpu.SMEM((SLOTS, TILE, STEP), jnp.float16, transforms=operand),
            plgpu.SMEM((SLOTS, STEP, TILE), jnp.float16, transforms=operand),
            plgpu.Barrier(num_arrivals=2, num_barriers=SLOTS),
        ],
    )


def measured(races):
    a, b = (numpy.random.default_rng(i).integers(-4, 5, (N, N)).astype(numpy.float16) for i in (0, 1))
    walls, cpus = [], []
    for _ in range(ROUNDS + 1):
        with params.force_gpu_interpret_mode(params.InterpretGPUParams(detect_races=races)):
            wall, cpu = time.perf_counter(), time.process_time()
            out = numpy.asarray(jax.block_until_ready(jax.jit(kernel())(jnp.asarray(a), jnp.asarray(b))))
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
        if not numpy.array_equal(out, a.astype(numpy.float32) @ b.astype(numpy.float32)):
            raise SystemExit("the product is wrong")
        if races and interpret_pallas_call.get_races().races_found:
            raise SystemExit("a race was reported")
    middle = sorted(range(1, ROUNDS + 1), key=lambda i: cpus[i])[ROUNDS // 2]
    return {"wall": walls[middle], "cpu": cpus[middle]}


print(
    json.dumps(
        {
            f"JAX {jax.__version__}, its interpreter with races": measured(True),
            f"JAX {jax.__version__}, its interpreter without": measured(False),
        }
    )
)
