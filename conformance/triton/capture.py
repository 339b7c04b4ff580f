"""Runs the kernels of captures.py on a GPU and keeps what it made of them; argv: an output folder (it gets one tar file), and a seed.

For each launch: the text that ran, launch.json, the inputs, and the outputs as the chip left them (zero before the launch)."""
import io, json, os, sys, tarfile
import numpy, torch, triton
from triton.tools.tensor_descriptor import TensorDescriptor
import captures as k

MATMULS = [(k.mm_ptr, "mm_ptr", (False,)), (k.mm_tma, "mm_tma", (False, True)), (k.mm_host_tma, "mm_hosttma", (False, True)), (k.mm_persistent, "mm_persistent", (False, True))]
TILES = [(64, 64, 32, 4, 4), (128, 128, 64, 3, 4), (128, 256, 64, 3, 8), (128, 64, 64, 4, 4), (64, 128, 64, 2, 4)]
# whole tiles for the kernel that masks nothing; the others end where the tensors end
WHOLE = [(256, 256, 128), (384, 512, 320)]
RAGGED = [(200, 328, 176), (72, 520, 48), (320, 192, 264)]
ATTENTIONS = [(64, 64, 32, 4, 384), (128, 64, 64, 4, 512), (128, 64, 128, 8, 256), (128, 128, 64, 8, 384), (64, 128, 64, 4, 128)]

def wide(shape, generator):
    """f16 whose exponents are spread, with subnormals"""
    x = torch.randn(shape, generator=generator) * torch.exp2(torch.randint(-18, 6, shape, generator=generator).float())
    return x.to(torch.float16)

def plain(shape, generator):
    return torch.randn(shape, generator=generator).to(torch.float16)

def described(name, t, block):
    return {"kind": "tensordesc", "tensor": name, "shape": list(t.shape), "strides": list(t.stride()), "block": block, "dtype": str(t.dtype)}

class Kept:
    def __init__(self, path):
        self.tar = tarfile.open(path, "w:gz")
        self.count = 0
    def put(self, path, data):
        info = tarfile.TarInfo(path); info.size = len(data)
        self.tar.addfile(info, io.BytesIO(data))
    def launch(self, name, kernel, grid, compiled, args, inputs, outputs):
        meta = compiled.metadata
        document = {"name": name, "kernel": kernel, "grid": list(grid), "num_warps": meta.num_warps, "num_ctas": meta.num_ctas, "shared": meta.shared, "args": args, "arch": "sm_90a", "triton": triton.__version__, "outputs": list(outputs)}
        self.put(f"{name}/launch.json", json.dumps(document, indent=1).encode())
        self.put(f"{name}/{name}.ttgir", compiled.asm["ttgir"].encode())
        self.put(f"{name}/{name}.ptx", compiled.asm["ptx"].encode())
        for tensor, t in {**inputs, **outputs}.items():
            data = io.BytesIO(); numpy.save(data, t.cpu().numpy()); self.put(f"{name}/{tensor}.npy", data.getvalue())
        self.count += 1
        print(name, flush=True)

def matmul(kept, kernel, called, ws, tile, shape, values, generator):
    BM, BN, BK, stages, warps = tile; M, N, K = shape
    a = values((M, K), generator).cuda(); b = values((K, N), generator).cuda(); c = torch.zeros((M, N), dtype=torch.float16, device="cuda")
    tiles = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    options = dict(BM=BM, BN=BN, BK=BK, num_stages=stages, num_warps=warps)
    da, db, dc = [TensorDescriptor.from_tensor(t, block) for t, block in ((a, [BM, BK]), (b, [BK, BN]), (c, [BM, BN]))]
    descriptors = [described("a", a, [BM, BK]), described("b", b, [BK, BN]), described("c", c, [BM, BN])]
    grid = tiles
    if called == "mm_ptr":
        compiled = kernel[tiles](a, b, c, M, N, K, K, N, N, **options); args = ["a", "b", "c", M, N, K, K, N, N]
    elif called == "mm_tma":
        compiled = kernel[tiles](a, b, c, M, N, K, WS=ws, **options); args = ["a", "b", "c", M, N, K]
    elif called == "mm_hosttma":
        compiled = kernel[tiles](da, db, dc, K, WS=ws, **options); args = [*descriptors, K]
    else:
        grid = (3,)
        compiled = kernel[grid](da, db, dc, M, N, K, NSM=3, WS=ws, **options); args = [*descriptors, M, N, K]
    torch.cuda.synchronize()
    kind = "" if called == "mm_ptr" else "_ws" if ws else "_nows"
    name = f"{called}{kind}_{BM}x{BN}x{BK}_s{stages}_w{warps}_{M}x{N}x{K}_{values.__name__}"
    kept.launch(name, kernel.__name__, grid, compiled, args, {"a": a, "b": b}, {"c": c})

def attention(kept, BM, D, BN, warps, N, generator):
    q, key, v = [plain((N, D), generator).cuda() for _ in range(3)]
    o = torch.zeros((N, D), dtype=torch.float16, device="cuda")
    ts = [("q", q, [BM, D]), ("k", key, [BN, D]), ("v", v, [BN, D]), ("o", o, [BM, D])]
    scale = 1.4426950408889634 / D ** 0.5
    compiled = k.attn_fwd[(N // BM,)](*[TensorDescriptor.from_tensor(t, block) for _, t, block in ts], scale, N, BM=BM, BN=BN, D=D, WS=False, num_warps=warps, num_stages=2)
    torch.cuda.synchronize()
    kept.launch(f"attn_nows_{BM}x{D}x{BN}_w{warps}_{N}", "attn_fwd", (N // BM,), compiled, [described(n, t, b) for n, t, b in ts] + [scale, N], {"q": q, "k": key, "v": v}, {"o": o})

def main(out, seed):
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    generator = torch.Generator().manual_seed(seed)
    kept = Kept(os.path.join(out, "captures.tar.gz"))
    turn = 0
    for kernel, called, kinds in MATMULS:
        for ws in kinds:
            for tile in TILES:
                shapes = WHOLE if called == "mm_ptr" else RAGGED + WHOLE
                shape = shapes[turn % len(shapes)]; turn += 1
                try:
                    matmul(kept, kernel, called, ws, tile, shape, wide if turn % 3 == 0 else plain, generator)
                except Exception as e:
                    print("FAILED", called, ws, tile, shape, type(e).__name__, str(e)[:200], flush=True)
    for BM, D, BN, warps, N in ATTENTIONS:
        try:
            attention(kept, BM, D, BN, warps, N, generator)
        except Exception as e:
            print("FAILED attention", BM, D, BN, warps, N, type(e).__name__, str(e)[:200], flush=True)
    kept.tar.close()
    print(kept.count, "launches")

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
