"""Checks a swizzle and an f16 dot product of its own against a directory of vectors: python3 check.py DIR"""
import json, math, pathlib, re, struct, sys
def npy(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    size = int(re.search(rb"'descr': '.[fiu](\d)'", data)[1])
    return struct.unpack("<%d%s" % ((len(data) - start) // size, {1: "B", 2: "H", 4: "I"}[size]), data[start:])
def bits(tensor, folder):
    return npy(folder / tensor["npy"]) if "npy" in tensor else tensor["bits"]
def swizzle(q, i, j):
    width = {"f32": 32, "tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "i8": 8, "e2m1": 4}[q["dtype"]]
    (rows, columns), (h, w) = q["shape"], q["tile"] or q["shape"]
    element = ((i // h) * (columns // w) + j // w) * h * w + i % h * w + j % w
    b = q["base"] + element * width // 8
    return b ^ (((b >> 7) % (q["swizzle"] // 16)) << 4)
def split(p, exponent_bits, fraction_bits):  # sign * significand, exponent
    bias, field = 2 ** (exponent_bits - 1) - 1, (p >> fraction_bits) % 2**exponent_bits
    significand = p % 2**fraction_bits + (2**fraction_bits if field else 0)
    return (-significand if p >> (exponent_bits + fraction_bits) else significand), max(field, 1) - bias
def dot(a, b, c):  # one instruction of wgmma: 16 products of f16 and an f32
    number = lambda form, p: struct.unpack("<" + form, struct.pack({"e": "<H", "f": "<I"}[form], p))[0]
    all_terms = [number("e", x) * number("e", y) for x, y in zip(a, b)] + [number("f", c)]
    specials = [x for x in all_terms if not math.isfinite(x)]
    if specials:
        return 0x7FFFFFFF if math.isnan(sum(specials)) else 0x7F800000 + (2**31 if sum(specials) < 0 else 0)
    pairs = [(split(x, 5, 10), split(y, 5, 10)) for x, y in zip(a, b)]
    terms = [(x * y, ex + ey, 20) for (x, ex), (y, ey) in pairs] + [split(c, 8, 23) + (23,)]
    unit = max([e for m, e, f in terms if m] + [-133]) - 25
    cut = lambda m, shift: m << shift if shift >= 0 else m >> -shift
    total = sum((-1 if m < 0 else 1) * cut(abs(m), e - f - unit) for m, e, f in terms)
    exponent = max(abs(total).bit_length() - 1 + unit, -126)
    significand = cut(abs(total), unit - exponent + 23)
    pattern = significand + ((exponent + 126) << 23 if significand >= 2**23 else 0) if exponent < 128 else 0x7F800000
    return pattern + (2**31 if total < 0 and pattern else 0)

wrong, seen = [], {"swizzle": 0, "dot": 0}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*/*/*.json")):
    case = json.loads(path.read_text())
    q, answer = case.get("question", {}), case.get("expected", {}).get("answer")
    if answer and case["suite"] == "swizzle":
        (rows, columns), expected = q["shape"], bits(answer["addresses"], path.parent)
        got = [swizzle(q, i, j) for i in range(rows) for j in range(columns)]
    elif answer and case["suite"] == "dot" and (q["a"]["dtype"], q["c"]["dtype"]) == ("f16", "f32"):
        a, b, c, expected = (bits(t, path.parent) for t in (q["a"], q["b"], q["c"], answer["d"]))
        batch, m, k = q["a"]["shape"]
        n, got = q["b"]["shape"][2], list(c)
        for at in range(batch * m * n):
            column = b[at // (m * n) * k * n + at % n :: n]
            for s in range(0, k, 16):
                got[at] = dot(a[at // n * k + s : at // n * k + s + 16], column[s : s + 16], got[at])
    else:
        continue
    seen[case["suite"]] += 1
    wrong += [] if list(got) == list(expected) else [path.stem]
print(seen["swizzle"], "swizzles,", seen["dot"], "products,", len(wrong), "wrong", *wrong)
sys.exit(bool(wrong))
