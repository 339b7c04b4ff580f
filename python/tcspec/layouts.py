"""Layouts as numpy arrays: the lane that holds each element, its place in shared memory, and the bank conflicts of an access.

    from tcspec import layouts

    wgmma = layouts.layout("WGMMA", shape=(64, 16))
    wgmma.elements[0, 5, 2]                  # the index of register 2 of lane 5 of warp 0
    wgmma.registers(x)                       # what the registers hold of x: [warp, lane, register]

    smem = layouts.transform("tile=8x64", "swizzle=128", shape=(64, 64), dtype="bf16")
    smem.addresses[3, 5]                     # the byte of an element
    smem.memory(x)                           # the bytes of x as they lie

    layouts.banks("WGMMA", "tile=8x64", "swizzle=128", shape=(64, 64)).conflicts

Operands and options are those of the commands (docs/CommandLine.md). An answer has the members of their documents, with Python's names. Lists of
numbers are numpy arrays. ``print`` shows the text of the command line, and a notebook shows the picture.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from . import warm
from .client import camel
from .tensors import dtype_name

__all__ = ["Answer", "banks", "cute", "image", "layout", "linear", "tmem", "transform"]


def _is_numeric(value: Any) -> bool:
    """Whether this is a list of numbers, or of such lists with equal lengths."""
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
        return True
    return all(_is_numeric(one) for one in value) and len({len(one) for one in value}) == 1


def _of(value: Any) -> Any:
    if isinstance(value, dict):
        return Answer(value)
    if _is_numeric(value):
        import numpy

        try:
            return numpy.array(value)
        except ValueError:  # lists of several lengths further down
            return value
    return [_of(one) for one in value] if isinstance(value, list) else value


class Answer:
    """A document with its members as attributes: ``physicalShape`` is ``physical_shape``."""

    def __init__(self, document: Mapping[str, Any], printed: str = "", draw: Any = None) -> None:
        self.document = document
        self._printed = printed
        self._draw = draw

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or camel(name) not in self.document:
            raise AttributeError(f"expected a member, {', '.join(self.document)}; found {name!r}")
        found = _of(self.document[camel(name)])
        setattr(self, name, found)
        return found

    def __getitem__(self, name: str) -> Any:
        return _of(self.document[name])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.document]

    def __str__(self) -> str:
        return self._printed or str(self.document)

    def __repr__(self) -> str:
        return f"<tcspec {self.document.get('schema', 'answer')}: {', '.join(self.document)}>"

    def svg(self) -> str:
        """The picture, if there is one."""
        return "" if self._draw is None else str(self._draw())

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto;background:#fff">{self.svg()}</div>' if self._draw is not None else f"<code>{repr(self)}</code>"


class RegisterLayout(Answer):
    """Which element each register holds: ``elements[warp, lane, register]`` is its index."""

    def registers(self, array: Any) -> Any:
        """The elements of an array that the registers hold: ``[warp, lane, register]``."""
        import numpy

        whole = numpy.asarray(array)
        if whole.shape != tuple(self.document["shape"]):
            raise ValueError(f"expected an array of shape {tuple(self.document['shape'])}, found {whole.shape}")
        return whole[tuple(numpy.moveaxis(self.elements, -1, 0))]

    def array(self, registers: Any) -> Any:
        """The array whose elements the registers hold."""
        import numpy

        held = numpy.asarray(registers)
        whole = numpy.empty(tuple(self.document["shape"]), held.dtype)
        whole[tuple(numpy.moveaxis(self.elements, -1, 0))] = held
        return whole


class Placed(Answer):
    """The place of each element of an array; ``addresses`` has the shape of the array."""

    @property
    def addresses(self) -> Any:
        import numpy

        return numpy.array(self.document["addresses"]).reshape(self.document.get("shape", self.document.get("copied")))

    def memory(self, array: Any) -> Any:
        """The bytes of an array in memory order, from the base on."""
        import numpy

        whole = numpy.ascontiguousarray(array)
        addresses = self.addresses
        if whole.shape != addresses.shape or 8 * whole.itemsize != self.document["bits"]:
            raise ValueError(
                f"expected elements of {self.document['bits']} bits, of shape {addresses.shape}; found {whole.dtype}, of shape {whole.shape}"
            )
        places = (addresses - self.document["base"])[..., None] + numpy.arange(whole.itemsize)
        memory = numpy.zeros(self.document["bytes"], numpy.uint8)
        memory[places.reshape(-1)] = whole.reshape(-1).view(numpy.uint8)
        return memory


def _ask(method: str, kind: type[Answer], params: Mapping[str, Any]) -> Any:
    said = {**params, "dtype": dtype_name(params["dtype"])} if params.get("dtype") is not None else dict(params)
    document = warm.client().request(method, printed=True, **said)
    printed = document.pop("printed")

    def draw() -> str:
        answer = warm.client().request(method, output="picture.svg", **said)
        return str(answer["files"]["picture.svg"])

    return kind(document, printed, None if method == "cute" else draw)


def layout(layout: Any, shape: Sequence[int] | None = None, **options: Any) -> RegisterLayout:
    """Which lane holds each element, and in which register."""
    kind = RegisterLayout if layout not in ("check", "names") else Answer
    found: RegisterLayout = _ask("layout", kind, {"layout": layout, "shape": shape, **options})
    return found


def transform(*transforms: str, shape: Sequence[int], dtype: Any = None, **options: Any) -> Placed:
    """The places of the elements of an array in shared memory."""
    found: Placed = _ask("transform", Placed, {"transforms": transforms, "shape": shape, "dtype": dtype, **options})
    return found


def image(box: Sequence[int], dtype: Any = None, **options: Any) -> Placed:
    """The image of a TMA box in shared memory."""
    found: Placed = _ask("image", Placed, {"box": box, "dtype": dtype, **options})
    return found


def linear(*words: Any, **options: Any) -> Answer:
    """A layout as bases over GF(2), and its algebra."""
    found: Answer = _ask("linear", Answer, {"words": words, **options})
    return found


def cute(*words: Any) -> Answer:
    """The CuTe algebra of shape:stride layouts: ``cute("composition", "(6,2):(8,2)", "(4,3):(3,1)").values``."""
    found: Answer = _of(_ask("cute", Answer, {"words": words}).document["result"])
    return found


def tmem(*layouts: str, **options: Any) -> Answer:
    """Tensor memory: where a layout puts each element, or which columns arrays take."""
    found: Answer = _ask("tmem", Answer, {"layouts": layouts, **options})
    return found


def banks(*words: Any, **options: Any) -> Answer:
    """Bank conflicts of a register layout on transformed shared memory, or of addresses."""
    found: Answer = _ask("banks", Answer, {"words": words, **options})
    return found
