"""Cases: copies in mode im2col, and of element types whose bits a copy may change. Lists innermost first."""
import random
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "u64": (4, 8), "f16": (6, 2), "f32": (7, 4), "f64": (8, 8), "bf16": (9, 2), "f32_ftz": (10, 4), "tf32": (11, 4), "tf32_ftz": (12, 4)}

def cases():
    r = random.Random(20261128)
    out = []
    def add(group, **c):
        base = dict(group=group, type="u16", interleave=0, swizzle=0, fill=0, mode=0, kind="im2col", coords=None, offsets=[0, 0, 0], data="index")
        base.update(c)
        rank = len(base["dims"])
        base.setdefault("steps", [1] * rank)
        base["id"] = len(out)
        out.append(base)
    def pick(group, **forced):
        kind = forced.get("type") or r.choice(["u8", "u16", "u16", "u32", "f32", "bf16", "u64"])
        size = TYPES[kind][1]
        rank = forced.get("rank") or r.choice([3, 4, 5])
        unit = 16 // size
        C = unit * r.randint(1, 6)
        sp = [r.randint(3, 9), r.randint(2, 6), r.randint(2, 4)][: rank - 2]
        N = r.randint(1, 3)
        swizzle = r.choice([0, 0, 32, 64, 128])
        most = 256 // size * 2 if swizzle == 0 else swizzle // size
        ch = unit * r.randint(1, max(1, min(most, 2 * C) // unit))
        ch = min(ch, most, 256)
        while True:
            lower = [r.randint(-3, 2) for _ in sp]
            upper = [r.randint(-3, 2) for _ in sp]
            if all(n + u - l >= 1 for n, u, l in zip(sp, upper, lower)): break
        steps = [1] + [r.choice([1, 1, 1, 2, 3]) for _ in sp] + [r.choice([1, 1, 1, 1, 2])]
        pixels = r.choice([1, 3, 8, 16, 33, 64, r.randint(1, 100)])
        while pixels * max(ch * size, swizzle) > 32768: pixels //= 2
        if r.random() < 0.8 or forced.get("mode") in (2, 3):
            at = [r.randint(l, n + u - 1) for n, l, u in zip(sp, lower, upper)]
        else:
            at = [r.randint(l - 3, n + u + 3) for n, l, u in zip(sp, lower, upper)]
        if forced.get("mode") in (2, 3): at = [max(0, x) for x in at]
        coords = [unit * r.choice([0, 0, 0, 1, 2])] + at + [r.randint(0, N - 1) if r.random() < .8 else (r.randint(0, N + 1) if forced.get("mode") in (2, 3) else r.randint(-1, N + 1))]
        offsets = [r.choice([0, 0, 1, 2, 3]) for _ in range(3)]
        c = dict(type=kind, dims=[C, *sp, N], lower=lower, upper=upper, channels=ch, pixels=pixels, steps=steps, coords=coords, offsets=offsets, swizzle=swizzle, fill=1 if kind in ("f32", "bf16") and r.random() < .5 else 0)
        c.update({k: v for k, v in forced.items() if k != "rank"})
        add(group, **c)
    for rank in (3, 4, 5):  # plain: no strides, one channel block
        for _ in range(6): pick("plain", rank=rank, type="u16", steps=[1] * rank, swizzle=0)
    for _ in range(260): pick("load")
    for _ in range(60): pick("store", mode=2)
    for _ in range(25): pick("reduce", mode=3, type="u32")
    # what the driver takes
    def base(**c):
        b = dict(type="u16", dims=[16, 8, 6, 2], lower=[-1, -1], upper=[-1, -1], channels=16, pixels=32, coords=[0, 0, 0, 0])
        b.update(c); return b
    for ch in (0, 1, 4, 7, 8, 12, 24, 64, 256, 257, 264): add("driver", **base(channels=ch, dims=[256, 8, 6, 2]))
    for px in (0, 1, 1023, 1024, 1025): add("driver", **base(pixels=px))
    for sw, ch in ((32, 16), (32, 24), (64, 32), (64, 40), (128, 64), (128, 72)): add("driver", **base(swizzle=sw, channels=ch, dims=[128, 8, 6, 2]))
    for lo in (-129, -128, 127, 128): add("driver", **base(lower=[lo, 0], upper=[127, 0]))
    for up in (-129, -128, 127, 128): add("driver", **base(lower=[-128, 0], upper=[up, 0]))
    for lo in (-32769, -32768, 32767, 32768): add("driver", **base(dims=[16, 8, 2], lower=[lo], upper=[32767], coords=[0, 0, 0]))
    for lo in (-17, -16, 15, 16): add("driver", **base(dims=[16, 8, 6, 3, 2], lower=[lo, 0, 0], upper=[15, 0, 0], coords=[0, 0, 0, 0, 0]))
    for up, lo in ((-8, 0), (-7, 0), (-9, 0), (-4, 3), (-4, 4), (-4, 5)): add("driver", **base(lower=[lo, 0], upper=[up, 0]))
    for st in (0, 2, 8, 9): add("driver", **base(steps=[1, st, 1, 1]))
    for st in (2, 3): add("driver", **base(steps=[st, 1, 1, 1]))
    add("driver", **base(dims=[16, 8], lower=[], upper=[], coords=[0, 0]))
    # offsets that are large
    for o in ([7, 0, 0], [31, 0, 0], [32, 0, 0], [127, 0, 0], [128, 1, 0], [200, 0, 0], [255, 2, 0], [256, 0, 0], [257, 1, 0], [65535, 0, 0]):
        add("offsets", **base(offsets=o))
        add("offsets", **base(dims=[16, 8, 6, 3, 2], lower=[0, 0, 0], upper=[0, 0, 0], coords=[0, 1, 0, 0, 0], offsets=o))
        add("offsets", **base(dims=[16, 8, 2], lower=[0], upper=[0], coords=[0, 1, 0], offsets=o))
    # faults
    add("fault", **base(coords=[4, 0, 0, 0]))
    add("fault", **base(coords=[-8, 0, 0, 0]))
    add("fault", **base(coords=[0, -1, 0, 0], mode=2))
    add("fault", **base(coords=[0, 0, 0, -1], mode=2))
    add("fault", **base(coords=[-8, 0, 0, 0], mode=2))
    add("fault", **base(mode=1))               # tile copy, im2col map
    add("fault", **base(mode=4))
    add("fault", kind="tile", dims=[16, 8, 6, 2], box=[16, 4, 2, 1], coords=[0, 0, 0, 0], mode=0)
    add("fault", kind="tile", dims=[16, 8, 6, 2], box=[16, 4, 2, 1], coords=[0, 0, 0, 0], mode=2)
    add("fault", **base(rank_of_copy=3)); add("fault", **base(rank_of_copy=5))
    # bits of elements
    for kind in ("f32", "f32_ftz", "tf32", "tf32_ftz"):
        for mode in (1, 4, 5):
            for block in range(4 if mode != 5 else 6):
                add("bits", kind="tile", type=kind, dims=[256, 4, 4], box=[256, 4, 1], coords=[0, 0, block % 4], mode=mode, data=f"bits{block}")
        if kind == "tf32":
            add("bits", type=kind, dims=[64, 8, 4], lower=[0], upper=[0], channels=64, pixels=16, coords=[0, 0, 0], data="bits0")
    for kind in ("f32", "f32_ftz", "tf32", "tf32_ftz"):
        for fill in (0, 1):
            add("bits", kind="tile", type=kind, dims=[8, 4, 4], box=[16, 4, 1], coords=[0, 0, 0], mode=1, fill=fill, data="bits1")
    return out
