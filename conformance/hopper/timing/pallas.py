"""Times of the products and the attention that ship with JAX, over their tuning grids and some settings beside them, on a GPU; argv: an output folder.

No number of the tables of chips was fitted to these. Operands are those of the shipped programs: products of numbers from 0 to 1, evenly; attention of normal ones.
"""
import functools, itertools, json, statistics, sys
import jax, jax.numpy as jnp
from jax.experimental.mosaic.gpu import profiler
from jax.experimental.pallas.ops.gpu import attention_mgpu as attention, hopper_matmul_mgpu as matmul


def launches():
    """Name: kind, shape, settings."""
    out = {}
    M, N, K = 4096, 8192, 4096
    def mm(name, m=M, n=N, k=K, **s):
        d = dict(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, epi_tile_n=64, epi_tile_m=64, grid_minor_dim=0, grid_tile_width=8, wg_dimension=0, cluster_dimension=None)
        d.update(s)
        out[name] = ('mm', (m, n, k), d)
    # the tuning grid that ships
    for tm, tn, gm, gw, wg in itertools.product((128, 256), (64, 128), (0, 1), (4, 8, 16), (0, 1)):
        if tm == 256 and tn == 128: continue  # shared memory or registers
        mm(f'mm_t{tm}x{tn}_g{gm}w{gw}_wg{wg}', tile_m=tm, tile_n=tn, grid_minor_dim=gm, grid_tile_width=gw, wg_dimension=wg)
    # what if: from one base each
    for wg in (0, 1):
        b = dict(wg_dimension=wg)
        for s in (2, 3): mm(f'mm_s{s}_wg{wg}', max_concurrent_steps=s, **b)
        mm(f'mm_epi1_wg{wg}', epi_tile_n=None, epi_tile_m=None, max_concurrent_steps=3, **b)
        for c in (0, 1): mm(f'mm_c{c}_wg{wg}', cluster_dimension=c, **b)
        mm(f'mm_w1_wg{wg}', grid_tile_width=1, **b)
        mm(f'mm_64x128_wg{wg}', tile_m=64, **b)
        mm(f'mm_64x64_wg{wg}', tile_m=64, tile_n=64, **b)
        mm(f'mm_64x64_s2_wg{wg}', tile_m=64, tile_n=64, max_concurrent_steps=2, **b)
        mm(f'mm_64x256_wg{wg}', tile_m=64, tile_n=256, max_concurrent_steps=3, **b)
        mm(f'mm_64x64_c0_wg{wg}', tile_m=64, tile_n=64, cluster_dimension=0, **b)
        mm(f'mm_64x64_c1_wg{wg}', tile_m=64, tile_n=64, cluster_dimension=1, **b)
    for (m, n, k) in ((2048, 2048, 2048), (8192, 8192, 2048), (1024, 4096, 8192), (8192, 1024, 8192)):
        for tm, tn in ((128, 128), (128, 64), (64, 128)):
            mm(f'mm_{m}x{n}x{k}_t{tm}x{tn}', m, n, k, tile_m=tm, tile_n=tn)
    def at(name, b, s, h, hd, **st):
        d = dict(block_q=64, block_kv=64, max_concurrent_steps=2, use_schedule_barrier=True, causal=False)
        d.update(st)
        out[name] = ('attn', (b, s, h, hd), d)
    for (b, s, h), hd, (bq, bkv) in itertools.product(((1, 4096, 4), (2, 2048, 16)), (64, 128, 256), ((64, 64), (64, 128), (64, 256), (128, 64), (128, 128))):
        at(f'attn_{b}x{s}x{h}x{hd}_{bq}x{bkv}', b, s, h, hd, block_q=bq, block_kv=bkv)
    at('attn_2x2048x16x128_64x128_nosched', 2, 2048, 16, 128, block_kv=128, use_schedule_barrier=False)
    at('attn_2x2048x16x128_64x128_causal', 2, 2048, 16, 128, block_kv=128, causal=True)
    return out


def operands(kind, shape):
    if kind == 'mm':
        m, n, k = shape
        return tuple(jax.random.uniform(jax.random.key(i), s, jnp.float16) for i, s in enumerate(((m, k), (k, n))))
    return tuple(jax.random.normal(key, shape, jnp.float16) for key in jax.random.split(jax.random.key(42), 3))


def function(kind, settings):
    if kind != 'mm': return functools.partial(attention.attention, config=attention.TuningConfig(**settings))
    axis = lambda name: None if settings[name] is None else matmul.MatmulDimension(settings[name])
    axes = {name: axis(name) for name in ('grid_minor_dim', 'wg_dimension', 'cluster_dimension')}
    return functools.partial(matmul.matmul, c=None, config=matmul.TuningConfig(**{**settings, **axes}))


if __name__ == '__main__':
    with open(f'{sys.argv[1]}/pallas.jsonl', 'w') as log:
        for name, (kind, shape, settings) in launches().items():
            try:
                _, times = profiler.measure(function(kind, settings), iterations=12)(*operands(kind, shape))
                row = dict(name=name, kind=kind, shape=shape, settings=settings, us=statistics.median(times) * 1e3)
            except ValueError as e:
                row = dict(name=name, failed=str(e)[:200])
            log.write(json.dumps(row) + '\n')
            log.flush()
